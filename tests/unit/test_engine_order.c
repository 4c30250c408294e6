/* Tests the functions that engines have for chunks: rdi_engine_order() reports the LRU stack and
 * changes nothing, rdi_engine_count() reports first references, rdi_engine_take() takes blocks out,
 * and rdi_engine_restart() empties the engine. */
#include "engine/core/plugin.h"

#include "support/fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_REFERENCES 2000

/* ---- the expected results, by definition ---- */

/* Returns the position of the block in the first n entries of the list, or n if the block is not
 * there. */
static size_t position(const uint64_t *list, size_t n, uint64_t block) {
    size_t i = 0;
    while (i < n && list[i] != block)
        i++;
    return i;
}

/* Stores the distinct blocks of the first n references, ordered by their last references, newest
 * first, and at most `bound` of them. Returns their number. */
static size_t lru_stack(const uint64_t *trace, size_t n, uint64_t bound, uint64_t *stack) {
    size_t depth = 0;
    while (n-- > 0 && depth < bound)
        if (position(stack, depth, trace[n]) == depth)
            stack[depth++] = trace[n];
    return depth;
}

/* ---- the results of the engine ---- */

typedef struct collector {
    uint64_t block[MOST_REFERENCES];
    size_t n;
} collector;

static rd_status collect(void *user, const uint64_t *blocks, size_t n) {
    collector *c = user;
    assert_true(n > 0);
    assert_true(c->n + n <= MOST_REFERENCES);
    memcpy(c->block + c->n, blocks, n * sizeof *blocks);
    c->n += n;
    return RD_OK;
}

static void assert_order(rd_engine *e, const char *spec, const uint64_t *trace, size_t n,
                         uint64_t bound) {
    static collector got;
    static uint64_t stack[MOST_REFERENCES];
    got.n = 0;
    assert_int_equal(rdi_engine_order(e, collect, &got), RD_OK);
    size_t depth = lru_stack(trace, n, bound, stack);
    if (got.n != depth)
        fail_msg("%s, bound %" PRIu64
                 ": the order has %zu blocks after %zu references instead of %zu",
                 spec, bound, got.n, n, depth);
    for (size_t i = 0; i < depth; i++)
        if (got.block[depth - 1 - i] != stack[i])
            fail_msg("%s, bound %" PRIu64 ": block %zu of the order is wrong after %zu references",
                     spec, bound, i, n);
}

/* Checks the order of the engine `spec` during and after the run. Its distances must be equal to
 * those of an engine whose order is never read. */
static void run_engine(const char *spec, const uint64_t *trace, size_t n, uint64_t bound,
                       rdi_rng *rng) {
    static uint64_t expected[MOST_REFERENCES], dist[MOST_REFERENCES];
    rd_engine_config config = {.size = sizeof config, .bound = bound};
    rd_engine *e = NULL, *unasked = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, &config, &unasked), RD_OK);
    assert_int_equal(rd_engine_feed(unasked, trace, n, expected), RD_OK);
    rd_engine_close(unasked);
    assert_int_equal(rd_engine_open(ctx, spec, &config, &e), RD_OK);
    assert_order(e, spec, trace, 0, bound);
    for (size_t at = 0; at < n;) {
        size_t part = 1 + (size_t)rdi_rng_below(rng, n - at);
        assert_int_equal(rd_engine_feed(e, trace + at, part, dist + at), RD_OK);
        at += part;
        assert_order(e, spec, trace, at, bound ? bound : UINT64_MAX);
    }
    assert_memory_equal(dist, expected, n * sizeof *dist);
    rd_engine_close(e);
}

static unsigned run_every_engine(const uint64_t *trace, size_t n, uint64_t bound, rdi_rng *rng) {
    unsigned runs = 0;
    const rdi_engine_ops *ops;
    for (size_t i = 0; (ops = rdi_engine_ops_at(i)) != NULL; i++) {
        if (!ops->chunk || (ops->unavailable && ops->unavailable()))
            continue;
        run_engine(ops->info.name, trace, n, bound, rng);
        for (const char *const *v = ops->info.variants; v && *v; v++) {
            char spec[128];
            snprintf(spec, sizeof spec, "%s:%s", ops->info.name, *v);
            run_engine(spec, trace, n, bound, rng);
        }
        runs++;
    }
    return runs;
}

static void the_order_is_the_lru_stack_for_any_bound(void **state) {
    (void)state;
    static uint64_t trace[MOST_REFERENCES];
    rdi_rng rng = {11};
    for (unsigned round = 0; round < 40; round++) {
        size_t n = 1 + (size_t)rdi_rng_below(&rng, MOST_REFERENCES);
        uint64_t blocks = 1 + rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 11));
        for (size_t i = 0; i < n; i++)
            trace[i] = rdi_rng_below(&rng, blocks) - blocks / 2; /* includes ids near 2^64 */
        const uint64_t bounds[] = {0, 1, 2, 1 + rdi_rng_below(&rng, blocks), blocks};
        for (size_t i = 0; i < RDI_COUNT(bounds); i++)
            assert_true(run_every_engine(trace, n, bounds[i], &rng) > 0);
    }
}

/* ---- chunks of a trace ---- */

/* Lets the engine count the distances of n references, and checks that it reports their distinct
 * blocks in the order of their first references. Stores these blocks in `first`. */
static void count_part(rd_engine *e, const uint64_t *trace, size_t n, collector *first) {
    static uint64_t seen[MOST_REFERENCES];
    size_t depth = 0;
    first->n = 0;
    assert_int_equal(rdi_engine_count(e, trace, n, collect, first), RD_OK);
    for (size_t i = 0; i < n; i++)
        if (position(seen, depth, trace[i]) == depth)
            seen[depth++] = trace[i];
    assert_int_equal(first->n, depth);
    assert_memory_equal(first->block, seen, depth * sizeof *seen);
}

static void assert_bins(const rdi_hist *got, const rdi_hist *expected) {
    rd_bin *a = NULL, *b = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(rdi_hist_bins(got, &a, &n), RD_OK);
    assert_int_equal(rdi_hist_bins(expected, &b, &m), RD_OK);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n * sizeof *a);
    assert_int_equal(rdi_hist_infinite(got), rdi_hist_infinite(expected));
    rdi_free(ctx, a);
    rdi_free(ctx, b);
}

/* Divides a trace into chunks, analyzes each chunk from an empty state, and checks the histogram of
 * all chunks together. */
static void run_parts(const char *spec, const uint64_t *trace, size_t n, rdi_rng *rng) {
    static uint64_t dist[MOST_REFERENCES];
    static collector first;
    rdi_hist *expected = NULL;
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, NULL, &e), RD_OK);
    assert_int_equal(rdi_hist_new_like(rdi_engine_hist(e), &expected), RD_OK);
    for (size_t at = 0; at < n;) {
        size_t part = 1 + (size_t)rdi_rng_below(rng, n - at);
        rd_engine *alone = NULL;
        assert_int_equal(rd_engine_open(ctx, "stack", NULL, &alone), RD_OK);
        assert_int_equal(rd_engine_feed(alone, trace + at, part, dist), RD_OK);
        rd_engine_close(alone);
        assert_int_equal(rdi_hist_add(expected, dist, part), RD_OK);
        count_part(e, trace + at, part, &first);
        assert_order(e, spec, trace + at, part, UINT64_MAX);
        assert_int_equal(rdi_engine_restart(e), RD_OK);
        assert_order(e, spec, trace, 0, UINT64_MAX);
        at += part;
    }
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_bins(rdi_engine_hist(e), expected);
    rdi_hist_free(expected);
    rd_engine_close(e);
}

static void a_restarted_engine_is_empty_and_counts_on(void **state) {
    (void)state;
    static uint64_t trace[MOST_REFERENCES];
    rdi_rng rng = {12};
    for (unsigned round = 0; round < 10; round++) {
        uint64_t blocks = 1 + rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 11));
        for (size_t i = 0; i < MOST_REFERENCES; i++)
            trace[i] = rdi_rng_below(&rng, blocks) - blocks / 2;
        const rdi_engine_ops *ops;
        for (size_t i = 0; (ops = rdi_engine_ops_at(i)) != NULL; i++) {
            if (!ops->chunk || (ops->unavailable && ops->unavailable()))
                continue;
            run_parts(ops->info.name, trace, MOST_REFERENCES, &rng);
        }
    }
}

/* ---- taking blocks out ---- */

/* Takes `n` distinct blocks, some from the stack and some unknown, in any order, from the engine
 * and from the expected stack. Returns the new depth of the stack. */
static size_t take_some(rd_engine *e, const char *spec, uint64_t *stack, size_t depth, size_t n,
                        rdi_rng *rng) {
    static uint64_t blocks[MOST_REFERENCES], newer[MOST_REFERENCES];
    n = n < depth ? n : depth;
    for (size_t i = 0; i < n; i++) { /* chooses distinct blocks; every fifth one is unknown */
        size_t other = i + (size_t)rdi_rng_below(rng, depth - i);
        blocks[i] = i % 5 == 4 ? UINT64_C(1) << 40 | i : stack[other];
        if (position(blocks, i, blocks[i]) < i)
            blocks[i] = UINT64_C(1) << 41 | i;
    }
    assert_int_equal(rdi_engine_take(e, blocks, n, newer), RD_OK);
    for (size_t i = 0; i < n; i++) {
        size_t at = position(stack, depth, blocks[i]);
        if (newer[i] != (at < depth ? at : RD_COLD))
            fail_msg("%s: block %zu has %" PRIu64 " newer blocks instead of %zu of %zu", spec, i,
                     newer[i], at, depth);
        if (at == depth)
            continue;
        memmove(stack + at, stack + at + 1, (depth - at - 1) * sizeof *stack);
        depth--;
    }
    return depth;
}

/* Alternately feeds references, takes blocks, and compares the order of the rest with the expected
 * stack. */
static void run_taking(const char *spec, uint64_t blocks, rdi_rng *rng) {
    static uint64_t stack[MOST_REFERENCES], trace[MOST_REFERENCES], dist[MOST_REFERENCES];
    static collector got;
    rd_engine *e = NULL;
    size_t depth = 0;
    assert_int_equal(rd_engine_open(ctx, spec, NULL, &e), RD_OK);
    for (unsigned turn = 0; turn < 6; turn++) {
        size_t n = 1 + (size_t)rdi_rng_below(rng, MOST_REFERENCES / 6);
        for (size_t i = 0; i < n; i++) {
            trace[i] = rdi_rng_below(rng, blocks) - blocks / 2;
            size_t at = position(stack, depth, trace[i]);
            dist[i] = at < depth ? at : RD_COLD;
            memmove(stack + 1, stack, (at < depth ? at : depth++) * sizeof *stack);
            stack[0] = trace[i];
        }
        static uint64_t measured[MOST_REFERENCES];
        assert_int_equal(rdi_engine_measure(e, trace, n, measured), RD_OK);
        assert_memory_equal(measured, dist, n * sizeof *dist);
        depth = take_some(e, spec, stack, depth, (size_t)rdi_rng_below(rng, blocks + 1), rng);
        const char *why = NULL;
        if (rdi_engine_check(e, &why) != RD_OK)
            fail_msg("%s: %s", spec, why);
        got.n = 0;
        assert_int_equal(rdi_engine_order(e, collect, &got), RD_OK);
        assert_int_equal(got.n, depth);
        for (size_t i = 0; i < depth; i++)
            assert_int_equal(got.block[depth - 1 - i], stack[i]);
    }
    rd_engine_close(e);
}

static void a_taken_block_is_gone_and_the_others_stay_in_order(void **state) {
    (void)state;
    rdi_rng rng = {13};
    for (unsigned round = 0; round < 30; round++) {
        uint64_t blocks = 1 + rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 11));
        const rdi_engine_ops *ops;
        for (size_t i = 0; (ops = rdi_engine_ops_at(i)) != NULL; i++) {
            if (!ops->chunk || (ops->unavailable && ops->unavailable()))
                continue;
            run_taking(ops->info.name, blocks, &rng);
            for (const char *const *v = ops->info.variants; v && *v; v++) {
                char spec[128];
                snprintf(spec, sizeof spec, "%s:%s", ops->info.name, *v);
                run_taking(spec, blocks, &rng);
            }
        }
    }
}

static rd_status refuse(void *user, const uint64_t *blocks, size_t n) {
    (void)blocks;
    (void)n;
    ++*(unsigned *)user;
    return RD_EIO;
}

static void a_failing_visit_ends_the_order(void **state) {
    (void)state;
    const uint64_t trace[] = {1, 2, 3};
    const rdi_engine_ops *ops;
    for (size_t i = 0; (ops = rdi_engine_ops_at(i)) != NULL; i++) {
        if (!ops->chunk || (ops->unavailable && ops->unavailable()))
            continue;
        rd_engine *e = NULL;
        unsigned calls = 0;
        assert_int_equal(rd_engine_open(ctx, ops->info.name, NULL, &e), RD_OK);
        assert_int_equal(rd_engine_feed(e, trace, 3, NULL), RD_OK);
        assert_int_equal(rdi_engine_order(e, refuse, &calls), RD_EIO);
        assert_int_equal(calls, 1);
        rd_engine_close(e);
    }
}

static void an_engine_without_an_order_says_so(void **state) {
    (void)state;
    rd_engine *e = NULL;
    unsigned calls = 0;
    assert_int_equal(rd_engine_open(ctx, "null", NULL, &e), RD_OK);
    assert_int_equal(rdi_engine_order(e, refuse, &calls), RD_EUNSUPPORTED);
    assert_non_null(strstr(rd_last_error(ctx), "null"));
    rd_engine_close(e);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(the_order_is_the_lru_stack_for_any_bound),
        TEST(a_restarted_engine_is_empty_and_counts_on),
        TEST(a_taken_block_is_gone_and_the_others_stay_in_order),
        TEST(a_failing_visit_ends_the_order),
        TEST(an_engine_without_an_order_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
