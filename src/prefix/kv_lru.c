/* Implements an LRU cache of blocks. See kv_lru.h. */
#include "prefix/kv_lru.h"

rd_status rdi_kv_lru_init(rdi_kv_lru *lru, rd_ctx *ctx, uint64_t size) {
    *lru = (rdi_kv_lru){.ctx = ctx, .n = 1, .room = 16};
    lru->size = size < UINT32_MAX - 1 ? size : UINT32_MAX - 1;
    RD_TRY(rdi_block_map_init(&lru->map, ctx));
    lru->nodes = rdi_calloc(ctx, lru->room, sizeof *lru->nodes);
    return lru->nodes ? RD_OK : RD_ENOMEM;
}

void rdi_kv_lru_fini(rdi_kv_lru *lru) {
    if (!lru->ctx)
        return;
    rdi_block_map_fini(&lru->map);
    rdi_free(lru->ctx, lru->nodes);
}

bool rdi_kv_lru_holds(const rdi_kv_lru *lru, uint64_t block) {
    return rdi_block_map_find(&lru->map, block) != NULL;
}

static void unlink_node(rdi_kv_lru *lru, uint32_t i) {
    rdi_kv_node *node = &lru->nodes[i];
    lru->nodes[node->newer].older = node->older;
    lru->nodes[node->older].newer = node->newer;
}

static void link_first(rdi_kv_lru *lru, uint32_t i) {
    rdi_kv_node *node = &lru->nodes[i], *head = &lru->nodes[0];
    node->newer = 0;
    node->older = head->older;
    lru->nodes[head->older].newer = i;
    head->older = i;
}

rd_status rdi_kv_lru_touch(rdi_kv_lru *lru, uint64_t block) {
    uint64_t old;
    if (lru->size == 0)
        return RD_OK;
    const uint64_t *found = rdi_block_map_find(&lru->map, block);
    uint32_t i = found ? (uint32_t)*found : 0;
    if (i) {
        unlink_node(lru, i);
        link_first(lru, i);
        return RD_OK;
    }
    if (lru->n - 1 == lru->size) {
        i = lru->nodes[0].newer;
        unlink_node(lru, i);
        rdi_block_map_remove(&lru->map, lru->nodes[i].block);
    } else if (lru->n == lru->room) {
        rdi_kv_node *grown = rdi_grow(lru->ctx, lru->nodes, &lru->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        lru->nodes = grown;
    }
    i = i ? i : (uint32_t)lru->n++;
    lru->nodes[i].block = block;
    link_first(lru, i);
    return rdi_block_map_exchange(&lru->map, block, i, &old);
}
