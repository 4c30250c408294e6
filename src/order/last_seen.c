/* A segmented hash table from block to slot: growing, splitting and dropping. See last_seen.h. */
#include "order/last_seen.h"

#include <string.h>

#define FIRST_BUCKETS 8u
#define SPLIT_ENTRIES 49152u /* average per segment, about 1 MiB */
#define SPLIT_BITS    1u
#define MAX_BITS      14u

static size_t segment_bytes(uint32_t buckets) {
    return (size_t)buckets * sizeof(rdi_seen_bucket);
}

static rd_status segment_init(rd_ctx *ctx, rdi_seen_segment *s, uint32_t buckets) {
    rdi_seen_bucket *bucket = rdi_pages_alloc(ctx, segment_bytes(buckets));
    if (!bucket)
        return RD_ENOMEM;
    *s = (rdi_seen_segment){bucket, buckets, 0, (uint32_t)((uint64_t)buckets * 8 * 4 / 5)};
    return RD_OK;
}

static void segment_fini(rd_ctx *ctx, rdi_seen_segment *s) {
    rdi_pages_free(ctx, s->bucket, segment_bytes(s->buckets));
}

/* Stores a block that is not in the segment, which has room for it. */
static void put(rdi_seen_segment *s, uint64_t block, uint64_t slot) {
    uint32_t b = rdi_seen_bucket_of(rdi_seen_hash(block), s->buckets);
    while (true) {
        rdi_seen_bucket *bucket = &s->bucket[b];
        for (unsigned i = 0; i < 8; i++)
            if (bucket->slot[i] == 0) {
                bucket->key[i] = block;
                bucket->slot[i] = slot;
                s->entries++;
                return;
            }
        b = b + 1 == s->buckets ? 0 : b + 1;
    }
}

rd_status rdi_last_seen_init(rd_ctx *ctx, rdi_last_seen *seen, unsigned workers) {
    *seen = (rdi_last_seen){.ctx = ctx};
    if (workers > 1)
        seen->bits = rdi_bit_width(workers * 4 - 1);
    uint64_t n = rdi_seen_segments(seen);
    seen->segment = rdi_calloc(ctx, n, sizeof *seen->segment);
    if (!seen->segment)
        return RD_ENOMEM;
    for (uint64_t i = 0; i < n; i++)
        RD_TRY(segment_init(ctx, &seen->segment[i], FIRST_BUCKETS));
    return RD_OK;
}

void rdi_last_seen_fini(rdi_last_seen *seen) {
    for (uint64_t i = 0; seen->segment && i < rdi_seen_segments(seen); i++)
        segment_fini(seen->ctx, &seen->segment[i]);
    if (seen->ctx)
        rdi_free(seen->ctx, seen->segment);
    *seen = (rdi_last_seen){0};
}

/* Moves all entries except dropped ones into a new array of `buckets` buckets. */
static rd_status rebuild(rd_ctx *ctx, rdi_seen_segment *s, uint32_t buckets) {
    rdi_seen_segment fresh;
    RD_TRY(segment_init(ctx, &fresh, buckets));
    for (uint32_t b = 0; b < s->buckets; b++)
        for (unsigned i = 0; i < 8 && s->bucket[b].slot[i]; i++)
            if (s->bucket[b].slot[i] != RDI_SEEN_DROPPED)
                put(&fresh, s->bucket[b].key[i], s->bucket[b].slot[i]);
    segment_fini(ctx, s);
    *s = fresh;
    return RD_OK;
}

rd_status rdi_last_seen_grow(rdi_last_seen *seen, rdi_seen_segment *s) {
    uint64_t buckets = (uint64_t)s->buckets + (s->buckets + 1) / 2;
    if (buckets > UINT32_MAX / 8)
        return rdi_fail(seen->ctx, RD_ERANGE, "a table segment outgrew 32-bit counts");
    return rebuild(seen->ctx, s, (uint32_t)buckets);
}

rd_status rdi_last_seen_drop(rdi_last_seen *seen, rdi_seen_segment *s, uint32_t dropped) {
    if (dropped == 0)
        return RD_OK;
    /* Gaps would end searches early, so the segment is rebuilt in a suitable size. */
    uint32_t fitting = (s->entries - dropped) / 5 + FIRST_BUCKETS;
    return rebuild(seen->ctx, s, fitting < s->buckets ? fitting : s->buckets);
}

/* Distributes one segment over 2^SPLIT_BITS new ones. */
static rd_status scatter(rd_ctx *ctx, rdi_seen_segment *from, rdi_seen_segment *to, unsigned bits) {
    const unsigned ways = 1u << SPLIT_BITS;
    for (unsigned k = 0; k < ways; k++)
        RD_TRY(segment_init(ctx, &to[k], from->buckets / ways + FIRST_BUCKETS));
    for (uint32_t b = 0; b < from->buckets; b++)
        for (unsigned i = 0; i < 8 && from->bucket[b].slot[i]; i++) {
            uint64_t hash = rdi_seen_hash(from->bucket[b].key[i]);
            rdi_seen_segment *s = &to[rdi_seen_segment_of(hash, bits) & (ways - 1)];
            if (s->entries == s->limit) /* only with an uneven hash: rare */
                RD_TRY(rebuild(ctx, s, s->buckets + s->buckets / 2));
            put(s, from->bucket[b].key[i], from->bucket[b].slot[i]);
        }
    return RD_OK;
}

/* Doubles the number of segments. */
static rd_status split_once(rdi_last_seen *seen) {
    uint64_t n = rdi_seen_segments(seen);
    unsigned bits = seen->bits + SPLIT_BITS;
    rdi_seen_segment *fresh = rdi_calloc(seen->ctx, (size_t)n << SPLIT_BITS, sizeof *fresh);
    if (!fresh)
        return RD_ENOMEM;
    rd_status status = RD_OK;
    /* Continues after a failure, so that all memory is moved or freed. */
    for (uint64_t i = 0; i < n; i++) {
        if (status == RD_OK)
            status = scatter(seen->ctx, &seen->segment[i], &fresh[i << SPLIT_BITS], bits);
        segment_fini(seen->ctx, &seen->segment[i]);
    }
    rdi_free(seen->ctx, seen->segment);
    seen->segment = fresh;
    seen->bits = bits;
    return status;
}

rd_status rdi_last_seen_split(rdi_last_seen *seen) {
    uint64_t entries = 0;
    for (uint64_t i = 0; i < rdi_seen_segments(seen); i++)
        entries += seen->segment[i].entries;
    while (seen->bits < MAX_BITS && entries >> seen->bits >= SPLIT_ENTRIES)
        RD_TRY(split_once(seen));
    return RD_OK;
}
