/* The guarantees of the error kinds of engines and profiles.
 *
 * Distances are compared as ranges, because the bins of a histogram are ranges. A single distance
 * is a range of one number.
 */
#ifndef RDI_ERROR_BOUND_H
#define RDI_ERROR_BOUND_H

#include "base/common.h"
#include "reusedist/profile.h"

typedef enum rdi_error_kind {
    RDI_ERROR_EXACT,    /* the measured distance is the true distance */
    RDI_ERROR_RELATIVE, /* a true distance d is measured as d - bound * d to d */
    RDI_ERROR_ABSOLUTE, /* a true distance d is measured as d - bound to d */
    RDI_ERROR_UNBOUND   /* no guarantee for an individual distance */
} rdi_error_kind;

typedef struct rdi_error_bound {
    rdi_error_kind kind;
    double bound;
} rdi_error_bound;

/* Returns the guarantee for the error kind and bound of rd_profile_facts. Nothing is guaranteed if
 * `kind` is NULL or unknown, or if a relative or absolute bound is not above 0. */
rdi_error_bound rdi_error_bound_of(const char *kind, double bound);

/* Returns whether the guarantee allows that a reference with a true distance in [exact_low,
 * exact_high] was measured in [low, high]. RD_COLD is an infinite distance, which every guarantee
 * keeps exact. */
bool rdi_error_allows(rdi_error_bound e, uint64_t exact_low, uint64_t exact_high, uint64_t low,
                      uint64_t high);

/* Returns the smallest distance that may be measured for the true distance `exact`. */
uint64_t rdi_error_least(rdi_error_bound e, uint64_t exact);

#endif
