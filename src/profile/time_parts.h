/* Infers reuse distances from the time distances of the parts of a trace.
 *
 * The model of time_model.h assumes that all intervals of the same length are alike in the whole
 * trace. This does not hold for programs that repeatedly sweep through data: their intervals begin
 * and end where the program changes its behavior, and an error of 0.1 % in a distance of millions
 * is an error of thousands. So the trace is divided into parts of equal length, each with its own
 * histogram. Consider the reuse of a block at time t after a gap of T: its interval begins at s = t
 * - T. The number of distinct blocks in the interval is the number of its references that are the
 * first to their block in the interval. The reference at s + u counts if its own gap reaches back
 * beyond s, that is, if the gap is above u. With P_k(T > u) from the part k that contains s + u,
 *
 *     mean = sum over u = 1 .. T-1 of P_k(T > u),
 *
 * which is the formula of time_model.h if there is one part. The first reference to a block in the
 * trace has a gap that is longer than any u, in the part that contains the reference.
 *
 * The sum over the parts that an interval crosses is not computed from scratch for each interval.
 * For one beginning per part, which is its middle, the sum so far is updated from part to part.
 * When a part ends, its reuses are assigned to the beginnings that their gaps reach back to, and
 * its histogram is no longer needed. When there are `most` parts, adjacent parts are joined. So the
 * work per part is one step per beginning and one per cell, independent of the length of the part.
 *
 * Gaps are kept in cells, with mean and deviation. Below 128, each gap has its own cell; above, the
 * width of a cell is at most 1/64 of its gaps. Mean and deviation are needed because the gaps of a
 * sweep are equal or nearly equal, and a cell without them would blur the gaps. The distances of a
 * cell are spread as widely as its gaps. The binomial spread of time_model.h is not used here,
 * because it would be wider than the spread in real programs.
 */
#ifndef RDI_TIME_PARTS_H
#define RDI_TIME_PARTS_H

#include "profile/hist.h"

typedef struct rdi_time_cell rdi_time_cell;

typedef struct rdi_time_parts {
    rd_ctx *ctx;
    size_t most;         /* maximum number of parts, an even number */
    uint64_t known_upto; /* reuses up to this time distance were counted elsewhere and get no
                            distance here */
    uint64_t length;     /* number of references per part; it doubles when there are `most` parts */
    /* The fields below are the state. */
    uint64_t references; /* number of references of the current part so far */
    uint64_t blocks;     /* number of distinct blocks in the parts that have ended */
    rdi_time_cell *cell; /* cells of the current part */
    double *distinct;    /* expected number of distinct blocks since the middle of each earlier
                            part */
    size_t n;            /* number of elements of `distinct` */
} rdi_time_parts;

rd_status rdi_time_parts_init(rdi_time_parts *p, rd_ctx *ctx, size_t most, uint64_t known_upto);
void rdi_time_parts_destroy(rdi_time_parts *p);

/* Returns the last time of the cell that contains `time`. rdi_time_parts.known_upto must be the
 * last time of a cell. */
uint64_t rdi_time_parts_cell_end(uint64_t time);

/* Returns how many references may be counted before the part is full. */
static inline uint64_t rdi_time_parts_room(const rdi_time_parts *p) {
    return p->length - p->references;
}

/* Counts n references with the gaps gap[] (0: a first reference) and `repeats` immediate repeats,
 * in total at most rdi_time_parts_room(). When the part is full, adds its distances to `out`. The
 * caller adds the first references to `out`. */
rd_status rdi_time_parts_count(rdi_time_parts *p, const uint64_t *gap, size_t n, uint64_t repeats,
                               rdi_hist *out);
/* Ends the last part, and adds its distances to `out`. */
rd_status rdi_time_parts_finish(rdi_time_parts *p, rdi_hist *out);

#endif
