/* Finds the causes of the misses of one cache: it measures reuse distances within the sequence of
 * references that arrives at the cache. docs/hierarchies.md defines the causes. */
#ifndef RDI_CAUSES_H
#define RDI_CAUSES_H

#include "base/common.h"
#include "order/block_map.h"
#include "reusedist/engine.h"
#include "reusedist/hierarchy.h"

#define RDI_CAUSES_BATCH 4096

/* For each block that one cache has lost, the reference that made the cache lose it. These
 * references are stored only if somebody receives the misses. */
typedef struct rdi_evictors {
    rd_miss_sink sink; /* receives the misses of the cache; NULL: nobody does */
    void *user;
    uint32_t cache;        /* index of the cache in the hierarchy */
    rdi_block_map numbers; /* for each block that the cache has lost, an index into `by` */
    struct {
        uint64_t block, tag;
    } * by;
    size_t n, room;
} rdi_evictors;

/* Finds the causes of the misses of one cache. The arrays have the references that are not
 * classified yet. */
typedef struct rdi_causes {
    rd_engine *engine;      /* measures distances at this cache; its bound is `cache_blocks` */
    uint64_t cache_blocks;  /* number of blocks of the cache */
    rdi_block_map *seen;    /* for each block, a mask of the caches at which it has arrived; shared
                               by all caches of a hierarchy, which owns it */
    uint64_t bit;           /* the bit of this cache in the mask */
    rd_cache_counts *count; /* counters of this cache */
    size_t n;               /* number of references in the arrays */
    uint64_t blocks[RDI_CAUSES_BATCH], distances[RDI_CAUSES_BATCH];
    bool miss[RDI_CAUSES_BATCH];
    rdi_evictors evictors;
    rd_miss *misses; /* the misses among the references in the arrays, without their causes; NULL:
                        nobody receives them */
    size_t n_misses;
} rdi_causes;

rd_status rdi_causes_new(rd_ctx *ctx, uint64_t cache_blocks, rdi_block_map *seen, uint64_t bit,
                         rd_cache_counts *count, rdi_causes **out);
/* Makes `sink` receive all misses, as misses of the cache with index `cache` in the hierarchy. Must
 * be called before the first reference. */
rd_status rdi_causes_watch(rd_ctx *ctx, rdi_causes *c, rd_miss_sink sink, void *user,
                           uint32_t cache);
void rdi_causes_free(rd_ctx *ctx, rdi_causes *c); /* NULL is allowed */

/* Adds n references, all of which miss if `miss` is true, and all of which hit otherwise. */
rd_status rdi_causes_add(rdi_causes *c, const uint64_t *blocks, size_t n, bool miss);
/* Adds a reference that misses, with its tag. */
rd_status rdi_causes_add_miss(rdi_causes *c, uint64_t block, uint64_t tag);
/* Notes that a reference to `block` with `tag` made the cache lose the block `lost`. Does nothing
 * if nobody receives the misses. */
rd_status rdi_causes_lose(rd_ctx *ctx, rdi_causes *c, uint64_t lost, uint64_t block, uint64_t tag);
/* Classifies all references that were added. */
rd_status rdi_causes_flush(rdi_causes *c);

#endif
