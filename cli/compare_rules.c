/* Rules that make `compare` fail. See compare_rules.h. */
#include "compare_rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    rule_measure measure;
    bool has_limit;
} measures[] = {
    {"different", RULE_DIFFERENT, false},
    {"bound-broken", RULE_BOUND_BROKEN, false},
    {"accuracy", RULE_ACCURACY, true},
    {"average-error", RULE_AVERAGE_ERROR, true},
    {"miss-ratio-error", RULE_MISS_RATIO_ERROR, true},
    {"miss-ratio", RULE_MISS_RATIO, true},
};

#define N_MEASURES (sizeof measures / sizeof *measures)

static bool fail_rule(const char *text, const char *why) {
    fail_usage("compare: rule '%s' %s (valid: different, accuracy<99%%, average-error>1%%, "
               "miss-ratio-error>1%%, miss-ratio@1M>5%%, miss-ratio@1M>+2%%, bound-broken)",
               text, why);
    return false;
}

/* "99%" or "0.99". */
static bool parse_share(const char *text, double *out) {
    char *end;
    if (*text != '.' && (*text < '0' || *text > '9'))
        return false; /* strtod takes signs, spaces and words */
    double value = strtod(text, &end);
    if (*end == '%') {
        value /= 100;
        end++;
    }
    *out = value;
    return *end == '\0' && value >= 0 && value <= 1;
}

/* "@1M" between the name and the comparison. */
static bool parse_size(rd_ctx *ctx, const char *text, size_t n, uint64_t *out) {
    char size[32];
    if (n < 2 || n >= sizeof size || text[0] != '@')
        return false;
    memcpy(size, text + 1, n - 1);
    size[n - 1] = '\0';
    return rd_parse_size(ctx, size, out) == RD_OK && *out > 0;
}

bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out) {
    size_t name = strcspn(text, "@<>"), left = strcspn(text, "<>"), i = 0;
    while (i < N_MEASURES &&
           (strlen(measures[i].name) != name || memcmp(measures[i].name, text, name) != 0))
        i++;
    if (i == N_MEASURES)
        return fail_rule(text, "is unknown");
    compare_rule rule = {.text = text, .measure = measures[i].measure, .above = text[left] == '>'};
    bool sized = rule.measure == RULE_MISS_RATIO;
    if (sized ? !parse_size(ctx, text + name, left - name, &rule.size) : left != name)
        return fail_rule(text, sized ? "needs a cache size, miss-ratio@SIZE" : "takes no size");
    if (!measures[i].has_limit && text[left])
        return fail_rule(text, "takes no limit");
    if (measures[i].has_limit) {
        if (!text[left])
            return fail_rule(text, "needs '<' or '>' and a limit");
        const char *limit = text + left + 1;
        rule.relative = sized && *limit == '+';
        if (!parse_share(limit + rule.relative, &rule.limit))
            return fail_rule(text, "has a limit that is no share from 0% to 100%, or 0 to 1");
    }
    *out = rule;
    return true;
}

/* ---- applying ---- */

static int fail_plain(const compare_rule *rule, const char *name, const char *what) {
    return fail("%s: %s (rule %s)", name, what, rule->text);
}

static int check_limit(const compare_rule *rule, const char *name, const char *what, double value,
                       const char *unit) {
    bool fires = rule->above ? value > rule->limit : value < rule->limit;
    if (!fires)
        return EXIT_OK;
    return fail("%s: %s %.6g %s, %s the limit of %.6g (rule %s)", name, what, 100 * value, unit,
                rule->above ? "above" : "below", 100 * rule->limit, rule->text);
}

/* Miss ratio of p with a cache of rule->size bytes; false after having reported why not. */
static bool miss_ratio(rd_ctx *ctx, const compare_rule *rule, const rd_profile *p, const char *name,
                       double *out) {
    uint64_t bytes = rd_profile_facts_of(p)->block_bytes;
    uint64_t blocks = bytes ? rule->size / bytes : rule->size;
    if (blocks == 0) {
        fail("%s: rule %s: the cache is smaller than a block of %" PRIu64 " bytes", name,
             rule->text, bytes);
        return false;
    }
    if (rd_mrc_at(ctx, p, blocks, out, NULL) == RD_OK)
        return true;
    fail("%s: rule %s: %s", name, rule->text, rd_last_error(ctx));
    return false;
}

static int apply_miss_ratio(rd_ctx *ctx, const compare_rule *rule, const rd_profile *a,
                            const rd_profile *b, const char *name) {
    double first = 0, second = 0;
    if (!miss_ratio(ctx, rule, a, name, &first) || !miss_ratio(ctx, rule, b, name, &second))
        return EXIT_FAILED;
    if (!rule->relative)
        return check_limit(rule, name, "miss ratio is", second, "%");
    return check_limit(rule, name, "miss ratio changes by", second - first, "points");
}

int apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
               const rd_profile *b, const char *name) {
    switch (rule->measure) {
    case RULE_DIFFERENT:
        return c->identical ? EXIT_OK : fail_plain(rule, name, "different");
    case RULE_BOUND_BROKEN:
        if (!c->bound_checked)
            return fail_plain(rule, name, "there is no stated error bound that could be checked");
        return c->bound_held ? EXIT_OK : fail_plain(rule, name, "the error bound is broken");
    case RULE_ACCURACY:
        return check_limit(rule, name, "accuracy is", c->accuracy, "%");
    case RULE_AVERAGE_ERROR:
        if (isnan(c->average_error))
            return fail_plain(rule, name, "the bins are too coarse for the average error");
        return check_limit(rule, name, "average error is", c->average_error, "%");
    case RULE_MISS_RATIO_ERROR:
        if (c->n_mrc_sizes == 0)
            return fail_plain(rule, name, "the bins are too coarse for miss ratios");
        return check_limit(rule, name, "miss ratio differs by", c->max_mrc_error, "points");
    case RULE_MISS_RATIO:
        return apply_miss_ratio(ctx, rule, a, b, name);
    }
    return EXIT_FAILED;
}
