/* Tests rdi_block_map, among other things against a plain array of values, and rdi_last_access. */
#include "order/block_map.h"
#include "order/last_access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define IDS 200 /* number of distinct blocks in the random test */

typedef struct fixture {
    rd_ctx *ctx;
    rdi_block_map map;
} fixture;

static int set_up(void **state) {
    static fixture f;
    memset(&f, 0, sizeof f);
    assert_int_equal(rd_ctx_new(NULL, &f.ctx), RD_OK);
    assert_int_equal(rdi_block_map_init(&f.map, f.ctx), RD_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rdi_block_map_fini(&f->map);
    assert_int_equal(rd_ctx_live_bytes(f->ctx), 0);
    rd_ctx_free(f->ctx);
    return 0;
}

static uint64_t exchange(rdi_block_map *map, uint64_t block, uint64_t value) {
    uint64_t old = 0;
    assert_int_equal(rdi_block_map_exchange(map, block, value, &old), RD_OK);
    return old;
}

static void assert_sound(const rdi_block_map *map) {
    const char *why = "";
    if (!rdi_block_map_check(map, &why))
        fail_msg("%s", why);
}

static void every_block_id_is_valid(void **state) {
    fixture *f = *state;
    static const uint64_t ids[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    for (size_t i = 0; i < RDI_COUNT(ids); i++)
        assert_null(rdi_block_map_find(&f->map, ids[i]));
    for (size_t i = 0; i < RDI_COUNT(ids); i++)
        assert_int_equal(exchange(&f->map, ids[i], i), RDI_ABSENT);
    for (size_t i = 0; i < RDI_COUNT(ids); i++)
        assert_int_equal(*rdi_block_map_find(&f->map, ids[i]), i);
    assert_int_equal(f->map.n, RDI_COUNT(ids));
}

static void growth_keeps_every_block(void **state) {
    fixture *f = *state;
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(exchange(&f->map, i * 4096, i), RDI_ABSENT);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(exchange(&f->map, i * 4096, 0), i);
    assert_int_equal(f->map.n, 10000);
    assert_sound(&f->map);
}

static void random_operations_match_an_array(void **state) {
    fixture *f = *state;
    uint64_t expected[IDS]; /* value of each block; RDI_ABSENT: not in the map */
    memset(expected, 0xff, sizeof expected);
    rdi_rng rng = {1};
    for (uint64_t step = 0; step < 100000; step++) {
        uint64_t id = rdi_rng_below(&rng, IDS);
        uint64_t block = id * UINT64_C(0x123456789abcdef1);
        if (rdi_rng_below(&rng, 2) == 0) {
            assert_int_equal(exchange(&f->map, block, step), expected[id]);
            expected[id] = step;
        } else {
            assert_int_equal(rdi_block_map_remove(&f->map, block), expected[id] != RDI_ABSENT);
            expected[id] = RDI_ABSENT;
        }
        uint64_t other = rdi_rng_below(&rng, IDS);
        uint64_t *found = rdi_block_map_find(&f->map, other * UINT64_C(0x123456789abcdef1));
        assert_int_equal(found ? *found : RDI_ABSENT, expected[other]);
        if (step % 1000 == 0)
            assert_sound(&f->map);
    }
}

static void iteration_meets_every_block_once(void **state) {
    fixture *f = *state;
    bool seen[1000] = {false};
    for (uint64_t i = 0; i < RDI_COUNT(seen); i++)
        exchange(&f->map, i, i * 2);
    size_t cursor = 0, n = 0;
    for (rdi_block_slot *s; (s = rdi_block_map_next(&f->map, &cursor)) != NULL; n++) {
        assert_int_equal(s->value, s->block * 2);
        assert_false(seen[s->block]);
        seen[s->block] = true;
    }
    assert_int_equal(n, RDI_COUNT(seen));
}

static void remove_below_removes_exactly_those(void **state) {
    fixture *f = *state;
    rdi_rng rng = {2};
    for (unsigned round = 0; round < 200; round++) {
        uint64_t n = rdi_rng_below(&rng, 100), limit = rdi_rng_below(&rng, 100);
        for (uint64_t i = 0; i < n; i++)
            exchange(&f->map, rdi_mix64(i + round), i);
        rdi_block_map_remove_below(&f->map, limit);
        assert_sound(&f->map);
        assert_int_equal(f->map.n, n > limit ? n - limit : 0);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(rdi_block_map_remove(&f->map, rdi_mix64(i + round)), i >= limit);
        assert_int_equal(f->map.n, 0);
    }
}

static void a_refused_growth_leaves_the_map_as_it_was(void **state) {
    fixture *f = *state;
    while (f->map.n < f->map.limit)
        exchange(&f->map, f->map.n, f->map.n);
    rd_ctx_set_limit(f->ctx, rd_ctx_live_bytes(f->ctx));
    uint64_t old = 0;
    assert_int_equal(rdi_block_map_exchange(&f->map, 12345, 0, &old), RD_ENOMEM);
    assert_int_equal(f->map.n, f->map.limit);
    assert_int_equal(*rdi_block_map_find(&f->map, 7), 7);
    assert_sound(&f->map);
}

static void forgotten_blocks_are_new_again_and_do_not_pile_up(void **state) {
    fixture *f = *state;
    rdi_last_access last = {.time = f->map};
    uint64_t before = RDI_ABSENT;
    for (uint64_t now = 0; now < 10000; now++) {
        assert_int_equal(rdi_last_access_touch(&last, now % 500, now, &before), RD_OK);
        assert_int_equal(before, RDI_ABSENT); /* the loop touches 500 blocks in turn and keeps at
                                                 most 10 of them */
        if (last.live > 10)
            rdi_last_access_forget(&last, now - 10);
        assert_true(last.time.n <= 10 + RDI_SWEEP_LEAST);
    }
    assert_int_equal(rdi_last_access_touch(&last, 9999 % 500, 10000, &before), RD_OK);
    assert_int_equal(before, 9999);
    const char *why = "";
    assert_true(rdi_last_access_check(&last, &why));
    f->map = last.time; /* tear_down frees it */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_block_id_is_valid),
        TEST(growth_keeps_every_block),
        TEST(random_operations_match_an_array),
        TEST(iteration_meets_every_block_once),
        TEST(remove_below_removes_exactly_those),
        TEST(a_refused_growth_leaves_the_map_as_it_was),
        TEST(forgotten_blocks_are_new_again_and_do_not_pile_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
