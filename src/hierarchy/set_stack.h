/* The LRU stack of one set. It gives each reference to the set its reuse distance among the
 * references to this set. A small stack is an array; a large one is an engine, so that the time per
 * reference hardly grows with the number of blocks. */
#ifndef RDI_SET_STACK_H
#define RDI_SET_STACK_H

#include "base/common.h"
#include "reusedist/engine.h"

/* A zeroed stack is empty. */
typedef struct rdi_set_stack {
    uint64_t *blocks; /* the least recently used block first; NULL if there is an engine */
    size_t n, room;
    rd_engine *engine; /* NULL: the stack is an array */
} rdi_set_stack;

/* Writes the distances of `n` references to blocks of this set to `distances`. `engine` is the name
 * of the engine that replaces an array that has become too long. */
rd_status rdi_set_stack_feed(rdi_set_stack *s, rd_ctx *ctx, const char *engine,
                             const uint64_t *blocks, size_t n, uint64_t *distances);
void rdi_set_stack_fini(rdi_set_stack *s, rd_ctx *ctx);

#endif
