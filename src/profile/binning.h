/* Bins of finished histograms: names, regrouping. Works on rows, whatever counted them. */
#ifndef RDI_BINNING_H
#define RDI_BINNING_H

#include "base/base.h"
#include "reusedist/profile.h"

/* The reference histogram of Zhong, section 3.1: all finite references in ascending distance, cut
 * into `groups` groups of equal size (sizes differ by at most one). A bin that is cut gives each
 * part its average distance. Rows carry the range of the bins they draw from; empty groups (fewer
 * references than groups) are left out. Caller frees. */
rd_status rdi_bins_to_groups(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                             rd_bin **out, size_t *n_out);

#endif
