/* Makes coarser bins or reference groups from finer bins. Counts and sums of coarser bins are
 * exact, because a request that would need to split a bin is refused. Only reference groups divide
 * bins. */
#include "profile/binning.h"
#include "profile/profile_build.h"

#include <string.h>

static rd_status copy_rows(rd_ctx *ctx, const rd_bin *bins, size_t n, rd_bin **out, size_t *n_out) {
    rd_bin *rows = rdi_alloc(ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    if (n)
        memcpy(rows, bins, n * sizeof *rows);
    *out = rows;
    *n_out = n;
    return RD_OK;
}

/* Makes groups from log-linear bins even if the profile has finer bins, so that the result does not
 * depend on the binning of the profile. */
static rd_status group_rows(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t groups,
                            rd_bin **out, size_t *n_out) {
    rd_bin *rows = NULL;
    size_t n_rows = 0;
    RD_TRY(rdi_bins_coarsen(ctx, bins, n, (rd_binning){RD_BINS_LOGLINEAR, 0}, &rows, &n_rows));
    rd_status status = rdi_bins_to_groups(ctx, rows, n_rows, groups, out, n_out);
    rdi_free(ctx, rows);
    return status;
}

rd_status rdi_profile_rows_as(rd_ctx *ctx, const rd_profile *p, rd_binning to, rd_bin **out,
                              size_t *n) {
    rd_binning from = rd_profile_facts_of(p)->binning;
    const rd_bin *bins;
    size_t n_bins = rd_profile_bins(p, &bins);
    RD_TRY(rdi_binning_check(ctx, to));
    if (rdi_binning_equal(from, to))
        return copy_rows(ctx, bins, n_bins, out, n);
    if (to.kind == RD_BINS_EDGES)
        return rdi_fail(
            ctx, RD_EINVAL,
            "bins cannot be converted to bins with given edges; choose other bins (--hist)");
    if (to.kind != RD_BINS_REFERENCE)
        return rdi_bins_coarsen(ctx, bins, n_bins, to, out, n);
    if (from.kind == RD_BINS_REFERENCE)
        return rdi_fail(
            ctx, RD_EINVAL,
            "reference groups cannot be converted to other reference groups; choose other "
            "bins (--hist), or analyze the trace again");
    return group_rows(ctx, bins, n_bins, to.param, out, n);
}

rd_status rd_profile_rebin(rd_profile *p, rd_binning to, rd_profile **out) {
    RDI_NEED(rdi_profile_ctx(p), p, out);
    rd_ctx *ctx = rdi_profile_ctx(p);
    rd_profile_facts facts = *rd_profile_facts_of(p);
    rd_bin *rows = NULL;
    size_t n = 0;
    RD_TRY(rdi_profile_rows_as(ctx, p, to, &rows, &n));
    facts.binning = to;
    rd_profile *result = NULL;
    rd_status status = rdi_profile_new(ctx, &facts, rows, n, &result);
    rdi_free(ctx, rows);
    const rd_source *sources;
    size_t n_sources = rd_profile_sources(p, &sources);
    if (status == RD_OK)
        status = rdi_profile_add_sources(result, sources, n_sources);
    const rd_peak *peaks;
    size_t n_peaks = rd_profile_peaks(p, &peaks);
    if (status == RD_OK && n_peaks)
        status = rd_profile_set_peaks(result, peaks, n_peaks);
    if (status == RD_OK)
        *out = result;
    else
        rd_profile_free(result);
    return status;
}
