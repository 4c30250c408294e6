/* The LRU stack of one set. See set_stack.h. */
#include "hierarchy/set_stack.h"

#include <string.h>

#define LONGEST 256 /* from this number of blocks on, an engine is faster than a search */

/* Replaces the array with an engine. The state of an engine depends only on the LRU stack, so it is
 * enough to feed the blocks in the order of their last references. */
static rd_status become_engine(rdi_set_stack *s, rd_ctx *ctx, const char *engine) {
    rd_engine_config config = {.size = sizeof config, .expected_blocks = 2 * LONGEST};
    RD_TRY(rd_engine_open(ctx, engine, &config, &s->engine));
    RD_TRY(rd_engine_feed(s->engine, s->blocks, s->n, NULL));
    rdi_free(ctx, s->blocks);
    s->blocks = NULL;
    return RD_OK;
}

/* Returns the distance of a reference to `block`, and moves the block to the end of the array,
 * which must have room for one more block. */
static uint64_t move_to_end(rdi_set_stack *s, uint64_t block) {
    for (size_t at = s->n; at-- > 0;)
        if (s->blocks[at] == block) {
            size_t distance = s->n - 1 - at;
            memmove(s->blocks + at, s->blocks + at + 1, distance * sizeof block);
            s->blocks[s->n - 1] = block;
            return distance;
        }
    s->blocks[s->n++] = block;
    return RD_COLD;
}

rd_status rdi_set_stack_feed(rdi_set_stack *s, rd_ctx *ctx, const char *engine,
                             const uint64_t *blocks, size_t n, uint64_t *distances) {
    size_t i = 0;
    for (; i < n && !s->engine; i++) {
        if (s->n == s->room) {
            void *grown = rdi_grow(ctx, s->blocks, &s->room, sizeof *s->blocks);
            if (!grown)
                return RD_ENOMEM;
            s->blocks = grown;
        }
        distances[i] = move_to_end(s, blocks[i]);
        if (s->n == LONGEST)
            RD_TRY(become_engine(s, ctx, engine));
    }
    return i < n ? rd_engine_feed(s->engine, blocks + i, n - i, distances + i) : RD_OK;
}

void rdi_set_stack_fini(rdi_set_stack *s, rd_ctx *ctx) {
    rdi_free(ctx, s->blocks);
    rd_engine_close(s->engine);
}
