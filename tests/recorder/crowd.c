/* Starts many threads or processes, which record at the same time and wait for each other: none
 * continues before all have begun.
 *
 * usage: crowd threads|processes|destructors N
 *
 * With `destructors`, the program starts threads one after the other. Each thread ends in a
 * destructor of thread-specific data, which makes one more reference. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long words[4096];
static pthread_barrier_t all_have_begun;
static pthread_key_t key;

static void touch(long number) {
    words[number % 4096]++;
}

static void *wait_for_all(void *number) {
    touch((long)number);
    pthread_barrier_wait(&all_have_begun);
    touch((long)number);
    return NULL;
}

static void run_threads(long n) {
    pthread_t *threads = calloc((size_t)n, sizeof *threads);
    pthread_barrier_init(&all_have_begun, NULL, (unsigned)n);
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, wait_for_all, (void *)i) != 0)
            exit(3);
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* Starts n processes. Each of them waits for the end of file on a pipe, which comes when the parent
 * has started all of them. */
static void run_processes(long n) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        exit(3);
    for (long i = 0; i < n; i++) {
        pid_t child = fork();
        if (child < 0)
            exit(3);
        if (child == 0) {
            close(ends[1]);
            touch(i);
            ssize_t got = read(ends[0], &byte, 1);
            touch(i);
            _exit(got != 0);
        }
    }
    close(ends[1]);
    while (wait(NULL) > 0)
        continue;
}

static void touch_at_end(void *value) {
    touch((long)value);
}

static void *end_in_destructor(void *number) {
    touch((long)number);
    pthread_setspecific(key, (void *)((long)number + 1));
    return NULL;
}

static void run_destructors(long n) {
    pthread_key_create(&key, touch_at_end);
    for (long i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_in_destructor, (void *)i) != 0)
            exit(3);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    long n = atol(argv[2]);
    if (strcmp(argv[1], "threads") == 0)
        run_threads(n);
    else if (strcmp(argv[1], "processes") == 0)
        run_processes(n);
    else
        run_destructors(n);
    printf("%s: all have ended\n", argv[1]);
    return 0;
}
