/* Reuse distances from the time distances of the parts of a trace.
 *
 * The model of time_model.h assumes that every interval is like the average of the whole trace.
 * Programs that sweep through data again and again are different: their intervals begin and end
 * where the program changes its behavior, and a distance of millions with an error of 0.1 % is off
 * by a thousand. So the trace is cut into parts of equal length with a histogram each. Consider the
 * reuse of a block at time t after a gap of T: its interval begins at s = t - T. To count the
 * distinct blocks in the interval, count the first reference to each block: the reference at s + u
 * is one if its own gap reaches back beyond s, that is, if it is above u. With P_k(T > u) from the
 * part k that contains s + u,
 *
 *     mean = sum over u = 1 .. T-1 of P_k(T > u),
 *
 * which is the formula of time_model.h if there is one part. First references have a gap that is
 * longer than any u, in the part in which they happen.
 *
 * The sum over the parts that an interval crosses is not computed from scratch for each interval.
 * For one beginning per part, its middle, the sum up to now is updated from part to part. When a
 * part ends, its reuses are assigned to the beginnings that their gaps reach back to, and its
 * histogram is no longer needed. When there are too many parts, adjacent ones are joined. So the
 * work per part, a step per beginning and per cell, does not depend on its length.
 *
 * Gaps are kept in cells whose width is 1/64 of their value, with mean and deviation: the gaps of a
 * sweep are equal or nearly so, and a cell without these would blur them. The distances of a cell
 * are spread as widely as its gaps. A binomial spread as in time_model.h is left out, because it is
 * wider than that of real programs.
 */
#ifndef RDI_TIME_PARTS_H
#define RDI_TIME_PARTS_H

#include "profile/hist.h"

typedef struct rdi_time_cell rdi_time_cell;

typedef struct rdi_time_parts {
    rd_ctx *ctx;
    size_t most;         /* parts, even */
    uint64_t known_upto; /* as in time_model.h */
    uint64_t length;     /* references per part; doubles when there are too many parts */
    /* state */
    uint64_t references; /* of the current part */
    uint64_t blocks;     /* distinct blocks up to the end of the last part */
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

/* Counts references with these gaps (0: a first reference) and immediate repeats. When the part is full,
 * its distances are added to `out`. The caller adds first references. */
rd_status rdi_time_parts_count(rdi_time_parts *p, const uint64_t *gap, size_t n, uint64_t repeats,
                               rdi_hist *out);
/* Ends the last part. */
rd_status rdi_time_parts_finish(rdi_time_parts *p, rdi_hist *out);

#endif
