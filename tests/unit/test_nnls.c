/* Compares sparse non-negative least squares (rdi_nnls) with a dense solver that uses
 * another method: Lawson and Hanson's active sets, with normal equations solved by elimination. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/nnls.h"
#include "support/faults.h"

#include <math.h>
#include <string.h>

#define MAX 12

typedef struct dense {
    size_t rows, columns;
    double a[MAX][MAX], b[MAX];
} dense;

/* Solves the least-squares problem over the columns in `use`, by normal equations and Gaussian
 * elimination with pivots. Sets x to 0 for all other columns. */
static void solve_subset(const dense *d, const bool *use, double *x) {
    size_t index[MAX], n = 0;
    double m[MAX][MAX + 1] = {{0}};
    for (size_t k = 0; k < d->columns; k++)
        if (use[k])
            index[n++] = k;
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < d->rows; r++) {
            for (size_t k = 0; k < n; k++)
                m[i][k] += d->a[r][index[i]] * d->a[r][index[k]];
            m[i][n] += d->a[r][index[i]] * d->b[r];
        }
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[pivot][k]))
                pivot = i;
        for (size_t c = 0; c <= n; c++) {
            double held = m[k][c];
            m[k][c] = m[pivot][c];
            m[pivot][c] = held;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = i == k ? 0 : m[i][k] / m[k][k];
            for (size_t c = k; c <= n; c++)
                m[i][c] -= factor * m[k][c];
        }
    }
    memset(x, 0, MAX * sizeof *x);
    for (size_t k = 0; k < n; k++)
        x[index[k]] = m[k][n] / m[k][k];
}

static double residual(const dense *d, const double *x, double *out) {
    double sum = 0;
    for (size_t r = 0; r < d->rows; r++) {
        double miss = d->b[r];
        for (size_t k = 0; k < d->columns; k++)
            miss -= d->a[r][k] * x[k];
        out[r] = miss;
        sum += miss * miss;
    }
    return sum;
}

/* Returns the unused column along which the squared error falls most steeply at x, or `columns` if
 * it falls along none. */
static size_t best_column(const dense *d, const bool *use, const double *x) {
    double miss[MAX], most = 1e-10;
    size_t best = d->columns;
    residual(d, x, miss);
    for (size_t k = 0; k < d->columns; k++) {
        double slope = 0;
        for (size_t r = 0; r < d->rows; r++)
            slope += d->a[r][k] * miss[r];
        if (!use[k] && slope > most) {
            most = slope;
            best = k;
        }
    }
    return best;
}

/* Moves x toward `to`. Stops when a component of x reaches 0, and removes this column from `use`.
 * Returns true if x arrived at `to`. */
static bool move(const dense *d, bool *use, double *x, const double *to) {
    double step = 1;
    for (size_t k = 0; k < d->columns; k++)
        if (use[k] && to[k] <= 0)
            step = fmin(step, x[k] / (x[k] - to[k]));
    for (size_t k = 0; k < d->columns; k++) {
        x[k] += step * (to[k] - x[k]);
        if (use[k] && x[k] <= 1e-14) {
            use[k] = false;
            x[k] = 0;
        }
    }
    return step == 1;
}

static void solve_dense(const dense *d, double *x) {
    bool use[MAX] = {false};
    double to[MAX];
    memset(x, 0, MAX * sizeof *x);
    for (size_t k; (k = best_column(d, use, x)) < d->columns;) {
        use[k] = true;
        do
            solve_subset(d, use, to);
        while (!move(d, use, x, to));
    }
}

static rdi_nnls *make_system(rd_ctx *ctx, const dense *d) {
    rdi_nnls *s = NULL;
    size_t column;
    assert_int_equal(rdi_nnls_new(ctx, d->rows, &s), RD_OK);
    for (size_t r = 0; r < d->rows; r++)
        rdi_nnls_set(s, r, d->b[r]);
    for (size_t k = 0; k < d->columns; k++) {
        assert_int_equal(rdi_nnls_add_column(s, &column), RD_OK);
        assert_int_equal(column, k);
        for (size_t r = 0; r < d->rows; r++)
            if (d->a[r][k] != 0)
                assert_int_equal(rdi_nnls_add_entry(s, r, d->a[r][k]), RD_OK);
    }
    return s;
}

static dense random_system(rdi_rng *rng, bool solvable) {
    dense d = {.rows = 4 + rdi_rng_below(rng, MAX - 3)};
    d.columns = 1 + rdi_rng_below(rng, d.rows);
    for (size_t r = 0; r < d.rows; r++) {
        for (size_t k = 0; k < d.columns; k++)
            d.a[r][k] = rdi_rng_below(rng, 3) ? 0 : rdi_rng_unit(rng);
        d.a[r][r % d.columns] += 1;
        d.b[r] = rdi_rng_unit(rng) - 0.3;
    }
    if (!solvable)
        return d;
    for (size_t r = 0; r < d.rows; r++)
        d.b[r] = 0;
    for (size_t k = 0; k < d.columns; k++) {
        double x = rdi_rng_below(rng, 2) ? rdi_rng_unit(rng) : 0;
        for (size_t r = 0; r < d.rows; r++)
            d.b[r] += x * d.a[r][k];
    }
    return d;
}

static void equals_the_dense_one_on_random_systems(void **state) {
    (void)state;
    rdi_rng rng = {8};
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    for (int trial = 0; trial < 500; trial++) {
        dense d = random_system(&rng, trial % 2);
        double expected[MAX], x[MAX] = {0}, miss[MAX];
        solve_dense(&d, expected);
        rdi_nnls *s = make_system(ctx, &d);
        double left = rdi_nnls_solve(s, x, 100000);
        rdi_nnls_free(s);
        if (fabs(left - residual(&d, expected, miss)) > 1e-9)
            fail_msg("trial %d: the residual is %.15g instead of %.15g", trial, left,
                     residual(&d, expected, miss));
        for (size_t k = 0; k < d.columns; k++) {
            assert_true(x[k] >= 0);
            if (fabs(x[k] - expected[k]) > 1e-6)
                fail_msg("trial %d: unknown %zu is %.15g instead of %.15g", trial, k, x[k],
                         expected[k]);
        }
    }
    rd_ctx_free(ctx);
}

static void stops_after_the_sweeps_it_is_given(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    dense d = {2, 2, {{1, 0.99}, {0.99, 1}}, {1, 1}};
    double none[MAX] = {0}, few[MAX] = {0};
    rdi_nnls *s = make_system(ctx, &d);
    assert_true(rdi_nnls_solve(s, none, 0) == 2 && none[0] == 0);
    rdi_nnls_free(s);
    s = make_system(ctx, &d);
    double left = rdi_nnls_solve(s, few, 2);
    assert_true(left < 2 && left > 1e-12);
    rdi_nnls_free(s);
    rd_ctx_free(ctx);
}

static rd_status build(rd_ctx *ctx, void *user) {
    (void)user;
    rdi_nnls *s = NULL;
    rd_status status = rdi_nnls_new(ctx, 1000, &s);
    for (size_t k = 0, column; status == RD_OK && k < 1000; k++) {
        status = rdi_nnls_add_column(s, &column);
        if (status == RD_OK)
            status = rdi_nnls_add_entry(s, k, 1);
    }
    rdi_nnls_free(s);
    return status;
}

static void survives_failing_allocations(void **state) {
    (void)state;
    faults_inject("nnls", build, NULL, RD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_dense_one_on_random_systems),
        cmocka_unit_test(stops_after_the_sweeps_it_is_given),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
