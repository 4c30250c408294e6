/* Tests engine geometric: the example of Carr and Nicol, the three methods for next(t) (the time of
 * the next reference to the block of reference t), rounds and threads. */
#include "engine/papers/geometric.h"
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

static void assert_point(const rdi_point *p, uint32_t next, uint32_t time, uint32_t rank) {
    assert_int_equal(p->next, next);
    assert_int_equal(p->time, time);
    assert_int_equal(p->rank, rank);
}

static void carr_nicol_figure_3_before_and_after_the_merge(void **state) {
    (void)state;
    enum { N = 10 }; /* next(t) of a a b c c a a c a b; the figure shows the first eight */
    static const uint32_t next[8] = {1, 5, 9, 4, 7, 6, 8, N + 7};
    rdi_point one[8], two[8];
    for (uint32_t t = 0; t < 8; t++)
        one[t] = (rdi_point){next[t], t, 0};
    rdi_points_merge_runs(one, 8, 1, 0, 8, two);
    rdi_points_merge_runs(two, 8, 2, 0, 8, one);
    static const rdi_point before[8] = {{1, 0, 3}, {4, 3, 0}, {5, 1, 1}, {9, 2, 0},
                                        {6, 5, 2}, {7, 4, 2}, {8, 6, 1}, {N + 7, 7, 0}};
    for (size_t i = 0; i < 8; i++)
        assert_point(&one[i], before[i].next, before[i].time, before[i].rank);
    rdi_points_merge_runs(one, 8, 4, 0, 8, two);
    static const rdi_point after[8] = {{1, 0, 7}, {4, 3, 4}, {5, 1, 5}, {6, 5, 2},
                                       {7, 4, 2}, {8, 6, 1}, {9, 2, 1}, {N + 7, 7, 0}};
    for (size_t i = 0; i < 8; i++)
        assert_point(&two[i], after[i].next, after[i].time, after[i].rank);
}

static void every_instruction_set_makes_the_same_first_runs(void **state) {
    (void)state;
    rdi_rng rng = {1};
    for (uint32_t isa = RDI_ISA_PLAIN; isa <= RDI_ISA_AVX512; isa++) {
        const rdi_lanes *lanes = NULL;
        if (rdi_lanes_choose(ctx, "test", isa, &lanes) != RD_OK)
            continue;
        for (uint32_t n = 1; n <= RDI_LANES_RUN; n++) {
            uint32_t next[RDI_LANES_RUN];
            rdi_point merged[2][RDI_LANES_RUN], made[RDI_LANES_RUN];
            for (uint32_t t = 0; t < n; t++) { /* distinct numbers in random order */
                next[t] = (uint32_t)rdi_rng_below(&rng, UINT32_MAX / 32) * 16 + t;
                merged[0][t] = (rdi_point){next[t], 100 + t, 0};
            }
            uint32_t at = 0;
            for (uint32_t width = 1; width < n; width *= 2, at ^= 1)
                rdi_points_merge_runs(merged[at], n, width, 0, n, merged[at ^ 1]);
            lanes->make_run(next, 100, n, made);
            assert_memory_equal(made, merged[at], n * sizeof *made);
        }
    }
}

static void a_merge_in_pieces_is_the_same_merge(void **state) {
    (void)state;
    rdi_point in[64], whole[64], pieces[64];
    for (uint32_t i = 0; i < 64; i++)
        in[i] = (rdi_point){i < 40 ? 3 * i : 5 * (i - 40) + 1, i, i % 7};
    rdi_points_merge(in, 40, 24, 0, 64, whole);
    for (uint32_t step = 1; step < 64; step++) {
        memset(pieces, 0, sizeof pieces);
        for (uint32_t from = 0; from < 64; from += step)
            rdi_points_merge(in, 40, 24, from, from + step < 64 ? from + step : 64, pieces);
        assert_memory_equal(pieces, whole, sizeof whole);
    }
}

/* Tests all methods with the blocks 0 to 299, because next=range:B accepts only block ids below
 * B. */
static void every_way_to_next_is_exact_with_phases_of_any_length(void **state) {
    (void)state;
    static const char *const ways[] = {"sort", "table", "range:300", "range:300,isa=plain",
                                       "range:1K,isa=avx2"};
    static const unsigned phases[] = {1, 2, 15, 100, 4097, 0};
    distances_make(7, 300, blocks, 6000);
    for (size_t i = 0; i < RDI_COUNT(ways); i++)
        for (size_t k = 0; k < RDI_COUNT(phases); k++) {
            char spec[96];
            snprintf(spec, sizeof spec, "geometric:next=%s,phase=%u", ways[i], phases[k]);
            rd_engine *e = NULL;
            rd_status status = rd_engine_open(ctx, spec, NULL, &e);
            rd_engine_close(e);
            if (status == RD_EUNSUPPORTED)
                continue;
            size_t n = phases[k] == 0 || phases[k] > 15 ? 6000 : 600; /* 600: 40 rounds or more */
            distances_assert_exact(ctx, spec, NULL, blocks, n);
        }
}

static void threads_and_bounds_change_nothing(void **state) {
    (void)state;
    distances_make(3, 2000, blocks, MOST_REFERENCES);
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        for (uint64_t bound = 0; bound <= 1000; bound += 500) {
            rd_engine_config config = {.size = sizeof config, .threads = threads, .bound = bound};
            distances_assert_exact(ctx, "geometric", &config, blocks, MOST_REFERENCES);
            distances_assert_exact(ctx, "geometric:phase=9000", &config, blocks, MOST_REFERENCES);
            distances_assert_exact(ctx, "geometric:next=range:2000", &config, blocks,
                                   MOST_REFERENCES);
        }
}

static void assert_refused(const char *spec, uint64_t block, rd_status status, const char *why) {
    uint64_t distance;
    assert_int_equal(distances_run(ctx, spec, NULL, &block, 1, 0, &distance), status);
    assert_string_equal(rd_last_error(ctx), why);
}

static void what_cannot_be_is_said(void **state) {
    (void)state;
    assert_refused("geometric:next=range:300", 300, RD_ERANGE,
                   "engine geometric: block 300 is not below the range of next=range:300; give a "
                   "larger range, or use next=sort");
    assert_refused("geometric:next=range:-1", 0, RD_EINVAL,
                   "engine geometric: next=range:BLOCKS: '-1' is not a whole number");
    assert_refused("geometric:next=range:0", 0, RD_EINVAL,
                   "engine geometric: next=range:0: a range must have 1 to 4294967295 blocks");
    assert_refused("geometric:next=hash", 0, RD_EINVAL,
                   "engine geometric: next=hash is invalid: use sort, range:BLOCKS or table");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carr_nicol_figure_3_before_and_after_the_merge),
        cmocka_unit_test_setup_teardown(every_instruction_set_makes_the_same_first_runs, new_ctx,
                                        free_ctx),
        cmocka_unit_test(a_merge_in_pieces_is_the_same_merge),
        cmocka_unit_test_setup_teardown(every_way_to_next_is_exact_with_phases_of_any_length,
                                        new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(threads_and_bounds_change_nothing, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_said, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
