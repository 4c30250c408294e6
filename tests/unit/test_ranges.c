/* Compares the ranges of rdi_ranges with a plain list: distances, order, and the limit on the
 * number of ranges. Also tests that the engine `absolute`, which uses ranges, is exact below its
 * cut-off and within its error bound above. */
#include "order/ranges.h"

#include "verify/verifier.h"

#include "support/context.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const rdi_ranges_ops *const structures[] = {&rdi_ranges_splay, &rdi_ranges_btree};

/* ---- the structures ---- */

#define LIST_MAX 4000

/* The times of live blocks, oldest first. */
typedef struct list {
    uint64_t time[LIST_MAX];
    size_t n;
} list;

static void list_remove(list *l, size_t at) {
    l->n--;
    memmove(&l->time[at], &l->time[at + 1], (l->n - at) * sizeof *l->time);
}

static void assert_sound(const rdi_ranges *r, const list *l) {
    const char *why = NULL;
    if (!r->ops->check(r, &why))
        fail_msg("%s", why);
    assert_true(r->live == l->n);
    assert_true(r->n <= 2 * r->live / r->capacity + 1);
}

static void remove_and_compare(rdi_ranges *r, list *l, size_t at) {
    uint64_t newer = l->n - 1 - at, got = r->ops->remove(r, l->time[at]);
    assert_true(got <= newer && newer - got < r->capacity);
    list_remove(l, at);
}

/* Compares ranges with a list over many steps. In about `grow` of 16 steps, adds a block. In all
 * other steps, removes a block, mostly near the block that was removed before, so that ranges
 * become empty. */
static void walk(rd_ctx *ctx, const rdi_ranges_ops *ops, uint64_t capacity, unsigned grow,
                 uint64_t seed) {
    static list l;
    rdi_ranges *r = NULL;
    rdi_rng rng = {seed};
    uint64_t now = 0;
    size_t near = 0;
    l.n = 0;
    assert_int_equal(rdi_ranges_new(ctx, ops, capacity, &r), RD_OK);
    for (int step = 0; step < 1500; step++) {
        if (l.n == 0 || (rdi_rng_below(&rng, 16) < grow && l.n < LIST_MAX)) {
            now += 1 + (rdi_rng_below(&rng, 8) == 0 ? rdi_rng_next(&rng) >> 24 : 0);
            l.time[l.n++] = now;
            assert_int_equal(r->ops->append(r, now), RD_OK);
        } else if (rdi_rng_below(&rng, 8) == 0) {
            /* The end of the oldest range does not tell which of its blocks was removed. */
            uint64_t end = r->ops->remove_oldest(r);
            assert_true(end >= l.time[0]);
            list_remove(&l, 0);
        } else {
            near = rdi_rng_below(&rng, 4) ? near : (size_t)rdi_rng_next(&rng);
            remove_and_compare(r, &l, near % l.n);
        }
        assert_sound(r, &l);
    }
    while (l.n > 0)
        remove_and_compare(r, &l, (size_t)rdi_rng_below(&rng, l.n));
    assert_sound(r, &l);
    assert_true(r->n == 0);
    rdi_ranges_free(r);
}

static void ranges_do_what_a_list_does(void **state) {
    static const uint64_t capacities[] = {1, 2, 3, 17, 300};
    uint64_t seed = 1;
    for (size_t s = 0; s < RDI_COUNT(structures); s++)
        for (size_t k = 0; k < RDI_COUNT(capacities); k++)
            for (unsigned grow = 7; grow <= 13; grow += 3)
                walk(*state, structures[s], capacities[k], grow, seed++);
}

static void many_ranges_grow_deep_and_shrink_again(void **state) {
    static list l;
    for (size_t s = 0; s < RDI_COUNT(structures); s++)
        for (int order = 0; order < 3; order++) {
            rdi_ranges *r = NULL;
            assert_int_equal(rdi_ranges_new(*state, structures[s], 1, &r), RD_OK);
            for (l.n = 0; l.n < LIST_MAX; l.n++) {
                l.time[l.n] = l.n;
                assert_int_equal(r->ops->append(r, l.n), RD_OK);
            }
            assert_true(r->n == LIST_MAX && r->most == LIST_MAX);
            while (l.n > 0) {
                size_t at = order == 0 ? 0 : order == 1 ? l.n - 1 : (l.n * 7) / 11;
                uint64_t newer = l.n - 1 - at;
                assert_true(r->ops->remove(r, l.time[at]) == newer);
                list_remove(&l, at);
                if (l.n % 64 == 0)
                    assert_sound(r, &l);
            }
            rdi_ranges_free(r);
        }
}

/* ---- the engine ---- */

/* Returns the maximum number of entries of the engine: 2c + 1 for the newest blocks (0 if c is 0),
 * and 2M / (b + 1) + 1 for the time ranges of the older blocks, where M is the number of blocks. */
static uint64_t most_nodes(uint64_t b, uint64_t c, const uint64_t *exact, size_t n) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        blocks += exact[i] == RD_COLD;
    return (c ? 2 * c + 1 : 0) + 2 * blocks / (b + 1) + 1;
}

static void check_engine(rd_ctx *ctx, uint64_t b, uint64_t c, const char *tree,
                         const uint64_t *blocks, const uint64_t *exact, size_t n) {
    char spec[96];
    snprintf(spec, sizeof spec, "absolute:b=%" PRIu64 ",c=%" PRIu64 ",tree=%s", b, c, tree);
    uint64_t *got = test_malloc((n + 1) * sizeof *got);
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, blocks, n, got), RD_OK);
    for (size_t i = 0; i < n; i++) {
        if (exact[i] == RD_COLD || exact[i] < c)
            assert_true(got[i] == exact[i]);
        else
            assert_true(got[i] <= exact[i] && exact[i] - got[i] <= b);
    }
    const char *why = NULL;
    assert_int_equal(rdi_engine_check(e, &why), RD_OK);
    assert_true(rd_engine_nodes(e).most <= most_nodes(b, c, exact, n));
    rd_engine_close(e);
    test_free(got);
}

static void check_engines(rd_ctx *ctx, const uint64_t *blocks, size_t n) {
    static const uint64_t pairs[][2] = {{1, 0}, {7, 0}, {7, 1}, {16, 8}, {100, 10}, {3, 60}};
    uint64_t *exact = test_malloc((n + 1) * sizeof *exact);
    assert_int_equal(rdi_verify_oracle(ctx, blocks, n, exact), RD_OK);
    for (size_t i = 0; i < RDI_COUNT(pairs); i++) {
        check_engine(ctx, pairs[i][0], pairs[i][1], "splay", blocks, exact, n);
        check_engine(ctx, pairs[i][0], pairs[i][1], "btree", blocks, exact, n);
    }
    test_free(exact);
}

static void random_traces_are_exact_below_the_cut_off_and_within_beyond(void **state) {
    static uint64_t blocks[1024];
    for (uint64_t seed = 0; seed < 3000; seed++) {
        rdi_verify_trace trace = {.block = blocks};
        rdi_verify_make(seed, 0, 600, &trace);
        check_engines(*state, blocks, trace.n);
    }
}

/* Tests three orders of references: stretches that are traversed twice, always the oldest block,
 * and the oldest block between new blocks. */
static void hostile_traces_are_exact_below_the_cut_off_and_within_beyond(void **state) {
    enum { N = 6000, STRETCH = 40, ROUND = 500 };
    static uint64_t blocks[N];
    uint64_t oldest = 0, next = 0;
    for (size_t i = 0; i < N; i++)
        blocks[i] = i / (2 * STRETCH) * STRETCH + i % STRETCH;
    check_engines(*state, blocks, N);
    for (size_t i = 0; i < N; i++)
        blocks[i] = i % ROUND;
    check_engines(*state, blocks, N);
    for (size_t i = 0; i < N; i++)
        blocks[i] = i % 3 == 2 ? oldest++ : next++;
    check_engines(*state, blocks, N);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_do_what_a_list_does),
        cmocka_unit_test(many_ranges_grow_deep_and_shrink_again),
        cmocka_unit_test(random_traces_are_exact_below_the_cut_off_and_within_beyond),
        cmocka_unit_test(hostile_traces_are_exact_below_the_cut_off_and_within_beyond),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
