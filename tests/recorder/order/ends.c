/* A program that ends while one of its threads runs: by exit(), by a crash or by SIGKILL. A second
 * thread has ended before. With "leave", the first thread ends first, and the program ends with the last
 * thread. With "stay", the last thread then records more than a buffer holds, with pauses in which the
 * analyzer looks for recorders that have ended. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static volatile long counter;

static void *end_soon(void *nothing) {
    counter++;
    return nothing;
}

static void *run_on(void *nothing) {
    pthread_barrier_wait(&barrier);
    while (1) {
        counter++;
        usleep(100);
    }
    return nothing;
}

static void *end_last(void *first) {
    pthread_join(*(pthread_t *)first, NULL);
    counter++;
    return NULL;
}

static void *stay(void *first) {
    end_last(first);
    for (int i = 0; i < 100000; i++) {
        counter++;
        if (i % 30000 == 0)
            usleep(200000);
    }
    return NULL;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&threads[0], NULL, end_soon, NULL);
    pthread_join(threads[0], NULL);
    if (strcmp(how, "leave") == 0 || strcmp(how, "stay") == 0) {
        static pthread_t first;
        first = pthread_self();
        pthread_create(&threads[1], NULL, strcmp(how, "stay") == 0 ? stay : end_last, &first);
        pthread_exit(NULL);
    }
    pthread_create(&threads[1], NULL, run_on, NULL);
    pthread_barrier_wait(&barrier);
    if (strcmp(how, "crash") == 0)
        *(volatile int *)NULL = 1;
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    exit(0);
}
