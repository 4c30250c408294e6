/* Tests rdi_phases_find() with made-up windows. tests/cli/analyze/phases.sh tests the phases of traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attribution/phases.h"

#include "support/context.h"

#define WINDOWS    200
#define REFERENCES 10000

static rd_window rows[WINDOWS];
static size_t begins[WINDOWS], numbers[WINDOWS];

static uint64_t noise; /* state of the random number generator */

static uint64_t below(uint64_t n) {
    noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (noise >> 33) % n;
}

/* Makes the windows from `from` to `to` - 1. In each window, a random share of 45 % to 55 % of the references
 * is in the bin `near`, and the rest is in the bin `far`. */
static void fill(size_t from, size_t to, size_t near, size_t far) {
    for (size_t i = from; i < to; i++) {
        uint64_t part = REFERENCES / 2 + below(REFERENCES / 10) - REFERENCES / 20;
        rows[i] = (rd_window){.from = i * REFERENCES, .share.references = REFERENCES};
        rows[i].share.bins[near] = part;
        rows[i].share.bins[far] = REFERENCES - part;
    }
}

static void expect(rd_ctx *ctx, size_t n, const size_t *first, const size_t *number) {
    size_t found = 0;
    assert_int_equal(rdi_phases_find(ctx, rows, WINDOWS, begins, numbers, &found), RD_OK);
    assert_int_equal(found, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(begins[i], first[i]);
        assert_int_equal(numbers[i], number[i]);
    }
}

static void noise_is_one_phase(void **state) {
    for (uint64_t seed = 1; seed < 20; seed++) {
        noise = seed;
        fill(0, WINDOWS, 3, 12);
        expect(*state, 1, (size_t[]){0}, (size_t[]){1});
    }
}

static void an_odd_window_is_no_phase(void **state) {
    fill(0, WINDOWS, 3, 12);
    fill(50, 51, 8, 20);
    fill(199, 200, 8, 20);
    expect(*state, 1, (size_t[]){0}, (size_t[]){1});
}

static void a_phase_that_comes_back_is_the_same(void **state) {
    fill(0, 50, 3, 6);
    fill(50, 90, 8, 10);
    fill(90, 150, 3, 6);
    fill(150, WINDOWS, 8, 10);
    expect(*state, 4, (size_t[]){0, 50, 90, 150}, (size_t[]){1, 2, 1, 2});
}

static void seven_phases_are_seven(void **state) {
    size_t first[7], number[7];
    for (size_t i = 0; i < 7; i++) {
        first[i] = 25 * i;
        number[i] = i + 1;
        fill(25 * i, i < 6 ? 25 * i + 25 : WINDOWS, i, 10 + i);
    }
    expect(*state, 7, first, number);
}

/* Tests that a phase includes the windows that bring in its working set. In the first four windows
 * of the phase, some distances are infinite or, when the phase comes back, long; all other
 * distances are between 256 and 1023. */
static void what_brings_in_a_working_set_belongs_to_its_phase(void **state) {
    fill(0, 60, 2, 4);
    fill(60, 100, 9, 10);
    fill(100, 160, 2, 4);
    fill(160, WINDOWS, 9, 10);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 4; i++) {
            rd_share *s = &rows[60 + 100 * k + i].share;
            *s = (rd_share){.references = 1000};
            s->bins[9] = i < 2 ? 500 : 750;
            if (k == 0)
                s->infinite = 1000 - s->bins[9];
            else
                s->bins[15] = 1000 - s->bins[9];
        }
    }
    expect(*state, 4, (size_t[]){0, 60, 100, 160}, (size_t[]){1, 2, 1, 2});
}

static void no_windows_have_no_phases(void **state) {
    size_t found = 1;
    assert_int_equal(rdi_phases_find(*state, rows, 0, begins, numbers, &found), RD_OK);
    assert_int_equal(found, 0);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, context_new, context_free)
    const struct CMUnitTest tests[] = {
        CASE(noise_is_one_phase),
        CASE(an_odd_window_is_no_phase),
        CASE(a_phase_that_comes_back_is_the_same),
        CASE(seven_phases_are_seven),
        CASE(what_brings_in_a_working_set_belongs_to_its_phase),
        CASE(no_windows_have_no_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
