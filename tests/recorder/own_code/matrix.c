/* Sums a matrix that is stored by rows with an inner loop that goes down the columns. */
#include <stdlib.h>

enum { N = 220 };

static double sum_columns(const double *matrix) {
    double sum = 0;
    for (int column = 0; column < N; column++)
        for (int row = 0; row < N; row++)
            sum += matrix[row * N + column]; /* planted */
    return sum;
}

int main(void) {
    double *matrix = calloc(N * N, sizeof *matrix);
    double sum = 0;
    for (int round = 0; round < 3; round++)
        sum += sum_columns(matrix);
    free(matrix);
    return sum != 0;
}
