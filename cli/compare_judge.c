/* Compares measured values with the limits of rules. See compare_measure.h. */
#include "compare_measure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

void compare_judge(const compare_rule *rule, double first, double second, const char *about,
                   verdict *out) {
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
    snprintf(out->why, sizeof out->why, "%s %s %s%s%s%s%s", m->noun, verb, about, told, change,
             !fires        ? ""
             : rule->above ? ", above the limit of "
                           : ", below the limit of ",
             fires ? limit : "");
    out->kind = fires ? VERDICT_FAILED : VERDICT_PASSED;
}

/* Writes a size in the form of a rule, such as "48K". `out` must have room for VALUE_ROOM bytes. */
static void format_rule_size(uint64_t size, bool has_unit, char *out) {
    static const char units[] = "KMGT";
    int i = -1;
    for (; has_unit && size && size % 1024 == 0 && i < 3; i++)
        size /= 1024;
    snprintf(out, VALUE_ROOM, "%" PRIu64 "%.*s", size, i >= 0, units + (i >= 0 ? i : 0));
}

/* Each interpolated value can lie anywhere between its two ends, so the rule is applied to all
 * pairs of ends. */
void compare_judge_ends(const compare_rule *rule, const measured *first, const measured *second,
                        verdict *out) {
    const measured *wide = second->interpolated ? second : first;
    const char *unit = rule->measure->share ? " %" : "";
    double shown = rule->measure->share ? 100 : 1;
    bool same = true;
    compare_judge(rule, first->at.value, second->at.value, "about ", out);
    for (int i = 0; i < 4; i++) {
        const reading *a = &first->ends[i / 2], *b = &second->ends[i % 2];
        verdict at_end = *out;
        if (!*a->problem && !*b->problem)
            compare_judge(rule, a->value, b->value, "", &at_end);
        same = same && !*a->problem && !*b->problem && at_end.kind == out->kind;
    }
    if (same)
        return;
    char size[2][VALUE_ROOM], value[2][VALUE_ROOM];
    for (int i = 0; i < 2; i++) {
        format_rule_size(wide->sizes[i], rule->has_unit, size[i]);
        format_value(shown * wide->ends[1 - i].value, unit, value[i]);
    }
    out->kind = VERDICT_UNKNOWN;
    if (*wide->ends[0].problem || *wide->ends[1].problem)
        snprintf(out->why, sizeof out->why,
                 "the bins of the %sprofile are too wide at this size; analyze with --hist=full",
                 wide == first ? "first " : "");
    else
        snprintf(out->why, sizeof out->why,
                 "%s is between %s and %s, because the bins of the %sprofile are too wide at this "
                 "size; use the sizes %s or %s, or analyze with --hist=full",
                 rule->measure->noun, value[0], value[1], wide == first ? "first " : "", size[0],
                 size[1]);
}
