/* Tests rd_objects_cost() and rd_objects_cheapest() against simulated LRU caches of every size, and
 * that invalid prices are refused. */
#include "base/common.h"
#include "reusedist/objects.h"
#include "support/context.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUESTS 200
#define OBJECTS  8

static uint64_t seeds = 60; /* number of random traces; an argument of the program sets it */

static uint64_t id[REQUESTS], bytes[REQUESTS], operation[REQUESTS], size_of[OBJECTS];

/* Makes requests for objects with sizes of 1 to 12 times `unit` bytes. Some requests are writes,
 * whose misses do not count. */
static void make_trace(rdi_rng *rng, uint64_t unit) {
    for (size_t x = 0; x < OBJECTS; x++)
        size_of[x] = (1 + rdi_rng_below(rng, 12)) * unit;
    for (size_t i = 0; i < REQUESTS; i++) {
        id[i] = rdi_rng_below(rng, 1 + rdi_rng_below(rng, OBJECTS));
        bytes[i] = size_of[id[i]];
        operation[i] = rdi_rng_below(rng, 10) ? RD_OPERATION_READ : RD_OPERATION_WRITE;
    }
}

/* Returns the number of reads that miss in a simulated LRU cache of `cache` bytes. `stack` has the
 * objects, the most recent one first. */
static uint64_t simulate(uint64_t cache) {
    uint64_t stack[OBJECTS], misses = 0;
    size_t n = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        size_t at = 0;
        while (at < n && stack[at] != id[i])
            at++;
        misses += at == n && operation[i] == RD_OPERATION_READ;
        n += at == n;
        memmove(&stack[1], &stack[0], at * sizeof *stack);
        stack[0] = id[i];
        uint64_t sum = 0;
        for (at = 0; at < n && sum + size_of[stack[at]] <= cache; at++)
            sum += size_of[stack[at]];
        n = at;
    }
    return misses;
}

static rd_profile *profile_of(rd_ctx *ctx) {
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    const rd_requests q = {.n = REQUESTS, .id = id, .bytes = bytes, .operation = operation};
    assert_int_equal(rd_objects_new(ctx, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &q, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    rd_objects_free(o);
    return p;
}

static uint64_t count_reads(void) {
    uint64_t n = 0;
    for (size_t i = 0; i < REQUESTS; i++)
        n += operation[i] == RD_OPERATION_READ;
    return n;
}

/* Finds the cheapest cache by simulation: no cache, or a size from that of the largest object to
 * the sum of the sizes of all objects, in steps of `unit` bytes. */
static rd_object_cost simulate_all(const rd_object_prices *prices, uint64_t unit) {
    uint64_t largest = 0, sum = 0;
    for (size_t i = 0; i < REQUESTS; i++)
        largest = bytes[i] > largest ? bytes[i] : largest;
    for (size_t x = 0; x < OBJECTS; x++)
        sum += size_of[x];
    rd_object_cost best = {.misses = (double)count_reads() * prices->per_miss};
    best.total = best.misses;
    for (uint64_t cache = largest; cache <= sum; cache += unit) {
        rd_object_cost here = {.bytes = cache,
                               .memory = (double)cache / 1e9 * prices->per_gb,
                               .misses = (double)simulate(cache) * prices->per_miss};
        here.total = here.memory + here.misses;
        best = here.total < best.total * (1 - 1e-12) ? here : best;
    }
    return best;
}

/* Returns random prices, such that memory and misses cost about the same; sometimes one price is
 * 0. */
static rd_object_prices make_prices(rdi_rng *rng, uint64_t unit) {
    rd_object_prices prices = {.size = sizeof prices,
                               .per_gb = 1e9 / (double)unit * rdi_rng_unit(rng),
                               .per_miss = 2 * rdi_rng_unit(rng) * rdi_rng_unit(rng)};
    uint64_t zero = rdi_rng_below(rng, 10);
    prices.per_gb = zero == 0 ? 0 : prices.per_gb;
    prices.per_miss = zero == 1 ? 0 : prices.per_miss;
    return prices;
}

static void is_near(double a, double b) {
    assert_true(fabs(a - b) <= 1e-9 * (1 + fabs(b)));
}

static void the_cheapest_cache_is_that_of_simulations(void **state) {
    unsigned none = 0, all = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        rdi_rng rng = {seed};
        make_trace(&rng, 1);
        rd_object_prices prices = make_prices(&rng, 1);
        rd_object_cost expected = simulate_all(&prices, 1), got, again;
        rd_profile *p = profile_of(*state);
        assert_int_equal(rd_objects_cheapest(*state, p, &prices, &got), RD_OK);
        assert_int_equal(got.bytes, expected.bytes);
        is_near(got.memory, expected.memory);
        is_near(got.misses, expected.misses);
        is_near(got.total, expected.total);
        assert_false(got.interpolated || got.below_largest);
        assert_int_equal(rd_objects_cost(*state, p, &prices, got.bytes, &again), RD_OK);
        assert_true(again.total == got.total && again.miss_ratio == got.miss_ratio);
        none += got.bytes == 0;
        all++;
        rd_profile_free(p);
    }
    assert_true(none > 0 && none < all / 2);
}

/* Tests that large sizes are rounded up to the end of a bin, which adds at most 1/64 to the cost of
 * the memory. */
static void large_caches_are_rounded_to_bins(void **state) {
    for (uint64_t seed = 0; seed < seeds / 2; seed++) {
        rdi_rng rng = {seed};
        make_trace(&rng, 100000);
        rd_object_prices prices = make_prices(&rng, 100000);
        rd_object_cost expected = simulate_all(&prices, 100000), got;
        rd_profile *p = profile_of(*state);
        assert_int_equal(rd_objects_cheapest(*state, p, &prices, &got), RD_OK);
        assert_true(got.total >= expected.total * (1 - 1e-9));
        assert_true(got.total <= expected.total + expected.memory / 64 + 1e-9);
        if (got.bytes)
            is_near(got.misses, (double)simulate(got.bytes) * prices.per_miss);
        rd_profile_free(p);
    }
}

static void a_cache_below_the_largest_object_is_marked(void **state) {
    rdi_rng rng = {1};
    make_trace(&rng, 2);
    rd_profile *p = profile_of(*state);
    rd_object_prices prices = {.size = sizeof prices, .per_gb = 1, .per_miss = 1};
    uint64_t largest = rd_profile_objects(p)->largest;
    rd_object_cost cost;
    assert_int_equal(rd_objects_cost(*state, p, &prices, largest - 1, &cost), RD_OK);
    assert_true(cost.below_largest);
    assert_int_equal(rd_objects_cost(*state, p, &prices, largest, &cost), RD_OK);
    assert_false(cost.below_largest);
    assert_int_equal(rd_objects_cost(*state, p, &prices, 0, &cost), RD_OK);
    assert_false(cost.below_largest);
    assert_true(cost.miss_ratio == 1 && cost.memory == 0);
    is_near(cost.total, (double)count_reads());
    rd_profile_free(p);
}

static void prices_without_sense_are_refused(void **state) {
    static const double wrong[][2] = {{-1, 1},       {1, -1},       {NAN, 1}, {1, NAN},
                                      {INFINITY, 1}, {1, INFINITY}, {0, 0}};
    rdi_rng rng = {1};
    make_trace(&rng, 1);
    rd_profile *p = profile_of(*state);
    rd_object_cost cost;
    for (size_t i = 0; i < RDI_COUNT(wrong); i++) {
        rd_object_prices prices = {sizeof prices, wrong[i][0], wrong[i][1]};
        assert_int_equal(rd_objects_cheapest(*state, p, &prices, &cost), RD_EINVAL);
        assert_int_equal(rd_objects_cost(*state, p, &prices, 1, &cost), RD_EINVAL);
    }
    rd_profile_free(p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_cache_is_that_of_simulations),
        cmocka_unit_test(large_caches_are_rounded_to_bins),
        cmocka_unit_test(a_cache_below_the_largest_object_is_marked),
        cmocka_unit_test(prices_without_sense_are_refused),
    };
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, context_new, context_free);
}
