/* Starts two threads that synchronize a known number of times, in every way. The program prints the
 * addresses of its synchronization objects. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { LOCKS = 20, ROUNDS = 5, POSTS = 7, AT_FIRST = 2, PINGS = 6 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, turn_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int counter, turn;

static void lock_and_meet(void) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < ROUNDS; i++)
        pthread_barrier_wait(&barrier);
}

static void take_turns(int own) {
    for (int i = 0; i < PINGS; i++) {
        pthread_mutex_lock(&turn_mutex);
        while (turn != own)
            pthread_cond_wait(&turned, &turn_mutex);
        turn = 1 - own;
        pthread_cond_signal(&turned);
        pthread_mutex_unlock(&turn_mutex);
    }
}

static void *other(void *nothing) {
    lock_and_meet();
    for (int i = 0; i < POSTS; i++)
        sem_post(&semaphore);
    take_turns(1);
    return nothing;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, AT_FIRST);
    pthread_create(&thread, NULL, other, NULL);
    lock_and_meet();
    for (int i = 0; i < AT_FIRST + POSTS; i++)
        sem_wait(&semaphore);
    take_turns(0);
    pthread_join(thread, NULL);
    printf("mutex %p\nbarrier %p\nsemaphore %p\ncondition %p\nturns %p\nthread %#lx\n",
           (void *)&mutex, (void *)&barrier, (void *)&semaphore, (void *)&turned,
           (void *)&turn_mutex, (unsigned long)thread);
    return counter == 2 * LOCKS ? 0 : 1;
}
