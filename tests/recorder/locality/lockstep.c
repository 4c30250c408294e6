/* Multiplies two arrays element by element. Elements with the same index map to the same set of a
 * direct-mapped cache if PAD is 0, and to different sets if PAD is 8. */
#include <stdio.h>

#define N 32768
#ifndef PAD
#define PAD 0
#endif

static double first[N + PAD] __attribute__((aligned(64)));
static double second[N + PAD] __attribute__((aligned(64)));

int main(void) {
    double sum = 0;
    for (int i = 0; i < N; i++)
        first[i] = second[i] = i;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < N; i++)
            sum += first[i] * second[i]; /* planted */
    printf("%g\n", sum);
    return 0;
}
