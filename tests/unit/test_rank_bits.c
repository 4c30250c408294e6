/* Compares rdi_rank_bits with an array of bool, for three arities. */
#include "order/rank_bits.h"

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MOST_SLOTS 5000

static const unsigned shifts[] = {1, 4, 8};

static void assert_sound(const rdi_rank_bits *b) {
    const char *why = "";
    if (!rdi_rank_bits_check(b, &why))
        fail_msg("%s", why);
}

static uint64_t count(const bool *bit, uint64_t from, uint64_t to) {
    uint64_t n = 0;
    for (uint64_t i = from; i < to; i++)
        n += bit[i];
    return n;
}

/* Sets bits from left to right, as time passes. Each new bit replaces an older bit or none. */
static void run_axis(rdi_rank_bits *b, bool *bit, rdi_rng *rng) {
    for (uint64_t now = count(bit, 0, b->slots); now < b->slots; now++) {
        uint64_t back = UINT64_C(1) << rdi_rng_below(rng, rdi_bit_width(now) + 1);
        uint64_t old = now ? now - 1 - rdi_rng_below(rng, back < now ? back : now) : 0;
        assert_int_equal(rdi_rank_bits_after(b, old, now), now ? count(bit, old + 1, now) : 0);
        if (bit[old] && rdi_rng_below(rng, 4))
            rdi_rank_bits_move(b, old, now);
        else if (bit[old])
            rdi_rank_bits_clear(b, old), rdi_rank_bits_set(b, now);
        else
            rdi_rank_bits_set(b, now);
        bit[old] = false;
        bit[now] = true;
    }
}

static void check_renumbering(rdi_rank_bits *b, bool *bit, uint64_t new_slots) {
    uint64_t live = count(bit, 0, b->slots);
    rdi_rank_bits_squeeze(b);
    for (uint64_t i = 0, rank = 0; i < b->slots; rank += bit[i++])
        assert_int_equal(rdi_rank_bits_rank(b, i), rank);
    assert_int_equal(rdi_rank_bits_refill(b, new_slots, live), RD_OK);
    for (uint64_t i = 0; i < new_slots; i++)
        bit[i] = i < live;
}

static void counts_and_ranks_match_an_array_of_bool(void **state) {
    (void)state;
    rdi_rng rng = {3};
    for (size_t a = 0; a < RDI_COUNT(shifts); a++)
        for (unsigned round = 0; round < 40; round++) {
            static bool bit[MOST_SLOTS];
            memset(bit, 0, sizeof bit);
            uint64_t slots = 1 + rdi_rng_below(&rng, round < 20 ? 40 : MOST_SLOTS / 2);
            rdi_rank_bits b = {0};
            assert_int_equal(rdi_rank_bits_init(&b, ctx, shifts[a], slots, 0), RD_OK);
            run_axis(&b, bit, &rng);
            assert_sound(&b);
            check_renumbering(&b, bit, round % 2 ? slots : slots * 2);
            assert_sound(&b);
            run_axis(&b, bit, &rng);
            assert_sound(&b);
            rdi_rank_bits_fini(&b);
        }
}

static void next_finds_the_first_set_bit(void **state) {
    (void)state;
    for (size_t a = 0; a < RDI_COUNT(shifts); a++) {
        rdi_rank_bits b = {0};
        assert_int_equal(rdi_rank_bits_init(&b, ctx, shifts[a], 1000, 3), RD_OK);
        rdi_rank_bits_set(&b, 63);
        rdi_rank_bits_set(&b, 64);
        rdi_rank_bits_set(&b, 999);
        static const uint64_t expected[][2] = {{0, 0},   {1, 1},   {2, 2},    {3, 63},
                                               {63, 63}, {64, 64}, {65, 999}, {999, 999}};
        for (size_t i = 0; i < RDI_COUNT(expected); i++)
            assert_int_equal(rdi_rank_bits_next(&b, expected[i][0]), expected[i][1]);
        rdi_rank_bits_fini(&b);
    }
}

static void a_failing_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    rdi_rank_bits b = {0};
    assert_int_equal(rdi_rank_bits_init(&b, ctx, 4, 100, 100), RD_OK);
    rd_ctx_set_limit(ctx, rd_ctx_live_bytes(ctx));
    assert_int_equal(rdi_rank_bits_refill(&b, 100000, 0), RD_ENOMEM);
    rdi_rank_bits_fini(&b);
    rd_ctx_set_limit(ctx, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(counts_and_ranks_match_an_array_of_bool),
        TEST(next_finds_the_first_set_bit),
        TEST(a_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
