/* Tests the option parts= of the engine `time`, which infers distances from the times in each part of a trace: cases
 * with known results, and phases. */
#include "profile/time_parts.h"
#include "reusedist/reusedist.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST 300000

static uint64_t block[MOST];
static const rd_binning full = {RD_BINS_FULL, 0};

static rd_profile *run(const char *spec, size_t n, size_t feed) {
    rd_engine_config config = {.size = sizeof config, .binning = full};
    return profiles_measure(ctx, spec, &config, block, n, feed);
}

static double accuracy(const char *spec, size_t n, rd_binning binning) {
    rd_profile *exact = run("stream", n, n), *got = run(spec, n, n);
    rd_comparison c;
    assert_int_equal(rd_compare(ctx, exact, got, binning, &c), RD_OK);
    rd_profile_free(exact);
    rd_profile_free(got);
    return c.accuracy;
}

/* Sweeps through `blocks` blocks from time `from` to `upto` - 1. Sweeps through different numbers of
 * blocks have no block in common. Returns `upto`. */
static size_t sweep(size_t from, size_t upto, uint64_t blocks) {
    for (size_t i = from; i < upto; i++)
        block[i] = blocks << 32 | (i - from) % blocks;
    return upto;
}

/* Tests that all reuses of a cycle get the same distance if the last part is short, and with gaps that are shorter or
 * longer than a part. */
static void a_cycle_has_one_distance(void **state) {
    (void)state;
    static const uint64_t cycles[] = {1, 2, 3, 1000, 1024, 4096, 5000, 100000};
    for (size_t c = 0; c < RDI_COUNT(cycles); c++) {
        const rd_bin *bins = NULL;
        sweep(0, MOST, cycles[c]);
        rd_profile *p = run("time:parts=8K", MOST, MOST);
        assert_int_equal(rd_profile_bins(p, &bins), 1);
        assert_int_equal(bins[0].low, cycles[c] - 1);
        assert_int_equal(bins[0].count, MOST - cycles[c]);
        rd_profile_free(p);
    }
}

/* Tests that joining parts while intervals are open costs some precision, but only for these
 * intervals. */
static void joined_parts_go_on_as_one(void **state) {
    (void)state;
    const rd_bin *bins = NULL;
    sweep(0, MOST, 100000);
    rd_profile *p = run("time:parts=16", MOST, MOST);
    size_t n = rd_profile_bins(p, &bins);
    assert_true(bins[0].low > 90000);
    assert_int_equal(bins[n - 1].low, 99999);
    assert_true(bins[n - 1].count > (MOST - 100000) / 2);
    rd_profile_free(p);
}

/* Tests a program that sweeps through large and then through small data. Such a program has two kinds of intervals, and
 * neither kind is like the average. */
static void phases_are_told_apart(void **state) {
    (void)state;
    static const rd_binning bins = {RD_BINS_LINEAR, 256};
    size_t n = sweep(sweep(0, 120000, 30000), 240000, 3000);
    assert_true(accuracy("time", n, bins) < 0.6);
    assert_true(accuracy("time:parts=8K", n, bins) > 0.99);
}

/* Tests a sweep that is repeated after another sweep: the intervals between its repetitions span parts that belong to
 * the other sweep. */
static void windows_reach_over_other_phases(void **state) {
    (void)state;
    static const rd_binning bins = {RD_BINS_LINEAR, 256};
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        n = sweep(sweep(n, n + 20000, 20000), n + 60000, 500);
    assert_true(accuracy("time:parts=8K", n, bins) > 0.97);
    assert_true(accuracy("time:parts=8K", n, bins) > accuracy("time", n, bins) + 0.05);
}

static void independent_references_are_inferred_well(void **state) {
    (void)state;
    rdi_rng rng = {5};
    for (size_t i = 0; i < MOST; i++)
        block[i] = rdi_rng_below(&rng, 1 + rdi_rng_below(&rng, 20000));
    assert_true(accuracy("time:parts=8K", MOST, (rd_binning){RD_BINS_LOG, 0}) > 0.97);
    assert_true(accuracy("time:parts=6", MOST, (rd_binning){RD_BINS_LOG, 0}) > 0.97);
}

static void every_reuse_is_counted_once_however_it_is_fed(void **state) {
    (void)state;
    static const char *const specs[] = {"time:parts=3", "time:parts=8,exact=100",
                                        "time:parts=100,exact=3000,compact=6K"};
    static const size_t feeds[] = {1, 511, 4097};
    rdi_rng rng = {11};
    for (size_t i = 0; i < MOST / 4; i++)
        block[i] = i && rdi_rng_below(&rng, 3) == 0 ? block[i - 1] : rdi_rng_below(&rng, 1 + i / 5);
    for (size_t s = 0; s < RDI_COUNT(specs); s++) {
        rd_profile *whole = run(specs[s], MOST / 4, MOST / 4);
        const rd_profile_facts *facts = rd_profile_facts_of(whole);
        const rd_bin *bins = NULL;
        size_t n = rd_profile_bins(whole, &bins);
        uint64_t reuses = 0;
        for (size_t i = 0; i < n; i++)
            reuses += bins[i].count;
        assert_int_equal(reuses + facts->cold, MOST / 4);
        assert_true(bins[n - 1].high < facts->blocks);
        for (size_t f = 0; f < RDI_COUNT(feeds); f++) {
            rd_profile *p = run(specs[s], MOST / 4, feeds[f]);
            profiles_assert_same_bins(p, whole);
            rd_profile_free(p);
        }
        rd_profile_free(whole);
    }
}

/* Tests a trace in which no time distance exceeds the option exact=, so that there is nothing to infer. */
static void counted_windows_are_exact(void **state) {
    (void)state;
    rdi_rng rng = {3};
    for (size_t i = 0; i < MOST; i++) {
        uint64_t back = 1 + rdi_rng_below(&rng, 1000);
        block[i] =
            back > i || rdi_rng_below(&rng, 50) == 0 ? UINT64_C(1) << 40 | i : block[i - back];
    }
    rd_profile *got = run("time:parts=10,exact=1000", MOST, 777),
               *exact = run("stream", MOST, MOST);
    profiles_assert_same_bins(got, exact);
    rd_profile_free(got);
    rd_profile_free(exact);
}

/* Tests gaps that no real trace can have: the sums of their squares are far above 2^64. */
static void the_longest_gaps_are_survived(void **state) {
    (void)state;
    rdi_time_parts parts;
    rdi_hist *hist = NULL;
    rd_bin *bins = NULL;
    size_t n = 0;
    uint64_t gap[1000];
    for (size_t i = 0; i < RDI_COUNT(gap); i++)
        gap[i] = i < 10 ? 0 : INT64_MAX - i;
    assert_int_equal(rdi_hist_new(ctx, full, &hist), RD_OK);
    assert_int_equal(rdi_time_parts_init(&parts, ctx, 2, 0), RD_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(rdi_time_parts_count(&parts, gap, RDI_COUNT(gap), 24, hist), RD_OK);
    assert_int_equal(rdi_time_parts_finish(&parts, hist), RD_OK);
    assert_int_equal(rdi_hist_bins(hist, &bins, &n), RD_OK);
    uint64_t counted = rdi_hist_infinite(hist);
    for (size_t i = 0; i < n; i++)
        counted += bins[i].count;
    assert_int_equal(counted, 20 * (990 + 24));
    assert_true(bins[n - 1].high < 200);
    rdi_free(ctx, bins);
    rdi_time_parts_destroy(&parts);
    rdi_hist_free(hist);
}

static void an_empty_trace_and_first_references_only(void **state) {
    (void)state;
    rd_profile *p = run("time:parts=8K,exact=64", 0, 1);
    assert_int_equal(rd_profile_facts_of(p)->blocks, 0);
    rd_profile_free(p);
    const rd_bin *bins = NULL;
    sweep(0, 10000, 10000);
    p = run("time:parts=8K", 10000, 10000);
    assert_int_equal(rd_profile_facts_of(p)->cold, 10000);
    assert_int_equal(rd_profile_bins(p, &bins), 0);
    rd_profile_free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_cycle_has_one_distance),
        TEST(joined_parts_go_on_as_one),
        TEST(phases_are_told_apart),
        TEST(windows_reach_over_other_phases),
        TEST(independent_references_are_inferred_well),
        TEST(every_reuse_is_counted_once_however_it_is_fed),
        TEST(counted_windows_are_exact),
        TEST(the_longest_gaps_are_survived),
        TEST(an_empty_trace_and_first_references_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
