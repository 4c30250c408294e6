/* What engines share that answer a round at a time: threads, buffers, counting.
 *
 * Such an engine collects references, works on all of them at once, and delivers their distances.
 * With several threads every worker has a part of the round, and, unless somebody wants single
 * distances, a histogram of its own.
 */
#ifndef RDI_ROUND_H
#define RDI_ROUND_H

#include "base/threads.h"
#include "engine/core/plugin.h"

/* Memory that grows. */
typedef struct rdi_room {
    void *at;
    size_t bytes;
} rdi_room;

/* At least n * size bytes; what was in it may be lost. */
rd_status rdi_room_fit(rd_ctx *ctx, rdi_room *room, size_t n, size_t size);
/* The same, but what was in it stays. */
rd_status rdi_room_grow(rd_ctx *ctx, rdi_room *room, size_t n, size_t size);
void rdi_room_free(rd_ctx *ctx, rdi_room *room);

typedef struct rdi_round {
    rdi_run *run;
    unsigned n_workers;
    unsigned active;   /* of them, those with a part of the present round */
    rdi_pool *pool;    /* NULL: one worker, the caller */
    rdi_hist **hist;   /* per worker; NULL: everything goes through rdi_engine_deliver() */
    rd_status *status; /* per worker, of the counting */
} rdi_round;

rd_status rdi_round_open(rdi_round *p, rdi_run *run);
void rdi_round_close(rdi_round *p); /* tolerates half-open state */

/* The next round has n things; a worker is worth waking up for `least` of them. */
void rdi_round_share(rdi_round *p, size_t n, size_t least);

/* Runs work(arg, worker) once for every active worker, perhaps for others (their parts are empty),
 * and returns when all are done. */
void rdi_round_run(const rdi_round *p, void (*work)(void *arg, unsigned worker), void *arg);

/* The next n distances: counted, and passed on to whoever wants them. */
rd_status rdi_round_deliver(rdi_round *p, const uint64_t *dist, size_t n);

/* At the end: everything that the workers have counted goes into the run's histogram. */
rd_status rdi_round_finish(rdi_round *p);

/* Where the part of this worker begins, out of n things. It ends where the next one begins. */
static inline size_t rdi_round_begin(const rdi_round *p, size_t n, unsigned worker) {
    return worker < p->active ? (size_t)((rdi_u128)n * worker / p->active) : n;
}

#endif
