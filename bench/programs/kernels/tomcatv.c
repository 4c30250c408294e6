/* Generates a mesh: smooths a curved mesh by solving the elliptic equations of Thompson, with one
 * tridiagonal system per column and iteration. */
#include "kernel.h"

#include <math.h>

enum { MESH_ROUNDS = 30 };

typedef struct mesh {
    int n;
    double *x, *y;   /* the mesh */
    double *rx, *ry; /* residuals, and later corrections */
    double *aa, *dd; /* off-diagonal and diagonal of the systems */
    double *d;       /* the diagonal after elimination */
} mesh;

static mesh mesh_make(int n) {
    size_t points = (size_t)n * (size_t)n;
    mesh m = {n,
              kernel_doubles(points),
              kernel_doubles(points),
              kernel_doubles(points),
              kernel_doubles(points),
              kernel_doubles(points),
              kernel_doubles(points),
              kernel_doubles(points)};
    double pi = 4 * atan(1.0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = (double)i / (n - 1), t = (double)j / (n - 1);
            m.x[j * n + i] = s + 0.1 * sin(pi * t) * s * (1 - s);
            m.y[j * n + i] = t + 0.2 * sin(pi * s) * (1 - t);
        }
    return m;
}

static void mesh_residuals(mesh *m) {
    int n = m->n;
    const double *x = m->x, *y = m->y;
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) {
            int at = j * n + i;
            double xx = x[at + 1] - x[at - 1], yx = y[at + 1] - y[at - 1];
            double xy = x[at + n] - x[at - n], yy = y[at + n] - y[at - n];
            double a = 0.25 * (xy * xy + yy * yy), b = 0.25 * (xx * xx + yx * yx);
            double c = 0.125 * (xx * xy + yx * yy);
            m->aa[at] = -b;
            m->dd[at] = 2 * b + a * (2.0 / 0.98);
            double pxx = x[at + 1] - 2 * x[at] + x[at - 1];
            double qxx = y[at + 1] - 2 * y[at] + y[at - 1];
            double pyy = x[at + n] - 2 * x[at] + x[at - n];
            double qyy = y[at + n] - 2 * y[at] + y[at - n];
            double pxy = x[at + n + 1] - x[at - n + 1] - x[at + n - 1] + x[at - n - 1];
            double qxy = y[at + n + 1] - y[at - n + 1] - y[at + n - 1] + y[at - n - 1];
            m->rx[at] = a * pxx + b * pyy - c * pxy;
            m->ry[at] = a * qxx + b * qyy - c * qxy;
        }
}

static double mesh_largest(const mesh *m) {
    int n = m->n;
    double largest = 0;
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) {
            largest = fmax(largest, fabs(m->rx[j * n + i]));
            largest = fmax(largest, fabs(m->ry[j * n + i]));
        }
    return largest;
}

/* Solves the systems, which run along j, for all i at once: forward elimination, then back
 * substitution. */
static void mesh_solve(mesh *m) {
    int n = m->n;
    double *rx = m->rx, *ry = m->ry, *aa = m->aa, *dd = m->dd, *d = m->d;
    for (int i = 1; i < n - 1; i++)
        d[n + i] = 1 / dd[n + i];
    for (int j = 2; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) {
            int at = j * n + i;
            double r = aa[at] * d[at - n];
            d[at] = 1 / (dd[at] - aa[at - n] * r);
            rx[at] -= rx[at - n] * r;
            ry[at] -= ry[at - n] * r;
        }
    for (int i = 1; i < n - 1; i++) {
        rx[(n - 2) * n + i] *= d[(n - 2) * n + i];
        ry[(n - 2) * n + i] *= d[(n - 2) * n + i];
    }
    for (int j = n - 3; j > 0; j--)
        for (int i = 1; i < n - 1; i++) {
            int at = j * n + i;
            rx[at] = (rx[at] - aa[at] * rx[at + n]) * d[at];
            ry[at] = (ry[at] - aa[at] * ry[at + n]) * d[at];
        }
}

static void mesh_correct(mesh *m) {
    int n = m->n;
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) {
            m->x[j * n + i] += m->rx[j * n + i];
            m->y[j * n + i] += m->ry[j * n + i];
        }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 5, 4096, "tomcatv N");
    mesh m = mesh_make(n);
    double largest = 0;
    for (int round = 0; round < MESH_ROUNDS; round++) {
        mesh_residuals(&m);
        largest = mesh_largest(&m);
        mesh_solve(&m);
        mesh_correct(&m);
    }
    printf("tomcatv %d: %.9g\n", n, largest);
    return 0;
}
