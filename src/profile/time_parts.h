/* Reuse distances from the time distances of the parts of a trace.
 *
 * The model of time_model.h takes every window for an average one of the whole trace. Programs that
 * sweep through data again and again are not like that: their windows begin and end where the
 * program changes what it does, and a distance of millions that is off by a tenth of a percent is
 * off by a thousand. So the trace is cut into parts of equal length, and each part has a histogram
 * of its own. Take the reuse of a block at time t after a gap of T, so that its window begins at
 * s = t - T. A block shows up exactly once as the first reference to it in the window: the
 * reference at s + u is one if its own gap reaches back beyond s, that is if it is above u. With
 * P_k(T > u) from the part k that s + u is in,
 *
 *     mean = sum over u = 1 .. T-1 of P_k(T > u),
 *
 * which is the formula of time_model.h where there is one part. First references have a gap that
 * is longer than any u, in the part in which they happen.
 *
 * The sum over the parts that a window crosses need not be made anew for each. For one beginning
 * per part, its middle, the sum up to now is carried on from part to part; when a part ends, its
 * reuses are given to the beginnings their gaps reach back to, and its histogram is done with. When
 * there are too many parts, neighbours become one. So the work per part, a step per beginning and
 * per cell, is the same however long a part is.
 *
 * Gaps are kept in cells of one part in 64, with mean and deviation: the gaps of a sweep are equal
 * or nearly so, and a cell that did not know that would blur them. The distances of a cell are
 * spread over as much as its gaps are; a binomial spread as in time_model.h is left out, since it
 * is wider than what real programs show.
 */
#ifndef RDI_TIME_PARTS_H
#define RDI_TIME_PARTS_H

#include "profile/hist.h"

typedef struct rdi_time_cell rdi_time_cell;

typedef struct rdi_time_parts {
    rd_ctx *ctx;
    size_t most;         /* parts, even */
    uint64_t known_upto; /* as in time_model.h */
    uint64_t length;     /* of a part; doubles when parts become too many */
    /* state */
    uint64_t references; /* of the present part */
    uint64_t blocks;     /* distinct ones up to the last part */
    rdi_time_cell *cell; /* of the present part */
    double *distinct;    /* blocks expected since the middle of each part before */
    size_t n;
} rdi_time_parts;

rd_status rdi_time_parts_init(rdi_time_parts *p, rd_ctx *ctx, size_t most, uint64_t known_upto);
void rdi_time_parts_destroy(rdi_time_parts *p);

/* The last time of the cell that `time` is in: known_upto must be one. */
uint64_t rdi_time_parts_cell_end(uint64_t time);

/* How many references may be counted before the part is full. */
static inline uint64_t rdi_time_parts_room(const rdi_time_parts *p) {
    return p->length - p->references;
}

/* Counts references with these gaps (0: a first reference), and immediate repeats, and adds the
 * distances of the part to `out` when that makes it full. First references are the caller's. */
rd_status rdi_time_parts_count(rdi_time_parts *p, const uint64_t *gap, size_t n, uint64_t repeats,
                               rdi_hist *out);
/* Ends the last part. */
rd_status rdi_time_parts_finish(rdi_time_parts *p, rdi_hist *out);

#endif
