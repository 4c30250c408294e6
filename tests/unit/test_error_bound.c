/* Tests rdi_error_allows(): which measured distances each kind of error allows for an exact
 * distance and an error bound. */
#include "profile/error_bound.h"
#include "reusedist/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool allows(const char *kind, double bound, uint64_t exact, uint64_t measured) {
    rdi_error_bound e = rdi_error_bound_of(kind, bound);
    bool allowed = rdi_error_allows(e, exact, exact, measured, measured);
    if (e.kind != RDI_ERROR_UNBOUND)
        assert_int_equal(allowed, measured <= exact && measured >= rdi_error_least(e, exact));
    return allowed;
}

static void exact_is_exact(void **state) {
    (void)state;
    assert_true(allows("exact", 0, 7, 7));
    assert_false(allows("exact", 0, 7, 6));
    assert_false(allows("exact", 0, 7, 8));
    assert_false(allows("exact", 5, 7, 6));
}

static void relative_is_a_share_below(void **state) {
    (void)state;
    assert_true(allows("relative", 0.01, 100, 100));
    assert_true(allows("relative", 0.01, 100, 99));
    assert_false(allows("relative", 0.01, 100, 98));
    assert_false(allows("relative", 0.01, 99, 98));
    assert_false(allows("relative", 0.01, 100, 101));
    assert_true(allows("relative", 0.5, UINT64_C(1) << 62, UINT64_C(1) << 61));
    assert_false(allows("relative", 0.5, UINT64_C(1) << 62, (UINT64_C(1) << 61) - 1));
}

static void absolute_is_so_many_below(void **state) {
    (void)state;
    assert_true(allows("absolute", 16, 20, 4));
    assert_false(allows("absolute", 16, 20, 3));
    assert_true(allows("absolute", 16, 10, 0));
    assert_false(allows("absolute", 16, 10, 11));
}

static void infinite_is_never_mistaken(void **state) {
    (void)state;
    static const char *const kinds[] = {"exact", "relative", "absolute"};
    for (size_t i = 0; i < RDI_COUNT(kinds); i++) {
        double bound = i == 1 ? 0.99 : 1e19;
        assert_true(allows(kinds[i], bound, RD_COLD, RD_COLD));
        assert_false(allows(kinds[i], bound, RD_COLD, RD_COLD - 1));
        assert_false(allows(kinds[i], bound, 5, RD_COLD));
    }
}

static void other_words_and_no_bound_promise_nothing(void **state) {
    (void)state;
    assert_true(allows("statistical", 0.1, 5, 500));
    assert_true(allows(NULL, 0.1, 5, 500));
    assert_true(allows("relative", 0, 5, 500));
    assert_true(allows("mixed", 1, RD_COLD, 0));
}

static void ranges_are_compared_by_their_nearest_ends(void **state) {
    (void)state;
    rdi_error_bound e = rdi_error_bound_of("absolute", 2);
    assert_true(rdi_error_allows(e, 8, 15, 4, 6));
    assert_false(rdi_error_allows(e, 8, 15, 4, 5));
    assert_true(rdi_error_allows(e, 8, 15, 15, 31));
    assert_false(rdi_error_allows(e, 8, 15, 16, 31));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_exact),
        cmocka_unit_test(relative_is_a_share_below),
        cmocka_unit_test(absolute_is_so_many_below),
        cmocka_unit_test(infinite_is_never_mistaken),
        cmocka_unit_test(other_words_and_no_bound_promise_nothing),
        cmocka_unit_test(ranges_are_compared_by_their_nearest_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
