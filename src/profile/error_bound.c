/* Implements the guarantees of the error kinds. See error_bound.h. */
#include "profile/error_bound.h"

#include "reusedist/engine.h"

#include <string.h>

rdi_error_bound rdi_error_bound_of(const char *kind, double bound) {
    if (kind && strcmp(kind, "exact") == 0)
        return (rdi_error_bound){RDI_ERROR_EXACT, 0};
    if (kind && bound > 0 && strcmp(kind, "relative") == 0)
        return (rdi_error_bound){RDI_ERROR_RELATIVE, bound};
    if (kind && bound > 0 && strcmp(kind, "absolute") == 0)
        return (rdi_error_bound){RDI_ERROR_ABSOLUTE, bound};
    return (rdi_error_bound){RDI_ERROR_UNBOUND, 0};
}

/* Returns how far a measured distance may be below the true distance `exact`. e.kind must not be
 * RDI_ERROR_UNBOUND. Long double has a mantissa of 64 bits on x86, so neither factor is rounded. */
static long double tolerance(rdi_error_bound e, uint64_t exact) {
    switch (e.kind) {
    case RDI_ERROR_RELATIVE:
        return (long double)e.bound * (long double)exact;
    case RDI_ERROR_ABSOLUTE:
        return (long double)e.bound;
    case RDI_ERROR_EXACT:
    case RDI_ERROR_UNBOUND:
        break;
    }
    return 0;
}

bool rdi_error_allows(rdi_error_bound e, uint64_t exact_low, uint64_t exact_high, uint64_t low,
                      uint64_t high) {
    if (e.kind == RDI_ERROR_UNBOUND)
        return true;
    if (low > exact_high)
        return false;
    if (high >= exact_low)
        return true;
    return exact_low != RD_COLD && (long double)(exact_low - high) <= tolerance(e, exact_low);
}

uint64_t rdi_error_least(rdi_error_bound e, uint64_t exact) {
    if (e.kind == RDI_ERROR_UNBOUND)
        return 0;
    if (exact == RD_COLD)
        return RD_COLD;
    long double below = tolerance(e, exact);
    return below >= (long double)exact ? 0 : exact - (uint64_t)below;
}
