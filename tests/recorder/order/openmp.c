/* Starts threads of OpenMP that use the same data in a known order, because of parallel regions, critical
 * sections, barriers, loops and single constructs. */
#include <omp.h>
#include <stdio.h>

enum { STEPS = 12, THREADS = 3 };

static _Alignas(64) volatile long data[8];

static void use(int own) {
    for (int i = 0; i < 8; i++)
        data[i] += own + i;
}

int main(void) {
    for (int r = 0; r < STEPS; r++) {
        use(r);
#pragma omp parallel num_threads(THREADS)
        {
            for (int i = 0; i < 3; i++) {
#pragma omp critical
                use(i);
            }
#pragma omp barrier
#pragma omp single
            use(r);
#pragma omp for
            for (int i = 0; i < THREADS; i++)
                if (i == r % THREADS)
                    use(i);
#pragma omp master
            use(r);
        }
        use(r);
    }
    printf("%p %zu\n", (void *)(size_t)data, sizeof data);
    return 0;
}
