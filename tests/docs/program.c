/* The "./program INPUT" of the documents: multiplies matrices of the size that the file INPUT contains. */
#include <stdio.h>
#include <stdlib.h>

static double cell(const double *a, const double *b, int n, int row, int column) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    return sum;
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    int n = 0;
    if (!file || fscanf(file, "%d", &n) != 1 || n < 1 || n > 1000)
        return 1;
    fclose(file);
    double *a = calloc(3 * (size_t)n * (size_t)n, sizeof *a), *b = a + n * n, *c = b + n * n;
    if (!a)
        return 1;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n * n; i++)
            c[i] += cell(a, b, n, i / n, i % n);
    free(a);
    return 0;
}
