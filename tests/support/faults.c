/* An allocator that fails on demand. See faults.h. */
#include "support/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Under a sanitizer, where every run takes ten times as long, only some of the allocations after
 * the first 128 fail. Most of these are made by the same code as the first ones, for further
 * batches. The plain build lets all of them fail. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define IS_SLOW 1
#else
#define IS_SLOW 0
#endif

typedef struct faulty {
    atomic_size_t calls;  /* number of allocations so far; atomic, because the workers of parallel
                             engines allocate */
    atomic_size_t blocks; /* number of allocations that were not yet freed */
    size_t first, last;   /* the first and the last call that fail, counted from 1 */
} faulty;

static void *resize(void *user, void *old, size_t old_size, size_t new_size) {
    faulty *f = user;
    (void)old_size;
    if (new_size == 0) {
        if (old)
            atomic_fetch_sub(&f->blocks, 1);
        free(old);
        return NULL;
    }
    size_t call = atomic_fetch_add(&f->calls, 1) + 1;
    if (call >= f->first && call <= f->last)
        return NULL;
    void *p = realloc(old, new_size);
    if (p && !old)
        atomic_fetch_add(&f->blocks, 1);
    return p;
}

/* Runs the body with the allocations `first` to `last` failing. Returns false if the run did not
 * reach the first of them. */
static bool run(const char *what, faults_body body, void *user, size_t first, size_t last,
                rd_status expected) {
    faulty f = {.first = first, .last = last};
    rd_ctx *ctx = NULL;
    rd_status status = rd_ctx_new(&(rd_alloc){resize, &f}, &ctx);
    bool reached = f.calls >= first;
    if (status == RD_OK) {
        status = body(ctx, user);
        reached = f.calls >= first;
        if (reached && status == RD_ENOMEM && !*rd_last_error(ctx))
            fail_msg("%s: if allocation %zu fails, there is no message", what, first);
        if (rd_ctx_live_bytes(ctx) != 0)
            fail_msg("%s: if allocation %zu fails, the context still counts %zu bytes at the end",
                     what, first, rd_ctx_live_bytes(ctx));
        rd_ctx_free(ctx);
    }
    if (f.blocks != 0)
        fail_msg("%s: if allocation %zu fails, %zu pieces of memory are not freed", what, first,
                 (size_t)f.blocks);
    if (status != (reached ? RD_ENOMEM : expected))
        fail_msg("%s: if allocation %zu fails, the status is %s", what, first,
                 rd_status_name(status));
    return reached;
}

size_t faults_inject(const char *what, faults_body body, void *user, rd_status expected) {
    size_t k = 1;
    while (run(what, body, user, k, k, expected)) {
        run(what, body, user, k, SIZE_MAX, expected);
        k += IS_SLOW && k > 128 ? k / 32 : 1;
    }
    return k;
}
