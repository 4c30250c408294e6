/* Computes next(t), the time of the next reference to the same block, with one of three methods,
 * which the option `next` of engine `geometric` selects:
 *
 *   sort     a stable radix sort by block; adjacent entries of a block are consecutive references
 *   range:B  a backward copy-scan over the whole round for every block id below B; linear in B
 *   table    one backward pass with a hash table of the time at which each block was last seen
 */
#include "engine/papers/geometric.h"

#include "order/block_map.h"

#include <inttypes.h>
#include <string.h>

#define DIGITS      256u
#define DIGIT_BITS  8u
#define SHARE_LEAST 4096u

/* ---- the option ---- */

rd_status rdi_next_parse(rd_ctx *ctx, const char *text, rdi_next *out) {
    *out = (rdi_next){RDI_NEXT_SORT, 0};
    if (strcmp(text, "sort") == 0)
        return RD_OK;
    if (strcmp(text, "table") == 0) {
        out->how = RDI_NEXT_TABLE;
        return RD_OK;
    }
    if (strncmp(text, "range:", 6) != 0)
        return rdi_fail(ctx, RD_EINVAL,
                        "engine geometric: next=%.80s is invalid: use sort, range:BLOCKS or table",
                        text);
    out->how = RDI_NEXT_RANGE;
    if (rd_parse_size(ctx, text + 6, &out->range) != RD_OK)
        return rdi_fail(ctx, RD_EINVAL, "engine geometric: next=range:BLOCKS: %s",
                        rd_last_error(ctx));
    if (out->range == 0 || out->range > UINT32_MAX)
        return rdi_fail(ctx, RD_EINVAL,
                        "engine geometric: next=%.80s: a range must have 1 to %" PRIu32 " blocks",
                        text, UINT32_MAX);
    return RD_OK;
}

/* ---- sort ---- */

typedef struct entry {
    uint64_t block;
    uint32_t time;
} entry;

typedef struct sorting {
    const rdi_round *round;
    entry *from, *to;
    uint32_t *next;
    const uint64_t *block;
    size_t *counts;    /* DIGITS counts per worker */
    uint64_t *varying; /* per worker: the bits in which its blocks differ from block[0] */
    uint32_t n;
    unsigned shift;
} sorting;

static void fill_entries(void *arg, unsigned worker) {
    sorting *s = arg;
    size_t end = rdi_round_begin(s->round, s->n, worker + 1);
    uint64_t varying = 0;
    for (size_t t = rdi_round_begin(s->round, s->n, worker); t < end; t++) {
        s->from[t] = (entry){s->block[t], (uint32_t)t};
        varying |= s->block[t] ^ s->block[0];
    }
    s->varying[worker] = varying;
}

static inline unsigned digit(const sorting *s, const entry *r) {
    return (unsigned)(r->block >> s->shift) % DIGITS;
}

static void count_digits(void *arg, unsigned worker) {
    sorting *s = arg;
    size_t end = rdi_round_begin(s->round, s->n, worker + 1);
    size_t *counts = s->counts + (size_t)worker * DIGITS;
    memset(counts, 0, DIGITS * sizeof *counts);
    for (size_t i = rdi_round_begin(s->round, s->n, worker); i < end; i++)
        counts[digit(s, &s->from[i])]++;
}

/* Turns each count into the position of the first entry with this digit. The order is by digit,
 * and within a digit by worker, which keeps the sort stable. */
static void place_digits(const sorting *s) {
    size_t at = 0;
    for (unsigned d = 0; d < DIGITS; d++)
        for (unsigned w = 0; w < s->round->active; w++) {
            size_t *count = &s->counts[(size_t)w * DIGITS + d], n = *count;
            *count = at;
            at += n;
        }
}

static void scatter_entries(void *arg, unsigned worker) {
    sorting *s = arg;
    size_t end = rdi_round_begin(s->round, s->n, worker + 1);
    size_t *place = s->counts + (size_t)worker * DIGITS;
    for (size_t i = rdi_round_begin(s->round, s->n, worker); i < end; i++)
        s->to[place[digit(s, &s->from[i])]++] = s->from[i];
}

static void link_entries(void *arg, unsigned worker) {
    sorting *s = arg;
    size_t end = rdi_round_begin(s->round, s->n, worker + 1);
    for (size_t i = rdi_round_begin(s->round, s->n, worker); i < end; i++) {
        const entry *r = &s->from[i];
        bool again = i + 1 < s->n && r[1].block == r->block;
        s->next[r->time] = again ? r[1].time : s->n + r->time;
    }
}

/* Sorts the references by block, and then sets next(t). A digit in which all blocks agree needs no
 * pass. */
static void sort_entries(sorting *s) {
    uint64_t varying = 0;
    rdi_round_run(s->round, fill_entries, s);
    for (unsigned w = 0; w < s->round->active; w++)
        varying |= s->varying[w];
    for (s->shift = 0; s->shift < 64; s->shift += DIGIT_BITS) {
        if ((varying >> s->shift) % DIGITS == 0)
            continue;
        rdi_round_run(s->round, count_digits, s);
        place_digits(s);
        rdi_round_run(s->round, scatter_entries, s);
        entry *swap = s->from;
        s->from = s->to;
        s->to = swap;
    }
    rdi_round_run(s->round, link_entries, s);
}

static rd_status next_by_sort(rdi_round *round, const uint64_t *block, uint32_t n,
                              rdi_geometric_memory *m) {
    rd_ctx *ctx = round->run->ctx;
    size_t workers = round->n_workers;
    RD_TRY(rdi_room_fit(ctx, &m->work, n, sizeof(entry)));
    RD_TRY(rdi_room_fit(ctx, &m->work2, n, sizeof(entry)));
    RD_TRY(rdi_room_fit(ctx, &m->counts, workers, DIGITS * sizeof(size_t) + sizeof(uint64_t)));
    size_t *counts = m->counts.at;
    sorting s = {round,
                 m->work.at,
                 m->work2.at,
                 m->next.at,
                 block,
                 counts,
                 (uint64_t *)m->counts.at + workers * DIGITS,
                 n,
                 0};
    sort_entries(&s);
    return RD_OK;
}

/* ---- range ---- */

typedef struct scanning {
    const rdi_round *round;
    const rdi_lanes *lanes;
    const uint32_t *symbol;
    uint32_t *next;
    uint32_t n;
    uint64_t range;
} scanning;

static void scan_symbols(void *arg, unsigned worker) {
    const scanning *s = arg;
    size_t end = rdi_round_begin(s->round, s->range, worker + 1);
    for (size_t i = rdi_round_begin(s->round, s->range, worker); i < end; i++)
        s->lanes->scan_symbol(s->symbol, s->n, (uint32_t)i, s->next);
}

static rd_status next_by_range(rdi_round *round, const rdi_lanes *lanes, uint64_t range,
                               const uint64_t *block, uint32_t n, rdi_geometric_memory *m) {
    RD_TRY(rdi_room_fit(round->run->ctx, &m->work, n, sizeof(uint32_t)));
    uint32_t *symbol = m->work.at;
    for (uint32_t t = 0; t < n; t++)
        symbol[t] = (uint32_t)block[t];
    scanning s = {round, lanes, symbol, m->next.at, n, range};
    rdi_round_run(round, scan_symbols, &s);
    return RD_OK;
}

/* ---- table ---- */

static rd_status next_by_table(rdi_round *round, const uint64_t *block, uint32_t n,
                               rdi_geometric_memory *m) {
    rdi_block_map seen = {0};
    uint32_t *next = m->next.at;
    rd_status status = rdi_block_map_init(&seen, round->run->ctx);
    for (uint32_t t = n; t-- > 0 && status == RD_OK;) {
        uint64_t later = RDI_ABSENT;
        status = rdi_block_map_exchange(&seen, block[t], t, &later);
        next[t] = later == RDI_ABSENT ? n + t : (uint32_t)later;
    }
    rdi_block_map_fini(&seen);
    return status;
}

/* ---- choosing a method, and checks ---- */

unsigned rdi_geometric_bits(const uint64_t *block, uint32_t n) {
    uint64_t all = 0;
    for (uint32_t t = 0; t < n; t++)
        all |= block[t];
    return rdi_bit_width(all);
}

rd_status rdi_geometric_check(rd_ctx *ctx, const rdi_next *next, const uint64_t *block,
                              uint32_t n) {
    for (uint32_t t = 0; t < n && next->how == RDI_NEXT_RANGE; t++)
        if (block[t] >= next->range)
            return rdi_fail(ctx, RD_ERANGE,
                            "engine geometric: block %" PRIu64 " is not below the range of "
                            "next=range:%" PRIu64 "; give a larger range, or use next=sort",
                            block[t], next->range);
    return RD_OK;
}

rd_status rdi_geometric_next(rdi_round *round, const rdi_lanes *lanes, const rdi_next *next,
                             const uint64_t *block, uint32_t n, rdi_geometric_memory *m) {
    RD_TRY(rdi_room_fit(round->run->ctx, &m->next, n, sizeof(uint32_t)));
    rdi_round_share(round, n, SHARE_LEAST);
    switch (next->how) {
    case RDI_NEXT_RANGE:
        return next_by_range(round, lanes, next->range, block, n, m);
    case RDI_NEXT_TABLE:
        return next_by_table(round, block, n, m);
    default:
        return next_by_sort(round, block, n, m);
    }
}

void rdi_geometric_memory_free(rd_ctx *ctx, rdi_geometric_memory *m) {
    rdi_room_free(ctx, &m->next);
    rdi_room_free(ctx, &m->work);
    rdi_room_free(ctx, &m->work2);
    rdi_room_free(ctx, &m->counts);
}
