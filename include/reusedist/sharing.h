/* Private caches: every thread has a cache of its own, and a store removes the block from the caches
 * of all other threads.
 *
 *   rd_sharing_new(ctx, &(rd_sharing_config){.size = sizeof(rd_sharing_config),
 *                                            .block_bytes = 64}, &s);
 *   rd_sharing_feed(s, &batch);               (once per batch of block references)
 *   rd_sharing_profile(s, &profile);
 *   rd_sharing_free(s);
 *
 * A reference to a block that its thread has lost through a store of another thread is a coherence
 * miss. The distance of any other reuse is the maximum, over all moments since the thread's previous
 * reference to the block, of the number of other blocks that the thread referenced since then and
 * that are still present. A private LRU cache of C blocks hits if and only if the distance is below
 * C, for every C. docs/threads.md has all definitions.
 */
#ifndef REUSEDIST_SHARING_H
#define REUSEDIST_SHARING_H

#include "base.h"
#include "profile.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The LRU stacks of an analysis: one stack for all threads, or one stack per thread. */
typedef enum rd_stacks { RD_STACKS_SHARED, RD_STACKS_PRIVATE } rd_stacks;

/* The value that rd_sharing_feed() stores for a coherence miss. A first reference has RD_COLD. */
#define RD_MISS_COHERENCE (UINT64_MAX - 1)

typedef struct rd_sharing_config {
    size_t size;          /* sizeof(rd_sharing_config) */
    uint64_t block_bytes; /* size of a block in bytes, a power of two; 0: every address is a block,
                             and all references to it use the same byte */
    rd_binning binning;   /* binning of the histograms */
    bool processes; /* true: the top 16 bits of an address identify its process, as in recorded
                             traces, so threads of different processes are different threads */
    const char *interleave; /* the order of the threads' references, for the profile; copied; NULL:
                               "recorded" */
    bool details;           /* true: also find the blocks, data and code that threads share, see
                               rd_sharing_attach() */
    bool details_only;      /* true: measure no distances, which takes less time and memory. Then
                               `details` must be true, rd_sharing_profile() must not be called, and
                               no batch may ask for distances. */
} rd_sharing_config;

/* A batch of block references. Block blocks[i] comes from reference origins[i] of `refs`. */
typedef struct rd_sharing_batch {
    const rd_refs *refs;
    const uint32_t *origins;
    const uint64_t *blocks;
    size_t n;
    uint64_t *distances; /* NULL, or room for the distances: a number, RD_COLD or
                            RD_MISS_COHERENCE */
} rd_sharing_batch;

typedef struct rd_sharing rd_sharing;

RD_API RD_CHECKED rd_status rd_sharing_new(rd_ctx *ctx, const rd_sharing_config *config,
                                           rd_sharing **out);
/* Processes block references in order. After a failure, only rd_sharing_free() is allowed. */
RD_API RD_CHECKED rd_status rd_sharing_feed(rd_sharing *s, const rd_sharing_batch *batch);
/* Makes the profile of all references so far. The end of the trace decides whether the last
 * coherence misses are true or false sharing, so the caller must not feed `s` afterwards. */
RD_API RD_CHECKED rd_status rd_sharing_profile(rd_sharing *s, rd_profile **out);
/* Passes an event that happened before the next batch, for the names of data and code. The function
 * ignores events of synchronization, and without config.details all events. */
RD_API RD_CHECKED rd_status rd_sharing_event(rd_sharing *s, const rd_event *event);
/* Adds the shared data to a profile of the same references, see rd_profile_shared(). The caller must
 * not feed `s` afterwards. Without config.details, the profile stays as it is. */
RD_API RD_CHECKED rd_status rd_sharing_attach(rd_sharing *s, rd_profile *profile);
/* Returns the number of threads so far. */
RD_API size_t rd_sharing_threads(const rd_sharing *s);
RD_API void rd_sharing_free(rd_sharing *s);

/* ---- the section "threads" of a profile ---- */

/* The references of one thread in its private cache, or the sums of all threads. */
typedef struct rd_private_counts {
    uint64_t references; /* number of block references */
    uint64_t stores;     /* number of stores among these references */
    uint64_t cold;       /* number of first references of the thread to a block */
    uint64_t coherence;  /* number of coherence misses: true_sharing + false_sharing */
    uint64_t true_sharing, false_sharing;
    uint64_t upgrades; /* number of stores to a block that the thread and other threads had */
} rd_private_counts;

typedef struct rd_thread_profile {
    uint32_t process, thread;
    rd_private_counts counts;
    const rd_bin *bins; /* the finite distances, in the bins of the profile */
    size_t n_bins;
} rd_thread_profile;

typedef struct rd_private_stacks {
    const char *interleave; /* the order in which the references of the threads were analyzed */
    rd_private_counts all;
    const rd_thread_profile *threads; /* in the order of their numbers */
    size_t n_threads;
} rd_private_stacks;

/* Returns the threads of a profile of private caches, borrowed from it, or NULL if the profile has
 * one stack for all threads. */
RD_API const rd_private_stacks *rd_profile_private(const rd_profile *p);

/* ---- the section "sharing" of a profile ---- */

#define RD_SHARED_BLOCKS_MAX 10000 /* maximum number of blocks in a profile */
#define RD_SHARED_ROWS_MAX   1000 /* maximum number of data structures, and of lines, in a profile */

/* Adjacent bytes of a block that the same threads load and the same threads store. */
typedef struct rd_shared_item {
    uint64_t first, last;          /* offsets from the beginning of the block, both inclusive */
    const char *readers, *writers; /* the threads that load and the threads that store */
} rd_shared_item;

/* A block with coherence misses. A list of threads has their numbers, separated by blanks; the end
 * of a long list is left out. */
typedef struct rd_shared_block {
    uint64_t address; /* first address of the block */
    uint64_t threads; /* number of threads that reference it */
    uint64_t loads, stores;
    uint64_t true_sharing, false_sharing;
    const char *readers, *writers; /* the threads that load and the threads that store */
    const char *data;              /* the data in the block, separated by "; " */
    const char *lines; /* the lines of code with the most misses or removals, separated by
                                      blanks */
    /* The names of the data in two items that should be separated. The library divides the items
     * into groups of adjacent items such that the block would have the fewest misses if every group
     * were in a block of its own. The two items belong to different groups. Of all pairs of items
     * that cause many of the misses, this is the pair whose groups are nearest to each other. NULL:
     * there is nothing to separate, and the four numbers below are 0. */
    const char *first, *second;
    uint64_t first_offset, second_offset; /* offsets in bytes from the beginning of the block */
    uint64_t padding; /* number of bytes to insert between the two items, so that their groups are
                         in different blocks */
    uint64_t removes; /* number of coherence misses that disappear if all groups are in different
                         blocks */
    const rd_shared_item *items; /* the bytes that were used since the first coherence miss, in
                                    ascending order */
    size_t n_items;
} rd_shared_block;

/* The coherence misses of a data structure, or of a line of code. */
typedef struct rd_shared_row {
    const char *name;
    uint64_t true_sharing, false_sharing;
    uint64_t removals; /* lines: coherence misses that stores of this line caused; data: 0 */
    uint64_t removes;  /* data: sum of rd_shared_block.removes; lines: 0 */
} rd_shared_row;

/* The coherence misses of one thread over time. */
typedef struct rd_shared_timeline {
    uint32_t process, thread;
    const uint64_t *misses; /* number of misses per window */
    size_t n;
} rd_shared_timeline;

/* The data that threads share. Lists are sorted by coherence misses, in descending order. */
typedef struct rd_shared_data {
    const char *interleave; /* the order in which the references of the threads were analyzed */
    uint64_t references, threads;
    uint64_t true_sharing, false_sharing; /* coherence misses of all blocks */
    uint64_t shared_blocks;               /* number of blocks with coherence misses */
    const rd_shared_block *blocks;
    size_t n_blocks;
    const rd_shared_row *data, *lines;
    size_t n_data, n_lines;
    /* The threads with coherence misses, in the order of their numbers. A window is `window`
     * references of all threads together; 0: the profile has no timelines. */
    uint64_t window;
    const rd_shared_timeline *timelines;
    size_t n_timelines;
} rd_shared_data;

/* Returns the shared data of a profile, borrowed from it, or NULL if they were not measured. */
RD_API const rd_shared_data *rd_profile_shared(const rd_profile *p);

#ifdef __cplusplus
}
#endif
#endif
