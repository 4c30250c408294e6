/* stack: implements Mattson's LRU stack literally. It is exact, and it is the oracle against which
 * every other engine is checked.
 *
 * The engine keeps the blocks in a list ordered by last reference, newest first. The distance of a
 * reference is its block's position in the list, counted from 0; the block then moves to the
 * beginning. With a bound B the list has at most B entries, because deeper blocks have a distance
 * of B or more, which counts as infinite.
 *
 * Time: O(distance) per reference, O(M) at worst. Memory: 8 bytes per block. Use it to check
 * results and as a template for a new engine, but not to measure.
 *
 * R. L. Mattson, J. Gecsei, D. Slutz, I. L. Traiger. Evaluation techniques for storage hierarchies.
 * IBM Systems Journal 9(2), 1970.
 */
#include "engine/core/plugin.h"

#include <string.h>

typedef struct stack_engine {
    rdi_run *run;
    uint64_t *block; /* the list with the newest block last, so that new blocks are appended */
    size_t n, room;
} stack_engine;

static rd_status stack_open(void *self, rdi_run *run) {
    stack_engine *e = self;
    e->run = run;
    return RD_OK;
}

static rd_status push(stack_engine *e, uint64_t block) {
    if (e->n == e->room) {
        uint64_t *grown = rdi_grow(e->run->ctx, e->block, &e->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        e->block = grown;
    }
    e->block[e->n++] = block;
    return RD_OK;
}

static rd_status stack_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    stack_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        size_t at = e->n;
        while (at > 0 && e->block[at - 1] != blk[i])
            at--;
        if (at == 0) {
            dist[i] = RD_COLD;
            if (e->n == e->run->in->bound) { /* the oldest block is now beyond the bound */
                at = 1;
            } else {
                RD_TRY(push(e, blk[i]));
                continue;
            }
        } else {
            dist[i] = e->n - at;
        }
        memmove(&e->block[at - 1], &e->block[at], (e->n - at) * sizeof *e->block);
        e->block[e->n - 1] = blk[i];
    }
    return RD_OK;
}

static rd_status stack_take(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    stack_engine *e = self;
    for (size_t i = 0; i < n; i++) {
        size_t at = e->n;
        while (at > 0 && e->block[at - 1] != blk[i])
            at--;
        dist[i] = at ? e->n - at : RD_COLD;
        if (at == 0)
            continue;
        memmove(&e->block[at - 1], &e->block[at], (e->n - at) * sizeof *e->block);
        e->n--;
    }
    return RD_OK;
}

static rd_status stack_order(void *self, rdi_block_visit visit, void *user) {
    const stack_engine *e = self;
    return e->n ? visit(user, e->block, e->n) : RD_OK;
}

static void stack_close(void *self) {
    stack_engine *e = self;
    if (e->run)
        rdi_free(e->run->ctx, e->block);
}

static const rdi_chunk_ops stack_chunk = {.order = stack_order, .take = stack_take};

const rdi_engine_ops rdi_engine_stack = {
    .info =
        {
            .name = "stack",
            .summary =
                "Mattson: keeps the LRU stack as a list; slow and simple, the oracle of verify",
            .role = RD_ROLE_STUDY,
            .card =
                "The engine keeps all blocks in a list by recency; the distance of a reference\n"
                "is the position of its block in the list. Time: O(distance) per reference.\n"
                "Memory: 8 bytes per block. Use it to check other engines.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND | RD_CAP_ORACLE,
            .error_kind = "exact",
        },
    .state_size = sizeof(stack_engine),
    .open = stack_open,
    .feed = stack_feed,
    .chunk = &stack_chunk,
    .close = stack_close,
};
