/* Writes the profile file, a line per histogram row so that two files can be compared with diff.
 * docs/profile-format.md describes it. */
#include "base/json.h"
#include "profile/details.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "profile/thresholds.h"

#include <inttypes.h>

static void add_key(rdi_text *t, const char *key) {
    rdi_text_printf(t, ",\n  \"%s\": ", key);
}

static void add_u64(rdi_text *t, const char *key, uint64_t value) {
    add_key(t, key);
    rdi_text_u64(t, value);
}

/* `none` is written as null. */
static void add_u64_or_null(rdi_text *t, const char *key, uint64_t value, uint64_t none) {
    add_key(t, key);
    if (value == none)
        rdi_text_puts(t, "null");
    else
        rdi_text_u64(t, value);
}

static void add_bool(rdi_text *t, const char *key, bool value) {
    add_key(t, key);
    rdi_text_puts(t, value ? "true" : "false");
}

static void add_string_or_null(rdi_text *t, const char *text) {
    if (text)
        rdi_text_json_string(t, text);
    else
        rdi_text_puts(t, "null");
}

/* Up to the last that is not 0. */
static void add_half_widths(rdi_text *t, const double *half) {
    size_t n = RD_BAND_SIZES;
    while (n > 0 && half[n - 1] == 0)
        n--;
    rdi_text_puts(t, ", \"half_width\": ");
    rdi_text_json_doubles(t, half, n);
}

static void add_facts(rdi_text *t, const rd_profile_facts *f) {
    char binning[32];
    rd_binning_name(f->binning, binning);
    add_u64(t, "references", f->references);
    add_u64_or_null(t, "blocks", f->blocks, RD_UNKNOWN);
    add_u64_or_null(t, "cold", f->cold, RD_UNKNOWN);
    add_u64(t, "infinite", f->infinite);
    add_u64_or_null(t, "block_bytes", f->block_bytes, 0);
    add_key(t, "kinds");
    add_string_or_null(t, f->kinds);
    add_u64_or_null(t, "bound", f->bound, 0);
    add_key(t, "engine");
    rdi_text_puts(t, "{\"name\": ");
    add_string_or_null(t, f->engine);
    rdi_text_puts(t, ", \"options\": ");
    add_string_or_null(t, f->engine_options);
    rdi_text_putc(t, '}');
    add_bool(t, "exact", f->exact);
    add_key(t, "error");
    rdi_text_puts(t, "{\"kind\": ");
    add_string_or_null(t, f->error_kind);
    rdi_text_puts(t, ", \"bound\": ");
    rdi_text_json_double(t, f->error_bound);
    if (f->sample_rate > 0) {
        rdi_text_puts(t, ", \"rate\": ");
        rdi_text_json_double(t, f->sample_rate);
        add_half_widths(t, f->half_width);
    }
    rdi_text_putc(t, '}');
    add_key(t, "binning");
    rdi_text_json_string(t, binning);
    add_bool(t, "sums_known", f->sums_known);
    add_bool(t, "partial", f->partial);
    add_u64_or_null(t, "skipped", f->skipped, RD_UNKNOWN);
    add_key(t, "seconds");
    rdi_text_json_double(t, f->seconds);
}

static void add_sources(rdi_text *t, const rd_source *sources, size_t n) {
    add_key(t, "sources");
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? ",\n    {\"path\": " : "\n    {\"path\": ");
        add_string_or_null(t, sources[i].path);
        rdi_text_puts(t, ", \"format\": ");
        add_string_or_null(t, sources[i].format);
        rdi_text_printf(t, ", \"bytes\": %" PRIu64 ", \"references\": %" PRIu64 "}",
                        sources[i].bytes, sources[i].references);
    }
    rdi_text_puts(t, n ? "\n  ]" : "]");
}

/* Only where they were given. */
static void add_thresholds(rdi_text *t, const rd_sampler_config *c) {
    if (!rdi_thresholds_given(c))
        return;
    add_key(t, "thresholds");
    rdi_thresholds_write(t, c);
}

/* Only where there are some: most profiles are not sampled. */
static void add_peaks(rdi_text *t, const rd_peak *peaks, size_t n) {
    if (n)
        add_key(t, "peaks");
    for (size_t i = 0; i < n; i++)
        rdi_text_printf(t, "%s[%" PRIu32 ", %" PRIu32 ", %" PRIu64 ", %" PRIu64 "]%s",
                        i ? ", " : "[", peaks[i].sample, peaks[i].number, peaks[i].distance,
                        peaks[i].time, i + 1 < n ? "" : "]");
}

static void add_rows(rdi_text *t, const rd_bin *bins, size_t n, bool sums_known) {
    add_key(t, "histogram");
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < n; i++) {
        rdi_text_puts(t, i ? ",\n    [" : "\n    [");
        rdi_text_u64(t, bins[i].low);
        rdi_text_puts(t, ", ");
        rdi_text_u64(t, bins[i].high);
        rdi_text_puts(t, ", ");
        rdi_text_u64(t, bins[i].count);
        rdi_text_puts(t, ", ");
        if (sums_known)
            rdi_text_u128(t, rdi_sum_wide(bins[i].sum));
        else
            rdi_text_puts(t, "null");
        rdi_text_putc(t, ']');
    }
    rdi_text_puts(t, n ? "\n  ]" : "]");
}

rd_status rd_profile_json(rd_profile *p, char **out, size_t *n) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_source *sources;
    const rd_bin *bins;
    const rd_peak *peaks;
    size_t n_sources = rd_profile_sources(p, &sources), n_bins = rd_profile_bins(p, &bins);
    size_t n_peaks = rd_profile_peaks(p, &peaks);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    const rd_details *details = rd_profile_details(p);
    rdi_text_printf(&t, "{\n  \"schema\": \"%s\"",
                    details ? RDI_PROFILE_SCHEMA_DETAILS : RDI_PROFILE_SCHEMA);
    add_key(&t, "tool");
    rdi_text_printf(&t, "\"reusedist %s\"", rd_version());
    add_facts(&t, facts);
    add_sources(&t, sources, n_sources);
    add_thresholds(&t, &facts->sampling);
    add_peaks(&t, peaks, n_peaks);
    if (details)
        rdi_details_write(&t, details);
    add_rows(&t, bins, n_bins, facts->sums_known);
    rdi_text_puts(&t, "\n}\n");
    return rdi_text_take(&t, out, n);
}
