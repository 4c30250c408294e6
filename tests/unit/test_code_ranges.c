/* Tests rdi_code_ranges, a table of address ranges: an address belongs to the right one of the
 * ranges that overlap, and the table has at most twice as many entries as ranges were added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/code_ranges.h"

#include "support/fixture.h"

#include <stdlib.h>

#define NONE SIZE_MAX

static size_t item_at(const rdi_code_ranges *r, uint64_t address) {
    const rdi_code_range *found = rdi_code_ranges_find(r, address);
    return found ? found->item : NONE;
}

static void an_address_belongs_to_the_range_that_begins_last(void **state) {
    rdi_code_ranges r = {0};
    (void)state;
    assert_int_equal(item_at(&r, 5), NONE);
    ok(rdi_code_ranges_add(ctx, &r, 10, 100, 0));
    ok(rdi_code_ranges_add(ctx, &r, 20, 30, 1));
    ok(rdi_code_ranges_add(ctx, &r, 90, 120, 2));
    ok(rdi_code_ranges_add(ctx, &r, 20, 25, 3));
    ok(rdi_code_ranges_add(ctx, &r, 20, 25, 4)); /* equal to range 3: range 4 counts */
    ok(rdi_code_ranges_add(ctx, &r, 50, 50, 5)); /* empty */
    ok(rdi_code_ranges_sort(ctx, &r));
    static const struct {
        uint64_t address;
        size_t item;
    } expected[] = {{9, NONE}, {10, 0}, {20, 4}, {24, 4},  {25, 1},    {29, 1},
                    {30, 0},   {50, 0}, {90, 2}, {119, 2}, {120, NONE}};
    for (size_t i = 0; i < RDI_COUNT(expected); i++)
        assert_int_equal(item_at(&r, expected[i].address), expected[i].item);
    assert_int_equal(rdi_code_ranges_find(&r, 60)->begin, 10);
    rdi_code_ranges_fini(ctx, &r);
}

enum { RANGES = 60, ADDRESSES = 200 };

static void random_ranges_agree_with_a_scan(void **state) {
    (void)state;
    srand(7);
    for (int round = 0; round < 200; round++) {
        uint64_t low[RANGES], high[RANGES];
        rdi_code_ranges r = {0};
        for (size_t i = 0; i < RANGES; i++) {
            low[i] = (uint64_t)rand() % ADDRESSES;
            high[i] = low[i] + (uint64_t)rand() % (round % 2 ? 4 : 100);
            ok(rdi_code_ranges_add(ctx, &r, low[i], high[i], i));
        }
        ok(rdi_code_ranges_sort(ctx, &r));
        assert_true(r.n <= 2 * RANGES);
        for (uint64_t address = 0; address < ADDRESSES + 100; address++) {
            size_t best = NONE;
            for (size_t i = 0; i < RANGES; i++)
                if (low[i] <= address && address < high[i] &&
                    (best == NONE || low[i] > low[best] ||
                     (low[i] == low[best] && high[i] <= high[best])))
                    best = i;
            assert_int_equal(item_at(&r, address), best);
            if (best != NONE)
                assert_int_equal(rdi_code_ranges_find(&r, address)->begin, low[best]);
        }
        rdi_code_ranges_fini(ctx, &r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_address_belongs_to_the_range_that_begins_last, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(random_ranges_agree_with_a_scan, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
