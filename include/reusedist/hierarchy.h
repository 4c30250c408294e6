/* Hierarchies: caches as machines have them, with sets, levels, policies and prefetchers.
 *
 *   rd_hierarchy h;
 *   rd_hierarchy_parse(ctx, "L1=48K:12,L2=2M:16,L3=260M:20:shared=yes", &h);
 *   rd_hierarchy_check(ctx, &h, 64);
 *   rd_simulator_new(ctx, &h, &(rd_simulator_config){.size = sizeof(rd_simulator_config),
 *                                                    .block_bytes = 64}, &s);
 *   while (more) rd_simulator_feed(s, blocks, kinds, n);
 *   rd_simulator_counts(s, counts);
 *
 * docs/hierarchies.md defines the behavior of every policy and rule.
 */
#ifndef REUSEDIST_HIERARCHY_H
#define REUSEDIST_HIERARCHY_H

#include "base.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RD_CACHES_MAX 16 /* maximum number of caches in a hierarchy */

/* Each of these enumerations belongs to a key of rd_hierarchy_parse(). Its values are in the order
 * in which docs/hierarchies.md lists the words of the key, and 0 is the default. */
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
    RD_PREFETCH_NEXT,  /* block b + 1 after a miss of block b, or the first hit of a prefetched b */
    RD_PREFETCH_STREAM /* blocks ahead of ascending and descending streams */
} rd_cache_prefetch;

typedef enum rd_cache_index { RD_INDEX_MOD, RD_INDEX_HASH } rd_cache_index;

/* One cache. */
typedef struct rd_cache {
    char name[16];
    uint64_t bytes; /* size in bytes, or in blocks if blocks have no size */
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

/* The caches of one core, innermost first. If the first two are called L1I and L1D, in any
 * order, both are first-level caches: instruction fetches arrive at L1I, loads and stores at
 * L1D. */
typedef struct rd_hierarchy {
    size_t size; /* sizeof(rd_hierarchy) */
    size_t n;    /* number of caches, 1 to RD_CACHES_MAX */
    rd_cache cache[RD_CACHES_MAX];
    bool has_unit; /* true: a size was written with K, M, G or T, so sizes are in bytes */
    /* The machine that the caches belong to, for the cost of misses. These fields have no effect on
     * a simulation and are not in the text of a hierarchy. */
    char machine[32];  /* name of the machine; "": unknown */
    double clock_ghz;  /* clock rate, see rd_machine; 0: unknown */
    double memory_ns;  /* latency of memory, see rd_machine; 0: unknown */
    uint32_t parallel; /* maximum number of misses in flight, see rd_machine; 0: unknown */
} rd_hierarchy;

/* Parses a list of caches, innermost first and separated by commas, each in the form
 * NAME=SIZE[:WAYS][:KEY=VALUE...]. The keys are policy, write, fill, prefetch, index, latency, shared
 * and seed. The function returns RD_EINVAL for a mistake; the message names the cache and the wrong
 * word. */
RD_API RD_CHECKED rd_status rd_hierarchy_parse(rd_ctx *ctx, const char *text, rd_hierarchy *out);

/* Checks a hierarchy for blocks of `block_bytes` bytes; 0 means that blocks have no size, so that
 * sizes of caches are numbers of blocks and must not have been written with a unit. Every cache
 * needs a name of its own and a whole number of sets, and must not be smaller than an inner cache.
 * An exclusive cache must have an inner cache and no prefetcher. The function returns RD_EINVAL for
 * a mistake; the message says which. */
RD_API RD_CHECKED rd_status rd_hierarchy_check(rd_ctx *ctx, const rd_hierarchy *h,
                                               uint64_t block_bytes);

/* Checks whether threads can have private caches: in a hierarchy that rd_hierarchy_check() has
 * accepted, at least one cache must be private, no private cache may come after a shared one, and
 * L1I and L1D must be both shared or both private. The function returns RD_EINVAL for a mistake;
 * the message says which. */
RD_API RD_CHECKED rd_status rd_hierarchy_check_private(rd_ctx *ctx, const rd_hierarchy *h);

/* Makes the text that rd_hierarchy_parse() reads as `h`. Keys with their default value are left
 * out. The caller frees the text with rd_text_free(). */
RD_API RD_CHECKED rd_status rd_hierarchy_text(rd_ctx *ctx, const rd_hierarchy *h, char **out);

/* Returns whether the caches have the same counters if only the first of consecutive references to one
 * block is simulated, and the first store, if one of the other references is a store. The other references
 * only add to the references of the innermost cache. */
RD_API bool rd_hierarchy_takes_repeats(const rd_hierarchy *h);

/* Returns whether the hierarchy begins with an instruction cache and a data cache, L1I and L1D. */
RD_API bool rd_hierarchy_is_split(const rd_hierarchy *h);

/* Returns the number of blocks, the number of sets or the number of ways of a cache that
 * rd_hierarchy_check() has accepted for this block size. */
RD_API uint64_t rd_cache_blocks(const rd_cache *c, uint64_t block_bytes);
RD_API uint64_t rd_cache_sets(const rd_cache *c, uint64_t block_bytes);
RD_API uint64_t rd_cache_ways(const rd_cache *c, uint64_t block_bytes);

/* ---- exact simulation ---- */

/* The counters of one cache, as docs/hierarchies.md defines them. */
typedef struct rd_cache_counts {
    uint64_t references; /* references that arrived at this cache */
    uint64_t misses;     /* all misses; the sum of the three causes, if they were computed */
    uint64_t cold;       /* misses of the first reference to each block that arrived here */
    uint64_t capacity;   /* other misses that a fully associative LRU cache of this size would also
                            have had */
    uint64_t conflict;   /* misses that are neither cold nor capacity misses; called replacement
                            misses if the policy is not LRU */
    uint64_t writebacks; /* writes that this cache sent outwards */
    uint64_t far_hits;   /* hits that would have missed in a fully associative LRU cache of this
                            size */
    uint64_t prefetches; /* blocks that the prefetcher of this cache loaded */
    uint64_t useful;     /* prefetched blocks that were referenced here */
    uint64_t useless;    /* prefetched blocks that left this cache before any reference to them */
    uint64_t invalidations; /* copies that inner caches lost because this cache is inclusive */
} rd_cache_counts;

/* Adds the counters `c` to `sum`. */
RD_API void rd_cache_counts_add(rd_cache_counts *sum, const rd_cache_counts *c);

/* Further counters of one cache if threads have private caches. */
typedef struct rd_coherence_counts {
    uint64_t coherence; /* misses of blocks that a store of another thread has removed; the fourth
                           cause of misses, beside cold, capacity and conflict */
    uint64_t removals;  /* blocks that stores of other threads removed from this cache */
    uint64_t upgrades;  /* stores that hit here while another thread had the block */
    uint64_t transfers; /* misses for which the cache of another thread had the data */
    uint64_t dirty_transfers; /* transfers from a cache that had a dirty copy */
} rd_coherence_counts;

/* The counters of one cache of a thread. */
typedef struct rd_level_counts {
    rd_cache_counts cache;
    rd_coherence_counts coherence;
} rd_level_counts;

/* Adds the counters `c` to `sum`. */
RD_API void rd_level_counts_add(rd_level_counts *sum, const rd_level_counts *c);

typedef enum rd_miss_cause { RD_CAUSE_COLD, RD_CAUSE_CAPACITY, RD_CAUSE_CONFLICT } rd_miss_cause;

/* One miss of a simulated cache. A tag is any number that the caller gives to a reference. */
typedef struct rd_miss {
    uint64_t block, tag; /* block and tag of the reference that missed */
    /* Block and tag of the reference during which the cache last evicted `block`. Both are 0 if
     * `was_evicted` is false. */
    uint64_t evictor_block, evictor_tag;
    uint32_t cache; /* index of the cache in the hierarchy */
    rd_miss_cause cause;
    bool was_evicted; /* false: the cache has never evicted the block */
} rd_miss;

/* Receives misses. The misses of one cache arrive in the order in which they happen. If this
 * function fails, the function of the simulator that called it fails as well. */
typedef rd_status (*rd_miss_sink)(void *user, const rd_miss *misses, size_t n);

typedef struct rd_simulator_config {
    size_t size;          /* sizeof(rd_simulator_config) */
    uint64_t block_bytes; /* size of a block in bytes; 0: sizes of caches are numbers of blocks */
    bool without_causes;  /* true: skip causes and far hits. Their counters then stay 0, and the
                             simulation is several times as fast */
    /* Receives every miss, but some misses only during rd_simulator_counts(); NULL: none. This field
     * must be NULL if `without_causes` is true. */
    rd_miss_sink misses;
    void *misses_user;
    /* true: every thread has caches of its own, except the shared caches; a store removes its
     * block from the caches of all other threads. rd_hierarchy_check_private() must accept the
     * hierarchy, and `misses` must be NULL. */
    bool private_caches;
} rd_simulator_config;

typedef struct rd_simulator rd_simulator;

/* Makes a simulator with empty caches. The hierarchy is copied and checked as by
 * rd_hierarchy_check(). */
RD_API RD_CHECKED rd_status rd_simulator_new(rd_ctx *ctx, const rd_hierarchy *h,
                                             const rd_simulator_config *config, rd_simulator **out);
/* Simulates `n` references to blocks. A block number is an address divided by block_bytes; a number
 * above 2^64 / block_bytes may give RD_EINVAL. `kinds` has the kind of each reference (RD_LOAD,
 * RD_STORE or RD_FETCH, see trace.h); NULL means that all of them are loads. After a failure, the
 * simulator can only be freed. */
RD_API RD_CHECKED rd_status rd_simulator_feed(rd_simulator *s, const uint64_t *blocks,
                                              const uint8_t *kinds, size_t n);
/* Does the same as rd_simulator_feed(), but gives the references the tags that
 * rd_simulator_config.misses receives. With rd_simulator_feed(), all tags are 0. */
RD_API RD_CHECKED rd_status rd_simulator_feed_tagged(rd_simulator *s, const uint64_t *blocks,
                                                     const uint8_t *kinds, const uint64_t *tags,
                                                     size_t n);
/* Does the same as rd_simulator_feed() for references of several threads. threads[i] is any number
 * that identifies the thread of reference i. Without private caches, `threads` has no effect. With
 * private caches, rd_simulator_feed() feeds references of thread 0. */
RD_API RD_CHECKED rd_status rd_simulator_feed_threads(rd_simulator *s, const uint64_t *blocks,
                                                      const uint8_t *kinds, const uint64_t *threads,
                                                      size_t n);
/* Writes the counters of each cache so far to `out`, in the order of the hierarchy. With private
 * caches, each counter is the sum over all threads. */
RD_API RD_CHECKED rd_status rd_simulator_counts(rd_simulator *s, rd_cache_counts *out);
/* Returns the number of threads so far; 0 without private caches. */
RD_API size_t rd_simulator_threads(const rd_simulator *s);
/* Sets *thread to the number of the thread with this index, and writes the counters of each of its
 * caches so far to `out`. What happens in a shared cache counts for the thread whose reference
 * caused it. Threads have indices in the order of their first references. The function returns
 * RD_EINVAL if no thread has this index. */
RD_API RD_CHECKED rd_status rd_simulator_thread_counts(const rd_simulator *s, size_t index,
                                                       uint64_t *thread, rd_level_counts *out);
RD_API void rd_simulator_free(rd_simulator *s);

/* ---- every number of ways at once ---- */

#define RD_WAYS_SETS_MAX    (UINT64_C(1) << 26) /* maximum number of sets */
#define RD_WAYS_THREADS_MAX 4096

/* Counts the misses of LRU caches with given numbers of sets and every number of ways in one pass
 * (Hill and Smith 1989). In a cache with S sets, block b belongs to set b mod S. */
typedef struct rd_ways rd_ways;

/* Makes empty caches for up to RD_SIZES_MAX different numbers of sets. `threads` threads share the
 * work; 0 means one thread. The result does not depend on `threads`. */
RD_API RD_CHECKED rd_status rd_ways_new(rd_ctx *ctx, const uint64_t *sets, size_t n_sets,
                                        uint32_t threads, rd_ways **out);
/* Adds references to blocks. After a failure, the object can only be freed. */
RD_API RD_CHECKED rd_status rd_ways_feed(rd_ways *w, const uint64_t *blocks, size_t n);
/* Completes the counts after the last reference. */
RD_API RD_CHECKED rd_status rd_ways_finish(rd_ways *w);
/* Sets *sets to element `index` of the array `sets` of rd_ways_new(), and *misses to the misses of
 * caches with this number of sets: (*misses)[a - 1] is the number of misses with `a` ways. Returns
 * the length of this array, at least 1. A cache with more ways than the array has elements misses
 * as often as its last element says. The array is borrowed from `w`. `sets` and `misses` may be
 * NULL. Returns 0 past the last number of sets, or before rd_ways_finish(). */
RD_API size_t rd_ways_misses(const rd_ways *w, size_t index, uint64_t *sets,
                             const uint64_t **misses);
RD_API void rd_ways_free(rd_ways *w);

/* ---- in a profile ---- */

/* The result of a simulation that ran together with the analysis: see
 * rd_analysis_config.hierarchy. */
typedef struct rd_simulation {
    size_t size; /* sizeof(rd_simulation) */
    rd_hierarchy hierarchy;
    bool causes; /* false: cold, capacity, conflict and far_hits were not computed and are 0 */
    rd_cache_counts counts[RD_CACHES_MAX]; /* one per cache of the hierarchy */
} rd_simulation;

/* Returns the simulation of a profile, borrowed from the profile, or NULL if the profile has none. */
RD_API const rd_simulation *rd_profile_simulation(const rd_profile *p);
/* Stores a copy of a simulation in a profile. The function returns RD_EINVAL for impossible
 * counts. */
RD_API RD_CHECKED rd_status rd_profile_set_simulation(rd_profile *p, const rd_simulation *s);

/* The caches of one thread. */
typedef struct rd_thread_caches {
    uint32_t process, thread;
    rd_level_counts levels[RD_CACHES_MAX]; /* one per cache of the hierarchy */
} rd_thread_caches;

/* The result of a simulation of private caches that ran together with the analysis: see
 * rd_analysis_config.private_caches. A profile has either this simulation or an rd_simulation. */
typedef struct rd_private_simulation {
    size_t size; /* sizeof(rd_private_simulation) */
    rd_hierarchy hierarchy;
    bool causes; /* false: cold, coherence, capacity, conflict and far_hits were not computed and
                    are 0 */
    const char *interleave; /* the order in which the references of the threads were simulated */
    rd_level_counts all[RD_CACHES_MAX]; /* the sums of all threads */
    const rd_thread_caches *threads;    /* in the order of their numbers */
    size_t n_threads;
} rd_private_simulation;

/* Returns the simulation of private caches of a profile, borrowed from the profile, or NULL if the
 * profile has none. */
RD_API const rd_private_simulation *rd_profile_private_simulation(const rd_profile *p);
/* Stores a copy of a simulation in a profile. The copy has the threads in the order of their
 * numbers, and its field `all` has their sums; `all` of `s` is ignored. The function returns
 * RD_EINVAL for impossible counts. */
RD_API RD_CHECKED rd_status rd_profile_set_private_simulation(rd_profile *p,
                                                              const rd_private_simulation *s);

#ifdef __cplusplus
}
#endif
#endif
