/* The LRU list of a log's blocks, by requests.
 *
 * Every block belongs to the request that touched it last. The blocks of a log form trees, and
 * every request touches a path from a root, so a later request takes over the first blocks of the
 * path: the blocks that a request still owns are always the end of its path. Therefore the list
 * needs only two numbers per request: the length of its path, and the number of blocks that it
 * still owns. A Fenwick tree sums the blocks of all later requests.
 *
 * Time: O(log requests) per sum and change. Memory: 16 bytes per request that owns a block. */
#ifndef RDI_KV_RECENCY_H
#define RDI_KV_RECENCY_H

#include "base/common.h"

typedef struct rdi_kv_owner {
    uint32_t length;  /* number of blocks of the request's path */
    uint32_t owned;   /* number of blocks at the end of the path that no later request touched */
    uint32_t time_ms; /* arrival time of the request in milliseconds */
    uint32_t sum;     /* Fenwick tree: sum of `owned` over a range of requests that ends here */
} rdi_kv_owner;

typedef struct rdi_kv_recency {
    rd_ctx *ctx;
    rdi_kv_owner *owner; /* indexed by the number of the request, from 1 */
    size_t n, room;      /* number of the latest request, and capacity without element 0 */
    uint64_t total;      /* number of blocks that all requests own */
} rdi_kv_recency;

rd_status rdi_kv_recency_init(rdi_kv_recency *r, rd_ctx *ctx);
void rdi_kv_recency_fini(rdi_kv_recency *r); /* a zeroed list is allowed */

/* Returns whether rdi_kv_recency_begin() needs more room. */
static inline bool rdi_kv_recency_full(const rdi_kv_recency *r) {
    return r->n == r->room;
}

/* Makes room. If `compact` is true, requests that own no blocks are dropped, and the remaining
 * requests get new numbers in the same order. Then (*renumbered)[i] is the new number of request i,
 * or 0 if it was dropped, and the caller frees *renumbered. Otherwise *renumbered is NULL. */
rd_status rdi_kv_recency_grow(rdi_kv_recency *r, bool compact, uint32_t **renumbered);

/* Begins a request, which owns no blocks yet, and returns its number. There must be room. */
uint32_t rdi_kv_recency_begin(rdi_kv_recency *r, uint32_t time_ms);

/* Adds `blocks`, which may be negative, to the number of blocks that a request owns. */
void rdi_kv_recency_add(rdi_kv_recency *r, uint32_t request, int64_t blocks);

/* Returns the number of blocks that all requests after `request` own. */
uint64_t rdi_kv_recency_after(const rdi_kv_recency *r, uint32_t request);

#endif
