/* The rules of `compare --fail-if`: what a build should stop at.
 *
 *   different              the two are not identical
 *   bound-broken           the stated error bound does not hold
 *   MEASURE<LIMIT, MEASURE>LIMIT
 *
 * measures of how alike the two are, with a limit in percent ("1%") or as a share ("0.01"):
 *   accuracy, average-error
 *   miss-ratio-error       largest difference at any power of two
 *
 * measures of the second profile, which can be set against the first one's:
 *   miss-ratio@SIZE        with a cache of that size; percent or a share
 *   misses@SIZE            how many; this and the following are plain numbers
 *   mean-distance          of the finite distances, in blocks
 *   blocks, references
 *
 * limits of these:
 *   5%, 100                the second profile's own value
 *   +2%, -2%, +100         how much it changes from the first; shares by percentage points
 *   1.05x                  how many times the first one's it is
 *
 * Sizes are bytes, or blocks where the profile knows no bytes.
 */
#ifndef RD_COMPARE_RULES_H
#define RD_COMPARE_RULES_H

#include "cli.h"

/* What the limit of a rule limits. */
typedef enum rule_against { AGAINST_NOTHING, AGAINST_DIFFERENCE, AGAINST_FACTOR } rule_against;

typedef struct compare_rule {
    const char *text;                   /* as given; borrowed */
    const struct rule_measure *measure; /* from a table */
    bool above;                         /* fires above the limit; else below */
    rule_against against;
    uint64_t size; /* of the cache, if the measure has one */
    double limit;
} compare_rule;

/* False after having reported a mistake. */
bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out);

typedef enum verdict_kind {
    VERDICT_PASSED,
    VERDICT_FAILED,  /* the rule fires */
    VERDICT_UNKNOWN, /* it cannot be applied to these profiles */
} verdict_kind;

/* What came of one rule for one profile. */
typedef struct verdict {
    const char *name; /* of the profile; borrowed */
    const char *rule; /* as given; borrowed */
    verdict_kind kind;
    char why[256]; /* what was measured, in words */
} verdict;

/* Applies a rule to the comparison c of a and b. `name` is b's. */
void apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
                const rd_profile *b, const char *name, verdict *out);

#endif
