/* Implements the table of the blocks of a log. See kv_blocks.h. */
#include "prefix/kv_blocks.h"

#define FIRST_SLOTS 1024

static size_t bytes_of(size_t slots) {
    return slots * sizeof(rdi_kv_block);
}

static rd_status make_slots(rdi_kv_blocks *t, size_t slots) {
    if (slots > SIZE_MAX / 2 / sizeof(rdi_kv_block))
        return rdi_fail(
            t->ctx, RD_ENOMEM,
            "out of memory: the log has too many distinct blocks; analyze a shorter log");
    t->slot = rdi_pages_alloc(t->ctx, bytes_of(slots));
    if (!t->slot)
        return RD_ENOMEM;
    t->mask = slots - 1;
    t->shift = 65 - rdi_bit_width(slots / 4);
    t->limit = slots / 2;
    return RD_OK;
}

rd_status rdi_kv_blocks_init(rdi_kv_blocks *t, rd_ctx *ctx) {
    *t = (rdi_kv_blocks){.ctx = ctx};
    return make_slots(t, FIRST_SLOTS);
}

void rdi_kv_blocks_fini(rdi_kv_blocks *t) {
    if (t->slot)
        rdi_pages_free(t->ctx, t->slot, bytes_of(t->mask + 1));
    t->slot = NULL;
}

rd_status rdi_kv_blocks_reserve(rdi_kv_blocks *t, size_t more) {
    if (t->n + more <= t->limit)
        return RD_OK;
    rdi_kv_blocks grown = *t;
    size_t slots = t->mask + 1;
    while (t->n + more > slots / 2 && slots <= SIZE_MAX / 2)
        slots *= 2;
    RD_TRY(make_slots(&grown, slots));
    for (size_t i = 0; i <= t->mask; i++)
        if (t->slot[i].request != 0)
            *rdi_kv_blocks_find(&grown, t->slot[i].id) = t->slot[i];
    rdi_kv_blocks_fini(t);
    *t = grown;
    return RD_OK;
}
