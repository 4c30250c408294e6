/* Tests that the kernels of caches in LRU order give the same results with every instruction set. On
 * processors without better instruction sets, test_caches compares plain C with the oracle. */
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

/* Three caches, two of them innermost, and everything that the kernels leave behind. */
typedef struct world {
    rdi_lru inner, fetches, outer;
    uint64_t lanes[3][LANES];
    rdi_gathering gathering;
    uint64_t refs[N + 8], between[3 * N], beyond[4 * N];
    uint32_t at[N + 8], missed[2][N];
    size_t kept, misses[2], n_between, n_beyond, references;
} world;

static rdi_lru some_cache(rdi_rng *rng, uint64_t *lanes) {
    uint64_t ways = 1 + rdi_rng_below(rng, rdi_rng_below(rng, 2) ? 16 : RDI_LRU_WAYS);
    uint64_t sets = 1 + rdi_rng_below(rng, 16);
    return (rdi_lru){.index = {.sets = sets,
                               .mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
                               .hash = rdi_rng_below(rng, 8) == 0},
                     .ways = ways,
                     .stride = (ways + 7) / 8 * 8,
                     .lanes = lanes,
                     .through = rdi_rng_below(rng, 8) == 0};
}

static void run(world *w, const rdi_lru_kernels *k, const uint64_t *blocks, const uint8_t *kinds,
                size_t n) {
    rdi_lru *first[2] = {&w->inner, w->gathering.split ? &w->fetches : &w->inner};
    rdi_arrivals between = {w->between, 0}, beyond = {w->beyond, 0};
    w->kept = k->gather(&w->gathering, blocks, kinds, n, w->refs, w->at);
    w->misses[0] = k->first(first, w->refs, w->kept, &between, w->missed[0]);
    w->misses[1] = k->outer(&w->outer, &between, &beyond, w->missed[1], &w->references);
    w->n_between = between.n;
    w->n_beyond = beyond.n;
}

static void assert_same(const world *a, const world *b) {
    assert_int_equal(a->kept, b->kept);
    assert_memory_equal(a->refs, b->refs, a->kept * sizeof *a->refs);
    assert_memory_equal(a->at, b->at, a->kept * sizeof *a->at);
    assert_memory_equal(&a->gathering, &b->gathering, sizeof a->gathering);
    assert_memory_equal(a->misses, b->misses, sizeof a->misses);
    for (size_t i = 0; i < 2; i++)
        assert_memory_equal(a->missed[i], b->missed[i], a->misses[i] * sizeof *a->missed[i]);
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
}

/* Lets two instruction sets simulate the same three tiles. */
static void compare(rdi_rng *rng, const rdi_lru_kernels *a, const rdi_lru_kernels *b, world *w) {
    static const uint8_t all[] = {RD_LOAD, RD_STORE, RD_FETCH};
    uint64_t blocks[N], range = 1 + rdi_rng_below(rng, 600), at = 0;
    uint8_t kinds[N];
    memset(w, 0, 2 * sizeof *w);
    w[0].inner = some_cache(rng, w[0].lanes[0]);
    w[0].fetches = some_cache(rng, w[0].lanes[1]);
    w[0].outer = some_cache(rng, w[0].lanes[2]);
    w[0].gathering.split = rdi_rng_below(rng, 2);
    w[0].gathering.every_store = w[0].inner.through;
    w[1] = w[0];
    w[1].inner.lanes = w[1].lanes[0];
    w[1].fetches.lanes = w[1].lanes[1];
    w[1].outer.lanes = w[1].lanes[2];
    for (unsigned tile = 0; tile < 3; tile++) {
        size_t n = rdi_rng_below(rng, N + 1);
        for (size_t i = 0; i < n; i++) {
            at = rdi_rng_below(rng, 3) ? at : rdi_rng_below(rng, range);
            blocks[i] = at;
            kinds[i] = all[rdi_rng_below(rng, 3)];
        }
        const uint8_t *kind = rdi_rng_below(rng, 6) ? kinds : NULL;
        run(&w[0], a, blocks, kind, n);
        run(&w[1], b, blocks, kind, n);
        assert_same(&w[0], &w[1]);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(instruction_sets_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
