/* Handles the options of object caches. See object_options.h. */
#include "object_options.h"

#include "reusedist/experimental.h"

#include <math.h>
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

/* Returns the length of a stretch in nanoseconds; 0: there are none, or --every is malformed. */
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
    return o->weight ? config : NULL;
}

int objects_check(const object_options *o) {
    if (!o->weight && (o->count || o->expiry || o->warmup || o->every))
        return fail_usage("--count, --expiry, --warmup and --every need --weight=bytes");
    if (o->every && !every_of(o))
        return fail_usage("--every: '%.80s' is not a length of time, such as 30s, 15m, 1h or 1d",
                          o->every);
    return EXIT_OK;
}

int objects_check_profile(const object_options *o, const char *path, const rd_profile *p) {
    const rd_stretches *all = rd_profile_stretches(p);
    if (!o->every || (all && all->every == every_of(o)))
        return EXIT_OK;
    if (!all)
        return fail("%s: this profile has no stretches of time; analyze the trace with --every",
                    path);
    return fail(
        "%s: this profile has stretches of %.6g seconds; analyze the trace again for others", path,
        (double)all->every / 1e9);
}
