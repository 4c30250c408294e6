/* A table of the blocks of a log. It stores, for each block, the request that touched it last, and
 * a mark of the block before it in the request.
 *
 * The table uses open addressing with linear probing, is at most half full, and has 16 bytes per
 * slot. Four consecutive ids have their homes in one cache line, because servers and published logs
 * often number blocks in the order of their first use. */
#ifndef RDI_KV_BLOCKS_H
#define RDI_KV_BLOCKS_H

#include "base/common.h"

typedef struct rdi_kv_block {
    uint64_t id;
    uint32_t request; /* number of the request that touched the block last, from 1; 0: the slot is
                         empty */
    uint32_t parent;  /* rdi_kv_mark() of the block before this block, or RDI_KV_NO_PARENT */
} rdi_kv_block;

/* The value of `parent` for the first block of a prompt. */
#define RDI_KV_NO_PARENT UINT32_C(0x5bd1e995)

typedef struct rdi_kv_blocks {
    rd_ctx *ctx;
    rdi_kv_block *slot; /* allocated as whole pages */
    size_t mask, n, limit;
    unsigned shift; /* 64 - log2 of the number of cache lines */
} rdi_kv_blocks;

rd_status rdi_kv_blocks_init(rdi_kv_blocks *t, rd_ctx *ctx);
void rdi_kv_blocks_fini(rdi_kv_blocks *t);
/* Makes room for `more` additional blocks. Pointers to slots become invalid. */
rd_status rdi_kv_blocks_reserve(rdi_kv_blocks *t, size_t more);

/* Returns 32 bits of a hash of an id. Two different ids have the same mark with a probability of
 * one in four billion; then a contradiction between two parents of a block is not detected. */
static inline uint32_t rdi_kv_mark(uint64_t id) {
    return (uint32_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static inline size_t rdi_kv_blocks_home(const rdi_kv_blocks *t, uint64_t id) {
    return (size_t)((id >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> t->shift) << 2 | (id & 3);
}

static inline void rdi_kv_blocks_prefetch(const rdi_kv_blocks *t, uint64_t id) {
    RDI_PREFETCH(&t->slot[rdi_kv_blocks_home(t, id)]);
}

/* Returns the slot of a block, or the empty slot where it belongs. */
static inline rdi_kv_block *rdi_kv_blocks_find(const rdi_kv_blocks *t, uint64_t id) {
    size_t i = rdi_kv_blocks_home(t, id);
    while (t->slot[i].request != 0 && t->slot[i].id != id)
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

#endif
