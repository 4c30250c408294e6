/* Tests the inference of distances from times: rdi_time_model() on cases with known results, and the engine `time`,
 * which uses it. */
#include "profile/time_model.h"
#include "reusedist/reusedist.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 200000

static uint64_t block[MOST];

/* ---- the model ---- */

static const rd_binning full = {RD_BINS_FULL, 0};

/* Sets *bins to the bins of the distances that rdi_time_model() infers from `times`, and returns their number. The
 * caller frees the bins. */
static size_t infer(const rdi_time_histogram *times, rd_binning binning, rd_bin **bins) {
    rdi_hist *hist = NULL;
    size_t n = 0;
    assert_int_equal(rdi_hist_new(ctx, binning, &hist), RD_OK);
    assert_int_equal(rdi_time_model(ctx, times, hist), RD_OK);
    assert_int_equal(rdi_hist_bins(hist, bins, &n), RD_OK);
    rdi_hist_free(hist);
    return n;
}

static void assert_inferred(const rdi_time_histogram *times, const uint64_t (*low_count)[2],
                            size_t n) {
    rd_bin *bins = NULL;
    assert_int_equal(infer(times, full, &bins), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(bins[i].low, low_count[i][0]);
        assert_int_equal(bins[i].count, low_count[i][1]);
    }
    rdi_free(ctx, bins);
}

/* Tests "bxxxxb": the time distances 1, 1, 1 and 5 allow only one result. */
static void the_example_of_the_paper_has_distance_one(void **state) {
    (void)state;
    const rdi_time_point points[] = {{1, 3}, {5, 1}};
    rdi_time_histogram times = {.points = points, .n = 2, .blocks = 2};
    assert_inferred(&times, (const uint64_t[][2]){{0, 3}, {1, 1}}, 2);
}

static void immediate_reuse_has_distance_zero_with_certainty(void **state) {
    (void)state;
    const rdi_time_point points[] = {{1, 1000000}};
    rdi_time_histogram times = {.points = points, .n = 1, .blocks = 1000};
    assert_inferred(&times, (const uint64_t[][2]){{0, 1000000}}, 1);
}

/* Tests a cycle, in which every interval contains all other blocks. The model must take intervals that never end to be
 * as long as intervals that end; if it left them out, the mean distance would be too small. */
static void a_cycle_has_one_distance(void **state) {
    (void)state;
    const rdi_time_point points[] = {{500, 9 * 500}};
    rdi_time_histogram times = {.points = points, .n = 1, .blocks = 500};
    assert_inferred(&times, (const uint64_t[][2]){{499, 9 * 500}}, 1);
}

/* Tests a trace that references each of M blocks twice, in turn: a a b b c c ... a a. Every second
 * reference is the last one to its block for a long time, so an interval of 2M - 2 references has M
 * - 1 blocks. */
static void pairs_are_counted_once(void **state) {
    (void)state;
    const uint64_t m = 1000;
    const rdi_time_point points[] = {{1, 100 * m}, {(double)(2 * m - 1), 99 * m}};
    rdi_time_histogram times = {.points = points, .n = 2, .blocks = m, .known_upto = 1};
    rd_bin *bins = NULL;
    size_t n = infer(&times, full, &bins);
    assert_int_equal(n, 1);
    assert_int_equal(bins[0].low, m - 1);
    assert_int_equal(bins[0].count, 99 * m);
    rdi_free(ctx, bins);
}

static void known_reuses_get_no_distance_but_shape_the_windows(void **state) {
    (void)state;
    const rdi_time_point points[] = {{1, 3}, {5, 1}};
    rdi_time_histogram times = {.points = points, .n = 2, .blocks = 2, .known_upto = 4};
    assert_inferred(&times, (const uint64_t[][2]){{1, 1}}, 1);
    times.known_upto = 5;
    assert_inferred(&times, NULL, 0);
}

static uint64_t count_of(const rd_bin *bins, size_t n) {
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += bins[i].count;
    return count;
}

/* Tests that every reuse gets one distance below the number of blocks, with several kinds of bins and
 * with time distances in the millions. */
static void every_reuse_is_counted_once(void **state) {
    (void)state;
    static const rd_binning binnings[] = {
        {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOG, 0}, {RD_BINS_LINEAR, 1000}, {RD_BINS_FULL, 0}};
    rdi_rng rng = {7};
    rdi_time_point points[300];
    for (size_t b = 0; b < RDI_COUNT(binnings); b++) {
        double time = 0;
        uint64_t total = 0;
        for (size_t i = 0; i < RDI_COUNT(points); i++) {
            time += 1 + (double)rdi_rng_below(&rng, UINT64_C(2) << i / 16);
            points[i] = (rdi_time_point){time, rdi_rng_below(&rng, 100000)};
            total += points[i].count;
        }
        rdi_time_histogram times = {.points = points, .n = RDI_COUNT(points), .blocks = 1234567};
        rd_bin *bins = NULL;
        size_t n = infer(&times, binnings[b], &bins);
        assert_int_equal(count_of(bins, n), total);
        assert_true(rd_bin_mean(&bins[n - 1]) < 1234567);
        for (size_t i = 0; i < n; i++)
            assert_in_range(rd_bin_mean(&bins[i]), bins[i].low, bins[i].high);
        rdi_free(ctx, bins);
    }
}

/* Tests times and distances right below 2^64, alone and together with short ones. For an impossible
 * histogram, with a gap longer than all references together, distances stay below the number of
 * blocks. */
static void times_near_the_end_of_the_range_are_inferred(void **state) {
    (void)state;
    static const rd_binning log_bins = {RD_BINS_LOG, 0};
    static const struct {
        double time;
        uint64_t blocks, low, high; /* limits of the distances */
    } cases[] = {
        {0x1.fffffffffffffp63, UINT64_MAX - 20, UINT64_C(1) << 63, UINT64_MAX - 21},
        {0x1p64, UINT64_MAX - 20, UINT64_C(1) << 63, UINT64_MAX - 21},
        {0x1p63, UINT64_MAX - 20, UINT64_C(1) << 62, UINT64_MAX - 21},
        {0x1p64, UINT64_C(1) << 63, UINT64_C(1) << 62, (UINT64_C(1) << 63) - 1},
        {0x1p64, 3, 2, 2},
        {0x1p64, 1, 0, 0},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        const rdi_time_point points[] = {{1, 3}, {cases[i].time, 5}};
        rdi_time_histogram times = {
            .points = points, .n = 2, .blocks = cases[i].blocks, .known_upto = 1};
        rd_bin *bins = NULL;
        size_t n = infer(&times, log_bins, &bins);
        uint64_t count = 0;
        for (size_t b = 0; b < n; b++) {
            count += bins[b].count;
            assert_in_range(rd_bin_mean(&bins[b]), cases[i].low, cases[i].high);
        }
        assert_int_equal(count, 5);
        rdi_free(ctx, bins);
    }
}

/* ---- spreading evenly ---- */

static void references_spread_evenly_over_bins(void **state) {
    (void)state;
    rdi_hist *hist = NULL;
    rd_bin *bins = NULL;
    size_t n = 0;
    assert_int_equal(rdi_hist_new(ctx, (rd_binning){RD_BINS_LINEAR, 10}, &hist), RD_OK);
    assert_int_equal(rdi_hist_add_evenly(hist, 5, 24, 40), RD_OK);
    assert_int_equal(rdi_hist_bins(hist, &bins, &n), RD_OK);
    assert_int_equal(n, 3);
    assert_int_equal(bins[0].count, 10);
    assert_int_equal(bins[0].sum.low, 10 * (5 + 9) / 2);
    assert_int_equal(bins[1].count, 20);
    assert_int_equal(bins[2].count, 10);
    rdi_free(ctx, bins);
    rdi_hist_free(hist);
}

/* ---- histograms from files ---- */

static rd_status convert_file(rd_ctx *c, void *path) {
    rd_times_config config = {.size = sizeof config, .binning = full};
    rd_profile *p = NULL;
    rd_status status = rd_profile_from_times(c, path, &config, &p);
    rd_profile_free(p);
    return status;
}

static void reading_a_histogram_survives_every_failing_allocation(void **state) {
    (void)state;
    char text[8000];
    size_t n = 0;
    for (int i = 1; i < 600; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d %d\n", i, 600 - i);
    n += (size_t)snprintf(text + n, sizeof text - n, "inf 4000\n");
    char *path = files_path();
    files_write(path, text, n);
    faults_inject("a histogram of times", convert_file, path, RD_OK);
    files_remove(path);
}

/* ---- the engine ---- */

static rd_profile *run(const char *spec, rd_binning binning, size_t n, size_t feed) {
    rd_engine_config config = {.size = sizeof config, .binning = binning};
    return profiles_measure(ctx, spec, &config, block, n, feed);
}

/* Makes a mixture of repeats, short and long distances, and new blocks. */
static void make_mixed(size_t n) {
    rdi_rng rng = {42};
    for (size_t i = 0; i < n; i++)
        switch (rdi_rng_below(&rng, 4)) {
        case 0:
            block[i] = i ? block[i - 1] : 0;
            break;
        case 1:
            block[i] = block[rdi_rng_below(&rng, i < 50 ? i + 1 : 50) + (i < 50 ? 0 : i - 50)];
            break;
        case 2:
            block[i] = UINT64_MAX - rdi_rng_below(&rng, 3000);
            break;
        default:
            block[i] = i;
        }
}

static void all_paths_and_pieces_give_the_same_profile(void **state) {
    (void)state;
    static const char *const specs[] = {"time:exact=300", "time:exact=300,isa=plain",
                                        "time:exact=300,isa=avx2", "time:exact=300,compact=4K"};
    static const size_t feeds[] = {MOST, 1, 100, 2048, 5000};
    make_mixed(MOST);
    rd_profile *expected = run(specs[0], full, MOST, MOST);
    for (size_t s = 0; s < RDI_COUNT(specs); s++) {
        rd_engine *e = NULL;
        if (rd_engine_open(ctx, specs[s], NULL, &e) == RD_EUNSUPPORTED)
            continue;
        rd_engine_close(e);
        for (size_t f = 0; f < RDI_COUNT(feeds); f++) {
            rd_profile *got = run(specs[s], full, MOST, feeds[f]);
            profiles_assert_same_bins(got, expected);
            assert_int_equal(rd_profile_facts_of(got)->blocks,
                             rd_profile_facts_of(expected)->blocks);
            rd_profile_free(got);
        }
    }
    rd_profile_free(expected);
}

static void without_the_model_times_are_counted(void **state) {
    (void)state;
    static const uint64_t trace[] = {'a', 'b', 'b', 'b', 'a', 'c', 'b', 'a'};
    static const uint64_t expected[][2] = {{1, 2}, {3, 2}, {4, 1}};
    memcpy(block, trace, sizeof trace);
    rd_profile *p = run("time:model=off", full, RDI_COUNT(trace), 3);
    const rd_bin *bins = NULL;
    assert_int_equal(rd_profile_bins(p, &bins), RDI_COUNT(expected));
    for (size_t i = 0; i < RDI_COUNT(expected); i++) {
        assert_int_equal(bins[i].low, expected[i][0]);
        assert_int_equal(bins[i].count, expected[i][1]);
    }
    assert_int_equal(rd_profile_facts_of(p)->infinite, 3);
    double miss = 0;
    assert_int_equal(rd_mrc_at(ctx, p, 1, &miss, NULL), RD_EINVAL);
    rd_profile_free(p);
}

/* Tests traces in which no time distance exceeds the option exact=, so that there is nothing to infer. */
static void counted_windows_are_exact(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t window;
    } cases[] = {{"time:exact=1", 1},      {"time:exact=63", 63},   {"time:exact=64", 64},
                 {"time:exact=65", 65},    {"time:exact=1K", 1024}, {"time:exact=5K", 5120},
                 {"time:exact=64K", 65536}};
    rdi_rng rng = {3};
    for (size_t c = 0; c < RDI_COUNT(cases); c++) {
        size_t n = MOST / 4;
        for (size_t i = 0; i < n; i++) {
            bool run_on = i % 9000 > 8000 && i % 9000 < 8500; /* 499 repeats in a row */
            uint64_t back = run_on ? 1 : 1 + rdi_rng_below(&rng, cases[c].window);
            bool fresh = back > i || (!run_on && rdi_rng_below(&rng, 50) == 0);
            block[i] = fresh ? UINT64_C(1) << 40 | i : block[i - back];
        }
        rd_profile *got = run(cases[c].spec, full, n, 777);
        rd_profile *exact = run("stream", full, n, n);
        profiles_assert_same_bins(got, exact);
        assert_int_equal(rd_profile_facts_of(got)->infinite, rd_profile_facts_of(exact)->infinite);
        rd_profile_free(got);
        rd_profile_free(exact);
    }
}

/* Tests that distances of independent references, for which the model is made, are nearly right. */
static void independent_references_are_inferred_well(void **state) {
    (void)state;
    rdi_rng rng = {5};
    for (size_t i = 0; i < MOST; i++)
        block[i] = (uint64_t)(20000 * pow(rdi_rng_unit(&rng), 3));
    rd_profile *exact = run("stream", full, MOST, MOST), *got = run("time", full, MOST, MOST);
    rd_comparison c;
    assert_int_equal(rd_compare(ctx, exact, got, (rd_binning){RD_BINS_LOG, 0}, &c), RD_OK);
    assert_true(c.accuracy > 0.97);
    assert_true(c.mean_mrc_error < 0.01);
    assert_false(rd_profile_facts_of(got)->exact);
    assert_string_equal(rd_profile_facts_of(got)->error_kind, "statistical");
    rd_profile_free(exact);
    rd_profile_free(got);
}

static void an_empty_trace_and_first_references_only(void **state) {
    (void)state;
    rd_profile *p = run("time:exact=64", full, 0, 1);
    assert_int_equal(rd_profile_facts_of(p)->blocks, 0);
    rd_profile_free(p);
    for (size_t i = 0; i < 5000; i++)
        block[i] = i * 3;
    const rd_bin *bins = NULL;
    p = run("time", full, 5000, 5000);
    assert_int_equal(rd_profile_facts_of(p)->cold, 5000);
    assert_int_equal(rd_profile_bins(p, &bins), 0);
    rd_profile_free(p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_example_of_the_paper_has_distance_one),
        TEST(immediate_reuse_has_distance_zero_with_certainty),
        TEST(a_cycle_has_one_distance),
        TEST(pairs_are_counted_once),
        TEST(known_reuses_get_no_distance_but_shape_the_windows),
        TEST(every_reuse_is_counted_once),
        TEST(times_near_the_end_of_the_range_are_inferred),
        TEST(references_spread_evenly_over_bins),
        TEST(reading_a_histogram_survives_every_failing_allocation),
        TEST(all_paths_and_pieces_give_the_same_profile),
        TEST(without_the_model_times_are_counted),
        TEST(counted_windows_are_exact),
        TEST(independent_references_are_inferred_well),
        TEST(an_empty_trace_and_first_references_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
