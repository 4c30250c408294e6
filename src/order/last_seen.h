/* A hash table from block to the slot of its last reference, for very many blocks.
 *
 * The top bits of the hash select a segment. A batch of references sorted by segment is therefore
 * looked up within the processor's cache, and growing moves one segment at a time: there is never a
 * second copy of the table. A segment is an array of buckets with eight keys and eight slots each
 * (two cache lines); a full bucket overflows into the next one. A segment grows by half when it is
 * four fifths full. All segments are split in four when they outgrow the cache.
 *
 * Single entries are never deleted; rdi_last_seen_drop() deletes many at once. Memory: 20 to 31
 * bytes per block.
 */
#ifndef RDI_LAST_SEEN_H
#define RDI_LAST_SEEN_H

#include "base/common.h"

typedef struct rdi_seen_bucket {
    uint64_t key[8];
    uint64_t slot[8]; /* 0: free; filled from index 0 on, so a free slot ends the search */
} rdi_seen_bucket;

typedef struct rdi_seen_segment {
    rdi_seen_bucket *bucket;
    uint32_t buckets;
    uint32_t entries;
    uint32_t limit; /* number of entries at which it grows */
} rdi_seen_segment;

typedef struct rdi_last_seen {
    rd_ctx *ctx;
    rdi_seen_segment *segment;
    unsigned bits; /* log2 of the number of segments */
} rdi_last_seen;

/* `workers` threads will use different segments, so each gets several from the start. */
rd_status rdi_last_seen_init(rd_ctx *ctx, rdi_last_seen *seen, unsigned workers);
void rdi_last_seen_fini(rdi_last_seen *seen);

/* Splits the segments if they have outgrown the cache. */
rd_status rdi_last_seen_split(rdi_last_seen *seen);

/* Makes room for one more entry in a segment that is at its limit. */
rd_status rdi_last_seen_grow(rdi_last_seen *seen, rdi_seen_segment *s);

/* Removes the `dropped` entries whose slot was set to RDI_SEEN_DROPPED. */
#define RDI_SEEN_DROPPED UINT64_MAX
rd_status rdi_last_seen_drop(rdi_last_seen *seen, rdi_seen_segment *s, uint32_t dropped);

static inline uint64_t rdi_seen_segments(const rdi_last_seen *seen) {
    return UINT64_C(1) << seen->bits;
}

/* Hashes with one multiplication. The top bits select the segment, the low half the bucket. */
static inline uint64_t rdi_seen_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t rdi_seen_segment_of(uint64_t hash, unsigned bits) {
    return hash >> 1 >> (63 - bits); /* also correct for 0 bits */
}

static inline uint32_t rdi_seen_bucket_of(uint64_t hash, uint32_t buckets) {
    /* The low bits of a product are weak, so the high half is folded in. */
    uint32_t h = (uint32_t)(hash ^ hash >> 29);
    return (uint32_t)((uint64_t)h * buckets >> 32);
}

#endif
