/* The batch engine's inner loops, compiled once per instruction set. The including file defines
 * KERNEL_NAME, KERNEL_TARGET (attributes), RDI_AXIS_VECTOR and match8(). */
#include "engine/fast/batch.h"

#define AHEAD 8 /* items by which the prefetch runs ahead */

KERNEL_TARGET static inline void prefetch_item(const rdi_seen_segment *s,
                                               const rdi_batch_item *item) {
    uint32_t b = rdi_seen_bucket_of(rdi_seen_hash(item->block_or_prev), s->buckets);
    __builtin_prefetch(s->bucket[b].key, 0);
    __builtin_prefetch(s->bucket[b].slot, 1);
}

/* Stores a block that is in none of the buckets from its home to b, which has a free place. */
static rd_status enter(rdi_last_seen *seen, rdi_seen_segment *s, rdi_batch_item *item, uint32_t b) {
    rdi_seen_bucket *bucket = &s->bucket[b];
    unsigned i = 0;
    while (bucket->slot[i])
        i++;
    bucket->key[i] = item->block_or_prev;
    bucket->slot[i] = item->slot;
    item->block_or_prev = 0;
    if (++s->entries >= s->limit)
        return rdi_last_seen_grow(seen, s);
    return RD_OK;
}

KERNEL_TARGET static rd_status locate(rdi_last_seen *seen, rdi_seen_segment *s,
                                      rdi_batch_item *items, size_t n) {
    for (size_t i = 0; i < n; i++) {
        rdi_batch_item *item = &items[i];
        if (i + AHEAD < n)
            prefetch_item(s, item + AHEAD);
        uint64_t block = item->block_or_prev;
        uint32_t b = rdi_seen_bucket_of(rdi_seen_hash(block), s->buckets);
        while (true) {
            rdi_seen_bucket *bucket = &s->bucket[b];
            unsigned found = match8(bucket->key, block);
            unsigned at = (unsigned)__builtin_ctz(found | 0x100) & 7;
            if (RDI_LIKELY(found && bucket->slot[at])) { /* a free place may hold an equal key */
                item->block_or_prev = bucket->slot[at];
                bucket->slot[at] = item->slot;
                break;
            }
            if (bucket->slot[7] == 0) {
                RD_TRY(enter(seen, s, item, b));
                break;
            }
            b = b + 1 == s->buckets ? 0 : b + 1;
        }
    }
    return RD_OK;
}

KERNEL_TARGET static uint32_t renumber(rdi_seen_segment *s, const rdi_axis *axis, uint64_t drop) {
    uint32_t dropped = 0;
    for (uint32_t b = 0; b < s->buckets; b++) {
        for (unsigned i = 0; b + AHEAD < s->buckets && i < 8; i++)
            rdi_axis_prefetch(axis, s->bucket[b + AHEAD].slot[i]);
        for (unsigned i = 0; i < 8 && s->bucket[b].slot[i]; i++) {
            uint64_t rank = rdi_axis_rank(axis, s->bucket[b].slot[i]); /* from 1 */
            bool old = rank <= drop;
            s->bucket[b].slot[i] = old ? RDI_SEEN_DROPPED : rdi_axis_slot(rank - drop - 1);
            dropped += old;
        }
    }
    return dropped;
}

KERNEL_TARGET static void rank(rdi_axis *axis, const uint64_t *prev, size_t n, uint64_t bound,
                               uint64_t *dist) {
    rdi_axis a = *axis; /* a copy: its pointers stay in registers */
    for (size_t i = 0; i < n; i++)
        if (prev[i])
            rdi_axis_prefetch(&a, prev[i]);
    for (size_t i = 0; i < n; i++) {
        uint64_t slot = prev[i], d = RD_COLD;
        if (RDI_LIKELY(slot)) {
            d = a.live - rdi_axis_rank(&a, slot);
            rdi_axis_clear(&a, slot);
            d = d < bound ? d : RD_COLD;
        } else {
            a.live++;
        }
        rdi_axis_push(&a);
        dist[i] = d;
    }
    *axis = a;
}

const rdi_batch_kernel KERNEL_NAME = {KERNEL_TEXT, locate, renumber, rank};
