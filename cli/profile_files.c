/* Reads and writes profiles. See profile_files.h. */
#include "profile_files.h"

#include "output_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_standard_twice(size_t n, char **paths) {
    int times = 0;
    for (size_t i = 0; i < n; i++)
        times += strcmp(paths[i], "-") == 0;
    return times > 1;
}

void tell_profile_note(const char *path, const rd_profile *profile) {
    if (rd_profile_note(profile))
        tell_user("%s: %s", strcmp(path, "-") == 0 ? "(standard input)" : path,
                  rd_profile_note(profile));
}

int read_profile(rd_ctx *ctx, const char *path, rd_profile **out) {
    rd_status status = rd_profile_read(ctx, path, out);
    if (status != RD_OK)
        return fail_status(ctx, status);
    tell_profile_note(path, *out);
    return EXIT_OK;
}

int read_profiles(rd_ctx *ctx, size_t n, char **paths, rd_profile ***out) {
    if (is_standard_twice(n, paths))
        return fail_usage(
            "only one of the profiles can be standard input; name files for the others");
    rd_profile **profiles = calloc(n, sizeof(rd_profile *));
    if (!profiles)
        return fail("out of memory");
    for (size_t i = 0; i < n; i++) {
        int status = read_profile(ctx, paths[i], &profiles[i]);
        if (status != EXIT_OK) {
            free_profiles(profiles, n);
            return status;
        }
    }
    *out = profiles;
    return EXIT_OK;
}

void free_profiles(rd_profile **profiles, size_t n) {
    for (size_t i = 0; profiles && i < n; i++)
        rd_profile_free(profiles[i]);
    free(profiles);
}

/* ---- profiles that do not mean the same ---- */

/* Warns about profiles that do not count the same references, or not in the same order. */
static void warn_references(const rd_profile *a, const rd_profile *b, const char *path_a,
                            const char *path_b) {
    const rd_profile_facts *f = rd_profile_facts_of(a), *g = rd_profile_facts_of(b);
    uint32_t different = rd_profile_differences(a, b);
    if (different & RD_DIFFERENT_KINDS)
        tell_user("warning: %s has the kinds %s and %s has %s, so they do not count the same "
                  "references; analyze both with the same --kinds",
                  path_a, f->kinds ? f->kinds : "LSI", path_b, g->kinds ? g->kinds : "LSI");
    if (different & RD_DIFFERENT_ORDERS)
        tell_user("warning: %s and %s have different orders of the threads' references, so their "
                  "distances do not mean the same; analyze both with the same --interleave",
                  path_a, path_b);
}

void warn_unlike_references(rd_profile *const *profiles, size_t n, char **paths) {
    for (size_t i = 1; i < n; i++)
        warn_references(profiles[0], profiles[i], paths[0], paths[i]);
}

static void warn_pair(const rd_profile *a, const rd_profile *b, const char *path_a,
                      const char *path_b) {
    uint32_t different = rd_profile_differences(a, b);
    if (different & RD_DIFFERENT_BLOCKS)
        tell_user("warning: %s and %s have different block sizes, so their distances do not mean "
                  "the same; analyze both with the same --block",
                  path_a, path_b);
    else if (different & RD_DIFFERENT_BOUNDS)
        tell_user("warning: %s and %s have different bounds, so only distances below both bounds "
                  "can be compared; analyze both with the same --bound",
                  path_a, path_b);
    if (different & RD_DIFFERENT_STACKS)
        tell_user("warning: only one of %s and %s has private stacks, so their distances do not "
                  "mean the same; analyze both with the same --stacks",
                  path_a, path_b);
    if (different & RD_DIFFERENT_WARMUPS)
        tell_user("warning: %s and %s have different warm-ups, of %" PRIu64 " and %" PRIu64
                  " requests, so they do not count the same requests; analyze both with the same "
                  "--warmup",
                  path_a, path_b, rd_profile_objects(a)->warmup, rd_profile_objects(b)->warmup);
    if (different & RD_DIFFERENT_EXPIRIES)
        tell_user("warning: %s and %s treat expired objects differently, so their misses do not "
                  "mean the same; analyze both with the same --expiry",
                  path_a, path_b);
    warn_references(a, b, path_a, path_b);
}

void warn_unlike(rd_profile *const *profiles, size_t n, char **paths) {
    for (size_t i = 1; i < n; i++)
        warn_pair(profiles[0], profiles[i], paths[0], paths[i]);
    for (size_t i = 0; i < n; i++)
        if (rd_profile_facts_of(profiles[i])->partial)
            tell_user("warning: %s is incomplete, so it lacks the misses of the rest of the run; "
                      "analyze a complete trace",
                      paths[i]);
}

/* ---- own code ---- */

static const rd_attribution *attribution_of(const rd_profile *profile) {
    const rd_details *d = rd_profile_details(profile);
    return d ? d->attribution : NULL;
}

static bool is_own(const rd_attribution *a, const char *source) {
    for (size_t i = 0; i < a->n_own; i++)
        if (strcmp(a->own[i], source) == 0)
            return true;
    return a->n_own == 0;
}

/* Returns the absolute path of the source file of own code with the most misses, or NULL. */
static const char *find_example(const rd_attribution *a) {
    for (size_t i = 0; a && i < a->n_lines; i++) {
        size_t source = a->lines[i].source;
        if (source != RD_NO_INDEX && *a->sources[source] == '/' && is_own(a, a->sources[source]))
            return a->sources[source];
    }
    return NULL;
}

/* Returns whether some lines have source files, but no line is in own code or called from own code. */
static bool lacks_own(const rd_attribution *a) {
    bool has_source = false;
    for (size_t i = 0; a && i < a->n_lines; i++)
        has_source = has_source || a->lines[i].source != RD_NO_INDEX;
    return has_source && a->n_own == 0;
}

/* Warns that no source file of the profile is in the paths of --own. `example` is a source file
 * that the message names, or NULL. */
static void warn(const rd_strings *own, const char *example) {
    tell_user("warning: --own=%s%s: the profile has no source file there; give a folder or file of "
              "your code%s%s",
              own->value[0], own->n > 1 ? " and the other paths" : "", example ? ", such as " : "",
              example ? example : "");
}

void tell_estimate(const rd_profile *profile) {
    const rd_profile_facts *f = rd_profile_facts_of(profile);
    bool sampled = f->skipped || rd_mrc_has_band(profile); /* the result says so itself */
    if (!f->exact && f->references && !sampled && !rd_profile_objects(profile))
        tell_user("the results are estimates of engine %s; mrc without --hits and --out=csv states "
                  "their error",
                  f->engine ? f->engine : "unknown");
}

void warn_no_own(const rd_profile *profile, const rd_strings *own) {
    const rd_attribution *a = attribution_of(profile);
    const rd_contexts *c = a ? rd_profile_details(profile)->contexts : NULL;
    for (size_t i = 0; c && i < c->n_frames; i++)
        if (c->frames[i].own)
            return;
    if (own->n && lacks_own(a))
        warn(own, find_example(a));
}

rd_status show_own(rd_profile *profile, const rd_strings *own) {
    const char *example =
        find_example(attribution_of(profile)); /* before rd_profile_show_own() replaces the list of
                                                  own code */
    rd_status status = rd_profile_show_own(profile, own->value, own->n);
    if (status == RD_OK && own->n && lacks_own(attribution_of(profile)))
        warn(own, example);
    return status;
}

int write_profile(rd_ctx *ctx, rd_profile *profile, const char *path) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_profile_json(profile, &text, &n);
    return output_made(ctx, path, status, text, n);
}
