/* A plain, slow simulator of cache hierarchies, written from docs/hierarchies.md alone. */
#ifndef RD_CACHE_ORACLE_H
#define RD_CACHE_ORACLE_H

#include "reusedist/hierarchy.h"

#include <stddef.h>

#define CACHE_ORACLE_NOBODY SIZE_MAX

typedef struct cache_oracle_miss {
    size_t reference, cache;
    rd_miss_cause cause;
    size_t evictor; /* index of the reference during which the cache last lost the block;
                       CACHE_ORACLE_NOBODY: the cache never lost it */
} cache_oracle_miss;

/* Simulates `n` references and stores the counters of each cache in `counts`. The hierarchy must be valid for
 * this block size. `kinds` NULL means that all references are loads. Unless `misses` is NULL, writes every miss
 * to it, in the order of the references; the misses of one reference are in the order in which it visits the
 * caches. The array has room for `n` misses per cache. Returns the number of misses written. */
size_t cache_oracle_run(const rd_hierarchy *h, uint64_t block_bytes, const uint64_t *blocks,
                        const uint8_t *kinds, size_t n, rd_cache_counts *counts,
                        cache_oracle_miss *misses);

typedef struct cache_oracle_reference {
    size_t thread; /* below the number of threads */
    uint64_t block;
    uint8_t kind;
} cache_oracle_reference;

/* Simulates private caches of threads: every cache of the hierarchy without `shared` exists once for
 * each thread. Stores the counters of thread t and cache k in counts[t * h->n + k]. */
void cache_oracle_run_private(const rd_hierarchy *h, uint64_t block_bytes,
                              const cache_oracle_reference *refs, size_t n, size_t n_threads,
                              rd_level_counts *counts);

#endif
