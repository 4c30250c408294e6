/* Visits the LRU stack of the stream engine, after computing the position of every block in it. */
#include "engine/fast/stream.h"

#define VISIT_MOST 4096 /* maximum number of blocks per call of the visitor */

/* Collects the newest n blocks, newest last. For a block on the axis, the position follows from the
 * number of newer live slots. A block of the front has a slot that is not live; its position
 * follows from its place in the front. The slot of a taken block is 0, which is never live. */
static void collect(rdi_stream *e, uint64_t *out, uint64_t n) {
    uint64_t blk[RDI_SLOT_WAYS], slot[RDI_SLOT_WAYS];
    uint64_t front = e->front_on ? RDI_STREAM_FRONT : 0;
    rdi_slot_axis_refresh(&e->axis, e->axis.next);
    for (uint64_t i = 0; i < e->table.homes + RDI_SLOT_TAIL; i++) {
        unsigned entries = e->table.ops->read(&e->table, i, blk, slot);
        for (unsigned k = 0; k < entries; k++) {
            if (!rdi_slot_axis_get(&e->axis, slot[k]))
                continue;
            uint64_t newer = front + e->kernel->newer(&e->axis, slot[k]);
            if (newer < n)
                out[n - 1 - newer] = blk[k];
        }
    }
    for (unsigned lane = 0; lane < front; lane++) {
        unsigned place = rdi_stream_front_place(&e->front, lane);
        if (place < n)
            out[n - 1 - place] = e->front.key[lane];
    }
}

rd_status rdi_stream_order(void *self, rdi_block_visit visit, void *user) {
    rdi_stream *e = self;
    rd_ctx *ctx = e->run->ctx;
    uint64_t live = rdi_slot_axis_live(&e->axis) + (e->front_on ? RDI_STREAM_FRONT : 0);
    uint64_t n = live < e->bound ? live : e->bound;
    if (n == 0)
        return RD_OK;
    size_t bytes = (size_t)n * sizeof(uint64_t);
    uint64_t *blocks = rdi_pages_alloc(ctx, bytes);
    if (!blocks)
        return RD_ENOMEM;
    collect(e, blocks, n);
    rd_status status = RD_OK;
    for (uint64_t at = 0; at < n && status == RD_OK; at += VISIT_MOST)
        status = visit(user, blocks + at, n - at < VISIT_MOST ? (size_t)(n - at) : VISIT_MOST);
    rdi_pages_free(ctx, blocks, bytes);
    return status;
}
