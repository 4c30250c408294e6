/* Starts threads that use memory from the main thread, and allocate and release their own memory at
 * the same time. */
#include <pthread.h>
#include <stdlib.h>

#define WORKERS 4

static void fill(volatile long *words) {
    for (int i = 0; i < 50; i++)
        words[i] = i;
}

static void *work(void *given) {
    fill(given);
    for (int round = 0; round < 1000; round++) {
        long *own = malloc(50 * sizeof *own); /* site: own */
        fill(own);
        free(own);
    }
    return NULL;
}

int main(void) {
    pthread_t workers[WORKERS];
    long *given = malloc(50 * WORKERS * sizeof *given); /* site: given */
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, given + 50 * i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    free(given);
    return 0;
}
