/* Factorizes a matrix into L and U with partial pivoting. The matrix is restored before every
 * repetition. */
#include "kernel.h"

#include <math.h>

enum { LU_ROUNDS = 3 };

static void lu_swap_rows(int n, double *a, int i, int k) {
    for (int j = 0; j < n; j++) {
        double held = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = held;
    }
}

static int lu_pivot(int n, const double *a, int k) {
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
            best = i;
    return best;
}

static void lu_factor(int n, double *a) {
    for (int k = 0; k < n; k++) {
        int pivot = lu_pivot(n, a, k);
        if (pivot != k)
            lu_swap_rows(n, a, pivot, k);
        double scale = 1 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] *= scale;
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 1, 8192, "lu N");
    size_t points = (size_t)n * (size_t)n;
    double *original = kernel_doubles(points), *a = kernel_doubles(points);
    uint64_t state = 1;
    for (size_t i = 0; i < points; i++)
        original[i] = kernel_uniform(&state) - 0.5;
    double logarithm = 0;
    for (int round = 0; round < LU_ROUNDS; round++) {
        for (size_t i = 0; i < points; i++)
            a[i] = original[i];
        lu_factor(n, a);
        for (int i = 0; i < n; i++)
            logarithm += log(fabs(a[i * n + i]));
    }
    printf("lu %d: %.9g\n", n, logarithm);
    return 0;
}
