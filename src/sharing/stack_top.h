/* The top of the LRU stack of a thread: its most recent blocks, each in a lane of its own.
 *
 * Most references are to blocks near the top of the stack. Blocks stay in their lanes, and each
 * lane has the time of its last reference. The distance of a block is the number of lanes with a
 * later time, which a few vector instructions count. Only the rest of the stack is on the axis of
 * the thread (order/weight_axis.h), below all lanes.
 *
 * Holes follow the same rule as on the axis. A removed block leaves a hole, which keeps its time. A
 * block that moves to the top leaves a hole, too, and fills the topmost hole. So if the topmost
 * hole is above the block, this hole gets the old time of the block; otherwise no hole is added.
 *
 * A lane is quiet if a reference to its block only moves the block to the top: no other thread has to
 * know, and no coherence miss is undecided. A scan answers references to quiet lanes with vector
 * instructions (top_kernel.inc.h).
 */
#ifndef RDI_STACK_TOP_H
#define RDI_STACK_TOP_H

#include "base/common.h"

#define RDI_TOP_LANES 64 /* maximum number of lanes; a set of lanes has one bit per lane */
#define RDI_TOP_RUNS  64 /* maximum number of runs that are handled together */

typedef struct rdi_stack_top {
    int16_t time[RDI_TOP_LANES]; /* 0: the lane is not used; times are different otherwise */
    uint16_t tag[RDI_TOP_LANES]; /* rdi_top_tag() of the block */
    uint64_t block[RDI_TOP_LANES];
    uint32_t copy[RDI_TOP_LANES];       /* number of the copy; 0: a hole, or not used */
    uint64_t holes;                     /* the lanes that are holes */
    uint64_t quiet_loads, quiet_stores; /* the lanes that are quiet for loads, and for stores */
    unsigned n;                         /* number of lanes in use, holes included: 0 to n - 1 */
    int16_t now;                        /* the latest time */
} rdi_stack_top;

/* Runs of references. A run is consecutive references of one thread to one block. All references
 * but the first have the distance 0. */
typedef struct rdi_top_runs {
    size_t n;
    uint64_t block[RDI_TOP_RUNS];
    uint16_t tag[RDI_TOP_RUNS];       /* rdi_top_tag() of the block */
    uint8_t from[RDI_TOP_RUNS + 1];   /* index of the first reference of each run; then the end */
    uint8_t stores[RDI_TOP_RUNS + 1]; /* number of references before the run that store */
    uint8_t distance[RDI_TOP_RUNS];   /* distance of the run's first reference, set by a scan */
} rdi_top_runs;

/* The operations that need all lanes, for one instruction set. */
typedef struct rdi_top_kernel {
    /* Returns the set of the runs among `i` to `end` - 1 whose blocks are not in the top. A few may
     * be missing, because only tags are compared. NULL in plain C, where looking the blocks up is
     * faster. */
    uint64_t (*absent)(const rdi_stack_top *t, const rdi_top_runs *runs, size_t i, size_t end);
    /* Moves the blocks of runs `i` to `end` - 1 to the top, and counts the distances of their first
     * references in `near`. Stops at a run whose block is not in the top, or whose lane is not
     * quiet or is below a hole. Returns the number of this run, or `end`. Sets *copy to the copy of
     * the run's block, or to 0 if the block is not in the top. NULL in plain C. */
    size_t (*scan)(rdi_stack_top *t, rdi_top_runs *runs, size_t i, size_t end,
                   uint64_t near[RDI_TOP_LANES], uint32_t *copy);
    /* Returns the number of lanes with a later time than `time`. */
    unsigned (*later)(const rdi_stack_top *t, int16_t time);
    /* Returns the lane with the earliest time; all lanes must be in use. */
    unsigned (*oldest)(const rdi_stack_top *t);
} rdi_top_kernel;

extern const rdi_top_kernel rdi_top_plain, rdi_top_avx2, rdi_top_avx512;

static inline uint16_t rdi_top_tag(uint64_t block) {
    return (uint16_t)(block ^ block >> 16 ^ block >> 32);
}

/* Replaces the times by the numbers 1 to n in the same order. */
void rdi_top_renumber(rdi_stack_top *t);

/* Makes room for the times of RDI_TOP_RUNS runs. */
static inline void rdi_top_room(rdi_stack_top *t) {
    if (RDI_UNLIKELY(t->now > INT16_MAX - RDI_TOP_RUNS))
        rdi_top_renumber(t);
}

/* Moves the block of a lane to the top. Returns its distance. */
unsigned rdi_top_reuse(rdi_stack_top *t, const rdi_top_kernel *kernel, unsigned lane);

/* Puts a block, which has no lane, on top, and sets *lane to its lane, which is not quiet. Returns
 * the copy that leaves its lane for the axis, or 0 if none does. */
uint32_t rdi_top_push(rdi_stack_top *t, const rdi_top_kernel *kernel, uint64_t block, uint32_t copy,
                      unsigned *lane);

/* Makes a lane a hole. */
static inline void rdi_top_remove(rdi_stack_top *t, unsigned lane) {
    uint64_t bit = UINT64_C(1) << lane;
    t->copy[lane] = 0;
    t->holes |= bit;
    t->quiet_loads &= ~bit;
    t->quiet_stores &= ~bit;
}

#endif
