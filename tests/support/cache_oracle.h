/* A plain, slow simulator of cache hierarchies, written from docs/hierarchies.md alone. */
#ifndef RD_CACHE_ORACLE_H
#define RD_CACHE_ORACLE_H

#include "reusedist/hierarchy.h"

#include <stddef.h>

/* Simulates `n` references and stores the counters of each cache of the hierarchy, which must be
 * valid for this block size. `kinds` NULL means that all references are loads. */
void cache_oracle_run(const rd_hierarchy *h, uint64_t block_bytes, const uint64_t *blocks,
                      const uint8_t *kinds, size_t n, rd_cache_counts *counts);

#endif
