/* The measures of the rules of `compare`, for the files that parse and apply the rules. */
#ifndef RD_COMPARE_MEASURE_H
#define RD_COMPARE_MEASURE_H

#include "compare_rules.h"

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
    bool counted;   /* true: the value is a count over the whole run */
    const char *fires, *passes; /* texts of a rule without a limit, which fires if the value is 1
                                   and passes if it is 0 */
};

/* Returns the measure whose name has the `n` bytes at `name`, or NULL. */
const struct rule_measure *compare_find_measure(const char *name, size_t n);

/* Returns whether the cache size, in bytes (in blocks if blocks have no size), lies inside a bin of the profile, so
 * that the miss ratio is interpolated. If so, sets *below and *above to the nearest sizes with exact miss ratios. The
 * miss ratio at `size` lies between the miss ratios at these two sizes. */
bool compare_find_edges(const rd_profile *p, uint64_t size, uint64_t *below, uint64_t *above);

/* The value of a measure. If the value is interpolated between two cache sizes, `ends` has the
 * values at these sizes; otherwise `ends` has the same value twice. */
typedef struct measured {
    reading at;
    bool interpolated;
    uint64_t sizes[2];
    reading ends[2];
} measured;

/* Compares the value that the rule measures with the limit of the rule, and stores the verdict and a description of
 * the value in `out`. In the description, the text `about` comes before the value. */
void compare_judge(const compare_rule *rule, double first, double second, const char *about,
                   verdict *out);
/* Works like compare_judge() if at least one of the two values is interpolated. The verdict is VERDICT_UNKNOWN unless
 * the values at all ends are known, and all pairs of an end of the first value and an end of the second value give
 * the same verdict. */
void compare_judge_ends(const compare_rule *rule, const measured *first, const measured *second,
                        verdict *out);

#endif
