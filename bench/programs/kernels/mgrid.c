/* Solves a Poisson equation with periodic borders by three-dimensional multigrid: V-cycles on cubes
 * with 2, 4, 8 ... N points per side. Stencils have 27 points, whose coefficients depend on how
 * many steps away a neighbor is. */
#include "kernel.h"

#include <math.h>

enum { MGRID_CYCLES = 6, MGRID_LEVELS = 10 };

typedef struct mgrid_cube {
    int n, w;  /* number of points per side, without and with a border on both sides */
    double *u; /* correction; on the finest level, the solution */
    double *r; /* residual */
} mgrid_cube;

typedef struct mgrid {
    int top; /* number of the finest level */
    mgrid_cube level[MGRID_LEVELS];
    double *v; /* right-hand side of the equation */
} mgrid;

static const double mgrid_operator[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static const double mgrid_smoother[4] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};

static size_t mgrid_points(const mgrid_cube *c) {
    return (size_t)c->w * (size_t)c->w * (size_t)c->w;
}

/* Fills the border with the values of the opposite side. */
static void mgrid_wrap(const mgrid_cube *c, double *a) {
    int n = c->n, w = c->w, plane = w * w;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            a[i * plane + j * w] = a[i * plane + j * w + n];
            a[i * plane + j * w + n + 1] = a[i * plane + j * w + 1];
        }
    for (int i = 1; i <= n; i++)
        for (int k = 0; k < w; k++) {
            a[i * plane + k] = a[i * plane + n * w + k];
            a[i * plane + (n + 1) * w + k] = a[i * plane + w + k];
        }
    for (int k = 0; k < plane; k++) {
        a[k] = a[n * plane + k];
        a[(n + 1) * plane + k] = a[plane + k];
    }
}

/* Computes the sums of the 6 neighbors one step away, the 12 neighbors two steps away and the 8
 * neighbors three steps away. */
static void mgrid_neighbors(const double *a, int w, double sum[3]) {
    int p = w * w;
    sum[0] = a[-1] + a[1] + a[-w] + a[w] + a[-p] + a[p];
    sum[1] = a[-w - 1] + a[-w + 1] + a[w - 1] + a[w + 1] + a[-p - 1] + a[-p + 1] + a[p - 1] +
             a[p + 1] + a[-p - w] + a[-p + w] + a[p - w] + a[p + w];
    sum[2] = a[-p - w - 1] + a[-p - w + 1] + a[-p + w - 1] + a[-p + w + 1] + a[p - w - 1] +
             a[p - w + 1] + a[p + w - 1] + a[p + w + 1];
}

static double mgrid_stencil(const double *a, int w, const double c[4]) {
    double sum[3];
    mgrid_neighbors(a, w, sum);
    return c[0] * a[0] + c[1] * sum[0] + c[2] * sum[1] + c[3] * sum[2];
}

/* Computes r = v - A u. */
static void mgrid_residual(const mgrid_cube *c, double *r, const double *v, const double *u) {
    int n = c->n, w = c->w;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++) {
                int at = (i * w + j) * w + k;
                r[at] = v[at] - mgrid_stencil(u + at, w, mgrid_operator);
            }
    mgrid_wrap(c, r);
}

/* Computes u = u + S r. */
static void mgrid_smooth(const mgrid_cube *c, double *u, const double *r) {
    int n = c->n, w = c->w;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++) {
                int at = (i * w + j) * w + k;
                u[at] += mgrid_stencil(r + at, w, mgrid_smoother);
            }
    mgrid_wrap(c, u);
}

/* Computes the residual on the next coarser cube. */
static void mgrid_restrict(const mgrid_cube *fine, const mgrid_cube *coarse) {
    int n = coarse->n, w = coarse->w;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++) {
                const double *a = fine->r + (2 * i * fine->w + 2 * j) * fine->w + 2 * k;
                double sum[3];
                mgrid_neighbors(a, fine->w, sum);
                coarse->r[(i * w + j) * w + k] =
                    0.5 * a[0] + 0.25 * sum[0] + 0.125 * sum[1] + 0.0625 * sum[2];
            }
    mgrid_wrap(coarse, coarse->r);
}

/* Adds the coarse correction, interpolated between the coarse points, to the fine correction. */
static void mgrid_interpolate(const mgrid_cube *coarse, const mgrid_cube *fine) {
    int n = fine->n, w = fine->w, cw = coarse->w;
    const double *c = coarse->u;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++) {
                int a = i / 2, b = j / 2, d = k / 2, e = (i + 1) / 2, f = (j + 1) / 2,
                    g = (k + 1) / 2;
                fine->u[(i * w + j) * w + k] +=
                    0.125 * (c[(a * cw + b) * cw + d] + c[(a * cw + b) * cw + g] +
                             c[(a * cw + f) * cw + d] + c[(a * cw + f) * cw + g] +
                             c[(e * cw + b) * cw + d] + c[(e * cw + b) * cw + g] +
                             c[(e * cw + f) * cw + d] + c[(e * cw + f) * cw + g]);
            }
    mgrid_wrap(fine, fine->u);
}

static void mgrid_clear(const mgrid_cube *c) {
    for (size_t i = 0; i < mgrid_points(c); i++)
        c->u[i] = 0;
}

static void mgrid_cycle(mgrid *m) {
    for (int k = m->top; k > 0; k--)
        mgrid_restrict(&m->level[k], &m->level[k - 1]);
    mgrid_clear(&m->level[0]);
    mgrid_smooth(&m->level[0], m->level[0].u, m->level[0].r);
    for (int k = 1; k <= m->top; k++) {
        const mgrid_cube *c = &m->level[k];
        if (k < m->top)
            mgrid_clear(c);
        mgrid_interpolate(&m->level[k - 1], c);
        mgrid_residual(c, c->r, k < m->top ? c->r : m->v, c->u);
        mgrid_smooth(c, c->u, c->r);
    }
}

static mgrid mgrid_make(int n) {
    mgrid m = {0};
    while (2 << m.top < n)
        m.top++;
    for (int k = 0; k <= m.top; k++) {
        mgrid_cube *c = &m.level[k];
        c->n = 2 << k;
        c->w = c->n + 2;
        c->u = kernel_doubles(mgrid_points(c));
        c->r = kernel_doubles(mgrid_points(c));
    }
    m.v = kernel_doubles(mgrid_points(&m.level[m.top]));
    return m;
}

/* Places ten charges of each sign at random. */
static void mgrid_charge(mgrid *m) {
    const mgrid_cube *c = &m->level[m->top];
    uint64_t state = 1;
    for (int i = 0; i < 20; i++) {
        size_t x = kernel_random(&state) % (size_t)c->n + 1;
        size_t y = kernel_random(&state) % (size_t)c->n + 1;
        size_t z = kernel_random(&state) % (size_t)c->n + 1;
        m->v[(x * (size_t)c->w + y) * (size_t)c->w + z] = i % 2 ? 1 : -1;
    }
    mgrid_wrap(c, m->v);
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 4, 512, "mgrid N (a power of two)");
    if (n & (n - 1))
        n = kernel_argument(1, argv, 1, 4, 512, "mgrid N (a power of two)");
    mgrid m = mgrid_make(n);
    mgrid_charge(&m);
    const mgrid_cube *c = &m.level[m.top];
    mgrid_residual(c, c->r, m.v, c->u);
    for (int cycle = 0; cycle < MGRID_CYCLES; cycle++) {
        mgrid_cycle(&m);
        mgrid_residual(c, c->r, m.v, c->u);
    }
    double sum = 0;
    for (size_t i = 0; i < mgrid_points(c); i++)
        sum += c->r[i] * c->r[i];
    printf("mgrid %d: %.9g\n", n, sqrt(sum));
    return 0;
}
