/* Threads: a few that run the same function side by side, one that works in the background, and
 * some that find their own work in common state. */
#ifndef RDI_THREADS_H
#define RDI_THREADS_H

#include "base/common.h"

#include <pthread.h>

typedef struct rdi_pool rdi_pool;

/* `n` workers in all: the caller of rdi_pool_run() is worker 0, n - 1 threads wait for work. */
rd_status rdi_pool_new(rd_ctx *ctx, unsigned n, rdi_pool **out);
void rdi_pool_free(rdi_pool *pool);

/* Runs work(arg, worker) once for every worker and returns when all are done. */
void rdi_pool_run(rdi_pool *pool, void (*work)(void *arg, unsigned worker), void *arg);

/* One job at a time on a thread of its own. */
typedef struct rdi_background rdi_background;
rd_status rdi_background_new(rd_ctx *ctx, rdi_background **out);
/* Waits for the job under way, then ends the thread. */
void rdi_background_free(rdi_background *b);
/* The caller has waited for the job before. */
void rdi_background_start(rdi_background *b, void (*job)(void *arg), void *arg);
void rdi_background_wait(rdi_background *b);

/* A lock for common state, and a way to sleep until it changes. */
typedef struct rdi_monitor {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} rdi_monitor;

void rdi_monitor_init(rdi_monitor *m);
void rdi_monitor_fini(rdi_monitor *m);
void rdi_monitor_enter(rdi_monitor *m);
void rdi_monitor_leave(rdi_monitor *m);
/* Inside: sleeps until somebody calls rdi_monitor_wake(), or for no reason; others may enter. */
void rdi_monitor_wait(rdi_monitor *m);
void rdi_monitor_wake(rdi_monitor *m);

/* Threads of which each runs work(arg, worker) once, with the workers numbered from 1. */
typedef struct rdi_crew rdi_crew;

/* Starts `n` threads, or fewer when the system gives no more: RD_OK even then. */
rd_status rdi_crew_new(rd_ctx *ctx, unsigned n, void (*work)(void *arg, unsigned worker), void *arg,
                       rdi_crew **out);
unsigned rdi_crew_size(const rdi_crew *crew); /* 0 for NULL */
/* Waits until every work() has returned. */
void rdi_crew_free(rdi_crew *crew);

#endif
