/* Counts distances in bins. See hist.h. */
#include "profile/hist.h"

#include "profile/binning.h"

#include <inttypes.h>
#include <string.h>

#define PAGE_BINS   4096u
#define NEAR_COPIES 4u
#define NEAR_LEAST                                                                                 \
    64u /* minimum number of distances for which summing the copies afterwards pays
                           off */

/* A page of bins. It has sums unless the binning is RD_BINS_FULL, where count and distance
 * determine the sum. */
typedef struct bin_page {
    uint64_t count[PAGE_BINS];
    rd_sum sum[];
} bin_page;

struct rdi_hist {
    rd_ctx *ctx;
    rd_binning binning; /* the binning that rdi_hist_new() was called with */
    bool has_sums;
    uint64_t *edges; /* only for RD_BINS_EDGES */
    size_t n_edges;
    bin_page **pages; /* pages of bins, by bin index / PAGE_BINS; NULL: nothing was counted in the
                         bins of the page */
    size_t n_pages;
    uint64_t infinite;
};

/* ---- distance <-> bin index ---- */

static size_t edge_index(const rdi_hist *h, uint64_t d) {
    size_t low = 0, high = h->n_edges; /* the binary search finds the first edge above d */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (h->edges[mid] <= d)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint64_t bin_index(const rdi_hist *h, uint64_t d) {
    return h->binning.kind == RD_BINS_EDGES ? edge_index(h, d) : rdi_bin_index(h->binning, d);
}

static void bin_range(const rdi_hist *h, uint64_t i, rd_bin *bin) {
    if (h->binning.kind != RD_BINS_EDGES) {
        rdi_bin_range(h->binning, i, bin);
        return;
    }
    bin->low = i ? h->edges[i - 1] : 0;
    bin->high = i < h->n_edges ? h->edges[i] - 1 : RD_COLD - 1;
}

/* ---- storage ---- */

static rd_status new_hist(rd_ctx *ctx, rd_binning binning, rdi_hist **out) {
    rdi_hist *h = rdi_calloc(ctx, 1, sizeof *h);
    if (!h)
        return RD_ENOMEM;
    h->ctx = ctx;
    h->binning = binning;
    h->has_sums = binning.kind != RD_BINS_FULL;
    *out = h;
    return RD_OK;
}

rd_status rdi_hist_new(rd_ctx *ctx, rd_binning binning, rdi_hist **out) {
    RD_TRY(rdi_binning_check(ctx, binning));
    if (binning.kind == RD_BINS_EDGES)
        return rdi_fail(
            ctx, RD_EINVAL,
            "RD_BINS_EDGES cannot be chosen, because rd_binning does not contain the edges; choose "
            "other bins");
    return new_hist(ctx, binning, out);
}

rd_status rdi_hist_new_edges(rd_ctx *ctx, const uint64_t *edges, size_t n, rdi_hist **out) {
    rdi_hist *h;
    RD_TRY(new_hist(ctx, (rd_binning){RD_BINS_EDGES, 0}, &h));
    h->edges = rdi_alloc(ctx, n ? n : 1, sizeof *edges);
    if (!h->edges) {
        rdi_hist_free(h);
        return RD_ENOMEM;
    }
    memcpy(h->edges, edges, n * sizeof *edges);
    h->n_edges = n;
    *out = h;
    return RD_OK;
}

rd_status rdi_hist_new_like(const rdi_hist *h, rdi_hist **out) {
    if (h->binning.kind == RD_BINS_EDGES)
        return rdi_hist_new_edges(h->ctx, h->edges, h->n_edges, out);
    return rdi_hist_new(h->ctx, h->binning, out);
}

void rdi_hist_free(rdi_hist *h) {
    if (!h)
        return;
    for (size_t i = 0; i < h->n_pages; i++)
        rdi_free(h->ctx, h->pages[i]);
    rdi_free(h->ctx, h->pages);
    rdi_free(h->ctx, h->edges);
    rdi_free(h->ctx, h);
}

rd_binning rdi_hist_binning(const rdi_hist *h) {
    return h->binning;
}

/* Returns whether h counts in the usual log-linear bins. */
static bool counts_loglinear(const rdi_hist *h) {
    return (h->binning.kind == RD_BINS_LOGLINEAR && h->binning.param == 0) ||
           h->binning.kind == RD_BINS_REFERENCE;
}

bool rdi_hist_unites_loglinear(const rdi_hist *h) {
    return counts_loglinear(h) || h->binning.kind == RD_BINS_LOG;
}

static rd_status make_page(rdi_hist *h, uint64_t number) {
    if (number >= h->n_pages) {
        size_t n = h->n_pages ? h->n_pages : 8;
        while (n <= number)
            n *= 2;
        bin_page **grown = rdi_resize(h->ctx, h->pages, n, sizeof(bin_page *));
        if (!grown)
            return RD_ENOMEM;
        memset(grown + h->n_pages, 0, (n - h->n_pages) * sizeof(bin_page *));
        h->pages = grown;
        h->n_pages = n;
    }
    size_t bytes = sizeof(bin_page) + (h->has_sums ? PAGE_BINS * sizeof(rd_sum) : 0);
    h->pages[number] = rdi_calloc(h->ctx, 1, bytes);
    return h->pages[number] ? RD_OK : RD_ENOMEM;
}

static inline rd_status add_at(rdi_hist *h, uint64_t index, uint64_t count, rd_sum sum) {
    uint64_t number = index / PAGE_BINS;
    if (RDI_UNLIKELY(number >= h->n_pages || !h->pages[number]))
        RD_TRY(make_page(h, number));
    bin_page *page = h->pages[number];
    page->count[index % PAGE_BINS] += count;
    if (h->has_sums)
        rdi_sum_add(&page->sum[index % PAGE_BINS], sum);
    return RD_OK;
}

/* ---- counting ---- */

/* Counts and sums of the log bins, which lie below the linear bins, in several copies. References
 * use the copies in turn, so that an update need not wait for the previous update of the same
 * bin. */
typedef struct near_counts {
    uint64_t count[NEAR_COPIES][RDI_LOG_BINS];
    uint64_t sum[NEAR_COPIES][RDI_LOG_BINS];
} near_counts;

static rd_status add_near(rdi_hist *h, const near_counts *near) {
    for (size_t bin = 0; bin < RDI_LOG_BINS; bin++) {
        uint64_t count = 0, sum = 0;
        for (size_t copy = 0; copy < NEAR_COPIES; copy++) {
            count += near->count[copy][bin];
            sum += near->sum[copy][bin];
        }
        if (count)
            RD_TRY(add_at(h, bin, count, (rd_sum){sum, 0}));
    }
    return RD_OK;
}

/* Counts in log-linear bins with a width of 2^shift, at most RDI_LINEAR_FROM. */
static rd_status add_loglinear(rdi_hist *h, unsigned shift, const uint64_t *distances, size_t n,
                               uint64_t *infinite) {
    const uint64_t width = UINT64_C(1) << shift;
    near_counts near = {0};
    for (size_t i = 0; i < n; i++) {
        uint64_t d = distances[i];
        if (d < width) {
            unsigned bin = rdi_bit_width(d);
            near.count[i % NEAR_COPIES][bin]++;
            near.sum[i % NEAR_COPIES][bin] += d;
        } else if (d == RD_COLD) {
            ++*infinite;
        } else {
            RD_TRY(add_at(h, shift + (d >> shift), 1, (rd_sum){d, 0}));
        }
    }
    return add_near(h, &near);
}

static rd_status add_any(rdi_hist *h, const uint64_t *distances, size_t n, uint64_t *infinite) {
    for (size_t i = 0; i < n; i++) {
        uint64_t d = distances[i];
        if (d == RD_COLD)
            ++*infinite;
        else
            RD_TRY(add_at(h, bin_index(h, d), 1, (rd_sum){d, 0}));
    }
    return RD_OK;
}

rd_status rdi_hist_add(rdi_hist *h, const uint64_t *distances, size_t n) {
    uint64_t infinite = 0;
    bool loglinear = counts_loglinear(h) || h->binning.kind == RD_BINS_LOGLINEAR;
    unsigned shift = rdi_bit_width(rdi_loglinear_width(h->binning)) - 1;
    RD_TRY(loglinear && n >= NEAR_LEAST ? add_loglinear(h, shift, distances, n, &infinite)
                                        : add_any(h, distances, n, &infinite));
    h->infinite += infinite;
    return RD_OK;
}

rd_status rdi_hist_add_many(rdi_hist *h, uint64_t distance, uint64_t count) {
    if (count == 0)
        return RD_OK;
    if (distance == RD_COLD) {
        h->infinite += count;
        return RD_OK;
    }
    return rdi_hist_add_bin(h, distance, count, rdi_sum_product(distance, count));
}

rd_status rdi_hist_add_bin(rdi_hist *h, uint64_t low, uint64_t count, rd_sum sum) {
    return add_at(h, bin_index(h, low), count, sum);
}

rd_status rdi_hist_add_evenly(rdi_hist *h, uint64_t low, uint64_t high, uint64_t count) {
    const rdi_u128 width = (rdi_u128)(high - low) + 1;
    uint64_t done = 0;
    for (uint64_t at = low; done < count;) {
        rd_bin bin;
        bin_range(h, bin_index(h, at), &bin);
        uint64_t end = bin.high < high ? bin.high : high;
        /* `upto` is the number of references with distances up to `end`. It is rounded to the
         * nearest whole number, so that a few references over many distances do not crowd at one
         * end of the range. */
        rdi_u128 upto =
            end == high ? count : (((rdi_u128)(end - low) + 1) * count + width / 2) / width;
        uint64_t part = (uint64_t)upto - done;
        if (part) {
            rdi_u128 sum = ((rdi_u128)at + end) * part / 2;
            RD_TRY(rdi_hist_add_bin(h, at, part, rdi_sum_narrow(sum)));
        }
        done += part;
        at = end + 1;
        if (part == 0) { /* skips bins, because there may be far more bins than references */
            rdi_u128 ahead = ((rdi_u128)done + 1) * width - width / 2;
            at = low + (uint64_t)((ahead + count - 1) / count) - 1;
        }
    }
    return RD_OK;
}

rd_status rdi_hist_merge(rdi_hist *h, const rdi_hist *from) {
    for (size_t p = 0; p < from->n_pages; p++) {
        const bin_page *page = from->pages[p];
        for (size_t i = 0; page && i < PAGE_BINS; i++)
            if (page->count[i])
                RD_TRY(add_at(h, p * PAGE_BINS + i, page->count[i],
                              from->has_sums ? page->sum[i] : (rd_sum){0, 0}));
    }
    h->infinite += from->infinite;
    return RD_OK;
}

void rdi_hist_uncount_infinite(rdi_hist *h, uint64_t n) {
    h->infinite -= n;
}

uint64_t rdi_hist_infinite(const rdi_hist *h) {
    return h->infinite;
}

/* ---- packing: the infinite count, then index, count and sum of each non-empty bin ---- */

#define PACKED_ROW 4

rd_status rdi_hist_pack(const rdi_hist *h, rdi_u64_list *out) {
    RD_TRY(rdi_u64_list_append(h->ctx, out, &h->infinite, 1));
    for (size_t p = 0; p < h->n_pages; p++)
        for (size_t i = 0; h->pages[p] && i < PAGE_BINS; i++) {
            rd_sum sum = h->has_sums ? h->pages[p]->sum[i] : (rd_sum){0, 0};
            const uint64_t row[PACKED_ROW] = {p * PAGE_BINS + i, h->pages[p]->count[i], sum.low,
                                              sum.high};
            if (row[1])
                RD_TRY(rdi_u64_list_append(h->ctx, out, row, PACKED_ROW));
        }
    return RD_OK;
}

rd_status rdi_hist_add_packed(rdi_hist *h, const uint64_t *packed, size_t n) {
    uint64_t last = bin_index(h, RD_COLD - 1);
    if (n % PACKED_ROW != 1)
        return rdi_fail(h->ctx, RD_EFORMAT,
                        "a packed histogram has %zu numbers; it must have 1 number and %d per bin",
                        n, PACKED_ROW);
    for (size_t i = 1; i < n; i += PACKED_ROW) {
        const uint64_t *row = packed + i;
        if (row[0] > last)
            return rdi_fail(h->ctx, RD_EFORMAT,
                            "a packed histogram has bin %" PRIu64 "; the last bin is %" PRIu64,
                            row[0], last);
        RD_TRY(add_at(h, row[0], row[1], (rd_sum){row[2], row[3]}));
    }
    h->infinite += packed[0];
    return RD_OK;
}

/* ---- reading ---- */

static size_t count_bins(const rdi_hist *h) {
    size_t n = 0;
    for (size_t p = 0; p < h->n_pages; p++)
        for (size_t i = 0; h->pages[p] && i < PAGE_BINS; i++)
            n += h->pages[p]->count[i] != 0;
    return n;
}

static void copy_bins(const rdi_hist *h, rd_bin *out) {
    for (size_t p = 0; p < h->n_pages; p++)
        for (size_t i = 0; h->pages[p] && i < PAGE_BINS; i++) {
            uint64_t count = h->pages[p]->count[i];
            if (!count)
                continue;
            bin_range(h, p * PAGE_BINS + i, out);
            out->count = count;
            out->sum = h->has_sums ? h->pages[p]->sum[i] : rdi_sum_product(out->low, count);
            out++;
        }
}

rd_status rdi_hist_bins(const rdi_hist *h, rd_bin **bins, size_t *n) {
    size_t count = count_bins(h);
    rd_bin *rows = rdi_alloc(h->ctx, count ? count : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    copy_bins(h, rows);
    if (h->binning.kind == RD_BINS_REFERENCE) {
        rd_bin *groups;
        size_t n_groups;
        rd_status status =
            rdi_bins_to_groups(h->ctx, rows, count, h->binning.param, &groups, &n_groups);
        rdi_free(h->ctx, rows);
        RD_TRY(status);
        rows = groups;
        count = n_groups;
    }
    *bins = rows;
    *n = count;
    return RD_OK;
}
