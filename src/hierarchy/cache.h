/* The state of one simulated cache: which blocks its sets hold, and in which order they are
 * evicted.
 *
 * Two layouts share one interface. Up to RDI_NARROW_WAYS ways, a set is searched by comparing all
 * its tags at once (cache_narrow.c). Wider sets, above all those of fully associative caches, are
 * searched through a hash table (cache_wide.c). docs/hierarchies.md defines the policies.
 */
#ifndef RDI_CACHE_H
#define RDI_CACHE_H

#include "base/common.h"
#include "base/cpu.h"
#include "hierarchy/set_index.h"
#include "order/block_map.h"
#include "reusedist/hierarchy.h"

#define RDI_NARROW_WAYS 64

/* Flags of a way. A way without RDI_WAY_USED is empty. A block is marked if it was prefetched and
 * not referenced since. */
enum { RDI_WAY_USED = 1, RDI_WAY_DIRTY = 2, RDI_WAY_MARKED = 4 };

#define RDI_NO_WAY UINT64_MAX

typedef struct rdi_cache rdi_cache;

/* Kernels for one instruction set. */
typedef struct rdi_cache_kernels {
    /* Returns a mask of the ways among `stride` ways, a multiple of 8 up to 64, whose tag is
     * `block`. */
    uint64_t (*match)(const uint64_t *tags, uint64_t stride, uint64_t block);
    /* Processes the references of a batch in order, as long as they hit, and returns their number.
     * The function stops before a reference that misses, hits a marked block, or is a store that
     * must be written through. first[0] is the cache for data and first[1] the cache for
     * instruction fetches; they may be the same cache. Both are narrow. If `kinds` is NULL, all
     * references are loads. */
    size_t (*run)(rdi_cache *const first[2], const uint64_t *blocks, const uint8_t *kinds,
                  size_t n);
} rdi_cache_kernels;

rd_status rdi_cache_kernels_choose(rd_ctx *ctx, uint32_t isa, const rdi_cache_kernels **out);

struct rdi_cache {
    rd_ctx *ctx;
    const rdi_cache_kernels *kernels;
    rd_cache_policy policy;
    bool through;
    rdi_set_index index;
    uint64_t sets, ways;
    uint64_t generator; /* state of RD_POLICY_RANDOM */

    /* Way w of set s has the number s * stride + w, which is its index in these arrays. */
    uint64_t stride;
    uint64_t *tags;   /* number of the block that the way holds */
    uint8_t *flags;   /* RDI_WAY_* */
    uint8_t *values;  /* RD_POLICY_RRIP: re-reference prediction value; wide RD_POLICY_PLRU: the bit
                         of the node whose right side begins at this way */
    uint64_t *stamps; /* narrow RD_POLICY_LRU: the time of the last touch or insertion */
    uint64_t clock;   /* the latest time in `stamps` */

    /* Narrow caches. `used`, `bits` and `recent` have one element per set. */
    uint64_t *used;                       /* mask of the ways that are not empty */
    uint64_t *bits;                       /* RD_POLICY_PLRU: the bits of the nodes */
    uint8_t *recent;                      /* way that was touched or filled last */
    uint64_t plru_above[RDI_NARROW_WAYS]; /* for each way, a mask of the nodes above it */
    uint64_t plru_away[RDI_NARROW_WAYS];  /* the bits of these nodes after a touch of the way */

    /* Wide caches. */
    rdi_block_map where;       /* for each block in the cache, the number of its way */
    uint64_t *newer, *older;   /* RD_POLICY_LRU: the neighbors of the way in the list of its set, as
                                  numbers of ways plus 1; 0: none */
    uint64_t *newest, *oldest; /* RD_POLICY_LRU, one per set: the ends of the list, as numbers of
                                  ways plus 1; 0: the list is empty */
    uint64_t *empty;           /* one per set: number of ways that were used and are empty now */
    uint64_t *spare;           /* RD_POLICY_LRU, one per set: the first of the ways that `empty`
                                  counts, as its number plus 1; 0: none; `older` links these ways */
    uint64_t *filled;          /* one per set: number of ways that were ever used */
};

/* A block that was evicted. */
typedef struct rdi_victim {
    uint64_t block;
    uint8_t flags; /* 0: there is no victim */
} rdi_victim;

/* Makes an empty cache as `is` describes it. After a failure, rdi_cache_fini() is allowed. */
rd_status rdi_cache_init(rdi_cache *c, rd_ctx *ctx, const rdi_cache_kernels *kernels,
                         const rd_cache *is, uint64_t block_bytes);
void rdi_cache_fini(rdi_cache *c); /* a zeroed cache is allowed */

/* Returns the number of the way that holds `block`, or RDI_NO_WAY. */
uint64_t rdi_cache_find(const rdi_cache *c, uint64_t block);
/* Updates the order of eviction after a hit in the way with number `way`. */
void rdi_cache_touch(rdi_cache *c, uint64_t way);
/* Inserts a block that the cache does not hold, clean and not marked, and sets *victim to the block
 * that was evicted, or victim->flags to 0 if none was. */
rd_status rdi_cache_insert(rdi_cache *c, uint64_t block, rdi_victim *victim);
/* Removes the block of the way with number `way`. */
void rdi_cache_remove(rdi_cache *c, uint64_t way);

static inline bool rdi_cache_is_narrow(const rdi_cache *c) {
    return c->ways <= RDI_NARROW_WAYS;
}

static inline uint64_t rdi_cache_set(const rdi_cache *c, uint64_t block) {
    return rdi_set_of(&c->index, block);
}

/* ---- narrow caches (cache_narrow.c) ---- */

rd_status rdi_narrow_init(rdi_cache *c);
uint64_t rdi_narrow_way_for(rdi_cache *c, uint64_t set, rdi_victim *victim);

/* Updates the order of eviction after a hit in way `way` of set `set`, or an insertion into it.
 * `rrip` is the new value of the way under RD_POLICY_RRIP. */
static inline void rdi_narrow_use(rdi_cache *c, uint64_t set, unsigned way, unsigned rrip) {
    c->recent[set] = (uint8_t)way;
    switch (c->policy) {
    case RD_POLICY_LRU:
        c->stamps[set * c->stride + way] = ++c->clock;
        break;
    case RD_POLICY_PLRU:
        c->bits[set] = (c->bits[set] & ~c->plru_above[way]) | c->plru_away[way];
        break;
    case RD_POLICY_RRIP:
        c->values[set * c->stride + way] = (uint8_t)rrip;
        break;
    case RD_POLICY_RANDOM:
        break;
    }
}

/* ---- wide caches (cache_wide.c) ---- */

rd_status rdi_wide_init(rdi_cache *c);
void rdi_wide_use(rdi_cache *c, uint64_t way, unsigned rrip);
/* Returns the number of the way for a new block in set `set`. If the set is full, evicts a block
 * and sets *victim to it; otherwise sets victim->flags to 0. */
uint64_t rdi_wide_way_for(rdi_cache *c, uint64_t set, rdi_victim *victim);
void rdi_wide_remove(rdi_cache *c, uint64_t way);

/* ---- policies of all caches ---- */

#define RDI_RRIP_INSERTED 2
#define RDI_RRIP_TOUCHED  0

/* Returns the way of a full set that RD_POLICY_RANDOM evicts. */
static inline uint64_t rdi_cache_draw(rdi_cache *c) {
    c->generator += UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)(((rdi_u128)rdi_mix64(c->generator) * c->ways) >> 64);
}

/* Returns the way of a full set that RD_POLICY_RRIP evicts. `values` has the re-reference
 * prediction values of the set. The function adds the same number to all of them, such that the
 * largest one becomes 3. */
uint64_t rdi_cache_farthest(uint8_t *values, uint64_t ways);

#endif
