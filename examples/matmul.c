/* Multiplies matrices in two ways, for docs/tutorial.md: the same sums in a different order.
 *
 *   matmul naive     one row of a times one column of b, for every element of c
 *   matmul tiled     the same in square tiles, so that loaded data is soon used again
 *
 * The program prints a checksum, which is the same for both: the numbers are small integers, so no
 * sum is rounded.
 */
#include <stdio.h>
#include <string.h>

enum { N = 80, TILE = 8 };

static _Alignas(64) double a[N][N], b[N][N], c[N][N];

static void fill(void) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = (i + j) % 7;
            b[i][j] = (i * j) % 5;
        }
    }
}

static void multiply_naive(void) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

/* Adds one tile of a times one tile of b to a tile of c. */
static void multiply_tile(int i0, int j0, int k0) {
    for (int i = i0; i < i0 + TILE; i++) {
        for (int j = j0; j < j0 + TILE; j++) {
            double sum = c[i][j];
            for (int k = k0; k < k0 + TILE; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

static void multiply_tiled(void) {
    for (int i = 0; i < N; i += TILE)
        for (int j = 0; j < N; j += TILE)
            for (int k = 0; k < N; k += TILE)
                multiply_tile(i, j, k);
}

int main(int argc, char **argv) {
    const char *how = argc == 2 ? argv[1] : "";
    if (strcmp(how, "naive") != 0 && strcmp(how, "tiled") != 0) {
        fprintf(stderr, "usage: matmul naive|tiled\n");
        return 2;
    }
    fill();
    if (strcmp(how, "naive") == 0)
        multiply_naive();
    else
        multiply_tiled();
    double checksum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            checksum += c[i][j] * (i + 2 * j + 1);
    printf("%.0f\n", checksum);
    return 0;
}
