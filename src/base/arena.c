/* Memory that is given back all at once. See arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 14)

struct rdi_arena_chunk {
    rdi_arena_chunk *older;
    size_t used, room;
    alignas(max_align_t) char bytes[];
};

static rdi_arena_chunk *add_chunk(rdi_arena *a, size_t bytes) {
    size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    rdi_arena_chunk *chunk = rdi_calloc(a->ctx, 1, sizeof *chunk + room);
    if (!chunk)
        return NULL;
    chunk->room = room;
    chunk->older = a->chunk;
    a->chunk = chunk;
    return chunk;
}

void *rdi_arena_alloc(rdi_arena *a, size_t n, size_t size) {
    size_t bytes, align = alignof(max_align_t);
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        rdi_fail(a->ctx, RD_ENOMEM, "%zu items of %zu bytes are too many", n, size);
        return NULL;
    }
    bytes = (bytes + align - 1) / align * align;
    rdi_arena_chunk *chunk = a->chunk;
    if ((!chunk || chunk->room - chunk->used < bytes) && !(chunk = add_chunk(a, bytes)))
        return NULL;
    void *out = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return out;
}

char *rdi_arena_strdup(rdi_arena *a, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = rdi_arena_alloc(a, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void rdi_arena_fini(rdi_arena *a) {
    while (a->chunk) {
        rdi_arena_chunk *older = a->chunk->older;
        rdi_free(a->ctx, a->chunk);
        a->chunk = older;
    }
}
