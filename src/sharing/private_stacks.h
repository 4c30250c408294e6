/* The LRU stacks of threads with private caches, and the copies of blocks in these stacks.
 *
 * A copy is what one thread has, or had, of one block. The top of a thread's LRU stack has lanes
 * (sharing/stack_top.h), and the rest of the stack is on the thread's axis (order/unit_axis.h). So
 * the place of a copy is a lane of the top or a slot on the axis. A copy without a slot was removed
 * by a store of another thread. The copies of a block form a list.
 *
 * A block has an owner as long as only one thread has it. The stores of an owner change nothing for
 * the other threads except the set of bytes that were stored since their last references. These
 * bytes are collected in the first set of the block, and added to the sets of all other copies when
 * another thread references the block. So a store of an owner costs the same for any number of
 * threads, and only a change of the owner costs time for each copy. Most stores of an owner are
 * quiet (sharing/stack_top.h): a scan answers them, and their bytes are noted afterwards.
 *
 * Sets of bytes exist only for copies that were removed at least once, and for blocks with several
 * copies whose owner stores.
 */
#ifndef RDI_PRIVATE_STACKS_H
#define RDI_PRIVATE_STACKS_H

#include "order/block_map.h"
#include "order/unit_axis.h"
#include "profile/hist.h"
#include "reusedist/sharing.h"
#include "sharing/byte_mask.h"
#include "sharing/lone_blocks.h"
#include "sharing/shared_blocks.h"
#include "sharing/stack_top.h"

/* The maximum number of bits in a set of bytes: a set takes at most 8 KiB. In a block of more
 * bytes, a bit stands for several adjacent bytes. */
#define RDI_SHARED_BYTES_MAX 65536

/* The `slot` of a copy in lane 0 of the top; the next numbers are for lanes 1, 2 and so on. Slots
 * on the axis have smaller numbers. */
#define RDI_SLOT_TOP     (UINT32_MAX - (RDI_TOP_LANES - 1))

#define RDI_SLOT_PRESENT 1 /* without distances: slot of a copy that is present */

typedef struct rdi_copy {
    uint32_t slot;   /* slot on the axis of the thread; 0: removed by another thread;
                        RDI_SLOT_TOP + k: in lane k of the top of the stack. Without distances:
                        RDI_SLOT_PRESENT, or 0 */
    uint32_t block;  /* index of the block */
    uint32_t next;   /* the next copy of the same block; 0: none */
    uint32_t thread; /* index of the thread */
    uint32_t sets;   /* index of its two sets in rd_sharing's `sets`; 0: none */
} rdi_copy;

typedef struct rdi_shared_block {
    uint32_t copies; /* the first copy */
    uint32_t owner; /* the copy of the only thread that has the block; 0: several threads have it */
    uint32_t sets;  /* index of its two sets in rd_sharing's `sets`; 0: none */
    uint32_t detail; /* number of its rdi_shared_detail; 0: none */
} rdi_shared_block;

#define RDI_PRIVATE_WINDOWS 128 /* maximum number of windows of a timeline */
#define RDI_PRIVATE_PENDING 256 /* maximum number of distances that are counted together */

typedef struct rdi_private_stack {
    uint64_t key;       /* process << 32 | thread number */
    rdi_block_map copy; /* maps a block to the copy of this thread */
    rdi_stack_top top;  /* the most recent blocks of the stack */
    rdi_unit_axis axis; /* the rest of the stack */
    rd_private_counts counts;
    uint64_t
        misses[RDI_PRIVATE_WINDOWS]; /* coherence misses per window, if details are requested */
    rdi_hist *hist;
    /* Distances that `hist` does not have yet: near[d] is the number of references with distance d
     * to blocks in the top, and `pending` has the distances of other references. */
    uint64_t near[RDI_TOP_LANES];
    uint64_t pending[RDI_PRIVATE_PENDING];
    size_t n_pending;
} rdi_private_stack;

/* A recent tile in which a thread referenced a block. It is the last one, or an earlier one that was still in
 * progress when the last one began. */
typedef struct rdi_private_sight {
    uint64_t block;
    uint32_t thread; /* index of the thread */
    uint32_t tile;   /* number of the tile, from 1; the numbers wrap around */
} rdi_private_sight;

#define RDI_PRIVATE_SIGHT_BITS 7 /* log2 of the number of sights that are remembered */

struct rd_sharing {
    rd_ctx *ctx;
    rd_sharing_config config;
    char *interleave;    /* a copy of the name in the configuration */
    unsigned block_bits; /* log2 of the block size */
    unsigned unit_bits;  /* log2 of the number of bytes per bit of a set */
    uint32_t words;      /* number of words of a set */
    unsigned word_bits;  /* log2 of `words` */
    rdi_block_map index; /* maps a block to its index in `blocks` */
    rdi_shared_block *blocks;
    uint64_t n_blocks, blocks_room;
    rdi_copy *copies; /* copy 0 is not used */
    uint64_t n_copies, copies_room;
    /* Two sets of bytes per index. The first set of a copy has the bytes that other threads stored
     * since the last reference of its thread, except the bytes that are still in the first set of
     * the block. The second set of a copy has the bytes whose use makes the last coherence miss of
     * the copy true sharing; it is empty unless this miss is undecided. The first set of a block
     * has the bytes that the owner stored; its second set is not used. Index 0 is not used. */
    uint64_t *sets;
    uint64_t n_sets, sets_room;
    rdi_block_map thread_index; /* maps the key of a thread to its index */
    rdi_private_stack **threads;
    size_t n_threads, threads_room;
    uint32_t current; /* index of the thread of the last reference; meaningless without threads */
    uint64_t fed;     /* number of references before the batch of feed_tiles() */
    uint64_t window;  /* number of references per window of the timelines */
    uint64_t pc;      /* program counter of the current reference, if details are requested */
    rdi_shared_blocks *shared; /* details of shared blocks; NULL: not requested */
    rdi_lone_blocks lone;      /* without distances: all blocks, until a second thread appears */
    bool distances; /* true: threads have LRU stacks; false: only details are requested */
    rdi_private_sight sights[1 << RDI_PRIVATE_SIGHT_BITS]; /* by a hash of the block and the
                                                              thread */
    uint32_t tiles;                                        /* number of tiles so far */
    const rdi_top_kernel *kernel;
    bool scans; /* true: the kernel has scan(), and details are not requested */
    bool finished;
};

/* Return the number of a new copy or a new block, or 0 after a failure, whose status is
 * rdi_private_failure(). */
uint32_t rdi_private_new_copy(rd_sharing *s, rdi_copy copy);
uint32_t rdi_private_new_block(rd_sharing *s);
rd_status rdi_private_failure(const rd_sharing *s);

/* Allocates the two sets of bytes of a copy or a block and stores their number in *number, unless
 * *number is already set. */
rd_status rdi_private_need_sets(rd_sharing *s, uint32_t *number);

/* Makes the thread with this key the current thread. Adds the thread if it is new. */
rd_status rdi_private_choose_thread(rd_sharing *s, uint64_t key);

/* Consecutive references of one thread to one block: the references `from` to `to` - 1 of a
 * batch. */
typedef struct rdi_private_run {
    const rd_sharing_batch *batch;
    size_t from, to;
    bool stores; /* true: at least one of the references stores */
} rdi_private_run;

/* Processes a run of the current thread, and counts the distance of its first reference. *c is the
 * copy of the block, or 0 if the caller does not know it; the function sets *c to the copy, and
 * *distance to the distance of the first reference: RD_COLD for the first reference of the thread
 * to the block, RD_MISS_COHERENCE for a coherence miss. */
rd_status rdi_private_reference(rd_sharing *s, const rdi_private_run *run, uint32_t *c,
                                uint64_t *distance);

/* Makes room for `n` more blocks on the axis of a thread. This may change the slots of copies. */
rd_status rdi_private_axis_room(rd_sharing *s, rdi_private_stack *stack, uint64_t n);

/* Sets `ready`, `ready_stores` and `ready_noted` of the tile to the runs among `absent` that may enter the top in a
 * scan. All runs in `absent` belong to the current thread, and tile->copy has the copies of their blocks. */
void rdi_private_find_ready(const rd_sharing *s, rdi_top_tile *tile, uint64_t absent);

/* Completes a scan in which blocks have entered the top (tile->entered): moves the copies that left the top to the
 * axis, and counts the distances of the entered blocks. Also stores these distances in `distances`, unless it is
 * NULL. */
rd_status rdi_private_enter(rd_sharing *s, rdi_private_stack *stack, const rdi_top_tile *tile,
                            uint64_t *distances);

/* Converts `lone` to copies of the first thread, and frees it. */
rd_status rdi_private_end_lone(rd_sharing *s);

/* Ends the analysis: counts all undecided coherence misses as false sharing, because no more
 * references follow, and adds the pending distances to the histograms. */
rd_status rdi_private_stacks_finish(rd_sharing *s);

static inline uint64_t *rdi_sets_stored(const rd_sharing *s, uint32_t number) {
    return s->sets + (uint64_t)number * 2 * s->words;
}

static inline uint64_t *rdi_sets_awaited(const rd_sharing *s, uint32_t number) {
    return rdi_sets_stored(s, number) + s->words;
}

/* Returns the range of bits for the bytes of block `id` that reference `i` touches. A block without
 * a size has a single bit. */
static inline rdi_byte_range rdi_bytes_of(const rd_sharing *s, const rd_refs *refs, size_t i,
                                          uint64_t id) {
    if (!s->config.block_bytes)
        return (rdi_byte_range){0, 0};
    uint64_t first = refs->addr[i], last = first + (refs->size ? refs->size[i] - 1 : 0);
    uint64_t from = id << s->block_bits, to = from + (s->config.block_bytes - 1);
    first = first > from ? first : from;
    last = last < to ? last : to;
    return (rdi_byte_range){(uint32_t)((first - from) >> s->unit_bits),
                            (uint32_t)((last - from) >> s->unit_bits)};
}

/* Converts a range of bits of a set to the 64 bits that a run of a shared block has
 * (rdi_shared_run). */
static inline uint64_t rdi_log_bits(const rd_sharing *s, rdi_byte_range bytes) {
    return rdi_range_word((rdi_byte_range){bytes.first >> s->word_bits, bytes.last >> s->word_bits},
                          0);
}

#endif
