/* Rules that make `compare` fail. See compare_rules.h. */
#include "compare_rules.h"

#include "caches.h"
#include "compare_measure.h"
#include "profile_files.h"

#include "reusedist/experimental.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- measures ---- */

static reading value_of(double value) {
    return (reading){.value = value};
}

static reading no_value(const char *format, ...) __attribute__((format(printf, 1, 2)));
static reading no_value(const char *format, ...) {
    reading r = {.value = NAN};
    va_list args;
    va_start(args, format);
    vsnprintf(r.problem, sizeof r.problem, format, args);
    va_end(args);
    return r;
}

static reading read_different(const pair *what) {
    return value_of(!what->c->identical);
}

static reading read_bound_broken(const pair *what) {
    return what->c->bound_checked ? value_of(!what->c->bound_held)
                                  : no_value("the rule needs two profiles of the same run: an "
                                             "exact one, and one that states an error bound");
}

static reading read_accuracy(const pair *what) {
    return value_of(what->c->accuracy);
}

static reading read_average_error(const pair *what) {
    return isnan(what->c->average_error)
               ? no_value("the bins are too coarse for the average error; analyze with --hist=log")
               : value_of(what->c->average_error);
}

static reading read_miss_ratio_error(const pair *what) {
    return what->c->n_mrc_sizes ? value_of(what->c->max_mrc_error)
                                : no_value("there is no power of two at which both miss ratios are "
                                           "known; analyze with --hist=log, or a "
                                           "larger sample");
}

/* Returns a reading with a problem if an object cache of this size does not hold the largest object, because
 * the misses then depend on how the cache treats an object that does not fit. */
static reading check_largest(const pair *what) {
    const rd_objects_facts *objects = rd_profile_objects(what->profile);
    if (!objects || what->size >= objects->largest)
        return value_of(0);
    return no_value("the cache is smaller than the largest object, which has %" PRIu64
                    " bytes, so its misses are undefined; use a larger size",
                    objects->largest);
}

/* Returns a reading with a problem if the profile does not cover the whole run, because its counts
 * are then too small. */
static reading check_whole_run(const pair *what) {
    const rd_profile_facts *facts = rd_profile_facts_of(what->profile);
    if (facts->skipped)
        return no_value("the recorder skipped references, so the numbers of the whole run are "
                        "unknown; record the whole run");
    if (facts->partial)
        return no_value("the profile is incomplete, so its numbers do not cover the whole run; "
                        "analyze a complete trace");
    return value_of(0);
}

/* Returns a reading with a problem if the profile is a sample that does not resolve the cache. */
static reading check_resolution(const pair *what) {
    uint64_t bytes = rd_profile_facts_of(what->profile)->block_bytes;
    uint64_t blocks = bytes ? what->size / bytes : what->size;
    uint64_t resolution = rd_mrc_resolution(what->profile);
    if (blocks == 0 || blocks >= resolution)
        return value_of(0);
    return no_value("the sample does not resolve caches below %" PRIu64 " %s, so the misses of "
                    "smaller caches are unknown; use a larger size, or analyze a larger sample",
                    resolution,
                    rd_profile_objects(what->profile) ? "bytes"
                    : bytes                           ? "blocks"
                                                      : "objects");
}

static reading read_miss_ratio(const pair *what) {
    const rd_profile_facts *facts = rd_profile_facts_of(what->profile);
    uint64_t bytes = facts->block_bytes, blocks = bytes ? what->size / bytes : what->size;
    double ratio;
    if (facts->references == 0)
        return no_value("the profile has no references");
    if (bytes == 0 && what->has_unit)
        return no_value(CACHES_IN_OBJECTS);
    if (blocks == 0)
        return no_value("the cache is smaller than a block of %" PRIu64 " bytes; use a larger size",
                        bytes);
    reading fits = check_largest(what);
    if (!*fits.problem && rd_mrc_at(what->ctx, what->profile, blocks, &ratio, NULL) != RD_OK)
        return no_value("%s", rd_last_error(what->ctx));
    return *fits.problem ? fits : value_of(ratio);
}

static reading read_byte_miss_ratio(const pair *what) {
    double ratio, bytes;
    if (rd_profile_facts_of(what->profile)->references == 0)
        return no_value("the profile has no requests");
    reading fits = check_largest(what);
    if (!*fits.problem &&
        rd_objects_at(what->ctx, what->profile, what->size, &ratio, &bytes, NULL) != RD_OK)
        return no_value("%s", rd_last_error(what->ctx));
    return *fits.problem ? fits : value_of(bytes);
}

static reading read_misses(const pair *what) {
    reading r = read_miss_ratio(what);
    r.value = nearbyint(r.value * (double)rd_profile_facts_of(what->profile)->references);
    return r;
}

static reading read_mean_distance(const pair *what) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(what->profile, &bins);
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rd_bin_mean(&bins[i]) * (double)bins[i].count;
        count += (double)bins[i].count;
    }
    if (!rd_profile_facts_of(what->profile)->sums_known)
        return no_value("the mean distance is unknown, because the engine did not measure "
                        "distances; analyze with another engine");
    return count > 0 ? value_of(sum / count) : no_value("the profile has no finite distances");
}

static reading read_blocks(const pair *what) {
    uint64_t blocks = rd_profile_facts_of(what->profile)->blocks;
    return blocks != RD_UNKNOWN ? value_of((double)blocks)
                                : no_value("the number of blocks is unknown, for example because "
                                           "the analysis had a bound; analyze without "
                                           "--bound");
}

static reading read_references(const pair *what) {
    return value_of((double)rd_profile_facts_of(what->profile)->references);
}

static const struct rule_measure measures[] = {
    {.name = "different",
     .read = read_different,
     .fires = "the profile differs from the first one",
     .passes = "the profile is identical to the first one"},
    {.name = "bound-broken",
     .read = read_bound_broken,
     .fires = "the error bound is broken",
     .passes = "the error bound holds"},
    {.name = "accuracy", .noun = "the accuracy", .read = read_accuracy, .share = true},
    {.name = "average-error",
     .noun = "the average error",
     .read = read_average_error,
     .share = true},
    {.name = "miss-ratio-error",
     .noun = "the largest difference of miss ratios",
     .read = read_miss_ratio_error,
     .share = true,
     .in_points = true},
    {.name = "miss-ratio",
     .noun = "the miss ratio",
     .read = read_miss_ratio,
     .sized = true,
     .share = true,
     .of_one = true},
    {.name = "byte-miss-ratio",
     .noun = "the byte miss ratio",
     .read = read_byte_miss_ratio,
     .sized = true,
     .share = true,
     .of_one = true},
    {.name = "misses",
     .noun = "the number of misses",
     .read = read_misses,
     .sized = true,
     .of_one = true,
     .counted = true},
    {.name = "mean-distance",
     .noun = "the mean distance",
     .read = read_mean_distance,
     .of_one = true},
    {.name = "blocks",
     .noun = "the number of blocks",
     .read = read_blocks,
     .of_one = true,
     .counted = true},
    {.name = "references",
     .noun = "the number of references",
     .read = read_references,
     .of_one = true,
     .counted = true},
};

#define N_MEASURES (sizeof measures / sizeof *measures)

const struct rule_measure *compare_find_measure(const char *name, size_t n) {
    for (size_t i = 0; i < N_MEASURES; i++)
        if (strlen(measures[i].name) == n && memcmp(measures[i].name, name, n) == 0)
            return &measures[i];
    return NULL;
}

/* ---- applying a rule ---- */

/* Returns the value of measure `m` for what->profile, or the reason why the value is unknown. */
static reading read_measure(const struct rule_measure *m, const pair *what) {
    reading r = m->counted ? check_whole_run(what) : value_of(0);
    if (m->sized && !*r.problem)
        r = check_resolution(what);
    return *r.problem ? r : m->read(what);
}

/* Reads a measure and, if its value is interpolated between two cache sizes, also the values at
 * these sizes. */
static measured measure_around(const struct rule_measure *m, const pair *what) {
    measured x = {.at = read_measure(m, what), .sizes = {what->size, what->size}};
    x.interpolated = m->sized && !*x.at.problem &&
                     compare_find_edges(what->profile, what->size, &x.sizes[0], &x.sizes[1]);
    for (int i = 0; i < 2; i++) {
        pair end = *what;
        end.size = x.sizes[i];
        /* An end may lie below the resolution of a sample. The value there is a limit nevertheless,
         * because the curve of the sample does not rise. */
        x.ends[i] = x.interpolated ? m->read(&end) : x.at;
    }
    return x;
}

/* Returns why the counts of two profiles cannot be compared, or NULL. */
static const char *find_unlike(const rd_profile *a, const rd_profile *b) {
    uint32_t different = rd_profile_differences(a, b);
    return different & RD_DIFFERENT_KINDS ? "the profiles have different kinds of references; "
                                            "analyze both with the same --kinds"
           : different & RD_DIFFERENT_STACKS
               ? "only one of the profiles has private stacks; analyze both with the same --stacks"
           : different & RD_DIFFERENT_WARMUPS
               ? "the profiles have different warm-ups; analyze both with the same --warmup"
               : NULL;
}

void apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
                const rd_profile *b, const char *name, verdict *out) {
    const struct rule_measure *m = rule->measure;
    pair what = {.ctx = ctx, .c = c, .profile = b, .size = rule->size, .has_unit = rule->has_unit};
    measured second = measure_around(m, &what), first = {.interpolated = false};
    const char *unlike = NULL;
    if (rule->against != AGAINST_NOTHING) {
        what.profile = a;
        first = measure_around(m, &what);
        unlike = m->counted ? find_unlike(a, b) : NULL;
    }
    const char *problem = unlike               ? unlike
                          : *second.at.problem ? second.at.problem
                                               : first.at.problem;
    *out = (verdict){.name = name, .rule = rule->text, .kind = VERDICT_UNKNOWN};
    if (*problem)
        snprintf(out->why, sizeof out->why, "%s", problem);
    else if (first.interpolated || second.interpolated)
        compare_judge_ends(rule, &first, &second, out);
    else if (!m->fires)
        compare_judge(rule, first.at.value, second.at.value, "", out);
    else {
        bool fires = second.at.value != 0;
        out->kind = fires ? VERDICT_FAILED : VERDICT_PASSED;
        snprintf(out->why, sizeof out->why, "%s", fires ? m->fires : m->passes);
    }
}
