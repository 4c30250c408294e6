/* Hierarchies: caches as machines have them, with sets, levels, policies and prefetchers.
 *
 *   rd_hierarchy h;
 *   rd_hierarchy_parse(ctx, "L1=48K:12,L2=2M:16,L3=260M:20:shared=yes", &h);
 *   rd_hierarchy_check(ctx, &h, 64);
 *
 * docs/hierarchies.md defines the behavior of every policy and rule.
 */
#ifndef REUSEDIST_HIERARCHY_H
#define REUSEDIST_HIERARCHY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_CACHES_MAX 16 /* maximum number of caches in a hierarchy */

/* The values of each enumeration are in the order of the words in a specification, and 0 is the
 * default. */
typedef enum rd_cache_policy {
    RD_POLICY_LRU,
    RD_POLICY_PLRU, /* tree-PLRU */
    RD_POLICY_RRIP, /* SRRIP with 2 bits */
    RD_POLICY_RANDOM
} rd_cache_policy;

typedef enum rd_cache_write { RD_WRITE_BACK, RD_WRITE_THROUGH } rd_cache_write;

typedef enum rd_cache_fill {
    RD_FILL_NINE,      /* neither inclusive nor exclusive */
    RD_FILL_INCLUSIVE, /* an eviction also removes the block from all inner caches */
    RD_FILL_EXCLUSIVE  /* the cache holds only blocks that the next inner cache evicted */
} rd_cache_fill;

typedef enum rd_cache_prefetch {
    RD_PREFETCH_NONE,
    RD_PREFETCH_NEXT,  /* the next block after each miss */
    RD_PREFETCH_STREAM /* blocks ahead of ascending and descending streams */
} rd_cache_prefetch;

typedef enum rd_cache_index { RD_INDEX_MOD, RD_INDEX_HASH } rd_cache_index;

/* One cache. */
typedef struct rd_cache {
    char name[16];
    uint64_t bytes; /* size in bytes, or in objects if blocks have no size */
    uint64_t ways;  /* 0: fully associative */
    rd_cache_policy policy;
    rd_cache_write write;
    rd_cache_fill fill;
    rd_cache_prefetch prefetch;
    rd_cache_index index;
    uint32_t latency; /* cycles from the request to the data of a hit; 0: unknown */
    bool shared;      /* true: several cores share this cache */
    uint64_t seed;    /* RD_POLICY_RANDOM: seed of the generator */
} rd_cache;

/* The caches of one core, from the inside out. If the first two are called L1I and L1D, in any
 * order, they stand side by side: instruction fetches arrive at L1I, loads and stores at L1D. */
typedef struct rd_hierarchy {
    size_t size; /* sizeof(rd_hierarchy) */
    size_t n;    /* number of caches, 1 to RD_CACHES_MAX */
    rd_cache cache[RD_CACHES_MAX];
    bool has_unit; /* true: a size was written with K, M, G or T, and is in bytes */
} rd_hierarchy;

/* Parses NAME=SIZE[:WAYS][:KEY=VALUE...], a comma list of caches from the inside out. The keys are
 * policy, write, fill, prefetch, index, latency, shared and seed. A mistake gives RD_EINVAL, and
 * the message names the cache and the part of it that is wrong. */
RD_API RD_CHECKED rd_status rd_hierarchy_parse(rd_ctx *ctx, const char *text, rd_hierarchy *out);

/* Checks a hierarchy for blocks of `block_bytes` bytes; 0 means that blocks have no size, and sizes
 * of caches are numbers of blocks. Every cache needs a name of its own and a whole number of sets,
 * and must not be smaller than an inner one. A mistake gives RD_EINVAL, and the message names the
 * cache. */
RD_API RD_CHECKED rd_status rd_hierarchy_check(rd_ctx *ctx, const rd_hierarchy *h,
                                               uint64_t block_bytes);

/* Makes the text that rd_hierarchy_parse() reads as `h`, with sizes in bytes. Keys with their
 * default value are left out. The caller frees the text with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_hierarchy_text(rd_ctx *ctx, const rd_hierarchy *h, char **out);

/* Returns whether the hierarchy begins with an instruction cache and a data cache, L1I and L1D. */
RD_API bool rd_hierarchy_is_split(const rd_hierarchy *h);

/* Returns the number of blocks, the number of sets or the number of ways of a cache that
 * rd_hierarchy_check() has accepted for this block size. */
RD_API uint64_t rd_cache_blocks(const rd_cache *c, uint64_t block_bytes);
RD_API uint64_t rd_cache_sets(const rd_cache *c, uint64_t block_bytes);
RD_API uint64_t rd_cache_ways(const rd_cache *c, uint64_t block_bytes);

#ifdef __cplusplus
}
#endif
#endif
