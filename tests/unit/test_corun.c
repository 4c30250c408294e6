/* Tests co-runs (rd_corun). Compares the occupied blocks with those of caches that fill in small steps, the
 * miss ratios with those of an interleaved trace, and the best assignment and the best partition with all
 * possible ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/common.h"
#include "reusedist/corun.h"
#include "reusedist/report.h"
#include "support/context.h"
#include "support/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 6 /* maximum number of programs in a random co-run */

/* ---- random programs ---- */

/* Makes a profile with full bins, at most six finite distances, and at least 420 first
 * references. */
static rd_profile *random_profile(rd_ctx *ctx, rdi_rng *rng) {
    profiles_point points[8];
    size_t n = 1 + rdi_rng_below(rng, 6);
    profiles_random(rng, 400, 100000, points, n);
    for (size_t i = 0; i < n; i++)
        points[i].count++;
    points[n] = (profiles_point){RD_COLD, 420 + rdi_rng_below(rng, 500)};
    return profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, n + 1);
}

typedef struct programs {
    rd_profile *profile[MOST];
    double rate[MOST];
    size_t n;
    rd_corun *corun;
} programs;

static programs random_programs(rd_ctx *ctx, rdi_rng *rng, size_t n) {
    programs p = {.n = n};
    for (size_t i = 0; i < n; i++) {
        p.profile[i] = random_profile(ctx, rng);
        p.rate[i] = 0.1 + (double)rdi_rng_below(rng, 1000) / 100;
    }
    assert_int_equal(rd_corun_new(ctx, p.profile, p.rate, n, &p.corun), RD_OK);
    return p;
}

static void free_programs(programs *p) {
    rd_corun_free(p->corun);
    for (size_t i = 0; i < p->n; i++)
        rd_profile_free(p->profile[i]);
}

/* Returns the miss ratio of a cache of `blocks` blocks, interpolated linearly between whole numbers
 * of blocks. */
static double miss_of(rd_ctx *ctx, const rd_profile *p, double blocks) {
    double low, high, whole = floor(blocks);
    assert_int_equal(rd_mrc_at(ctx, p, (uint64_t)whole, &low, NULL), RD_OK);
    assert_int_equal(rd_mrc_at(ctx, p, (uint64_t)whole + 1, &high, NULL), RD_OK);
    return low + (high - low) * (blocks - whole);
}

/* ---- composition ---- */

/* Lets the programs fill an empty cache in small steps of time: in each step, the blocks that a program
 * occupies grow in proportion to its misses, until the cache is full or contains all blocks. */
static void fill_in_steps(rd_ctx *ctx, const programs *p, double blocks, double *occupied) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < p->n; i++) {
        occupied[i] = 0;
        all += (double)rd_profile_facts_of(p->profile[i])->blocks;
    }
    while (sum < blocks && sum < all - 1e-9) {
        double pace[MOST], fastest = 0;
        for (size_t i = 0; i < p->n; i++) {
            double most = (double)rd_profile_facts_of(p->profile[i])->blocks;
            pace[i] =
                occupied[i] < most ? p->rate[i] * miss_of(ctx, p->profile[i], occupied[i]) : 0;
            fastest = fmax(fastest, pace[i]);
        }
        sum = 0;
        for (size_t i = 0; i < p->n; i++) {
            double most = (double)rd_profile_facts_of(p->profile[i])->blocks;
            occupied[i] = fmin(occupied[i] + pace[i] / fastest * 0.05, most);
            sum += occupied[i];
        }
    }
}

static void sharing_equals_occupancies_that_grow_in_steps(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {1};
    for (int round = 0; round < 20; round++) {
        programs p = random_programs(ctx, &rng, 1 + rdi_rng_below(&rng, 3));
        uint64_t blocks = 1 + rdi_rng_below(&rng, 2000);
        double expected[MOST], sum = 0;
        rd_corun_program got[MOST];
        fill_in_steps(ctx, &p, (double)blocks, expected);
        assert_int_equal(rd_corun_share(p.corun, blocks, got), RD_OK);
        for (size_t i = 0; i < p.n; i++) {
            /* A curve of few distances has steps, so a small error of the occupied blocks can change the miss
             * ratio a lot. Therefore the test compares the occupied blocks, and the miss ratio with that of the
             * profile in a cache of this many blocks. */
            assert_true(fabs(got[i].occupied - expected[i]) < 2 + 0.01 * expected[i]);
            assert_true(fabs(got[i].miss_ratio - miss_of(ctx, p.profile[i], got[i].occupied)) <
                        1e-9);
            assert_true(fabs(got[i].alone - miss_of(ctx, p.profile[i], (double)blocks)) < 1e-9);
            sum += got[i].occupied;
        }
        assert_true(sum < (double)blocks + 1e-3);
        free_programs(&p);
    }
}

/* Measures the miss ratio of each of two programs in a shared cache of `cache` blocks. References
 * of the first program alternate in `blocks` with those of the second. */
static void measure_together(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t cache,
                             double miss[2]) {
    uint64_t *distances = malloc(n * sizeof *distances);
    rd_engine *engine = NULL;
    rd_engine_config config = {.size = sizeof config, .threads = 1};
    assert_int_equal(rd_engine_open(ctx, "bk", &config, &engine), RD_OK);
    assert_int_equal(rd_engine_feed(engine, blocks, n, distances), RD_OK);
    miss[0] = miss[1] = 0;
    for (size_t i = 0; i < n; i++)
        miss[i % 2] += distances[i] >= cache;
    miss[0] /= (double)(n / 2);
    miss[1] /= (double)(n / 2);
    rd_engine_close(engine);
    free(distances);
}

static void uniform_programs_miss_as_in_the_interleaved_trace(void **state) {
    rd_ctx *ctx = *state;
    enum { N = 60000 };
    static uint64_t together[2 * N], alone[2][N];
    rdi_rng rng = {7};
    for (size_t i = 0; i < N; i++) {
        alone[0][i] = together[2 * i] = rdi_rng_below(&rng, 300);
        alone[1][i] = together[2 * i + 1] = 1000 + rdi_rng_below(&rng, 1200);
    }
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}, .threads = 1};
    rd_profile *profiles[2] = {profiles_measure(ctx, "bk", &config, alone[0], N, N),
                               profiles_measure(ctx, "bk", &config, alone[1], N, N)};
    rd_corun *c = NULL;
    assert_int_equal(rd_corun_new(ctx, profiles, NULL, 2, &c), RD_OK);
    for (uint64_t cache = 100; cache <= 1600; cache += 300) {
        double miss[2];
        rd_corun_program got[2];
        measure_together(ctx, together, 2 * N, cache, miss);
        assert_int_equal(rd_corun_share(c, cache, got), RD_OK);
        assert_true(fabs(got[0].miss_ratio - miss[0]) < 0.01);
        assert_true(fabs(got[1].miss_ratio - miss[1]) < 0.01);
    }
    rd_corun_free(c);
    rd_profile_free(profiles[0]);
    rd_profile_free(profiles[1]);
}

/* ---- assignment ---- */

/* Returns the misses per unit of time of the programs that are assigned to `cache`. */
static double cost_of(rd_ctx *ctx, const programs *p, const size_t *cache_of, size_t cache,
                      uint64_t blocks) {
    rd_profile *profiles[MOST];
    double rates[MOST], cost = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (cache_of[i] == cache) {
            profiles[n] = p->profile[i];
            rates[n++] = p->rate[i];
        }
    if (n == 0)
        return 0;
    rd_corun *c = NULL;
    rd_corun_program got[MOST];
    assert_int_equal(rd_corun_new(ctx, profiles, rates, n, &c), RD_OK);
    assert_int_equal(rd_corun_share(c, blocks, got), RD_OK);
    for (size_t i = 0; i < n; i++)
        cost += rates[i] * got[i].miss_ratio;
    rd_corun_free(c);
    return cost;
}

/* Tries all assignments of programs i and later to the caches, and updates *least and *most, the
 * fewest and the most misses per unit of time. */
static void try_all(rd_ctx *ctx, const programs *p, size_t caches, uint64_t blocks, size_t i,
                    size_t *cache_of, double *least, double *most) {
    size_t room = (p->n + caches - 1) / caches, used[MOST] = {0};
    if (i < p->n) {
        for (cache_of[i] = 0; cache_of[i] < caches; cache_of[i]++)
            try_all(ctx, p, caches, blocks, i + 1, cache_of, least, most);
        return;
    }
    double cost = 0;
    for (size_t k = 0; k < p->n; k++)
        if (++used[cache_of[k]] > room)
            return;
    for (size_t k = 0; k < caches; k++)
        cost += cost_of(ctx, p, cache_of, k, blocks);
    *least = fmin(*least, cost);
    *most = fmax(*most, cost);
}

static void the_assignment_is_the_best_of_all(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {3};
    for (int round = 0; round < 12; round++) {
        programs p = random_programs(ctx, &rng, 2 + rdi_rng_below(&rng, MOST - 3));
        size_t caches = 1 + rdi_rng_below(&rng, 3), cache_of[MOST];
        uint64_t blocks = 50 + rdi_rng_below(&rng, 800);
        double least = INFINITY, most = 0, cost = 0, worst, all = 0;
        rd_corun_program got[MOST];
        caches = caches < p.n ? caches : p.n;
        try_all(ctx, &p, caches, blocks, 0, (size_t[MOST]){0}, &least, &most);
        assert_int_equal(rd_corun_assign(p.corun, blocks, caches, cache_of, got, &worst), RD_OK);
        for (size_t i = 0; i < p.n; i++) {
            cost += p.rate[i] * got[i].miss_ratio;
            all += p.rate[i];
        }
        assert_true(fabs(cost - least) < 1e-9 * all);
        assert_true(fabs(worst * all - most) < 1e-9 * all);
        assert_true(fabs(rd_corun_total(p.corun, got) - cost / all) < 1e-12);
        free_programs(&p);
    }
}

/* ---- partition ---- */

/* Returns the fewest misses per unit of time that programs i and later can have in `ways` ways, at
 * least one way each. */
static double best_of_all(rd_ctx *ctx, const programs *p, size_t i, size_t ways,
                          uint64_t way_blocks) {
    double best = INFINITY;
    if (i == p->n)
        return 0;
    size_t later = p->n - i - 1;
    for (size_t own = later ? 1 : ways; own + later <= ways; own++) {
        double miss = miss_of(ctx, p->profile[i], (double)(own * way_blocks));
        best = fmin(best, p->rate[i] * miss + best_of_all(ctx, p, i + 1, ways - own, way_blocks));
    }
    return best;
}

static void the_partition_is_the_best_of_all(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {5};
    for (int round = 0; round < 60; round++) {
        programs p = random_programs(ctx, &rng, 1 + rdi_rng_below(&rng, 4));
        size_t ways = p.n + rdi_rng_below(&rng, 12), ways_of[MOST], sum = 0;
        uint64_t way_blocks = 1 + rdi_rng_below(&rng, 150);
        rd_corun_program got[MOST];
        double cost = 0, best = best_of_all(ctx, &p, 0, ways, way_blocks);
        assert_int_equal(rd_corun_partition(p.corun, way_blocks * ways, ways, ways_of, got), RD_OK);
        for (size_t i = 0; i < p.n; i++) {
            cost += p.rate[i] * got[i].miss_ratio;
            sum += ways_of[i];
            assert_true(ways_of[i] >= 1);
            assert_true(fabs(got[i].miss_ratio -
                             miss_of(ctx, p.profile[i], (double)(ways_of[i] * way_blocks))) < 1e-9);
        }
        assert_int_equal(sum, ways);
        assert_true(fabs(cost - best) < 1e-9 * (1 + best));
        free_programs(&p);
    }
}

/* ---- refused requests ---- */

static void expect_refusal(rd_ctx *ctx, rd_status status, const char *words) {
    assert_int_equal(status, RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), words));
}

static void unsuitable_profiles_and_numbers_are_refused(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {9};
    programs p = random_programs(ctx, &rng, 3);
    rd_corun_program got[MOST];
    size_t numbers[MOST];
    rd_corun *c = NULL;
    expect_refusal(ctx, rd_corun_new(ctx, p.profile, NULL, 0, &c), "1 to 256 programs");
    expect_refusal(ctx, rd_corun_new(ctx, p.profile, (double[]){1, -1, 1}, 3, &c),
                   "rate of program 2");
    expect_refusal(ctx, rd_corun_partition(p.corun, 100, 2, numbers, got), "at least one way");
    expect_refusal(ctx, rd_corun_partition(p.corun, 100, 3, numbers, got),
                   "a multiple of the number of ways");
    expect_refusal(ctx, rd_corun_assign(p.corun, 100, 0, numbers, got, NULL), "at least 1 cache");
    rd_profile_facts facts = profiles_facts();
    facts.block_bytes = 32;
    rd_profile *other = profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0},
                                      (profiles_point[]){{3, 10}, {RD_COLD, 5}}, 2);
    expect_refusal(ctx, rd_corun_new(ctx, (rd_profile *[]){p.profile[0], other}, NULL, 2, &c),
                   "-b 32 in profile 2");
    rd_profile_free(other);
    free_programs(&p);
}

/* Tests that rd_corun_share() accepts bounded profiles as long as each program occupies fewer blocks than its
 * bound. The miss ratio alone in the cache is then NAN if the cache has more blocks than the bound. */
static void a_bound_limits_the_answers(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {11};
    rd_engine_config config = {
        .size = sizeof config, .binning = {RD_BINS_FULL, 0}, .bound = 200, .threads = 1};
    uint64_t blocks[20000];
    for (size_t i = 0; i < 20000; i++)
        blocks[i] = rdi_rng_below(&rng, 1000);
    rd_profile *bounded = profiles_measure(ctx, "bk", &config, blocks, 20000, 20000);
    rd_corun *c = NULL;
    rd_corun_program got[2];
    assert_int_equal(rd_corun_new(ctx, (rd_profile *[]){bounded, bounded}, NULL, 2, &c), RD_OK);
    assert_int_equal(rd_corun_share(c, 300, got), RD_OK);
    assert_true(isnan(got[0].alone) && fabs(got[0].occupied - 150) < 1);
    expect_refusal(ctx, rd_corun_share(c, 500, got), "the bound of its analysis");
    rd_corun_free(c);
    rd_profile_free(bounded);
}

/* Tests that the rate of a program includes the references that the recorder skipped, if their
 * number is known. */
static void skipped_references_count_for_the_rate(void **state) {
    rd_ctx *ctx = *state;
    const profiles_point points[] = {{3, 900}, {RD_COLD, 100}};
    rd_profile_facts facts = profiles_facts();
    rd_profile *p[2];
    for (size_t i = 0; i < 2; i++)
        p[i] = profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0}, points, 2);
    const rd_source source = {.path = "t", .format = "native", .references = 500};
    assert_int_equal(rd_profile_add_source(p[1], &source), RD_OK);
    uint64_t skipped[] = {0, 1000, RD_UNKNOWN};
    double rate[] = {0.5, 0.75, 0.5}; /* p[1] has 1000 references, or 3000 if it has a
                                         third of the references of the run */
    for (size_t i = 0; i < 3; i++) {
        rd_corun *c = NULL;
        rd_corun_program answer[2];
        assert_int_equal(rd_profile_set_skipped(p[1], skipped[i]), RD_OK);
        assert_int_equal(rd_corun_new(ctx, p, NULL, 2, &c), RD_OK);
        assert_int_equal(rd_corun_share(c, 50, answer), RD_OK);
        assert_true(fabs(answer[1].rate - rate[i]) < 1e-9);
        rd_corun_free(c);
    }
    rd_profile_free(p[0]);
    rd_profile_free(p[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sharing_equals_occupancies_that_grow_in_steps, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(uniform_programs_miss_as_in_the_interleaved_trace,
                                        context_new, context_free),
        cmocka_unit_test_setup_teardown(the_assignment_is_the_best_of_all, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(the_partition_is_the_best_of_all, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(unsuitable_profiles_and_numbers_are_refused, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(skipped_references_count_for_the_rate, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(a_bound_limits_the_answers, context_new, context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
