/* Tests rd_ways: the misses of caches with every number of ways equal those of a simulation of each
 * cache, and follow from the reuse distances within each set. */
#include "base/common.h"
#include "reusedist/hierarchy.h"
#include "support/fixture.h"
#include "verify/verifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 30000

static uint64_t blocks[REFERENCES];

/* Makes n references, most of them to a few blocks. */
static void make_trace(uint64_t seed, size_t n, uint64_t range) {
    rdi_rng rng = {seed};
    for (size_t i = 0; i < n; i++)
        blocks[i] = rdi_rng_below(&rng, 1 + rdi_rng_below(&rng, range)) * 3 + (i % 7 == 0);
}

static rd_ways *measure(const uint64_t *sets, size_t n_sets, uint32_t threads, size_t n) {
    rd_ways *w = NULL;
    assert_int_equal(rd_ways_new(ctx, sets, n_sets, threads, &w), RD_OK);
    for (size_t at = 0; at < n; at += 4999)
        assert_int_equal(rd_ways_feed(w, blocks + at, n - at < 4999 ? n - at : 4999), RD_OK);
    assert_int_equal(rd_ways_finish(w), RD_OK);
    return w;
}

static uint64_t simulate(uint64_t sets, uint64_t ways, size_t n) {
    rd_hierarchy h = {.size = sizeof h, .n = 1};
    h.cache[0] = (rd_cache){.name = "cache", .bytes = sets * ways, .ways = ways};
    rd_simulator_config config = {.size = sizeof config, .without_causes = true};
    rd_simulator *s = NULL;
    rd_cache_counts counts;
    assert_int_equal(rd_simulator_new(ctx, &h, &config, &s), RD_OK);
    assert_int_equal(rd_simulator_feed(s, blocks, NULL, n), RD_OK);
    assert_int_equal(rd_simulator_counts(s, &counts), RD_OK);
    rd_simulator_free(s);
    return counts.misses;
}

static void equal_to_the_simulation_of_each_cache(void **state) {
    (void)state;
    static const uint64_t sets[] = {5, 1, 64, 100, 4096};
    static const uint64_t ranges[] = {2, 50, 700};
    for (size_t t = 0; t < 3; t++) {
        make_trace(t, 3000, ranges[t]);
        rd_ways *w = measure(sets, RDI_COUNT(sets), 1 + (uint32_t)t, 3000);
        for (size_t i = 0; i < RDI_COUNT(sets); i++) {
            const uint64_t *misses = NULL;
            uint64_t of = 0;
            size_t n = rd_ways_misses(w, i, &of, &misses);
            assert_int_equal(of, sets[i]);
            assert_true(n > 0);
            for (size_t a = 1; a <= n + 2; a += a < 20 ? 1 : 37)
                assert_int_equal(misses[(a < n ? a : n) - 1], simulate(of, a, 3000));
            assert_true(n == 1 || misses[n - 1] < misses[n - 2]);
        }
        rd_ways_free(w);
    }
}

/* Tests sets with more blocks than the array of a stack holds, in caches with 1 and with 70 sets,
 * against the distances within each set. */
static void large_sets(void **state) {
    (void)state;
    static const uint64_t sets[] = {1, 70};
    static uint64_t of_set[REFERENCES], distances[REFERENCES];
    make_trace(9, REFERENCES, 60000);
    rd_ways *w = measure(sets, 2, 2, REFERENCES);
    for (size_t i = 0; i < 2; i++) {
        static uint64_t hits[REFERENCES];
        const uint64_t *misses = NULL;
        memset(hits, 0, sizeof hits);
        for (uint64_t set = 0; set < sets[i]; set++) {
            size_t n = 0;
            for (size_t k = 0; k < REFERENCES; k++)
                if (blocks[k] % sets[i] == set)
                    of_set[n++] = blocks[k];
            assert_int_equal(rdi_verify_oracle(ctx, of_set, n, distances), RD_OK);
            for (size_t k = 0; k < n; k++)
                if (distances[k] != RD_COLD)
                    hits[distances[k]]++;
        }
        size_t n = rd_ways_misses(w, i, NULL, &misses);
        uint64_t left = REFERENCES;
        assert_true(sets[i] > 1 || n > 5000);
        for (size_t a = 1; a <= n; a++)
            assert_int_equal(misses[a - 1], left -= hits[a - 1]);
    }
    rd_ways_free(w);
}

static void nothing_and_mistakes(void **state) {
    (void)state;
    static const uint64_t same[] = {4, 4}, none[] = {0}, many[] = {RD_WAYS_SETS_MAX + 1};
    rd_ways *w = NULL;
    assert_int_equal(rd_ways_new(ctx, same, 2, 1, &w), RD_EINVAL);
    assert_int_equal(rd_ways_new(ctx, none, 1, 1, &w), RD_EINVAL);
    assert_int_equal(rd_ways_new(ctx, many, 1, 1, &w), RD_EINVAL);
    assert_int_equal(rd_ways_new(ctx, same, 0, 1, &w), RD_EINVAL);
    assert_int_equal(rd_ways_new(ctx, same, 1, RD_WAYS_THREADS_MAX + 1, &w), RD_EINVAL);
    w = measure(same, 1, 1, 0);
    const uint64_t *misses = NULL;
    assert_int_equal(rd_ways_misses(w, 0, NULL, &misses), 1);
    assert_int_equal(misses[0], 0);
    assert_int_equal(rd_ways_misses(w, 1, NULL, &misses), 0);
    assert_int_equal(rd_ways_feed(w, blocks, 1), RD_ESTATE);
    rd_ways_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_to_the_simulation_of_each_cache),
        cmocka_unit_test(large_sets),
        cmocka_unit_test(nothing_and_mistakes),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
