/* Infers reuse distances from time distances with a statistical model.
 *
 * X. Shen, J. Shaw, B. Meeker, C. Ding. Locality approximation using time. POPL 2007.
 *
 * A reuse of time distance D has an interval of D - 1 references between its two ends. The number
 * of distinct blocks in the interval is the number of its references after which their block is not
 * used again in the interval. The reference tau steps before the end of the interval counts if its
 * gap, the time T until the next use of its block, is above tau. The mean number of distinct
 * blocks is the sum over the interval,
 *
 *     mean(D) = sum over tau = 1 .. D-1 of P(T > tau),
 *
 * where the gap after the last reference to a block in the trace counts as longer than any tau. The
 * number of distinct blocks is modeled with a binomial distribution around this mean: each of the M
 * - 1 other blocks of the M distinct blocks is in the interval with the probability mean / (M - 1),
 * which the paper calls P3.
 *
 * The model assumes that all intervals of the same length are alike. It has no error bound: real
 * programs repeat short patterns, mostly within a few references.
 */
#ifndef RDI_TIME_MODEL_H
#define RDI_TIME_MODEL_H

#include "profile/hist.h"

/* Reuses that have the same or nearly the same time distance. */
typedef struct rdi_time_point {
    double time; /* time distance; 1: immediate reuse */
    uint64_t count;
} rdi_time_point;

typedef struct rdi_time_histogram {
    const rdi_time_point *points; /* in ascending order of time, from 1 on */
    size_t n;
    uint64_t blocks; /* number of distinct blocks; the last gap of each block never ends */
    /* Reuses up to this time distance have already been counted elsewhere. They influence other
     * intervals, but get no distance here. */
    double known_upto;
} rdi_time_histogram;

/* Adds an estimated distance to `out` for each reuse whose time distance is above known_upto. The
 * caller adds first references. The time is O(points x cells per binomial distribution),
 * independent of the number of references. */
rd_status rdi_time_model(rd_ctx *ctx, const rdi_time_histogram *times, rdi_hist *out);

#endif
