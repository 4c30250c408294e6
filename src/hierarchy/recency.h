/* Tells whether the reuse distance of a reference is below the size of a cache, for an LRU cache
 * (lru_sets.h), without computing the distance.
 *
 * A fully associative LRU cache of C blocks holds the C blocks that were referenced last: the
 * *near* blocks. So a distance is below C if and only if the time of the previous reference to the
 * block is not before a limit, the time of the last reference to the oldest near block. The limit
 * never moves back to an earlier reference. The simulated cache stores the time of each block that
 * it holds together with the block's lane, so that a reference that hits needs no search. Each set
 * also has a ring with the near blocks that it has evicted last, and their times. The set evicts
 * blocks in the order of their times, so the oldest entries of the ring are the first ones that are
 * not near any more. Near blocks that do not fit into the ring are in a table. */
#ifndef RDI_RECENCY_H
#define RDI_RECENCY_H

#include "base/common.h"
#include "hierarchy/lru_sets.h"
#include "order/block_map.h"

#define RDI_RECENCY_BLOCKS (UINT64_C(1) << 30) /* maximum size of a cache in blocks */
#define RDI_RECENCY_RING   8                   /* number of entries of a ring */

/* The blocks that a set has evicted last. */
typedef struct rdi_recency_ring {
    uint64_t lanes[RDI_RECENCY_RING]; /* the number of a block plus 1; 0: the entry is empty */
    uint32_t times[RDI_RECENCY_RING]; /* the last reference to the block */
    uint32_t oldest;                  /* index of the entry that was filled first */
    uint32_t
        lost; /* an upper limit of the times of the near blocks that the table has got from this
                      ring */
} rdi_recency_ring;

typedef struct rdi_recency {
    rd_ctx *ctx;
    uint64_t blocks, sets; /* size of the cache in blocks, and its number of sets */
    uint8_t *live; /* live[t], for t >= limit: 1 if the reference at time t is the last one to its
                      block, else 0. Times after `now` may be 1 as well. The array has 8 spare bytes
                      at its end, for loads of 8 bytes. */
    uint32_t *renumbered;    /* temporary: the new time for each old time */
    uint32_t room;           /* length of `live` and `renumbered` */
    uint32_t now;            /* the time of the last reference */
    uint32_t limit;          /* the last reference to each near block is at this time or later */
    uint64_t n;              /* number of near blocks */
    rdi_recency_ring *rings; /* one per set */
    rdi_block_map evicted; /* near blocks that neither the cache nor a ring holds, with their times;
                                blocks that are not near any more are removed from time to time */
    uint64_t far_hits, conflict;
} rdi_recency;

/* Makes an empty state for an empty cache of `blocks` blocks. After a failure, rdi_recency_fini() is
 * allowed. */
rd_status rdi_recency_init(rdi_recency *r, rd_ctx *ctx, const rdi_lru *c, uint64_t blocks);
void rdi_recency_fini(rdi_recency *r); /* a zeroed state is allowed */

/* Makes room for the times of `n` more references. This may change all times, also those of the
 * cache. */
void rdi_recency_reserve(rdi_recency *r, rdi_lru *c, size_t n);

/* Classifies n references to the cache, which follow the references of the previous call. before[i]
 * is the time of the previous reference to the block of reference i, or RDI_LRU_MISSED for the
 * references in `misses`. Counts conflict misses and far hits. Writes the blocks of misses with a
 * distance of C or more to `far`, which must have room for all misses, and sets *n_far to their
 * number. */
rd_status rdi_recency_classify(rdi_recency *r, const rdi_lru *c, const uint32_t *before, size_t n,
                               const rdi_lru_miss *misses, uint64_t *far, size_t *n_far);

#endif
