/* Declares the internals of the stream engine: the state that stream*.c and the four kernels share.
 *
 * The recency order is kept in two places. The front, when it is on, holds the RDI_STREAM_FRONT
 * most recent blocks in order. Every block has an entry in the table, a hash table from block to
 * slot. A block that is not in the front also has its bit set on the axis, which has one bit per
 * slot. Blocks enter the axis in the order in which they leave the front, so a higher slot is more
 * recent. Therefore:
 *     distance of a miss in the front = blocks in the front + set bits above the block's slot.
 * While the front is off, it counts as empty, and a block enters the axis immediately.
 *
 * A block that take() has removed keeps its entry, with slot 0, until blocks are evicted or the
 * block is referenced again.
 *
 * Invariants between steps: for each table entry with a slot, either the bit of the slot is set or
 * the block is in the front; no bit at or above axis.next is set; slot 0 is never used (it means
 * "no slot"); the number of table entries, except those of taken blocks, is the number of set bits
 * plus the number of blocks in the front.
 */
#ifndef RDI_STREAM_H
#define RDI_STREAM_H

#include "base/cpu.h"
#include "engine/core/plugin.h"
#include "order/slot_axis.h"
#include "order/slot_table.h"

/* Maximum number of references per pass of a kernel. Masks have one bit for each of these
 * references. */
#define RDI_STREAM_TILE 64
/* Maximum number of references between two checks for free space. */
#define RDI_STREAM_STEP  RDI_SLOT_TABLE_STEP
#define RDI_STREAM_FRONT 64 /* number of blocks in the front */

/* Number of slots that must be free on the axis before a step: one per reference, one per block of
 * the front each time the front is flushed, before and after the step, and two tiles to spare. */
#define RDI_STREAM_SLOTS_NEEDED (RDI_STREAM_STEP + 2 * RDI_STREAM_FRONT + 2 * RDI_STREAM_TILE)

/* Distances below RDI_STREAM_DENSE are counted one by one, and longer distances in bins that are
 * RDI_STREAM_DENSE wide. Each of these bins lies within one log-linear bin of the histogram. */
#define RDI_STREAM_DENSE 2048

/* The counts so far, which are added to run->out.hist at the end. */
typedef struct rdi_stream_counts {
    uint64_t *count; /* counts of distances: element d for d < DENSE, element DENSE + d / DENSE for
                        a longer distance d */
    uint64_t *rest;  /* element i > 0 is the sum of d % DENSE over all counted distances d with
                        d / DENSE = i; element 0 is not used */
    uint64_t counts; /* number of elements of `count` */
    uint64_t bins;   /* number of elements of `rest` */
    uint64_t infinite;
    uint64_t *first; /* blocks with an infinite distance in this step, if run->first is set */
    size_t n_first;
} rdi_stream_counts;

/* The references of a step, without immediate repeats: one entry per run of references to one
 * block. Two arrays have 8 extra entries, because whole vectors are stored. */
typedef struct rdi_stream_runs {
    uint64_t blk[RDI_STREAM_STEP + 8];
    uint64_t gap[RDI_STREAM_STEP];    /* set by gaps(): number of references since the block's last
                                         use; 0: there was none */
    uint16_t tag[RDI_STREAM_STEP];    /* hashes of the blocks, to compare with the front's tags */
    uint16_t at[RDI_STREAM_STEP + 8]; /* position in the step where each run begins; gaps() also
                                         sets at[n] to the end of the step */
    size_t n;
} rdi_stream_runs;

/* The front: the most recent blocks, one per lane. Times are below 2^15 and distinct. */
typedef struct rdi_stream_front {
    uint64_t key[RDI_STREAM_FRONT];
    uint16_t time[RDI_STREAM_FRONT]; /* time of the last reference */
    uint16_t tag[RDI_STREAM_FRONT];  /* a hash of the block */
    uint16_t now; /* time of the next reference, later than all elements of `time` */
} rdi_stream_front;

/* A packet of work for another thread. It has either the references that the front did not answer,
 * in order, or the slots that the table returned for references. */
typedef struct rdi_stream_packet {
    rdi_stream_front before; /* the front before the first reference of the packet */
    uint64_t first;          /* if the packet has slots: the new slot of the first reference */
    size_t n;
    uint64_t item[RDI_STREAM_STEP]; /* blocks, or previous slots (0: first reference) */
    uint8_t lane[RDI_STREAM_STEP];  /* the lane of the front that each block enters */
} rdi_stream_packet;

typedef struct rdi_stream rdi_stream;

/* The inner loops: one instance per instruction set, and one with 64-bit slots. */
typedef struct rdi_stream_kernel {
    rdi_slot_table_ops table;
    /* Computes the distances of n <= STEP references, and stores them in `dist` unless it is NULL.
     * Counts them if `dist` is NULL or run->count_too is set. */
    void (*step)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *dist);
    /* Runs the front alone, for the first of two threads: answers references until n <= STEP
     * references are done or the packet is full. Counts the hits by distance in `hits`, and puts
     * the misses into the packet. Returns the number of references done. */
    size_t (*scan)(rdi_stream_front *f, const uint64_t *blk, size_t n, rdi_stream_packet *out,
                   uint64_t *hits);
    /* Looks up the misses of a packet, for the second thread, and counts their distances. */
    void (*missed)(rdi_stream *e, const rdi_stream_packet *in);
    /* These two functions divide the work between two threads if there is no front. slots() looks
     * up n references in the table and stores their previous slots in the packet, which must have
     * room. measured() computes and counts their distances with the axis `a`. The thread of slots()
     * changes nothing in the axis except axis.next. */
    void (*slots)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_packet *out);
    void (*measured)(rdi_stream *e, const rdi_slot_axis *a, const rdi_stream_packet *in);
    /* Sets newer[i] to the number of live slots above the slot of blk[i], for n distinct blocks,
     * and removes these blocks in order. newer[i] is RD_COLD for a block that has no slot. The
     * front must be off. */
    void (*take)(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *newer);
    /* Sets the bits of all blocks of the table in e->marks. */
    void (*mark)(rdi_stream *e);
    /* Uses the table alone: looks up the blocks of n references and updates their entries, without
     * distances. */
    void (*lookup)(rdi_stream *e, const uint64_t *blk, size_t n);
    /* Does the same as lookup() for 1 <= n <= STEP references, and also stores how many references
     * ago each block was last used. */
    void (*gaps)(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_runs *out);
    /* Returns the number of set bits above slot s. a->above must be up to date. */
    uint64_t (*newer)(const rdi_slot_axis *a, uint64_t s);
    /* Renumbers the slots of all n blocks that have a slot: they get slots 1 to n, in the same
     * order. The front must be flushed. The caller resets the axis. */
    void (*renumber)(rdi_stream *e);
    /* Removes the blocks with slots up to `last`, and subtracts `down` <= `last` from the slots of
     * the remaining blocks. The front must be flushed. The caller moves the axis. */
    void (*drop)(rdi_stream *e, uint64_t last, uint64_t down);
    void (*front_load)(rdi_stream *e);  /* turns the front on: removes its blocks from the axis */
    void (*front_flush)(rdi_stream *e); /* turns the front off: gives its blocks the next slots,
                                           oldest first */
} rdi_stream_kernel;

extern const rdi_stream_kernel rdi_stream_plain, rdi_stream_avx2, rdi_stream_avx512,
    rdi_stream_wide;

/* Number of references between two decisions about the front. The front is turned on if at least
 * 40 % of the references have a distance below RDI_STREAM_FRONT, and off if fewer than 25 % do. In
 * between, the front stays as it is. */
#define RDI_STREAM_WINDOW            (8 * RDI_STREAM_STEP)
#define RDI_STREAM_FRONT_ON_PERCENT  40
#define RDI_STREAM_FRONT_OFF_PERCENT 25

enum { RDI_STREAM_FRONT_AUTO, RDI_STREAM_FRONT_ON, RDI_STREAM_FRONT_OFF };

struct rdi_stream {
    /* The options. */
    uint32_t isa;          /* an rdi_isa */
    uint32_t front_option; /* one of RDI_STREAM_FRONT_* */
    uint64_t compact;      /* largest slot number that is kept in 32 bits */
    /* The state. */
    rdi_run *run;
    const rdi_stream_kernel *kernel;
    rdi_isa chosen;
    rdi_slot_table table;
    rdi_slot_axis axis;
    rdi_stream_counts counts;
    bool counts_itself; /* true: this engine counts distances; engines that use only the table clear
                           it */
    bool front_on;
    unsigned front_n;       /* number of blocks in the front */
    rdi_stream_front front; /* if the front is off, it holds the most recent blocks, newest first */
    void *front_entry[RDI_STREAM_FRONT];       /* per lane: the slot field of its block in the
                                                  table */
    uint64_t window, window_refs, window_near; /* length of the current window in references, number
                                                  of references in it so far, and number of these
                                                  references with a distance below
                                                  RDI_STREAM_FRONT */
    uint64_t bound;                            /* bound of the distances; UINT64_MAX: none */
    uint64_t cutoff;                           /* slots up to this one have distances of `bound` or
                                                  more, which need not be measured */
    uint64_t keep;                             /* if the table has more entries than this before a
                                                  step, blocks are evicted */
    uint64_t *marks;                           /* the bitmap that slot_table.h describes, for
                                                  take() */
    uint64_t marks_room;                       /* number of allocated words of `marks` */
    bool marked;                               /* true: `marks` describes the table */
    uint64_t absent;                           /* number of blocks that take() has not found since
                                                  the last feed */
    bool wide;                                 /* true: slots have 64 bits */
    unsigned tile;                             /* number of references per pass while the front is
                                                  off */
    uint64_t renumberings, evictions, upkeep_ns;
};

/* Returns whether the engine counts the distances of the current feed. `dist` is the array that
 * receives them; NULL: no distances are requested. */
static inline bool rdi_stream_counts_now(const rdi_stream *e, const uint64_t *dist) {
    return !dist || e->run->count_too;
}

extern const rd_opt rdi_stream_opts[];

static inline uint16_t rdi_stream_tag(uint64_t blk) {
    return (uint16_t)(blk ^ blk >> 16 ^ blk >> 32);
}

/* Returns the place of a lane in the recency order; 0 is the most recent. */
unsigned rdi_stream_front_place(const rdi_stream_front *f, unsigned lane);
/* Renumbers the times of the front if there is no room for the times of one more step. */
void rdi_stream_front_wind_back(rdi_stream_front *f);

/* While the front is off, updates e->front.key after the n references of `blk`: it then has up to
 * RDI_STREAM_FRONT of the most recent blocks, newest first. */
void rdi_stream_remember(rdi_stream *e, const uint64_t *blk, size_t n);

/* ---- between steps (stream_room.c) ---- */

rd_status rdi_stream_room_init(rdi_stream *e);
void rdi_stream_room_fini(rdi_stream *e);
/* Makes room for one more step in table, axis and counts. If the table has more than `keep`
 * entries, evicts the oldest blocks, down to the bound or RDI_STREAM_FRONT, whichever is larger. */
rd_status rdi_stream_make_room(rdi_stream *e);
/* Sets the cutoff to the slot with `bound` set bits above it, if there is one. The cutoff is valid
 * until slots are renumbered or blocks are taken, because until then the number of blocks newer
 * than the block of a slot does not decrease. */
void rdi_stream_set_cutoff(rdi_stream *e);
/* Returns whether there is room for one more step already. */
bool rdi_stream_has_room(const rdi_stream *e);
/* Allocates counts.first, for the blocks with infinite distances of one step. */
rd_status rdi_stream_first_room(rdi_stream *e);
/* Makes e->marks describe the table. */
rd_status rdi_stream_mark(rdi_stream *e);
/* Forgets all blocks and keeps the counts. Frees memory if there is room for many more blocks than
 * were in use. */
rd_status rdi_stream_forget(rdi_stream *e);
/* Makes room for one more step in the table alone. */
rd_status rdi_stream_table_room(rdi_stream *e);
/* Switches to 64-bit slots if 32-bit slots do not suffice for one more step of look-ups. */
rd_status rdi_stream_time_room(rdi_stream *e);

/* The engine's `check` (stream_check.c) and `order` (stream_order.c). */
rd_status rdi_stream_check(void *self, const char **why);
rd_status rdi_stream_order(void *self, rdi_block_visit visit, void *user);

#endif
