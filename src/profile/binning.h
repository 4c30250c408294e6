/* Binnings: functions that find the bin of a distance, and functions that regroup finished
 * histograms.
 *
 * A new binning needs its kind in reusedist/profile.h, its rdi_bin_index() here, its name and range
 * in binning.c, and a rule in merge.c that says which binnings it is finer than.
 */
#ifndef RDI_BINNING_H
#define RDI_BINNING_H

#include "base/common.h"
#include "reusedist/profile.h"

/* Checks a binning. Returns RD_EINVAL if the width or the number of groups is 0. */
rd_status rdi_binning_check(rd_ctx *ctx, rd_binning binning);

static inline bool rdi_binning_equal(rd_binning a, rd_binning b) {
    return a.kind == b.kind && a.param == b.param;
}

#define RDI_LINEAR_FROM 2048u /* log-linear: width of the bins from here on */
#define RDI_LOG_BINS    12u   /* log-linear: number of bins below RDI_LINEAR_FROM */

static inline uint64_t rdi_loglinear_index(uint64_t d) {
    return d < RDI_LINEAR_FROM ? rdi_bit_width(d) : RDI_LOG_BINS - 1 + d / RDI_LINEAR_FROM;
}

/* Returns the number of the bin that contains d. It increases with d. Reference groups depend on
 * all counts, so distances are counted in log-linear bins first. Bins with given edges are not
 * handled here, because only the histogram knows the edges. */
static inline uint64_t rdi_bin_index(rd_binning binning, uint64_t d) {
    switch (binning.kind) {
    case RD_BINS_LOG:
        return rdi_bit_width(d);
    case RD_BINS_LINEAR:
        return d / binning.param;
    case RD_BINS_FULL:
        return d;
    case RD_BINS_LOGLINEAR:
    case RD_BINS_REFERENCE:
    case RD_BINS_EDGES:
        break;
    }
    return rdi_loglinear_index(d);
}

/* The inverse of rdi_bin_index(): sets bin->low and bin->high. The last bin ends at the largest
 * distance, RD_COLD - 1. */
void rdi_bin_range(rd_binning binning, uint64_t index, rd_bin *bin);

/* Sums rows that fall into the same bin of `to`, which must not be reference groups or edges.
 * Returns RD_EINVAL if a row does not lie in one bin. The caller frees the rows. */
rd_status rdi_bins_coarsen(rd_ctx *ctx, const rd_bin *bins, size_t n, rd_binning to, rd_bin **out,
                           size_t *n_out);

/* Makes the reference histogram of Zhong, Shen, Ding 2009, section 3.1: all finite references,
 * sorted by distance, in `groups` groups whose sizes differ by at most one. If a bin belongs to
 * several groups, each of them gets the mean distance of the bin. A row has the range of the bins
 * that its references come from. Empty groups, which exist if there are fewer references than
 * groups, are left out. The caller frees the rows. */
rd_status rdi_bins_to_groups(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                             rd_bin **out, size_t *n_out);

#endif
