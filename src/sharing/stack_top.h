/* The top of the LRU stack of a thread: its most recent blocks, each in a lane of its own.
 *
 * Most references are to blocks near the top of the stack. Blocks stay in their lanes, and each
 * lane has the time of its last reference. The distance of a block is the number of lanes with a
 * later time, which a few vector instructions count. Only the rest of the stack is on the axis of
 * the thread (order/unit_axis.h), below all lanes.
 *
 * Holes follow the same rule as on the axis. A removed block leaves a hole, which keeps the time of
 * the block. When a block moves to the top, it fills the topmost hole if this hole is above it, and
 * leaves a hole at its old place, so the hole gets the old time of the block. If all holes are below
 * the block, they stay as they are. A new block fills the topmost hole.
 *
 * A lane is quiet if a reference to its block only moves the block to the top: no other thread has to
 * know now, and no coherence miss is undecided. A scan answers references to quiet lanes with vector
 * instructions (top_kernel.inc.h). If other threads have had the block before, they need the bytes
 * of the stores later, so the scan says in which runs the stores must be noted.
 */
#ifndef RDI_STACK_TOP_H
#define RDI_STACK_TOP_H

#include "order/block_map.h"

#define RDI_TOP_LANES 64 /* maximum number of lanes; a set of lanes has one bit per lane */
#define RDI_TOP_TILE  64 /* maximum number of references that are handled together */

typedef struct rdi_stack_top {
    int16_t time[RDI_TOP_LANES]; /* 0: the lane is not used; times are different otherwise */
    uint16_t tag[RDI_TOP_LANES]; /* rdi_top_tag() of the block */
    uint64_t block[RDI_TOP_LANES];
    uint32_t copy[RDI_TOP_LANES];       /* number of the copy; 0: a hole, or not used */
    uint64_t holes;                     /* the lanes that are holes */
    uint64_t quiet_loads, quiet_stores; /* the lanes that are quiet for loads, and for stores */
    uint64_t noted; /* lanes that are quiet for stores, and whose stores must be noted */
    uint32_t sets[RDI_TOP_LANES]; /* for lanes in `noted`: a number that the caller sets and
                                     reads */
    unsigned n;                   /* number of lanes in use, holes included: 0 to n - 1 */
    int16_t now;                  /* the latest time */
} rdi_stack_top;

/* References of a tile, and their runs. A run is consecutive references of one thread to one block,
 * and all of them except the first have distance 0. Bit i of a set stands for reference i, and a
 * run is named by its first reference. */
typedef struct rdi_top_tile {
    const uint64_t *block;      /* the blocks of the references */
    uint16_t tag[RDI_TOP_TILE]; /* rdi_top_tag() of these blocks */
    size_t n;                   /* number of references */
    uint64_t starts;            /* the references that begin a run */
    uint64_t stores;            /* the references that store */
    uint64_t storing;           /* the last references of the runs that have a store */
    /* `ready`: the runs whose blocks are not in the top, but may enter it in a scan, because loads from them are
     * quiet. `ready_stores`: the runs in `ready` whose blocks are also quiet for stores. `ready_noted`: the runs in
     * `ready_stores` whose stores must be noted. */
    uint64_t ready, ready_stores, ready_noted;
    uint32_t copy[RDI_TOP_TILE]; /* the copy of the block of a run in `ready` */
    uint32_t
        sets[RDI_TOP_TILE]; /* for runs in `ready_noted`: the number for `sets` of rdi_stack_top */
    /* Results of a scan: */
    uint64_t noted;                 /* the runs whose stores must be noted */
    uint8_t lane[RDI_TOP_TILE];     /* the lane of the block of a run in `noted` or `entered` */
    uint8_t distance[RDI_TOP_TILE]; /* the distance of the first reference of a run in `near` */
    uint64_t near;                  /* the runs whose blocks were in the top */
    uint64_t entered;               /* the runs whose blocks entered the top */
    uint32_t last[RDI_TOP_TILE];    /* for a run in `entered`: the copy that left its lane for the
                                       axis */
} rdi_top_tile;

/* Returns the set of the references from `i` to `end` - 1, of which there must be at least one. */
static inline uint64_t rdi_tile_range(size_t i, size_t end) {
    return ~UINT64_C(0) >> (64 - (end - i)) << i;
}

/* Returns the end of the run that begins with reference i. */
static inline size_t rdi_tile_run_end(const rdi_top_tile *t, size_t i) {
    uint64_t later = t->starts & (~UINT64_C(1) << i);
    return later ? (size_t)__builtin_ctzll(later) : t->n;
}

/* The operations that need all lanes or all references of a tile, for one instruction set. */
typedef struct rdi_top_kernel {
    /* Returns the set of the n references whose block is not the block of the reference before. Reference 0 is in the
     * set. Also sets tag[i] to the tag of block[i]. */
    uint64_t (*starts)(const uint64_t *block, size_t n, uint16_t *tag);
    /* Returns the set of the n references that store. */
    uint64_t (*stores)(const uint8_t *kind, size_t n);
    /* Returns the runs in `runs` whose blocks are not in the top. A few may be missing, because only tags are
     * compared. NULL in plain C, where looking the blocks up is faster. */
    uint64_t (*absent)(const rdi_stack_top *t, const uint16_t *tag, uint64_t runs);
    /* Returns the value of a block in a map, or RDI_ABSENT if the map does not have it. No block
     * may ever have been removed from the map. */
    uint64_t (*find)(const rdi_block_map *map, uint64_t block);
    /* Moves the blocks of the runs in the references `i` to `end` - 1 to the top. For blocks that were in the top,
     * counts the distances of the first references in `near`. The blocks of runs in tile->ready enter the top if it
     * is full and has no hole. Stops at a run whose block is not in the top and does not enter it, or whose lane is
     * not quiet or is below a hole. Returns the first reference of this run, or `end`. Sets *copy to the copy of this
     * run's block, or to 0 if the block is not in the top. NULL in plain C. */
    size_t (*scan)(rdi_stack_top *t, rdi_top_tile *tile, size_t i, size_t end,
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

/* Makes room for the times of RDI_TOP_TILE runs. */
static inline void rdi_top_room(rdi_stack_top *t) {
    if (RDI_UNLIKELY(t->now > INT16_MAX - RDI_TOP_TILE))
        rdi_top_renumber(t);
}

/* Moves the block of a lane to the top. Returns its distance. */
unsigned rdi_top_reuse(rdi_stack_top *t, const rdi_top_kernel *kernel, unsigned lane);

/* Puts a block, which must have no lane, on top. Sets *lane to its lane, which is not quiet.
 * Returns the copy that leaves this lane for the axis, or 0 if none does. */
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
