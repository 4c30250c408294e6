/* Implements the hash table of touched blocks. See touched.h. */
#include "attribution/touched.h"

#include <string.h>

#define FIRST_SLOTS 1024

/* Returns the slot that holds the block, or the free slot where it belongs. */
static rdi_touch *probe(const rdi_touch_table *t, uint64_t block) {
    size_t i = rdi_touched_home(t, block);
    while (t->slot[i].block != block && !rdi_touch_is_free(&t->slot[i]))
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

static void free_table(rd_ctx *ctx, rdi_touch_table *t) {
    if (t->slot)
        rdi_pages_free(ctx, t->slot, (t->mask + 1) * sizeof *t->slot);
    *t = (rdi_touch_table){0};
}

static rd_status make_table(rd_ctx *ctx, rdi_touch_table *t, size_t slots) {
    size_t bytes;
    if (__builtin_mul_overflow(slots, sizeof *t->slot, &bytes))
        return rdi_fail(ctx, RD_ENOMEM, "out of memory: a table for %zu blocks would be too large",
                        slots);
    rdi_touch *slot = rdi_pages_alloc(ctx, bytes);
    if (!slot)
        return RD_ENOMEM;
    *t = (rdi_touch_table){
        .slot = slot, .mask = slots - 1, .limit = slots / 2, .shift = 65 - rdi_bit_width(slots)};
    return RD_OK;
}

/* Limits the young table to `bound` blocks, if there is a bound. */
static void limit_to_bound(rdi_touched *t) {
    if (t->bound && t->bound < t->young.limit)
        t->young.limit = (size_t)t->bound;
}

rd_status rdi_touched_init(rdi_touched *t, rd_ctx *ctx, uint64_t bound,
                           void (*dropped)(void *user, const rdi_touch *touch), void *user) {
    *t = (rdi_touched){.ctx = ctx, .bound = bound, .dropped = dropped, .user = user};
    RD_TRY(make_table(ctx, &t->young, FIRST_SLOTS));
    limit_to_bound(t);
    return RD_OK;
}

void rdi_touched_fini(rdi_touched *t) {
    if (!t->ctx)
        return;
    free_table(t->ctx, &t->young);
    free_table(t->ctx, &t->old);
    *t = (rdi_touched){0};
}

static void drop_table(rdi_touched *t, rdi_touch_table *table) {
    for (size_t i = 0; table->slot && i <= table->mask; i++)
        if (rdi_touch_words(&table->slot[i], 0))
            t->dropped(t->user, &table->slot[i]);
}

void rdi_touched_drop_all(rdi_touched *t) {
    drop_table(t, &t->old);
    drop_table(t, &t->young);
    free_table(t->ctx, &t->old);
    memset(t->young.slot, 0, (t->young.mask + 1) * sizeof *t->young.slot);
    t->young.n = 0;
}

static rd_status grow(rdi_touched *t) {
    rdi_touch_table grown;
    RD_TRY(make_table(t->ctx, &grown, (t->young.mask + 1) * 2));
    for (size_t i = 0; i <= t->young.mask; i++)
        if (!rdi_touch_is_free(&t->young.slot[i]))
            *probe(&grown, t->young.slot[i].block) = t->young.slot[i];
    grown.n = t->young.n;
    free_table(t->ctx, &t->young);
    t->young = grown;
    limit_to_bound(t);
    return RD_OK;
}

static rd_status make_room(rdi_touched *t) {
    if (!t->bound || t->young.n < t->bound)
        return grow(t);
    drop_table(t, &t->old);
    rdi_touch_table next = t->old;
    if (!next.slot || next.mask != t->young.mask) {
        RD_TRY(make_table(t->ctx, &next, t->young.mask + 1));
        free_table(t->ctx, &t->old);
    } else {
        memset(next.slot, 0, (next.mask + 1) * sizeof *next.slot);
    }
    t->old = t->young;
    t->young = next;
    t->young.n = 0;
    limit_to_bound(t);
    return RD_OK;
}

/* Fills the slot for a block that is not in the young table: moves the entry from the old table, or
 * makes a new entry. */
static void enter(rdi_touched *t, rdi_touch *slot, uint64_t block) {
    t->young.n++;
    *slot = (rdi_touch){.block = block};
    if (!t->old.slot)
        return;
    rdi_touch *before = probe(&t->old, block);
    if (rdi_touch_words(before, 0)) {
        *slot = *before;
        before->words = RDI_WORDS_MOVED; /* the slot stays occupied */
    }
}

rd_status rdi_touched_find(rdi_touched *t, uint64_t block, rdi_touch **out) {
    rdi_touch *slot = probe(&t->young, block);
    if (rdi_touch_is_free(slot)) {
        if (t->young.n == t->young.limit) {
            RD_TRY(make_room(t));
            slot = probe(&t->young, block);
        }
        enter(t, slot, block);
    }
    rdi_touch *home = &t->young.slot[rdi_touched_home(&t->young, block)], found = *slot;
    *slot = *home; /* no slot between `home` and `slot` is free, so both entries are still found */
    *home = found;
    *out = home;
    return RD_OK;
}

void rdi_touched_change(rdi_touched *t, uint64_t first, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) { /* if a block has no entry, probe() returns a free slot,
                                          where the change has no effect */
        probe(&t->young, first + i)->version = 0;
        if (t->old.slot)
            probe(&t->old, first + i)->version = 0;
    }
}

static void change_table(rdi_touch_table *table) {
    for (size_t i = 0; table->slot && i <= table->mask; i++)
        table->slot[i].version = 0;
}

void rdi_touched_change_all(rdi_touched *t) {
    change_table(&t->young);
    change_table(&t->old);
}
