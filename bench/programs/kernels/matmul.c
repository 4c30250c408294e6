/* Multiplies matrices with three nested loops, as in textbooks: rows of A times columns of B. */
#include "kernel.h"

enum { MATMUL_ROUNDS = 3 };

static void matmul_multiply(int n, double *c, const double *a, const double *b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv) {
    int n = kernel_argument(argc, argv, 1, 1, 8192, "matmul N [ROUNDS]");
    int rounds =
        argc > 2 ? kernel_argument(argc, argv, 2, 1, 1000, "matmul N [ROUNDS]") : MATMUL_ROUNDS;
    size_t points = (size_t)n * (size_t)n;
    double *a = kernel_doubles(points), *b = kernel_doubles(points), *c = kernel_doubles(points);
    uint64_t state = 1;
    for (size_t i = 0; i < points; i++) {
        a[i] = kernel_uniform(&state);
        b[i] = kernel_uniform(&state);
    }
    for (int round = 0; round < rounds; round++)
        matmul_multiply(n, c, a, b);
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += c[i * n + i];
    printf("matmul %d: %.9g\n", n, trace);
    return 0;
}
