/* Makes, grows, rehashes, widens and clears a slot table. See slot_table.h. */
#include "order/slot_table.h"

#include <string.h>

#define HOMES_LEAST  2048 /* smallest number of homes: room for more than one step of new blocks */
#define BUCKET_BYTES 64

_Static_assert(RDI_SLOT_DISP_MAX + RDI_SLOT_TABLE_STEP / RDI_SLOT_WIDE_WAYS + 2 <= RDI_SLOT_TAIL,
               "new blocks of a step must fit in the tail, even if all have one home");

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t buckets(const rdi_slot_table *t) {
    return t->homes + RDI_SLOT_TAIL;
}

static void set_homes(rdi_slot_table *t, uint64_t homes) {
    t->homes = homes;
    t->limit = homes * t->ops->ways * RDI_SLOT_LOAD / 100;
}

static rd_status alloc_buckets(rdi_slot_table *t, rd_ctx *ctx, uint64_t homes) {
    t->bucket = rdi_pages_alloc(ctx, (size_t)(homes + RDI_SLOT_TAIL) * BUCKET_BYTES);
    if (!t->bucket)
        return RD_ENOMEM;
    set_homes(t, homes);
    return RD_OK;
}

rd_status rdi_slot_table_init(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *ops,
                              uint64_t entries) {
    *t = (rdi_slot_table){
        .ops = ops, .seed = UINT64_C(0xa0761d6478bd642f), .factor = UINT64_C(0xe7037ed1a0b428db)};
    return alloc_buckets(t, ctx, larger(entries * 100 / (RDI_SLOT_LOAD * ops->ways), HOMES_LEAST));
}

void rdi_slot_table_fini(rdi_slot_table *t, rd_ctx *ctx) {
    rdi_pages_free(ctx, t->bucket, (size_t)buckets(t) * BUCKET_BYTES);
}

/* Allocates `homes` homes for `fresh`, which has a hash and operations but no buckets yet, moves
 * all entries of t to `fresh`, and replaces t by `fresh`. */
static rd_status replace(rdi_slot_table *t, rd_ctx *ctx, rdi_slot_table fresh, uint64_t homes) {
    uint64_t blk[RDI_SLOT_WAYS], slot[RDI_SLOT_WAYS];
    RD_TRY(alloc_buckets(&fresh, ctx, homes));
    fresh.disp = 0;
    for (uint64_t i = 0; i < buckets(t); i++) {
        unsigned n = t->ops->read(t, i, blk, slot);
        for (unsigned k = 0; k < n; k++)
            fresh.ops->insert(&fresh, blk[k], slot[k]);
    }
    rdi_slot_table_fini(t, ctx);
    *t = fresh;
    return RD_OK;
}

rd_status rdi_slot_table_widen(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *wide) {
    uint64_t homes = t->count * 100 / (RDI_SLOT_LOAD * wide->ways) + t->count / 4;
    rdi_slot_table fresh = *t;
    fresh.ops = wide;
    return replace(t, ctx, fresh, larger(homes, HOMES_LEAST));
}

/* Rehashes the table with the next hash of a fixed sequence, for ids that the present hash does not
 * spread. */
static rd_status reseed(rdi_slot_table *t, rd_ctx *ctx) {
    rdi_rng rng = {t->seed};
    rdi_slot_table fresh = *t;
    fresh.seed = rdi_rng_next(&rng);
    fresh.factor = rdi_rng_next(&rng) | 1;
    fresh.reseedings++;
    return replace(t, ctx, fresh, t->homes);
}

/* Enlarges the table by half, in place. */
static rd_status grow(rdi_slot_table *t, rd_ctx *ctx) {
    uint64_t from = t->homes, to = from + (from + 1) / 2, n = buckets(t);
    /* An entry in bucket i has its home at i - disp or above, and its new home is at 3/2 of the old
     * one. For i >= 3 * disp, the new home is not below i. Lower buckets go through a stash. */
    uint64_t low = 3 * t->disp + 4 < from ? 3 * t->disp + 4 : from;
    void *stash = rdi_pages_alloc(ctx, (size_t)low * BUCKET_BYTES);
    if (!stash)
        return RD_ENOMEM;
    rd_status status = rdi_pages_grow_array(ctx, &t->bucket, &n, to + RDI_SLOT_TAIL, BUCKET_BYTES);
    if (status == RD_OK) {
        set_homes(t, to);
        t->ops->respread(t, from, stash, low);
        t->growths++;
    }
    rdi_pages_free(ctx, stash, (size_t)low * BUCKET_BYTES);
    return status;
}

static bool is_full(const rdi_slot_table *t) {
    return t->count + RDI_SLOT_TABLE_STEP > t->limit;
}

static bool is_skewed(const rdi_slot_table *t) {
    return t->disp > RDI_SLOT_DISP_MAX;
}

bool rdi_slot_table_has_room(const rdi_slot_table *t) {
    return !is_full(t) && !is_skewed(t);
}

/* If entries are far from home although the table is not full, the hash does not spread their ids. The
 * function then tries the next hash, and if that does not help, a larger table. */
rd_status rdi_slot_table_room(rdi_slot_table *t, rd_ctx *ctx) {
    bool reseeded = false;
    while (!rdi_slot_table_has_room(t)) {
        bool larger_table = is_full(t) || reseeded;
        RD_TRY(larger_table ? grow(t, ctx) : reseed(t, ctx));
        reseeded = !larger_table;
    }
    return RD_OK;
}

rd_status rdi_slot_table_clear(rdi_slot_table *t, rd_ctx *ctx) {
    bool oversized = t->homes > HOMES_LEAST && t->count < t->limit / 16;
    if (oversized) {
        rdi_slot_table_fini(t, ctx);
        RD_TRY(alloc_buckets(t, ctx, HOMES_LEAST));
    } else {
        memset(t->bucket, 0, (size_t)buckets(t) * BUCKET_BYTES);
    }
    t->count = t->disp = 0;
    return RD_OK;
}
