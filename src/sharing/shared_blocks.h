/* The details of shared blocks: which threads and which code use them, and which data they hold.
 *
 * A block is shared from its first coherence miss on. From then on, it has a log of its references.
 * The log begins with one seed for each thread that has referenced the block: the bytes that the
 * thread has used, and the bytes that other threads stored since the thread's last reference. The
 * seeds are followed by runs. A run is all references of one thread to the block until another thread
 * references it, stored as the sets of bytes that the thread loaded and stored. Coherence misses
 * happen only at the beginning of a run, so the log is enough to analyze the block again with its
 * bytes in several blocks (shared_fix.h).
 */
#ifndef RDI_SHARED_BLOCKS_H
#define RDI_SHARED_BLOCKS_H

#include "attribution/regions.h"
#include "reusedist/sharing.h"
#include "sharing/byte_mask.h"

#define RDI_LOG_MAX    (UINT64_C(1) << 22) /* maximum number of runs in all logs together */
#define RDI_PIECES_MAX 8                   /* maximum number of spans of data per block */

/* The references of one thread to one block until another thread references the block, or a seed. A
 * bit stands for a byte, or for 1/64 of a block of more than 64 bytes. */
typedef struct rdi_shared_run {
    uint64_t read, stored; /* seed: `read` has the bits that the thread has used, `stored` the bits
                              that other threads stored since the thread's last reference to the
                              block */
    uint32_t thread : 31;
    uint32_t seed : 1;
    uint32_t next; /* the next run of the block; 0: none */
} rdi_shared_run;

/* The bits of a block that one thread has loaded and stored. */
typedef struct rdi_shared_use {
    uint64_t loads, stores;
} rdi_shared_use;

typedef struct rdi_shared_detail {
    uint64_t block;
    uint64_t true_sharing, false_sharing;
    uint32_t first_run, last_run; /* 0: none */
    bool cut;                     /* true: the log was full, and later references are missing */
    uint32_t n_pieces;
    rdi_span pieces[RDI_PIECES_MAX]; /* the data of the block at its last snapshot, by address */
} rdi_shared_detail;

/* The use of the block by the thread of a copy, in addition to rdi_copy. */
typedef struct rdi_copy_use {
    uint64_t loads, stores;
    uint64_t touched;   /* the bits of a run (rdi_shared_run) that the thread has used so far */
    uint64_t miss_pc;   /* program counter of the last coherence miss */
    uint64_t remove_pc; /* program counter of the store that removed the copy last */
} rdi_copy_use;

/* The coherence misses of one instruction in one block. */
typedef struct rdi_shared_site {
    uint64_t pc;
    uint64_t true_sharing, false_sharing;
    /* Number of coherence misses of other threads that stores of this instruction caused. */
    uint64_t removals;
    uint32_t detail; /* number of the block's detail */
    uint32_t next;   /* the next site with the same hash; 0: none */
} rdi_shared_site;

typedef struct rdi_shared_blocks {
    rd_ctx *ctx;
    uint64_t block_bytes;
    unsigned run_bits; /* log2 of the number of bytes per bit of a run */
    rdi_modules modules;
    rdi_regions regions;
    uint32_t epoch;
    rdi_copy_use *uses; /* indexed by the number of the copy */
    uint64_t uses_room;
    rdi_shared_detail *details; /* numbered from 1 */
    uint64_t n_details, details_room;
    rdi_shared_run *runs; /* numbered from 1 */
    uint64_t n_runs, runs_room;
    rdi_shared_site *sites; /* numbered from 1 */
    uint64_t n_sites, sites_room;
    rdi_block_map site_index; /* maps the hash of a detail and a program counter to the first site
                                 with this hash */
} rdi_shared_blocks;

rd_status rdi_shared_blocks_init(rdi_shared_blocks *b, rd_ctx *ctx, uint64_t block_bytes);
void rdi_shared_blocks_fini(rdi_shared_blocks *b); /* a zeroed struct is allowed */

/* Applies an event. Modules, allocations, releases and stacks give names to addresses; other events
 * change nothing. */
rd_status rdi_shared_blocks_event(rdi_shared_blocks *b, const rd_event *event);

/* Makes room for the use of copy `c`. */
rd_status rdi_shared_blocks_room(rdi_shared_blocks *b, uint64_t c);
/* Makes the detail of a block at its first coherence miss, and sets *out to the number of the
 * detail. */
rd_status rdi_shared_blocks_add(rdi_shared_blocks *b, uint64_t block, uint32_t *out);
/* Adds a seed for copy `c` of a thread to the log of a block. `lost` is the set of the bits that
 * other threads stored since the thread's last reference to the block. */
rd_status rdi_shared_blocks_seed(rdi_shared_blocks *b, uint32_t detail, uint32_t thread, uint32_t c,
                                 uint64_t lost);
/* Counts n_loads + n_stores consecutive references of the thread of copy `c` to the block, which
 * touch the bits in `use`. Unless `detail` is 0, also adds them to the log of the block. */
rd_status rdi_shared_blocks_log(rdi_shared_blocks *b, uint32_t detail, uint32_t thread, uint32_t c,
                                const rdi_shared_use *use, uint64_t n_loads, uint64_t n_stores);
/* Counts a coherence miss of copy `c` as true or as false sharing of the block. */
rd_status rdi_shared_blocks_miss(rdi_shared_blocks *b, uint32_t detail, uint32_t c,
                                 bool true_sharing);

#endif
