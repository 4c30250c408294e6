/* Simulates a three-dimensional compressible flow in a box with an alternating-direction implicit
 * scheme. Each step computes the right-hand sides of five equations, then solves a scalar
 * pentadiagonal system along every line in each of the three directions, and then updates the
 * flow. */
#include "kernel.h"

#include <math.h>
#include <stdbool.h>

enum { SP_STEPS = 5, SP_VARS = 5, SP_DIAGONALS = 5 };

typedef struct sp_flow {
    int n;       /* points per side */
    double *u;   /* density, momentum and energy: five values per point */
    double *rhs; /* right-hand sides: five values per point */
    double *lhs; /* five diagonals per point */
    double *forcing;
    double *speed;   /* speed of sound */
    double *inverse; /* inverse of the density */
    double *vel[3];  /* components of the velocity */
    double *kinetic; /* kinetic energy */
} sp_flow;

static const double sp_dt = 0.0015, sp_damping = 0.02, sp_viscosity = 0.01;

static sp_flow sp_make(int n) {
    size_t points = (size_t)n * (size_t)n * (size_t)n;
    sp_flow f = {.n = n,
                 .u = kernel_doubles(SP_VARS * points),
                 .rhs = kernel_doubles(SP_VARS * points),
                 .lhs = kernel_doubles(SP_DIAGONALS * points),
                 .forcing = kernel_doubles(SP_VARS * points),
                 .speed = kernel_doubles(points),
                 .inverse = kernel_doubles(points),
                 .kinetic = kernel_doubles(points)};
    for (int d = 0; d < 3; d++)
        f.vel[d] = kernel_doubles(points);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                int at = (i * n + j) * n + k;
                double x = (double)i / (n - 1), y = (double)j / (n - 1), z = (double)k / (n - 1);
                f.u[SP_VARS * at] = 1 + 0.1 * x * y;
                f.u[SP_VARS * at + 1] = 0.2 * y * (1 - y);
                f.u[SP_VARS * at + 2] = 0.1 * z * (1 - z);
                f.u[SP_VARS * at + 3] = 0.1 * x * (1 - x);
                f.u[SP_VARS * at + 4] = 2.5 + 0.1 * (x + y + z);
                for (int m = 0; m < SP_VARS; m++)
                    f.forcing[SP_VARS * at + m] = 0.01 * x * y * z * (m + 1);
            }
    return f;
}

/* Computes, for every point, the values that several terms need. */
static void sp_derived(sp_flow *f) {
    int points = f->n * f->n * f->n;
    for (int at = 0; at < points; at++) {
        const double *u = f->u + SP_VARS * at;
        double inverse = 1 / u[0];
        f->inverse[at] = inverse;
        for (int d = 0; d < 3; d++)
            f->vel[d][at] = u[1 + d] * inverse;
        f->kinetic[at] = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) * inverse;
        f->speed[at] = sqrt(0.56 * inverse * fabs(u[4] - f->kinetic[at]));
        for (int m = 0; m < SP_VARS; m++)
            f->rhs[SP_VARS * at + m] = f->forcing[SP_VARS * at + m];
    }
}

/* Adds fluxes and viscosity along one direction. `step` is the offset of the next point. */
static void sp_add_flux(sp_flow *f, int at, int step, const double *vel) {
    double *rhs = f->rhs + SP_VARS * at;
    const double *u = f->u + SP_VARS * at, *up = u + SP_VARS * step, *um = u - SP_VARS * step;
    double vp = vel[at + step], vm = vel[at - step];
    double pressure_p = 0.4 * (up[4] - f->kinetic[at + step]);
    double pressure_m = 0.4 * (um[4] - f->kinetic[at - step]);
    for (int m = 0; m < SP_VARS; m++)
        rhs[m] += sp_viscosity * (up[m] - 2 * u[m] + um[m]) - 0.5 * (up[m] * vp - um[m] * vm);
    rhs[4] -= 0.5 * (pressure_p * vp - pressure_m * vm);
    rhs[0] += sp_viscosity * (f->inverse[at + step] - 2 * f->inverse[at] + f->inverse[at - step]);
}

/* Adds fourth differences, which keep the scheme stable. They need two points on either side. */
static void sp_add_damping(sp_flow *f, int at, int step) {
    double *rhs = f->rhs + SP_VARS * at;
    const double *u = f->u + SP_VARS * at;
    int s = SP_VARS * step;
    for (int m = 0; m < SP_VARS; m++)
        rhs[m] -=
            sp_damping * (u[m - 2 * s] - 4 * u[m - s] + 6 * u[m] - 4 * u[m + s] + u[m + 2 * s]);
}

static void sp_right_sides(sp_flow *f) {
    int n = f->n, steps[3] = {n * n, n, 1};
    sp_derived(f);
    for (int d = 0; d < 3; d++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++) {
                    int at = (i * n + j) * n + k, along = d == 0 ? i : d == 1 ? j : k;
                    sp_add_flux(f, at, steps[d], f->vel[d]);
                    if (along > 1 && along < n - 2)
                        sp_add_damping(f, at, steps[d]);
                }
    for (int at = 0; at < SP_VARS * n * n * n; at++)
        f->rhs[at] *= sp_dt;
}

/* Computes the five diagonals of the system along a line that starts at `start`. */
static void sp_line_matrix(sp_flow *f, int start, int step, const double *vel) {
    int n = f->n;
    for (int i = 0; i < n; i++) {
        int at = start + i * step;
        double *a = f->lhs + SP_DIAGONALS * at;
        double before = i > 0 ? vel[at - step] : 0, behind = i < n - 1 ? vel[at + step] : 0;
        bool inside = i > 0 && i < n - 1;
        a[0] = inside && i > 1 ? sp_dt * sp_damping : 0;
        a[1] = inside ? -sp_dt * (0.5 * before + sp_viscosity + f->speed[at]) : 0;
        a[2] = inside ? 1 + 2 * sp_dt * (sp_viscosity + f->speed[at] + sp_damping) : 1;
        a[3] = inside ? sp_dt * (0.5 * behind - sp_viscosity - f->speed[at]) : 0;
        a[4] = inside && i < n - 2 ? sp_dt * sp_damping : 0;
    }
}

/* Subtracts a multiple of the row at `pivot` from the row at `at`, such that one entry becomes
 * 0. */
static void sp_eliminate(sp_flow *f, int at, int pivot, int offset) {
    double *a = f->lhs + SP_DIAGONALS * at, *r = f->rhs + SP_VARS * at;
    const double *b = f->lhs + SP_DIAGONALS * pivot, *s = f->rhs + SP_VARS * pivot;
    double factor = a[2 - offset];
    a[3 - offset] -= factor * b[3];
    a[4 - offset] -= factor * b[4];
    for (int m = 0; m < SP_VARS; m++)
        r[m] -= factor * s[m];
}

static void sp_solve_line(sp_flow *f, int start, int step) {
    int n = f->n;
    for (int i = 0; i < n; i++) {
        int at = start + i * step;
        if (i > 1)
            sp_eliminate(f, at, at - 2 * step, 2);
        if (i > 0)
            sp_eliminate(f, at, at - step, 1);
        double *a = f->lhs + SP_DIAGONALS * at, *r = f->rhs + SP_VARS * at, scale = 1 / a[2];
        a[3] *= scale;
        a[4] *= scale;
        for (int m = 0; m < SP_VARS; m++)
            r[m] *= scale;
    }
    for (int i = n - 2; i >= 0; i--) {
        int at = start + i * step;
        const double *a = f->lhs + SP_DIAGONALS * at;
        double *r = f->rhs + SP_VARS * at;
        for (int m = 0; m < SP_VARS; m++) {
            r[m] -= a[3] * r[m + SP_VARS * step];
            if (i < n - 2)
                r[m] -= a[4] * r[m + 2 * SP_VARS * step];
        }
    }
}

/* Solves the systems of all lines along direction `d`, one after the other. */
static void sp_solve(sp_flow *f, int d) {
    int n = f->n, steps[3] = {n * n, n, 1};
    int outer = d == 0 ? n : n * n, inner = d == 2 ? n : 1;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            int start = i * outer + j * inner;
            sp_line_matrix(f, start, steps[d], f->vel[d]);
            sp_solve_line(f, start, steps[d]);
        }
}

static void sp_update(sp_flow *f) {
    int n = f->n;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                int at = SP_VARS * ((i * n + j) * n + k);
                for (int m = 0; m < SP_VARS; m++)
                    f->u[at + m] += f->rhs[at + m];
            }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 4, 256, "sp N");
    sp_flow f = sp_make(n);
    for (int step = 0; step < SP_STEPS; step++) {
        sp_right_sides(&f);
        for (int d = 0; d < 3; d++)
            sp_solve(&f, d);
        sp_update(&f);
    }
    double sum = 0;
    for (int at = 0; at < SP_VARS * n * n * n; at++)
        sum += fabs(f.u[at]);
    printf("sp %d: %.9g\n", n, sum);
    return 0;
}
