/* Internals of the batch engine: its state, its two kernels, its round on several threads. */
#ifndef RDI_BATCH_H
#define RDI_BATCH_H

#include "base/cpu.h"
#include "base/threads.h"
#include "engine/core/plugin.h"
#include "order/axis.h"
#include "order/last_seen.h"

#include <stdatomic.h>

/* A reference while it is looked up: enters with its block and slot, and leaves with the slot of
 * the previous reference (0: none) instead of the block. */
typedef struct rdi_batch_item {
    uint64_t block_or_prev;
    uint64_t slot;
} rdi_batch_item;

/* The inner loops, once per instruction set. */
typedef struct rdi_batch_kernel {
    const char *name;
    /* Looks up n items in one segment and stores their slots. */
    rd_status (*locate)(rdi_last_seen *seen, rdi_seen_segment *s, rdi_batch_item *items, size_t n);
    /* Replaces every slot of a segment by its rank among the live slots, less `drop`. The oldest
     * `drop` blocks become RDI_SEEN_DROPPED. Returns the number of dropped blocks in this
     * segment. */
    uint32_t (*renumber)(rdi_seen_segment *s, const rdi_axis *axis, uint64_t drop);
    /* Computes the distances of n references in time order from their previous slots, and updates
     * the axis. */
    void (*rank)(rdi_axis *axis, const uint64_t *prev, size_t n, uint64_t bound, uint64_t *dist);
} rdi_batch_kernel;

extern const rdi_batch_kernel rdi_batch_plain, rdi_batch_avx2, rdi_batch_avx512;

#define RDI_BATCH_TILE 256 /* references ranked together: their cache lines are prefetched */

/* The share of one worker in a round. */
typedef struct rdi_batch_worker {
    size_t begin, end; /* references [begin, end) of the round */
    uint64_t *cursor;  /* per segment: index of its next item */
    rdi_axis axis;     /* several threads: the axis as of `begin` */
    uint64_t *removed; /* several threads: mask of slots that die in this share, 8 words per line */
    rdi_hist *hist;    /* several threads: its own counts */
    rd_status status;
} rdi_batch_worker;

/* A buffer whose contents may be lost when it grows. */
typedef struct rdi_batch_buffer {
    void *at;
    size_t bytes;
} rdi_batch_buffer;

typedef struct rdi_batch {
    /* options */
    uint32_t isa; /* rdi_isa */
    uint64_t round_option;
    /* state */
    rdi_run *run;
    const rdi_batch_kernel *kernel;
    rdi_last_seen seen;
    rdi_axis axis; /* as of the start of the round */
    unsigned n_workers;
    rdi_batch_worker *workers;
    rdi_pool *pool;             /* NULL: one thread, all work happens in feed() */
    rdi_background *background; /* runs a round while the next one is filled */
    rdi_batch_buffer filling;   /* blocks of the round that feed() fills */
    rdi_batch_buffer working;   /* blocks of the current round, replaced by previous slots */
    rdi_batch_buffer items;     /* the same references by segment */
    rdi_batch_buffer dist;      /* several threads and distances requested: of the whole round */
    size_t filled, working_n;   /* references in filling and in working */
    size_t round;               /* number of references of a full round */
    size_t undelivered;         /* distances of the last round that the sink has not received */
    uint64_t zeros;             /* immediate repeats, which are in no round */
    uint64_t last;              /* the last block that was fed */
    bool any;                   /* `last` is valid */
    atomic_uint_fast64_t next_segment; /* several threads: next segment to process */
    rd_status status;                  /* of the current round */
} rdi_batch;

/* Computes the distances of references [begin, end) of the round from their previous slots in
 * e->working. Counts them in `hist`, or writes them to e->dist if `hist` is NULL. */
rd_status rdi_batch_rank_share(rdi_batch *e, rdi_axis *axis, size_t begin, size_t end,
                               rdi_hist *hist);

/* Counts how many references of one share fall into each segment, into w->cursor. */
void rdi_batch_count(rdi_batch *e, rdi_batch_worker *w);
/* Moves the items of one share to their segments. The cursors start at the first position of each
 * segment and advance. */
void rdi_batch_scatter(rdi_batch *e, rdi_batch_worker *w);
/* Moves previous slots back to time order, into e->working. The cursors start at the first
 * positions again. */
void rdi_batch_gather(rdi_batch *e, rdi_batch_worker *w);

/* Renumbers the slots of one segment. The oldest `drop` blocks of all segments are dropped. */
rd_status rdi_batch_renumber_segment(rdi_batch *e, uint64_t segment, uint64_t drop);

/* ---- several threads (batch_parallel.c) ---- */
rd_status rdi_batch_parallel_open(rdi_batch *e);
rd_status rdi_batch_parallel_round(rdi_batch *e);
/* Runs rdi_batch_renumber_segment() for all segments. */
rd_status rdi_batch_parallel_renumber(rdi_batch *e, uint64_t drop);
void rdi_batch_parallel_close(rdi_batch *e);

#endif
