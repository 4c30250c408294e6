/* Inside the batch engine: its state, its two kernels, its phase on several threads. */
#ifndef RDI_BATCH_H
#define RDI_BATCH_H

#include "base/cpu.h"
#include "base/threads.h"
#include "engine/core/plugin.h"
#include "order/axis.h"
#include "order/last_seen.h"

#include <stdatomic.h>

/* A reference on its way through the table: comes with block and slot, leaves with the slot of the
 * previous reference (0: none) in place of the block. */
typedef struct rdi_batch_item {
    uint64_t block_or_prev;
    uint64_t slot;
} rdi_batch_item;

/* The two inner loops, once per instruction set. */
typedef struct rdi_batch_kernel {
    const char *name;
    /* Looks n items up in one segment and enters their slots. */
    rd_status (*locate)(rdi_last_seen *seen, rdi_seen_segment *s, rdi_batch_item *items, size_t n);
    /* Replaces every slot of a segment by its rank among the live ones on the axis, less `drop`;
     * the oldest `drop` blocks become RDI_SEEN_DROPPED. Returns how many of these there were. */
    uint32_t (*renumber)(rdi_seen_segment *s, const rdi_axis *axis, uint64_t drop);
    /* Distances of n references in time order, given their previous slots; moves the axis on. */
    void (*rank)(rdi_axis *axis, const uint64_t *prev, size_t n, uint64_t bound, uint64_t *dist);
} rdi_batch_kernel;

extern const rdi_batch_kernel rdi_batch_plain, rdi_batch_avx2, rdi_batch_avx512;

#define RDI_BATCH_STEP 256 /* references ranked at a time: their cache lines are fetched ahead */

/* One thread's part of a phase. */
typedef struct rdi_batch_worker {
    size_t begin, end; /* references [begin, end) of the phase */
    uint64_t *cursor;  /* per segment: where its next item is */
    rdi_axis axis;     /* several threads: the axis as it is at `begin` */
    uint64_t
        *removed;   /* several threads: slots that die in this part, 8 words per line as the axis */
    rdi_hist *hist; /* several threads: its own counts */
    rd_status status;
} rdi_batch_worker;

/* Memory whose content may be lost when it grows. */
typedef struct rdi_batch_buffer {
    void *at;
    size_t bytes;
} rdi_batch_buffer;

typedef struct rdi_batch {
    /* options */
    uint32_t isa; /* rdi_isa */
    uint64_t phase_option;
    /* state */
    rdi_run *run;
    const rdi_batch_kernel *kernel;
    rdi_last_seen seen;
    rdi_axis axis; /* at the start of the phase */
    unsigned n_workers;
    rdi_batch_worker *workers;
    rdi_pool *pool;             /* NULL: one thread, everything happens in feed() */
    rdi_background *background; /* runs phases while the next one is being filled */
    rdi_batch_buffer filling;   /* blocks of the phase that feed() fills */
    rdi_batch_buffer working;   /* blocks of the phase under way, replaced by previous slots */
    rdi_batch_buffer items;     /* the same references by segment */
    rdi_batch_buffer dist;      /* several threads and distances wanted: of the whole phase */
    size_t filled, working_n;   /* references in filling and in working */
    size_t phase;               /* references at which filling is handed over */
    size_t undelivered;         /* distances of the last phase that the sink has not seen */
    uint64_t zeros;             /* immediate repeats, not in any phase */
    uint64_t last;              /* the block fed last */
    bool any;                   /* there is one */
    atomic_uint_fast64_t next_segment; /* several threads: dealt out under way */
    rd_status status;                  /* of the phase under way */
} rdi_batch;

/* Distances of references [begin, end) of the phase, whose previous slots stand in e->working: into
 * `hist`, or into e->dist when it is NULL. */
rd_status rdi_batch_rank_part(rdi_batch *e, rdi_axis *axis, size_t begin, size_t end,
                              rdi_hist *hist);

/* How many references of one part fall into each segment, into w->cursor. */
void rdi_batch_count(rdi_batch *e, rdi_batch_worker *w);
/* Items of one part to their segments; the cursors, at the first place of each before, move on. */
void rdi_batch_scatter(rdi_batch *e, rdi_batch_worker *w);
/* Previous slots back into time order, in e->working; the cursors are at the first places again. */
void rdi_batch_gather(rdi_batch *e, rdi_batch_worker *w);

/* New slots for one segment; the oldest `drop` blocks of all leave. */
rd_status rdi_batch_renumber_segment(rdi_batch *e, uint64_t segment, uint64_t drop);

/* ---- several threads (batch_parallel.c) ---- */
rd_status rdi_batch_parallel_open(rdi_batch *e);
rd_status rdi_batch_parallel_phase(rdi_batch *e);
/* rdi_batch_renumber_segment() for all of them. */
rd_status rdi_batch_parallel_renumber(rdi_batch *e, uint64_t drop);
void rdi_batch_parallel_close(rdi_batch *e);

#endif
