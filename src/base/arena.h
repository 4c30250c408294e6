/* Memory that is given back all at once: for results made of many small pieces. */
#ifndef RDI_ARENA_H
#define RDI_ARENA_H

#include "base/common.h"

typedef struct rdi_arena_chunk rdi_arena_chunk;

/* Zeroed but for ctx, it is empty. */
typedef struct rdi_arena {
    rd_ctx *ctx;
    rdi_arena_chunk *chunk; /* the newest; older ones behind it */
} rdi_arena;

/* Zeroed, aligned for anything; NULL on failure, the message being set. */
void *rdi_arena_alloc(rdi_arena *a, size_t n, size_t size);
char *rdi_arena_strdup(rdi_arena *a, const char *text);
/* Everything; the arena is empty then. */
void rdi_arena_fini(rdi_arena *a);

#endif
