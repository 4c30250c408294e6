/* Tests that the kernels of caches in LRU order give the same results with every instruction set of
 * this processor. conformance/test_caches compares the results with the oracle. */
#include "hierarchy/lru_sets.h"
#include "reusedist/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N     500
#define LANES (16 * RDI_LRU_WAYS)

/* Three caches, two of them innermost, and everything that the kernels write. */
typedef struct world {
    rdi_lru inner, fetches, outer;
    uint64_t lanes[3][LANES];
    uint32_t times[3][LANES];
    uint64_t dirty[3][16];
    rdi_gathering gathering;
    uint64_t refs[N + RDI_LRU_SPARE], between[3 * N + 1], beyond[4 * N + 1];
    uint32_t at[N + RDI_LRU_SPARE], before[2][N];
    rdi_lru_miss misses[2][N + 1];
    uint64_t outer_before; /* number of misses of `outer` before the tile */
    size_t kept, missed, n_between, n_beyond, references;
} world;

static rdi_lru some_cache(rdi_rng *rng) {
    uint64_t ways = 1 + rdi_rng_below(rng, rdi_rng_below(rng, 2) ? 16 : RDI_LRU_WAYS);
    uint64_t sets = 1 + rdi_rng_below(rng, 16);
    return (rdi_lru){.index = {.sets = sets,
                               .mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
                               .hash = rdi_rng_below(rng, 8) == 0},
                     .ways = ways,
                     .stride = (ways + 7) / 8 * 8,
                     .through = rdi_rng_below(rng, 8) == 0};
}

/* Lets the caches use the arrays of `w`. */
static void connect(world *w) {
    rdi_lru *all[3] = {&w->inner, &w->fetches, &w->outer};
    for (size_t i = 0; i < 3; i++) {
        all[i]->lanes = w->lanes[i];
        all[i]->times = w->times[i];
        all[i]->dirty = w->dirty[i];
    }
}

static void run(world *w, const rdi_lru_kernels *k, const uint64_t *blocks, const uint8_t *kinds,
                size_t n, bool causes) {
    rdi_lru *first[2] = {&w->inner, w->gathering.split ? &w->fetches : &w->inner};
    rdi_arrivals between = {w->between, 0}, beyond = {w->beyond, 0};
    w->outer_before = w->outer.misses;
    w->kept = k->gather(&w->gathering, blocks, kinds, n, w->refs, w->at);
    w->missed =
        k->first(first, w->refs, w->kept, &between, w->misses[0], causes ? w->before[0] : NULL);
    w->references =
        k->outer(&w->outer, &between, &beyond, w->misses[1], causes ? w->before[1] : NULL);
    w->n_between = between.n;
    w->n_beyond = beyond.n;
}

static void assert_same_misses(const world *a, const world *b, size_t level, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const rdi_lru_miss *x = &a->misses[level][i], *y = &b->misses[level][i];
        assert_int_equal(x->lane, y->lane);
        assert_int_equal(x->victim, y->victim);
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->victim_time, y->victim_time);
    }
}

static void assert_same(const world *a, const world *b, bool causes) {
    assert_int_equal(a->kept, b->kept);
    assert_memory_equal(a->refs, b->refs, a->kept * sizeof *a->refs);
    assert_memory_equal(a->at, b->at, a->kept * sizeof *a->at);
    assert_int_equal(a->gathering.bits, b->gathering.bits);
    assert_int_equal(a->missed, b->missed);
    assert_same_misses(a, b, 0, a->missed);
    assert_same_misses(a, b, 1, a->outer.misses - a->outer_before);
    assert_int_equal(a->n_between, b->n_between);
    assert_memory_equal(a->between, b->between, a->n_between * sizeof *a->between);
    assert_int_equal(a->n_beyond, b->n_beyond);
    assert_memory_equal(a->beyond, b->beyond, a->n_beyond * sizeof *a->beyond);
    assert_int_equal(a->references, b->references);
    assert_memory_equal(a->lanes, b->lanes, sizeof a->lanes);
    assert_int_equal(a->inner.misses, b->inner.misses);
    assert_int_equal(a->inner.writebacks, b->inner.writebacks);
    assert_int_equal(a->outer.misses, b->outer.misses);
    assert_int_equal(a->outer.writebacks, b->outer.writebacks);
    assert_memory_equal(a->times, b->times, sizeof a->times);
    assert_memory_equal(a->dirty, b->dirty, sizeof a->dirty);
    if (!causes)
        return;
    assert_memory_equal(a->before[0], b->before[0], a->kept * sizeof *a->before[0]);
    assert_memory_equal(a->before[1], b->before[1], a->references * sizeof *a->before[1]);
    assert_int_equal(a->inner.now, b->inner.now);
    assert_int_equal(a->fetches.now, b->fetches.now);
    assert_int_equal(a->outer.now, b->outer.now);
}

/* Checks that the kernels of two instruction sets give the same results on three random tiles. `w`
 * has room for two worlds. */
static void compare(rdi_rng *rng, const rdi_lru_kernels *a, const rdi_lru_kernels *b, world *w) {
    static const uint8_t all[] = {RD_LOAD, RD_STORE, RD_FETCH};
    uint64_t blocks[N], range = 1 + rdi_rng_below(rng, 600), at = 0;
    uint8_t kinds[N];
    memset(w, 0, 2 * sizeof *w);
    w[0].inner = some_cache(rng);
    w[0].fetches = some_cache(rng);
    w[0].outer = some_cache(rng);
    bool causes = rdi_rng_below(rng, 3);
    w[0].gathering.split = rdi_rng_below(rng, 2);
    w[0].gathering.every_store = w[0].inner.through;
    w[0].gathering.pairs = !w[0].inner.through && rdi_rng_below(rng, 2);
    w[1] = w[0];
    connect(&w[0]);
    connect(&w[1]);
    for (unsigned tile = 0; tile < 3; tile++) {
        size_t n = rdi_rng_below(rng, N + 1);
        for (size_t i = 0; i < n; i++) {
            at = rdi_rng_below(rng, 3) ? at : rdi_rng_below(rng, range);
            blocks[i] = at;
            kinds[i] = all[rdi_rng_below(rng, 3)];
        }
        const uint8_t *kind = rdi_rng_below(rng, 6) ? kinds : NULL;
        run(&w[0], a, blocks, kind, n, causes);
        run(&w[1], b, blocks, kind, n, causes);
        assert_same(&w[0], &w[1], causes);
    }
}

static void instruction_sets_agree(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    const rdi_lru_kernels *plain = NULL, *other = NULL;
    world *w = malloc(2 * sizeof *w);
    assert_non_null(w);
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rdi_lru_kernels_choose(ctx, RDI_ISA_PLAIN, &plain), RD_OK);
    for (uint32_t isa = RDI_ISA_AVX2; isa <= RDI_ISA_AVX512; isa++) {
        rdi_rng rng = {isa};
        if (rdi_lru_kernels_choose(ctx, isa, &other) == RD_OK)
            for (unsigned i = 0; i < 400; i++)
                compare(&rng, plain, other, w);
    }
    rd_ctx_free(ctx);
    free(w);
}

/* Tests that rdi_lru_renumber() keeps the order of the lanes of a set. One lane is empty, and three
 * lanes have times before the limit. */
static void renumbering_keeps_the_order(void **state) {
    (void)state;
    uint64_t lanes[8] = {5, 0, 6, 7, 8, 9, 0, 0};
    uint32_t times[8] = {90, 0, 300, 70, 301, 80, 0, 0}, renumbered[302] = {0};
    static const uint32_t expected[8] = {3, 0, 65, 1, 66, 2, 0, 0};
    rdi_lru c = {.index = {.sets = 1}, .ways = 6, .stride = 8, .lanes = lanes, .times = times};
    renumbered[300] = 65;
    renumbered[301] = 66;
    rdi_lru_renumber(&c, 300, renumbered);
    assert_memory_equal(times, expected, sizeof times);
    rdi_lru_renumber(&c, UINT32_MAX, NULL);
    assert_int_equal(times[4], 5);
    assert_int_equal(times[2], 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets_agree),
                                       cmocka_unit_test(renumbering_keeps_the_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
