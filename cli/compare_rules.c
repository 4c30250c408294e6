/* Rules that make `compare` fail. See compare_rules.h. */
#include "compare_rules.h"

#include "caches.h"

#include "reusedist/experimental.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- measures ---- */

/* A measured value, or the reason why there is none. */
typedef struct reading {
    double value;
    char problem[192];
} reading;

typedef struct pair {
    rd_ctx *ctx;
    const rd_comparison *c;
    const rd_profile *profile; /* the profile that is measured */
    uint64_t size;             /* cache size in the rule */
    bool has_unit;             /* true: the size was written with K, M, G or T */
} pair;

typedef reading (*reader)(const pair *what);

struct rule_measure {
    const char *name, *noun;
    reader read;
    bool sized;     /* true: the rule needs @SIZE */
    bool share;     /* true: the value is a share, which is written in percent; false: a
                                   number */
    bool of_one;    /* true: each profile has a value of its own, which can be compared
                                   with the value of the first profile */
    bool in_points; /* true: the value is a difference of shares, in percentage points */
    const char *fires, *passes; /* texts of a rule without a limit, which fires if the value is 1
                                   and passes if it is 0 */
};

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
    return what->c->bound_checked
               ? value_of(!what->c->bound_held)
               : no_value("the rule needs one exact profile and one that states an error bound");
}

static reading read_accuracy(const pair *what) {
    return value_of(what->c->accuracy);
}

static reading read_average_error(const pair *what) {
    return isnan(what->c->average_error) ? no_value("the bins are too coarse for the average error")
                                         : value_of(what->c->average_error);
}

static reading read_miss_ratio_error(const pair *what) {
    return what->c->n_mrc_sizes ? value_of(what->c->max_mrc_error)
                                : no_value("the bins are too coarse for miss ratios");
}

/* Returns a reading with a problem if an object cache of this size does not hold the largest object, because
 * its misses depend on what it does with such an object. */
static reading check_largest(const pair *what) {
    const rd_objects_facts *objects = rd_profile_objects(what->profile);
    if (!objects || what->size >= objects->largest)
        return value_of(0);
    return no_value("the cache is smaller than the largest object, which has %" PRIu64
                    " bytes, so its misses are undefined",
                    objects->largest);
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
        return no_value("the cache is smaller than a block of %" PRIu64 " bytes", bytes);
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
        return no_value("the sums of distances are unknown");
    return count > 0 ? value_of(sum / count) : no_value("the profile has no finite distances");
}

static reading read_blocks(const pair *what) {
    uint64_t blocks = rd_profile_facts_of(what->profile)->blocks;
    return blocks != RD_UNKNOWN ? value_of((double)blocks)
                                : no_value("the number of blocks is unknown");
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
     .of_one = true},
    {.name = "mean-distance",
     .noun = "the mean distance",
     .read = read_mean_distance,
     .of_one = true},
    {.name = "blocks", .noun = "the number of blocks", .read = read_blocks, .of_one = true},
    {.name = "references",
     .noun = "the number of references",
     .read = read_references,
     .of_one = true},
};

#define N_MEASURES (sizeof measures / sizeof *measures)

/* ---- parsing a rule ---- */

static bool fail_rule(const char *text, const char *why) {
    fail_usage("compare: rule '%s' %s (valid: different, bound-broken, accuracy<99%%, "
               "average-error>1%%, miss-ratio-error>1%%, miss-ratio@1M>5%%, miss-ratio@1M>+2%%, "
               "byte-miss-ratio@1G>+1%%, misses@1M>1.05x, mean-distance>1000, blocks>1.1x, "
               "references>+1000)",
               text, why);
    return false;
}

/* Parses a limit: "99%", "0.99", "+2%", "1.05x" or "1000". Returns false if it is malformed. */
static bool parse_limit(const char *text, compare_rule *rule) {
    const struct rule_measure *m = rule->measure;
    bool sign = m->of_one && (*text == '+' || *text == '-');
    const char *digits = text + sign;
    if (*digits != '.' && (*digits < '0' || *digits > '9'))
        return false; /* rd_strtod() would also accept signs, spaces and words */
    char *end;
    double value = rd_strtod(digits, &end);
    value = *text == '-' ? -value : value;
    rule->against = sign ? AGAINST_DIFFERENCE : AGAINST_NOTHING;
    double most = INFINITY;
    if (m->of_one && !sign && *end == 'x') {
        rule->against = AGAINST_FACTOR;
        end++;
    } else if (m->share) {
        most = 1;
        value /= *end == '%' ? 100 : 1;
        end += *end == '%';
    }
    rule->limit = value;
    return *end == '\0' && isfinite(value) && fabs(value) <= most;
}

/* Parses the cache size, such as "@1M", between the name and the comparison. Returns false if it is
 * malformed. */
static bool parse_size(rd_ctx *ctx, const char *text, size_t n, compare_rule *out) {
    char size[32];
    if (n < 2 || n >= sizeof size || text[0] != '@')
        return false;
    memcpy(size, text + 1, n - 1);
    size[n - 1] = '\0';
    out->has_unit = strchr("KMGTkmgt", size[n - 2]);
    return rd_parse_size(ctx, size, &out->size) == RD_OK && out->size > 0;
}

static const struct rule_measure *find_measure(const char *name, size_t n) {
    for (size_t i = 0; i < N_MEASURES; i++)
        if (strlen(measures[i].name) == n && memcmp(measures[i].name, name, n) == 0)
            return &measures[i];
    return NULL;
}

bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out) {
    size_t name = strcspn(text, "@<>"), left = strcspn(text, "<>");
    const struct rule_measure *m = find_measure(text, name);
    compare_rule rule = {.text = text, .measure = m, .above = text[left] == '>'};
    if (!m)
        return fail_rule(text, "is unknown");
    if (m->sized ? !parse_size(ctx, text + name, left - name, &rule) : left != name)
        return fail_rule(text,
                         m->sized ? "needs a cache size, as in miss-ratio@1M" : "takes no size");
    if (m->fires && text[left])
        return fail_rule(text, "takes no limit");
    if (!m->fires && !text[left])
        return fail_rule(text, "needs '<' or '>' and a limit");
    if (!m->fires && !parse_limit(text + left + 1, &rule))
        return fail_rule(text, m->share ? "needs a limit from 0% to 100%, or from 0 to 1"
                                        : "needs a number as its limit");
    *out = rule;
    return true;
}

/* ---- applying a rule ---- */

/* Returns whether a > b by more than a rounding error: in binary, 72.5 % - 70 % is slightly more
 * than 2.5 points. */
static bool is_more(double a, double b) {
    return a - b > 1e-12 * (fabs(b) > 1 ? fabs(b) : 1);
}

/* Returns the second value divided by the first; 1 if they are equal, even if both are 0. */
static double factor(double first, double second) {
    return first == second ? 1 : second / first;
}

#define VALUE_ROOM 32

/* Formats a whole number below 10^15 with all digits, and any other number with six digits, and
 * appends `unit`. `out` must have room for VALUE_ROOM bytes. */
static void format_value(double value, const char *unit, char *out) {
    bool whole = value == nearbyint(value) && fabs(value) < 1e15;
    snprintf(out, VALUE_ROOM, whole ? "%.0f%s" : "%.6g%s", value, unit);
}

/* Compares the value that the rule measures with its limit, and stores the verdict and a
 * description of the value in `out`. */
static void judge(const compare_rule *rule, double first, double second, verdict *out) {
    const struct rule_measure *m = rule->measure;
    const char *verb = "is", *unit = m->in_points ? " points" : m->share ? " %" : "";
    double value = second, shown = m->share ? 100 : 1;
    char from[VALUE_ROOM], to[VALUE_ROOM], told[VALUE_ROOM], limit[VALUE_ROOM], change[96] = "";
    format_value(shown * first, unit, from);
    format_value(shown * second, unit, to);
    if (rule->against != AGAINST_NOTHING)
        snprintf(change, sizeof change, ", from %s to %s", from, to);
    if (rule->against == AGAINST_DIFFERENCE) {
        value = second - first;
        verb = "changes by";
        unit = m->share ? " points" : "";
    } else if (rule->against == AGAINST_FACTOR) {
        value = factor(first, second);
        verb = "changes by a factor of";
        unit = "";
        shown = 1;
    }
    bool fires = rule->above ? is_more(value, rule->limit) : is_more(rule->limit, value);
    format_value(shown * value, unit, told);
    bool one_point = strcmp(unit, " points") == 0 && shown * rule->limit == 1;
    format_value(shown * rule->limit, one_point ? " point" : unit, limit);
    snprintf(out->why, sizeof out->why, "%s %s %s%s%s%s", m->noun, verb, told, change,
             !fires        ? ""
             : rule->above ? ", above the limit of "
                           : ", below the limit of ",
             fires ? limit : "");
    out->kind = fires ? VERDICT_FAILED : VERDICT_PASSED;
}

void apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
                const rd_profile *b, const char *name, verdict *out) {
    const struct rule_measure *m = rule->measure;
    pair what = {.ctx = ctx, .c = c, .profile = b, .size = rule->size, .has_unit = rule->has_unit};
    reading second = m->read(&what), first = {.value = 0};
    if (rule->against != AGAINST_NOTHING) {
        what.profile = a;
        first = m->read(&what);
    }
    const char *problem = *second.problem ? second.problem : first.problem;
    *out = (verdict){.name = name, .rule = rule->text, .kind = VERDICT_UNKNOWN};
    if (*problem)
        snprintf(out->why, sizeof out->why, "%s", problem);
    else if (!m->fires)
        judge(rule, first.value, second.value, out);
    else {
        bool fires = second.value != 0;
        out->kind = fires ? VERDICT_FAILED : VERDICT_PASSED;
        snprintf(out->why, sizeof out->why, "%s", fires ? m->fires : m->passes);
    }
}
