/* Starts threads that use the same data in a known order, because they wait for each other. The arguments
 * name the ways to wait, which are tried one after the other. With "unordered", the threads do not wait.
 * The program prints the address and the size of the data. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 40 };

static _Alignas(64) volatile long data[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphores[2];
static int turn;

static void use(int own) {
    for (int i = 0; i < 8; i++)
        data[i] += own + i;
}

static void *lock(void *own) {
    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&mutex);
        use(own != NULL);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *read_and_write(void *own) {
    for (int i = 0; i < STEPS; i++) {
        pthread_rwlock_wrlock(&rwlock);
        use(own != NULL);
        pthread_rwlock_unlock(&rwlock);
    }
    return NULL;
}

/* Runs the producer or the consumer, which alternate. */
static void *alternate(void *own) {
    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&mutex);
        while (turn != (own != NULL))
            pthread_cond_wait(&turned, &mutex);
        use(own != NULL);
        turn = own == NULL;
        pthread_cond_signal(&turned);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *meet(void *own) {
    for (int i = 0; i < STEPS; i++) {
        if (i % 2 == (own != NULL))
            use(own != NULL);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void *post(void *own) {
    for (int i = 0; i < STEPS; i++) {
        sem_wait(&semaphores[own != NULL]);
        use(own != NULL);
        sem_post(&semaphores[own == NULL]);
    }
    return NULL;
}

static void *just_use(void *own) {
    for (int i = 0; i < STEPS; i++)
        use(own != NULL);
    return NULL;
}

/* Runs one of two threads that begin at the same time and do not wait for each other afterwards. */
static void *hurry(void *own) {
    pthread_barrier_wait(&barrier);
    return just_use(own);
}

/* Creates threads one after the other, and uses the data before, between and after them. */
static void create_and_join(void) {
    for (int i = 0; i < STEPS / 4; i++) {
        pthread_t thread;
        use(1);
        pthread_create(&thread, NULL, just_use, NULL);
        pthread_join(thread, NULL);
        use(2);
    }
}

static void run_two(void *(*run)(void *)) {
    pthread_t threads[2];
    for (int k = 0; k < 2; k++)
        pthread_create(&threads[k], NULL, run, k ? &turn : NULL);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void *(*run)(void *);
    } ways[] = {{"mutex", lock},   {"rwlock", read_and_write}, {"condition", alternate},
                {"barrier", meet}, {"semaphore", post},        {"unordered", hurry}};
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphores[0], 0, 1);
    sem_init(&semaphores[1], 0, 0);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "creation") == 0)
            create_and_join();
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strcmp(argv[i], ways[k].name) == 0)
                run_two(ways[k].run);
    }
    printf("%p %zu\n", (void *)(size_t)data, sizeof data);
    return 0;
}
