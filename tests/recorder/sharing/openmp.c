/* Four small programs in one, with two threads of OpenMP each; see posix.c. */
#include <omp.h>

enum { STEPS = 400 };
#define APART _Alignas(128)
#ifdef FIXED
#define STRIDE(type) (64 / sizeof(type))
#else
#define STRIDE(type) 1
#endif

APART volatile long false_sums[16];  /* partial sums, one per thread */
APART volatile char false_done[128]; /* flags, one per thread */
APART volatile long none_halves[64]; /* each thread has a half, in blocks of its own */
APART long none_total;

int main(void) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < STEPS; i++)
        false_sums[omp_get_thread_num() * STRIDE(long)] += i;
#pragma omp parallel num_threads(2)
    for (int i = 0; i < STEPS; i++)
        false_done[omp_get_thread_num() * STRIDE(char)] = (char)i;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 8; k++)
            none_halves[i] += k;
    long total = 0;
#pragma omp parallel for num_threads(2) reduction(+ : total)
    for (int i = 0; i < STEPS; i++)
        total += none_halves[i % 64 / 32 * 32];
    none_total = total;
    return 0;
}
