/* Solves the shallow-water equations on a periodic plane: finite differences on a staggered grid
 * with a time filter, after the scheme of Sadourny (1975). There are fourteen arrays, and three
 * sweeps over them per step. */
#include "kernel.h"

#include <math.h>

enum { SWIM_STEPS = 20, SWIM_ARRAYS = 14 };

typedef struct swim_sea {
    int n, pitch; /* number of interior points per side, and length of a row with the border */
    double *u, *v, *p;
    double *u_new, *v_new, *p_new;
    double *u_old, *v_old, *p_old;
    double *cu, *cv, *z, *h, *psi;
} swim_sea;

static const double swim_dx = 1e5, swim_dy = 1e5, swim_dt = 90, swim_alpha = 0.001;

static swim_sea swim_make(int n) {
    swim_sea s = {.n = n, .pitch = n + 1};
    size_t points = (size_t)(n + 1) * (size_t)(n + 1);
    double **arrays[SWIM_ARRAYS] = {&s.u,     &s.v,     &s.p,     &s.u_new, &s.v_new,
                                    &s.p_new, &s.u_old, &s.v_old, &s.p_old, &s.cu,
                                    &s.cv,    &s.z,     &s.h,     &s.psi};
    for (int i = 0; i < SWIM_ARRAYS; i++)
        *arrays[i] = kernel_doubles(points);
    return s;
}

/* Copies the first row and column after the last ones, because the plane is a torus. */
static void swim_wrap(const swim_sea *s, double *a) {
    int n = s->n, w = s->pitch;
    for (int j = 0; j < n; j++)
        a[n * w + j] = a[j];
    for (int i = 0; i <= n; i++)
        a[i * w + n] = a[i * w];
}

static void swim_start(swim_sea *s) {
    int n = s->n, w = s->pitch;
    double turn = 8 * atan(1.0), d = turn / n;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            s->psi[i * w + j] = 1e6 * sin((i + 0.5) * d) * sin((j + 0.5) * d);
            s->p[i * w + j] = 50000 + 250 * (cos(2 * i * d) + cos(2 * j * d));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->u[i * w + j] = -(s->psi[i * w + j + 1] - s->psi[i * w + j]) / swim_dy;
            s->v[i * w + j] = (s->psi[(i + 1) * w + j] - s->psi[i * w + j]) / swim_dx;
        }
    swim_wrap(s, s->u);
    swim_wrap(s, s->v);
    for (int i = 0; i < (n + 1) * w; i++) {
        s->u_old[i] = s->u[i];
        s->v_old[i] = s->v[i];
        s->p_old[i] = s->p[i];
    }
}

/* Computes mass fluxes, potential vorticity and height. */
static void swim_fluxes(swim_sea *s) {
    int n = s->n, w = s->pitch;
    const double *u = s->u, *v = s->v, *p = s->p;
    double fx = 4 / swim_dx, fy = 4 / swim_dy;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            int at = i * w + j, up = at - w, left = at - 1;
            s->cu[at] = 0.5 * (p[at] + p[up]) * u[at];
            s->cv[at] = 0.5 * (p[at] + p[left]) * v[at];
            s->z[at] = (fx * (v[at] - v[up]) - fy * (u[at] - u[left])) /
                       (p[up - 1] + p[up] + p[at] + p[left]);
            s->h[up - 1] = p[up - 1] + 0.25 * (u[up - 1] * u[up - 1] + u[left] * u[left] +
                                               v[up - 1] * v[up - 1] + v[up] * v[up]);
        }
    for (int i = 1; i <= n; i++) {
        s->cu[i * w] = s->cu[i * w + n];
        s->cv[i * w] = s->cv[i * w + n];
        s->z[i * w] = s->z[i * w + n];
    }
    for (int j = 0; j <= n; j++) {
        s->cu[j] = s->cu[n * w + j];
        s->cv[j] = s->cv[n * w + j];
        s->z[j] = s->z[n * w + j];
    }
    swim_wrap(s, s->h);
}

static void swim_advance(swim_sea *s, double dt) {
    int n = s->n, w = s->pitch;
    const double *cu = s->cu, *cv = s->cv, *z = s->z, *h = s->h;
    double t8 = dt / 8, tx = dt / swim_dx, ty = dt / swim_dy;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at = i * w + j, down = at + w, right = at + 1;
            s->u_new[at] =
                s->u_old[at] +
                t8 * (z[right] + z[at]) * (cv[right] + cv[at] + cv[down + 1] + cv[down]) -
                tx * (h[down] - h[at]);
            s->v_new[at] = s->v_old[at] -
                           t8 * (z[down] + z[at]) * (cu[down] + cu[at] + cu[down + 1] + cu[right]) -
                           ty * (h[right] - h[at]);
            s->p_new[at] = s->p_old[at] - tx * (cu[down] - cu[at]) - ty * (cv[right] - cv[at]);
        }
    swim_wrap(s, s->u_new);
    swim_wrap(s, s->v_new);
    swim_wrap(s, s->p_new);
}

/* Applies the time filter to one field. */
static void swim_smooth(const swim_sea *s, double *now, double *old, const double *next) {
    int n = s->n, w = s->pitch;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            int at = i * w + j;
            double present = now[at];
            old[at] = present + swim_alpha * (next[at] - 2 * present + old[at]);
            now[at] = next[at];
        }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 4, 4096, "swim N");
    swim_sea s = swim_make(n);
    swim_start(&s);
    for (int step = 0; step < SWIM_STEPS; step++) {
        swim_fluxes(&s);
        swim_advance(&s, step ? 2 * swim_dt : swim_dt);
        swim_smooth(&s, s.u, s.u_old, s.u_new);
        swim_smooth(&s, s.v, s.v_old, s.v_new);
        swim_smooth(&s, s.p, s.p_old, s.p_new);
    }
    double sum = 0;
    for (int i = 0; i < n * s.pitch; i++)
        sum += s.p[i] + s.u[i] + s.v[i];
    printf("swim %d: %.9g\n", n, sum / (n * n));
    return 0;
}
