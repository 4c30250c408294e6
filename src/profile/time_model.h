/* Reuse distances from time distances, by statistics.
 *
 * X. Shen, J. Shaw, B. Meeker, C. Ding. Locality approximation using time. POPL 2007.
 *
 * A reuse of time distance D has a window of D - 1 references between its two ends. How many blocks
 * are distinct in there? A block shows up exactly once as the last reference to it in the window,
 * so count those: the reference tau places before the end is one if it is not repeated within the
 * rest, that is if its own time distance to the next use is above tau. Summed up over the window,
 *
 *     mean(D) = sum over tau = 1 .. D-1 of P(T > tau),
 *
 * where the last reference to each block, which is never repeated, counts as longer than any tau.
 * Around that mean the number of distinct blocks varies like the successes of tossing a coin for
 * each of the other blocks (P3 = mean / (M - 1) in the paper's terms): a binomial distribution.
 *
 * That windows are like the average window is an assumption, not a bound: real programs repeat
 * themselves, most of all within a few references.
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
    uint64_t blocks;   /* distinct ones: each has one gap that is never closed */
    double known_upto; /* reuses up to this time have been counted already: they shape the windows
                          of the others and get no distance here */
} rdi_time_histogram;

/* Adds the distances of all reuses above known_upto to `out`, as many as there are reuses. First
 * references are the caller's. O(points x spread), whatever the number of references. */
rd_status rdi_time_model(rd_ctx *ctx, const rdi_time_histogram *times, rdi_hist *out);

#endif
