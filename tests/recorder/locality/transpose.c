/* Transposes a matrix of 256 x 256 doubles. The rows of b have PAD more doubles than needed. Without
 * them, a column of b maps to few sets of a cache. */
#include <stdio.h>

#define N 256
#ifndef PAD
#define PAD 0
#endif

static double a[N][N], b[N][N + PAD];

int main(void) {
    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = i;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[j][i] = a[i][j]; /* planted */
    printf("%g\n", b[3][4]);
    return 0;
}
