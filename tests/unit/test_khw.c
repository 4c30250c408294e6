/* Tests option `sizes` of engine khw. The tests of all engines check that its bins are right. */
#include "reusedist/reusedist.h"

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The distances are inf inf inf inf 3 0 1 2 inf 2. */
static const uint64_t blocks[] = {'a', 'b', 'c', 'd', 'a', 'a', 'd', 'c', 'e', 'd'};

static rd_profile *run(const char *spec, uint64_t bound) {
    rd_engine_config config = {.size = sizeof config, .bound = bound};
    rd_engine *e = NULL;
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, blocks, sizeof blocks / sizeof *blocks, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    rd_engine_close(e);
    return profile;
}

static void assert_bins(rd_profile *profile, const uint64_t (*low_count)[2], size_t n) {
    const rd_bin *bin = NULL;
    assert_int_equal(rd_profile_bins(profile, &bin), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(bin[i].low, low_count[i][0]);
        assert_int_equal(bin[i].count, low_count[i][1]);
    }
    assert_false(rd_profile_facts_of(profile)->sums_known);
    rd_profile_free(profile);
}

static void hits_are_counted_between_the_sizes(void **state) {
    (void)state;
    rd_profile *profile = run("khw:sizes=1:3", 0);
    assert_int_equal(rd_profile_facts_of(profile)->infinite, 5);
    assert_int_equal(rd_profile_facts_of(profile)->blocks, 5);
    assert_bins(profile, (const uint64_t[][2]){{0, 1}, {1, 3}, {3, 1}}, 3);
}

static void sizes_come_in_any_order_and_may_repeat(void **state) {
    (void)state;
    rd_profile *profile = run("khw:sizes=3:1:3:1:1", 0);
    assert_string_equal(rd_profile_facts_of(profile)->engine_options, "sizes=1:3");
    assert_bins(profile, (const uint64_t[][2]){{0, 1}, {1, 3}, {3, 1}}, 3);
}

static void sizes_beyond_the_trace_have_no_misses_of_their_own(void **state) {
    (void)state;
    assert_bins(run("khw:sizes=4:100:1G", 0), (const uint64_t[][2]){{0, 5}}, 1);
}

static void a_bound_drops_the_sizes_it_hides(void **state) {
    (void)state;
    rd_profile *profile = run("khw:sizes=1:3:4", 3);
    assert_string_equal(rd_profile_facts_of(profile)->engine_options, "sizes=1");
    assert_int_equal(rd_profile_facts_of(profile)->infinite, 6);
    assert_bins(profile, (const uint64_t[][2]){{0, 1}, {1, 3}}, 2);
}

static void a_cache_of_no_blocks_is_refused(void **state) {
    (void)state;
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "khw:sizes=4:0", NULL, &e), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "at least one block"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(hits_are_counted_between_the_sizes),
        TEST(sizes_come_in_any_order_and_may_repeat),
        TEST(sizes_beyond_the_trace_have_no_misses_of_their_own),
        TEST(a_bound_drops_the_sizes_it_hides),
        TEST(a_cache_of_no_blocks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
