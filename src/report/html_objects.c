/* Makes the page of profiles of object caches. Sizes are in bytes. See html_data.h. */
#include "model/objects_curve.h"
#include "profile/profile_write.h"
#include "profile/sections.h"
#include "report/html_data.h"
#include "report/report_objects.h"
#include "report/report_stretches.h"

#define GIB   (UINT64_C(1) << 30)
#define STEPS 8 /* minimum number of steps of memory from 0 to the end of the curve */
/* The page recommends the smallest cache with a hit ratio of GOAL. If no cache reaches it, the page
 * recommends the smallest cache with the share ACHIEVABLE of the hits of an infinite cache. */
#define GOAL       0.9
#define ACHIEVABLE 0.95

/* ---- single sizes ---- */

/* Writes both miss ratios at a size, as members of the open object. */
static rd_status put_ratios(rd_json_writer *w, const rd_profile *p, uint64_t bytes) {
    double miss, byte_miss;
    bool interpolated;
    RD_TRY(rd_objects_at(w->text.ctx, p, bytes, &miss, &byte_miss, &interpolated));
    rd_json_put_double(w, "miss", miss);
    rd_json_put_double(w, "byte_miss", byte_miss);
    rd_json_put_bool(w, "interpolated", interpolated);
    return RD_OK;
}

static rd_status put_larger(rd_json_writer *w, const rd_profile *p, const char *key,
                            uint64_t bytes) {
    rd_json_begin_object(w, key, RD_JSON_INLINE);
    RD_TRY(put_ratios(w, p, bytes));
    rd_json_end_object(w);
    return RD_OK;
}

/* Writes a size, its miss ratios, and the miss ratios of a cache with `step` bytes more and of a
 * cache twice as large, as members of the open object. */
static rd_status put_size(rd_json_writer *w, const rd_profile *p, uint64_t bytes, uint64_t step) {
    rd_json_put_u64(w, "bytes", bytes);
    RD_TRY(put_ratios(w, p, bytes));
    RD_TRY(put_larger(w, p, "more", bytes + step));
    return put_larger(w, p, "twice", 2 * bytes);
}

/* Returns the step of memory in bytes: the page says how many misses this much more memory avoids. The step
 * is 1 GiB, or a smaller power of two if all achievable hits need less than STEPS GiB. */
static uint64_t step_of(const rd_page *page) {
    uint64_t step = 1, end = 0;
    for (size_t i = 0; i < page->n; i++)
        end = rdi_html_end(page->profiles[i]) > end ? rdi_html_end(page->profiles[i]) : end;
    while (step < GIB && 2 * step <= end / STEPS)
        step *= 2;
    return step;
}

static rd_status put_sizes(rd_json_writer *w, const rd_profile *p, uint64_t step) {
    uint64_t sizes[RDI_OBJECTS_SIZES];
    size_t n = rdi_objects_sizes(p, sizes);
    rd_json_begin_array(w, "sizes", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        RD_TRY(put_size(w, p, sizes[i], step));
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* Writes the cache that the page recommends, or null if no cache has hits. It is the smallest cache
 * with the hit ratio GOAL or, if no cache has that, with the share ACHIEVABLE of the hits of an
 * infinite cache. It is at least as large as the largest object, because the misses of smaller
 * caches are unknown. */
static rd_status put_goal(rd_json_writer *w, const rd_profile *p, uint64_t step) {
    rd_hits_answer answer;
    uint64_t largest = rd_profile_objects(p)->largest;
    RD_TRY(rd_cache_for_hits(w->text.ctx, p, GOAL, &answer));
    bool reachable = answer.reachable;
    if (!reachable)
        RD_TRY(rd_cache_for_hits(w->text.ctx, p, ACHIEVABLE * answer.hit_ratio, &answer));
    if (answer.hit_ratio == 0) {
        rd_json_put_null(w, "goal");
        return RD_OK;
    }
    rd_json_begin_object(w, "goal", RD_JSON_INLINE);
    if (reachable)
        rd_json_put_double(w, "hits", GOAL);
    RD_TRY(put_size(w, p, answer.blocks < largest ? largest : answer.blocks, step));
    rd_json_end_object(w);
    return RD_OK;
}

/* ---- curves ---- */

static double byte_ratio(void *user, uint64_t bytes) {
    return rdi_byte_scan_at(user, bytes);
}

static rd_status put_curves(rd_json_writer *w, const rd_profile *p) {
    rd_ctx *ctx = w->text.ctx;
    rdi_byte_scan scan = {.facts = rd_profile_objects(p)};
    rd_mrc_point *points = NULL;
    size_t n = 0;
    RD_TRY(rdi_html_curve(ctx, p, &points, &n));
    rdi_html_put_curve(w, "curve", "bytes", points, n);
    rdi_free(ctx, points);
    RD_TRY(rdi_html_curve_of(ctx, p, byte_ratio, &scan, &points, &n));
    rdi_html_put_curve(w, "byte_curve", "bytes", points, n);
    rdi_free(ctx, points);
    return rdi_html_band(w, p);
}

/* ---- the whole page ---- */

static rd_status put_profile(rd_json_writer *w, const char *name, const rd_profile *p,
                             uint64_t step) {
    bool measured = rdi_mrc_measured(p);
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "name", name);
    rdi_profile_write_head(w, p);
    rdi_section_objects.write(w, rd_profile_objects(p));
    rd_json_put_bool(w, "measured", measured);
    rd_json_put_u64(w, "step", step);
    if (measured) {
        RD_TRY(put_curves(w, p));
        RD_TRY(put_sizes(w, p, step));
        RD_TRY(put_goal(w, p, step));
        if (rd_profile_stretches(p))
            rdi_stretches_put_page(w, p);
    }
    rd_json_end_object(w);
    return RD_OK;
}

static rd_status put_page(rd_json_writer *w, const rd_page *page) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rdi_json_put_tool(w);
    rd_json_begin_array(w, "profiles", RD_JSON_INLINE);
    for (size_t i = 0; i < page->n; i++)
        RD_TRY(put_profile(w, page->names[i], page->profiles[i], step_of(page)));
    rd_json_end_array(w);
    rdi_html_unlike(w, page);
    rd_json_end_object(w);
    return RD_OK;
}

rd_status rdi_html_objects(rd_ctx *ctx, const rd_page *page, char **text, size_t *n) {
    static const char *const scripts[] = {
        "util.js", "objects_words.js",  "export.js",       "charts.js",  "frame.js", "tables.js",
        "tabs.js", "objects_charts.js", "objects_time.js", "objects.js", NULL};
    rd_json_writer w = rdi_json_writer_start(ctx, RD_JSON_COMPACT);
    char *json = NULL;
    size_t length = 0;
    w.max_string = RDI_HTML_STRING;
    rd_status status = put_page(&w, page);
    if (status != RD_OK) {
        rdi_json_writer_drop(&w);
        return status;
    }
    RD_TRY(rd_json_writer_take(&w, &json, &length));
    rdi_html_page made = {"Object cache report", scripts, json, length};
    status = rdi_html_assemble(ctx, &made, text, n);
    rd_text_free(ctx, json);
    return status;
}
