/* An LRU cache of blocks: a table and a doubly linked list. */
#ifndef RDI_KV_LRU_H
#define RDI_KV_LRU_H

#include "order/block_map.h"

typedef struct rdi_kv_node {
    uint64_t block;
    uint32_t newer, older; /* neighbors in the list; node 0 is the head of the list */
} rdi_kv_node;

typedef struct rdi_kv_lru {
    rd_ctx *ctx;
    rdi_block_map map;  /* number of the node of each block */
    rdi_kv_node *nodes; /* node 0: `older` is the most recent block, `newer` the least recent */
    size_t n, room;     /* nodes in use and allocated, node 0 included */
    uint64_t size;      /* capacity in blocks */
} rdi_kv_lru;

rd_status rdi_kv_lru_init(rdi_kv_lru *lru, rd_ctx *ctx, uint64_t size);
void rdi_kv_lru_fini(rdi_kv_lru *lru); /* a zeroed cache is allowed */
bool rdi_kv_lru_holds(const rdi_kv_lru *lru, uint64_t block);
/* Makes a block the most recent one. A full cache evicts its least recent block. */
rd_status rdi_kv_lru_touch(rdi_kv_lru *lru, uint64_t block);

#endif
