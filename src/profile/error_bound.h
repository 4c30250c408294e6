/* The guarantees of the error kinds of engines and profiles.
 *
 * Distances are compared as ranges, because the bins of a histogram are ranges; a single distance is a
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
    RDI_ERROR_UNBOUND   /* no guarantee for a single distance */
} rdi_error_kind;

typedef struct rdi_error_bound {
    rdi_error_kind kind;
    double bound;
} rdi_error_bound;

/* `kind` is that of rd_profile_facts. NULL, unknown kinds and a bound of 0 guarantee nothing. */
rdi_error_bound rdi_error_bound_of(const char *kind, double bound);

/* Whether the error kind allows that a reference whose true distance is in [exact_low, exact_high] was
 * measured in [low, high]. RD_COLD stands for infinite, which is always measured exactly. */
bool rdi_error_allows(rdi_error_bound e, uint64_t exact_low, uint64_t exact_high, uint64_t low,
                      uint64_t high);

/* The smallest distance that may be measured for the true distance `exact`. */
uint64_t rdi_error_least(rdi_error_bound e, uint64_t exact);

#endif
