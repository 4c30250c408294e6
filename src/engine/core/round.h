/* Declares threads, memory and counting for engines that answer a round at a time.
 *
 * These engines collect references, analyze all of them at once, and deliver their distances.
 * With several threads, every worker has a share of the round and, unless distances are requested,
 * a histogram of its own.
 */
#ifndef RDI_ROUND_H
#define RDI_ROUND_H

#include "base/threads.h"
#include "engine/core/plugin.h"

/* Memory that grows on demand. A zeroed struct has no memory. */
typedef struct rdi_room {
    void *at;
    size_t bytes;
} rdi_room;

/* Makes room for at least n * size bytes. The contents may be lost. */
rd_status rdi_room_fit(rd_ctx *ctx, rdi_room *room, size_t n, size_t size);
/* Makes room for at least n * size bytes and keeps the contents. */
rd_status rdi_room_grow(rd_ctx *ctx, rdi_room *room, size_t n, size_t size);
void rdi_room_free(rd_ctx *ctx, rdi_room *room);

/* The workers of an engine, and their counts. A zeroed struct is closed. */
typedef struct rdi_round {
    rdi_run *run;
    unsigned n_workers;
    unsigned active;   /* number of workers that have a share of the current round */
    rdi_pool *pool;    /* threads of workers 1 and above; NULL: the caller is the only worker */
    rdi_hist **hist;   /* histogram of each worker; NULL: all distances go through
                          rdi_engine_deliver() */
    rd_status *status; /* status of each worker's share of the counting; NULL: one worker */
} rdi_round;

rd_status rdi_round_open(rdi_round *p, rdi_run *run);
void rdi_round_close(rdi_round *p); /* also accepts a round that was opened only in part */

/* Appends references to `room`, which holds *filled references and may hold at most `full`. Takes
 * as many of the *n references at *blk as fit, and updates *filled, *blk and *n. The memory grows
 * with its contents, so a short trace does not need the memory of a whole round. */
rd_status rdi_round_collect(const rdi_round *p, rdi_room *room, size_t *filled, size_t full,
                            const uint64_t **blk, size_t *n);

/* Divides n elements among as many workers as possible, such that each gets at least `least`
 * elements, and sets `active` to the number of these workers. At least one worker gets a share. */
void rdi_round_share(rdi_round *p, size_t n, size_t least);

/* Runs work(arg, worker) once for every active worker, and returns when all of them are done. If
 * several workers are active, `work` also runs for the inactive workers, with an empty share. */
void rdi_round_run(const rdi_round *p, void (*work)(void *arg, unsigned worker), void *arg);

/* Counts the next n distances, and delivers them if they are requested. Sets `active`. */
rd_status rdi_round_deliver(rdi_round *p, const uint64_t *dist, size_t n);

/* Adds the counts of all workers to the histogram of the run. */
rd_status rdi_round_finish(rdi_round *p);

/* Returns the index at which the share of `worker` in n elements begins. The share ends where the
 * next worker's share begins. */
static inline size_t rdi_round_begin(const rdi_round *p, size_t n, unsigned worker) {
    return worker < p->active ? (size_t)((rdi_u128)n * worker / p->active) : n;
}

#endif
