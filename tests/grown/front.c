/* front: an engine of a later release. It is exact, and as short as possible.
 *
 * The blocks are in an array in the order of their last reference, newest first. The distance of a
 * reference is the index of its block, which then moves to the front.
 *
 * Time: O(M) per reference. Memory: 8 bytes per block. tests/grown/extend.sh uses it; do not use it
 * to measure.
 */
#include "engine/core/plugin.h"

#include <string.h>

typedef struct front_engine {
    rdi_run *run;
    uint64_t *block;
    size_t n, room;
} front_engine;

static rd_status front_open(void *self, rdi_run *run) {
    ((front_engine *)self)->run = run;
    return RD_OK;
}

static rd_status front_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    front_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        while (at < e->n && e->block[at] != blk[i])
            at++;
        dist[i] = at < e->n ? at : RD_COLD;
        if (at == e->room) {
            uint64_t *grown = rdi_grow(e->run->ctx, e->block, &e->room, sizeof *grown);
            if (!grown)
                return RD_ENOMEM;
            e->block = grown;
        }
        if (at == e->n)
            e->n++;
        memmove(e->block + 1, e->block, at * sizeof *e->block);
        e->block[0] = blk[i];
    }
    return RD_OK;
}

static void front_close(void *self) {
    front_engine *e = self;
    if (e->run)
        rdi_free(e->run->ctx, e->block);
}

const rdi_engine_ops rdi_engine_front = {
    .info =
        {
            .name = "front",
            .summary = "an array of blocks, newest first",
            .role = RD_ROLE_STUDY,
            .card = "Keeps the blocks in an array, newest first; the distance is the index.",
            .caps = RD_CAP_DISTANCES,
            .error_kind = "exact",
        },
    .state_size = sizeof(front_engine),
    .open = front_open,
    .feed = front_feed,
    .close = front_close,
};
