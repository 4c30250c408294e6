/* Tests the JSON reader (rdi_json): valid text is read exactly, a message names the position of
 * invalid text, and no input can crash, hang or exhaust memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"

#include "support/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

static rdi_json reader(rd_ctx *ctx, const char *text) {
    rdi_json j;
    rdi_json_init(&j, ctx, "file", text, strlen(text));
    return j;
}

/* Returns the status of reading `n` bytes as one value of any shape. */
static rd_status check(rd_ctx *ctx, const char *text, size_t n) {
    rdi_json j;
    rdi_json_init(&j, ctx, "file", text, n);
    rdi_json_skip(&j);
    return rdi_json_end(&j);
}

static void valid_documents_are_accepted(void **state) {
    static const char *const documents[] = {
        "0",
        "-0",
        "1e5",
        "-1.5E-7",
        "10.0",
        "true",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        " [ 1 , [ ] , { } , \"x\" ] ",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"a\":1}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\xc3\xa9\xf0\x9f\x98\x80\x7f\"",
        "\t\r\n 1 \n",
        "123456789012345678901234567890123456789012345678901234567890e999"};
    for (size_t i = 0; i < RDI_COUNT(documents); i++)
        assert_int_equal(check(*state, documents[i], strlen(documents[i])), RD_OK);
}

static void invalid_documents_are_refused(void **state) {
    static const char *const documents[] = {"",
                                            " ",
                                            "01",
                                            "+1",
                                            "-",
                                            "1.",
                                            ".5",
                                            "1e",
                                            "1e+",
                                            "- 1",
                                            "0x10",
                                            "NaN",
                                            "Infinity",
                                            "tru",
                                            "truee",
                                            "nul",
                                            "nulll",
                                            "[",
                                            "]",
                                            "[1",
                                            "[1,",
                                            "[1,]",
                                            "[,1]",
                                            "[1 2]",
                                            "{",
                                            "}",
                                            "{\"a\"",
                                            "{\"a\":",
                                            "{\"a\":1",
                                            "{\"a\":1,",
                                            "{\"a\":1,}",
                                            "{a:1}",
                                            "{\"a\" 1}",
                                            "{1:1}",
                                            "{,}",
                                            "1 1",
                                            "[] []",
                                            "\"",
                                            "\"a",
                                            "\"\\\"",
                                            "\"\\x\"",
                                            "\"\\u12\"",
                                            "\"\\u123g\"",
                                            "\"\\ud800\"",
                                            "\"\\ud800x\"",
                                            "\"\\ud800\\u0041\"",
                                            "\"\\udc00\"",
                                            "\"\\u0000\"",
                                            "\"\n\"",
                                            "\"\x01\"",
                                            "'a'",
                                            "// c\n1",
                                            "\"\x80\"",
                                            "\"\xc0\x80\"",
                                            "\"\xc3\"",
                                            "\"\xe0\x80\x80\"",
                                            "\"\xed\xa0\x80\"",
                                            "\"\xf4\x90\x80\x80\"",
                                            "\"\xf8\x88\x80\x80\x80\"",
                                            "\xef\xbb\xbf{}",
                                            "[1}",
                                            "{\"a\":1]",
                                            "undefined"};
    for (size_t i = 0; i < RDI_COUNT(documents); i++) {
        if (check(*state, documents[i], strlen(documents[i])) != RD_EFORMAT)
            fail_msg("this invalid document is accepted: %s", documents[i]);
        assert_non_null(strstr(rd_last_error(*state), "file: line "));
    }
}

static void nul_bytes_are_no_end_of_the_text(void **state) {
    static const char inside[] = "\"a\0b\"", behind[] = "[1]\0", between[] = "[1,\0 2]",
                      escape[] = "\"\\\0\"";
    assert_int_equal(check(*state, inside, sizeof inside - 1), RD_EFORMAT);
    assert_int_equal(check(*state, behind, sizeof behind - 1), RD_EFORMAT);
    assert_int_equal(check(*state, between, sizeof between - 1), RD_EFORMAT);
    assert_int_equal(check(*state, escape, sizeof escape - 1), RD_EFORMAT);
}

/* Tests every truncation of the text. Each truncated text is copied to memory of exactly its size,
 * so that AddressSanitizer detects a read after the end of the text. */
static void every_truncation_is_refused_without_reading_on(void **state) {
    static const char text[] = "{\"key\\u00e9\\ud83d\\ude00\":[1,-2.5e+10,true,false,null,\"\xf0"
                               "\x9f\x98\x80\"],\"b\":{\"c\":[]}}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, text, n);
        assert_int_equal(check(*state, copy, n), RD_EFORMAT);
        free(copy);
    }
    assert_int_equal(check(*state, text, sizeof text - 1), RD_OK);
}

static void every_changed_byte_is_survived(void **state) {
    static const char text[] = "{\"a\":[1,-2.5e+10,true,null,\"\\u00e9\xc3\xa9\"],\"b\":{}}";
    char copy[sizeof text];
    for (size_t at = 0; at < sizeof text - 1; at++)
        for (int byte = 0; byte < 256; byte++) {
            memcpy(copy, text, sizeof text);
            copy[at] = (char)byte;
            rd_status status = check(*state, copy, sizeof text - 1);
            assert_true(status == RD_OK || status == RD_EFORMAT);
        }
}

static void nesting_ends_at_the_limit(void **state) {
    size_t n = 1000000;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, '[', n);
    assert_int_equal(check(*state, text, n), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(*state), "deep"));
    memset(text + RDI_JSON_DEPTH, ']', RDI_JSON_DEPTH);
    assert_int_equal(check(*state, text, 2 * RDI_JSON_DEPTH), RD_OK);
    free(text);
}

static void integers_keep_every_bit(void **state) {
    rdi_json j = reader(*state, "[0,18446744073709551615,340282366920938463463374607431768211455]");
    rdi_json_enter_array(&j);
    assert_true(rdi_json_next_item(&j));
    assert_true(rdi_json_u64(&j) == 0);
    assert_true(rdi_json_next_item(&j));
    assert_true(rdi_json_u64(&j) == UINT64_MAX);
    assert_true(rdi_json_next_item(&j));
    assert_true(rdi_json_u128(&j) == ~(u128)0);
    assert_false(rdi_json_next_item(&j));
    assert_int_equal(rdi_json_end(&j), RD_OK);
}

static void numbers_that_are_no_such_integer_are_refused(void **state) {
    static const char *const narrow[] = {
        "-1",    "-0",   "1.0", "1e3", "18446744073709551616", "99999999999999999999",
        "\"1\"", "null", "[1]"};
    for (size_t i = 0; i < RDI_COUNT(narrow); i++) {
        rdi_json j = reader(*state, narrow[i]);
        assert_true(rdi_json_u64(&j) == 0);
        assert_int_equal(rdi_json_end(&j), RD_EFORMAT);
    }
    rdi_json j = reader(*state, "340282366920938463463374607431768211456");
    rdi_json_u128(&j);
    assert_int_equal(rdi_json_end(&j), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(*state), "128 bits"));
}

static void doubles_come_back_as_they_were(void **state) {
    static const double values[] = {0,      0.1,           1.0 / 3, -2.5, 1e300,
                                    5e-324, 123456789.125, 1e15,    1e22, 0x1.fffffffffffffp1023,
                                    -0.0};
    for (size_t i = 0; i < RDI_COUNT(values); i++) {
        rdi_text t = rdi_text_start(*state);
        rdi_text_double(&t, values[i]);
        char *text = NULL;
        assert_int_equal(rdi_text_take(&t, &text, NULL), RD_OK);
        rdi_json j = reader(*state, text);
        double back = rdi_json_double(&j);
        assert_int_equal(rdi_json_end(&j), RD_OK);
        assert_memory_equal(&back, &values[i], sizeof back);
        rd_text_free(*state, text);
    }
}

static void doubles_out_of_range_or_too_long_are_refused(void **state) {
    rdi_json j = reader(*state, "1e999");
    rdi_json_double(&j);
    assert_int_equal(rdi_json_end(&j), RD_EFORMAT);
    char digits[4096];
    memset(digits, '9', sizeof digits);
    rdi_json_init(&j, *state, "file", digits, sizeof digits);
    rdi_json_double(&j);
    assert_int_equal(rdi_json_end(&j), RD_EFORMAT);
    rdi_text t = rdi_text_start(*state);
    rdi_text_double(&t, INFINITY);
    rdi_text_double(&t, NAN);
    assert_string_equal(t.data, "nullnull");
    rdi_text_drop(&t);
}

static void assert_decoded(rd_ctx *ctx, const char *json, const char *expected) {
    rdi_json j = reader(ctx, json);
    char *text = rdi_json_string(&j);
    assert_int_equal(rdi_json_end(&j), RD_OK);
    assert_string_equal(text, expected);
    rdi_free(ctx, text);
}

static void strings_are_decoded_to_utf8(void **state) {
    assert_decoded(*state, "\"\"", "");
    assert_decoded(*state, "\"a\\n\\t\\\\\\/\\\"\\b\\f\\r\"", "a\n\t\\/\"\b\f\r");
    assert_decoded(*state, "\"\\u0041\\u00E9\\u20ac\"", "A\xc3\xa9\xe2\x82\xac");
    assert_decoded(*state, "\"\\ud83d\\ude00\\uDBFF\\uDFFF\"", "\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

static void long_keys_are_cut_at_a_character(void **state) {
    rdi_json j = reader(*state, "{\"abcdefg\\u20ach\":1,\"abc\":2}");
    char key[10];
    rdi_json_enter_object(&j);
    assert_true(rdi_json_next_key(&j, key, sizeof key));
    assert_string_equal(key, "abcdefg");
    rdi_json_skip(&j);
    assert_true(rdi_json_next_key(&j, key, sizeof key));
    assert_string_equal(key, "abc");
    rdi_json_skip(&j);
    assert_false(rdi_json_next_key(&j, key, sizeof key));
    assert_int_equal(rdi_json_end(&j), RD_OK);
}

static void messages_name_file_line_and_byte(void **state) {
    assert_int_equal(check(*state, "{\n  \"a\": 1,\n  \"b\": ?\n}", 22), RD_EFORMAT);
    assert_string_equal(rd_last_error(*state),
                        "file: line 3 (byte 19): expected a value, found '?'");
    assert_int_equal(check(*state, "[1", 2), RD_EFORMAT);
    assert_string_equal(rd_last_error(*state),
                        "file: line 1 (byte 2): the file ends where ',' or ']' is expected");
}

static void the_first_failure_stays_and_loops_end(void **state) {
    rdi_json j = reader(*state, "[1, x, {\"a\": 2}]");
    rdi_json_enter_array(&j);
    assert_true(rdi_json_next_item(&j));
    rdi_json_u64(&j);
    assert_true(rdi_json_next_item(&j));
    rdi_json_u64(&j);
    char key[8];
    assert_false(rdi_json_next_item(&j));
    assert_false(rdi_json_next_key(&j, key, sizeof key));
    assert_null(rdi_json_string(&j));
    rdi_json_skip(&j);
    assert_int_equal(rdi_json_end(&j), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(*state), "found 'x'"));
}

static void a_refused_allocation_is_told(void **state) {
    rdi_json j = reader(*state, "\"some text\"");
    rd_ctx_set_limit(*state, 1);
    assert_null(rdi_json_string(&j));
    assert_int_equal(rdi_json_end(&j), RD_ENOMEM);
    rd_ctx_set_limit(*state, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(valid_documents_are_accepted),
        CASE(invalid_documents_are_refused),
        CASE(nul_bytes_are_no_end_of_the_text),
        CASE(every_truncation_is_refused_without_reading_on),
        CASE(every_changed_byte_is_survived),
        CASE(nesting_ends_at_the_limit),
        CASE(integers_keep_every_bit),
        CASE(numbers_that_are_no_such_integer_are_refused),
        CASE(doubles_come_back_as_they_were),
        CASE(doubles_out_of_range_or_too_long_are_refused),
        CASE(strings_are_decoded_to_utf8),
        CASE(long_keys_are_cut_at_a_character),
        CASE(messages_name_file_line_and_byte),
        CASE(the_first_failure_stays_and_loops_end),
        CASE(a_refused_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
