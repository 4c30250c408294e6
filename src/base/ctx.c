/* Implements the context, which counts memory and keeps the message of the last failure. */
#include "base/common.h"
#include "base/number.h"
#include "base/pages.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The counters are atomic because parallel engines allocate on several threads. */
struct rd_ctx {
    rd_alloc alloc;
    atomic_size_t live, peak;
    size_t limit;            /* limit of the live bytes; 0: none */
    struct rdi_ranks *ranks; /* ranks that this process works with; NULL: this process is alone */
    unsigned processes;      /* number of processes that run the ranks; 0: this process is alone */
    atomic_int error_owner;  /* process with a thread that writes `error`; 0: none */
    char error[1024];
};

/* A header that precedes every allocation of rdi_resize(), so that rdi_free() needs no size. Its 16
 * bytes preserve the alignment of malloc(). */
typedef struct block_header {
    size_t bytes;
    size_t unused;
} block_header;

/* Number of bytes that pages_from_allocator() allocates beyond the array, for the alignment and for the
 * address to free. */
#define PAGES_PADDING 128

static void *libc_resize(void *user, void *old, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, new_size);
}

rd_status rd_ctx_new(const rd_alloc *alloc, rd_ctx **out) {
    RDI_NEED(NULL, out);
    static const rd_alloc libc_alloc = {libc_resize, NULL};
    if (!alloc)
        alloc = &libc_alloc;
    if (!alloc->resize)
        return RD_EINVAL;
    rd_ctx *ctx = alloc->resize(alloc->user, NULL, 0, sizeof *ctx);
    if (!ctx)
        return RD_ENOMEM;
    memset(ctx, 0, sizeof *ctx);
    ctx->alloc = *alloc;
    *out = ctx;
    return RD_OK;
}

void rd_ctx_free(rd_ctx *ctx) {
    if (ctx) {
        rd_alloc alloc = ctx->alloc;
        alloc.resize(alloc.user, ctx, sizeof *ctx, 0);
    }
}

void rd_ctx_set_limit(rd_ctx *ctx, size_t max_bytes) {
    if (ctx)
        ctx->limit = max_bytes;
}

size_t rd_ctx_live_bytes(const rd_ctx *ctx) {
    return !ctx ? 0 : atomic_load(&((rd_ctx *)(uintptr_t)ctx)->live);
}

size_t rd_ctx_peak_bytes(const rd_ctx *ctx) {
    return !ctx ? 0 : atomic_load(&((rd_ctx *)(uintptr_t)ctx)->peak);
}

const char *rd_last_error(const rd_ctx *ctx) {
    return ctx ? ctx->error : "";
}

void rdi_ctx_set_ranks(rd_ctx *ctx, struct rdi_ranks *ranks, unsigned processes) {
    ctx->ranks = ranks;
    ctx->processes = processes;
}

unsigned rdi_ctx_processes(const rd_ctx *ctx) {
    return ctx->processes ? ctx->processes : 1;
}

struct rdi_ranks *rdi_ctx_ranks(const rd_ctx *ctx) {
    return ctx->ranks;
}

/* Waits until no other thread of this process writes the message. If fork() copied the context while a
 * thread of the parent was writing, the child does not have this thread and takes over from it. */
static void lock_error(rd_ctx *ctx) {
    int self = getpid(), owner = 0;
    while (!atomic_compare_exchange_weak(&ctx->error_owner, &owner, self))
        if (owner == self)
            owner = 0;
}

static void unlock_error(rd_ctx *ctx) {
    atomic_store(&ctx->error_owner, 0);
}

rd_status rdi_vfail(rd_ctx *ctx, rd_status status, const char *format, va_list args) {
    if (!ctx)
        return status;
    lock_error(ctx);
    /* The message is made in a copy, because an argument may point to the current message. */
    char text[sizeof ctx->error];
    rdi_vsnprintf(text, sizeof text, format, args);
    memcpy(ctx->error, text, sizeof text);
    unlock_error(ctx);
    return status;
}

rd_status rdi_fail(rd_ctx *ctx, rd_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rdi_vfail(ctx, status, format, args);
    va_end(args);
    return status;
}

rd_status rdi_need(rd_ctx *ctx, const char *function, const char *names,
                   const void *const *pointers, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t length = strcspn(names, ",");
        if (!pointers[i])
            return rdi_fail(ctx, RD_EINVAL, "%s: %.*s must not be NULL", function, (int)length,
                            names);
        names += length;
        names += strspn(names, ", ");
    }
    return RD_OK;
}

/* Adds `bytes` to the live bytes and updates the peak. If the limit would be exceeded, sets the
 * message and returns false, and both numbers stay as they were. */
static bool reserve(rd_ctx *ctx, size_t bytes) {
    size_t live = atomic_fetch_add(&ctx->live, bytes) + bytes;
    if (ctx->limit && live > ctx->limit) {
        atomic_fetch_sub(&ctx->live, bytes);
        rdi_fail(ctx, RD_ENOMEM,
                 "out of memory: %zu more bytes would exceed the limit of %zu bytes", bytes,
                 ctx->limit);
        return false;
    }
    size_t peak = atomic_load(&ctx->peak);
    while (live > peak && !atomic_compare_exchange_weak(&ctx->peak, &peak, live)) {
    }
    return true;
}

static void release(rd_ctx *ctx, size_t bytes) {
    atomic_fetch_sub(&ctx->live, bytes);
}

static void *fail_memory(rd_ctx *ctx, size_t bytes) {
    rdi_fail(ctx, RD_ENOMEM, "out of memory: the system refused %zu bytes", bytes);
    return NULL;
}

static void *resize_within(void *user, void *old, size_t old_size, size_t new_size) {
    (void)old_size;
    if (new_size)
        return rdi_resize(user, old, new_size, 1);
    rdi_free(user, old);
    return NULL;
}

rd_status rdi_ctx_within(rd_ctx *outer, rd_ctx **out) {
    rd_alloc alloc = {resize_within, outer};
    return rd_ctx_new(&alloc, out);
}

void *rdi_resize(rd_ctx *ctx, void *old, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
        rdi_fail(ctx, RD_ENOMEM, "out of memory: %zu items of %zu bytes exceed the address space",
                 n, size);
        return NULL;
    }
    block_header *header = old ? (block_header *)old - 1 : NULL;
    size_t old_bytes = header ? header->bytes : 0;
    size_t new_bytes = bytes + sizeof *header;
    if (new_bytes > old_bytes && !reserve(ctx, new_bytes - old_bytes))
        return NULL;
    block_header *moved = ctx->alloc.resize(ctx->alloc.user, header, old_bytes, new_bytes);
    if (!moved) {
        if (new_bytes > old_bytes)
            release(ctx, new_bytes - old_bytes);
        return fail_memory(ctx, bytes);
    }
    if (new_bytes < old_bytes)
        release(ctx, old_bytes - new_bytes);
    moved->bytes = new_bytes;
    return moved + 1;
}

void *rdi_grow(rd_ctx *ctx, void *old, size_t *room, size_t size) {
    size_t wanted = *room ? *room * 2 : 16;
    void *grown = rdi_resize(ctx, old, wanted, size);
    if (grown)
        *room = wanted;
    return grown;
}

void *rdi_alloc(rd_ctx *ctx, size_t n, size_t size) {
    return rdi_resize(ctx, NULL, n, size);
}

void *rdi_calloc(rd_ctx *ctx, size_t n, size_t size) {
    void *p = rdi_resize(ctx, NULL, n, size);
    if (p)
        memset(p, 0, n * size);
    return p;
}

void rdi_free(rd_ctx *ctx, void *p) {
    if (p) {
        block_header *header = (block_header *)p - 1;
        release(ctx, header->bytes);
        ctx->alloc.resize(ctx->alloc.user, header, header->bytes, 0);
    }
}

char *rdi_strdup(rd_ctx *ctx, const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = rdi_alloc(ctx, n, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* Allocates a large array with the allocator of the user: zeroed and aligned to cache lines. The
 * address to free is stored before the array. */
static void *pages_from_allocator(rd_ctx *ctx, size_t bytes) {
    size_t padded = bytes + PAGES_PADDING;
    char *raw = ctx->alloc.resize(ctx->alloc.user, NULL, 0, padded);
    if (!raw)
        return NULL;
    memset(raw, 0, padded);
    char *p = raw + PAGES_PADDING - (uintptr_t)raw % 64;
    memcpy(p - sizeof raw, &raw, sizeof raw);
    return p;
}

/* Counts `more` additional bytes of an array that will have `bytes` bytes. If `bytes` is above
 * SIZE_MAX / 2 or the limit would be exceeded, counts nothing, sets the message and returns
 * false. */
static bool reserve_pages(rd_ctx *ctx, size_t bytes, size_t more) {
    if (bytes > SIZE_MAX / 2) {
        rdi_fail(ctx, RD_ENOMEM, "out of memory: %zu bytes exceed the address space", bytes);
        return false;
    }
    return reserve(ctx, more);
}

static bool has_own_allocator(const rd_ctx *ctx) {
    return ctx->alloc.resize != libc_resize;
}

void *rdi_pages_alloc(rd_ctx *ctx, size_t bytes) {
    if (!reserve_pages(ctx, bytes, bytes))
        return NULL;
    void *p = has_own_allocator(ctx) ? pages_from_allocator(ctx, bytes) : rdi_system_pages(bytes);
    if (!p) {
        release(ctx, bytes);
        return fail_memory(ctx, bytes);
    }
    return p;
}

void *rdi_pages_grow(rd_ctx *ctx, void *old, size_t old_bytes, size_t new_bytes) {
    if (!old)
        return rdi_pages_alloc(ctx, new_bytes);
    if (has_own_allocator(ctx)) {
        void *copy = rdi_pages_alloc(ctx, new_bytes);
        if (copy) {
            memcpy(copy, old, old_bytes);
            rdi_pages_free(ctx, old, old_bytes);
        }
        return copy;
    }
    if (!reserve_pages(ctx, new_bytes, new_bytes - old_bytes))
        return NULL;
    void *p = rdi_system_pages_grow(old, old_bytes, new_bytes);
    if (!p) {
        release(ctx, new_bytes - old_bytes);
        return fail_memory(ctx, new_bytes);
    }
    return p;
}

void rdi_pages_free(rd_ctx *ctx, void *p, size_t bytes) {
    if (!p)
        return;
    release(ctx, bytes);
    if (!has_own_allocator(ctx)) {
        rdi_system_pages_free(p, bytes);
    } else {
        char *raw;
        memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
        ctx->alloc.resize(ctx->alloc.user, raw, bytes + PAGES_PADDING, 0);
    }
}

rd_status rdi_pages_grow_array(rd_ctx *ctx, void **p, uint64_t *n, uint64_t to, size_t size) {
    if (to <= *n)
        return RD_OK;
    if (to > SIZE_MAX / 2 / size)
        return rdi_fail(ctx, RD_ENOMEM,
                        "out of memory: %llu items of %zu bytes exceed the address space",
                        (unsigned long long)to, size);
    void *grown = rdi_pages_grow(ctx, *p, (size_t)*n * size, (size_t)to * size);
    if (!grown)
        return RD_ENOMEM;
    *p = grown;
    *n = to;
    return RD_OK;
}

const char *rd_status_name(rd_status status) {
    static const char *const names[] = {
        [RD_OK] = "RD_OK",           [RD_ENOMEM] = "RD_ENOMEM",
        [RD_EINVAL] = "RD_EINVAL",   [RD_EIO] = "RD_EIO",
        [RD_EFORMAT] = "RD_EFORMAT", [RD_ERANGE] = "RD_ERANGE",
        [RD_ESTATE] = "RD_ESTATE",   [RD_EUNSUPPORTED] = "RD_EUNSUPPORTED",
        [RD_EDEVICE] = "RD_EDEVICE", [RD_ECANCELED] = "RD_ECANCELED",
    };
    return (unsigned)status < RDI_COUNT(names) ? names[status] : "unknown status";
}
