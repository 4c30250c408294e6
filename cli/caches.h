/* Parses --caches: the caches whose misses the user wants to see, by name and size. */
#ifndef RD_CACHES_H
#define RD_CACHES_H

#include "cli.h"

typedef struct cache_list {
    size_t n;
    rd_level level[RD_LEVELS_MAX]; /* in ascending order of size */
} cache_list;

/* Parses "L1=48K,L2=2M". Sizes without names are called L1, L2 ... in ascending order. Reports a
 * mistake and returns the exit status. */
int caches_parse(rd_ctx *ctx, const char *text, cache_list *out);

#endif
