/* A hash table that maps blocks to slots. A bucket is one cache line, which suits look-ups in
 * tiles.
 *
 * A block is stored in its home bucket, or in the first bucket after it that had room.
 * slot_table.inc.h has the look-ups, once per instruction set and slot width. This header has the
 * types that all these versions share. slot_table.c grows, rehashes and widens a table between steps.
 *
 * At the beginning of a step, no entry is more than RDI_SLOT_DISP_MAX buckets from its home. If ids
 * spread evenly, entries are much closer. A step adds at most RDI_SLOT_TABLE_STEP entries, which
 * fill at most one bucket per RDI_SLOT_WIDE_WAYS entries. The RDI_SLOT_TAIL buckets after the last
 * home hold this overflow, so no search wraps around.
 */
#ifndef RDI_SLOT_TABLE_H
#define RDI_SLOT_TABLE_H

#include "base/common.h"

/* Number of entries that may be added between two calls of rdi_slot_table_room(). */
#define RDI_SLOT_TABLE_STEP 2048
#define RDI_SLOT_WAYS       5 /* number of entries per bucket with 32-bit slots */
#define RDI_SLOT_WIDE_WAYS  3 /* number of entries per bucket with 64-bit slots */
#define RDI_SLOT_DISP_MAX   64
#define RDI_SLOT_TAIL       768
#define RDI_SLOT_LOAD       60 /* `limit` in percent of the entries that fit in the home buckets */

typedef struct rdi_slot_table rdi_slot_table;

/* Functions that access the entries of a table, for callers that need not be fast. */
typedef struct rdi_slot_table_ops {
    unsigned ways; /* number of entries per bucket */
    /* Copies the blocks and slots of a bucket's entries to blk[] and slot[], and returns the number
     * of entries. */
    unsigned (*read)(const rdi_slot_table *t, uint64_t bucket, uint64_t *blk, uint64_t *slot);
    void (*insert)(rdi_slot_table *t, uint64_t blk, uint64_t slot);
    bool (*contains)(const rdi_slot_table *t, uint64_t blk);
    /* Moves entries to their new homes after the table, which had `old_homes` homes, was enlarged
     * in place. The first `low` buckets go through the memory `stash`. */
    void (*respread)(rdi_slot_table *t, uint64_t old_homes, void *stash, uint64_t low);
} rdi_slot_table_ops;

struct rdi_slot_table {
    const rdi_slot_table_ops *ops;
    void *bucket;    /* homes + RDI_SLOT_TAIL cache lines */
    uint64_t homes;  /* number of buckets that can be the home of a block */
    uint64_t count;  /* number of entries */
    uint64_t limit;  /* maximum number of entries; the table grows before a step could exceed it */
    uint64_t disp;   /* no entry is more than this number of buckets after its home */
    uint64_t seed;   /* seed of the hash */
    uint64_t factor; /* odd factor of the hash */
    uint64_t growths, reseedings;
};

/* Makes an empty table with room for about `entries` entries. */
rd_status rdi_slot_table_init(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *ops,
                              uint64_t entries);
void rdi_slot_table_fini(rdi_slot_table *t, rd_ctx *ctx);

/* Returns whether one more step fits without growing or rehashing the table. */
bool rdi_slot_table_has_room(const rdi_slot_table *t);
/* Grows or rehashes the table until one more step fits. */
rd_status rdi_slot_table_room(rdi_slot_table *t, rd_ctx *ctx);
/* Moves all entries to a new table, which has wider slots and the operations `wide`, and replaces t
 * by the new table. */
rd_status rdi_slot_table_widen(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *wide);
/* Removes all entries. A table that had fewer than limit / 16 entries shrinks to the minimum
 * size. */
rd_status rdi_slot_table_clear(rdi_slot_table *t, rd_ctx *ctx);

/* Returns the hash of blk: the two halves of a product, combined. This spreads dense and strided
 * ids evenly over the top bits of the hash. */
static inline uint64_t rdi_slot_hash(const rdi_slot_table *t, uint64_t blk) {
    rdi_u128 m = (rdi_u128)(blk ^ t->seed) * t->factor;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Returns the number of the home bucket of blk. Homes are in the order of the hash, so any number
 * of homes is possible, and growing keeps the order of the entries. */
static inline uint64_t rdi_slot_home(const rdi_slot_table *t, uint64_t blk) {
    return (uint64_t)(((rdi_u128)rdi_slot_hash(t, blk) * t->homes) >> 64);
}

/* Number of bits per home in the bitmap that the user of a table may keep for it. A block whose bit
 * is clear is not in the table. The bits are in the order of the hash. The bitmap has a sixteenth
 * of the table's size, so most look-ups of blocks that are not in the table need only data in the
 * processor's cache. */
#define RDI_SLOT_MARKS 32

/* Returns the index of the bit of blk in this bitmap. The index divided by RDI_SLOT_MARKS is the
 * number of the home bucket. */
static inline uint64_t rdi_slot_mark(const rdi_slot_table *t, uint64_t blk) {
    return (uint64_t)(((rdi_u128)rdi_slot_hash(t, blk) * (t->homes * RDI_SLOT_MARKS)) >> 64);
}

#endif
