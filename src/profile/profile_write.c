/* Writes a profile as JSON, with a line per histogram row so that diff can compare two files.
 * docs/profile-format.md describes the file. Each section writes itself (section_*.c). */
#include "profile/profile_write.h"

#include "profile/hist.h"
#include "profile/profile_build.h"
#include "profile/sections.h"
#include "profile/thresholds.h"

#include <stdio.h>

/* Writes the half widths up to the last one that is not 0. */
static void put_half_widths(rd_json_writer *w, const double *half) {
    size_t n = RD_BAND_SIZES;
    while (n > 0 && half[n - 1] == 0)
        n--;
    rdi_json_put_doubles(w, "half_width", half, n);
}

static void put_band(rd_json_writer *w, const rd_profile_facts *f) {
    rd_json_begin_array(w, "band", RD_JSON_INLINE);
    for (size_t k = 0; k < f->n_band; k++) {
        const double row[] = {f->band_low[k], f->band_high[k]};
        rdi_json_put_doubles(w, NULL, row, RDI_COUNT(row));
    }
    rd_json_end_array(w);
}

static void put_engine(rd_json_writer *w, const rd_profile_facts *f) {
    rd_json_begin_object(w, "engine", RD_JSON_INLINE);
    rd_json_put_string(w, "name", f->engine);
    rd_json_put_string(w, "options", f->engine_options);
    rd_json_end_object(w);
}

static void put_error(rd_json_writer *w, const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    rd_json_begin_object(w, "error", RD_JSON_INLINE);
    rd_json_put_string(w, "kind", f->error_kind);
    rd_json_put_double(w, "bound", f->error_bound);
    if (f->sample_rate > 0) {
        rd_json_put_double(w, "rate", f->sample_rate);
        rd_json_put_u64(w, "resolution", rdi_profile_resolution(p));
        put_half_widths(w, f->half_width);
    }
    if (f->n_band)
        put_band(w, f);
    rd_json_end_object(w);
}

static void put_facts(rd_json_writer *w, const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    char binning[32];
    rd_binning_name(f->binning, binning);
    rd_json_put_u64(w, "references", f->references);
    rdi_json_put_u64_or_null(w, "blocks", f->blocks, RD_UNKNOWN);
    rdi_json_put_u64_or_null(w, "cold", f->cold, RD_UNKNOWN);
    rd_json_put_u64(w, "infinite", f->infinite);
    rdi_json_put_u64_or_null(w, "block_bytes", f->block_bytes, 0);
    rd_json_put_string(w, "kinds", f->kinds);
    rdi_json_put_u64_or_null(w, "bound", f->bound, 0);
    put_engine(w, f);
    rd_json_put_bool(w, "exact", f->exact);
    put_error(w, p);
    rd_json_put_string(w, "binning", binning);
    rd_json_put_bool(w, "sums_known", f->sums_known);
    rd_json_put_bool(w, "partial", f->partial);
    rdi_json_put_u64_or_null(w, "skipped", f->skipped, RD_UNKNOWN);
    if (f->unrecorded)
        rd_json_put_u64(w, "unrecorded", f->unrecorded);
    rd_json_put_double(w, "seconds", f->seconds);
}

static void put_sources(rd_json_writer *w, const rd_profile *p) {
    const rd_source *sources;
    size_t n = rd_profile_sources(p, &sources);
    rd_json_begin_array(w, "sources", RD_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "path", sources[i].path);
        rd_json_put_string(w, "format", sources[i].format);
        rd_json_put_u64(w, "bytes", sources[i].bytes);
        rd_json_put_u64(w, "references", sources[i].references);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

void rdi_profile_write_head(rd_json_writer *w, const rd_profile *p) {
    put_facts(w, p);
    put_sources(w, p);
}

void rdi_profile_write_histogram(rd_json_writer *w, const rd_bin *bins, size_t n, bool sums_known,
                                 rd_json_layout layout) {
    rd_json_begin_array(w, "histogram", layout);
    for (size_t i = 0; i < n; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, bins[i].low);
        rd_json_put_u64(w, NULL, bins[i].high);
        rd_json_put_u64(w, NULL, bins[i].count);
        if (sums_known)
            rdi_json_put_u128(w, NULL, rdi_sum_wide(bins[i].sum));
        else
            rd_json_put_null(w, NULL);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

rd_status rd_profile_json(rd_profile *p, char **out, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, out, n);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rdi_sections *sections = rdi_profile_sections(p);
    unsigned minor = rdi_sections_minor(sections);
    char schema[64];
    const rd_bin *bins;
    size_t n_bins = rd_profile_bins(p, &bins);
    snprintf(schema, sizeof schema, minor ? RDI_PROFILE_SCHEMA ".%u" : RDI_PROFILE_SCHEMA, minor);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_json_put_string(&w, "schema", schema);
    rdi_json_put_tool(&w);
    rdi_profile_write_head(&w, p);
    rdi_thresholds_write(&w, &facts->sampling);
    rdi_sections_write(&w, sections);
    rdi_profile_write_histogram(&w, bins, n_bins, facts->sums_known, RD_JSON_LINES);
    rd_json_end_object(&w);
    return rd_json_writer_take(&w, out, n);
}
