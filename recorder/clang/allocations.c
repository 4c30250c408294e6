/* Reports memory that the program allocates and releases through the C library. See
 * allocations.h. */
#define _GNU_SOURCE
#include "allocations.h"

#include <malloc.h>
#include <string.h>
#include <sys/mman.h>

static __thread int depth; /* nesting depth of wrapped calls */

int allocation_enter(uintptr_t stack_pointer) {
    if (recorder_follows_calls)
        contexts_see(stack_pointer);
    return depth++ == 0 && runtime_tells_events();
}

void allocation_leave(const int *told) {
    (void)told;
    depth--;
}

void allocation_give(int told, void *memory, size_t size, uint64_t pc) {
    if (told && memory)
        runtime_tell(RD_EVENT_ALLOCATE, memory, size, pc, NULL);
}

void allocation_take_back(int told, const void *memory, size_t size) {
    if (told && memory)
        runtime_tell(RD_EVENT_RELEASE, memory, size, 0, NULL);
}

ALLOCATOR(void *, malloc, (size_t size), (size), size)
ALLOCATOR(void *, calloc, (size_t n, size_t size), (n, size), n *size)
ALLOCATOR(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATOR(void *, memalign, (size_t alignment, size_t size), (alignment, size), size)
ALLOCATOR(void *, valloc, (size_t size), (size), size)
ALLOCATOR(char *, strdup, (const char *text), (text), strlen(text) + 1)
ALLOCATOR(char *, strndup, (const char *text, size_t n), (text, n), strlen(memory) + 1)
RELEASER(free, (void *memory), (memory))

int __real_posix_memalign(void **out, size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    CALL;
    int status = __real_posix_memalign(out, alignment, size);
    allocation_give(told && status == 0, *out, size, CALL_SITE());
    return status;
}

/* Reports the result of realloc(), after the release of `old` was reported. If realloc() failed,
 * `old` is still allocated, so it is reported as allocated again. */
static void end_realloc(int told, void *old, void *memory, size_t size, uint64_t pc) {
    if (memory || size == 0)
        allocation_give(told, memory, size, pc);
    else if (told && old)
        allocation_give(told, old, malloc_usable_size(old), pc);
}

#define REALLOCATOR(name, parameters, arguments, size)                                             \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters {                                                               \
        CALL;                                                                                      \
        allocation_take_back(told, old, 0);                                                        \
        void *memory = __real_##name arguments;                                                    \
        end_realloc(told, old, memory, size, CALL_SITE());                                         \
        return memory;                                                                             \
    }

REALLOCATOR(realloc, (void *old, size_t bytes), (old, bytes), bytes)
REALLOCATOR(reallocarray, (void *old, size_t n, size_t bytes), (old, n, bytes), n *bytes)

/* ---- mappings ---- */

/* Returns whether a mapping is new anonymous memory. Mapped files do not count as data of the
 * program, stacks are reported by their threads, and a mapping at a fixed address is part of
 * something that is already known, such as the variables of a library. */
static int is_plain_memory(int flags) {
    return flags & MAP_ANONYMOUS && !(flags & (MAP_FIXED | MAP_STACK));
}

#define MAPPER(name)                                                                               \
    void *__real_##name(void *, size_t, int, int, int, off_t);                                     \
    void *__wrap_##name(void *place, size_t size, int protection, int flags, int fd, off_t at);    \
    void *__wrap_##name(void *place, size_t size, int protection, int flags, int fd, off_t at) {   \
        CALL;                                                                                      \
        void *memory = __real_##name(place, size, protection, flags, fd, at);                      \
        allocation_give(told &&memory != MAP_FAILED && is_plain_memory(flags), memory, size,       \
                        CALL_SITE());                                                              \
        return memory;                                                                             \
    }

MAPPER(mmap)
MAPPER(mmap64)

int __real_munmap(void *memory, size_t size);
int __wrap_munmap(void *memory, size_t size);

int __wrap_munmap(void *memory, size_t size) {
    CALL;
    allocation_take_back(told, memory, size);
    return __real_munmap(memory, size);
}
