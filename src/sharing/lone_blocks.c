/* Allocates and enlarges the table of the first thread's blocks. See lone_blocks.h. */
#include "sharing/lone_blocks.h"

#define FIRST_BITS 12

static size_t table_bytes(unsigned bits) {
    return sizeof(rdi_lone_block) << bits;
}

rd_status rdi_lone_blocks_init(rdi_lone_blocks *t, rd_ctx *ctx) {
    t->ctx = ctx;
    t->bits = FIRST_BITS;
    t->slot = rdi_pages_alloc(ctx, table_bytes(t->bits));
    return t->slot ? RD_OK : RD_ENOMEM;
}

void rdi_lone_blocks_fini(rdi_lone_blocks *t) {
    if (t->slot)
        rdi_pages_free(t->ctx, t->slot, table_bytes(t->bits));
    *t = (rdi_lone_blocks){0};
}

static rd_status grow(rdi_lone_blocks *t) {
    rdi_lone_blocks grown = {.ctx = t->ctx, .bits = t->bits + 1, .n = t->n};
    grown.slot = rdi_pages_alloc(t->ctx, table_bytes(grown.bits));
    if (!grown.slot)
        return RD_ENOMEM;
    for (size_t i = 0; i < (size_t)1 << t->bits; i++)
        if (!rdi_lone_block_is_free(&t->slot[i]))
            *rdi_lone_blocks_find(&grown, t->slot[i].block) = t->slot[i];
    rdi_lone_blocks_fini(t);
    *t = grown;
    return RD_OK;
}

rd_status rdi_lone_blocks_room(rdi_lone_blocks *t) {
    return 2 * (t->n + RDI_LONE_TILE) > (size_t)1 << t->bits ? grow(t) : RD_OK;
}
