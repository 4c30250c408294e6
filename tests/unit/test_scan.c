/* Tests numbers in text: parsing, printing and limits. */
#include "trace/scan.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef const char *scanner(const char *p, uint64_t *out);

/* Expects that `scan` reads the number `value` and stops before the text `rest`. If `rest` is NULL,
 * expects that the text is refused. */
static void assert_scan(scanner *scan, const char *text, uint64_t value, const char *rest) {
    uint64_t out = 0;
    const char *end = scan(text, &out);
    if (!rest) {
        assert_null(end);
        return;
    }
    assert_non_null(end);
    assert_string_equal(end, rest);
    assert_int_equal(out, value);
}

static void numbers_end_where_digits_do(void **state) {
    (void)state;
    assert_scan(rdi_scan_hex, "0", 0, "");
    assert_scan(rdi_scan_hex, "fF10,8", 0xff10, ",8");
    assert_scan(rdi_scan_hex, "12g", 0x12, "g");
    assert_scan(rdi_scan_hex, "ffffffffffffffff", UINT64_MAX, "");
    assert_scan(rdi_scan_hex, "0000ffffffffffffffff", UINT64_MAX, "");
    assert_scan(rdi_scan_hex, "10000000000000000", 0, NULL);
    assert_scan(rdi_scan_hex, "", 0, NULL);
    assert_scan(rdi_scan_hex, "g", 0, NULL);
    assert_scan(rdi_scan_0x, "0x1f ", 0x1f, " ");
    assert_scan(rdi_scan_0x, "0X1F", 0x1f, "");
    assert_scan(rdi_scan_0x, "0x", 0, NULL);
    assert_scan(rdi_scan_0x, "1f", 0, NULL);
    assert_scan(rdi_scan_dec, "0", 0, "");
    assert_scan(rdi_scan_dec, "0042x", 42, "x");
    assert_scan(rdi_scan_dec, "18446744073709551615", UINT64_MAX, "");
    assert_scan(rdi_scan_dec, "18446744073709551616", 0, NULL);
    assert_scan(rdi_scan_dec, "18446744073709551620", 0, NULL);
    assert_scan(rdi_scan_dec, "184467440737095516150", 0, NULL);
    assert_scan(rdi_scan_dec, "99999999999999999999999999999999999999999", 0, NULL);
    assert_scan(rdi_scan_dec, "-1", 0, NULL);
    assert_scan(rdi_scan_dec, " 1", 0, NULL);
}

static void sizes_have_32_bits_and_are_not_zero(void **state) {
    (void)state;
    uint32_t size = 0;
    assert_string_equal(rdi_scan_size("0\n", &size), "\n");
    assert_int_equal(size, 1);
    assert_string_equal(rdi_scan_size("4294967295\n", &size), "\n");
    assert_int_equal(size, UINT32_MAX);
    assert_null(rdi_scan_size("4294967296\n", &size));
    assert_null(rdi_scan_size("18446744073709551617\n", &size));
    assert_null(rdi_scan_size("x\n", &size));
}

static void lines_end_behind_blanks(void **state) {
    (void)state;
    assert_string_equal(rdi_scan_line_end("\nx"), "x");
    assert_string_equal(rdi_scan_line_end(" \t\r\nx"), "x");
    assert_null(rdi_scan_line_end("x\n"));
    assert_null(rdi_scan_line_end(" 0\n"));
}

static void what_is_written_is_read_back(void **state) {
    (void)state;
    rdi_rng rng = {11};
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t x = i < 64    ? UINT64_C(1) << i
                     : i < 128 ? (UINT64_C(1) << (i - 64)) - 1
                               : rdi_rng_next(&rng) >> i % 64;
        char text[64], expected[64];
        *rdi_put_dec(text, x) = '\0';
        sprintf(expected, "%" PRIu64, x);
        assert_string_equal(text, expected);
        assert_scan(rdi_scan_dec, text, x, "");
        *rdi_put_hex(text, x, 8) = '\0';
        sprintf(expected, "%08" PRIx64, x);
        assert_string_equal(text, expected);
        assert_scan(rdi_scan_hex, text, x, "");
    }
    char zero[8];
    *rdi_put_hex(zero, 0, 1) = '\0';
    assert_string_equal(zero, "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_end_where_digits_do),
        cmocka_unit_test(sizes_have_32_bits_and_are_not_zero),
        cmocka_unit_test(lines_end_behind_blanks),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
