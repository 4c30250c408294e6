/* Caches whose sets are kept in LRU order, for hierarchies without feedback between levels.
 *
 * A set is an array of lanes, the most recently used block first, so that a hit or a miss is one
 * shift of a few lanes in vector registers. This serves LRU caches that are neither inclusive nor
 * exclusive and do not prefetch. What happens in such a cache depends only on the references and
 * writes that arrive there. So a level handles all arrivals of a tile, and leaves the arrivals of
 * the next outer level in a list (lru_levels.c). All other caches are in cache.h. */
#ifndef RDI_LRU_SETS_H
#define RDI_LRU_SETS_H

#include "base/common.h"
#include "base/cpu.h"
#include "hierarchy/set_index.h"

#define RDI_LRU_WAYS 64   /* maximum number of ways */
#define RDI_LRU_TILE 4096 /* maximum number of references in a tile */

/* A lane, a reference and a write are the number of a block plus 1, combined with these bits. A
 * lane of 0 is empty. Block numbers must be below RDI_LRU_BLOCKS. */
#define RDI_LRU_DIRTY  (UINT64_C(1) << 63) /* a dirty lane, a store, or a write that arrives */
#define RDI_LRU_FETCH  (UINT64_C(1) << 62) /* a reference to the cache of instruction fetches */
#define RDI_LRU_BLOCKS (UINT64_C(1) << 61)

typedef struct rdi_lru {
    rdi_set_index index;
    uint64_t ways, stride; /* stride: number of lanes per set, a multiple of 8 */
    uint64_t *lanes;
    bool through;
    uint64_t misses, writebacks;
} rdi_lru;

/* The references and writes that arrive at a cache in a tile. */
typedef struct rdi_arrivals {
    uint64_t *what; /* in order */
    size_t n;
} rdi_arrivals;

/* Settings and state of `gather`. */
typedef struct rdi_gathering {
    bool every_store; /* true: keep all stores, because they are written through */
    bool split;       /* true: mark instruction fetches */
    uint64_t last;    /* the last reference so far; 0 at first */
    uint64_t bits;    /* bitwise OR of all block numbers so far */
} rdi_gathering;

/* Kernels for one instruction set. */
typedef struct rdi_lru_kernels {
    /* Writes the references of a tile to `refs` and the index of each of them to `at`, and returns
     * their number. It leaves out references that repeat the block of the reference before them and
     * change nothing. If `kinds` is NULL, all references are loads. */
    size_t (*gather)(rdi_gathering *g, const uint64_t *blocks, const uint8_t *kinds, size_t n,
                     uint64_t *refs, uint32_t *at);
    /* Handles n references at the innermost caches: first[0] for data and first[1] for instruction
     * fetches, which may be the same cache. Appends the arrivals of the next level to `out`, and
     * the index of each miss to `missed`. Returns the number of misses. */
    size_t (*first)(rdi_lru *const first[2], const uint64_t *refs, size_t n, rdi_arrivals *out,
                    uint32_t *missed);
    /* Handles the arrivals `in` at an outer level. Appends the arrivals of the next level to `out`,
     * and the index of each miss, counted among references without writes, to `missed`. Returns the
     * number of misses, and sets *references to the number of references. */
    size_t (*outer)(rdi_lru *c, const rdi_arrivals *in, rdi_arrivals *out, uint32_t *missed,
                    size_t *references);
} rdi_lru_kernels;

rd_status rdi_lru_kernels_choose(rd_ctx *ctx, uint32_t isa, const rdi_lru_kernels **out);

#endif
