/* Tests rdi_text, which grows: all additions arrive, and rdi_text_take() reports a failed
 * allocation once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "reusedist/profile.h"

#include <string.h>

static rd_ctx *new_ctx(void) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    return ctx;
}

static void pieces_arrive_in_order(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rdi_text t = rdi_text_start(ctx);
    rdi_text_puts(&t, "a");
    rdi_text_putc(&t, ',');
    rdi_text_u64(&t, 0);
    rdi_text_fill(&t, '-', 3);
    rdi_text_u64(&t, UINT64_MAX);
    rdi_text_add(&t, "xyz", 2);
    rdi_text_printf(&t, "%d|%s", -7, "end");
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rdi_text_take(&t, &text, &n), RD_OK);
    assert_string_equal(text, "a,0---18446744073709551615xy-7|end");
    assert_int_equal(n, strlen(text));
    rd_text_free(ctx, text);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static void long_prints_grow_the_buffer(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rdi_text t = rdi_text_start(ctx);
    for (int i = 0; i < 50; i++)
        rdi_text_printf(&t, "%0*d", i * 20, i);
    char *text = NULL;
    size_t n = 0, expected = 1; /* "%00d" of 0 is one digit */
    for (size_t i = 1; i < 50; i++)
        expected += i * 20;
    assert_int_equal(rdi_text_take(&t, &text, &n), RD_OK);
    assert_int_equal(n, expected);
    assert_int_equal(strlen(text), expected);
    rd_text_free(ctx, text);
    rd_ctx_free(ctx);
}

static void an_untouched_text_is_an_empty_string(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rdi_text t = rdi_text_start(ctx);
    char *text = NULL;
    size_t n = 1;
    assert_int_equal(rdi_text_take(&t, &text, &n), RD_OK);
    assert_string_equal(text, "");
    assert_int_equal(n, 0);
    rd_text_free(ctx, text);
    rd_ctx_free(ctx);
}

static void a_refused_allocation_is_told_by_take(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rd_ctx_set_limit(ctx, 1000);
    rdi_text t = rdi_text_start(ctx);
    for (int i = 0; i < 1000; i++)
        rdi_text_puts(&t, "0123456789");
    char *text = NULL;
    size_t n = 5;
    assert_int_equal(rdi_text_take(&t, &text, &n), RD_ENOMEM);
    assert_null(text);
    assert_int_equal(n, 5);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_arrive_in_order),
        cmocka_unit_test(long_prints_grow_the_buffer),
        cmocka_unit_test(an_untouched_text_is_an_empty_string),
        cmocka_unit_test(a_refused_allocation_is_told_by_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
