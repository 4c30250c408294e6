/* Tests rdi_pages_grow(): the contents stay, the new bytes are zero, and the context counts every
 * byte. */
#define _GNU_SOURCE /* for MREMAP_FIXED */
#include "base/common.h"
#include "support/faults.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Behaves like the UCX library of an MPI, which replaces mremap() of the system and does not pass
 * on the requested address. So MREMAP_FIXED fails. */
void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...) {
    if (flags & MREMAP_FIXED)
        return MAP_FAILED;
    return (void *)syscall(SYS_mremap, old, old_size, new_size, flags, NULL);
}

static const size_t sizes[] = {1, 4096, 5000, 300000, 2097151, 2097152, 3000000, 20000000};
#define STEPS (sizeof sizes / sizeof *sizes)

static bool is_filled(const unsigned char *p, size_t from, size_t to, unsigned char value) {
    while (from < to && p[from] == value)
        from++;
    return from == to;
}

/* Grows pages through all sizes, and fills the bytes that each size adds with a different value. */
static rd_status grow(rd_ctx *ctx, void *user) {
    (void)user;
    unsigned char *p = NULL;
    size_t bytes = 0;
    rd_status status = RD_OK;
    for (size_t i = 0; i < STEPS && status == RD_OK; i++) {
        unsigned char *grown = rdi_pages_grow(ctx, p, bytes, sizes[i]);
        status = grown ? RD_OK : RD_ENOMEM;
        p = grown ? grown : p;
        if (i > 0)
            assert_true(is_filled(p, i > 1 ? sizes[i - 2] : 0, sizes[i - 1], (unsigned char)i));
        if (grown) {
            assert_int_equal((uintptr_t)p % 64, 0);
            assert_true(is_filled(p, bytes, sizes[i], 0));
            memset(p + bytes, (int)i + 1, sizes[i] - bytes);
            bytes = sizes[i];
        }
        assert_true(rd_ctx_live_bytes(ctx) >= bytes);
    }
    rdi_pages_free(ctx, p, bytes);
    return status;
}

static void growing_keeps_contents_and_zeroes_the_rest(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(grow(ctx, NULL), RD_OK);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    /* The old and the new pages never exist at the same time. */
    assert_true(rd_ctx_peak_bytes(ctx) == sizes[STEPS - 1]);
    rd_ctx_free(ctx);
}

static void a_callers_allocator_may_fail_at_any_step(void **state) {
    (void)state;
    assert_int_equal(faults_inject("pages", grow, NULL, RD_OK), 1 + STEPS + 1);
}

static void the_limit_holds_and_leaves_the_old_pages(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_ctx_set_limit(ctx, 1000000);
    assert_int_equal(grow(ctx, NULL), RD_ENOMEM);
    assert_non_null(strstr(rd_last_error(ctx), "limit"));
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_set_limit(ctx, 0);
    unsigned char *p = rdi_pages_alloc(ctx, 100);
    assert_non_null(p);
    assert_null(rdi_pages_grow(ctx, p, 100, SIZE_MAX - 4096));
    assert_int_equal(rd_ctx_live_bytes(ctx), 100);
    rdi_pages_free(ctx, p, 100);
    rd_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growing_keeps_contents_and_zeroes_the_rest),
        cmocka_unit_test(a_callers_allocator_may_fail_at_any_step),
        cmocka_unit_test(the_limit_holds_and_leaves_the_old_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
