/* Implements rd_compare(), which compares two profiles: how similar they are, where they differ,
 * and how much the misses of caches differ.
 *
 * The accuracy and the test for equality walk over the rows of both histograms in parallel.
 * Overlapping rows form one common bin (`span` in the code), so histograms with different bins are
 * compared in the finest bins that both have.
 */
#include "reusedist/model.h"

#include "base/common.h"
#include "profile/binning.h"
#include "profile/error_bound.h"
#include "profile/hist.h"
#include "profile/profile_build.h"
#include "reusedist/objects.h"

#include <math.h>
#include <string.h>

typedef struct row_list {
    const rd_bin *rows;
    size_t n, next;
} row_list;

static row_list rows_of(const rd_profile *p) {
    row_list list = {0};
    list.n = rd_profile_bins(p, &list.rows);
    return list;
}

/* A range of distances, both ends inclusive. For each profile, `count` is the number of references
 * in this range, and `sum` the sum of their distances. */
typedef struct span {
    uint64_t low, high;
    uint64_t count[2];
    rd_sum sum[2];
} span;

static bool row_follows(const row_list *list, uint64_t high) {
    return list->next < list->n && list->rows[list->next].low <= high;
}

/* Finds the next common bin of both lists. Returns false at the end. */
static bool next_span(row_list list[2], span *out) {
    *out = (span){.low = UINT64_MAX};
    for (int i = 0; i < 2; i++)
        if (list[i].next < list[i].n && list[i].rows[list[i].next].low <= out->low)
            out->low = list[i].rows[list[i].next].low;
    out->high = out->low;
    bool any = false;
    while (row_follows(&list[0], out->high) || row_follows(&list[1], out->high)) {
        int i = row_follows(&list[0], out->high) ? 0 : 1;
        const rd_bin *row = &list[i].rows[list[i].next++];
        out->high = row->high > out->high ? row->high : out->high;
        out->count[i] += row->count;
        rdi_sum_add(&out->sum[i], row->sum);
        any = true;
    }
    return any;
}

/* ---- accuracy ---- */

static uint64_t finite_references(const rd_profile *p) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    uint64_t finite = 0;
    for (size_t i = 0; i < n; i++)
        finite += bins[i].count;
    return finite;
}

static double share(uint64_t count, uint64_t total) {
    return total ? (double)count / (double)total : 0;
}

static double difference(const rd_bin_difference *bin) {
    return fabs(bin->share[0] - bin->share[1]);
}

/* Inserts a bin into the list of the RD_WORST_BINS bins that differ most, unless both shares are
 * equal or the list is full of bins that differ at least as much. */
static void note_bin(rd_comparison *out, const rd_bin_difference *bin) {
    if (difference(bin) == 0)
        return;
    size_t at = out->n_worst;
    while (at > 0 && difference(&out->worst[at - 1]) < difference(bin))
        at--;
    if (at == RD_WORST_BINS)
        return;
    out->n_worst += out->n_worst < RD_WORST_BINS;
    memmove(&out->worst[at + 1], &out->worst[at], (out->n_worst - 1 - at) * sizeof *bin);
    out->worst[at] = *bin;
}

/* Computes the accuracy and the bins that differ most. `finite` holds the number of finite
 * references of each profile. */
static void compare_shares(row_list list[2], const uint64_t finite[2], rd_comparison *out) {
    double sum = 0;
    bool overlap = false; /* true: some bin has references of both profiles */
    span s;
    while (next_span(list, &s)) {
        rd_bin_difference bin = {
            s.low, s.high, {share(s.count[0], finite[0]), share(s.count[1], finite[1])}};
        overlap = overlap || (s.count[0] && s.count[1]);
        sum += difference(&bin);
        note_bin(out, &bin);
    }
    /* Without overlap, rounding errors would give a tiny positive number instead of 0. */
    bool neither = finite[0] == 0 && finite[1] == 0;
    out->accuracy = overlap || neither ? fmax(0, 1 - sum / 2) : 0;
}

/* The 23 bins of HP-RDA's Figures 12 and 13, whose chart axis is labeled 1, 2, 4 ... 2M and ">".
 * The paper plots the fraction of reuses up to x. Here, the bin labeled x holds the distances from
 * x / 2 to x - 1: the hits that a cache of x blocks has and a cache of half the size does not have.
 * These are log bins, which almost every histogram has. They differ from the paper's bins only for
 * distances of exactly x. First references are not reuses and are left out. */
#define HPRDA_BINS 23

static void hprda_shares(const rd_bin *rows, size_t n, uint64_t finite, double out[HPRDA_BINS]) {
    memset(out, 0, HPRDA_BINS * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        unsigned bin = rdi_bit_width(rows[i].low);
        out[bin < HPRDA_BINS ? bin : HPRDA_BINS - 1] += share(rows[i].count, finite);
    }
}

/* Stores the average error, which is the mean absolute difference over the 23 bins, or NAN if a bin
 * of either profile would have to be split. */
static rd_status average_error(rd_ctx *ctx, rd_profile *const pair[2], const uint64_t finite[2],
                               double *out) {
    double shares[2][HPRDA_BINS];
    for (int i = 0; i < 2; i++) {
        rd_bin *rows = NULL;
        size_t n = 0;
        rd_binning log = {RD_BINS_LOG, 0};
        rd_status status = rdi_profile_rows_as(ctx, pair[i], log, &rows, &n);
        if (status == RD_EINVAL) {
            *out = NAN;
            return RD_OK;
        }
        RD_TRY(status);
        hprda_shares(rows, n, finite[i], shares[i]);
        rdi_free(ctx, rows);
    }
    double sum = 0;
    for (int k = 0; k < HPRDA_BINS; k++)
        sum += fabs(shares[0][k] - shares[1][k]);
    *out = sum / HPRDA_BINS;
    return RD_OK;
}

/* ---- miss ratios ---- */

/* Returns an upper limit of the finite distances: the end of the last bin, or the number of blocks
 * minus 1 if that is smaller. Without finite distances it is 0. */
static uint64_t largest_distance(const rd_profile *p) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    uint64_t high = n ? bins[n - 1].high : 0, blocks = rd_profile_facts_of(p)->blocks;
    return blocks && blocks - 1 < high ? blocks - 1 : high;
}

/* Returns the first cache size to compare: 1 block, or the first power of two bytes that holds the
 * largest object of both profiles. */
static uint64_t first_size(rd_profile *const pair[2]) {
    uint64_t size = 1;
    for (int i = 0; i < 2; i++) {
        const rd_objects_facts *f = rd_profile_objects(pair[i]);
        while (f && size < f->largest)
            size *= 2;
    }
    return size;
}

/* Compares the miss ratios at powers of two, up to the first size above every distance, or up to
 * the smaller bound. Leaves out sizes that a sample does not resolve, and sizes inside a bin,
 * because the curve is only interpolated there. */
static rd_status compare_misses(rd_ctx *ctx, rd_profile *const pair[2], rd_comparison *out) {
    uint64_t first = first_size(pair), largest = first / 2, bound = UINT64_MAX, least = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t distance = largest_distance(pair[i]), limit = rd_profile_facts_of(pair[i])->bound;
        largest = distance > largest ? distance : largest;
        bound = limit && limit < bound ? limit : bound;
        uint64_t resolution = rdi_profile_resolution(pair[i]);
        least = resolution > least ? resolution : least;
    }
    double sum = 0;
    for (uint64_t blocks = first; blocks && blocks <= bound && blocks / 2 <= largest; blocks *= 2) {
        double miss[2] = {0, 0};
        bool guess[2] = {false, false};
        for (int i = 0; i < 2; i++)
            RD_TRY(rd_mrc_at(ctx, pair[i], blocks, &miss[i], &guess[i]));
        if (blocks < least || guess[0] || guess[1])
            continue;
        double error = fabs(miss[0] - miss[1]);
        if (error > out->max_mrc_error) {
            out->max_mrc_error = error;
            out->max_mrc_blocks = blocks;
        }
        out->last_mrc_blocks = blocks;
        out->n_mrc_sizes++;
        sum += error;
    }
    out->mean_mrc_error = out->n_mrc_sizes ? sum / out->n_mrc_sizes : 0;
    return RD_OK;
}

/* ---- equality and error bounds ---- */

static bool is_same_sum(rd_sum a, rd_sum b) {
    return a.low == b.low && a.high == b.high;
}

/* Returns whether the bytes of the requests of two object caches are equal, in total and in every
 * row. NULL means that a profile has no objects. */
static bool has_same_bytes(const rd_objects_facts *a, const rd_objects_facts *b) {
    if (!a || !b)
        return a == b;
    if (!is_same_sum(a->counted.bytes, b->counted.bytes) || a->n_bins != b->n_bins)
        return false;
    for (size_t i = 0; i < a->n_bins; i++)
        if (a->bins[i].low != b->bins[i].low || !is_same_sum(a->bins[i].bytes, b->bins[i].bytes))
            return false;
    return true;
}

/* Returns whether block sizes and totals are equal, the counts in the finest bins that both
 * profiles have, the sums in these bins if both profiles know them, and the bytes of objects. */
static bool is_identical(rd_profile *const pair[2]) {
    const rd_profile_facts *a = rd_profile_facts_of(pair[0]), *b = rd_profile_facts_of(pair[1]);
    if (a->references != b->references || a->blocks != b->blocks || a->infinite != b->infinite ||
        a->block_bytes != b->block_bytes)
        return false;
    row_list list[2] = {rows_of(pair[0]), rows_of(pair[1])};
    bool sums = a->sums_known && b->sums_known;
    span s;
    while (next_span(list, &s)) {
        if (s.count[0] != s.count[1] || (sums && !is_same_sum(s.sum[0], s.sum[1])))
            return false;
    }
    return has_same_bytes(rd_profile_objects(pair[0]), rd_profile_objects(pair[1]));
}

/* An iterator over the references of a profile in ascending order of distance, one bin at a
 * time. */
typedef struct ranking {
    row_list list;
    rd_bin bin;    /* the current bin; its count is the number of references that are left */
    rd_bin behind; /* the infinite distances: from the bound on, or RD_COLD if there is no bound */
} ranking;

static ranking rank_references(const rd_profile *p) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    uint64_t low = facts->bound ? facts->bound : RD_COLD;
    return (ranking){.list = rows_of(p), .behind = {low, RD_COLD, facts->infinite, {0, 0}}};
}

/* Moves to the next bin if the current one has no references left. Returns false at the end. */
static bool rank_next(ranking *r) {
    if (r->bin.count > 0)
        return true;
    if (r->list.next < r->list.n) {
        r->bin = r->list.rows[r->list.next++];
    } else {
        r->bin = r->behind;
        r->behind.count = 0;
    }
    return r->bin.count > 0;
}

static rdi_error_bound error_of(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    return rdi_error_bound_of(f->error_kind, f->error_bound);
}

/* Returns whether `measured` respects its error bound, as far as histograms can tell: if every
 * distance is within the error bound of its true value, then so is the n-th smallest distance. */
static bool is_bound_held(const rd_profile *exact, const rd_profile *measured) {
    rdi_error_bound error = error_of(measured);
    ranking a = rank_references(exact), b = rank_references(measured);
    while (rank_next(&a) && rank_next(&b)) {
        if (!rdi_error_allows(error, a.bin.low, a.bin.high, b.bin.low, b.bin.high))
            return false;
        uint64_t both = a.bin.count < b.bin.count ? a.bin.count : b.bin.count;
        a.bin.count -= both;
        b.bin.count -= both;
    }
    return true;
}

#define BAND_SHARE 0.95 /* fraction of the sizes at which the band must hold */

/* Stores whether the band contains at least the fraction BAND_SHARE of the exact miss ratios at
 * sizes 1, 2, 4 ... up to the first size that holds all blocks. */
static rd_status is_band_held(rd_ctx *ctx, const rd_profile *exact, const rd_profile *sampled,
                              bool *held) {
    uint64_t blocks = rd_profile_facts_of(exact)->blocks;
    unsigned inside = 0, n = 0;
    for (unsigned k = 0; k < 63 && (k == 0 || UINT64_C(1) << (k - 1) < blocks); k++, n++) {
        double miss = 0, low = 0, high = 0;
        RD_TRY(rd_mrc_at(ctx, exact, UINT64_C(1) << k, &miss, NULL));
        RD_TRY(rd_mrc_band(ctx, sampled, UINT64_C(1) << k, &low, &high));
        inside += miss >= low && miss <= high;
    }
    *held = inside >= BAND_SHARE * n;
    return RD_OK;
}

static bool states_a_bound(const rd_profile *p) {
    return !rd_profile_facts_of(p)->exact &&
           (error_of(p).kind != RDI_ERROR_UNBOUND || rd_mrc_has_band(p));
}

static rd_status check_bound(rd_ctx *ctx, rd_profile *const pair[2], rd_comparison *out) {
    const rd_profile_facts *f[2] = {rd_profile_facts_of(pair[0]), rd_profile_facts_of(pair[1])};
    int exact = f[0]->exact ? 0 : 1;
    bool same_run = f[0]->references == f[1]->references || f[1 - exact]->n_band > 0;
    out->bound_checked = f[exact]->exact && states_a_bound(pair[1 - exact]) && same_run;
    if (out->bound_checked && rd_mrc_has_band(pair[1 - exact]))
        return is_band_held(ctx, pair[exact], pair[1 - exact], &out->bound_held);
    out->bound_held = out->bound_checked && is_bound_held(pair[exact], pair[1 - exact]);
    return RD_OK;
}

/* ---- the comparison ---- */

static rd_status compare_bins(rd_ctx *ctx, rd_profile *const pair[2], const uint64_t finite[2],
                              rd_comparison *out) {
    if (out->binning.kind == RD_BINS_EDGES) {
        row_list list[2] = {rows_of(pair[0]), rows_of(pair[1])};
        compare_shares(list, finite, out);
        return RD_OK;
    }
    rd_bin *rows[2] = {NULL, NULL};
    row_list list[2] = {{0}, {0}};
    rd_status status = RD_OK;
    for (int i = 0; i < 2 && status == RD_OK; i++) {
        status = rdi_profile_rows_as(ctx, pair[i], out->binning, &rows[i], &list[i].n);
        list[i].rows = rows[i];
    }
    if (status == RD_OK)
        compare_shares(list, finite, out);
    rdi_free(ctx, rows[0]);
    rdi_free(ctx, rows[1]);
    return status;
}

rd_status rd_compare(rd_ctx *ctx, rd_profile *a, rd_profile *b, rd_binning binning,
                     rd_comparison *out) {
    RDI_NEED(ctx, ctx, a, b, out);
    rd_profile *const pair[2] = {a, b};
    const uint64_t finite[2] = {finite_references(a), finite_references(b)};
    rd_comparison result = {.binning = binning};
    for (int i = 0; i < 2; i++)
        if (binning.kind == RD_BINS_REFERENCE ||
            rd_profile_facts_of(pair[i])->binning.kind == RD_BINS_REFERENCE)
            return rdi_fail(ctx, RD_EINVAL,
                            "cannot compare bins reference:K, which all have the same number of "
                            "references; use other bins, for example log");
    if (!rd_profile_objects(a) != !rd_profile_objects(b))
        return rdi_fail(ctx, RD_EINVAL,
                        "cannot compare: only one of the profiles counts bytes of objects; analyze "
                        "both traces with --weight=bytes, or none");
    if (rd_profile_objects(a) && rd_profile_objects(a)->count != rd_profile_objects(b)->count)
        return rdi_fail(
            ctx, RD_EINVAL,
            "cannot compare: the profiles count different requests; analyze both traces with "
            "the same --count");
    RD_TRY(compare_misses(ctx, pair, &result));
    RD_TRY(compare_bins(ctx, pair, finite, &result));
    RD_TRY(average_error(ctx, pair, finite, &result.average_error));
    result.identical = is_identical(pair);
    RD_TRY(check_bound(ctx, pair, &result));
    *out = result;
    return RD_OK;
}
