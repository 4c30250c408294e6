/* Profiles as JSON for the page. See html_data.h. */
#include "report/html_data.h"

#include "base/json.h"
#include "profile/profile_build.h"

#include <math.h>
#include <string.h>

#define MAX_KNEES       3
#define BAND_PER_OCTAVE 4

/* ---- pieces ---- */

static void add_key(rdi_text *t, const char *key) {
    rdi_text_printf(t, ",\"%s\":", key);
}

static void add_text(rdi_text *t, const char *key, const char *value) {
    add_key(t, key);
    if (value)
        rdi_text_json_string(t, value);
    else
        rdi_text_puts(t, "null");
}

static void add_number(rdi_text *t, const char *key, uint64_t value) {
    add_key(t, key);
    rdi_text_u64(t, value);
}

/* null where the value says that nothing is known. */
static void add_known(rdi_text *t, const char *key, uint64_t value, uint64_t unknown) {
    if (value != unknown)
        add_number(t, key, value);
    else
        add_text(t, key, NULL);
}

static void add_bool(rdi_text *t, const char *key, bool value) {
    add_key(t, key);
    rdi_text_puts(t, value ? "true" : "false");
}

static void add_double(rdi_text *t, const char *key, double value) {
    add_key(t, key);
    rdi_text_json_double(t, value);
}

/* Six digits are more than a screen can show, and much shorter than all of them. */
static void add_ratio(rdi_text *t, double ratio) {
    rdi_text_printf(t, "%.6g", ratio);
}

/* ---- what was measured, and how ---- */

static void add_facts(rdi_text *t, const rd_profile_facts *f) {
    char binning[32];
    rd_binning_name(f->binning, binning);
    add_number(t, "references", f->references);
    add_known(t, "blocks", f->blocks, RD_UNKNOWN);
    add_known(t, "cold", f->cold, RD_UNKNOWN);
    add_number(t, "infinite", f->infinite);
    add_known(t, "block_bytes", f->block_bytes, 0);
    add_known(t, "bound", f->bound, 0);
    add_text(t, "kinds", f->kinds);
    add_text(t, "engine", f->engine);
    add_text(t, "engine_options", f->engine_options);
    add_bool(t, "exact", f->exact);
    add_text(t, "error_kind", f->error_kind);
    add_double(t, "error_bound", f->error_bound);
    add_double(t, "sample_rate", f->sample_rate);
    add_text(t, "binning", binning);
    add_bool(t, "partial", f->partial);
    add_known(t, "skipped", f->skipped, RD_UNKNOWN);
    add_double(t, "seconds", f->seconds);
}

static void add_sources(rdi_text *t, const rd_profile *p) {
    const rd_source *sources;
    size_t n = rd_profile_sources(p, &sources);
    add_key(t, "sources");
    for (size_t i = 0; i < n; i++) {
        rdi_text_printf(t, "%s{\"number\":%zu", i ? "," : "[", i + 1);
        add_text(t, "path", sources[i].path);
        add_text(t, "format", sources[i].format);
        add_number(t, "bytes", sources[i].bytes);
        add_number(t, "references", sources[i].references);
        rdi_text_putc(t, '}');
    }
    rdi_text_puts(t, n ? "]" : "[]");
}

/* Average of the finite distances. */
static void add_mean(rdi_text *t, const rd_profile *p) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rd_bin_mean(&bins[i]) * (double)bins[i].count;
        count += (double)bins[i].count;
    }
    bool known = rd_profile_facts_of(p)->sums_known && count > 0;
    add_double(t, "mean", known ? sum / count : NAN);
}

/* ---- miss ratios ---- */

static rd_status add_curve(rdi_text *t, const rd_profile *p) {
    rd_mrc_point *points = NULL;
    size_t n = 0;
    RD_TRY(rdi_html_curve(t->ctx, p, &points, &n));
    add_key(t, "curve");
    rdi_text_puts(t, "{\"blocks\":");
    for (size_t i = 0; i < n; i++) {
        rdi_text_putc(t, i ? ',' : '[');
        rdi_text_u64(t, points[i].blocks);
    }
    rdi_text_puts(t, "],\"miss\":");
    for (size_t i = 0; i < n; i++) {
        rdi_text_putc(t, i ? ',' : '[');
        add_ratio(t, points[i].miss_ratio);
    }
    rdi_text_puts(t, "]}");
    rdi_free(t->ctx, points);
    return RD_OK;
}

/* A band is read at somewhat larger sizes too: near a bound there is none. */
static rd_status band_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *low,
                         double *high, bool *known) {
    rd_status status = rd_mrc_has_band(p) ? rd_mrc_band(ctx, p, blocks, low, high) : RD_EINVAL;
    *known = status == RD_OK;
    return status == RD_EINVAL ? RD_OK : status;
}

/* [blocks, low, high] at a few sizes per octave. */
static rd_status add_band(rdi_text *t, const rd_profile *p) {
    uint64_t end = rdi_html_end(p), last = 0;
    add_key(t, "band");
    rdi_text_putc(t, '[');
    bool known = rd_mrc_has_band(p);
    for (unsigned i = 0; last < end && known; i++) {
        double size = floor(exp2((double)i / BAND_PER_OCTAVE));
        uint64_t blocks = size < (double)end ? (uint64_t)size : end;
        if (blocks == last)
            continue;
        double low = 0, high = 1;
        RD_TRY(band_at(t->ctx, p, blocks, &low, &high, &known));
        if (!known)
            break;
        rdi_text_puts(t, last ? ",[" : "[");
        rdi_text_u64(t, blocks);
        rdi_text_printf(t, ",%.6g,%.6g]", low, high);
        last = blocks;
    }
    rdi_text_putc(t, ']');
    return RD_OK;
}

/* A size and its miss ratio, as members of an object. Nothing is known above a bound. */
static rd_status add_size(rdi_text *t, const rd_profile *p, uint64_t blocks) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    add_number(t, "blocks", blocks);
    if (f->bound && blocks > f->bound) {
        add_text(t, "miss", NULL);
        return RD_OK;
    }
    double miss = 0, low = 0, high = 1;
    bool interpolated = false, known = false;
    RD_TRY(rd_mrc_at(t->ctx, p, blocks, &miss, &interpolated));
    add_double(t, "miss", miss);
    add_bool(t, "interpolated", interpolated);
    RD_TRY(band_at(t->ctx, p, blocks, &low, &high, &known));
    if (known) {
        add_double(t, "low", low);
        add_double(t, "high", high);
    }
    return RD_OK;
}

/* Miss ratios at the caches of the page; null where blocks have no size in bytes. */
static rd_status add_levels(rdi_text *t, const rd_page *page, const rd_profile *p) {
    uint64_t block_bytes = rd_profile_facts_of(p)->block_bytes;
    add_key(t, "at_levels");
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < page->n_levels && block_bytes; i++) {
        rdi_text_printf(t, "%s{\"level\":%zu", i ? "," : "", i);
        RD_TRY(add_size(t, p, page->levels[i].bytes / block_bytes));
        rdi_text_putc(t, '}');
    }
    rdi_text_putc(t, ']');
    return RD_OK;
}

/* Sizes worth knowing: for most of the hits, and where working sets fit. */
static rd_status add_sizes(rdi_text *t, const rd_profile *p) {
    static const unsigned percents[] = {90, 99};
    rd_knee knees[MAX_KNEES];
    const char *separator = "";
    add_key(t, "sizes");
    rdi_text_putc(t, '[');
    for (size_t i = 0; i < RDI_COUNT(percents); i++) {
        uint64_t blocks = rd_smallest_cache(p, percents[i] / 100.0);
        if (blocks == RD_UNKNOWN || blocks == 0)
            continue;
        rdi_text_printf(t, "%s{\"hits\":%u", separator, percents[i]);
        RD_TRY(add_size(t, p, blocks));
        rdi_text_putc(t, '}');
        separator = ",";
    }
    size_t n = rd_knees(p, knees, MAX_KNEES);
    for (size_t i = 0; i < n; i++) {
        rdi_text_printf(t, "%s{\"before\":%.6g", separator, knees[i].miss_before);
        RD_TRY(add_size(t, p, knees[i].blocks));
        rdi_text_putc(t, '}');
        separator = ",";
    }
    rdi_text_putc(t, ']');
    return RD_OK;
}

/* ---- histogram ---- */

/* Ends of bins, and how many references are in each. They follow from the curve, which is exact at
 * the ends of the profile's own bins and spreads references evenly inside. */
static void add_bins(rdi_text *t, const rd_profile *p, const rdi_html_axis *axis,
                     rdi_html_bins bins, const char *key) {
    double references = (double)rd_profile_facts_of(p)->references, before = 1;
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    bool any = false;
    rdi_text_printf(t, "\"%s\":{\"rows\":[", key);
    uint64_t end = rdi_html_end(p);
    for (uint64_t edge = 0; edge < end;) {
        uint64_t next = rdi_html_next_edge(axis, bins, edge);
        bool interpolated = false;
        double miss = rdi_mrc_scan_at(&scan, next, &interpolated);
        any = any || interpolated;
        rdi_text_printf(t, "%s[", edge ? "," : "");
        rdi_text_u64(t, edge);
        rdi_text_putc(t, ',');
        rdi_text_u64(t, next - 1);
        rdi_text_printf(t, ",%.0f]", (before - miss) * references);
        before = miss;
        edge = next;
    }
    rdi_text_printf(t, "],\"interpolated\":%s}", any ? "true" : "false");
}

static void add_histogram(rdi_text *t, const rd_profile *p, const rdi_html_axis *axis) {
    add_key(t, "bins");
    rdi_text_putc(t, '{');
    add_bins(t, p, axis, RDI_HTML_LOG, "log");
    rdi_text_putc(t, ',');
    add_bins(t, p, axis, RDI_HTML_FINE, "fine");
    rdi_text_putc(t, ',');
    add_bins(t, p, axis, RDI_HTML_LINEAR, "linear");
    rdi_text_putc(t, '}');
}

/* ---- together ---- */

static rd_status add_profile(rdi_text *t, const rd_page *page, size_t i,
                             const rdi_html_axis *axis) {
    const rd_profile *p = page->profiles[i];
    rdi_text_printf(t, "%s{\"number\":%zu", i ? "," : "", i + 1);
    add_text(t, "name", page->names[i]);
    add_facts(t, rd_profile_facts_of(p));
    add_sources(t, p);
    add_bool(t, "measured", rdi_mrc_measured(p));
    if (rdi_mrc_measured(p)) {
        add_mean(t, p);
        RD_TRY(add_curve(t, p));
        RD_TRY(add_band(t, p));
        RD_TRY(add_levels(t, page, p));
        RD_TRY(add_sizes(t, p));
        add_histogram(t, p, axis);
    }
    rdi_html_details(t, p, page->n);
    rdi_text_putc(t, '}');
    return RD_OK;
}

/* What `compare` says of two profiles; bins that have too little in common leave it out. */
static rd_status add_comparison(rdi_text *t, const rd_page *page) {
    rd_comparison c;
    rd_status status = RD_EINVAL;
    static const rd_binning_kind kinds[] = {RD_BINS_LOG, RD_BINS_EDGES};
    for (size_t i = 0; i < RDI_COUNT(kinds) && page->n == 2 && status == RD_EINVAL; i++)
        status =
            rd_compare(t->ctx, page->profiles[0], page->profiles[1], (rd_binning){kinds[i], 0}, &c);
    if (status == RD_EINVAL) {
        add_text(t, "comparison", NULL);
        return RD_OK;
    }
    RD_TRY(status);
    add_key(t, "comparison");
    rdi_text_printf(t, "{\"identical\":%s", c.identical ? "true" : "false");
    add_double(t, "accuracy", c.accuracy);
    add_double(t, "average_error", c.average_error);
    add_double(t, "max_mrc_error", c.n_mrc_sizes ? c.max_mrc_error : NAN);
    add_number(t, "max_mrc_blocks", c.max_mrc_blocks);
    add_key(t, "bound_held");
    rdi_text_puts(t, !c.bound_checked ? "null" : c.bound_held ? "true" : "false");
    rdi_text_putc(t, '}');
    return RD_OK;
}

static rdi_html_axis common_axis(const rd_page *page) {
    rdi_html_axis axis = {0, 0};
    for (size_t i = 0; i < page->n; i++) {
        uint64_t end = rdi_html_end(page->profiles[i]),
                 granule = rdi_html_granule(page->profiles[i]);
        axis.end = end > axis.end ? end : axis.end;
        axis.granule = granule > axis.granule ? granule : axis.granule;
    }
    return axis;
}

rd_status rdi_html_data(rdi_text *t, const rd_page *page) {
    rdi_html_axis axis = common_axis(page);
    rdi_text_puts(t, "{\"tool\":");
    rdi_text_printf(t, "\"reusedist %s\"", rd_version());
    add_text(t, "levels_from", page->levels_from);
    rdi_html_levels(t, "levels", page->levels, page->n_levels);
    rdi_text_puts(t, ",\"profiles\":[");
    for (size_t i = 0; i < page->n; i++)
        RD_TRY(add_profile(t, page, i, &axis));
    rdi_text_putc(t, ']');
    RD_TRY(add_comparison(t, page));
    rdi_text_puts(t, "}\n");
    return RD_OK;
}
