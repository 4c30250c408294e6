/* One chunk of a trace, analysed alone, then completed by what came before it (Parda's idea).
 *
 * An engine that starts empty at the chunk's beginning finds the right distance of every reference
 * whose previous one lies in the chunk. What is left are the first touches of the chunk's blocks.
 * The distinct blocks in front of a first touch, inside the chunk, are exactly the first touches
 * before it. So an engine that holds the LRU stack of everything before the chunk, fed the first
 * touches alone, gives their distances. Touching the chunk's blocks once more, in the order of
 * their last references, then leaves that engine with the LRU stack at the chunk's end.
 *
 * With a bound B the distance of a first touch behind B others is infinite: B of them are enough,
 * and so are the B newest blocks of the order.
 *
 * No threads in here: each step works on one chunk and one engine.
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012.
 */
#ifndef RDI_CHUNK_H
#define RDI_CHUNK_H

#include "base/u64_list.h"
#include "engine/plugin.h"

/* What is known of a chunk. Invariant: first.n and order.n are at most `bound`; without one they
 * are equal. */
typedef struct rdi_chunk {
    rd_ctx *ctx;
    uint64_t bound;
    rdi_u64_list first;    /* blocks in the order of their first references: local infinities */
    rdi_u64_list order;    /* blocks in the order of their last references */
    rdi_u64_list resolved; /* the distance of each entry of `first` in the whole trace */
} rdi_chunk;

/* Opens the engine that an option names, "olken" or "olken/tree=avl/...", for chunks or for the
 * state between them: RD_EINVAL unless it is exact, immediate and hands its order over. */
rd_status rdi_chunk_engine_open(rd_ctx *ctx, const char *option, const rd_engine_config *config,
                                rd_engine **out);

void rdi_chunk_init(rdi_chunk *c, rd_ctx *ctx, uint64_t bound); /* bound as in rdi_run */
void rdi_chunk_fini(rdi_chunk *c);                              /* tolerates a zeroed chunk */

/* Analyses the next references of the chunk. `local` began empty. `dist` NULL: counted into the
 * histogram of `local`, local infinities as infinite. Otherwise they are put there and not counted.
 */
rd_status rdi_chunk_feed(rdi_chunk *c, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist);

/* The chunk is complete: takes its order from `local` and leaves that empty for the next chunk. */
rd_status rdi_chunk_end(rdi_chunk *c, rd_engine *local);

/* Resolves the first touches against `before`, which holds the LRU stack of everything before the
 * chunk, and brings that to the chunk's end. */
rd_status rdi_chunk_resolve(rdi_chunk *c, rd_engine *before);

/* Puts the resolved distances where rdi_chunk_feed() left RD_COLD in the n distances of the chunk.
 */
void rdi_chunk_complete(const rdi_chunk *c, uint64_t *dist, size_t n);

/* Ready for the next chunk; memory is kept. */
void rdi_chunk_reset(rdi_chunk *c);

#endif
