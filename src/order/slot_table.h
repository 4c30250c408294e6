/* A hash table from blocks to slots, made for batched look-ups: a bucket is one cache line.
 *
 * A block is in the first bucket, from its home bucket on, that had room when it was inserted.
 * slot_table.inc.h has the look-ups, once per instruction set and slot width. This header has what
 * they share. slot_table.c grows, rehashes and widens a table between batches.
 *
 * Entries are at most DISP_MAX buckets from home when a step begins. Ids that spread stay far below
 * that. A step adds at most one full bucket per RDI_SLOT_WIDE_WAYS entries, and the TAIL buckets
 * after the last home hold this overflow, so no probe wraps around.
 */
#ifndef RDI_SLOT_TABLE_H
#define RDI_SLOT_TABLE_H

#include "base/common.h"

#define RDI_SLOT_TABLE_STEP 2048 /* entries that may be added between two calls of ..._room() */
#define RDI_SLOT_WAYS       5    /* entries per bucket with 32-bit slots */
#define RDI_SLOT_WIDE_WAYS  3    /* entries per bucket with 64-bit slots */
#define RDI_SLOT_DISP_MAX   64
#define RDI_SLOT_TAIL       768
#define RDI_SLOT_LOAD       60 /* percent of the entries at which a table grows */

typedef struct rdi_slot_table rdi_slot_table;

/* A table's entries, for work that need not be fast. */
typedef struct rdi_slot_table_ops {
    unsigned ways; /* entries per bucket */
    /* Reads the entries of a bucket and returns their number. */
    unsigned (*read)(const rdi_slot_table *t, uint64_t bucket, uint64_t *blk, uint64_t *slot);
    void (*insert)(rdi_slot_table *t, uint64_t blk, uint64_t slot);
    bool (*contains)(const rdi_slot_table *t, uint64_t blk);
    /* Moves the entries of a table of `old_homes` that was enlarged in place to their new homes; the
     * first `low` buckets go through `stash`. */
    void (*respread)(rdi_slot_table *t, uint64_t old_homes, void *stash, uint64_t low);
} rdi_slot_table_ops;

struct rdi_slot_table {
    const rdi_slot_table_ops *ops;
    void *bucket;    /* cache lines, homes + TAIL of them */
    uint64_t homes;  /* buckets that are some block's home */
    uint64_t count;  /* entries */
    uint64_t limit;  /* entries at which the table grows */
    uint64_t disp;   /* upper limit of bucket - home bucket over all entries */
    uint64_t seed;   /* of the hash */
    uint64_t factor; /* multiplier of the hash, odd */
    uint64_t growths, reseedings;
};

/* An empty table with room for about `entries` entries. */
rd_status rdi_slot_table_init(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *ops,
                              uint64_t entries);
void rdi_slot_table_fini(rdi_slot_table *t, rd_ctx *ctx);

/* Whether one more step fits as the table is. */
bool rdi_slot_table_has_room(const rdi_slot_table *t);
/* Makes room for one more step. */
rd_status rdi_slot_table_room(rdi_slot_table *t, rd_ctx *ctx);
/* Moves all entries to a table with the wider slots of `wide`. */
rd_status rdi_slot_table_widen(rdi_slot_table *t, rd_ctx *ctx, const rdi_slot_table_ops *wide);
/* Removes all entries, and frees memory that only many more blocks would need. */
rd_status rdi_slot_table_clear(rdi_slot_table *t, rd_ctx *ctx);

/* Bucket numbers are in hash order, which a table of any size allows and growing keeps. The hash is
 * one multiplication, folded: dense and strided ids spread evenly over its top bits. */
static inline uint64_t rdi_slot_home(const rdi_slot_table *t, uint64_t blk) {
    rdi_u128 m = (rdi_u128)(blk ^ t->seed) * t->factor;
    uint64_t hash = (uint64_t)m ^ (uint64_t)(m >> 64);
    return (uint64_t)(((rdi_u128)hash * t->homes) >> 64);
}

#endif
