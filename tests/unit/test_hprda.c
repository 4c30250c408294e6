/* Tests engine hprda (HP-RDA): its steps on hand-made examples, its guarantees on random traces,
 * and its parameters. */
#include "engine/papers/hprda.h"
#include "support/distances.h"
#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_REFERENCES 20000

static uint64_t blocks[MOST_REFERENCES], exact[MOST_REFERENCES], estimate[MOST_REFERENCES];

static size_t letters(const char *text) {
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        blocks[i] = (uint64_t)text[i];
    return n;
}

/* ---- hand-made examples ---- */

static void figure_5_the_second_a_has_distance_5(void **state) {
    (void)state;
    size_t n = letters("cabcdedgbcbda");
    uint32_t seen[64] = {0}, origin[64];
    uint64_t live[1] = {0}, dist[64];
    rdi_rda_local l = {seen, 64, live, origin};
    assert_int_equal(rdi_rda_analyze(&l, blocks, (uint32_t)n, dist), 6);
    assert_int_equal(dist[12], 5);
    assert_int_equal(live[0], 1u << 5 | 1u << 7 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12);
    assert_int_equal(dist[3], 2); /* the distance of the second c: a and b are in between */
    assert_int_equal(origin[9], 0);
}

/* Tests the chunks x y z g | e f a b | a b g b: the distance from g to g is 0 + 4 + 2, because a
 * and b count twice. */
static void figure_8_blocks_of_two_pieces_count_twice(void **state) {
    (void)state;
    size_t n = letters("xyzgefababgb");
    assert_int_equal(
        distances_run(ctx, "hprda:N=12,ST=4,NB=3,adjust=off", NULL, blocks, n, 0, estimate), RD_OK);
    distances_oracle(ctx, blocks, n, exact);
    assert_int_equal(exact[10], 4);
    assert_int_equal(estimate[10], 6);
    assert_int_equal(estimate[8], 1); /* the distance of a: only b is between its two references */
    assert_int_equal(estimate[9], 1);
    assert_int_equal(estimate[11], 1); /* inside a chunk */
}

/* Tests that the distances are the same if each of these three chunks is a group or a round. */
static void every_level_merges_alike(void **state) {
    (void)state;
    static const char *const specs[] = {"hprda:N=12,ST=4,NB=1,NTB=3,adjust=off",
                                        "hprda:N=4,ST=4,adjust=off", "hprda:N=4,ST=9,adjust=off"};
    size_t n = letters("xyzgefababgb");
    for (size_t i = 0; i < RDI_COUNT(specs); i++) {
        assert_int_equal(distances_run(ctx, specs[i], NULL, blocks, n, 0, estimate), RD_OK);
        assert_int_equal(estimate[10], 6);
        assert_int_equal(estimate[8], 1);
        assert_int_equal(estimate[11], 1);
    }
}

static void only_a_distance_above_the_number_of_blocks_is_scaled(void **state) {
    (void)state;
    assert_int_equal(rdi_rda_adjust(10, 10, 40), 10);
    assert_int_equal(rdi_rda_adjust(12, 10, 40), 3);
    assert_int_equal(rdi_rda_adjust(0, 0, 0), 0);
}

/* ---- the table with many threads ---- */

enum { INSERTS = 20000, KEYS = 300, WORKERS = 4 };

static void insert_many(void *arg, unsigned worker) {
    for (uint32_t i = 0; i < INSERTS / WORKERS; i++) {
        rdi_rda_item item = {.block = i * 7u % KEYS, .unit = worker, .at = i};
        if (!rdi_rda_insert(arg, item))
            abort();
    }
}

static void threads_insert_without_locks_and_lose_nothing(void **state) {
    (void)state;
    static rdi_rda_item items[INSERTS];
    static uint32_t buckets[64];
    uint32_t used = 0, distinct = 0;
    memset(buckets, 0, sizeof buckets);
    rdi_rda_table t = {items, buckets, 64, INSERTS, &used, &distinct};
    rdi_pool *pool = NULL;
    assert_int_equal(rdi_pool_new(ctx, WORKERS, &pool), RD_OK);
    rdi_pool_run(pool, insert_many, &t);
    rdi_pool_free(pool);
    assert_int_equal(used, INSERTS);
    assert_int_equal(distinct, KEYS);
    uint32_t heads = 0, listed = 0;
    for (uint32_t i = 0; i < INSERTS; i++) {
        if (!items[i].list)
            continue;
        heads++;
        uint32_t last = 0;
        for (uint32_t k = rdi_rda_sort(items, items[i].list); k; k = items[k - 1].next, listed++) {
            assert_int_equal(items[k - 1].block, items[i].block);
            assert_true(items[k - 1].unit >= last);
            last = items[k - 1].unit;
        }
    }
    assert_int_equal(heads, KEYS);
    assert_int_equal(listed, INSERTS);
    assert_false(rdi_rda_insert(&t, (rdi_rda_item){0})); /* the pool is full */
}

/* ---- promises ---- */

static const char *const shapes[] = {"N=1024,ST=16,NB=8",    "N=1K,ST=1",    "N=4K,ST=64", "N=64K",
                                     "N=60,ST=5,NB=4,NTB=3", "N=16K,ST=512", "N=1,ST=1"};

static void run_shape(const char *shape, const char *more, uint32_t threads, size_t n) {
    char spec[128];
    rd_engine_config config = {.size = sizeof config, .threads = threads};
    snprintf(spec, sizeof spec, "hprda:%s%s", shape, more);
    rd_status status = distances_run(ctx, spec, &config, blocks, n, 700, estimate);
    if (status != RD_OK)
        fail_msg("%s: %s", spec, rd_last_error(ctx));
}

static void unadjusted_distances_are_never_too_small(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        distances_make(seed, seed % 2 ? 3000 : 100, blocks, MOST_REFERENCES);
        distances_oracle(ctx, blocks, MOST_REFERENCES, exact);
        for (size_t i = 0; i < RDI_COUNT(shapes); i++) {
            run_shape(shapes[i], ",adjust=off", 1, MOST_REFERENCES);
            for (size_t k = 0; k < MOST_REFERENCES; k++) {
                assert_true(estimate[k] >= exact[k]);
                assert_int_equal(estimate[k] == RD_COLD, exact[k] == RD_COLD);
            }
        }
    }
}

static void adjusting_keeps_infinite_and_short_distances(void **state) {
    (void)state;
    static uint64_t unadjusted[MOST_REFERENCES];
    distances_make(1, 500, blocks, MOST_REFERENCES);
    distances_oracle(ctx, blocks, MOST_REFERENCES, exact);
    uint64_t changed = 0;
    for (size_t i = 0; i < RDI_COUNT(shapes); i++) {
        run_shape(shapes[i], ",adjust=off", 1, MOST_REFERENCES);
        memcpy(unadjusted, estimate, sizeof estimate);
        run_shape(shapes[i], "", 1, MOST_REFERENCES);
        for (size_t k = 0; k < MOST_REFERENCES; k++) {
            assert_true(estimate[k] <= unadjusted[k]);
            assert_int_equal(estimate[k] == RD_COLD, exact[k] == RD_COLD);
            changed += estimate[k] != unadjusted[k];
        }
    }
    assert_true(changed > 0);
}

static void a_piece_as_long_as_the_trace_is_exact(void **state) {
    (void)state;
    distances_make(5, 700, blocks, 9000);
    distances_assert_exact(ctx, "hprda:N=9000,ST=9000", NULL, blocks, 9000);
    distances_assert_exact(ctx, "hprda:N=16K,ST=16K,adjust=off", NULL, blocks, 9000);
    distances_assert_exact(ctx, "hprda:N=10000,ST=1M,NB=1,NTB=1", NULL, blocks, 9000);
}

static void threads_change_nothing(void **state) {
    (void)state;
    static uint64_t alone[MOST_REFERENCES];
    distances_make(9, 900, blocks, MOST_REFERENCES);
    for (size_t i = 0; i < RDI_COUNT(shapes); i++) {
        size_t n = i == RDI_COUNT(shapes) - 1 ? 500 : MOST_REFERENCES;
        run_shape(shapes[i], "", 1, n);
        memcpy(alone, estimate, sizeof estimate);
        run_shape(shapes[i], "", 4, n);
        assert_memory_equal(alone, estimate, n * sizeof *alone);
    }
}

static void repeats_are_zeros_in_their_places(void **state) {
    (void)state;
    size_t n = letters("aaabbbbaacccaaaabb");
    distances_assert_exact(ctx, "hprda:N=64,ST=64", NULL, blocks, n);
    distances_oracle(ctx, blocks, n, exact);
    run_shape("N=2,ST=2", ",adjust=off", 1, n); /* rounds end inside the runs of repeats */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(estimate[i] == 0, exact[i] == 0);
}

/* ---- parameters ---- */

static void assert_refused(const char *spec, rd_status status, const char *why) {
    assert_int_equal(distances_run(ctx, spec, NULL, blocks, 100, 0, estimate), status);
    assert_string_equal(rd_last_error(ctx), why);
}

static void parameters_that_do_not_fit_are_refused(void **state) {
    (void)state;
    distances_make(5, 90, blocks, 100);
    assert_refused("hprda:N=1000,ST=64", RD_EINVAL,
                   "engine hprda: N must be NTB * NB * ST, but 1000 is not 1 * 15 * 64");
    assert_refused("hprda:N=1024,ST=64,NB=4,NTB=5", RD_EINVAL,
                   "engine hprda: N must be NTB * NB * ST, but 1024 is not 5 * 4 * 64");
    assert_refused("hprda:N=1024,ST=64,HS=1024", RD_EINVAL,
                   "engine hprda: HS is 1024; it must be above N and at most 8 * N (N = 1024)");
    assert_refused(
        "hprda:N=128,ST=64,MS=10", RD_ERANGE,
        "engine hprda: a memory pool is full (10 elements per group, 10 for all groups): "
        "raise MS or lower N");
    assert_refused("hprda:N=64K,ST=1,NTB=2", RD_EINVAL,
                   "engine hprda: NB is at most 1024, not 32768");
    assert_int_equal(distances_run(ctx, "hprda:N=1G,ST=1G,MS=1G", NULL, blocks, 100, 0, estimate),
                     RD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5_the_second_a_has_distance_5),
        cmocka_unit_test_setup_teardown(figure_8_blocks_of_two_pieces_count_twice, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(every_level_merges_alike, new_ctx, free_ctx),
        cmocka_unit_test(only_a_distance_above_the_number_of_blocks_is_scaled),
        cmocka_unit_test_setup_teardown(threads_insert_without_locks_and_lose_nothing, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(unadjusted_distances_are_never_too_small, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(adjusting_keeps_infinite_and_short_distances, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(a_piece_as_long_as_the_trace_is_exact, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(threads_change_nothing, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(repeats_are_zeros_in_their_places, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(parameters_that_do_not_fit_are_refused, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
