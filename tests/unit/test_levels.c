/* Tests engine levels: the copy-scan of one level of the stack, rounds, threads, and option C,
 * which is a bound. */
#include "engine/papers/lanes.h"
#include "support/distances.h"
#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_REFERENCES 20000

static uint64_t blocks[MOST_REFERENCES];

/* Tests the trace a b b c a: before each reference, the top of the stack is - a b b c (-: no block),
 * the second level - - a a b, and the third - - - - a. */
static void levels_of_the_stack_follow_from_each_other(void **state) {
    (void)state;
    const uint64_t block[5] = {'a', 'b', 'b', 'c', 'a'};
    uint64_t above[5], dist[5] = {9, 9, 9, 9, 9};
    uint8_t miss = 0x1f;
    memcpy(above, block, sizeof above);
    assert_int_equal(rdi_levels_scan_group(block, above, &miss, 5, '-', 0, dist), 'a');
    assert_memory_equal(above, ((uint64_t[]){'-', 'a', 'b', 'b', 'c'}), sizeof above);
    assert_int_equal(miss, 0x1b); /* the second b has hit */
    assert_int_equal(dist[2], 0);
    assert_int_equal(rdi_levels_scan_group(block, above, &miss, 5, '-', 1, dist), 'c');
    assert_memory_equal(above, ((uint64_t[]){'-', '-', 'a', 'a', 'b'}), sizeof above);
    assert_int_equal(miss, 0x1b);
    assert_int_equal(rdi_levels_scan_group(block, above, &miss, 5, '-', 2, dist), 'b');
    assert_memory_equal(above, ((uint64_t[]){'-', '-', '-', '-', 'a'}), sizeof above);
    assert_int_equal(miss, 0x0b); /* the second a has hit, too */
    assert_int_equal(dist[4], 2);
}

static void the_last_miss_is_what_falls(void **state) {
    (void)state;
    const uint64_t above[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    assert_false(rdi_levels_last_miss(above, 0).any);
    assert_int_equal(rdi_levels_last_miss(above, 0x25).block, 15);
    rdi_fallen none = {0, false}, some = {5, true}, other = {6, true};
    assert_int_equal(rdi_fallen_join(some, none).block, 5);
    assert_int_equal(rdi_fallen_join(some, other).block, 6);
    assert_false(rdi_fallen_join(none, none).any);
}

static void every_instruction_set_scans_alike(void **state) {
    (void)state;
    enum { N = 45, GROUPS = (N + 7) / 8 };
    rdi_rng rng = {5};
    for (int round = 0; round < 200; round++) {
        uint64_t block[N], start[N];
        uint8_t marks[GROUPS];
        for (size_t i = 0; i < N; i++) {
            block[i] = rdi_rng_below(&rng, 4);
            start[i] = rdi_rng_below(&rng, 4);
        }
        for (size_t g = 0; g < GROUPS; g++)
            marks[g] = (uint8_t)(rdi_rng_next(&rng) & (round % 3 ? 0xff : rdi_rng_next(&rng)));
        marks[GROUPS - 1] &= (1u << N % 8) - 1;
        for (uint32_t isa = RDI_ISA_AVX2; isa <= RDI_ISA_AVX512; isa++) {
            const rdi_lanes *lanes = NULL;
            if (rdi_lanes_choose(ctx, "test", isa, &lanes) != RD_OK)
                continue;
            uint64_t above[2][N], dist[2][N] = {{0}};
            uint8_t miss[2][GROUPS];
            for (int k = 0; k < 2; k++) {
                memcpy(above[k], start, sizeof start);
                memcpy(miss[k], marks, sizeof marks);
            }
            uint64_t a = rdi_lanes_plain.scan_level(block, above[0], miss[0], N, 2, 7, dist[0]);
            uint64_t b = lanes->scan_level(block, above[1], miss[1], N, 2, 7, dist[1]);
            assert_int_equal(a, b);
            assert_memory_equal(above[0], above[1], sizeof above[0]);
            assert_memory_equal(miss[0], miss[1], sizeof miss[0]);
            assert_memory_equal(dist[0], dist[1], sizeof dist[0]);
        }
    }
}

static void phases_and_threads_change_nothing(void **state) {
    (void)state;
    static const char *const specs[] = {"levels",           "levels:phase=1",
                                        "levels:phase=9",   "levels:phase=12345",
                                        "levels:isa=plain", "levels:compact=off"};
    distances_make(11, 400, blocks, MOST_REFERENCES);
    for (size_t i = 0; i < RDI_COUNT(specs); i++)
        for (uint32_t threads = 1; threads <= 5; threads += 2) {
            rd_engine_config config = {.size = sizeof config, .threads = threads};
            distances_assert_exact(ctx, specs[i], &config, blocks,
                                   threads > 1 && i < 3 ? 3000 : MOST_REFERENCES);
        }
}

static rd_profile *profile_of(const char *spec, uint64_t bound) {
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_engine_config config = {.size = sizeof config, .bound = bound};
    assert_int_equal(rd_engine_open(ctx, spec, &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, blocks, 5000, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    rd_engine_close(e);
    return p;
}

static void the_depth_is_a_bound(void **state) {
    (void)state;
    distances_make(2, 300, blocks, 5000);
    rd_engine_config config = {.size = sizeof config, .bound = 50};
    distances_assert_exact(ctx, "levels:C=50", &config, blocks, 5000);
    distances_assert_exact(ctx, "levels:C=50,compact=off", &config, blocks, 5000);
    distances_assert_exact(ctx, "levels:C=70,compact=off", &config, blocks, 5000);
    rd_profile *p = profile_of("levels:C=20", 0);
    assert_int_equal(rd_profile_facts_of(p)->bound, 20);
    assert_int_equal(rd_profile_facts_of(p)->blocks, RD_UNKNOWN);
    rd_profile_free(p);
    p = profile_of("levels:C=20", 10); /* the smaller of C and the bound applies */
    assert_int_equal(rd_profile_facts_of(p)->bound, 10);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_the_stack_follow_from_each_other),
        cmocka_unit_test(the_last_miss_is_what_falls),
        cmocka_unit_test_setup_teardown(every_instruction_set_scans_alike, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(phases_and_threads_change_nothing, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(the_depth_is_a_bound, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
