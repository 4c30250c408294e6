/* Solves five coupled nonlinear partial differential equations on a cube by symmetric successive
 * over-relaxation: a sweep of lower triangular systems from one corner to the opposite one, and a
 * sweep of upper triangular systems back. The 5 x 5 blocks of a plane are computed right before
 * they are used. */
#include "kernel.h"

#include <math.h>

enum { APPLU_ROUNDS = 4, APPLU_VARS = 5, APPLU_BLOCK = 25, APPLU_PARTS = 4 };

typedef struct applu {
    int n;
    double *u, *rsd, *forcing; /* five values per point */
    double *flux;              /* five values per point of a line */
    double *block;             /* the blocks of a plane: a diagonal block and three others for every
                                  point */
} applu;

static const double applu_dt = 0.05, applu_omega = 1.2, applu_viscosity = 0.1;

static applu applu_make(int n) {
    size_t plane = (size_t)n * (size_t)n, points = plane * (size_t)n;
    applu s = {n,
               kernel_doubles(APPLU_VARS * points),
               kernel_doubles(APPLU_VARS * points),
               kernel_doubles(APPLU_VARS * points),
               kernel_doubles(APPLU_VARS * (size_t)n),
               kernel_doubles(APPLU_PARTS * APPLU_BLOCK * plane)};
    uint64_t state = 1;
    for (size_t at = 0; at < APPLU_VARS * points; at++) {
        s.u[at] = 1 + 0.1 * kernel_uniform(&state);
        s.forcing[at] = 0.01 * kernel_uniform(&state);
    }
    return s;
}

/* Computes the nonlinear flux of every point of a line. Direction `d` selects the velocity
 * component that carries the flux. */
static void applu_line_flux(applu *s, int start, int step, int d) {
    for (int i = 0; i < s->n; i++) {
        const double *u = s->u + APPLU_VARS * (start + i * step);
        double carry = u[1 + d] / u[0];
        double pressure = 0.4 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
        for (int m = 0; m < APPLU_VARS; m++)
            s->flux[APPLU_VARS * i + m] = carry * u[m];
        s->flux[APPLU_VARS * i + 1 + d] += pressure;
        s->flux[APPLU_VARS * i + 4] += pressure * carry;
    }
}

static void applu_line_residual(applu *s, int start, int step, int d) {
    applu_line_flux(s, start, step, d);
    for (int i = 1; i < s->n - 1; i++) {
        int at = APPLU_VARS * (start + i * step), away = APPLU_VARS * step;
        for (int m = 0; m < APPLU_VARS; m++) {
            double change = s->flux[APPLU_VARS * (i + 1) + m] - s->flux[APPLU_VARS * (i - 1) + m];
            double second = s->u[at + away + m] - 2 * s->u[at + m] + s->u[at - away + m];
            s->rsd[at + m] += applu_viscosity * second - 0.5 * change;
        }
    }
}

static void applu_residual(applu *s) {
    int n = s->n, steps[3] = {n * n, n, 1};
    for (int at = 0; at < APPLU_VARS * n * n * n; at++)
        s->rsd[at] = s->forcing[at];
    for (int d = 0; d < 3; d++) {
        int outer = d == 0 ? n : n * n, inner = d == 2 ? n : 1;
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                applu_line_residual(s, i * outer + j * inner, steps[d], d);
    }
    for (int at = 0; at < APPLU_VARS * n * n * n; at++)
        s->rsd[at] *= applu_dt;
}

/* Computes the blocks of one point: its own block, and the blocks of its neighbors `side` steps
 * away in x, y and z. */
static void applu_point_blocks(const applu *s, int at, int side, double *block) {
    int n = s->n, steps[3] = {n * n, n, 1};
    const double *u = s->u + APPLU_VARS * at;
    double inverse = 1 / u[0];
    for (int r = 0; r < APPLU_VARS; r++)
        for (int c = 0; c < APPLU_VARS; c++)
            block[APPLU_VARS * r + c] = (r == c ? 1 + 6 * applu_dt * applu_viscosity : 0) +
                                        0.01 * applu_dt * u[r] * u[c] * inverse;
    for (int d = 0; d < 3; d++) {
        const double *v = s->u + APPLU_VARS * (at + side * steps[d]);
        double *b = block + APPLU_BLOCK * (d + 1), carry = v[1 + d] / v[0];
        for (int r = 0; r < APPLU_VARS; r++)
            for (int c = 0; c < APPLU_VARS; c++)
                b[APPLU_VARS * r + c] =
                    applu_dt *
                    ((r == c ? side * 0.5 * carry - applu_viscosity : 0) + 0.01 * v[r] * v[c]);
    }
}

/* Solves the system of the diagonal block for the five values at `x`, by elimination. */
static void applu_solve_block(double *a, double *x) {
    for (int k = 0; k < APPLU_VARS; k++) {
        double scale = 1 / a[APPLU_VARS * k + k];
        for (int r = k + 1; r < APPLU_VARS; r++) {
            double factor = a[APPLU_VARS * r + k] * scale;
            for (int c = k + 1; c < APPLU_VARS; c++)
                a[APPLU_VARS * r + c] -= factor * a[APPLU_VARS * k + c];
            x[r] -= factor * x[k];
        }
    }
    for (int k = APPLU_VARS - 1; k >= 0; k--) {
        for (int c = k + 1; c < APPLU_VARS; c++)
            x[k] -= a[APPLU_VARS * k + c] * x[c];
        x[k] /= a[APPLU_VARS * k + k];
    }
}

static void applu_relax_point(applu *s, int at, int side, double *block) {
    int n = s->n, steps[3] = {n * n, n, 1};
    double *x = s->rsd + APPLU_VARS * at;
    for (int d = 0; d < 3; d++) {
        const double *y = s->rsd + APPLU_VARS * (at + side * steps[d]);
        const double *b = block + APPLU_BLOCK * (d + 1);
        for (int r = 0; r < APPLU_VARS; r++)
            for (int c = 0; c < APPLU_VARS; c++)
                x[r] -= applu_omega * b[APPLU_VARS * r + c] * y[c];
    }
    applu_solve_block(block, x);
}

/* Runs one sweep. Side -1 uses the neighbors before a point and runs forward; side 1 runs
 * backward. */
static void applu_sweep(applu *s, int side) {
    int n = s->n;
    for (int a = 1; a < n - 1; a++) {
        int i = side < 0 ? a : n - 1 - a;
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                applu_point_blocks(s, (i * n + j) * n + k, side,
                                   s->block + APPLU_PARTS * APPLU_BLOCK * (j * n + k));
        for (int b = 1; b < n - 1; b++)
            for (int c = 1; c < n - 1; c++) {
                int j = side < 0 ? b : n - 1 - b, k = side < 0 ? c : n - 1 - c;
                applu_relax_point(s, (i * n + j) * n + k, side,
                                  s->block + APPLU_PARTS * APPLU_BLOCK * (j * n + k));
            }
    }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 4, 256, "applu N");
    applu s = applu_make(n);
    for (int round = 0; round < APPLU_ROUNDS; round++) {
        applu_residual(&s);
        applu_sweep(&s, -1);
        applu_sweep(&s, 1);
        for (int at = 0; at < APPLU_VARS * n * n * n; at++)
            s.u[at] += s.rsd[at];
    }
    double sum = 0;
    for (int at = 0; at < APPLU_VARS * n * n * n; at++)
        sum += fabs(s.u[at]);
    printf("applu %d: %.9g\n", n, sum);
    return 0;
}
