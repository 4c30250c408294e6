/* Starts four threads that end at once and joins each of them in a different way. The program prints the
 * threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 4 };

static void *end_at_once(void *nothing) {
    return nothing;
}

static struct timespec in_a_minute(clockid_t clock) {
    struct timespec moment;
    clock_gettime(clock, &moment);
    moment.tv_sec += 60;
    return moment;
}

int main(void) {
    static const char *const names[] = {"join", "tryjoin", "timedjoin", "clockjoin"};
    struct timespec real = in_a_minute(CLOCK_REALTIME), monotonic = in_a_minute(CLOCK_MONOTONIC);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, end_at_once, NULL);
    pthread_join(threads[0], NULL);
    while (pthread_tryjoin_np(threads[1], NULL) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    pthread_timedjoin_np(threads[2], NULL, &real);
    pthread_clockjoin_np(threads[3], NULL, CLOCK_MONOTONIC, &monotonic);
    for (int i = 0; i < THREADS; i++)
        printf("%s %#lx\n", names[i], (unsigned long)threads[i]);
    return 0;
}
