/* Block -> slot of its last reference, for very many blocks.
 *
 * The table is cut into segments by the top bits of the hash, so that a batch of references sorted
 * by segment is resolved inside the processor's cache, and so that growing moves one segment at a
 * time: there is never a second copy of the table. A segment is an array of buckets of eight keys
 * and eight slots (two cache lines); a full bucket overflows into the next one. Segments grow by
 * half when four fifths full, and are split in four when they outgrow the cache.
 *
 * Nothing is ever deleted singly: rdi_last_seen_drop() does so in bulk.
 * Memory: 20 to 31 bytes per block.
 */
#ifndef RDI_LAST_SEEN_H
#define RDI_LAST_SEEN_H

#include "base/common.h"

typedef struct rdi_seen_bucket {
    uint64_t key[8];
    uint64_t slot[8]; /* 0: free; filled from the front, so a free one ends the search */
} rdi_seen_bucket;

typedef struct rdi_seen_segment {
    rdi_seen_bucket *bucket;
    uint32_t buckets;
    uint32_t entries;
    uint32_t limit; /* entries at which it grows */
} rdi_seen_segment;

typedef struct rdi_last_seen {
    rd_ctx *ctx;
    rdi_seen_segment *segment;
    unsigned bits; /* log2 of the number of segments */
} rdi_last_seen;

/* `workers` threads will work on different segments: there are several for each from the start. */
rd_status rdi_last_seen_init(rd_ctx *ctx, rdi_last_seen *seen, unsigned workers);
void rdi_last_seen_fini(rdi_last_seen *seen);

/* More segments if they have become too large for the cache. */
rd_status rdi_last_seen_split(rdi_last_seen *seen);

/* Room for one more entry in a segment that is at its limit. */
rd_status rdi_last_seen_grow(rdi_last_seen *seen, rdi_seen_segment *s);

/* Removes the entries whose slots were set to RDI_SEEN_DROPPED, `dropped` of them. */
#define RDI_SEEN_DROPPED UINT64_MAX
rd_status rdi_last_seen_drop(rdi_last_seen *seen, rdi_seen_segment *s, uint32_t dropped);

static inline uint64_t rdi_seen_segments(const rdi_last_seen *seen) {
    return UINT64_C(1) << seen->bits;
}

/* One multiplication; the top bits choose the segment, the low half the bucket. */
static inline uint64_t rdi_seen_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t rdi_seen_segment_of(uint64_t hash, unsigned bits) {
    return hash >> 1 >> (63 - bits); /* also right for 0 bits */
}

static inline uint32_t rdi_seen_bucket_of(uint64_t hash, uint32_t buckets) {
    /* The low bits of a product are weak: fold the high half in. */
    uint32_t h = (uint32_t)(hash ^ hash >> 29);
    return (uint32_t)((uint64_t)h * buckets >> 32);
}

#endif
