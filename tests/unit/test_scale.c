/* Tests the scale tree: the error bound of every distance and the number of nodes, on random and adversarial traces,
 * and trees far larger than any trace. */
#include "order/scale_tree.h"

#include "verify/verifier.h"

#include "support/context.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double errors[] = {0.001, 0.01, 0.1, 0.33, 0.5, 0.9};

static size_t node_limit(double error, uint64_t blocks) {
    return (size_t)ceil(4 * log((double)blocks) / log(1 / (1 - error)) + 4);
}

static void assert_within(double error, uint64_t exact, uint64_t got) {
    assert_true(got <= exact);
    assert_true((long double)(exact - got) <= (long double)error * (long double)exact);
}

/* Runs the trace through a tree. Block ids must be below n. Checks every distance and, after every
 * reference, the number of nodes. */
static void check_trace(rd_ctx *ctx, double error, const uint64_t *blocks, const uint64_t *exact,
                        size_t n) {
    rdi_scale_tree t;
    uint64_t *last = test_malloc(n * sizeof *last), seen = 0;
    for (size_t i = 0; i < n; i++)
        last[i] = UINT64_MAX;
    assert_int_equal(rdi_scale_tree_init(&t, ctx, error), RD_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t *time = &last[blocks[i]];
        if (*time == UINT64_MAX) {
            assert_true(exact[i] == RD_COLD);
            seen++;
        } else {
            assert_within(error, exact[i], rdi_scale_tree_remove(&t, *time));
        }
        *time = t.now;
        assert_int_equal(rdi_scale_tree_append(&t), RD_OK);
        assert_true(t.most <= node_limit(error, seen) && t.n <= node_limit(error, seen));
    }
    const char *why = NULL;
    if (!rdi_scale_tree_check(&t, &why))
        fail_msg("%s", why);
    rdi_scale_tree_fini(&t);
    test_free(last);
}

static void check_all_errors(rd_ctx *ctx, const uint64_t *blocks, size_t n) {
    uint64_t *exact = test_malloc((n + 1) * sizeof *exact);
    assert_int_equal(rdi_verify_oracle(ctx, blocks, n, exact), RD_OK);
    for (size_t i = 0; i < RDI_COUNT(errors); i++)
        check_trace(ctx, errors[i], blocks, exact, n);
    test_free(exact);
}

/* Renumbers the blocks as 0, 1, 2 ... */
static void make_dense(uint64_t *blocks, size_t n) {
    uint64_t next = 0;
    uint64_t *id = test_malloc((n + 1) * sizeof *id);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < next && id[k] != blocks[i])
            k++;
        if (k == next)
            id[next++] = blocks[i];
        blocks[i] = k;
    }
    test_free(id);
}

static void random_traces_stay_within_the_error_and_the_node_count(void **state) {
    static uint64_t blocks[1024];
    for (uint64_t seed = 0; seed < 4000; seed++) {
        rdi_verify_trace trace = {.block = blocks};
        rdi_verify_make(seed, 0, 1000, &trace);
        make_dense(blocks, trace.n);
        check_all_errors(*state, blocks, trace.n);
    }
}

/* Tests Zhong's test program: stretches that are traversed twice. */
static void stretches_traversed_twice_stay_within(void **state) {
    enum { STRETCH = 60, BLOCKS = 3000 };
    static uint64_t blocks[2 * BLOCKS];
    for (size_t i = 0; i < 2 * BLOCKS; i++)
        blocks[i] = i / (2 * STRETCH) * STRETCH + i % STRETCH;
    check_all_errors(*state, blocks, 2 * BLOCKS);
}

/* Tests repeated references to the oldest block: every node loses its oldest block, and all blocks
 * move. */
static void always_the_oldest_stays_within(void **state) {
    enum { BLOCKS = 700, ROUNDS = 12 };
    static uint64_t blocks[BLOCKS * ROUNDS];
    for (size_t i = 0; i < BLOCKS * ROUNDS; i++)
        blocks[i] = i % BLOCKS;
    check_all_errors(*state, blocks, BLOCKS * ROUNDS);
}

/* Tests the worst block for the estimate: the oldest block of the largest node, while new blocks
 * arrive that let the other nodes grow. */
static void the_oldest_between_new_ones_stays_within(void **state) {
    enum { REFERENCES = 6000 };
    static uint64_t blocks[REFERENCES];
    uint64_t oldest = 0, next = 0;
    for (size_t i = 0; i < REFERENCES; i++)
        blocks[i] = i % 3 == 2 ? oldest++ : next++;
    check_all_errors(*state, blocks, REFERENCES);
}

/* Tests passes over the same blocks in changing orders: each pass removes all blocks from the nodes of the
 * previous pass, so that many nodes are empty when they are merged. */
static void a_new_working_set_empties_the_old_nodes(void **state) {
    enum { BLOCKS = 800, ROUNDS = 4 };
    static uint64_t blocks[BLOCKS * ROUNDS * 2];
    size_t n = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < BLOCKS; i++)
            blocks[n++] = i;
        for (size_t i = 0; i < BLOCKS; i++)
            blocks[n++] = round % 2 ? (i * 353) % BLOCKS : BLOCKS - 1 - i;
    }
    check_all_errors(*state, blocks, n);
}

/* Tests a pair of hot blocks after many other blocks: all references hit nodes that were made since
 * the last compression. */
static void a_hot_pair_keeps_the_tree_small(void **state) {
    enum { COLD = 1000, REFERENCES = 20000 };
    static uint64_t blocks[REFERENCES];
    for (size_t i = 0; i < REFERENCES; i++)
        blocks[i] = i < COLD ? i : i % 2;
    check_all_errors(*state, blocks, REFERENCES);
}

/* ---- trees without a trace ---- */

static void a_prefilled_tree_is_one_of_blocks_referenced_once(void **state) {
    for (size_t k = 0; k < RDI_COUNT(errors); k++)
        for (uint64_t blocks = 1; blocks < 3000; blocks = blocks * 3 + 1) {
            rdi_scale_tree t;
            const char *why = NULL;
            assert_int_equal(rdi_scale_tree_init(&t, *state, errors[k]), RD_OK);
            assert_int_equal(rdi_scale_tree_prefill(&t, blocks), RD_OK);
            if (!rdi_scale_tree_check(&t, &why))
                fail_msg("%s", why);
            for (uint64_t i = 0; i < blocks; i++) { /* always the oldest block */
                assert_within(errors[k], blocks - 1, rdi_scale_tree_remove(&t, i));
                assert_int_equal(rdi_scale_tree_append(&t), RD_OK);
            }
            rdi_scale_tree_fini(&t);
        }
}

/* Tests a trillion blocks, with a distance that exceeds 32 bits. */
static void a_trillion_blocks_stay_within(void **state) {
    const uint64_t blocks = UINT64_C(1000000000000), distance = blocks / 100;
    const double error = 0.01;
    rdi_scale_tree t;
    const char *why = NULL;
    assert_int_equal(rdi_scale_tree_init(&t, *state, error), RD_OK);
    assert_int_equal(rdi_scale_tree_prefill(&t, blocks), RD_OK);
    for (uint64_t i = 0; i < 100000; i++) {
        assert_within(error, distance, rdi_scale_tree_remove(&t, blocks - 1 - distance + i));
        assert_int_equal(rdi_scale_tree_append(&t), RD_OK);
        assert_true(t.n <= node_limit(error, blocks));
    }
    assert_true(t.most <= node_limit(error, blocks));
    assert_true(t.live == blocks);
    if (!rdi_scale_tree_check(&t, &why))
        fail_msg("%s", why);
    rdi_scale_tree_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_stay_within_the_error_and_the_node_count),
        cmocka_unit_test(stretches_traversed_twice_stay_within),
        cmocka_unit_test(always_the_oldest_stays_within),
        cmocka_unit_test(the_oldest_between_new_ones_stays_within),
        cmocka_unit_test(a_new_working_set_empties_the_old_nodes),
        cmocka_unit_test(a_hot_pair_keeps_the_tree_small),
        cmocka_unit_test(a_prefilled_tree_is_one_of_blocks_referenced_once),
        cmocka_unit_test(a_trillion_blocks_stay_within),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
