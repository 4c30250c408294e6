/* Parses the rules that make `compare` fail. See compare_rules.h. */
#include "compare_measure.h"

#include "reusedist/experimental.h"

#include <math.h>
#include <string.h>

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

bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out) {
    size_t name = strcspn(text, "@<>"), left = strcspn(text, "<>");
    const struct rule_measure *m = compare_find_measure(text, name);
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
