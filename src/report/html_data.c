/* Writes profiles as JSON for the page. See html_data.h. */
#include "report/html_data.h"

#include "profile/profile_write.h"
#include "report/change.h"
#include "report/line_words.h"

#include <math.h>
#include <string.h>

#define MAX_KNEES       3
#define BAND_PER_OCTAVE 4

/* Writes the mean of the finite distances, or null if it is unknown. */
static void put_mean(rd_json_writer *w, const rd_profile *p) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    double sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rd_bin_mean(&bins[i]) * (double)bins[i].count;
        count += (double)bins[i].count;
    }
    bool known = rd_profile_facts_of(p)->sums_known && count > 0;
    rd_json_put_double(w, "mean", known ? sum / count : NAN);
}

/* ---- miss ratios ---- */

static rd_status put_curve(rd_json_writer *w, const rd_profile *p) {
    rd_ctx *ctx = w->text.ctx;
    rd_mrc_point *points = NULL;
    size_t n = 0;
    RD_TRY(rdi_html_curve(ctx, p, &points, &n));
    rdi_html_put_curve(w, "curve", "blocks", points, n);
    rdi_free(ctx, points);
    return RD_OK;
}

/* Computes the band at a size. Near a bound the band is unknown, because it depends on the curve at
 * larger sizes. */
static rd_status band_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *low,
                         double *high, bool *known) {
    rd_status status = rd_mrc_has_band(p) ? rd_mrc_band(ctx, p, blocks, low, high) : RD_EINVAL;
    *known = status == RD_OK;
    return status == RD_EINVAL ? RD_OK : status;
}

rd_status rdi_html_band(rd_json_writer *w, const rd_profile *p) {
    uint64_t end = rdi_html_end(p), last = 0, resolution = rd_mrc_resolution(p);
    rd_json_begin_array(w, "band", RD_JSON_INLINE);
    bool known = rd_mrc_has_band(p);
    for (unsigned i = 0; last < end && known; i++) {
        double size = floor(exp2((double)i / BAND_PER_OCTAVE));
        uint64_t blocks = size < (double)end ? (uint64_t)size : end;
        if (blocks == last || (blocks < resolution && blocks < end))
            continue;
        double low = 0, high = 1;
        RD_TRY(band_at(w->text.ctx, p, blocks, &low, &high, &known));
        if (!known)
            break;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, blocks);
        rdi_json_put_rounded(w, NULL, low, RDI_RATIO_DIGITS);
        rdi_json_put_rounded(w, NULL, high, RDI_RATIO_DIGITS);
        rd_json_end_array(w);
        last = blocks;
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* Writes a size, its miss ratio and its band, if it has one, as members of an object. The ratio is
 * unknown above a bound, and below the resolution of a sample. */
static rd_status put_size(rd_json_writer *w, const rd_profile *p, uint64_t blocks) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    rd_json_put_u64(w, "blocks", blocks);
    if ((f->bound && blocks > f->bound) || blocks < rd_mrc_resolution(p)) {
        rd_json_put_null(w, "miss");
        return RD_OK;
    }
    rd_ctx *ctx = w->text.ctx;
    double miss = 0, low = 0, high = 1;
    bool interpolated = false, known = false;
    RD_TRY(rd_mrc_at(ctx, p, blocks, &miss, &interpolated));
    rd_json_put_double(w, "miss", miss);
    rd_json_put_bool(w, "interpolated", interpolated);
    RD_TRY(band_at(ctx, p, blocks, &low, &high, &known));
    if (known) {
        rd_json_put_double(w, "low", low);
        rd_json_put_double(w, "high", high);
    }
    return RD_OK;
}

/* Writes the miss ratios of the page's caches, or none if blocks have no size in bytes. */
static rd_status put_levels(rd_json_writer *w, const rd_page *page, const rd_profile *p) {
    uint64_t block_bytes = rd_profile_facts_of(p)->block_bytes;
    rd_json_begin_array(w, "at_levels", RD_JSON_INLINE);
    for (size_t i = 0; i < page->n_levels && block_bytes; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "level", i);
        RD_TRY(put_size(w, p, page->levels[i].bytes / block_bytes));
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* Writes the misses at half the size of a working set. */
static rd_status put_before(rd_json_writer *w, const rd_profile *p, const rd_knee *knee) {
    double miss;
    bool interpolated;
    RD_TRY(rd_mrc_at(w->text.ctx, p, knee->blocks / 2, &miss, &interpolated));
    rdi_json_put_rounded(w, "before", knee->miss_before, RDI_RATIO_DIGITS);
    rd_json_put_bool(w, "before_interpolated", interpolated);
    return RD_OK;
}

/* Writes a useful size like put_size(), and whether a smaller cache may be enough, because the size lies inside a
 * wide bin or at its end ("rounded"). */
static rd_status put_useful_size(rd_json_writer *w, const rd_profile *p, uint64_t blocks) {
    rd_json_put_bool(w, "rounded", rdi_mrc_size_before(p, blocks) + 1 < blocks);
    return put_size(w, p, blocks);
}

/* Writes useful cache sizes: the sizes with 90 % and 99 % of the achievable hits, and working sets
 * with the misses at half their size ("before"). Sizes that a sample does not resolve are left
 * out. */
static rd_status put_sizes(rd_json_writer *w, const rd_profile *p) {
    static const unsigned percents[] = {90, 99};
    rd_knee knees[MAX_KNEES];
    uint64_t resolution = rd_mrc_resolution(p);
    rd_json_begin_array(w, "sizes", RD_JSON_INLINE);
    for (size_t i = 0; i < RDI_COUNT(percents); i++) {
        uint64_t blocks = rd_smallest_cache(p, percents[i] / 100.0);
        if (blocks == RD_UNKNOWN || blocks == 0 || blocks < resolution)
            continue;
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "hits", percents[i]);
        RD_TRY(put_useful_size(w, p, blocks));
        rd_json_end_object(w);
    }
    size_t n = rd_knees(p, knees, MAX_KNEES);
    for (size_t i = 0; i < n; i++) {
        if (knees[i].blocks < resolution)
            continue;
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        if (knees[i].blocks / 2 >= resolution)
            RD_TRY(put_before(w, p, &knees[i]));
        RD_TRY(put_useful_size(w, p, knees[i].blocks));
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* ---- histogram ---- */

/* Writes the first and last distance of each bin and the number of references in it. The counts
 * come from the curve, which is exact at the ends of the profile's own bins and spreads references
 * evenly between them. */
static void put_bins(rd_json_writer *w, const rd_profile *p, const rdi_html_axis *axis,
                     rdi_html_bins bins, const char *key) {
    double references = (double)rd_profile_facts_of(p)->references, before = 1;
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    bool any = false;
    rd_json_begin_object(w, key, RD_JSON_INLINE);
    rd_json_begin_array(w, "rows", RD_JSON_INLINE);
    uint64_t end = rdi_html_end(p);
    for (uint64_t edge = 0; edge < end;) {
        uint64_t next = rdi_html_next_edge(axis, bins, edge);
        bool interpolated = false;
        double miss = rdi_mrc_scan_at(&scan, next, &interpolated);
        any = any || interpolated;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, edge);
        rd_json_put_u64(w, NULL, next - 1);
        rd_json_put_fixed(w, NULL, (before - miss) * references, 0);
        rd_json_end_array(w);
        before = miss;
        edge = next;
    }
    rd_json_end_array(w);
    rd_json_put_bool(w, "interpolated", any);
    rd_json_end_object(w);
}

static void put_histogram(rd_json_writer *w, const rd_profile *p, const rdi_html_axis *axis) {
    rd_json_begin_object(w, "bins", RD_JSON_INLINE);
    put_bins(w, p, axis, RDI_HTML_LOG, "log");
    put_bins(w, p, axis, RDI_HTML_FINE, "fine");
    put_bins(w, p, axis, RDI_HTML_LINEAR, "linear");
    rd_json_end_object(w);
}

/* ---- the line with the most misses ---- */

/* Writes a sentence as a string, or null if it is empty. */
static rd_status put_words(rd_json_writer *w, rdi_text *words) {
    if (words->n)
        rd_json_put_string(w, NULL, words->data);
    else
        rd_json_put_null(w, NULL);
    rd_status status = words->status;
    rdi_text_drop(words);
    return status;
}

/* Writes what the library says about the worst line of each level: [distance, advice]. */
static rd_status put_line_words(rd_json_writer *w, const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    rd_json_begin_array(w, "line_words", RD_JSON_INLINE);
    for (size_t k = 0; d && d->attribution && k < d->n_levels; k++) {
        rdi_text distance = rdi_text_start(w->text.ctx), advice = distance;
        rdi_say_distance(p, k, &distance);
        rdi_say_advice(p, k, &advice);
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_status status = put_words(w, &distance), other = put_words(w, &advice);
        rd_json_end_array(w);
        RD_TRY(status);
        RD_TRY(other);
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* ---- the whole object ---- */

static rd_status put_profile(rd_json_writer *w, const rd_page *page, size_t i,
                             const rdi_html_axis *axis) {
    const rd_profile *p = page->profiles[i];
    bool measured = rdi_mrc_measured(p);
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "name", page->names[i]);
    rdi_profile_write_head(w, p);
    rdi_profile_write_interleaving(w, p);
    rd_json_put_bool(w, "measured", measured);
    rd_json_put_u64(w, "resolution", rd_mrc_resolution(p));
    if (measured) {
        put_mean(w, p);
        RD_TRY(put_curve(w, p));
        RD_TRY(rdi_html_band(w, p));
        RD_TRY(put_levels(w, page, p));
        RD_TRY(put_sizes(w, p));
        put_histogram(w, p, axis);
    }
    RD_TRY(rdi_html_details(w, p, page->n));
    RD_TRY(put_line_words(w, p));
    RD_TRY(rdi_html_contexts(w, p, page->n));
    RD_TRY(rdi_html_threads(w, p, page->n));
    rdi_html_sharing(w, p, page->n);
    if (page->source_text)
        RD_TRY(rdi_html_sources(w, p, page->n));
    rd_json_end_object(w);
    return RD_OK;
}

/* Writes the sentences about the change from the first of two profiles to the second, or none if
 * the page does not have two profiles. */
static rd_status put_change(rd_json_writer *w, const rd_page *page) {
    rdi_change change = {.profiles = page->profiles,
                         .names = page->names,
                         .levels = page->levels,
                         .n_levels = page->n_levels};
    rdi_text words = rdi_text_start(w->text.ctx);
    rd_status status = page->n == 2 ? rdi_change_say(w->text.ctx, &change, &words) : RD_OK;
    rd_json_begin_array(w, "change", RD_JSON_INLINE);
    for (char *line = words.data, *end; status == RD_OK && line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        rd_json_put_string(w, NULL, line);
    }
    rd_json_end_array(w);
    rdi_text_drop(&words);
    return status;
}

/* Writes the comparison of two profiles, or null if the page does not have two profiles or their
 * bins have too little in common. */
static rd_status put_comparison(rd_json_writer *w, const rd_page *page) {
    rd_comparison c;
    rd_status status = RD_EINVAL;
    static const rd_binning_kind kinds[] = {RD_BINS_LOG, RD_BINS_EDGES};
    for (size_t i = 0; i < RDI_COUNT(kinds) && page->n == 2 && status == RD_EINVAL; i++)
        status = rd_compare(w->text.ctx, page->profiles[0], page->profiles[1],
                            (rd_binning){kinds[i], 0}, &c);
    if (status == RD_EINVAL) {
        rd_json_put_null(w, "comparison");
        return RD_OK;
    }
    RD_TRY(status);
    rd_json_begin_object(w, "comparison", RD_JSON_INLINE);
    rd_json_put_bool(w, "identical", c.identical);
    rd_json_put_double(w, "accuracy", c.accuracy);
    rd_json_put_double(w, "average_error", c.average_error);
    rd_json_put_double(w, "max_mrc_error", c.n_mrc_sizes ? c.max_mrc_error : NAN);
    rd_json_put_u64(w, "max_mrc_blocks", c.max_mrc_blocks);
    if (c.bound_checked)
        rd_json_put_bool(w, "bound_held", c.bound_held);
    else
        rd_json_put_null(w, "bound_held");
    rd_json_end_object(w);
    return RD_OK;
}

/* Writes the settings that differ between two profiles, or none if the page does not have two profiles. */
void rdi_html_unlike(rd_json_writer *w, const rd_page *page) {
    static const struct {
        rd_different_setting setting;
        const char *name;
    } settings[] = {{RD_DIFFERENT_BLOCKS, "block sizes"},
                    {RD_DIFFERENT_BOUNDS, "bounds"},
                    {RD_DIFFERENT_KINDS, "kinds of references"},
                    {RD_DIFFERENT_STACKS, "stacks: only one profile has private stacks"},
                    {RD_DIFFERENT_ORDERS, "orders of the threads' references"},
                    {RD_DIFFERENT_WARMUPS, "numbers of requests left out (--warmup)"},
                    {RD_DIFFERENT_EXPIRIES, "rules for expired objects (--expiry)"}};
    uint32_t different =
        page->n == 2 ? rd_profile_differences(page->profiles[0], page->profiles[1]) : 0;
    rd_json_begin_array(w, "unlike", RD_JSON_INLINE);
    for (size_t i = 0; i < RDI_COUNT(settings); i++)
        if (different & settings[i].setting)
            rd_json_put_string(w, NULL, settings[i].name);
    rd_json_end_array(w);
}

static rdi_html_axis common_axis(const rd_page *page) {
    rdi_html_axis axis = {.first = 1};
    for (size_t i = 0; i < page->n; i++) {
        uint64_t end = rdi_html_end(page->profiles[i]),
                 granule = rdi_html_granule(page->profiles[i]);
        axis.end = end > axis.end ? end : axis.end;
        while (axis.first < rd_mrc_resolution(page->profiles[i]) && axis.first < axis.end)
            axis.first *= 2;
        axis.granule = granule > axis.granule ? granule : axis.granule;
    }
    return axis;
}

static rd_status put_page(rd_json_writer *w, const rd_page *page) {
    rdi_html_axis axis = common_axis(page);
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rdi_json_put_tool(w);
    rd_json_put_string(w, "levels_from", page->levels_from);
    rdi_details_write_levels(w, page->levels, page->n_levels);
    rd_json_begin_array(w, "profiles", RD_JSON_INLINE);
    for (size_t i = 0; i < page->n; i++)
        RD_TRY(put_profile(w, page, i, &axis));
    rd_json_end_array(w);
    RD_TRY(put_comparison(w, page));
    rdi_html_unlike(w, page);
    RD_TRY(put_change(w, page));
    RD_TRY(rdi_html_machines(w, page));
    rd_json_end_object(w);
    return RD_OK;
}

rd_status rdi_html_data(rd_ctx *ctx, const rd_page *page, char **json, size_t *n) {
    rd_json_writer w = rdi_json_writer_start(ctx, RD_JSON_COMPACT);
    w.max_string = RDI_HTML_STRING;
    rd_status status = put_page(&w, page);
    if (status == RD_OK)
        return rd_json_writer_take(&w, json, n);
    rdi_json_writer_drop(&w);
    return status;
}
