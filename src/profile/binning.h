/* Binnings: the bin that a distance falls into, and the regrouping of finished histograms.
 *
 * A new binning needs its kind in reusedist/profile.h, its rdi_bin_index() here, its name and range
 * in binning.c, and a rule in merge.c that says which binnings it is finer than.
 */
#ifndef RDI_BINNING_H
#define RDI_BINNING_H

#include "base/common.h"
#include "reusedist/profile.h"

/* RD_EINVAL for a width or number of groups of 0. */
rd_status rdi_binning_check(rd_ctx *ctx, rd_binning binning);

static inline bool rdi_binning_equal(rd_binning a, rd_binning b) {
    return a.kind == b.kind && a.param == b.param;
}

#define RDI_LINEAR_FROM 2048u /* log-linear: width of the bins from here on */
#define RDI_LOG_BINS    12u   /* log-linear: bins below RDI_LINEAR_FROM */

static inline uint64_t rdi_loglinear_index(uint64_t d) {
    return d < RDI_LINEAR_FROM ? rdi_bit_width(d) : RDI_LOG_BINS - 1 + d / RDI_LINEAR_FROM;
}

/* Number of the bin that d falls into, ascending with d. Reference groups depend on all counts and
 * are therefore counted as log-linear; edges are known to the histogram only. */
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

/* The inverse: sets low and high. The last bin ends at the largest distance, RD_COLD - 1. */
void rdi_bin_range(rd_binning binning, uint64_t index, rd_bin *bin);

/* Sums up rows that fall into the same bin of `to` (not reference, not edges). RD_EINVAL when a row
 * does not lie in one bin. Caller frees. */
rd_status rdi_bins_coarsen(rd_ctx *ctx, const rd_bin *bins, size_t n, rd_binning to, rd_bin **out,
                           size_t *n_out);

/* The reference histogram of Zhong, section 3.1: all finite references in ascending distance, cut
 * into `groups` groups of equal size (sizes differ by at most one). A bin that is cut gives each
 * part its average distance. Rows carry the range of the bins they draw from; empty groups (fewer
 * references than groups) are left out. Caller frees. */
rd_status rdi_bins_to_groups(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                             rd_bin **out, size_t *n_out);

#endif
