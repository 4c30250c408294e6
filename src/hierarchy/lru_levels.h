/* Simulates a hierarchy of LRU caches (lru_sets.h), tile by tile. */
#ifndef RDI_LRU_LEVELS_H
#define RDI_LRU_LEVELS_H

#include "base/common.h"
#include "reusedist/hierarchy.h"

typedef struct rdi_lru_levels rdi_lru_levels;

/* Returns whether this module can simulate all caches of a valid hierarchy. */
bool rdi_lru_levels_suit(const rd_hierarchy *h, uint64_t block_bytes);

/* Makes empty caches. first[0] and first[1] are the levels at which data references and instruction
 * fetches arrive. `causes` tells whether to find the causes of misses. */
rd_status rdi_lru_levels_new(rd_ctx *ctx, const rd_hierarchy *h, uint64_t block_bytes,
                             const size_t first[2], bool causes, rdi_lru_levels **out);
void rdi_lru_levels_free(rdi_lru_levels *l); /* NULL is allowed */

/* Simulates n references. If `distances` is not NULL, it has their reuse distances, which give the
 * causes of the misses of the innermost level. Either all references come with distances, or none.
 * Distances require causes and one innermost level. */
rd_status rdi_lru_levels_feed(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                              const uint64_t *distances, size_t n);
/* Sets the references, misses and write-backs of each level and, if causes are found, also the
 * causes and far hits. */
void rdi_lru_levels_count(const rdi_lru_levels *l, rd_cache_counts *counts);

#endif
