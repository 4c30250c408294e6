/* The rules of `compare --fail-if`: what a build should stop at.
 *
 *   different                the two are not identical
 *   bound-broken             the stated error bound does not hold
 *   accuracy<99%             also 0.99
 *   average-error>1%
 *   miss-ratio-error>1%      largest difference at any power of two
 *   miss-ratio@1M>5%         the second profile's miss ratio with a cache of that size
 *   miss-ratio@1M>+2%        by how many points it is above the first one's
 *
 * '<' and '>' may be used with each. Sizes are bytes, or blocks where the profile knows no bytes.
 */
#ifndef RD_COMPARE_RULES_H
#define RD_COMPARE_RULES_H

#include "cli.h"

typedef enum rule_measure {
    RULE_DIFFERENT,
    RULE_BOUND_BROKEN,
    RULE_ACCURACY,
    RULE_AVERAGE_ERROR,
    RULE_MISS_RATIO_ERROR,
    RULE_MISS_RATIO
} rule_measure;

typedef struct compare_rule {
    const char *text; /* as given; borrowed */
    rule_measure measure;
    bool above;    /* fires above the limit; else below */
    bool relative; /* RULE_MISS_RATIO: second minus first */
    uint64_t size; /* RULE_MISS_RATIO: of the cache */
    double limit;  /* a share */
} compare_rule;

/* False after having reported a mistake. */
bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out);

/* Applies a rule to the comparison c of a and b. Returns EXIT_OK, or EXIT_FAILED when the rule
 * fires or cannot be applied, which is reported under the name of b. */
int apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
               const rd_profile *b, const char *name);

#endif
