/* What the error kinds of engines and profiles promise: the one place that knows.
 *
 * A distance is compared as a range, because histograms know no better; a single distance is a
 * range of one.
 */
#ifndef RDI_ERROR_BOUND_H
#define RDI_ERROR_BOUND_H

#include "base/common.h"
#include "reusedist/profile.h"

typedef enum rdi_error_kind {
    RDI_ERROR_EXACT,    /* the true distance */
    RDI_ERROR_RELATIVE, /* never above the true distance d, at most bound * d below */
    RDI_ERROR_ABSOLUTE, /* never above, at most `bound` blocks below */
    RDI_ERROR_UNBOUND   /* no promise about a single distance */
} rdi_error_kind;

typedef struct rdi_error_bound {
    rdi_error_kind kind;
    double bound;
} rdi_error_bound;

/* `kind` as in rd_profile_facts; NULL and unknown words promise nothing, as does a bound of 0. */
rdi_error_bound rdi_error_bound_of(const char *kind, double bound);

/* Whether a reference whose true distance lies in [exact_low, exact_high] can have been measured
 * to lie in [low, high]. RD_COLD stands for infinite and is never mistaken. */
bool rdi_error_allows(rdi_error_bound e, uint64_t exact_low, uint64_t exact_high, uint64_t low,
                      uint64_t high);

/* The smallest distance that may be measured for this true one. */
uint64_t rdi_error_least(rdi_error_bound e, uint64_t exact);

#endif
