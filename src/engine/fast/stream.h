/* Internals of the stream engine: its state, shared by stream.c, stream_room.c and the four
 * kernels.
 *
 * The recency order is kept in two places. The front, when it is on, holds the RDI_STREAM_FRONT
 * most recent blocks in order. Every block has an entry in the table, a hash table from block to
 * slot. A block that is not in the front also has its bit set on the axis, which has one bit per
 * slot. Blocks enter the axis in the order in which they leave the front, so a higher slot is more recent, and
 *     distance of a miss in the front = blocks in the front + set bits above the block's slot.
 * With the front off the same holds with 0 blocks in it, and a block enters the axis at once.
 *
 * Invariants between steps: either a table entry's bit is set, or its block is in the front; no bit
 * at or above axis.next is set; slot 0 is never used (it means "no slot"); table.count is the
 * number of set bits plus the number of blocks in the front.
 */
#ifndef RDI_STREAM_H
#define RDI_STREAM_H

#include "base/cpu.h"
#include "engine/core/plugin.h"
#include "order/slot_axis.h"
#include "order/slot_table.h"

#define RDI_STREAM_TILE  64 /* most references per pass of a kernel; one bit each in a mask */
#define RDI_STREAM_STEP  RDI_SLOT_TABLE_STEP /* most references between two checks for free space */
#define RDI_STREAM_FRONT 64                  /* blocks in the front */

/* Slots that one step may need on the axis: one per reference, one for each block of the front when
 * it is flushed before and after, and tiles that are measured ahead. */
#define RDI_STREAM_SLOTS_NEEDED (RDI_STREAM_STEP + 2 * RDI_STREAM_FRONT + 2 * RDI_STREAM_TILE)

/* Distances below DENSE are counted one by one, longer ones in bins of this width, which are parts
 * of the log-linear bins of the histogram. */
#define RDI_STREAM_DENSE 2048

/* The counts of the running analysis. They are added to run->out.hist at the end. */
typedef struct rdi_stream_counts {
    uint64_t *count; /* [d] for d < DENSE, [DENSE + d / DENSE] above */
    uint64_t *rest;  /* [d / DENSE]: sum of d % DENSE */
    uint64_t counts; /* elements of count */
    uint64_t bins;   /* elements of rest */
    uint64_t infinite;
    uint64_t *first; /* blocks with infinite distance in this step, if run->first is set */
    size_t n_first;
} rdi_stream_counts;

/* The references of a step without immediate repeats, as runs of one block. The arrays have 8 extra
 * entries, for whole vectors. */
typedef struct rdi_stream_runs {
    uint64_t blk[RDI_STREAM_STEP + 8];
    uint64_t gap[RDI_STREAM_STEP];    /* set by gaps(): time since the block's last use; 0: none */
    uint16_t tag[RDI_STREAM_STEP];    /* hashes to compare with the front's tags */
    uint16_t at[RDI_STREAM_STEP + 8]; /* where in the step they begin; gaps(): at[n] is its end */
    size_t n;
} rdi_stream_runs;

/* The most recent blocks, by lane. Times are below 2^15 and distinct. */
typedef struct rdi_stream_front {
    uint64_t key[RDI_STREAM_FRONT];
    uint16_t time[RDI_STREAM_FRONT]; /* of the last reference */
    uint16_t tag[RDI_STREAM_FRONT];  /* a hash of the block */
    uint16_t now;                    /* larger than all times */
} rdi_stream_front;

/* A packet of work for another thread: references, in order, that the front did not answer, or
 * slots that the table returned for references. */
typedef struct rdi_stream_packet {
    rdi_stream_front before; /* the front before the first of them */
    uint64_t first;          /* slots: the new slot of the first reference */
    size_t n;
    uint64_t item[RDI_STREAM_STEP]; /* blocks, or old slots (0: none) */
    uint8_t lane[RDI_STREAM_STEP];  /* the lane of the front that each block takes */
} rdi_stream_packet;

typedef struct rdi_stream rdi_stream;

/* The inner loops: one instance per instruction set, and one with 64-bit slots. */
typedef struct rdi_stream_kernel {
    rdi_slot_table_ops table;
    /* Computes the distances of n <= STEP references into `dist`. Counts them if it is NULL or
     * run->count_too is set. */
    void (*step)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *dist);
    /* Runs the front alone, for the first of two threads: takes up to n <= STEP references, until
     * there is no room for further misses. Returns how many it took, counts the hits by distance
     * and puts the misses into the packet. */
    size_t (*scan)(rdi_stream_front *f, const uint64_t *blk, size_t n, rdi_stream_packet *out,
                   uint64_t *hits);
    /* Looks up the misses of a packet, for the second thread, and counts their distances. */
    void (*missed)(rdi_stream *e, const rdi_stream_packet *in);
    /* Does the same without a front. slots() uses the table alone, for n references that must fit
     * into the packet. measured() counts their distances using an axis, of which the table's thread
     * only knows the next slot. */
    void (*slots)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_packet *out);
    void (*measured)(rdi_stream *e, const rdi_slot_axis *a, const rdi_stream_packet *in);
    /* Counts the slots above those of n <= TILE distinct blocks and removes these blocks. RD_COLD
     * for blocks that are not there. The front must be off. */
    void (*take)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *newer);
    /* Uses the table alone: looks up and updates n references, without distances. */
    void (*lookup)(rdi_stream *e, const uint64_t *blk, size_t n);
    /* Does the same for 1 <= n <= STEP references, and returns the time since the last reference to
     * each block. */
    void (*gaps)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_runs *out);
    /* The number of set bits above s. The sums `above` must be current. */
    uint64_t (*newer)(const rdi_slot_axis *a, uint64_t s);
    /* Renumbers slots as ranks 1 .. live and removes the oldest `drop` blocks. The front must be
     * flushed. */
    void (*renumber)(rdi_stream *e, uint64_t drop);
    void (*front_load)(rdi_stream *e);  /* removes the front's blocks from the axis */
    void (*front_flush)(rdi_stream *e); /* gives them the next slots, oldest first */
} rdi_stream_kernel;

extern const rdi_stream_kernel rdi_stream_plain, rdi_stream_avx2, rdi_stream_avx512,
    rdi_stream_wide;

/* References between decisions about the front. It is switched on at 40 % near reuse and off below
 * 25 %; in between it stays as it is. */
#define RDI_STREAM_WINDOW            (8 * RDI_STREAM_STEP)
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
    unsigned front_n;       /* blocks in the front */
    rdi_stream_front front; /* while the front is off: the most recent blocks, newest first */
    void *front_entry[RDI_STREAM_FRONT];       /* per lane: its slot field in the table */
    uint64_t window, window_refs, window_near; /* statistics for switching the front */
    uint64_t bound;                            /* UINT64_MAX: none */
    uint64_t keep;                             /* number of entries that forces an eviction */
    bool wide;                                 /* 64-bit slots in use */
    unsigned tile;                             /* references per pass while the front is off */
    uint64_t renumberings, upkeep_ns;
};

/* Returns whether the distances measured now are counted here. */
static inline bool rdi_stream_counts_now(const rdi_stream *e, const uint64_t *dist) {
    return !dist || e->run->count_too;
}

extern const rd_opt rdi_stream_opts[];

static inline uint16_t rdi_stream_tag(uint64_t blk) {
    return (uint16_t)(blk ^ blk >> 16 ^ blk >> 32);
}

/* The place of a lane in the recency order; 0 is the most recent. */
unsigned rdi_stream_front_place(const rdi_stream_front *f, unsigned lane);
/* Makes room for the times of one more step. */
void rdi_stream_front_wind_back(rdi_stream_front *f);

/* While the front is off, remembers the most recent blocks after these n references, newest
 * first. */
void rdi_stream_remember(rdi_stream *e, const uint64_t *blk, size_t n);

/* ---- between steps (stream_room.c) ---- */

rd_status rdi_stream_room_init(rdi_stream *e);
void rdi_stream_room_fini(rdi_stream *e);
/* Makes room for one more step in table, axis and counts, and evicts blocks beyond the bound. */
rd_status rdi_stream_make_room(rdi_stream *e);
/* Returns whether there is room for one more step already. */
bool rdi_stream_has_room(const rdi_stream *e);
/* Makes room for the first references of a step. */
rd_status rdi_stream_first_room(rdi_stream *e);
/* Forgets everything but the counts. Frees memory that only many more blocks would need. */
rd_status rdi_stream_forget(rdi_stream *e);
/* Makes room for one more step in the table alone. */
rd_status rdi_stream_table_room(rdi_stream *e);
/* Switches to 64-bit slots if the 32-bit ones do not suffice for one more step of look-ups. */
rd_status rdi_stream_time_room(rdi_stream *e);

/* The engine's `check` (stream_check.c) and `order` (stream_order.c). */
rd_status rdi_stream_check(void *self, const char **why);
rd_status rdi_stream_order(void *self, rdi_block_visit visit, void *user);

#endif
