/* Parses --caches and --machine: the caches whose misses the user wants to see, by name and size. */
#ifndef RD_CACHES_H
#define RD_CACHES_H

#include "cli.h"

typedef struct cache_list {
    size_t n;
    rd_level level[RD_LEVELS_MAX]; /* in ascending order of size */
    bool has_unit;                 /* true: a size has a unit (K, M, G, T), so blocks need a size */
    bool has_machine;              /* true: `machine` describes the caches, with ways */
    rd_machine machine;
} cache_list;

/* Parses "L1=48K,L2=2M" or, with ways and other keys, "L1=48K:12,L2=2M:16". A size without a name is
 * called L1, L2 ... by its place in the ascending order of all sizes. Reports a failure and returns
 * the exit status. */
int caches_parse(rd_ctx *ctx, const char *text, cache_list *out);
/* Takes the caches from `caches`, the text of --caches, or from `machine`, the text of --machine. Exactly
 * one of them must be NULL. Reports a failure, also if neither is NULL, and returns the exit status. */
int caches_choose(rd_ctx *ctx, const char *caches, const char *machine, cache_list *out);

/* The message about a size with a unit for a profile whose blocks are addresses or objects. */
#define CACHES_IN_OBJECTS                                                                          \
    "K, M, G and T are units of bytes, but here a block is an address or an object without a "     \
    "size: give the number of blocks, such as 1000"

/* Converts the sizes of `option` to blocks of the profile, rounded down, because a cache holds
 * whole blocks only. Reports sizes below one block, and sizes with a unit if the blocks have no
 * size in bytes. Returns the exit status. */
int caches_in_blocks(const char *option, const rd_sizes *sizes, const rd_profile *profile,
                     uint64_t *blocks);

#endif
