/* Implements arenas of zeroed memory. See arena.h. */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#define SEGMENT_BYTES ((size_t)1 << 14)

struct rdi_arena_segment {
    rdi_arena_segment *older;
    size_t used, room;
    alignas(max_align_t) char bytes[];
};

static rdi_arena_segment *add_segment(rdi_arena *a, size_t bytes) {
    size_t room = bytes > SEGMENT_BYTES ? bytes : SEGMENT_BYTES;
    rdi_arena_segment *segment = rdi_calloc(a->ctx, 1, sizeof *segment + room);
    if (!segment)
        return NULL;
    segment->room = room;
    segment->older = a->segment;
    a->segment = segment;
    return segment;
}

void *rdi_arena_alloc(rdi_arena *a, size_t n, size_t size) {
    size_t bytes, align = alignof(max_align_t);
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        rdi_fail(a->ctx, RD_ENOMEM,
                 "out of memory: %zu items of %zu bytes exceed the address space", n, size);
        return NULL;
    }
    bytes = (bytes + align - 1) / align * align;
    rdi_arena_segment *segment = a->segment;
    if ((!segment || segment->room - segment->used < bytes) && !(segment = add_segment(a, bytes)))
        return NULL;
    void *out = segment->bytes + segment->used;
    segment->used += bytes;
    return out;
}

char *rdi_arena_strdup(rdi_arena *a, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = rdi_arena_alloc(a, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void rdi_arena_fini(rdi_arena *a) {
    while (a->segment) {
        rdi_arena_segment *older = a->segment->older;
        rdi_free(a->ctx, a->segment);
        a->segment = older;
    }
}
