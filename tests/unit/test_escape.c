/* Tests rd_text_escape(), which makes file names safe to print. */
#include "reusedist/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *shown) {
    char out[128];
    assert_int_equal(rd_text_escape(text, out, sizeof out), strlen(shown));
    assert_string_equal(out, shown);
}

static void text_stays_as_it_is(void **state) {
    (void)state;
    expect("", "");
    expect("a b~\\x41.json", "a b~\\x41.json");
    expect("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void control_characters_are_escaped(void **state) {
    (void)state;
    expect("a\nb\t\x1b[1m\x7f", "a\\x0ab\\x09\\x1b[1m\\x7f");
    expect("\xc2\x9b\xc2\xa0", "\\xc2\\x9b\xc2\xa0"); /* CSI as one character, and a no-break
                                                         space */
    expect("\xe2\x80\xae.txt\xe2\x81\xa7",
           "\\xe2\\x80\\xae.txt\\xe2\\x81\\xa7"); /* a right-to-left override */
}

static void malformed_utf8_is_escaped(void **state) {
    (void)state;
    expect("\xff\x80z", "\\xff\\x80z");
    expect("\xc3", "\\xc3");                            /* a character that is cut off */
    expect("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    expect("\xe0\x80\xaf", "\\xe0\\x80\\xaf");          /* overlong */
    expect("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
    expect("\xef\xbf\xbf", "\\xef\\xbf\\xbf");          /* not allowed in XML */
    expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above the last character of Unicode */
    expect("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
}

static void room_is_kept(void **state) {
    (void)state;
    char out[8] = "1234567";
    assert_int_equal(rd_text_escape("abc\n", out, 7), 7);
    assert_string_equal(out, "abc"); /* no partial escape */
    assert_int_equal(rd_text_escape("\nxyz", out, 4), 7);
    assert_string_equal(out, ""); /* no text after the escape that did not fit */
    assert_int_equal(rd_text_escape("abc", NULL, 0), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_stays_as_it_is),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(malformed_utf8_is_escaped),
        cmocka_unit_test(room_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
