/* A few threads that run the same function side by side, and one that works in the background. */
#ifndef RDI_THREADS_H
#define RDI_THREADS_H

#include "base/base.h"

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

#endif
