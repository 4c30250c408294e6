/* Implements threads on top of pthreads. See threads.h. */
#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* Number of times that a thread checks for work before it goes to sleep. The checks take a few
 * microseconds, which is less than waking up the thread would cost. */
#define SPIN_TURNS 256

/* The smallest stack of a thread in bytes. By default, a thread gets a stack as large as the limit
 * of the main stack (ulimit -s), or 128 KiB with musl. Either can be too small. */
#define STACK_BYTES ((size_t)1 << 20)

/* Starts a thread with a stack of at least STACK_BYTES. Returns 0 or an error number. */
static int start_thread(pthread_t *thread, void *(*work)(void *arg), void *arg) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    int error = pthread_attr_init(&attributes);
    if (error)
        return error;
    if (pthread_attr_getstacksize(&attributes, &bytes) != 0 || bytes < STACK_BYTES)
        error = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!error)
        error = pthread_create(thread, &attributes, work, arg);
    pthread_attr_destroy(&attributes);
    return error;
}

struct rdi_pool {
    rd_ctx *ctx;
    pthread_mutex_t lock;
    pthread_cond_t work_ready, work_done;
    void (*work)(void *arg, unsigned worker);
    void *arg;
    _Atomic uint64_t calls; /* number of rdi_pool_run() calls, plus one in rdi_pool_free() */
    _Atomic unsigned busy;  /* number of threads that still work for the current call */
    unsigned n_threads;     /* number of threads that were started */
    unsigned spin_turns;
    bool ending;
    struct pool_thread {
        rdi_pool *pool;
        unsigned worker;
        pthread_t thread;
    } threads[];
};

static inline void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits until a call later than number `seen` begins. */
static void await_call(rdi_pool *pool, uint64_t seen) {
    for (unsigned i = 0; i < pool->spin_turns; i++) {
        if (atomic_load(&pool->calls) != seen)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->calls) == seen)
        pthread_cond_wait(&pool->work_ready, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void *pool_main(void *arg) {
    struct pool_thread *self = arg;
    rdi_pool *pool = self->pool;
    for (uint64_t seen = 0;; seen++) {
        await_call(pool, seen);
        if (pool->ending)
            return NULL;
        pool->work(pool->arg, self->worker);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->work_done);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

/* Returns how often threads check for work before they sleep: 0 if there are more workers (`n`)
 * than processors, because a thread that only checks would take time from a thread that works. */
static unsigned choose_spin_turns(unsigned n) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors >= (long)n ? SPIN_TURNS : 0;
}

static rd_status fail_start(rd_ctx *ctx, int error) {
    return rdi_fail(ctx, RD_ENOMEM, "cannot start a thread: %s; use fewer threads",
                    strerror(error));
}

/* Counts a call and wakes the threads. The caller has already written everything that the threads read. */
static void start_call(rdi_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->calls, 1);
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->lock);
}

rd_status rdi_pool_new(rd_ctx *ctx, unsigned n, rdi_pool **out) {
    rdi_pool *pool = rdi_calloc(ctx, 1, sizeof *pool + n * sizeof pool->threads[0]);
    if (!pool)
        return RD_ENOMEM;
    pool->ctx = ctx;
    pool->spin_turns = choose_spin_turns(n);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    for (unsigned i = 0; i + 1 < n; i++) {
        struct pool_thread *t = &pool->threads[i];
        *t = (struct pool_thread){.pool = pool, .worker = i + 1};
        int error = start_thread(&t->thread, pool_main, t);
        if (error) {
            rdi_pool_free(pool);
            return fail_start(ctx, error);
        }
        pool->n_threads++;
    }
    *out = pool;
    return RD_OK;
}

void rdi_pool_free(rdi_pool *pool) {
    if (!pool)
        return;
    pool->ending = true;
    start_call(pool);
    for (unsigned i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->work_ready);
    pthread_cond_destroy(&pool->work_done);
    pthread_mutex_destroy(&pool->lock);
    rdi_free(pool->ctx, pool);
}

void rdi_pool_run(rdi_pool *pool, void (*work)(void *arg, unsigned worker), void *arg) {
    pool->work = work;
    pool->arg = arg;
    atomic_store(&pool->busy, pool->n_threads);
    start_call(pool);
    work(arg, 0);
    for (unsigned i = 0; i < pool->spin_turns && atomic_load(&pool->busy) > 0; i++)
        pause_briefly();
    if (atomic_load(&pool->busy) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy) > 0)
        pthread_cond_wait(&pool->work_done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

struct rdi_background {
    rd_ctx *ctx;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    void (*job)(void *arg); /* the current job; NULL: idle */
    void *arg;
    bool running; /* true: the thread was started */
    bool ending;
};

static void *background_main(void *arg) {
    rdi_background *b = arg;
    pthread_mutex_lock(&b->lock);
    while (true) {
        while (!b->job && !b->ending)
            pthread_cond_wait(&b->changed, &b->lock);
        if (!b->job)
            break;
        pthread_mutex_unlock(&b->lock);
        b->job(b->arg);
        pthread_mutex_lock(&b->lock);
        b->job = NULL;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

rd_status rdi_background_new(rd_ctx *ctx, rdi_background **out) {
    rdi_background *b = rdi_calloc(ctx, 1, sizeof *b);
    if (!b)
        return RD_ENOMEM;
    b->ctx = ctx;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->running = start_thread(&b->thread, background_main, b) == 0;
    *out = b;
    return RD_OK;
}

void rdi_background_start(rdi_background *b, void (*job)(void *arg), void *arg) {
    if (!b->running) {
        job(arg);
        return;
    }
    pthread_mutex_lock(&b->lock);
    b->job = job;
    b->arg = arg;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void rdi_background_wait(rdi_background *b) {
    pthread_mutex_lock(&b->lock);
    while (b->job)
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void rdi_background_free(rdi_background *b) {
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->ending = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (b->running)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    rdi_free(b->ctx, b);
}

/* ---- monitor ---- */

void rdi_monitor_init(rdi_monitor *m) {
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->changed, NULL);
}

void rdi_monitor_fini(rdi_monitor *m) {
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
}

void rdi_monitor_enter(rdi_monitor *m) {
    pthread_mutex_lock(&m->lock);
}

void rdi_monitor_leave(rdi_monitor *m) {
    pthread_mutex_unlock(&m->lock);
}

void rdi_monitor_wait(rdi_monitor *m) {
    pthread_cond_wait(&m->changed, &m->lock);
}

void rdi_monitor_wake(rdi_monitor *m) {
    pthread_cond_broadcast(&m->changed);
}

/* ---- crew ---- */

typedef struct crew_thread {
    rdi_crew *crew;
    unsigned worker;
    pthread_t thread;
} crew_thread;

struct rdi_crew {
    rd_ctx *ctx;
    void (*work)(void *arg, unsigned worker);
    void *arg;
    unsigned n; /* number of threads that were started */
    crew_thread threads[];
};

static void *crew_main(void *arg) {
    crew_thread *self = arg;
    self->crew->work(self->crew->arg, self->worker);
    return NULL;
}

rd_status rdi_crew_new(rd_ctx *ctx, unsigned n, void (*work)(void *arg, unsigned worker), void *arg,
                       rdi_crew **out) {
    rdi_crew *crew = rdi_calloc(ctx, 1, sizeof *crew + n * sizeof crew->threads[0]);
    if (!crew)
        return RD_ENOMEM;
    crew->ctx = ctx;
    crew->work = work;
    crew->arg = arg;
    for (; crew->n < n; crew->n++) {
        crew_thread *t = &crew->threads[crew->n];
        *t = (crew_thread){.crew = crew, .worker = crew->n + 1};
        if (start_thread(&t->thread, crew_main, t) != 0)
            break;
    }
    *out = crew;
    return RD_OK;
}

unsigned rdi_crew_size(const rdi_crew *crew) {
    return crew ? crew->n : 0;
}

void rdi_crew_free(rdi_crew *crew) {
    if (!crew)
        return;
    for (unsigned i = 0; i < crew->n; i++)
        pthread_join(crew->threads[i].thread, NULL);
    rdi_free(crew->ctx, crew);
}
