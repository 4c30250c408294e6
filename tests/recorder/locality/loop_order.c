/* A planted locality problem: loops in the wrong order.
 *
 * The matrix is stored row by row and summed column by column, so every reference goes to another
 * block, and a block is reused only after a whole column. The line that causes the misses is marked
 * "planted", in column_sums(). The data that miss are the matrix that new_matrix() allocates.
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS    1024
#define COLUMNS 512

static double *new_matrix(void) {
    double *m = malloc(ROWS * COLUMNS * sizeof *m); /* the data */
    for (size_t i = 0; m && i < ROWS * COLUMNS; i++)
        m[i] = (double)(i % 7);
    return m;
}

static void column_sums(const double *m, double *sums) {
    for (size_t column = 0; column < COLUMNS; column++)
        for (size_t row = 0; row < ROWS; row++)
            sums[column] += m[row * COLUMNS + column]; /* planted */
}

int main(void) {
    double *m = new_matrix(), *sums = calloc(COLUMNS, sizeof *sums);
    if (!m || !sums)
        return 1;
    column_sums(m, sums);
    printf("%g\n", sums[0] + sums[COLUMNS - 1]);
    free(sums);
    free(m);
    return 0;
}
