/* Tests format lackey: all kinds of lines, and invalid lines. */
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] = "==12== Lackey, an example Valgrind tool\n"
                             "--12-- more talk\n"
                             "I  0401ab70,3\n"
                             " S 1fff0006c8,8\n"
                             "\n"
                             " L ffffffffffffffff,1\n"
                             "SB 0401ab70\n"
                             " M 0,16\n";

static void all_kinds_of_lines_are_read(void **state) {
    (void)state;
    traces_result r = traces_read_text(NULL, sample);
    assert_string_equal(r.error, "");
    assert_string_equal(r.format, "lackey");
    assert_false(r.ids);
    assert_int_equal(r.n, 5);
    const uint64_t addr[] = {0x401ab70, 0x1fff0006c8, UINT64_MAX, 0, 0};
    const uint32_t size[] = {3, 8, 1, 16, 16};
    const uint8_t kind[] = {RD_FETCH, RD_STORE, RD_LOAD, RD_LOAD, RD_STORE};
    assert_memory_equal(r.addr, addr, sizeof addr);
    assert_memory_equal(r.size, size, sizeof size);
    assert_memory_equal(r.kind, kind, sizeof kind);
    traces_free(&r);
}

static void modifies_fill_batches_exactly(void **state) {
    (void)state;
    enum { LINES = 10000 };
    static char text[LINES * 8 + 1];
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + i * 8, i % 3 ? " M 12,4\n" : " L 12,4\n", 9);
    traces_result r = traces_read_text("lackey", text);
    assert_string_equal(r.error, "");
    size_t at = 0;
    for (size_t i = 0; i < LINES; i++) {
        assert_int_equal(r.kind[at++], RD_LOAD);
        if (i % 3)
            assert_int_equal(r.kind[at++], RD_STORE);
    }
    assert_int_equal(at, r.n);
    traces_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_lines_are_read),
        cmocka_unit_test(modifies_fill_batches_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
