/* Tests the cells of cells.h, and rdi_binomial_spread(): compares the probabilities with a formula
 * that uses log-gamma, and with the Poisson distribution, which is their limit. */
#include "profile/binomial.h"
#include "profile/cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CELLS 100000

static double mass[CELLS];

static void spread(uint64_t n, double mean, double weight) {
    assert_true(rdi_cell_of(n) < CELLS);
    memset(mass, 0, sizeof mass);
    rdi_binomial_spread(n, mean, weight, mass);
}

static double sum_of_mass(void) {
    double sum = 0;
    for (size_t i = 0; i < CELLS; i++)
        sum += mass[i];
    return sum;
}

static double by_log_gamma(uint64_t n, double p, uint64_t k) {
    double choose = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(choose + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

static void assert_near(double got, double expected, double error) {
    if (fabs(got - expected) > error)
        fail_msg("the result is %.15g instead of %.15g", got, expected);
}

static void cells_cover_every_number_once(void **state) {
    (void)state;
    assert_int_equal(rdi_cell_of(UINT64_MAX), RDI_CELLS - 1);
    assert_true(rdi_cell_high(RDI_CELLS - 1) == UINT64_MAX);
    for (size_t cell = 0; cell < RDI_CELLS; cell++) {
        uint64_t low = rdi_cell_low(cell), high = rdi_cell_high(cell);
        assert_int_equal(rdi_cell_of(low), cell);
        assert_int_equal(rdi_cell_of(high), cell);
        if (cell + 1 < RDI_CELLS)
            assert_true(rdi_cell_low(cell + 1) == high + 1);
        assert_true(low < RDI_CELLS_SINGLE ? low == high : high - low < low >> RDI_CELL_BITS);
    }
}

static void small_cases_are_the_binomial_formula(void **state) {
    (void)state;
    static const uint64_t trials[] = {1, 2, 7, 60, 900};
    static const double chances[] = {0.001, 0.1, 0.5, 0.7, 0.999};
    for (size_t i = 0; i < RDI_COUNT(trials); i++)
        for (size_t j = 0; j < RDI_COUNT(chances); j++) {
            spread(trials[i], chances[j] * (double)trials[i], 3);
            for (uint64_t k = 0; k <= trials[i]; k++)
                assert_near(mass[k], 3 * by_log_gamma(trials[i], chances[j], k), 1e-11);
        }
}

/* Compares cumulative probabilities at the ends of cells, because a cell from 2048 on has the sum
 * of several probabilities. */
static void large_cases_come_near_the_formula(void **state) {
    (void)state;
    static const double chances[] = {0.02, 0.3, 0.5, 0.97};
    const uint64_t n = 60000;
    for (size_t j = 0; j < RDI_COUNT(chances); j++) {
        double expected = 0, got = 0;
        spread(n, chances[j] * (double)n, 1);
        for (uint64_t k = 0; k <= n; k++) {
            expected += by_log_gamma(n, chances[j], k);
            if (k == rdi_cell_high(rdi_cell_of(k))) {
                got += mass[rdi_cell_of(k)];
                assert_near(got, expected, 2e-4);
            }
        }
        assert_near(sum_of_mass(), 1, 1e-12);
    }
}

/* Tests 10^12 trials with three successes on average: the result is the Poisson distribution, with
 * an error of at most 1e-11. */
static void a_trillion_trials_lose_no_digits(void **state) {
    (void)state;
    double term = exp(-3.0);
    spread(UINT64_C(1000000000000), 3, 1);
    for (unsigned k = 0; k < 30; k++) {
        assert_near(mass[k], term, 1e-11);
        term *= 3.0 / (k + 1);
    }
}

static void certainty_is_certain(void **state) {
    (void)state;
    spread(1000, 0, 5);
    assert_near(mass[0], 5, 0);
    spread(1000, 1000, 5);
    assert_near(mass[1000], 5, 0);
    spread(1000, 1000.25, 5); /* a mean that rounding made too large */
    assert_near(mass[1000], 5, 0);
    spread(0, 0, 5);
    assert_near(mass[0], 5, 0);
}

static void nothing_gets_lost(void **state) {
    (void)state;
    for (uint64_t n = 1; n < UINT64_C(1) << 44; n = n * 3 + 1)
        for (double share = 1e-6; share < 1; share += 0.0901) {
            spread(n, share * (double)n, 1);
            assert_near(sum_of_mass(), 1, 1e-12);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_cover_every_number_once),
        cmocka_unit_test(small_cases_are_the_binomial_formula),
        cmocka_unit_test(large_cases_come_near_the_formula),
        cmocka_unit_test(a_trillion_trials_lose_no_digits),
        cmocka_unit_test(certainty_is_certain),
        cmocka_unit_test(nothing_gets_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
