/* The state of a simulator, which simulator.c and cores.c share. */
#ifndef RDI_SIMULATOR_STATE_H
#define RDI_SIMULATOR_STATE_H

#include "hierarchy/cache.h"
#include "hierarchy/causes.h"
#include "hierarchy/lru_levels.h"
#include "hierarchy/streams.h"

typedef struct rdi_cores rdi_cores;

/* One level as one thread sees it. If several threads share a level, each thread has its own
 * counters of the level, and the pointers of all threads are the same. */
typedef struct rdi_level {
    rdi_cache *cache;
    rd_cache is;
    rd_cache_counts count;
    rdi_streams *streams; /* NULL: no stream prefetcher */
    rdi_causes *causes;   /* NULL: causes were not requested, or lru_levels.c or cores.c finds
                             them */
    /* If private caches are simulated and causes were requested: a fully associative LRU cache of
     * the same size, at which the same references arrive. It tells whether the distance of a
     * reference is below the size. */
    rdi_cache *near;
    rd_coherence_counts coherence; /* 0 unless private caches are simulated */
} rdi_level;

struct rd_simulator {
    rd_ctx *ctx;
    rd_hierarchy hierarchy;
    rdi_level *level; /* the levels that the references of the current thread can visit: `own`, or
                         those of a thread in `threads` */
    rdi_level own[RD_CACHES_MAX];
    rdi_cache caches[RD_CACHES_MAX]; /* the caches of `own` */
    size_t n;
    size_t first[2];    /* indices of the innermost levels of data and of instruction fetches */
    size_t outer;       /* index of the first level that is not innermost */
    rdi_cache *fast[2]; /* if `is_fast`, the caches of the levels `first`, whose hits a kernel can
                           process */
    bool is_fast;
    const rdi_cache_kernels *kernels;
    rdi_lru_levels *lru; /* simulates all caches, if lru_levels.c can; NULL: the caches are in
                            `level` */
    bool lru_causes;     /* `lru` finds the causes of misses */
    rdi_block_map seen;  /* shared by the causes of all levels (causes.h) */
    rd_miss_sink sink;   /* receives all misses; NULL: no receiver */
    uint64_t block, tag; /* the current reference, if `sink` is not NULL */
    rdi_cores *threads;  /* NULL: all references use the levels `own` */
};

/* The result of searching the levels for a block. */
typedef struct rdi_search {
    size_t missed[RD_CACHES_MAX]; /* indices of the levels that missed, innermost first */
    size_t n;                     /* number of elements of `missed` */
    size_t hit;                   /* level that holds the block, or number of levels if none does */
    uint64_t way;                 /* number of the way that holds the block, or RDI_NO_WAY */
} rdi_search;

/* Performs "A write arrives" (docs/hierarchies.md) at level k. */
void rdi_write_arrives(rd_simulator *s, size_t k, uint64_t block);
/* Removes the victim *v of inclusive level k from `inner`, which is level i of some thread and is
 * inside level k. *v becomes dirty if `inner` had a dirty copy. */
rd_status rdi_remove_victim(rd_simulator *s, size_t k, rdi_level *inner, size_t i, rdi_victim *v);

#endif
