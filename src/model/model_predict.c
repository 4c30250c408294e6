/* Predicts a profile from a model and a size: moves every piece to its range of distances for that
 * size, and divides the piece into bins. */
#include "base/number.h"
#include "model/locality.h"
#include "profile/binning.h"
#include "profile/hist.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* If the largest distance reaches this number, the profile gets log bins, because it would need
 * more than a million log-linear bins. */
#define FAR 0x1p31
/* Log bins are also used if the pieces cover at least this many log-linear bins. */
#define MANY 0x1p24
#define MOST 0x1p62
/* Factor that prevents rounding errors from making a whole distance smaller by one. */
#define ROUNDING (1 + 1e-12)

/* Some of the references of a bin. */
typedef struct bucket {
    uint64_t index;
    double share, distance; /* `distance` is the sum of share times distance */
} bucket;

typedef struct buckets {
    rd_ctx *ctx;
    rd_binning binning;
    bucket *list;
    size_t n, room;
} buckets;

static rd_status drop(buckets *b, uint64_t index, double share, double distance) {
    if (b->n && b->list[b->n - 1].index == index) {
        b->list[b->n - 1].share += share;
        b->list[b->n - 1].distance += share * distance;
        return RD_OK;
    }
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 256;
        bucket *grown = rdi_resize(b->ctx, b->list, room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        b->list = grown;
        b->room = room;
    }
    b->list[b->n++] = (bucket){index, share, share * distance};
    return RD_OK;
}

static double edge_at(const rdi_edge *edge, double f) {
    return fmin(MOST, fmax(0, edge->c + edge->e * f));
}

/* Divides a piece into bins. A bin holds whole distances, and a distance between two whole ones
 * counts as the lower one. So a piece that is spread evenly from `low` to `high` gets a mean that
 * is half a block below the middle. If `low` is equal to `high`, the whole piece goes to one
 * bin. */
static rd_status spread(buckets *b, double share, double low, double high) {
    if (high - low <= 0)
        return drop(b, rdi_bin_index(b->binning, (uint64_t)(low * ROUNDING)), share, low);
    uint64_t index = rdi_bin_index(b->binning, (uint64_t)low);
    for (double from = low; from < high; index++) {
        rd_bin bin;
        rdi_bin_range(b->binning, index, &bin);
        double to = fmin(high, (double)bin.high + 1);
        RD_TRY(drop(b, index, share * (to - from) / (high - low), (from + to) / 2 - 0.5));
        from = to;
    }
    return RD_OK;
}

static int by_index(const void *a, const void *b) {
    uint64_t x = ((const bucket *)a)->index, y = ((const bucket *)b)->index;
    return (x > y) - (x < y);
}

/* Returns the largest distance of all pieces. *bins is set to the estimated number of log-linear
 * bins that the pieces cover. */
static double furthest(const rd_model *m, double size, double *bins) {
    double most = 0;
    *bins = 0;
    for (size_t i = 0; i < m->n; i++) {
        const rdi_piece *piece = &m->pieces[i];
        double f = rdi_pattern_at(piece->pattern, size), high = edge_at(&piece->high, f);
        most = fmax(most, high);
        *bins += 1 + (high - edge_at(&piece->low, f)) / RDI_LINEAR_FROM;
    }
    return most;
}

static rd_status spread_all(const rd_model *m, double size, buckets *b) {
    for (size_t i = 0; i < m->n; i++) {
        const rdi_piece *piece = &m->pieces[i];
        double f = rdi_pattern_at(piece->pattern, size);
        RD_TRY(spread(b, piece->share, edge_at(&piece->low, f), edge_at(&piece->high, f)));
    }
    if (b->n)
        qsort(b->list, b->n, sizeof *b->list, by_index);
    return RD_OK;
}

/* Returns the sum of the distances of a bin, limited to the range that the bin allows. */
static rd_sum bin_sum(const rd_bin *bin, double mean) {
    double inside = fmin(fmax(mean, (double)bin->low), (double)bin->high);
    rdi_u128 low = (rdi_u128)bin->low * bin->count;
    double above = (inside - (double)bin->low) * (double)bin->count;
    rdi_u128 room = (rdi_u128)(bin->high - bin->low) * bin->count, more = (rdi_u128)rint(above);
    return rdi_sum_narrow(low + (more < room ? more : room));
}

/* Makes rows with `reuses` references in total, and returns the number of rows. The counts are
 * rounded such that their sum is exact. */
static size_t make_rows(const buckets *b, uint64_t reuses, rd_bin *rows) {
    size_t n = 0;
    double share = 0;
    uint64_t counted = 0;
    for (size_t i = 0; i < b->n;) {
        double here = 0, distance = 0;
        uint64_t index = b->list[i].index;
        for (; i < b->n && b->list[i].index == index; i++) {
            here += b->list[i].share;
            distance += b->list[i].distance;
        }
        share += here;
        uint64_t until =
            i < b->n ? (uint64_t)fmin(rint(share * (double)reuses), (double)reuses) : reuses;
        if (until <= counted)
            continue;
        rdi_bin_range(b->binning, index, &rows[n]);
        rows[n].count = until - counted;
        rows[n].sum = bin_sum(&rows[n], distance / here);
        counted = until;
        n++;
    }
    return n;
}

static double power_of(rdi_power p, double size) {
    return fmax(1, rint(p.factor * pow(size, p.exponent)));
}

static uint64_t power_at(rdi_power p, double size) {
    return (uint64_t)fmin(MOST, power_of(p, size));
}

/* Refuses a size that is not above 0 or not finite, and a size for which a distance, the number of
 * reuses or the number of blocks would be 2^62 or more, which no trace has. `most` is the largest
 * distance. */
static rd_status check_size(const rd_model *m, double size, double most) {
    if (!(size > 0 && isfinite(size)))
        return rdi_fail(m->ctx, RD_EINVAL,
                        "the input size is %.10g; it must be a finite number above 0", size);
    if (most < MOST && power_of(m->reuses, size) < MOST && power_of(m->blocks, size) < MOST)
        return RD_OK;
    return rdi_fail(m->ctx, RD_EINVAL,
                    "an input size of %.10g is too large: the model, which was learned from sizes "
                    "%.10g to %.10g, predicts 2^62 or more references or blocks",
                    size, m->facts.sizes[0], m->facts.sizes[m->facts.n_sizes - 1]);
}

/* Describes the model and the size as "method=single,hist=reference:1000,...". */
static void describe(const rd_model *m, double size, char *text, size_t room) {
    char bins[32], patterns[64];
    rd_binning_name(m->facts.binning, bins);
    rd_patterns_name(m->facts.patterns, patterns);
    for (char *at = patterns; *at; at++)
        if (*at == ',')
            *at = '+';
    rdi_snprintf(text, room, "method=%s,hist=%s,patterns=%s,size=%.10g,training=%s",
                 m->facts.method == RD_MODEL_SINGLE ? "single" : "multi", bins, patterns, size,
                 m->facts.exact ? "exact" : "approximate");
}

static rd_status make_profile(const rd_model *m, double size, const buckets *b, double most,
                              rd_profile **out) {
    char options[192];
    describe(m, size, options, sizeof options);
    uint64_t reuses = power_at(m->reuses, size), blocks = power_at(m->blocks, size);
    blocks = fmax((double)blocks, most + 1) > (double)blocks ? (uint64_t)most + 1 : blocks;
    rd_profile_facts facts = {.references = reuses + blocks,
                              .blocks = blocks,
                              .cold = blocks,
                              .infinite = blocks,
                              .block_bytes = m->facts.block_bytes,
                              .engine = "predict",
                              .engine_options = options,
                              .error_kind = "predicted",
                              .binning = b->binning,
                              .sums_known = true};
    rd_bin *rows = rdi_alloc(m->ctx, b->n ? b->n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    size_t n = make_rows(b, reuses, rows);
    rd_status status = rdi_profile_new(m->ctx, &facts, rows, n, out);
    rdi_free(m->ctx, rows);
    return status;
}

rd_status rd_model_predict(const rd_model *m, double size, rd_profile **out) {
    RDI_NEED(m ? m->ctx : NULL, m, out);
    double fall, most = furthest(m, size, &fall);
    RD_TRY(check_size(m, size, most));
    bool fine = most < FAR && fall < MANY;
    buckets b = {.ctx = m->ctx, .binning = {fine ? RD_BINS_LOGLINEAR : RD_BINS_LOG, 0}};
    rd_status status = spread_all(m, size, &b);
    if (status == RD_OK)
        status = make_profile(m, size, &b, most, out);
    rdi_free(m->ctx, b.list);
    return status;
}
