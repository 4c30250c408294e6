/* Gets pages from mmap(), huge pages if possible, and grows ranges with mremap(). See pages.h. */
#define _GNU_SOURCE /* for mremap and syscall */
#include "base/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SMALL ((size_t)4096)
#define HUGE  ((size_t)2 << 20)

/* Rounds a size up to whole pages. Large sizes are rounded up to huge pages, because mremap() would
 * have to split a huge page that is partly used. */
static size_t rounded(size_t bytes) {
    size_t unit = bytes >= HUGE ? HUGE : SMALL;
    return (bytes + unit - 1) & ~(unit - 1);
}

static void *map_aligned(size_t len, int protection) {
    size_t slack = len >= HUGE ? HUGE : 0;
    char *p = mmap(NULL, len + slack, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (slack) {
        size_t skip = -(uintptr_t)p & (HUGE - 1);
        if (skip)
            munmap(p, skip);
        munmap(p + skip + len, HUGE - skip);
        p += skip;
    }
    return p;
}

static void ask_for_huge(void *p, size_t len) {
#ifdef MADV_HUGEPAGE
    if (len >= HUGE)
        madvise(p, len, MADV_HUGEPAGE); /* only a hint: small pages work, too */
#else
    (void)p;
    (void)len;
#endif
}

void *rdi_system_pages(size_t bytes) {
    size_t len = rounded(bytes);
    void *p = map_aligned(len, PROT_READ | PROT_WRITE);
    if (p)
        ask_for_huge(p, len);
    return p;
}

#if defined MREMAP_MAYMOVE && defined SYS_mremap

/* Moves a range to the address `to`. This function makes the system call directly, because the UCX
 * library before version 1.15, which MPICH and Open MPI load, replaces mremap() by a function that
 * drops the last argument. */
static bool move_to(void *p, size_t old_len, size_t len, void *to) {
    return syscall(SYS_mremap, p, old_len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to) != -1;
}

/* Grows a range in place if that is possible and keeps the alignment; otherwise moves it to an
 * aligned range. Returns NULL if both fail. */
static void *move(void *p, size_t old_len, size_t len) {
    if (len < HUGE || ((uintptr_t)p & (HUGE - 1)) == 0) {
        void *same = mremap(p, old_len, len, 0);
        if (same != MAP_FAILED)
            return same;
    }
    void *to = map_aligned(len, PROT_NONE);
    if (!to)
        return NULL;
    if (move_to(p, old_len, len, to))
        return to;
    munmap(to, len);
    return NULL;
}

#else

static void *move(void *p, size_t old_len, size_t len) {
    void *q = map_aligned(len, PROT_READ | PROT_WRITE);
    if (!q)
        return NULL;
    memcpy(q, p, old_len);
    munmap(p, old_len);
    return q;
}

#endif

void *rdi_system_pages_grow(void *p, size_t old_bytes, size_t new_bytes) {
    size_t old_len = rounded(old_bytes), len = rounded(new_bytes);
    if (len != old_len) {
        p = move(p, old_len, len);
        if (!p)
            return NULL;
        ask_for_huge(p, len);
    }
    return p;
}

void rdi_system_pages_free(void *p, size_t bytes) {
    munmap(p, rounded(bytes));
}
