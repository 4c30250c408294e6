/* An arena: many small allocations that are freed together. */
#ifndef RDI_ARENA_H
#define RDI_ARENA_H

#include "base/common.h"

typedef struct rdi_arena_segment rdi_arena_segment;

/* An arena whose fields are all 0, except `ctx`, is empty. */
typedef struct rdi_arena {
    rd_ctx *ctx;
    rdi_arena_segment *segment; /* the newest segment; each segment links to the one before it */
} rdi_arena;

/* Returns zeroed memory for `n` items of `size` bytes, aligned for any type, or NULL after setting
 * the message. */
void *rdi_arena_alloc(rdi_arena *a, size_t n, size_t size);
char *rdi_arena_strdup(rdi_arena *a, const char *text);
/* Frees all memory of the arena and leaves it empty. */
void rdi_arena_fini(rdi_arena *a);

#endif
