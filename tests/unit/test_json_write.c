/* Tests rd_json_writer: both styles and both layouts, and that output is read back unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_write.h"

#include "support/context.h"

#include <math.h>
#include <string.h>

static void assert_document(rd_json_writer *w, const char *expected) {
    rd_ctx *ctx = w->text.ctx;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_json_writer_take(w, &text, &n), RD_OK);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
    rdi_json j;
    rdi_json_init(&j, ctx, "written", text, n);
    rdi_json_skip(&j);
    assert_int_equal(rdi_json_end(&j), RD_OK);
    rd_text_free(ctx, text);
}

static void put_example(rd_json_writer *w) {
    const uint64_t row[] = {1, UINT64_MAX};
    rd_json_begin_object(w, NULL, RD_JSON_LINES);
    rd_json_put_string(w, "name", "a \"b\"");
    rd_json_begin_object(w, "engine", RD_JSON_INLINE);
    rd_json_put_bool(w, "exact", true);
    rd_json_put_null(w, "bound");
    rd_json_end_object(w);
    rd_json_begin_array(w, "rows", RD_JSON_LINES);
    rdi_json_put_u64s(w, NULL, row, 2);
    rdi_json_put_u64s(w, NULL, row, 1);
    rd_json_end_array(w);
    rd_json_begin_array(w, "none", RD_JSON_LINES);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

static void layouts_mix_in_one_document(void **state) {
    rd_json_writer w = rdi_json_writer_start(*state, RD_JSON_SPACED);
    put_example(&w);
    assert_document(&w, "{\n"
                        "  \"name\": \"a \\\"b\\\"\",\n"
                        "  \"engine\": {\"exact\": true, \"bound\": null},\n"
                        "  \"rows\": [\n"
                        "    [1, 18446744073709551615],\n"
                        "    [1]\n"
                        "  ],\n"
                        "  \"none\": []\n"
                        "}\n");
}

static void compact_documents_have_one_line(void **state) {
    rd_json_writer w = rdi_json_writer_start(*state, RD_JSON_COMPACT);
    put_example(&w);
    assert_document(&w, "{\"name\":\"a \\\"b\\\"\",\"engine\":{\"exact\":true,\"bound\":null},"
                        "\"rows\":[[1,18446744073709551615],[1]],\"none\":[]}\n");
}

static void a_writer_can_be_used_again(void **state) {
    rd_json_writer *w = NULL;
    assert_int_equal(rd_json_writer_new(*state, RD_JSON_COMPACT, &w), RD_OK);
    for (int i = 0; i < 2; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_bool(w, NULL, false);
        rd_json_end_array(w);
        assert_document(w, "[false]\n");
    }
    rd_json_begin_array(w, NULL, RD_JSON_INLINE); /* the writer is freed with its unfinished text */
    rd_json_writer_free(w);
}

static void put_numbers(rd_json_writer *w) {
    rd_json_begin_array(w, NULL, RD_JSON_INLINE);
    rd_json_put_double(w, NULL, 0.1);
    rd_json_put_double(w, NULL, -1e300);
    rd_json_put_fixed(w, NULL, 2.0 / 3, 3);
    rd_json_put_fixed(w, NULL, 1234.5, 0);
    rdi_json_put_rounded(w, NULL, 2.0 / 3, 6);
    rdi_json_put_rounded(w, NULL, 1.25e-7, 2);
    rd_json_put_double(w, NULL, NAN);
    rd_json_put_fixed(w, NULL, INFINITY, 3);
    rdi_json_put_rounded(w, NULL, -INFINITY, 3);
    rdi_json_put_u128(w, NULL, ~(rdi_u128)0);
    rdi_json_put_u64_or_null(w, NULL, 7, 8);
    rdi_json_put_u64_or_null(w, NULL, 8, 8);
    rd_json_end_array(w);
}

static const char numbers[] = "[0.1,-1e+300,0.667,1234,0.666667,1.2e-07,null,null,null,"
                              "340282366920938463463374607431768211455,7,null]\n";

static void numbers_have_the_digits_asked_for(void **state) {
    rd_json_writer w = rdi_json_writer_start(*state, RD_JSON_COMPACT);
    put_numbers(&w);
    assert_document(&w, numbers);
}

static char *written_and_read(rd_ctx *ctx, const char *text, size_t max_string) {
    rd_json_writer w = rdi_json_writer_start(ctx, RD_JSON_COMPACT);
    w.max_string = max_string;
    rd_json_put_string(&w, NULL, text);
    char *json = NULL;
    size_t n = 0;
    assert_int_equal(rd_json_writer_take(&w, &json, &n), RD_OK);
    rdi_json j;
    rdi_json_init(&j, ctx, "written", json, n);
    char *back = rdi_json_string(&j);
    assert_int_equal(rdi_json_end(&j), RD_OK);
    rd_text_free(ctx, json);
    return back;
}

static void assert_string(rd_ctx *ctx, const char *text, size_t max_string, const char *expected) {
    char *back = written_and_read(ctx, text, max_string);
    assert_string_equal(back, expected);
    rdi_free(ctx, back);
}

static void strings_read_back_the_same(void **state) {
    char every[256];
    for (int i = 1; i < 128; i++)
        every[i - 1] = (char)i;
    memcpy(every + 127, "\xc3\xa9\xf0\x9f\x98\x80", 7);
    assert_string(*state, every, 0, every);
    assert_string(*state, "", 0, "");
}

static void bytes_that_are_no_utf8_become_replacements(void **state) {
    assert_string(*state, "a\xff\xc3z\xed\xa0\x80", 0,
                  "a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void long_strings_are_cut_between_characters(void **state) {
    assert_string(*state, "abcdef", 6, "abcdef");
    assert_string(*state, "abcdefg", 6, "abcdef\xe2\x80\xa6");
    assert_string(*state, "abcde\xc3\xa9", 6, "abcde\xe2\x80\xa6");
}

static void wrong_nesting_is_a_failure(void **state) {
    char *text = NULL;
    size_t n = 0;
    rd_json_writer w = rdi_json_writer_start(*state, RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    assert_int_equal(rd_json_writer_take(&w, &text, &n), RD_ESTATE);
    rd_json_end_object(&w);
    assert_int_equal(rd_json_writer_take(&w, &text, &n), RD_ESTATE);
    for (int i = 0; i < 3 * RDI_JSON_WRITER_DEPTH; i++)
        rd_json_begin_array(&w, NULL, RD_JSON_LINES);
    for (int i = 0; i < 3 * RDI_JSON_WRITER_DEPTH; i++)
        rd_json_end_array(&w);
    assert_int_equal(rd_json_writer_take(&w, &text, &n), RD_ESTATE);
    assert_null(text);
}

static void a_refused_allocation_is_told(void **state) {
    char *text = NULL;
    size_t n = 0;
    rd_json_writer w = rdi_json_writer_start(*state, RD_JSON_SPACED);
    rd_ctx_set_limit(*state, 1);
    put_example(&w);
    assert_int_equal(rd_json_writer_take(&w, &text, &n), RD_ENOMEM);
    rd_ctx_set_limit(*state, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(layouts_mix_in_one_document),
        CASE(compact_documents_have_one_line),
        CASE(a_writer_can_be_used_again),
        CASE(numbers_have_the_digits_asked_for),
        CASE(strings_read_back_the_same),
        CASE(bytes_that_are_no_utf8_become_replacements),
        CASE(long_strings_are_cut_between_characters),
        CASE(wrong_nesting_is_a_failure),
        CASE(a_refused_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
