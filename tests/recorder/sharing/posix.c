/* Twelve small programs in one, with two POSIX threads each. Data whose name
 * begins with "false_", and `neighbors`, are falsely shared, unless FIXED
 * is defined: then each thread's data are in blocks of their own. All other data
 * are shared truly, only read, or not shared. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

enum { STEPS = 400 };
#define APART _Alignas(128)
#ifdef FIXED
#define APART_TOO _Alignas(64)
#define STRIDE    8 /* slots of 8 bytes in a block */
#define LITTLE    64
#else
#define APART_TOO
#define STRIDE 1
#define LITTLE 8
#endif

/* ---- false sharing ---- */

APART struct {
    APART_TOO volatile long left; /* two counters in one block, one per thread */
    APART_TOO volatile long right;
} false_counters;

APART volatile long false_slots[2 * STRIDE]; /* adjacent slots of an array, one per thread */

APART struct {
    APART_TOO pthread_spinlock_t lock; /* a lock, and data that another thread uses without it */
    APART_TOO volatile long value;
} false_locked;

typedef struct statistics {
    APART_TOO volatile long jobs;
    volatile long bytes;
} statistics;
APART statistics false_statistics[2]; /* statistics of the workers of a pool */

static volatile long *neighbors[2]; /* small allocations side by side */

APART struct {
    APART_TOO volatile long
        limit; /* read by one thread, beside data that the other thread writes */
    APART_TOO volatile long progress;
} false_limit;

/* ---- no false sharing ---- */

APART volatile long true_counter;

APART pthread_mutex_t true_mutex = PTHREAD_MUTEX_INITIALIZER;
APART volatile long true_protected[4]; /* used with the mutex */

APART struct { APART volatile long count; } none_padded[2];

APART const volatile long none_table[8] = {1, 2, 3, 4, 5, 6, 7, 8};

APART pthread_cond_t true_condition = PTHREAD_COND_INITIALIZER;
APART volatile long true_message[8]; /* handed over between two threads that alternate */
APART static int turn;

static pthread_barrier_t together;

/* ---- threads ---- */

static void count(int own) {
    volatile long *counter = own ? &false_counters.right : &false_counters.left;
    for (int i = 0; i < STEPS; i++)
        (*counter)++;
}

static void fill_slot(int own) {
    for (int i = 0; i < STEPS; i++)
        false_slots[own * STRIDE] += i;
}

static void use_lock(int own) {
    for (int i = 0; i < (own ? 4 * STEPS : STEPS); i++) {
        if (own) {
            false_locked.value++;
        } else {
            pthread_spin_lock(&false_locked.lock);
            pthread_spin_unlock(&false_locked.lock);
        }
    }
}

static void work_in_pool(int own) {
    for (int i = 0; i < STEPS; i++) {
        false_statistics[own].jobs++;
        false_statistics[own].bytes += i;
    }
}

static void use_neighbor(int own) {
    for (int i = 0; i < STEPS; i++)
        *neighbors[own] += i;
}

static void watch_limit(int own) {
    for (long i = 0; i < STEPS; i++) {
        if (own)
            false_limit.progress = i;
        else if (false_limit.limit > i)
            continue;
    }
}

static void share_counter(int own) {
    (void)own;
    for (int i = 0; i < STEPS; i++)
        __atomic_fetch_add(&true_counter, 1, __ATOMIC_RELAXED);
}

static void share_protected(int own) {
    for (int i = 0; i < STEPS / 8; i++) {
        pthread_mutex_lock(&true_mutex);
        for (int k = 0; k < 4; k++)
            true_protected[k] += own;
        pthread_mutex_unlock(&true_mutex);
    }
}

static void count_apart(int own) {
    for (int i = 0; i < STEPS; i++)
        none_padded[own].count++;
}

static void read_table(int own) {
    volatile long sum = own; /* on the stack */
    for (int i = 0; i < STEPS; i++)
        sum += none_table[i % 8];
}

static void hand_over(int own) {
    for (int i = 0; i < STEPS / 8; i++) {
        pthread_mutex_lock(&true_mutex);
        while (turn != own)
            pthread_cond_wait(&true_condition, &true_mutex);
        for (int k = 0; k < 8; k++)
            true_message[k] += k;
        turn = 1 - own;
        pthread_cond_signal(&true_condition);
        pthread_mutex_unlock(&true_mutex);
    }
}

static void use_own_memory(int own) {
    volatile long *memory = malloc(4096);
    for (int i = 0; i < STEPS; i++)
        memory[i % 512] = own;
    free((void *)memory);
}

static void (*const programs[])(int) = {count,        fill_slot,   use_lock,      work_in_pool,
                                        use_neighbor, watch_limit, share_counter, share_protected,
                                        count_apart,  read_table,  hand_over,     use_own_memory};

static void *run(void *own) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        pthread_barrier_wait(&together);
        programs[i](own != NULL);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&together, NULL, 2);
    pthread_spin_init(&false_locked.lock, 0);
    do { /* until two allocations share a block, unless they must not */
        neighbors[0] = neighbors[1];
        neighbors[1] = aligned_alloc(LITTLE, LITTLE);
    } while (LITTLE < 64 && (size_t)neighbors[0] / 64 != (size_t)neighbors[1] / 64);
    if (LITTLE == 64)
        neighbors[0] = aligned_alloc(LITTLE, LITTLE);
    *neighbors[0] = *neighbors[1] = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, i ? &turn : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
