/* Detects new threads, processes that _Fork() makes and the end of the program by exec(), and reports
 * where threads release each other and wait for each other, and where they wait for the end of a process.
 * For this, functions of POSIX threads, _Fork(), exec(), wait() and similar functions are defined here and
 * call those of the C library.
 *
 * This works only in dynamically linked programs, because in static ones these definitions would
 * replace the C library's functions. This file is in a separate archive, from which reusedist-cc
 * requests the symbol recorder_sees_threads. Libraries of the program, such as those of C++ and OpenMP,
 * call these functions too.
 *
 * A function that releases is reported before the C library's function is called, and a function
 * that waits is reported afterwards. A release hands over the records of its thread, so that it
 * comes before the acquires of the threads that it releases.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char recorder_sees_threads;
const char recorder_sees_threads = 1;

#define VISIBLE __attribute__((visibility("default")))

/* Declares `next` and sets it to the C library's function `name`. `next` is a union, because ISO C
 * has no conversion between object and function pointers. */
#define FIND_NEXT(name)                                                                            \
    static union {                                                                                 \
        void *object;                                                                              \
        __typeof__(name) *function;                                                                \
    } next;                                                                                        \
    if (!__atomic_load_n(&next.object, __ATOMIC_RELAXED))                                          \
    __atomic_store_n(&next.object, dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED)

static void release(const volatile void *object) {
    runtime_sync(RD_EVENT_SYNC_RELEASE, object, 0);
}

static void acquire(int success, const volatile void *object) {
    if (success)
        runtime_sync(RD_EVENT_SYNC_ACQUIRE, object, 0);
}

/* ---- numbered objects ---- */

/* A barrier or a semaphore. */
typedef struct counted {
    const volatile void *object; /* NULL: the entry is free */
    uint64_t
        releases;    /* number of releases so far: arrivals at a barrier, or posts of a semaphore */
    uint64_t opened; /* barrier: number of arrivals when a thread last found it open. Semaphore:
                          number of waits that have ended */
    uint64_t at_first; /* semaphore: its value before its first call */
} counted;

#define COUNTED 4096 /* number of entries; an object without an entry is not numbered */
static counted all_counted[COUNTED];
static int counted_lock;
static __thread int counting; /* true: this thread has the lock; signal handlers must not wait */

static int lock_counted(void) {
    if (counting)
        return 0;
    counting = 1;
    while (__atomic_exchange_n(&counted_lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    return 1;
}

static void unlock_counted(void) {
    __atomic_store_n(&counted_lock, 0, __ATOMIC_RELEASE);
    counting = 0;
}

/* Returns the entry of an object, which is made with `at_first` if there is none, or NULL if all 64
 * entries that the object may have belong to other objects. */
static counted *find_counted(const volatile void *object, uint64_t at_first) {
    uint64_t start = (uint64_t)(uintptr_t)object / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (uint64_t i = 0; i < 64; i++) {
        counted *c = &all_counted[(start + i) % COUNTED];
        if (!c->object)
            *c = (counted){.object = object, .at_first = at_first};
        if (c->object == object)
            return c;
    }
    return NULL;
}

/* Returns the value of a semaphore of glibc, which is in the lower half of its first word. */
static uint64_t value_of(const sem_t *semaphore) {
    return *(const volatile uint32_t *)(const volatile void *)semaphore;
}

/* Reports a release of a barrier or semaphore. Returns the number of the release, or 0 if it has
 * no number or was not reported. `at_first` is the value of the semaphore before the release. */
static uint64_t release_counted(const volatile void *object, uint64_t at_first) {
    if (!runtime_tells_sync() || !lock_counted())
        return 0;
    counted *c = find_counted(object, at_first);
    uint64_t number = c ? ++c->releases : 0;
    runtime_sync(RD_EVENT_SYNC_RELEASE, object, number);
    unlock_counted();
    return number;
}

/* Reports that a thread whose arrival has the number `own` has passed a barrier. The thread waited
 * for all arrivals that opened the barrier. When the first thread passes, all of these
 * arrivals have been counted, but no arrival for the next use of the barrier. */
static void pass_barrier(const volatile void *barrier, uint64_t own) {
    if (!runtime_tells_sync() || !lock_counted())
        return;
    counted *c = find_counted(barrier, 0);
    if (c && own > c->opened)
        c->opened = c->releases;
    runtime_sync(RD_EVENT_SYNC_ACQUIRE, barrier, c && own ? c->opened : 0);
    unlock_counted();
}

/* Reports that a thread has passed a semaphore, if `success` is true. If the semaphore had the
 * value V at first, the first V waits wait for nothing, and wait number V + n waits for post number
 * n. */
static void pass_semaphore(int success, const sem_t *semaphore, uint64_t at_first) {
    if (!success || !runtime_tells_sync() || !lock_counted())
        return;
    counted *c = find_counted(semaphore, at_first);
    if (!c)
        runtime_sync(RD_EVENT_SYNC_ACQUIRE, semaphore, 0);
    else if (++c->opened > c->at_first)
        runtime_sync(RD_EVENT_SYNC_ACQUIRE, semaphore, c->opened - c->at_first);
    unlock_counted();
}

static void forget_counted(const volatile void *object) {
    if (!runtime_tells_sync() || !lock_counted())
        return;
    counted *c = find_counted(object, 0);
    if (c)
        *c = (counted){.object = object};
    unlock_counted();
}

/* Another thread may have had the lock at fork(), and does not exist in the child. The analyzer has seen
 * no releases of the child yet. */
void counted_restart_in_child(void) {
    __atomic_store_n(&counted_lock, 0, __ATOMIC_RELAXED);
    if (runtime_tells_sync())
        memset(all_counted, 0, sizeof all_counted);
}

/* ---- threads ---- */

typedef void *start_function(void *);

/* The function of a new thread, and its argument. */
typedef struct beginning {
    start_function *start;
    void *argument;
    int used;
} beginning;

#define BEGINNINGS 1024 /* maximum number of threads that are created but have not begun to run */
static beginning beginnings[BEGINNINGS];

static void *begin_thread(void *memory) {
    beginning own = *(beginning *)memory;
    runtime_begin_thread();
    acquire(1, memory);
    acquire(1, (void *)(uintptr_t)pthread_self());
    __atomic_store_n(&((beginning *)memory)->used, 0, __ATOMIC_RELEASE);
    return own.start(own.argument);
}

/* Returns an entry for a new thread, after reporting a release that the thread will acquire.
 * Returns NULL if there is no analyzer or no free entry. */
static beginning *prepare_thread(start_function *start, void *argument) {
    for (int i = 0; runtime_is_recorded() && i < BEGINNINGS; i++) {
        beginning *b = &beginnings[i];
        if (__atomic_load_n(&b->used, __ATOMIC_RELAXED) ||
            __atomic_exchange_n(&b->used, 1, __ATOMIC_ACQUIRE))
            continue;
        b->start = start;
        b->argument = argument;
        release(b);
        return b;
    }
    return NULL;
}

VISIBLE int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           start_function *start, void *argument) {
    FIND_NEXT(pthread_create);
    runtime_before_thread();
    beginning *b = prepare_thread(start, argument);
    if (!b)
        return next.function(thread, attributes, start, argument);
    runtime_count_thread(1);
    int status = next.function(thread, attributes, begin_thread, b);
    if (status != 0) {
        runtime_count_thread(-1);
        __atomic_store_n(&b->used, 0, __ATOMIC_RELEASE);
    }
    return status;
}

/* ---- functions that wait, and functions that release ---- */

/* Defines a function that has acquired its first argument when it returns 0. */
#define ACQUIRER(name, parameters, arguments, object)                                              \
    VISIBLE int name parameters {                                                                  \
        FIND_NEXT(name);                                                                           \
        int status = next.function arguments;                                                      \
        acquire(status == 0, object);                                                              \
        return status;                                                                             \
    }

/* Defines a function that releases its argument. */
#define RELEASER_OF(name, type)                                                                    \
    VISIBLE int name(type *object) {                                                               \
        FIND_NEXT(name);                                                                           \
        release(object);                                                                           \
        return next.function(object);                                                              \
    }

typedef const struct timespec deadline;

ACQUIRER(pthread_join, (pthread_t thread, void **result), (thread, result),
         (void *)(uintptr_t)thread)
ACQUIRER(pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result),
         (void *)(uintptr_t)thread)
ACQUIRER(pthread_timedjoin_np, (pthread_t thread, void **result, deadline *until),
         (thread, result, until), (void *)(uintptr_t)thread)
ACQUIRER(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t clock, deadline *until),
         (thread, result, clock, until), (void *)(uintptr_t)thread)

ACQUIRER(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), mutex)
ACQUIRER(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), mutex)
ACQUIRER(pthread_mutex_timedlock, (pthread_mutex_t * mutex, deadline *until), (mutex, until), mutex)
ACQUIRER(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, deadline *until),
         (mutex, clock, until), mutex)
RELEASER_OF(pthread_mutex_unlock, pthread_mutex_t)

ACQUIRER(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), lock)
ACQUIRER(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock), lock)
ACQUIRER(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, deadline *until), (lock, until),
         lock)
ACQUIRER(pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, deadline *until),
         (lock, clock, until), lock)
ACQUIRER(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), lock)
ACQUIRER(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock), lock)
ACQUIRER(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, deadline *until), (lock, until),
         lock)
ACQUIRER(pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, deadline *until),
         (lock, clock, until), lock)
RELEASER_OF(pthread_rwlock_unlock, pthread_rwlock_t)

ACQUIRER(pthread_spin_lock, (pthread_spinlock_t * lock), (lock), lock)
ACQUIRER(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock), lock)
RELEASER_OF(pthread_spin_unlock, pthread_spinlock_t)

RELEASER_OF(pthread_cond_signal, pthread_cond_t)
RELEASER_OF(pthread_cond_broadcast, pthread_cond_t)

/* Defines a function that waits for a condition: it releases the mutex when it is called. When it
 * returns, it has acquired the mutex again, and the condition unless it has failed. */
#define WAITER(name, parameters, arguments)                                                        \
    VISIBLE int name parameters {                                                                  \
        FIND_NEXT(name);                                                                           \
        release(mutex);                                                                            \
        int status = next.function arguments;                                                      \
        acquire(status == 0, condition);                                                           \
        acquire(1, mutex);                                                                         \
        return status;                                                                             \
    }

WAITER(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), (condition, mutex))
WAITER(pthread_cond_timedwait,
       (pthread_cond_t * condition, pthread_mutex_t *mutex, deadline *until),
       (condition, mutex, until))
WAITER(pthread_cond_clockwait,
       (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, deadline *until),
       (condition, mutex, clock, until))

VISIBLE int pthread_barrier_wait(pthread_barrier_t *barrier) {
    FIND_NEXT(pthread_barrier_wait);
    uint64_t own = release_counted(barrier, 0);
    int status = next.function(barrier);
    pass_barrier(barrier, own);
    return status;
}

VISIBLE int sem_init(sem_t *semaphore, int shared, unsigned value) {
    FIND_NEXT(sem_init);
    forget_counted(semaphore);
    int status = next.function(semaphore, shared, value);
    if (status == 0 && runtime_tells_sync() && lock_counted()) {
        counted *c = find_counted(semaphore, value);
        if (c)
            c->at_first = value;
        unlock_counted();
    }
    return status;
}

VISIBLE int sem_post(sem_t *semaphore) {
    FIND_NEXT(sem_post);
    release_counted(semaphore, value_of(semaphore));
    return next.function(semaphore);
}

#define SEMAPHORE_WAITER(name, parameters, arguments)                                              \
    VISIBLE int name parameters {                                                                  \
        FIND_NEXT(name);                                                                           \
        uint64_t at_first = value_of(semaphore);                                                   \
        int status = next.function arguments;                                                      \
        pass_semaphore(status == 0, semaphore, at_first);                                          \
        return status;                                                                             \
    }

SEMAPHORE_WAITER(sem_wait, (sem_t * semaphore), (semaphore))
SEMAPHORE_WAITER(sem_trywait, (sem_t * semaphore), (semaphore))
SEMAPHORE_WAITER(sem_timedwait, (sem_t * semaphore, deadline *until), (semaphore, until))
SEMAPHORE_WAITER(sem_clockwait, (sem_t * semaphore, clockid_t clock, deadline *until),
                 (semaphore, clock, until))

/* ---- processes ---- */

#if __GLIBC_PREREQ(2, 34)
VISIBLE pid_t _Fork(void) {
    FIND_NEXT(_Fork);
    return runtime_fork(next.function);
}
#endif

/* These functions are weak, because a program may have functions of its own with such common names. */
#define WEAK __attribute__((visibility("default"), weak))

/* Defines a function that returns the id of the process whose end it has waited for. */
#define CHILD_WAITER(name, parameters, arguments)                                                  \
    WEAK pid_t name parameters {                                                                   \
        FIND_NEXT(name);                                                                           \
        pid_t child = next.function arguments;                                                     \
        if (child > 0)                                                                             \
            runtime_follow_processes();                                                            \
        return child;                                                                              \
    }

CHILD_WAITER(wait, (int *status), (status))
CHILD_WAITER(waitpid, (pid_t process, int *status, int options), (process, status, options))
CHILD_WAITER(wait3, (int *status, int options, struct rusage *usage), (status, options, usage))
CHILD_WAITER(wait4, (pid_t process, int *status, int options, struct rusage *usage),
             (process, status, options, usage))

WEAK int waitid(idtype_t which, id_t process, siginfo_t *info, int options) {
    FIND_NEXT(waitid);
    int status = next.function(which, process, info, options);
    if (status == 0)
        runtime_follow_processes();
    return status;
}

/* ---- functions that replace the program ---- */

#define EXECUTOR(name, parameters, arguments)                                                      \
    WEAK int name parameters {                                                                     \
        FIND_NEXT(name);                                                                           \
        int begun = runtime_begin_exec();                                                          \
        int status = next.function arguments;                                                      \
        runtime_fail_exec(begun);                                                                  \
        return status;                                                                             \
    }

typedef char *const *strings;

EXECUTOR(execv, (const char *path, strings arguments), (path, arguments))
EXECUTOR(execve, (const char *path, strings arguments, strings environment),
         (path, arguments, environment))
EXECUTOR(execvp, (const char *file, strings arguments), (file, arguments))
EXECUTOR(execvpe, (const char *file, strings arguments, strings environment),
         (file, arguments, environment))
EXECUTOR(fexecve, (int fd, strings arguments, strings environment), (fd, arguments, environment))

/* Defines a function with a list of arguments. `call` must call a function with an array. */
#define LIST_EXECUTOR(name, call)                                                                  \
    WEAK int name(const char *path, const char *first, ...) {                                      \
        size_t n = 1;                                                                              \
        va_list list;                                                                              \
        va_start(list, first);                                                                     \
        while (va_arg(list, char *))                                                               \
            n++;                                                                                   \
        va_end(list);                                                                              \
        char **array = __builtin_alloca((n + 1) * sizeof *array);                                  \
        array[0] = (char *)(uintptr_t)first;                                                       \
        va_start(list, first);                                                                     \
        for (size_t i = 1; i <= n; i++)                                                            \
            array[i] = va_arg(list, char *);                                                       \
        int status = call;                                                                         \
        va_end(list);                                                                              \
        return status;                                                                             \
    }

LIST_EXECUTOR(execl, execv(path, array))
LIST_EXECUTOR(execlp, execvp(path, array))
LIST_EXECUTOR(execle, execve(path, array, va_arg(list, strings)))
