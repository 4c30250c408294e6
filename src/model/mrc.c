/* Miss-ratio curves and what people read off them: cache sizes and working-set knees.
 *
 * A fully associative LRU cache of C blocks hits exactly the references of distance below C, so the
 * curve is the cumulated histogram upside down. Inside a bin it is a straight line; a bin never
 * reaches past the largest distance possible (the bound, or the number of blocks).
 */
#include "reusedist/model.h"

#include "base/base.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- hits of ever larger caches ---- */

/* Bins ascend by low and by high; rows of a reference histogram may overlap. */
typedef struct hit_scan {
    const rd_bin *bins;
    size_t n;
    uint64_t limit;      /* every finite distance is below it */
    uint64_t references; /* finite and infinite */
    size_t next;         /* first bin not yet counted whole */
    uint64_t below;      /* references in the bins before it */
} hit_scan;

static hit_scan scan_start(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    hit_scan scan = {.limit = UINT64_MAX, .references = facts->references};
    if (facts->bound)
        scan.limit = facts->bound;
    else if (facts->blocks != RD_UNKNOWN)
        scan.limit = facts->blocks;
    scan.n = rd_profile_bins(p, &scan.bins);
    return scan;
}

/* First distance behind a bin. */
static uint64_t bin_end(const hit_scan *scan, const rd_bin *bin) {
    uint64_t end = bin->high == UINT64_MAX ? UINT64_MAX : bin->high + 1;
    return scan->limit > bin->low && scan->limit < end ? scan->limit : end;
}

/* Counts the bins below `blocks`, which must not shrink from call to call, into scan->below, and
 * returns the share of those that `blocks` divides. Adds to *cut how many these are. */
static double count_below(hit_scan *scan, uint64_t blocks, size_t *cut) {
    while (scan->next < scan->n && bin_end(scan, &scan->bins[scan->next]) <= blocks)
        scan->below += scan->bins[scan->next++].count;
    double part = 0;
    for (size_t i = scan->next; i < scan->n && scan->bins[i].low < blocks; i++, ++*cut) {
        const rd_bin *bin = &scan->bins[i];
        part += (double)bin->count * (double)(blocks - bin->low) /
                (double)(bin_end(scan, bin) - bin->low);
    }
    return part;
}

static double miss_ratio_at(hit_scan *scan, uint64_t blocks, size_t *cut) {
    *cut = 0;
    if (scan->references == 0)
        return 1;
    double part = count_below(scan, blocks, cut);
    return ((double)(scan->references - scan->below) - part) / (double)scan->references;
}

/* Engines that count without measuring leave nothing to compute with. */
static rd_status check_measured(rd_ctx *ctx, const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    const rd_bin *bins;
    if (facts->references && !facts->infinite && rd_profile_bins(p, &bins) == 0)
        return rdi_fail(ctx, RD_EINVAL, "engine %s measured no distances: there is no miss ratio",
                        facts->engine ? facts->engine : "(unknown)");
    return RD_OK;
}

rd_status rd_mrc_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *miss_ratio,
                    bool *interpolated) {
    RD_TRY(check_measured(ctx, p));
    uint64_t bound = rd_profile_facts_of(p)->bound;
    if (bound && blocks > bound)
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64 " blocks is larger than the bound of %" PRIu64
                        " blocks that was analysed",
                        blocks, bound);
    hit_scan scan = scan_start(p);
    size_t cut = 0;
    *miss_ratio = miss_ratio_at(&scan, blocks, &cut);
    if (interpolated)
        *interpolated = cut > 0;
    return RD_OK;
}

/* ---- the whole curve ---- */

static int compare_blocks(const void *a, const void *b) {
    uint64_t x = ((const rd_mrc_point *)a)->blocks, y = ((const rd_mrc_point *)b)->blocks;
    return (x > y) - (x < y);
}

/* Zero, and both ends of every bin, ascending and each once. Returns how many. */
static size_t collect_ends(const hit_scan *scan, rd_mrc_point *points) {
    size_t n = 0;
    bool sorted = true;
    points[n++].blocks = 0;
    for (size_t i = 0; i < scan->n; i++) {
        const uint64_t ends[] = {scan->bins[i].low, bin_end(scan, &scan->bins[i])};
        for (size_t k = 0; k < RDI_COUNT(ends); k++)
            if (ends[k] != points[n - 1].blocks) {
                sorted = sorted && ends[k] > points[n - 1].blocks;
                points[n++].blocks = ends[k];
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
    RD_TRY(check_measured(ctx, p));
    hit_scan scan = scan_start(p);
    rd_mrc_point *curve = rdi_alloc(ctx, 2 * scan.n + 1, sizeof *curve);
    if (!curve)
        return RD_ENOMEM;
    size_t count = collect_ends(&scan, curve), cut = 0;
    for (size_t i = 0; i < count; i++)
        curve[i].miss_ratio = miss_ratio_at(&scan, curve[i].blocks, &cut);
    *points = curve;
    *n = count;
    return RD_OK;
}

void rd_mrc_free(rd_ctx *ctx, rd_mrc_point *points) {
    rdi_free(ctx, points);
}

/* ---- sizes ---- */

uint64_t rd_smallest_cache(const rd_profile *p, double share) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    if (facts->cold == RD_UNKNOWN)
        return RD_UNKNOWN;
    double wanted = share * (double)(facts->references - facts->cold);
    wanted -= wanted * 1e-12; /* 0.9 is a little more than nine tenths */
    hit_scan scan = scan_start(p);
    if (wanted <= 0)
        return 0;
    uint64_t hits = 0;
    for (size_t i = 0; i < scan.n; i++) {
        hits += scan.bins[i].count;
        if ((double)hits >= wanted)
            return bin_end(&scan, &scan.bins[i]);
    }
    return RD_UNKNOWN;
}

/* ---- knees ----
 * A knee is a size that halving would make much worse and doubling hardly better. The curve is
 * looked at on a grid of fractions of an octave. */

#define STEPS          16           /* per octave */
#define GRID           (64 * STEPS) /* sizes 2^0 to almost 2^64 */
#define KNEE_MIN_GAIN  0.02         /* of all references: less is not worth a name */
#define KNEE_MAX_REST  0.25         /* of the gain may follow within the next octave */
#define KNEE_MIN_SLOPE 0.1          /* of the gain per octave is worth a larger size */

typedef struct knee_grid {
    double miss[GRID];     /* at 2^(i / STEPS) blocks */
    uint64_t blocks[GRID]; /* smallest size with that miss ratio */
    bool taken[GRID];      /* too near to a knee already found */
    size_t n;              /* up to an octave behind the end of the curve, or to the bound */
    bool hidden;           /* behind the bound the curve may go on falling */
} knee_grid;

static uint64_t grid_size(size_t i) {
    return (uint64_t)exp2((double)i / STEPS);
}

static void fill_grid(const rd_profile *p, knee_grid *g) {
    hit_scan scan = scan_start(p);
    memset(g, 0, sizeof *g);
    g->hidden = rd_profile_facts_of(p)->bound != 0;
    uint64_t end = scan.n ? bin_end(&scan, &scan.bins[scan.n - 1]) : 0;
    size_t behind = 0; /* grid points at or behind the end of the curve */
    while (g->n < GRID && behind <= STEPS) {
        uint64_t size = grid_size(g->n);
        if (g->hidden && size > scan.limit)
            break;
        size_t cut = 0;
        g->miss[g->n] = miss_ratio_at(&scan, size, &cut);
        uint64_t settled = scan.next ? bin_end(&scan, &scan.bins[scan.next - 1]) : 0;
        g->blocks[g->n] = cut ? size : settled;
        behind += !g->hidden && size >= end;
        g->n++;
    }
}

/* What the last doubling brought. */
static double gain_at(const knee_grid *g, size_t i) {
    return g->miss[i - STEPS] - g->miss[i];
}

/* What the next doubling brings; at worst everything, where the bound hides it. */
static double rest_at(const knee_grid *g, size_t i) {
    if (i + STEPS < g->n)
        return g->miss[i] - g->miss[i + STEPS];
    return g->miss[i] - (g->hidden ? 0 : g->miss[g->n - 1]);
}

/* The clearest knee that is still free; its grid position, or g->n. */
static size_t best_knee(const knee_grid *g) {
    size_t best = g->n;
    double most = 0;
    for (size_t i = STEPS; i < g->n; i++) {
        double gain = gain_at(g, i), rest = rest_at(g, i);
        bool knee = !g->taken[i] && gain >= KNEE_MIN_GAIN && rest <= gain * KNEE_MAX_REST;
        if (knee && gain - rest > most) {
            most = gain - rest;
            best = i;
        }
    }
    return best;
}

/* The gain of position i comes in the octave before it: where it stops to pay. */
static size_t settle_knee(const knee_grid *g, size_t i) {
    double per_step = gain_at(g, i) * KNEE_MIN_SLOPE / STEPS, most = -1;
    size_t best = i;
    for (size_t k = i - STEPS + 1; k <= i; k++) {
        double value = g->miss[i - STEPS] - g->miss[k] - per_step * (double)(k - (i - STEPS));
        if (value > most) {
            most = value;
            best = k;
        }
    }
    return best;
}

size_t rd_knees(const rd_profile *p, rd_knee *out, size_t max) {
    knee_grid g;
    fill_grid(p, &g);
    size_t n = 0;
    while (n < max) {
        size_t top = best_knee(&g);
        if (top == g.n)
            break;
        size_t at = settle_knee(&g, top);
        out[n++] = (rd_knee){g.blocks[at], g.miss[top - STEPS], g.miss[at]};
        size_t from = at > STEPS ? at - STEPS : 0, to = at + STEPS < g.n ? at + STEPS : g.n;
        for (size_t i = from; i < to || i <= top; i++)
            g.taken[i] = true;
    }
    return n;
}
