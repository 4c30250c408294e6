/* Caches with the LRU policy, for hierarchies without feedback between levels.
 *
 * The blocks of a set are in lanes, which are compared with a block all at once. Each lane has the
 * time of its last reference, so a hit changes only this time and whether the block is dirty, and a
 * miss finds the oldest lane. These caches are neither inclusive nor exclusive and do not prefetch.
 * What happens in such a cache depends only on the references and writes that arrive there. So a
 * level handles all arrivals of a tile, and leaves the arrivals of the next outer level in a list
 * (lru_levels.c). All other caches are in cache.h. */
#ifndef RDI_LRU_SETS_H
#define RDI_LRU_SETS_H

#include "base/common.h"
#include "base/cpu.h"
#include "hierarchy/set_index.h"

#define RDI_LRU_WAYS 64   /* maximum number of ways */
#define RDI_LRU_TILE 4096 /* maximum number of references in a tile */

/* A reference or a write is stored as the number of its block plus 1, combined with the flags
 * RDI_LRU_DIRTY and RDI_LRU_FETCH. Block numbers must be below RDI_LRU_BLOCKS. */
#define RDI_LRU_DIRTY  (UINT64_C(1) << 63) /* a store, or a write that arrives */
#define RDI_LRU_FETCH  (UINT64_C(1) << 62) /* a reference to the cache of instruction fetches */
#define RDI_LRU_BLOCKS (UINT64_C(1) << 61)

typedef struct rdi_lru {
    rdi_set_index index;
    uint64_t ways, stride; /* stride: number of lanes per set, a multiple of 8 */
    uint64_t *lanes;       /* the number of a block plus 1; 0: the lane is empty */
    uint32_t *times;       /* for each lane, the time of the last reference to its block */
    uint64_t *dirty;       /* for each set, a mask of the lanes whose blocks are dirty */
    uint32_t now;          /* the time of the last reference */
    bool through;
    uint64_t misses, writebacks;
} rdi_lru;

#define RDI_LRU_MISSED UINT32_MAX /* instead of a time: the cache did not hold the block */

/* A reference that misses. */
typedef struct rdi_lru_miss {
    uint64_t lane;        /* the new lane */
    uint64_t victim;      /* the lane that was dropped, with RDI_LRU_DIRTY if its block was dirty;
                             0: no block was evicted */
    uint32_t victim_time; /* the time of the last reference to the victim */
    uint32_t index;       /* index of the reference */
} rdi_lru_miss;

/* The references and writes that arrive at a cache in a tile. */
typedef struct rdi_arrivals {
    uint64_t *what; /* in order */
    size_t n;
} rdi_arrivals;

/* Settings and state of `gather`. */
typedef struct rdi_gathering {
    bool every_store; /* true: keep all stores, because they are written through */
    bool pairs;       /* true: leave out repeats of pairs. All caches at which the references arrive
                         must have at least two ways. */
    bool split;       /* true: mark instruction fetches */
    uint64_t bits;    /* bitwise OR of all block numbers so far */
} rdi_gathering;

/* Kernels for one instruction set. */
typedef struct rdi_lru_kernels {
    /* Writes the references of a tile that can change something to `refs`, and the index of each of
     * them to `at`, unless `at` is NULL, and returns their number. If `kinds` is NULL, all
     * references are loads. `refs` and `at` need room for n + RDI_LRU_SPARE elements.
     *
     * Consecutive references to one block in the same cache become one reference with the index of
     * the first of them, which is a store if one of them is; with `every_store`, all stores stay.
     * With `pairs`, while references alternate between two blocks, only the first reference to each
     * block and the last reference stay. All references that are left out hit, and do not change
     * the LRU order that the other references give. */
    size_t (*gather)(rdi_gathering *g, const uint64_t *blocks, const uint8_t *kinds, size_t n,
                     uint64_t *refs, uint32_t *at);
    /* Handles n references at the innermost caches: first[0] for data and first[1] for instruction
     * fetches, which may be the same cache. Appends the arrivals at the next level to `out`. Writes
     * the misses to `misses` and returns their number. Sets before[i] to the time of the previous
     * reference to the block of reference i, or to RDI_LRU_MISSED if the cache did not hold the
     * block; `before` may be NULL. */
    size_t (*first)(rdi_lru *const first[2], const uint64_t *refs, size_t n, rdi_arrivals *out,
                    rdi_lru_miss *misses, uint32_t *before);
    /* Handles the arrivals `in` at an outer level, like `first`. The indices of misses count
     * references, but not writes. Returns the number of references, not of misses. */
    size_t (*outer)(rdi_lru *c, const rdi_arrivals *in, rdi_arrivals *out, rdi_lru_miss *misses,
                    uint32_t *before);
} rdi_lru_kernels;

#define RDI_LRU_SPARE 16 /* kernels may read and write whole vectors beyond the end of an array */

/* The time before the first reference. Smaller times only keep the order of lanes whose times were
 * forgotten. */
#define RDI_LRU_BEGIN ((uint32_t)RDI_LRU_WAYS)

/* In each set, gives the lanes with times before `limit` the times 1, 2 ... in the same order.
 * Every other lane gets the time renumbered[t] instead of t. Empty lanes get the time 0. */
void rdi_lru_renumber(rdi_lru *c, uint32_t limit, const uint32_t *renumbered);

rd_status rdi_lru_kernels_choose(rd_ctx *ctx, uint32_t isa, const rdi_lru_kernels **out);

#endif
