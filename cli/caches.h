/* The caches that a user wants to hear about, by name and size. */
#ifndef RD_CACHES_H
#define RD_CACHES_H

#include "cli.h"

typedef struct cache_list {
    size_t n;
    rd_level level[RD_LEVELS_MAX]; /* ascending by size */
} cache_list;

/* "L1=48K,L2=2M", or sizes alone, which are then called L1, L2 ... from the smallest on. Returns
 * the exit status, a mistake having been reported. */
int caches_parse(rd_ctx *ctx, const char *text, cache_list *out);

#endif
