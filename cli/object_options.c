/* Handles the options of object caches. See object_options.h. */
#include "object_options.h"

#include "reusedist/experimental.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool objects_time(const char *text, uint64_t *nanoseconds) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    char *end;
    if (*text != '.' && (*text < '0' || *text > '9'))
        return false; /* because rd_strtod() would also accept signs, spaces and words */
    double number = rd_strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) {
            double length = nearbyint(number * units[i].seconds * 1e9);
            *nanoseconds = length >= 1 && length <= 0x1p63 ? (uint64_t)length : 0;
            return *nanoseconds > 0;
        }
    return false;
}

/* Returns the length of a stretch in nanoseconds; 0: --every is not given or malformed. */
static uint64_t every_of(const object_options *o) {
    uint64_t length = 0;
    return o->every && objects_time(o->every, &length) ? length : 0;
}

const rd_objects_config *objects_config(const object_options *o, const rd_sizes *sizes,
                                        rd_objects_config *config) {
    *config = (rd_objects_config){.size = sizeof *config,
                                  .expiry = (rd_expiry)o->expiry,
                                  .count = (rd_count)o->count,
                                  .warmup = o->warmup,
                                  .sizes = sizes ? sizes->value : NULL,
                                  .n_sizes = sizes ? sizes->n : 0,
                                  .every = every_of(o)};
    return o->weight == WEIGHT_BYTES ? config : NULL;
}

int objects_check(const object_options *o) {
    if (o->every && !every_of(o))
        return fail_usage(
            "--every: '%.80s' is not a length of time from 1 ns to 106,751 days, such as "
            "30s, 15m, 1h or 1d; the units are s, m, h and d",
            o->every);
    return EXIT_OK;
}

int objects_check_trace(const object_options *o, const char *hist, const char *usual) {
    if (o->weight != WEIGHT_BYTES)
        return !o->count && !o->expiry && !o->warmup && !o->every
                   ? EXIT_OK
                   : fail_usage("--count, --expiry, --warmup and --every need --weight=bytes");
    if (strcmp(hist, usual) != 0)
        return fail_usage(
            "--hist cannot be combined with --weight=bytes, whose bins always have a width "
            "of at most 0.8 %% of the cache size; omit --hist");
    return EXIT_OK;
}

/* Checks that the profile measures caches in the unit of --weight: in objects or in bytes. */
static int check_weight(const object_options *o, const char *path, const rd_profile *p) {
    if ((o->weight == WEIGHT_BYTES || o->every) && !rd_profile_objects(p))
        return fail("%s: this profile does not count bytes; analyze the trace with --weight=bytes",
                    path);
    if (o->weight == WEIGHT_OBJECTS && rd_profile_objects(p))
        return fail(
            "%s: this profile counts bytes of objects; omit --weight=objects, or analyze the trace "
            "with it",
            path);
    return EXIT_OK;
}

int objects_check_profile(const object_options *o, const char *path, const rd_profile *p) {
    const rd_stretches *all = rd_profile_stretches(p);
    int status = check_weight(o, path, p);
    if (status != EXIT_OK)
        return status;
    if (o->count || o->expiry || o->warmup)
        return fail_usage(
            "%s: this is a profile; --count, --expiry and --warmup are for traces; omit them",
            path);
    if (!o->every || (all && all->every == every_of(o)))
        return EXIT_OK;
    if (!all)
        return fail("%s: this profile has no stretches of time; analyze the trace with --every",
                    path);
    return fail("%s: this profile has stretches of %.6g seconds; analyze the trace again with the "
                "new --every",
                path, (double)all->every / 1e9);
}

/* Sets one option of the sample, "key=value" with `n` characters. */
static int set_option(rd_ctx *ctx, const char *text, size_t n, rd_objects_config *config) {
    static const rd_opt options[] = {
        {.name = "rate",
         .type = RD_OPT_DOUBLE,
         .max = 1,
         .offset = offsetof(rd_objects_config, sample_rate)},
        {.name = "seed", .type = RD_OPT_U64, .offset = offsetof(rd_objects_config, sample_seed)},
        {0},
    };
    char key[64];
    if (n >= sizeof key)
        return fail_usage("--engine: '%.60s...' is not an option of shards", text);
    memcpy(key, text, n);
    key[n] = '\0';
    char *value = strchr(key, '=');
    if (value)
        *value++ = '\0';
    if (strcmp(key, "samples") == 0)
        return fail_usage("--weight=bytes: engine shards needs a fixed rate for bytes of objects; "
                          "use -e shards:rate=0.01 instead of samples=");
    if (rd_opts_set(ctx, "shards", options, config, key, value ? value : "") != RD_OK)
        return fail_usage("%s", rd_last_error(ctx));
    return EXIT_OK;
}

int objects_take_engine(rd_ctx *ctx, const object_options *o, const char **engine,
                        rd_objects_config *config) {
    const char *text = *engine;
    bool bytes = o->weight == WEIGHT_BYTES;
    if (bytes && text && strcmp(text, "auto") == 0)
        *engine = NULL;
    if (!bytes || !text || strncmp(text, "shards", 6) != 0 || (text[6] && text[6] != ':'))
        return EXIT_OK;
    *engine = NULL;
    config->sample_rate = 0;
    config->sample_seed = 1;
    for (text += text[6] ? 7 : 6; *text;) {
        size_t n = strcspn(text, ",");
        int status = set_option(ctx, text, n, config);
        if (status != EXIT_OK)
            return status;
        text += n + (text[n] == ',');
    }
    if (config->sample_rate == 0)
        config->sample_rate = 0.01; /* the default of the engine */
    if (config->every)
        return fail_usage("--every and -e shards cannot be combined; give only one of them");
    return EXIT_OK;
}
