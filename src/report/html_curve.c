/* Makes the miss-ratio curve and the histogram for charts, with as few numbers as possible without
 * a visible difference. */
#include "report/html_data.h"

#include "profile/binning.h"

#include <math.h>

/* Sizes grow by 1/512 per point, which is finer than the pixels of a wide screen. */
#define GRID_SHIFT 9
#define TOLERANCE                                                                                  \
    0.0005           /* largest error of a miss ratio, a quarter of a pixel; at most 2000 points
                          remain */
#define SUB_BINS 8   /* number of fine bins per octave */
#define LINEAR   100 /* approximate maximum number of linear bins */
/* Minimum number of linear bins; with fewer, bins of the profile are divided. */
#define FEW_LINEAR 24

/* ---- the curve ---- */

static uint64_t next_size(uint64_t blocks) {
    uint64_t step = blocks >> GRID_SHIFT;
    return blocks + (step ? step : 1);
}

static size_t count_sizes(uint64_t end) {
    size_t n = 1;
    for (uint64_t blocks = 1; blocks < end; blocks = next_size(blocks))
        n++;
    return n;
}

/* Removes points as long as straight lines between the remaining points, on a logarithmic chart
 * axis of sizes, stay within the tolerance of all points. The lines from the last kept point that pass
 * all points so far within the tolerance form a cone. When a point lies outside the cone, the point before it
 * is kept. Returns the number of points kept, which is limited, because the curve only falls, and
 * every line except the last one falls by more than the tolerance. */
static size_t thin_out(rd_mrc_point *p, size_t n) {
    size_t kept = 1;
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 1; i < n; i++) {
        rd_mrc_point from = p[kept - 1];
        double dx = log2((double)p[i].blocks) - log2((double)from.blocks);
        double slope = (p[i].miss_ratio - from.miss_ratio) / dx;
        if (slope < low || slope > high) {
            from = p[kept++] = p[i - 1];
            dx = log2((double)p[i].blocks) - log2((double)from.blocks);
            low = -INFINITY;
            high = INFINITY;
        }
        low = fmax(low, (p[i].miss_ratio - TOLERANCE - from.miss_ratio) / dx);
        high = fmin(high, (p[i].miss_ratio + TOLERANCE - from.miss_ratio) / dx);
    }
    if (n > 1)
        p[kept++] = p[n - 1];
    return kept;
}

rd_status rdi_html_curve_of(rd_ctx *ctx, const rd_profile *p, rdi_html_ratio *ratio, void *user,
                            rd_mrc_point **out, size_t *n) {
    uint64_t end = rdi_html_end(p);
    rd_mrc_point *points = rdi_alloc(ctx, count_sizes(end), sizeof *points);
    if (!points)
        return RD_ENOMEM;
    size_t count = 0;
    uint64_t resolution = rd_mrc_resolution(p);
    for (uint64_t blocks = 1; blocks < end; blocks = next_size(blocks)) {
        if (blocks < resolution)
            continue;
        points[count].blocks = blocks;
        points[count++].miss_ratio = ratio(user, blocks);
    }
    points[count].blocks = end;
    points[count++].miss_ratio = ratio(user, end);
    *out = points;
    *n = thin_out(points, count);
    return RD_OK;
}

static double miss_ratio(void *user, uint64_t blocks) {
    bool interpolated;
    return rdi_mrc_scan_at(user, blocks, &interpolated);
}

rd_status rdi_html_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **out, size_t *n) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    return rdi_html_curve_of(ctx, p, miss_ratio, &scan, out, n);
}

void rdi_html_put_curve(rd_json_writer *w, const char *key, const char *sizes,
                        const rd_mrc_point *points, size_t n) {
    rd_json_begin_object(w, key, RD_JSON_INLINE);
    rd_json_begin_array(w, sizes, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_u64(w, NULL, points[i].blocks);
    rd_json_end_array(w);
    rd_json_begin_array(w, "miss", RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rdi_json_put_rounded(w, NULL, points[i].miss_ratio, RDI_RATIO_DIGITS);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

uint64_t rdi_html_end(const rd_profile *p) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t bound = rd_profile_facts_of(p)->bound, end = bound ? bound : rdi_mrc_end(&scan);
    return end < 1 ? 1 : end > UINT64_C(1) << 62 ? UINT64_C(1) << 62 : end;
}

/* ---- bins ---- */

uint64_t rdi_html_granule(const rd_profile *p) {
    rd_binning binning = rd_profile_facts_of(p)->binning;
    return binning.kind == RD_BINS_FULL        ? 1
           : binning.kind == RD_BINS_LINEAR    ? binning.param
           : binning.kind == RD_BINS_LOGLINEAR ? rdi_loglinear_width(binning)
                                               : UINT64_MAX;
}

/* Returns the width of a fine bin in the octave that begins at `low`: at least a granule, but at
 * most the octave. */
static uint64_t octave_step(uint64_t low, uint64_t granule) {
    uint64_t step = low / SUB_BINS > granule ? low / SUB_BINS : granule;
    return step && step < low ? step : low;
}

/* Returns the width of a linear bin: whole granules, if that leaves enough bins to show a shape. */
static uint64_t linear_width(const rdi_html_axis *axis) {
    uint64_t width = axis->end / LINEAR + 1, granule = axis->granule;
    if (granule <= axis->end / FEW_LINEAR)
        return (width + granule - 1) / granule * granule;
    return width;
}

uint64_t rdi_html_next_edge(const rdi_html_axis *axis, rdi_html_bins bins, uint64_t edge) {
    if (edge == 0 && (bins != RDI_HTML_LINEAR || axis->first > linear_width(axis)))
        return axis->first;
    if (bins == RDI_HTML_LINEAR)
        return edge + linear_width(axis);
    uint64_t octave = UINT64_C(1) << (rdi_bit_width(edge) - 1);
    return edge + (bins == RDI_HTML_LOG ? octave : octave_step(octave, axis->granule));
}
