/* Threads that only compute, and that are canceled asynchronously, at any instruction. */
#include <pthread.h>
#include <unistd.h>

#define THREADS 4

static volatile long values[16384];

static void *compute(void *nothing) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    while (1)
        for (int i = 0; i < 16384; i++)
            values[i]++;
    return nothing;
}

int main(void) {
    for (int round = 0; round < 20; round++) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, compute, NULL);
        usleep(1000);
        for (int i = 0; i < THREADS; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}
