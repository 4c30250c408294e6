/* Tests the slot axis (rdi_slot_axis) against an array of flags: the n-th newest live slot, and
 * dropping the oldest slots. */
#include "order/slot_axis.h"

#include "support/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 1200000 }; /* more than two supers of 2^RDI_SLOT_SUPER slots */

static bool flag[SLOTS];

/* Makes about one in `one_in` of the slots 1 to next - 1 live, on the axis and in `flag`, and all
 * other slots free. Returns the number of live slots. */
static uint64_t fill(rdi_slot_axis *a, uint64_t next, uint64_t one_in, uint64_t seed) {
    rdi_rng rng = {seed};
    uint64_t live = 0;
    memset(flag, 0, sizeof flag);
    rdi_slot_axis_reset(a, 0);
    for (uint64_t s = 1; s < next; s++)
        if (rdi_rng_next(&rng) % one_in == 0) {
            flag[s] = true;
            rdi_slot_axis_set(a, s, 1);
            live++;
        }
    a->next = next;
    return live;
}

static void assert_flags(const rdi_slot_axis *a, uint64_t down) {
    uint64_t line = 0, group = 0, super = 0;
    for (uint64_t s = 0; s < a->capacity; s++) {
        bool set = s + down < SLOTS && flag[s + down];
        assert_int_equal(rdi_slot_axis_get(a, s), set);
        line += set, group += set, super += set;
        if ((s + 1) % (1u << RDI_SLOT_LINE) == 0) {
            assert_int_equal(a->line[s >> RDI_SLOT_LINE], line);
            line = 0;
        }
        if ((s + 1) % (1u << RDI_SLOT_GROUP) == 0) {
            assert_int_equal(a->group[s >> RDI_SLOT_GROUP], group);
            group = 0;
        }
        if ((s + 1) % (1u << RDI_SLOT_SUPER) == 0) {
            assert_int_equal(a->super[s >> RDI_SLOT_SUPER], super);
            super = 0;
        }
    }
}

static void the_nth_newest_slot_is_found(void **state) {
    (void)state;
    static const uint64_t nexts[] = {2, 64, 65, 513, 20000, 600000, SLOTS};
    static const uint64_t one_in[] = {1, 3, 5000};
    rdi_slot_axis a = {0};
    assert_int_equal(rdi_slot_axis_reserve(&a, ctx, SLOTS), RD_OK);
    a.len = a.capacity;
    a.next = 1;
    for (size_t i = 0; i < RDI_COUNT(nexts) * RDI_COUNT(one_in); i++) {
        uint64_t next = nexts[i % RDI_COUNT(nexts)], n = 0;
        uint64_t live = fill(&a, next, one_in[i / RDI_COUNT(nexts)], i);
        for (uint64_t s = next; s-- > 0;)
            if (flag[s] && (++n < 2000 || n % 997 == 0 || n == live))
                assert_int_equal(rdi_slot_axis_newest(&a, n), s);
    }
    rdi_slot_axis_fini(&a, ctx);
}

static void dropping_keeps_the_newer_slots_in_order(void **state) {
    (void)state;
    static const uint64_t lasts[] = {1,     63,    64,     511,    512,      513,
                                     16383, 16384, 524288, 700001, SLOTS - 1};
    rdi_slot_axis a = {0};
    assert_int_equal(rdi_slot_axis_reserve(&a, ctx, SLOTS), RD_OK);
    a.len = a.capacity;
    a.next = 1;
    for (size_t i = 0; i < RDI_COUNT(lasts); i++) {
        fill(&a, SLOTS, 2, i);
        uint64_t down = rdi_slot_axis_drop(&a, lasts[i]);
        assert_true(down <= lasts[i]);
        assert_true(lasts[i] - down < 1u << RDI_SLOT_LINE);
        assert_int_equal(a.next, SLOTS - down);
        memset(flag, 0, lasts[i] + 1);
        assert_flags(&a, down);
    }
    rdi_slot_axis_fini(&a, ctx);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(the_nth_newest_slot_is_found),
        TEST(dropping_keeps_the_newer_slots_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
