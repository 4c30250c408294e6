/* Binnings: functions that find the bin of a distance, and functions that regroup finished
 * histograms.
 *
 * A new binning needs its kind in reusedist/profile.h, its case in rdi_bin_index() here, its name
 * and range in binning.c, and a rule in merge.c that says which binnings it is finer than.
 */
#ifndef RDI_BINNING_H
#define RDI_BINNING_H

#include "base/common.h"
#include "reusedist/profile.h"

/* Checks a binning. Returns RD_EINVAL if its kind is unknown, if the width of linear bins or the
 * number of groups is 0, or if the width of log-linear bins is neither 0 nor a power of two below
 * RDI_LINEAR_FROM. */
rd_status rdi_binning_check(rd_ctx *ctx, rd_binning binning);

static inline bool rdi_binning_equal(rd_binning a, rd_binning b) {
    return a.kind == b.kind && a.param == b.param;
}

#define RDI_LINEAR_FROM 2048u /* first distance and width of the linear bins, by default */
#define RDI_LOG_BINS    12u   /* number of log-linear bins below RDI_LINEAR_FROM, by default */

/* Returns the first distance of the linear bins of a log-linear binning. It is also their width, a power of two. For
 * reference groups, returns the width of the bins in which distances are counted before they are grouped. */
static inline uint64_t rdi_loglinear_width(rd_binning binning) {
    return binning.kind == RD_BINS_LOGLINEAR && binning.param ? binning.param : RDI_LINEAR_FROM;
}

/* Returns the index of the log-linear bin that contains d. `width` is the result of
 * rdi_loglinear_width(). */
static inline uint64_t rdi_loglinear_index(uint64_t width, uint64_t d) {
    return d < width ? rdi_bit_width(d) : rdi_bit_width(width) - 1 + d / width;
}

/* Returns the index of the bin that contains d. Larger distances have equal or larger indices.
 * Reference groups depend on all counts, so for reference groups the function returns the index of
 * the log-linear bin in which d is counted first. `binning` must not be RD_BINS_EDGES, because only
 * the histogram knows the edges. */
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
    return rdi_loglinear_index(rdi_loglinear_width(binning), d);
}

/* Sets bin->low and bin->high to the range of the bin with this index of rdi_bin_index(). The last
 * bin ends at the largest distance, RD_COLD - 1. */
void rdi_bin_range(rd_binning binning, uint64_t index, rd_bin *bin);

/* Makes rows with the bins of `to` from n rows, which must ascend: rows in the same bin of `to` are
 * summed. `to` must not be reference groups or edges. Returns RD_EINVAL if a row does not lie in
 * one bin of `to`. The caller frees *out. */
rd_status rdi_bins_coarsen(rd_ctx *ctx, const rd_bin *bins, size_t n, rd_binning to, rd_bin **out,
                           size_t *n_out);

/* Makes the reference histogram of Zhong, Shen, Ding 2009, section 3.1: all finite references,
 * sorted by distance, in `groups` groups whose sizes differ by at most one. If the references of a
 * bin are divided among several groups, each of these references counts with the mean distance of
 * the bin. A row has the range of the bins that its references come from. Empty groups, which exist
 * if there are fewer references than groups, are left out. The caller frees *out. */
rd_status rdi_bins_to_groups(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                             rd_bin **out, size_t *n_out);

#endif
