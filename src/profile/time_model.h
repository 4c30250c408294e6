/* Reuse distances from time distances, by statistics.
 *
 * X. Shen, J. Shaw, B. Meeker, C. Ding. Locality approximation using time. POPL 2007.
 *
 * A reuse of time distance D has an interval of D - 1 references between its two ends. To count the
 * distinct blocks in the interval, count the last reference to each block: the reference tau places
 * before the end is one if it is not repeated in the rest of the interval, that is, if its own time
 * distance to the next use is above tau. Summed over the interval,
 *
 *     mean(D) = sum over tau = 1 .. D-1 of P(T > tau),
 *
 * where the last reference to each block in the trace, which is never repeated, counts as longer
 * than any tau. Around that mean the number of distinct blocks varies like the successes of tossing
 * a coin for each of the other blocks (P3 = mean / (M - 1) in the paper's terms): a binomial
 * distribution.
 *
 * The model assumes that every interval is like the average one. This is not a bound: real programs
 * repeat themselves, most of all within a few references.
 */
#ifndef RDI_TIME_MODEL_H
#define RDI_TIME_MODEL_H

#include "profile/hist.h"

/* Reuses that have (nearly) the same time distance. */
typedef struct rdi_time_point {
    double time; /* 1: immediate reuse */
    uint64_t count;
} rdi_time_point;

typedef struct rdi_time_histogram {
    const rdi_time_point *points; /* times ascending, from 1 on */
    size_t n;
    uint64_t blocks; /* number of distinct blocks: each has one gap that never ends */
    /* Reuses up to this time have been counted already: they influence the other intervals, but get
     * no distance here. */
    double known_upto;
} rdi_time_histogram;

/* Adds the distances of all reuses above known_upto to `out`, one per reuse. The caller adds first
 * references. Takes O(points x spread), whatever the number of references. */
rd_status rdi_time_model(rd_ctx *ctx, const rdi_time_histogram *times, rdi_hist *out);

#endif
