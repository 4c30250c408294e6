/* Tests the estimated miss ratios of set-associative caches: the binomial tail against sums from its
 * definition in long double, and the estimate against sums over every reference and a simulated
 * cache. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/smith.h"
#include "reusedist/model.h"
#include "support/context.h"
#include "support/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns P(binomial(d, 1 / sets) >= ways), which is 1 minus the sum of the probabilities of 0, 1 ... ways - 1 blocks
 * in the set. Each probability is computed from the previous one. The first probability must not underflow, so d / sets
 * must be below 11000. */
static double by_summation(uint64_t d, uint64_t sets, uint64_t ways) {
    long double term = expl((long double)d * log1pl(-1.0L / (long double)sets)), sum = 0;
    for (uint64_t k = 0; k < ways && k <= d; k++) {
        sum += term;
        term *= (long double)(d - k) / ((long double)(k + 1) * (long double)(sets - 1));
    }
    return (double)(1 - sum);
}

/* Returns the same probability as by_summation(), without a formula for the binomial distribution: adds the d blocks
 * one after the other, and updates the probabilities of 0, 1 ... blocks in the set each time. */
static double by_trials(uint64_t d, uint64_t sets, uint64_t ways) {
    long double *p = calloc((size_t)ways + 1, sizeof *p), in = 1.0L / (long double)sets, result;
    assert_non_null(p);
    p[0] = 1; /* p[ways] is the probability of `ways` or more */
    for (uint64_t i = 0; i < d; i++) {
        p[ways] += p[ways - 1] * in;
        for (uint64_t k = ways - 1; k > 0; k--)
            p[k] = p[k] * (1 - in) + p[k - 1] * in;
        p[0] *= 1 - in;
    }
    result = p[ways];
    free(p);
    return (double)result;
}

/* Returns the same probability as by_summation(), for large numbers of ways: the sum of the terms from `ways` on,
 * divided by the sum of all terms. Each term is computed from its neighbor, beginning at the largest term. */
static double by_shape(uint64_t d, uint64_t sets, uint64_t ways) {
    uint64_t mode = (uint64_t)((long double)(d + 1) / (long double)sets);
    long double total = 0, above = 0, term = 1;
    for (uint64_t k = mode; k <= d && term > 1e-25L; k++) {
        total += term;
        above += k >= ways ? term : 0;
        term *= (long double)(d - k) / ((long double)(k + 1) * (long double)(sets - 1));
    }
    term = 1;
    for (uint64_t k = mode; k > 0 && term > 1e-25L; k--) {
        term *= (long double)k * (long double)(sets - 1) / (long double)(d - k + 1);
        total += term;
        above += k - 1 >= ways ? term : 0;
    }
    return (double)(above / total);
}

static void assert_near(double got, double expected, double error, uint64_t d, uint64_t sets,
                        uint64_t ways) {
    if (!(fabs(got - expected) <= error))
        fail_msg("distance %llu, %llu sets, %llu ways: the estimate is %.17g instead of %.17g",
                 (unsigned long long)d, (unsigned long long)sets, (unsigned long long)ways, got,
                 expected);
}

static void small_caches_equal_a_table_of_trials(void **state) {
    (void)state;
    static const uint64_t sets[] = {2, 3, 7, 16, 100}, ways[] = {1, 2, 3, 8, 20};
    for (size_t i = 0; i < RDI_COUNT(sets); i++)
        for (size_t k = 0; k < RDI_COUNT(ways); k++)
            for (uint64_t d = 0; d < 1500; d += 1 + d / 20)
                assert_near(rdi_smith_miss(d, sets[i], ways[k]), by_trials(d, sets[i], ways[k]),
                            1e-14, d, sets[i], ways[k]);
}

static void one_set_is_fully_associative(void **state) {
    (void)state;
    for (uint64_t d = 0; d < 40; d++)
        assert_true(rdi_smith_miss(d, 1, 17) == (d >= 17 ? 1.0 : 0.0));
}

/* Tests caches of 512 to 2^40 blocks in several shapes, also with numbers of sets that are not powers
 * of two, at distances from a thousandth to twelve times the size of the cache. */
static void large_caches_equal_a_sum_from_the_definition(void **state) {
    (void)state;
    static const struct {
        uint64_t sets, ways;
    } caches[] = {{UINT64_C(1) << 40, 1},
                  {UINT64_C(1) << 39, 2},
                  {UINT64_C(1) << 36, 16},
                  {UINT64_C(1) << 34, 64},
                  {UINT64_C(1) << 30, 1024},
                  {212992, 20},
                  {64, 8},
                  {16384, 1},
                  {999999999989, 1}};
    for (size_t i = 0; i < RDI_COUNT(caches); i++)
        for (double times = 0.001; times < 12; times *= 1.3) {
            uint64_t d = (uint64_t)(times * (double)caches[i].sets * (double)caches[i].ways);
            assert_near(rdi_smith_miss(d, caches[i].sets, caches[i].ways),
                        by_summation(d, caches[i].sets, caches[i].ways), 1e-12, d, caches[i].sets,
                        caches[i].ways);
        }
}

static void many_ways_equal_a_normalized_sum(void **state) {
    (void)state;
    static const struct {
        uint64_t sets, ways;
    } caches[] = {{UINT64_C(1) << 19, UINT64_C(1) << 21},
                  {3, UINT64_C(1) << 20},
                  {2, 3000000},
                  {1000, 40000}};
    for (size_t i = 0; i < RDI_COUNT(caches); i++)
        for (int off = -5; off <= 5; off++) {
            double size = (double)caches[i].sets * (double)caches[i].ways;
            double deviation = (double)caches[i].sets * sqrt((double)caches[i].ways);
            uint64_t d = (uint64_t)(size + off * deviation);
            assert_near(rdi_smith_miss(d, caches[i].sets, caches[i].ways),
                        by_shape(d, caches[i].sets, caches[i].ways), 1e-8, d, caches[i].sets,
                        caches[i].ways);
        }
}

static void interpolation_equals_every_probability(void **state) {
    (void)state;
    static const struct {
        uint64_t sets, ways;
    } caches[] = {{512, 1}, {64, 8}, {64, 12}, {1024, 16}, {5, 3}, {1, 9}, {12345, 7}};
    for (size_t i = 0; i < RDI_COUNT(caches); i++) {
        uint64_t sets = caches[i].sets, ways = caches[i].ways, last = 6 * sets * ways + 100;
        rdi_smith s = rdi_smith_start(sets, ways), sums = s;
        double sum = 0;
        for (uint64_t d = 0; d < last; d++) {
            double exact = rdi_smith_miss(d, sets, ways);
            sum += exact;
            assert_near(rdi_smith_at(&s, d), exact, 1e-8, d, sets, ways);
        }
        assert_near(rdi_smith_mean(&sums, 0, last), sum / (double)last, 1e-8, last, sets, ways);
        for (uint64_t from = 0, end = 1; end < last; from = end, end += 1 + end / 3) {
            double expected = 0;
            for (uint64_t d = from; d < end; d++)
                expected += rdi_smith_miss(d, sets, ways) / (double)(end - from);
            sums.cell = UINT64_MAX;
            assert_near(rdi_smith_mean(&sums, from, end), expected, 1e-8, from, sets, ways);
        }
    }
}

/* ---- profiles ---- */

static double estimate(rd_ctx *ctx, const rd_profile *p, uint64_t sets, uint64_t ways) {
    double miss = -1;
    assert_int_equal(rd_mrc_ways(ctx, p, sets, ways, &miss, NULL), RD_OK);
    return miss;
}

#define POINTS 60

/* Makes random bins of one distance each. The distances grow from 1 to about 2^42. */
static rd_profile *random_profile(rd_ctx *ctx, rdi_rng *rng, rd_bin *bins) {
    rd_profile_facts facts = profiles_facts();
    facts.references = facts.infinite = facts.cold = 17;
    facts.blocks = RD_UNKNOWN;
    facts.binning = (rd_binning){RD_BINS_EDGES, 0};
    uint64_t d = 0;
    for (size_t i = 0; i < POINTS; i++) {
        d += 1 + d / 2 + rdi_rng_below(rng, 1 + d / 4);
        uint64_t count = 1 + rdi_rng_below(rng, 1000);
        bins[i] = (rd_bin){d, d, count, rdi_sum_product(d, count)};
        facts.references += count;
    }
    rd_profile *p = NULL;
    assert_int_equal(rdi_profile_new(ctx, &facts, bins, POINTS, &p), RD_OK);
    return p;
}

static void a_profile_equals_a_sum_over_its_references(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {3};
    for (int round = 0; round < 100; round++) {
        rd_bin bins[POINTS];
        rd_profile *p = random_profile(ctx, &rng, bins);
        uint64_t sets = UINT64_C(2) << rdi_rng_below(&rng, 36), ways = 1 + rdi_rng_below(&rng, 20);
        sets += rdi_rng_below(&rng, sets);
        double misses = 17, references = 17;
        for (size_t i = 0; i < POINTS; i++) {
            bool far = bins[i].low / sets > 1000;
            references += (double)bins[i].count;
            misses += (double)bins[i].count * (far ? 1 : by_summation(bins[i].low, sets, ways));
        }
        assert_near(estimate(ctx, p, sets, ways), misses / references, 1e-8, 0, sets, ways);
        rd_profile_free(p);
    }
}

/* Tests that coarse bins give the same estimate as single distances if the distances are spread
 * evenly within every bin. */
static void bins_count_with_the_mean_of_their_probabilities(void **state) {
    rd_ctx *ctx = *state;
    static profiles_point points[8192];
    for (size_t i = 0; i < RDI_COUNT(points); i++)
        points[i] = (profiles_point){i, 3};
    rd_profile *fine = profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, 8192);
    rd_profile *coarse = profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOG, 0}, points, 8192);
    for (uint64_t sets = 2; sets < 4096; sets = sets * 2 + 1)
        for (uint64_t ways = 1; ways <= 32; ways *= 2)
            assert_near(estimate(ctx, coarse, sets, ways), estimate(ctx, fine, sets, ways), 1e-8, 0,
                        sets, ways);
    bool interpolated = false;
    double miss;
    assert_int_equal(rd_mrc_ways(ctx, fine, 8, 4, &miss, &interpolated), RD_OK);
    assert_false(interpolated);
    assert_int_equal(rd_mrc_ways(ctx, coarse, 8, 4, &miss, &interpolated), RD_OK);
    assert_true(interpolated);
    rd_profile_free(fine);
    rd_profile_free(coarse);
}

static void one_set_equals_the_curve(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {4};
    profiles_point points[POINTS];
    profiles_random(&rng, 5000, 100, points, POINTS);
    rd_profile *p = profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOG, 0}, points, POINTS);
    for (uint64_t ways = 1; ways < 6000; ways += 1 + ways / 4) {
        double expected;
        assert_int_equal(rd_mrc_at(ctx, p, ways, &expected, NULL), RD_OK);
        assert_true(estimate(ctx, p, 1, ways) == expected);
    }
    rd_profile_free(p);
}

#define TRACE_LENGTH 60000

/* Returns the number of misses in a simulated set-associative LRU cache. The blocks of the traces are
 * random numbers, so their sets are as random as the model assumes. */
static size_t simulate(const uint64_t *trace, size_t n, uint64_t sets, size_t ways) {
    uint64_t *lines = calloc(sets * ways, sizeof *lines); /* the blocks of each set, most recent
                                                             first */
    size_t misses = 0;
    assert_non_null(lines);
    for (size_t i = 0; i < n; i++) {
        uint64_t *set = lines + trace[i] % sets * ways;
        size_t at = 0;
        while (at < ways - 1 && set[at] != trace[i])
            at++;
        misses += set[at] != trace[i];
        memmove(set + 1, set, at * sizeof *set);
        set[0] = trace[i];
    }
    free(lines);
    return misses;
}

static void random_blocks_miss_as_often_as_in_a_simulated_cache(void **state) {
    rd_ctx *ctx = *state;
    static uint64_t trace[TRACE_LENGTH];
    rdi_rng rng = {5};
    for (size_t i = 0; i < TRACE_LENGTH; i++) {
        double u = rdi_rng_unit(&rng);
        trace[i] = rdi_mix64(1 + (uint64_t)(4000 * u * u * u));
    }
    rd_engine_config config = {.size = sizeof config};
    rd_profile *p = profiles_measure(ctx, "stream", &config, trace, TRACE_LENGTH, 4096);
    static const uint64_t sets[] = {64, 100, 512, 1000};
    for (size_t i = 0; i < RDI_COUNT(sets); i++)
        for (uint64_t ways = 1; ways <= 8; ways *= 2) {
            double exact = (double)simulate(trace, TRACE_LENGTH, sets[i], ways) / TRACE_LENGTH;
            assert_near(estimate(ctx, p, sets[i], ways), exact, 0.01, 0, sets[i], ways);
        }
    rd_profile_free(p);
}

static void a_sample_has_a_band_around_the_estimate(void **state) {
    rd_ctx *ctx = *state;
    static uint64_t trace[TRACE_LENGTH];
    rdi_rng rng = {6};
    for (size_t i = 0; i < TRACE_LENGTH; i++) {
        double u = rdi_rng_unit(&rng);
        trace[i] = rdi_mix64((uint64_t)(20000 * u * u * u));
    }
    rd_engine_config config = {.size = sizeof config};
    rd_profile *all = profiles_measure(ctx, "stream", &config, trace, TRACE_LENGTH, 4096);
    rd_profile *some = profiles_measure(ctx, "shards:rate=0.1", &config, trace, TRACE_LENGTH, 4096);
    for (uint64_t ways = 1; ways <= 16; ways *= 4) {
        double low = -1, high = -1, at = estimate(ctx, some, 2048 / ways, ways);
        assert_int_equal(rd_mrc_ways_band(ctx, some, 2048 / ways, ways, &low, &high), RD_OK);
        double exact = estimate(ctx, all, 2048 / ways, ways);
        assert_true(low > 0 && low < at && at < high && high < 1);
        assert_true(low <= exact && exact <= high);
        assert_true(high - low < 0.3);
    }
    double low, high;
    assert_int_equal(rd_mrc_ways_band(ctx, all, 64, 8, &low, &high), RD_EINVAL);
    rd_profile_free(all);
    rd_profile_free(some);
}

static void a_bound_must_be_far_above_the_cache(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    facts.bound = 1000;
    const profiles_point points[] = {{3, 50}, {900, 50}, {RD_COLD, 100}};
    rd_profile *p = profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0}, points, 3);
    double miss = -1;
    assert_int_equal(rd_mrc_ways(ctx, p, 64, 8, &miss, NULL), RD_EINVAL);
    assert_true(miss == -1);
    assert_int_equal(rd_mrc_ways(ctx, p, 16, 8, &miss, NULL), RD_OK);
    assert_near(miss, 0.75, 1e-3, 0, 16, 8);
    rd_profile_free(p);
}

static void impossible_caches_are_refused(void **state) {
    rd_ctx *ctx = *state;
    const profiles_point points[] = {{3, 50}};
    rd_profile *p = profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, 1);
    double miss;
    assert_int_equal(rd_mrc_ways(ctx, p, 0, 8, &miss, NULL), RD_EINVAL);
    assert_int_equal(rd_mrc_ways(ctx, p, 8, 0, &miss, NULL), RD_EINVAL);
    assert_int_equal(rd_mrc_ways(ctx, p, UINT64_C(1) << 32, UINT64_C(1) << 29, &miss, NULL),
                     RD_EINVAL);
    assert_int_equal(rd_mrc_ways(ctx, p, UINT64_C(1) << 32, UINT64_C(1) << 28, &miss, NULL), RD_OK);
    assert_true(miss == 0);
    rd_profile_free(p);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(small_caches_equal_a_table_of_trials),
        CASE(one_set_is_fully_associative),
        CASE(large_caches_equal_a_sum_from_the_definition),
        CASE(many_ways_equal_a_normalized_sum),
        CASE(interpolation_equals_every_probability),
        CASE(a_profile_equals_a_sum_over_its_references),
        CASE(bins_count_with_the_mean_of_their_probabilities),
        CASE(one_set_equals_the_curve),
        CASE(random_blocks_miss_as_often_as_in_a_simulated_cache),
        CASE(a_sample_has_a_band_around_the_estimate),
        CASE(a_bound_must_be_far_above_the_cache),
        CASE(impossible_caches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
