/* One chunk of a trace, analysed alone, then completed by what came before it (Parda's idea).
 *
 * An engine that starts empty at the chunk's beginning finds the right distance of every reference
 * whose previous one lies in the chunk. What is left are the first touches of the chunk's blocks.
 * The distinct blocks in front of a first touch, inside the chunk, are exactly the first touches
 * before it. So the engine of the chunk before, at its end, fed the first touches alone, gives the
 * distance of every one whose block it has met. The others are as good as first touches of the two
 * chunks together, and go on to the chunk before that.
 *
 * With a bound B the distance of a first touch behind B others is infinite, so B of them are
 * enough; and an engine that has met B blocks has answered for good.
 *
 * Afterwards the newest blocks of a chunk's engine are those of the later chunks. What is older is
 * the chunk's part of the LRU stack at the end of the last one.
 *
 * A chunk is analysed slice by slice, so that its first touches can be resolved while it still is.
 *
 * No threads in here: each step works on two chunks at most, and resolving a slice on nothing that
 * analysing later ones needs.
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012.
 */
#ifndef RDI_CHUNK_H
#define RDI_CHUNK_H

#include "base/u64_list.h"
#include "engine/core/plugin.h"

#define RDI_CHUNK_SLICES 8

/* The first touches in a slice of a chunk. */
typedef struct rdi_chunk_slice {
    rdi_u64_list open;     /* local infinities: first touches without a distance, in order */
    rdi_u64_list resolved; /* if kept: a distance per first touch, RD_COLD while it is open */
    uint64_t firsts;
    uint64_t handed_on; /* of them, resolved against others, once per other */
} rdi_chunk_slice;

/* What is known of a chunk. */
typedef struct rdi_chunk {
    rd_ctx *ctx;
    uint64_t bound;
    bool begins; /* nothing is before it: its first touches are those of the trace */
    uint64_t references;
    uint64_t met;       /* blocks that the chunk's engine has met, `bound` at most */
    uint64_t absorbed;  /* of them, by first touches of later chunks */
    rdi_u64_list order; /* blocks of no later chunk, in the order of their last references */
    rdi_chunk_slice slice[RDI_CHUNK_SLICES];
} rdi_chunk;

/* Opens the engine that an option names, "olken" or "olken/tree=avl/...", for chunks or for the
 * state between them: RD_EINVAL unless it is exact, immediate and hands its order over. */
rd_status rdi_chunk_engine_open(rd_ctx *ctx, const char *option, const rd_engine_config *config,
                                rd_engine **out);

void rdi_chunk_init(rdi_chunk *c, rd_ctx *ctx, uint64_t bound); /* bound as in rdi_run */
void rdi_chunk_fini(rdi_chunk *c);                              /* tolerates a zeroed chunk */

/* Analyses the next references of the chunk, in slice s. `local` began empty. `dist` NULL: counted
 * into the histogram of `local`, local infinities as infinite. Otherwise they are put there and not
 * counted. */
rd_status rdi_chunk_feed(rdi_chunk *c, size_t s, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist);

/* Resolves first touches of slice s of the chunk `c` that are open against `engine`, which holds
 * the chunk `earlier` and has resolved the slices before and all chunks between the two. `keep`:
 * distances go to `resolved`; otherwise they are counted into the engine's histogram, what stays
 * open as infinite once more. */
rd_status rdi_chunk_resolve(rdi_chunk *c, size_t s, rdi_chunk *earlier, rd_engine *engine,
                            bool keep);

/* Every later chunk is resolved: takes the order from the chunk's engine. */
rd_status rdi_chunk_end(rdi_chunk *c, rd_engine *local);

/* Brings `engine`, which holds the `past`, everything before the chunks whose orders are passed, to
 * the state behind them: to be called for each of them, in order. */
rd_status rdi_chunk_pass(const rdi_chunk *c, rdi_chunk *past, rd_engine *engine);

/* Puts the resolved distances where rdi_chunk_feed() left RD_COLD in the n distances of slice s. */
void rdi_chunk_complete(const rdi_chunk *c, size_t s, uint64_t *dist, size_t n);

/* Ready for the next chunk; memory is kept. */
void rdi_chunk_reset(rdi_chunk *c);

#endif
