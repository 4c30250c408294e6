/* forks: threads use a semaphore all the time, and another one forks children that post it.
 * forks plainly: makes 50 children by _Fork(). The parent makes 10,000 stores before each of them, and each child
 * makes 100,000 stores.
 * forks loading: forks a child while another thread has a lock of the dynamic loader. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3

static sem_t semaphore;
static volatile int numbers[1000];
static int stop;

static void *use(void *unused) {
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        sem_post(&semaphore);
        sem_wait(&semaphore);
    }
    return unused;
}

static void store(int n) {
    for (int i = 0; i < n; i++)
        numbers[i % 1000] = i;
}

static int fork_plainly(void) {
    for (int i = 0; i < 50; i++) {
        store(10000);
        pid_t child = _Fork();
        if (child == 0) {
            store(100000);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}

/* dl_iterate_phdr() has the lock while it calls this function, which waits until main() has forked, but not for
 * ever, because fork() may need the lock. */
static int keep_lock(struct dl_phdr_info *info, size_t bytes, void *unused) {
    (void)info, (void)bytes, (void)unused;
    sem_post(&semaphore);
    for (int i = 0; i < 100 && !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++)
        usleep(10000);
    return 1;
}

static void *iterate(void *unused) {
    dl_iterate_phdr(keep_lock, NULL);
    return unused;
}

static int fork_while_loading(void) {
    pthread_t thread;
    int status = 1;
    pthread_create(&thread, NULL, iterate, NULL);
    sem_wait(&semaphore);
    pid_t child = fork();
    if (child == 0) {
        store(100000);
        _exit(0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    return status;
}

int main(int argc, char **argv) {
    if (argc > 1)
        return strcmp(argv[1], "loading") == 0 ? fork_while_loading() : fork_plainly();
    pthread_t threads[THREADS];
    int good = 0;
    sem_init(&semaphore, 0, 2);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            sem_t own;
            sem_init(&own, 0, 0);
            _exit(sem_post(&semaphore) || sem_post(&own) || sem_wait(&own));
        }
        int status;
        good += waitpid(child, &status, 0) == child && status == 0;
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d children\n", good);
    return 0;
}
