/* Implements rd_knees(), which finds working-set knees: cache sizes at which a cache of half the
 * size has many more misses, and a cache of twice the size has hardly fewer.
 *
 * The miss-ratio curve is sampled on a grid of fractions of an octave. A knee is an octave with
 * much gain, followed by an octave with little gain. The exact size of the knee is where the gain
 * ends.
 */
#include "model/mrc.h"

#include <math.h>
#include <string.h>

#define STEPS 16           /* number of steps per octave */
#define GRID  (64 * STEPS) /* number of sizes, from 2^0 to almost 2^64 */
/* Position of the smallest knee, 8 blocks: every program reuses the last few blocks. */
#define KNEE_MIN_SIZE (3 * STEPS)
#define KNEE_MIN_GAIN 0.02 /* smallest gain of a knee, as a fraction of all references */
/* Minimum gain of a knee, as a multiple of the average gain per octave. */
#define KNEE_MIN_STEEP 1.25
/* Maximum gain of the next octave, as a fraction of the gain of the knee. */
#define KNEE_MAX_REST 0.25
/* Minimum gain per octave that justifies a larger size, as a fraction of the gain of the knee. */
#define KNEE_MIN_SLOPE 0.1

typedef struct knee_grid {
    double miss[GRID];     /* miss ratio at 2^(i / STEPS) blocks */
    uint64_t blocks[GRID]; /* the end of the bin that contains size i or, if none does, of the last
                              bin below it, so that no bin is split; 0: there is no such bin */
    bool taken[GRID];      /* true: too close to a knee that was already found */
    size_t n;              /* number of sizes: up to an octave after the end of the curve, or up to
                              the bound */
    double average;        /* average gain per octave, from the smallest possible knee on */
    size_t first;          /* position of the smallest possible knee */
    bool hidden;           /* true: the curve may continue to fall beyond the bound */
} knee_grid;

static uint64_t grid_size(size_t i) {
    return (uint64_t)exp2((double)i / STEPS);
}

static void fill_grid(const rd_profile *p, knee_grid *g) {
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    memset(g, 0, sizeof *g);
    g->hidden = rd_profile_facts_of(p)->bound != 0;
    g->first = KNEE_MIN_SIZE;
    while (g->first < GRID && grid_size(g->first - STEPS) < rd_mrc_resolution(p))
        g->first++; /* the sample must also resolve half of the size */
    uint64_t end = rdi_mrc_end(&scan);
    size_t behind = 0; /* number of grid points at or after the end of the curve */
    while (g->n < GRID && behind <= STEPS) {
        uint64_t size = grid_size(g->n);
        if (g->hidden && size > scan.limit)
            break;
        bool divided;
        g->miss[g->n] = rdi_mrc_scan_at(&scan, size, &divided);
        /* `last` is the index of the bin that contains this size or, if none does, of the last bin
         * below it. */
        size_t last = divided ? scan.next : scan.next - 1;
        g->blocks[g->n] = last < scan.n ? rdi_mrc_bin_spread(&scan, &scan.bins[last]).end : 0;
        behind += !g->hidden && size >= end;
        g->n++;
    }
    size_t sloping = g->n - behind;
    if (sloping > g->first)
        g->average = (g->miss[g->first] - g->miss[g->n - 1]) * STEPS / (double)(sloping - g->first);
}

/* Returns the gain of doubling the size up to position i: the decrease of the miss ratio. */
static double gain_at(const knee_grid *g, size_t i) {
    return g->miss[i - STEPS] - g->miss[i];
}

/* Returns the gain of doubling the size at position i. If the bound hides the gain, returns the
 * largest possible one. */
static double rest_at(const knee_grid *g, size_t i) {
    if (i + STEPS < g->n)
        return g->miss[i] - g->miss[i + STEPS];
    return g->miss[i] - (g->hidden ? 0 : g->miss[g->n - 1]);
}

/* Returns the grid position of the most pronounced knee that is left, or g->n if there is none. */
static size_t best_knee(const knee_grid *g) {
    size_t best = g->n;
    double most = 0;
    for (size_t i = g->first; i < g->n; i++) {
        double gain = gain_at(g, i), rest = rest_at(g, i);
        bool steep = gain >= KNEE_MIN_GAIN && gain >= g->average * KNEE_MIN_STEEP;
        bool knee = steep && rest <= gain * KNEE_MAX_REST;
        if (knee && !g->taken[i] && gain - rest > most) {
            most = gain - rest;
            best = i;
        }
    }
    return best;
}

/* Returns the position, in the octave that ends at position i, at which a larger size stops paying
 * off. */
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
    size_t n = 0;
    if (!p || !out)
        return 0;
    fill_grid(p, &g);
    while (n < max) {
        size_t top = best_knee(&g);
        if (top == g.n)
            break;
        size_t at = settle_knee(&g, top);
        rdi_mrc_scan scan = rdi_mrc_scan_start(p);
        bool divided;
        double after = rdi_mrc_scan_at(&scan, g.blocks[at], &divided);
        /* If a bin reaches below half the size, it is not known where in the bin the curve drops. */
        if (rdi_mrc_size_before(p, g.blocks[at]) >= g.blocks[at] / 2)
            out[n++] = (rd_knee){g.blocks[at], g.miss[top - STEPS], after};
        size_t from = at > STEPS ? at - STEPS : 0, to = at + STEPS < g.n ? at + STEPS : g.n;
        for (size_t i = from; i < to || i <= top; i++)
            g.taken[i] = true;
    }
    return n;
}
