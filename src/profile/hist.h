/* Histograms that are still being counted: rdi_hist_add() turns distances into counts.
 *
 * A hist maps a distance to a bin according to its binning, and keeps the count and the sum per
 * bin. Bins are allocated when they are needed, so memory grows with the largest distance so far:
 * one bin per 2048 distances with the default binning, and pages of single distances with `full`.
 *
 * `reference` bins depend on all counts, so distances are counted in log-linear bins and grouped at
 * the end.
 */
#ifndef RDI_HIST_H
#define RDI_HIST_H

#include "base/common.h"
#include "base/u64_list.h"
#include "reusedist/engine.h"
#include "reusedist/profile.h"

typedef struct rdi_hist rdi_hist;

rd_status rdi_hist_new(rd_ctx *ctx, rd_binning binning, rdi_hist **out);
/* Makes a hist with the bins [0, edges[0]-1], [edges[0], edges[1]-1] ... [edges[n-1], 2^64-2]. The
 * edges must be strictly ascending and above 0; they are copied. */
rd_status rdi_hist_new_edges(rd_ctx *ctx, const uint64_t *edges, size_t n, rdi_hist **out);
/* Makes an empty hist with the same bins as h. */
rd_status rdi_hist_new_like(const rdi_hist *h, rdi_hist **out);
void rdi_hist_free(rdi_hist *h);
rd_binning rdi_hist_binning(const rdi_hist *h);
/* Returns whether h has log bins, log-linear bins of the usual width, or reference bins. Every bin
 * of such a histogram is a log-linear bin or a union of log-linear bins, so a caller may count in
 * log-linear bins first and loses nothing. */
bool rdi_hist_unites_loglinear(const rdi_hist *h);

/* Counts n distances; RD_COLD counts as infinite. */
rd_status rdi_hist_add(rdi_hist *h, const uint64_t *distances, size_t n);
/* Adds `count` references with the distance `distance`, which may be RD_COLD. */
rd_status rdi_hist_add_many(rdi_hist *h, uint64_t distance, uint64_t count);
/* Adds `count` references, whose distances sum to `sum`, to the bin that contains `low`. */
rd_status rdi_hist_add_bin(rdi_hist *h, uint64_t low, uint64_t count, rd_sum sum);
/* Adds `count` references, spread evenly over the distances from `low` to `high`. The time is
 * O(bins that get references). */
rd_status rdi_hist_add_evenly(rdi_hist *h, uint64_t low, uint64_t high, uint64_t count);
/* Adds all counts and sums of `from`, which must have the same bins, to h. */
rd_status rdi_hist_merge(rdi_hist *h, const rdi_hist *from);

/* Removes n infinite distances. A distance that is infinite in a chunk of a trace may be finite in
 * the whole trace. */
void rdi_hist_uncount_infinite(rdi_hist *h, uint64_t n);

uint64_t rdi_hist_infinite(const rdi_hist *h);

/* Appends all counts and sums to `out` as numbers, which rdi_hist_add_packed() adds to a hist of
 * the same binning, possibly in another process. */
rd_status rdi_hist_pack(const rdi_hist *h, rdi_u64_list *out);
/* Adds the counts and sums in the n numbers `packed`, which rdi_hist_pack() made. Returns
 * RD_EFORMAT if the numbers are invalid for this hist; some of the counts may then have been
 * added. */
rd_status rdi_hist_add_packed(rdi_hist *h, const uint64_t *packed, size_t n);

/* Stores the non-empty bins of h, or its reference groups, in *bins, in ascending order, and their
 * number in *n. The caller frees *bins. */
rd_status rdi_hist_bins(const rdi_hist *h, rd_bin **bins, size_t *n);

static inline void rdi_sum_add(rd_sum *sum, rd_sum x) {
    sum->low += x.low;
    sum->high += x.high + (sum->low < x.low);
}

static inline rdi_u128 rdi_sum_wide(rd_sum sum) {
    return (rdi_u128)sum.high << 64 | sum.low;
}

static inline rd_sum rdi_sum_narrow(rdi_u128 sum) {
    return (rd_sum){(uint64_t)sum, (uint64_t)(sum >> 64)};
}

static inline rd_sum rdi_sum_product(uint64_t a, uint64_t b) {
    return rdi_sum_narrow((rdi_u128)a * b);
}

#endif
