/* Threads: a pool that runs one function on all workers, a background thread that runs one job at a
 * time, and a crew of threads that take their work from shared state. */
#ifndef RDI_THREADS_H
#define RDI_THREADS_H

#include "base/common.h"

#include <pthread.h>

typedef struct rdi_pool rdi_pool;

/* Makes a pool of `n` workers. The caller of rdi_pool_run() is worker 0, and n - 1 threads wait for
 * work. */
rd_status rdi_pool_new(rd_ctx *ctx, unsigned n, rdi_pool **out);
void rdi_pool_free(rdi_pool *pool);

/* Runs work(arg, worker) once for every worker and returns when all are done. */
void rdi_pool_run(rdi_pool *pool, void (*work)(void *arg, unsigned worker), void *arg);

/* A background thread that runs one job at a time. If the system cannot start a thread,
 * rdi_background_start() runs the job itself. */
typedef struct rdi_background rdi_background;
rd_status rdi_background_new(rd_ctx *ctx, rdi_background **out);
/* Waits for the current job, then ends the thread and frees `b`. */
void rdi_background_free(rdi_background *b);
/* Starts a job. The caller must have waited for the previous job. */
void rdi_background_start(rdi_background *b, void (*job)(void *arg), void *arg);
void rdi_background_wait(rdi_background *b);

/* A lock for shared state, with a condition to sleep on until the state changes. */
typedef struct rdi_monitor {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} rdi_monitor;

void rdi_monitor_init(rdi_monitor *m);
void rdi_monitor_fini(rdi_monitor *m);
void rdi_monitor_enter(rdi_monitor *m);
void rdi_monitor_leave(rdi_monitor *m);
/* Sleeps until rdi_monitor_wake() is called; it may also wake up spuriously. The caller must hold
 * the lock, which is released during the sleep. */
void rdi_monitor_wait(rdi_monitor *m);
void rdi_monitor_wake(rdi_monitor *m);

/* A crew: threads that each run work(arg, worker) once. Workers are numbered from 1. */
typedef struct rdi_crew rdi_crew;

/* Starts `n` threads. If the system cannot start all of them, the crew has fewer threads, or none; this
 * is not a failure. */
rd_status rdi_crew_new(rd_ctx *ctx, unsigned n, void (*work)(void *arg, unsigned worker), void *arg,
                       rdi_crew **out);
unsigned rdi_crew_size(const rdi_crew *crew); /* 0 if `crew` is NULL */
/* Waits until every work() has returned, and frees the crew. */
void rdi_crew_free(rdi_crew *crew);

#endif
