/* Inside the stream engine: its state, shared by stream.c, stream_room.c and the four kernels.
 *
 * Recency order lives in two places. The front, when it is on, holds the RDI_STREAM_FRONT most
 * recent blocks in order. All others are in the big structures: a hash table from block to slot,
 * and an axis with one bit per slot, set when that slot is some block's. Blocks enter the axis in
 * the order in which they leave the front, so a higher slot is more recent, and
 *     distance of a miss in the front = blocks in the front + set bits above the block's slot.
 * With the front off the same holds with 0 blocks in it, and a block enters the axis at once.
 *
 * Invariants between chunks: a table entry's bit is set, or its block is in the front; no bit at or
 * above axis.next is set; slot 0 is never used (it means "no slot"); table.count is the number of
 * bits set plus the blocks in the front.
 */
#ifndef RDI_STREAM_H
#define RDI_STREAM_H

#include "base/cpu.h"
#include "engine/core/plugin.h"
#include "order/slot_axis.h"
#include "order/slot_table.h"

#define RDI_STREAM_BATCH 64 /* references per pass of a kernel at most; one bit each in a mask */
#define RDI_STREAM_CHUNK RDI_SLOT_TABLE_STEP /* references between two looks at free space */
#define RDI_STREAM_FRONT 64                  /* blocks in the front */

/* What one chunk may take of the axis: a slot per reference, one for each block of the front when
 * it is flushed before and after, and batches that are measured ahead. */
#define RDI_STREAM_SLOTS_NEEDED (RDI_STREAM_CHUNK + 2 * RDI_STREAM_FRONT + 2 * RDI_STREAM_BATCH)

/* Distances below DENSE are counted one by one, the others in bins of this width: the log-linear
 * bins of the histogram are made of these. */
#define RDI_STREAM_DENSE 2048

/* The histogram while it is being counted; added to run->out.hist at the end. */
typedef struct rdi_stream_counts {
    uint64_t *count; /* [d] for d < DENSE, [DENSE + d / DENSE] above */
    uint64_t *rest;  /* [d / DENSE]: sum of d % DENSE */
    uint64_t counts; /* elements of count */
    uint64_t bins;   /* elements of rest */
    uint64_t infinite;
    uint64_t *first; /* blocks of infinite distance in this chunk, when run->first wants them */
    size_t n_first;
} rdi_stream_counts;

/* The references of a chunk without immediate repeats: runs of one block. 8 entries of slack, for
 * whole vectors. */
typedef struct rdi_stream_runs {
    uint64_t blk[RDI_STREAM_CHUNK + 8];
    uint64_t
        gap[RDI_STREAM_CHUNK]; /* by gaps(): time since the block's last use, 0: there is none */
    uint16_t tag[RDI_STREAM_CHUNK];    /* of the front's lanes */
    uint16_t at[RDI_STREAM_CHUNK + 8]; /* where in the chunk they begin; gaps(): at[n] is its end */
    size_t n;
} rdi_stream_runs;

/* The most recent blocks, by lane. Times are below 2^15, and no two are equal. */
typedef struct rdi_stream_front {
    uint64_t key[RDI_STREAM_FRONT];
    uint16_t time[RDI_STREAM_FRONT]; /* of the last reference */
    uint16_t tag[RDI_STREAM_FRONT];  /* a hash of the block */
    uint16_t now;                    /* above all times */
} rdi_stream_front;

/* What one thread hands to another: references, in order, that the front did not answer, or slots
 * that the table gave for references. */
typedef struct rdi_stream_packet {
    rdi_stream_front before; /* the first of them */
    uint64_t first;          /* slots: the new one of the first */
    size_t n;
    uint64_t item[RDI_STREAM_CHUNK]; /* blocks, or old slots (0: none) */
    uint8_t lane[RDI_STREAM_CHUNK];  /* of the front, that each block takes */
} rdi_stream_packet;

typedef struct rdi_stream rdi_stream;

/* The inner loops: one instance per instruction set, and one with 64-bit slots. */
typedef struct rdi_stream_kernel {
    rdi_slot_table_ops table;
    /* Distances of n <= CHUNK references into `dist`; counted when it is NULL or run->counting. */
    void (*chunk)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *dist);
    /* The same in two parts, for two threads. The front alone: n <= CHUNK references, as far as
     * there is room for those it misses; returns how many, and counts the others by distance. */
    size_t (*scan)(rdi_stream_front *f, const uint64_t *blk, size_t n, rdi_stream_packet *out,
                   uint64_t *hits);
    /* And those it missed, which are counted. */
    void (*missed)(rdi_stream *e, const rdi_stream_packet *in);
    /* Without a front: the table alone, n references of which the packet has room for; and, from an
     * axis of which the table's thread only knows the next slot, their distances, which are
     * counted. */
    void (*slots)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_packet *out);
    void (*measured)(rdi_stream *e, const rdi_slot_axis *a, const rdi_stream_packet *in);
    /* Slots above those of n <= BATCH different blocks, which leave; RD_COLD: not there. The front
     * is off. */
    void (*take)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *newer);
    /* The table alone: look-up and update of n references, without distances. */
    void (*lookup)(rdi_stream *e, const uint64_t *blk, size_t n);
    /* The same for 1 <= n <= CHUNK references, and the time since the last one to each block. */
    void (*gaps)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_runs *out);
    uint64_t (*newer)(const rdi_slot_axis *a, uint64_t s); /* set bits above s; `above` fresh */
    /* Slots become ranks 1 .. live; the oldest `drop` blocks leave. The front is flushed. */
    void (*renumber)(rdi_stream *e, uint64_t drop);
    void (*front_load)(rdi_stream *e);  /* takes the front's blocks out of the axis */
    void (*front_flush)(rdi_stream *e); /* gives them the next slots, oldest first */
} rdi_stream_kernel;

extern const rdi_stream_kernel rdi_stream_plain, rdi_stream_avx2, rdi_stream_avx512,
    rdi_stream_wide;

/* References between decisions about the front, which pays from 40 % of near reuse on; in between
 * it stays as it is. */
#define RDI_STREAM_WINDOW            (8 * RDI_STREAM_CHUNK)
#define RDI_STREAM_FRONT_ON_PERCENT  40
#define RDI_STREAM_FRONT_OFF_PERCENT 25

enum { RDI_STREAM_FRONT_AUTO, RDI_STREAM_FRONT_ON, RDI_STREAM_FRONT_OFF };

struct rdi_stream {
    /* options */
    uint32_t isa;          /* rdi_isa */
    uint32_t front_option; /* RDI_STREAM_FRONT_* */
    uint64_t compact;      /* largest slot in 32 bits */
    /* state */
    rdi_run *run;
    const rdi_stream_kernel *kernel;
    rdi_isa chosen;
    rdi_slot_table table;
    rdi_slot_axis axis;
    rdi_stream_counts counts;
    bool counts_itself; /* counts distances: cleared by engines that use the table alone */
    bool front_on;
    unsigned front_n;                    /* blocks in it */
    rdi_stream_front front;              /* while it is off, the most recent blocks, newest first */
    void *front_entry[RDI_STREAM_FRONT]; /* the lane's slot field in the table */
    uint64_t window, window_refs, window_near; /* for switching the front */
    uint64_t bound;                            /* UINT64_MAX: none */
    uint64_t keep;                             /* entries that force an eviction */
    bool wide;                                 /* 64-bit slots in use */
    unsigned batch;                            /* references per pass while the front is off */
    uint64_t renumberings, upkeep_ns;
};

/* Whether what is measured now is counted here. */
static inline bool rdi_stream_counts_now(const rdi_stream *e, const uint64_t *dist) {
    return !dist || e->run->count_too;
}

extern const rd_opt rdi_stream_opts[];

static inline uint16_t rdi_stream_tag(uint64_t blk) {
    return (uint16_t)(blk ^ blk >> 16 ^ blk >> 32);
}

/* Place of a lane in recency order, 0: the most recent. */
unsigned rdi_stream_front_place(const rdi_stream_front *f, unsigned lane);
/* Room for the times of one more chunk. */
void rdi_stream_front_wind_back(rdi_stream_front *f);

/* While the front is off: keeps the most recent blocks, after these n references, newest first. */
void rdi_stream_remember(rdi_stream *e, const uint64_t *blk, size_t n);

/* ---- between chunks (stream_room.c) ---- */

rd_status rdi_stream_room_init(rdi_stream *e);
void rdi_stream_room_fini(rdi_stream *e);
/* Makes room for one more chunk in table, axis and counts, and evicts beyond the bound. */
rd_status rdi_stream_make_room(rdi_stream *e);
/* Whether there is such room already. */
bool rdi_stream_has_room(const rdi_stream *e);
/* Room for the first references of a chunk. */
rd_status rdi_stream_first_room(rdi_stream *e);
/* Empties everything but the counts; memory that only many more blocks would need is given back. */
rd_status rdi_stream_forget(rdi_stream *e);
/* Room in the table alone. */
rd_status rdi_stream_table_room(rdi_stream *e);
/* 64-bit slots from now on, if the 32-bit ones do not suffice for one more chunk of look-ups. */
rd_status rdi_stream_time_room(rdi_stream *e);

/* The engine's `check` (stream_check.c) and `order` (stream_order.c). */
rd_status rdi_stream_check(void *self, const char **why);
rd_status rdi_stream_order(void *self, rdi_block_visit visit, void *user);

#endif
