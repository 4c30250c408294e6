/* Computes miss-ratio curves, and the cache sizes that follow from them.
 *
 * A fully associative LRU cache of C blocks hits exactly the references with a distance below C, so
 * the curve is 1 minus the cumulative histogram. Every finite distance is below the bound, or below
 * the number of blocks, so bins are cut at this limit. The distribution of the distances inside a
 * bin is unknown, but often their mean is known. The distances are assumed to be spread evenly over
 * the widest range inside the bin that has this mean in the middle, so that distances near the
 * lower end of a bin do not appear as spread over the whole bin.
 */
#include "model/mrc.h"

#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hits of caches of increasing size ---- */

rdi_mrc_scan rdi_mrc_scan_start(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    rdi_mrc_scan scan = {
        .limit = UINT64_MAX, .references = facts->references, .sums_known = facts->sums_known};
    if (facts->bound)
        scan.limit = facts->bound;
    else if (facts->blocks != RD_UNKNOWN)
        scan.limit = facts->blocks;
    scan.n = rd_profile_bins(p, &scan.bins);
    return scan;
}

uint64_t rdi_mrc_bin_end(const rdi_mrc_scan *scan, const rd_bin *bin) {
    uint64_t end = bin->high == UINT64_MAX ? UINT64_MAX : bin->high + 1;
    return scan->limit > bin->low && scan->limit < end ? scan->limit : end;
}

uint64_t rdi_mrc_end(const rdi_mrc_scan *scan) {
    return scan->n ? rdi_mrc_bin_end(scan, &scan->bins[scan->n - 1]) : 0;
}

rdi_mrc_spread rdi_mrc_bin_spread(const rdi_mrc_scan *scan, const rd_bin *bin) {
    rdi_mrc_spread spread = {bin->low, rdi_mrc_bin_end(scan, bin)};
    double low = (double)spread.from, high = (double)(spread.end - 1), mean = rd_bin_mean(bin);
    if (!scan->sums_known || !(mean >= low && mean <= high))
        return spread;
    if (mean - low < high - mean) {
        uint64_t reach = (uint64_t)ceil(2 * (mean - low)) + 1;
        if (reach < spread.end - spread.from)
            spread.end = spread.from + reach;
    } else {
        uint64_t reach = (uint64_t)ceil(2 * (high - mean)) + 1;
        if (reach < spread.end - spread.from)
            spread.from = spread.end - reach;
    }
    return spread;
}

/* Returns the fraction of a bin's references that are assumed to have a distance below `blocks`. */
static double share_below(const rdi_mrc_scan *scan, const rd_bin *bin, uint64_t blocks) {
    rdi_mrc_spread spread = rdi_mrc_bin_spread(scan, bin);
    if (blocks <= spread.from)
        return 0;
    if (blocks >= spread.end)
        return 1;
    return (double)(blocks - spread.from) / (double)(spread.end - spread.from);
}

/* Adds the references of all bins that end at or below `blocks` to scan->below. Returns the
 * estimated number of references with a distance below `blocks` in the bins that contain `blocks`.
 * *divided says whether there are such bins. */
static double count_below(rdi_mrc_scan *scan, uint64_t blocks, bool *divided) {
    while (scan->next < scan->n && rdi_mrc_bin_end(scan, &scan->bins[scan->next]) <= blocks)
        scan->below += scan->bins[scan->next++].count;
    double part = 0;
    size_t i = scan->next;
    for (; i < scan->n && scan->bins[i].low < blocks; i++)
        part += (double)scan->bins[i].count * share_below(scan, &scan->bins[i], blocks);
    *divided = i > scan->next;
    return part;
}

double rdi_mrc_scan_at(rdi_mrc_scan *scan, uint64_t blocks, bool *interpolated) {
    double part = count_below(scan, blocks, interpolated);
    if (scan->references == 0)
        return 1;
    return ((double)(scan->references - scan->below) - part) / (double)scan->references;
}

bool rdi_mrc_measured(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_bin *bins;
    bool times = facts->error_kind && strcmp(facts->error_kind, RDI_KIND_TIME) == 0;
    return !times && (facts->infinite > 0 || rd_profile_bins(p, &bins) > 0);
}

rd_status rdi_mrc_check(rd_ctx *ctx, const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    if (facts->references && !rdi_mrc_measured(p))
        return rdi_fail(
            ctx, RD_EINVAL,
            "engine %s gave no reuse distances, so there are no miss ratios; use another engine",
            facts->engine ? facts->engine : "(unknown)");
    return RD_OK;
}

rd_status rd_mrc_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *miss_ratio,
                    bool *interpolated) {
    RDI_NEED(ctx, ctx, p, miss_ratio);
    RD_TRY(rdi_mrc_check(ctx, p));
    uint64_t bound = rd_profile_facts_of(p)->bound;
    if (bound && blocks > bound)
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64
                        " blocks is larger than the analysis bound of %" PRIu64
                        " blocks; analyze with a larger bound, or with none",
                        blocks, bound);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    bool divided;
    *miss_ratio = rdi_mrc_scan_at(&scan, blocks, &divided);
    if (interpolated)
        *interpolated = divided;
    return RD_OK;
}

/* ---- the whole curve ---- */

static int compare_blocks(const void *a, const void *b) {
    uint64_t x = ((const rd_mrc_point *)a)->blocks, y = ((const rd_mrc_point *)b)->blocks;
    return (x > y) - (x < y);
}

#define BENDS 4 /* maximum number of bends per bin: its two ends and the two ends of its spread */

/* Collects 0 and all sizes where the slope of the curve changes, in ascending order and without
 * duplicates. Returns their number. */
static size_t collect_bends(const rdi_mrc_scan *scan, rd_mrc_point *points) {
    size_t n = 0;
    bool sorted = true;
    points[n++].blocks = 0;
    for (size_t i = 0; i < scan->n; i++) {
        const rd_bin *bin = &scan->bins[i];
        rdi_mrc_spread spread = rdi_mrc_bin_spread(scan, bin);
        const uint64_t bends[BENDS] = {bin->low, spread.from, spread.end,
                                       rdi_mrc_bin_end(scan, bin)};
        for (size_t k = 0; k < BENDS; k++)
            if (bends[k] != points[n - 1].blocks) {
                sorted = sorted && bends[k] > points[n - 1].blocks;
                points[n++].blocks = bends[k];
            }
    }
    if (sorted)
        return n;
    qsort(points, n, sizeof *points, compare_blocks);
    size_t kept = 1;
    for (size_t i = 1; i < n; i++)
        if (points[i].blocks != points[kept - 1].blocks)
            points[kept++] = points[i];
    return kept;
}

rd_status rd_mrc_curve(rd_ctx *ctx, const rd_profile *p, rd_mrc_point **points, size_t *n) {
    RDI_NEED(ctx, ctx, p, points, n);
    RD_TRY(rdi_mrc_check(ctx, p));
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    rd_mrc_point *curve = rdi_alloc(ctx, BENDS * scan.n + 1, sizeof *curve);
    if (!curve)
        return RD_ENOMEM;
    size_t count = collect_bends(&scan, curve);
    bool divided;
    for (size_t i = 0; i < count; i++)
        curve[i].miss_ratio = rdi_mrc_scan_at(&scan, curve[i].blocks, &divided);
    *points = curve;
    *n = count;
    return RD_OK;
}

void rd_mrc_free(rd_ctx *ctx, rd_mrc_point *points) {
    if (ctx)
        rdi_free(ctx, points);
}

/* ---- sizes ---- */

uint64_t rdi_mrc_size_before(const rd_profile *p, uint64_t blocks) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t before = blocks ? blocks - 1 : 0;
    for (size_t i = scan.n; i-- > 0;)
        if (scan.bins[i].low < before && rdi_mrc_bin_end(&scan, &scan.bins[i]) > before)
            before = scan.bins[i].low;
    return before;
}

/* The tolerance of comparisons with a fraction, because the double 0.9 is slightly above nine
 * tenths. */
#define TOLERANCE 1e-12

/* Returns the number of references that an infinite cache misses, or RD_UNKNOWN if a bound hides it.
 * No cache keeps blocks that other threads remove, deleted objects, or expired objects. */
static uint64_t unavoidable_misses(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    bool infinite = rd_profile_private(p) || rd_profile_objects(p);
    return infinite ? facts->infinite : facts->cold;
}

uint64_t rd_smallest_cache(const rd_profile *p, double share) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    if (!facts || facts->cold == RD_UNKNOWN)
        return RD_UNKNOWN;
    double wanted = share * (double)(facts->references - unavoidable_misses(p));
    wanted -= wanted * TOLERANCE;
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    if (wanted <= 0)
        return 0;
    uint64_t hits = 0;
    for (size_t i = 0; i < scan.n; i++) {
        hits += scan.bins[i].count;
        if ((double)hits >= wanted)
            return rdi_mrc_bin_end(&scan, &scan.bins[i]);
    }
    return RD_UNKNOWN;
}

rd_status rd_cache_for_hits(rd_ctx *ctx, const rd_profile *p, double requested,
                            rd_hits_answer *out) {
    RDI_NEED(ctx, ctx, p, out);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    RD_TRY(rdi_mrc_check(ctx, p));
    if (!(requested >= 0 && requested <= 1))
        return rdi_fail(ctx, RD_EINVAL, "the hit ratio is %g; it must be from 0 to 1", requested);
    double total = facts->references ? (double)facts->references : 1;
    uint64_t misses = unavoidable_misses(p);
    rd_hits_answer answer = {.requested = requested,
                             .cold = misses == RD_UNKNOWN ? NAN : (double)misses / total};
    double wanted = requested * total * (1 - TOLERANCE);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    uint64_t hits = 0;
    for (size_t i = 0; i < scan.n && (double)hits < wanted; i++) {
        hits += scan.bins[i].count;
        answer.blocks = rdi_mrc_bin_end(&scan, &scan.bins[i]);
    }
    answer.hit_ratio = (double)hits / total;
    answer.reachable = (double)hits >= wanted;
    *out = answer;
    return RD_OK;
}
