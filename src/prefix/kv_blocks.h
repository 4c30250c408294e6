/* A table of the blocks of a log: for each block the block before it, the request that touched it
 * last and when.
 *
 * Open addressing with linear probing, at most 3/4 full; 24 bytes per slot. */
#ifndef RDI_KV_BLOCKS_H
#define RDI_KV_BLOCKS_H

#include "base/common.h"

typedef struct rdi_kv_block {
    uint64_t id;
    uint64_t parent;  /* id of the block before it; RDI_KV_NO_PARENT for the first of a prompt */
    uint32_t request; /* number of the request that touched it last, from 1; 0: the slot is empty */
    uint32_t time_ms; /* time of that touch */
} rdi_kv_block;

/* Any id is possible, so the first block of a prompt is marked by a parent that no hash has by
 * chance. */
#define RDI_KV_NO_PARENT UINT64_C(0x5bd1e9955bd1e995)

typedef struct rdi_kv_blocks {
    rd_ctx *ctx;
    rdi_kv_block *slot; /* whole pages */
    size_t mask, n, limit;
} rdi_kv_blocks;

rd_status rdi_kv_blocks_init(rdi_kv_blocks *t, rd_ctx *ctx);
void rdi_kv_blocks_fini(rdi_kv_blocks *t);
/* Makes room for `more` blocks beside those in the table. Slots move. */
rd_status rdi_kv_blocks_reserve(rdi_kv_blocks *t, size_t more);

static inline void rdi_kv_blocks_prefetch(const rdi_kv_blocks *t, uint64_t id) {
    RDI_PREFETCH(&t->slot[rdi_mix64(id) & t->mask]);
}

/* Returns the slot of a block, or the empty slot where it belongs. */
static inline rdi_kv_block *rdi_kv_blocks_find(const rdi_kv_blocks *t, uint64_t id) {
    size_t i = rdi_mix64(id) & t->mask;
    while (t->slot[i].request != 0 && t->slot[i].id != id)
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

#endif
