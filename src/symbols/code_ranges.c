/* A table of address ranges. See code_ranges.h.
 *
 * If ranges overlap, they are cut into shorter ranges that do not, so that one binary search finds the
 * range of an address. n ranges become at most 2 n shorter ones.
 */
#include "symbols/code_ranges.h"

#include <stdlib.h>
#include <string.h>

static rd_status append(rd_ctx *ctx, rdi_code_ranges *r, rdi_code_range piece) {
    if (r->n == r->room) {
        rdi_code_range *grown = rdi_grow(ctx, r->range, &r->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        r->range = grown;
    }
    r->range[r->n++] = piece;
    return RD_OK;
}

rd_status rdi_code_ranges_add(rd_ctx *ctx, rdi_code_ranges *r, uint64_t low, uint64_t high,
                              size_t item) {
    return low < high ? append(ctx, r, (rdi_code_range){low, high, low, item}) : RD_OK;
}

/* Sorts by the beginning. Of ranges with the same beginning, the shortest one comes last, and of equal
 * ranges the one with the largest `item`, because the last range gets the addresses that all of them
 * contain. */
static int by_beginning(const void *a, const void *b) {
    const rdi_code_range *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high > y->high ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static bool do_overlap(const rdi_code_ranges *r) {
    for (size_t i = 1; i < r->n; i++)
        if (r->range[i].low < r->range[i - 1].high)
            return true;
    return false;
}

/* The state of cutting ranges into shorter ones (`pieces`). `open` has the ranges that begin before the
 * address `at`, in ascending order of their beginnings. Some of them may have ended. */
typedef struct cutter {
    const rdi_code_range **open;
    size_t n_open;
    uint64_t at;
    rdi_code_ranges pieces;
} cutter;

/* Adds the shorter ranges from `at` up to the address `to`. */
static rd_status cut(rd_ctx *ctx, cutter *c, uint64_t to) {
    while (c->n_open && c->at < to) {
        const rdi_code_range *last = c->open[c->n_open - 1];
        if (last->high <= c->at) {
            c->n_open--;
            continue;
        }
        uint64_t end = last->high < to ? last->high : to;
        RD_TRY(append(ctx, &c->pieces, (rdi_code_range){c->at, end, last->begin, last->item}));
        c->at = end;
    }
    c->at = to;
    return RD_OK;
}

rd_status rdi_code_ranges_sort(rd_ctx *ctx, rdi_code_ranges *r) {
    cutter c = {0};
    rd_status status = RD_OK;
    if (r->n)
        qsort(r->range, r->n, sizeof *r->range, by_beginning);
    if (!do_overlap(r))
        return RD_OK;
    if (!(c.open = rdi_alloc(ctx, r->n, sizeof *c.open)))
        return RD_ENOMEM;
    for (size_t i = 0; i < r->n && status == RD_OK; i++) {
        status = cut(ctx, &c, r->range[i].low);
        c.open[c.n_open++] = &r->range[i];
    }
    if (status == RD_OK)
        status = cut(ctx, &c, UINT64_MAX);
    rdi_free(ctx, c.open);
    rdi_code_ranges_fini(ctx, status == RD_OK ? r : &c.pieces);
    if (status == RD_OK)
        *r = c.pieces;
    return status;
}

const rdi_code_range *rdi_code_ranges_find(const rdi_code_ranges *r, uint64_t address) {
    size_t low = 0, high = r->n; /* the binary search finds the index after the last range that
                                    begins at or before the address */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->range[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < r->range[low - 1].high ? &r->range[low - 1] : NULL;
}

void rdi_code_ranges_fini(rd_ctx *ctx, rdi_code_ranges *r) {
    rdi_free(ctx, r->range);
    *r = (rdi_code_ranges){0};
}
