/* Counts with four threads, one counter for each. The counters share a block, so every thread takes
 * the block away from the other threads: false sharing. With -DFIXED, every counter has a block of
 * its own. See docs/threads.md. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define ROUNDS  10000

#ifdef FIXED
#define ALIGNED __attribute__((aligned(64)))
#else
#define ALIGNED
#endif

typedef struct slot {
    volatile long count, sum; /* volatile, so that the compiler does not keep them in registers */
} ALIGNED slot;

static slot slots[THREADS] __attribute__((aligned(64)));

static pthread_barrier_t start; /* lets all threads begin at the same time */

static void *work(void *arg) {
    slot *own = arg;
    pthread_barrier_wait(&start);
    for (long i = 0; i < ROUNDS; i++) {
        own->count++;
        own->sum += i;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    long sum = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &slots[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += slots[i].sum;
    }
    printf("%ld\n", sum);
    return 0;
}
