/* Compares miss-ratio curves (rd_mrc_at(), rd_mrc_curve()) with a simulated LRU cache, and tests
 * the smallest caches and the knees that are found in the curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/common.h"
#include "profile/profile_build.h"
#include "reusedist/engine.h"
#include "reusedist/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE 1e-12

static int new_ctx(void **state) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    *state = ctx;
    return 0;
}

static int free_ctx(void **state) {
    assert_int_equal(rd_ctx_live_bytes(*state), 0);
    rd_ctx_free(*state);
    return 0;
}

/* Makes the profile of a trace with the engine `stack`. */
static rd_profile *measure(rd_ctx *ctx, const uint64_t *trace, size_t n, rd_binning binning,
                           uint64_t bound) {
    rd_engine_config config = {.size = sizeof config, .binning = binning, .bound = bound};
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_engine_open(ctx, "stack", &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, n, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    rd_engine_close(e);
    return p;
}

/* Makes a profile by hand, with `infinite` references that have infinite distances. Without a
 * bound, these are cold; with a bound, the number of cold references is unknown. */
static rd_profile *make(rd_ctx *ctx, const rd_bin *bins, size_t n, uint64_t infinite,
                        uint64_t bound) {
    rd_profile_facts facts = {.references = infinite,
                              .blocks = RD_UNKNOWN,
                              .cold = bound ? RD_UNKNOWN : infinite,
                              .infinite = infinite,
                              .bound = bound,
                              .exact = true,
                              .engine = "none",
                              .engine_options = "",
                              .error_kind = "exact"};
    for (size_t i = 0; i < n; i++)
        facts.references += bins[i].count;
    rd_profile *p = NULL;
    assert_int_equal(rdi_profile_new(ctx, &facts, bins, n, &p), RD_OK);
    return p;
}

static double miss_at(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, bool *interpolated) {
    double miss = -1;
    assert_int_equal(rd_mrc_at(ctx, p, blocks, &miss, interpolated), RD_OK);
    return miss;
}

/* Returns the misses of a simulated fully associative LRU cache. Every line has the time of its
 * last use, and the oldest line is evicted. The simulation deliberately uses no reuse distances. */
static size_t simulate_lru(const uint64_t *trace, size_t n, size_t lines) {
    uint64_t block[64];
    size_t used_at[64], filled = 0, misses = 0;
    assert_true(lines <= 64);
    for (size_t t = 0; t < n; t++) {
        size_t at = 0, oldest = 0;
        while (at < filled && block[at] != trace[t])
            at++;
        if (at == filled) {
            misses++;
            if (lines == 0)
                continue;
            for (size_t i = 1; i < filled; i++)
                if (used_at[i] < used_at[oldest])
                    oldest = i;
            at = filled < lines ? filled++ : oldest;
            block[at] = trace[t];
        }
        used_at[at] = t;
    }
    return misses;
}

/* Mixes loops, immediate repeats and random references, so that short and long distances occur.
 * Returns the number of references. */
static size_t random_trace(rdi_rng *rng, uint64_t *trace, size_t max) {
    uint64_t blocks = 1 + rdi_rng_below(rng, 60);
    size_t n = (size_t)rdi_rng_below(rng, max) + 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t kind = rdi_rng_below(rng, 4);
        trace[i] = kind == 0 && i > 0 ? trace[i - 1]
                   : kind == 1        ? i % blocks
                                      : rdi_rng_below(rng, blocks);
    }
    return n;
}

static void full_histograms_equal_a_simulated_cache_at_every_size(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {1};
    uint64_t trace[500];
    for (int round = 0; round < 100; round++) {
        size_t n = random_trace(&rng, trace, 500);
        rd_profile *p = measure(ctx, trace, n, (rd_binning){RD_BINS_FULL, 0}, 0);
        for (size_t size = 0; size <= 64; size++) {
            bool interpolated = true;
            double expected = (double)simulate_lru(trace, n, size) / (double)n;
            assert_float_equal(miss_at(ctx, p, size, &interpolated), expected, CLOSE);
            assert_false(interpolated);
        }
        rd_profile_free(p);
    }
}

static void binned_histograms_are_exact_at_bin_ends_and_monotone_inside(void **state) {
    rd_ctx *ctx = *state;
    static const rd_binning binnings[] = {
        {RD_BINS_LOG, 0}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 7}, {RD_BINS_REFERENCE, 13}};
    rdi_rng rng = {2};
    uint64_t trace[500];
    for (int round = 0; round < 100; round++) {
        size_t n = random_trace(&rng, trace, 500);
        rd_profile *p = measure(ctx, trace, n, binnings[round % RDI_COUNT(binnings)], 0);
        double before = 1;
        for (size_t size = 0; size <= 64; size++) {
            bool interpolated = true;
            double miss = miss_at(ctx, p, size, &interpolated);
            assert_true(miss <= before + CLOSE);
            if (!interpolated)
                assert_float_equal(miss, (double)simulate_lru(trace, n, size) / (double)n, CLOSE);
            before = miss;
        }
        rd_profile_free(p);
    }
}

static void a_bounded_profile_answers_up_to_its_bound_and_not_beyond(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {3};
    uint64_t trace[500];
    size_t n = random_trace(&rng, trace, 500);
    for (uint64_t bound = 1; bound <= 40; bound++) {
        rd_profile *p = measure(ctx, trace, n, (rd_binning){RD_BINS_LOG, 0}, bound);
        bool interpolated = true;
        double expected = (double)simulate_lru(trace, n, bound) / (double)n, miss = -1;
        assert_float_equal(miss_at(ctx, p, bound, &interpolated), expected, CLOSE);
        assert_false(interpolated); /* the last bin is cut at the bound */
        assert_int_equal(rd_mrc_at(ctx, p, bound + 1, &miss, &interpolated), RD_EINVAL);
        assert_float_equal(miss, -1, 0); /* the value stays unchanged */
        assert_non_null(strstr(rd_last_error(ctx), "bound"));
        assert_true(rd_smallest_cache(p, 0.5) == RD_UNKNOWN);
        rd_profile_free(p);
    }
}

static void inside_a_bin_references_are_spread_evenly(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 0, .high = 0, .count = 10},
                           {.low = 100, .high = 199, .count = 80}};
    rd_profile *p = make(ctx, bins, 2, 10, 0);
    static const struct {
        uint64_t blocks;
        double miss;
        bool interpolated;
    } cases[] = {{0, 1, false},     {1, .9, false},   {100, .9, false},
                 {101, .892, true}, {150, .5, true},  {199, .108, true},
                 {200, .1, false},  {201, .1, false}, {UINT64_MAX, .1, false}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        bool interpolated = !cases[i].interpolated;
        assert_float_equal(miss_at(ctx, p, cases[i].blocks, &interpolated), cases[i].miss, CLOSE);
        assert_int_equal(interpolated, cases[i].interpolated);
    }
    rd_profile_free(p);
}

static void inside_a_bin_the_mean_is_kept_where_it_is_known(void **state) {
    rd_ctx *ctx = *state;
    static const struct {
        uint64_t sum, blocks; /* sum of 10 distances in [100, 199], and a cache size */
        double miss;
    } cases[] = {{1000, 101, 0},                               /* all at 100 */
                 {1000, 100, 1},       {1090, 109, 10.0 / 19}, /* spread over [100, 118] */
                 {1090, 119, 0},       {1990, 199, 1},         /* all at 199 */
                 {1950, 190, 1},                               /* spread over [191, 199] */
                 {1950, 192, 8.0 / 9}, {1495, 150, 0.5},       /* spread over the whole bin */
                 {999, 150, 0.5},                              /* impossible sums: ignored */
                 {1999, 150, 0.5}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_profile_facts facts = {.references = 10,
                                  .blocks = RD_UNKNOWN,
                                  .engine = "none",
                                  .error_kind = "exact",
                                  .sums_known = true};
        const rd_bin bin = {.low = 100, .high = 199, .count = 10, .sum = {cases[i].sum, 0}};
        rd_profile *p = NULL;
        assert_int_equal(rdi_profile_new(ctx, &facts, &bin, 1, &p), RD_OK);
        bool interpolated = false;
        assert_float_equal(miss_at(ctx, p, cases[i].blocks, &interpolated), cases[i].miss, CLOSE);
        assert_int_equal(interpolated, cases[i].blocks != 100);
        rd_profile_free(p);
    }
}

static void the_last_bin_ends_at_the_number_of_blocks(void **state) {
    rd_ctx *ctx = *state;
    uint64_t trace[3000];
    for (size_t i = 0; i < 3000; i++)
        trace[i] = i % 1000; /* every finite distance is 999, in the bin 512 to 1023 */
    rd_profile *p = measure(ctx, trace, 3000, (rd_binning){RD_BINS_LOG, 0}, 0);
    bool interpolated = true;
    assert_float_equal(miss_at(ctx, p, 1000, &interpolated), 1.0 / 3, CLOSE);
    assert_false(interpolated);
    rd_profile_free(p);
}

static void the_ends_of_the_number_range_do_no_harm(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 0, .high = UINT64_MAX - 1, .count = 1},
                           {.low = UINT64_MAX - 1, .high = UINT64_MAX - 1, .count = 1}};
    rd_profile *p = make(ctx, bins, 2, 2, 0);
    assert_float_equal(miss_at(ctx, p, UINT64_MAX, NULL), 0.5, CLOSE);
    assert_float_equal(miss_at(ctx, p, UINT64_C(1) << 63, NULL), 0.875, CLOSE);
    rd_knee knees[8];
    assert_true(rd_knees(p, knees, 8) <= 8);
    rd_profile_free(p);
}

static void an_empty_trace_always_misses(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = measure(ctx, NULL, 0, (rd_binning){RD_BINS_FULL, 0}, 0);
    assert_float_equal(miss_at(ctx, p, 0, NULL), 1, 0);
    assert_float_equal(miss_at(ctx, p, 100, NULL), 1, 0);
    assert_true(rd_smallest_cache(p, 0.9) == 0);
    rd_knee knee;
    assert_int_equal(rd_knees(p, &knee, 1), 0);
    rd_mrc_point *points = NULL;
    size_t n = 0;
    assert_int_equal(rd_mrc_curve(ctx, p, &points, &n), RD_OK);
    assert_int_equal(n, 1);
    rd_mrc_free(ctx, points);
    rd_profile_free(p);
}

static void a_profile_without_distances_is_refused(void **state) {
    rd_ctx *ctx = *state;
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    uint64_t trace[4] = {1, 2, 1, 2};
    assert_int_equal(rd_engine_open(ctx, "null", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, 4, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    rd_engine_close(e);
    double miss = 0;
    rd_mrc_point *points = NULL;
    size_t n = 0;
    assert_int_equal(rd_mrc_at(ctx, p, 1, &miss, NULL), RD_EINVAL);
    assert_int_equal(rd_mrc_curve(ctx, p, &points, &n), RD_EINVAL);
    assert_true(rd_smallest_cache(p, 0.9) == RD_UNKNOWN);
    rd_profile_free(p);
}

/* Returns the value of the polyline through the points at one size. */
static double on_curve(const rd_mrc_point *points, size_t n, uint64_t blocks) {
    size_t i = 0;
    while (i + 1 < n && points[i + 1].blocks <= blocks)
        i++;
    if (i + 1 == n)
        return points[i].miss_ratio;
    double part =
        (double)(blocks - points[i].blocks) / (double)(points[i + 1].blocks - points[i].blocks);
    return points[i].miss_ratio + part * (points[i + 1].miss_ratio - points[i].miss_ratio);
}

static void the_curve_passes_through_every_size(void **state) {
    rd_ctx *ctx = *state;
    static const rd_binning binnings[] = {
        {RD_BINS_FULL, 0}, {RD_BINS_LOG, 0}, {RD_BINS_LINEAR, 5}, {RD_BINS_REFERENCE, 9}};
    rdi_rng rng = {4};
    uint64_t trace[500];
    for (int round = 0; round < 100; round++) {
        size_t len = random_trace(&rng, trace, 500), n = 0;
        rd_profile *p = measure(ctx, trace, len, binnings[round % RDI_COUNT(binnings)], 0);
        rd_mrc_point *points = NULL;
        assert_int_equal(rd_mrc_curve(ctx, p, &points, &n), RD_OK);
        assert_true(points[0].blocks == 0 && points[0].miss_ratio == 1);
        for (size_t i = 1; i < n; i++)
            assert_true(points[i].blocks > points[i - 1].blocks);
        for (uint64_t size = 0; size <= 64; size++)
            assert_float_equal(on_curve(points, n, size), miss_at(ctx, p, size, NULL), 1e-9);
        rd_mrc_free(ctx, points);
        rd_profile_free(p);
    }
}

static void a_refused_allocation_fails_the_curve_cleanly(void **state) {
    rd_ctx *ctx = *state;
    uint64_t trace[4] = {1, 2, 1, 2};
    rd_profile *p = measure(ctx, trace, 4, (rd_binning){RD_BINS_FULL, 0}, 0);
    rd_ctx_set_limit(ctx, rd_ctx_live_bytes(ctx));
    rd_mrc_point *points = NULL;
    size_t n = 0;
    assert_int_equal(rd_mrc_curve(ctx, p, &points, &n), RD_ENOMEM);
    assert_null(points);
    rd_ctx_set_limit(ctx, 0);
    rd_profile_free(p);
}

static void the_smallest_cache_has_the_hits_and_one_block_less_has_not(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {5};
    uint64_t trace[500];
    static const double shares[] = {0.1, 0.5, 0.9, 0.99, 1};
    for (int round = 0; round < 100; round++) {
        size_t n = random_trace(&rng, trace, 500);
        rd_profile *p = measure(ctx, trace, n, (rd_binning){RD_BINS_FULL, 0}, 0);
        size_t all = n - (size_t)rd_profile_facts_of(p)->cold;
        for (size_t i = 0; i < RDI_COUNT(shares); i++) {
            uint64_t size = rd_smallest_cache(p, shares[i]);
            double wanted = shares[i] * (double)all;
            assert_true((double)(n - simulate_lru(trace, n, size)) >= wanted - 1e-9);
            if (size > 0)
                assert_true((double)(n - simulate_lru(trace, n, size - 1)) < wanted);
        }
        rd_profile_free(p);
    }
}

static void nine_tenths_of_ten_hits_are_nine(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 3, .high = 3, .count = 9},
                           {.low = 1000, .high = 1000, .count = 1}};
    rd_profile *p = make(ctx, bins, 2, 5, 0);
    assert_int_equal(rd_smallest_cache(p, 0.9), 4);
    assert_int_equal(rd_smallest_cache(p, 0.91), 1001);
    assert_int_equal(rd_smallest_cache(p, 0), 0);
    rd_profile_free(p);
}

static void a_loop_has_one_knee_at_its_size(void **state) {
    rd_ctx *ctx = *state;
    static const rd_binning binnings[] = {
        {RD_BINS_FULL, 0}, {RD_BINS_LOG, 0}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 7}};
    static uint64_t trace[30000];
    for (size_t i = 0; i < RDI_COUNT(trace); i++)
        trace[i] = i % 300;
    for (size_t i = 0; i < RDI_COUNT(binnings); i++) {
        rd_profile *p = measure(ctx, trace, RDI_COUNT(trace), binnings[i], 0);
        rd_knee knees[4];
        assert_int_equal(rd_knees(p, knees, 4), 1);
        assert_int_equal(knees[0].blocks, 300);
        assert_float_equal(knees[0].miss_before, 1, 0.01);
        assert_float_equal(knees[0].miss_after, 0.01, CLOSE);
        rd_profile_free(p);
    }
}

static void a_loop_in_a_larger_trace_has_its_knee_near_its_size(void **state) {
    rd_ctx *ctx = *state;
    static uint64_t trace[33000];
    for (size_t i = 0; i < RDI_COUNT(trace); i++)
        trace[i] = i < 30000 ? i % 300 : i;
    rd_profile *p = measure(ctx, trace, RDI_COUNT(trace), (rd_binning){RD_BINS_LOGLINEAR, 0}, 0);
    rd_knee knees[4]; /* the finite distances are in the bin 256 to 511, and their mean is 299 */
    assert_int_equal(rd_knees(p, knees, 4), 1);
    assert_in_range(knees[0].blocks, 300, 2 * 300 - 256);
    rd_profile_free(p);
}

static void two_nested_loops_have_two_knees_the_larger_first(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 19, .high = 19, .count = 250},
                           {.low = 4999, .high = 4999, .count = 700}};
    rd_profile *p = make(ctx, bins, 2, 50, 0);
    rd_knee knees[4];
    assert_int_equal(rd_knees(p, knees, 4), 2);
    assert_int_equal(knees[0].blocks, 5000);
    assert_float_equal(knees[0].miss_before, 0.75, CLOSE);
    assert_float_equal(knees[0].miss_after, 0.05, CLOSE);
    assert_int_equal(knees[1].blocks, 20);
    assert_float_equal(knees[1].miss_before, 1, CLOSE);
    assert_float_equal(knees[1].miss_after, 0.75, CLOSE);
    assert_int_equal(rd_knees(p, knees, 1), 1);
    assert_int_equal(rd_knees(p, knees, 0), 0);
    rd_profile_free(p);
}

static void a_drop_inside_a_wide_bin_is_no_knee(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 0, .high = 999, .count = 900}};
    rd_profile *p = make(ctx, bins, 1, 100, 0);
    rd_knee knees[4]; /* the bin does not tell where between 0 and 1000 the curve drops */
    assert_int_equal(rd_knees(p, knees, 4), 0);
    rd_profile_free(p);
}

static void an_evenly_falling_curve_has_no_knee(void **state) {
    rd_ctx *ctx = *state;
    rd_bin bins[20];
    for (unsigned i = 0; i < 20; i++) /* the same drop per power of two */
        bins[i] = (rd_bin){.low = UINT64_C(1) << i, .high = (UINT64_C(2) << i) - 1, .count = 50};
    rd_profile *p = make(ctx, bins, 20, 0, 0);
    rd_knee knees[4];
    assert_int_equal(rd_knees(p, knees, 4), 0);
    rd_profile_free(p);
}

static void what_lies_at_the_bound_is_no_knee(void **state) {
    rd_ctx *ctx = *state;
    const rd_bin bins[] = {{.low = 19, .high = 19, .count = 500},
                           {.low = 900, .high = 900, .count = 300}};
    rd_profile *p = make(ctx, bins, 2, 200, 1024);
    rd_knee knees[4];
    assert_int_equal(rd_knees(p, knees, 4), 1); /* beyond 1024 the curve may continue to fall */
    assert_int_equal(knees[0].blocks, 20);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_histograms_equal_a_simulated_cache_at_every_size),
        cmocka_unit_test(binned_histograms_are_exact_at_bin_ends_and_monotone_inside),
        cmocka_unit_test(a_bounded_profile_answers_up_to_its_bound_and_not_beyond),
        cmocka_unit_test(inside_a_bin_references_are_spread_evenly),
        cmocka_unit_test(inside_a_bin_the_mean_is_kept_where_it_is_known),
        cmocka_unit_test(the_last_bin_ends_at_the_number_of_blocks),
        cmocka_unit_test(the_ends_of_the_number_range_do_no_harm),
        cmocka_unit_test(an_empty_trace_always_misses),
        cmocka_unit_test(a_profile_without_distances_is_refused),
        cmocka_unit_test(the_curve_passes_through_every_size),
        cmocka_unit_test(a_refused_allocation_fails_the_curve_cleanly),
        cmocka_unit_test(the_smallest_cache_has_the_hits_and_one_block_less_has_not),
        cmocka_unit_test(nine_tenths_of_ten_hits_are_nine),
        cmocka_unit_test(a_loop_has_one_knee_at_its_size),
        cmocka_unit_test(a_loop_in_a_larger_trace_has_its_knee_near_its_size),
        cmocka_unit_test(two_nested_loops_have_two_knees_the_larger_first),
        cmocka_unit_test(a_drop_inside_a_wide_bin_is_no_knee),
        cmocka_unit_test(an_evenly_falling_curve_has_no_knee),
        cmocka_unit_test(what_lies_at_the_bound_is_no_knee),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
