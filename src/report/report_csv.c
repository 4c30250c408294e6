/* Makes the histogram of a profile as CSV. */
#include "reusedist/report.h"

#include "base/text.h"
#include "model/mrc.h"
#include "profile/profile_build.h"

static void add_distance_row(rdi_text *t, const rd_bin *bin) {
    rdi_text_u64(t, bin->low);
    rdi_text_putc(t, ',');
    rdi_text_u64(t, bin->count);
}

static void add_bin_row(rdi_text *t, const rd_bin *bin, bool sums_known) {
    rdi_text_u64(t, bin->low);
    rdi_text_putc(t, ',');
    rdi_text_u64(t, bin->high);
    rdi_text_putc(t, ',');
    rdi_text_u64(t, bin->count);
    rdi_text_putc(t, ',');
    if (sums_known)
        rdi_text_double(t, rd_bin_mean(bin)); /* has enough digits to read back the same number */
}

/* Adds whether the sample resolves the distances of the row, and the band of the miss ratio of the
 * smallest cache in which references with these distances hit. */
static void add_band(rdi_text *t, rdi_band_scan *scan, const rd_bin *bin, uint64_t resolution) {
    double low, high;
    uint64_t size = bin->high + 1;
    rdi_text_puts(t, bin->low >= resolution ? ",yes," : ",no,");
    bool known = size >= resolution && rdi_band_scan_at(scan, size, &low, &high);
    if (known)
        rdi_text_double(t, low);
    rdi_text_putc(t, ',');
    if (known)
        rdi_text_double(t, high);
}

rd_status rd_report_csv(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool full = facts->binning.kind == RD_BINS_FULL, band = rd_mrc_has_band(p);
    uint64_t resolution = rd_mrc_resolution(p);
    const rd_bin *bins;
    size_t n_bins = rd_profile_bins(p, &bins);
    rdi_band_scan scan = rdi_band_scan_start(p);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, full ? "distance,count" : "low,high,count,mean");
    rdi_text_puts(&t, band ? ",resolved,miss_low,miss_high\n" : "\n");
    for (size_t i = 0; i < n_bins; i++) {
        if (full)
            add_distance_row(&t, &bins[i]);
        else
            add_bin_row(&t, &bins[i], facts->sums_known);
        if (band)
            add_band(&t, &scan, &bins[i], resolution);
        rdi_text_putc(&t, '\n');
    }
    rdi_text_puts(&t, full ? "inf," : "inf,inf,");
    rdi_text_u64(&t, facts->infinite);
    rdi_text_puts(&t, full ? "" : ",");
    rdi_text_puts(&t, band ? ",yes,,\n" : "\n");
    return rdi_text_take(&t, text, n);
}
