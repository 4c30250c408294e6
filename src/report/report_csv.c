/* Makes tables for programs as comma-separated values. */
#include "reusedist/report.h"

#include "base/text.h"
#include "profile/profile_build.h"

static void add_distance_row(rdi_text *t, const rd_bin *bin) {
    rdi_text_u64(t, bin->low);
    rdi_text_putc(t, ',');
    rdi_text_u64(t, bin->count);
    rdi_text_putc(t, '\n');
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
    rdi_text_putc(t, '\n');
}

rd_status rd_report_csv(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool full = facts->binning.kind == RD_BINS_FULL;
    const rd_bin *bins;
    size_t n_bins = rd_profile_bins(p, &bins);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, full ? "distance,count\n" : "low,high,count,mean\n");
    for (size_t i = 0; i < n_bins; i++)
        if (full)
            add_distance_row(&t, &bins[i]);
        else
            add_bin_row(&t, &bins[i], facts->sums_known);
    rdi_text_puts(&t, full ? "inf," : "inf,inf,");
    rdi_text_u64(&t, facts->infinite);
    rdi_text_puts(&t, full ? "\n" : ",\n");
    return rdi_text_take(&t, text, n);
}
