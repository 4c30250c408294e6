/* The rules of `compare --fail-if`, which fail a build when locality regresses.
 *
 *   different              the two profiles are not identical
 *   bound-broken           the stated error bound does not hold
 *   MEASURE<LIMIT, MEASURE>LIMIT
 *
 * measures of the similarity of both profiles, with a limit in percent ("1%") or as a share
 * ("0.01"):
 *   accuracy, average-error
 *   miss-ratio-error       largest difference at any power of two
 *
 * measures of the second profile, which can be compared with the same measure of the first one:
 *   miss-ratio@SIZE        miss ratio of a cache of that size, in percent or as a share
 *   byte-miss-ratio@SIZE   missed share of the bytes requested, for profiles of object caches
 *   misses@SIZE            number of misses of that cache, a plain number like all measures below
 *   mean-distance          mean of the finite distances, in blocks
 *   blocks, references
 *
 * limits of the measures of the second profile:
 *   5%, 100                limit of the value of the second profile
 *   +2%, -2%, +100         limit of the change between the two values; shares in percentage points
 *   1.05x                  limit of the second value divided by the first
 *
 * Sizes are in bytes. If the blocks of the profile have no size in bytes, a size is a number of blocks
 * and must have no unit.
 */
#ifndef RD_COMPARE_RULES_H
#define RD_COMPARE_RULES_H

#include "cli.h"

/* The number that a limit applies to: the value, its difference from the first profile's value, or
 * the value divided by the first profile's value. */
typedef enum rule_against { AGAINST_NOTHING, AGAINST_DIFFERENCE, AGAINST_FACTOR } rule_against;

typedef struct compare_rule {
    const char *text;                   /* the rule as the user wrote it; borrowed */
    const struct rule_measure *measure; /* entry of the table of measures */
    bool above;                         /* true: the rule fires above the limit; false: below it */
    rule_against against;
    uint64_t size; /* cache size, if the measure has one */
    bool has_unit; /* true: the size was written with K, M, G or T, and is in bytes */
    double limit;
} compare_rule;

/* Parses a rule. Returns false after reporting a mistake. */
bool parse_rule(rd_ctx *ctx, const char *text, compare_rule *out);

typedef enum verdict_kind {
    VERDICT_PASSED,
    VERDICT_FAILED,  /* the rule fires */
    VERDICT_UNKNOWN, /* the rule cannot be applied to these profiles */
} verdict_kind;

/* The result of one rule for one profile. */
typedef struct verdict {
    const char *name; /* name of the profile; borrowed */
    const char *rule; /* the rule as the user wrote it; borrowed */
    verdict_kind kind;
    char why[256]; /* describes the measured value, or why there is none */
} verdict;

/* Applies a rule to the comparison `c` of `a` and `b`. `name` is the name of `b`. */
void apply_rule(rd_ctx *ctx, const compare_rule *rule, const rd_comparison *c, const rd_profile *a,
                const rd_profile *b, const char *name, verdict *out);

#endif
