/* One chunk of a trace, which is analyzed alone and then completed with earlier chunks (Parda's
 * idea).
 *
 * An engine that starts empty at the chunk's beginning finds the correct distance of every
 * reference whose previous reference lies in the chunk. The first touches of the chunk's blocks
 * remain open. The distinct blocks before a first touch, inside the chunk, are exactly the earlier
 * first touches. So if the engine of the previous chunk, at its end, is fed the first touches
 * alone, it gives the distance of every first touch whose block it has met. The rest are first
 * touches of the two chunks together and go to the chunk before.
 *
 * With a bound B the distance of a first touch after B other first touches is infinite, so B of
 * them are enough. The answers of an engine that has met B blocks are final.
 *
 * Afterwards the newest blocks of a chunk's engine are those of the later chunks. The older blocks
 * are the chunk's part of the LRU stack at the end of the last chunk.
 *
 * A chunk is analyzed slice by slice, so that its first touches can be resolved during the
 * analysis.
 *
 * This code has no threads. Each step uses at most two chunks, and resolving a slice does not touch
 * anything that the analysis of later slices needs.
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
    uint64_t handed_on; /* open first touches that were passed on, once per earlier chunk */
} rdi_chunk_slice;

/* The results of a chunk. */
typedef struct rdi_chunk {
    rd_ctx *ctx;
    uint64_t bound;
    bool begins; /* no chunk is before it: its first touches are first touches of the trace */
    uint64_t references;
    uint64_t met;       /* blocks that the chunk's engine has met, at most `bound` */
    uint64_t absorbed;  /* how many of them came as first touches of later chunks */
    rdi_u64_list order; /* blocks of no later chunk, in the order of their last references */
    rdi_chunk_slice slice[RDI_CHUNK_SLICES];
} rdi_chunk;

/* Opens the engine that an option names, "olken" or "olken/tree=avl/...", for chunks or for the
 * state between them. RD_EINVAL unless it is exact, immediate and hands over its order. */
rd_status rdi_chunk_engine_open(rd_ctx *ctx, const char *option, const rd_engine_config *config,
                                rd_engine **out);

void rdi_chunk_init(rdi_chunk *c, rd_ctx *ctx, uint64_t bound); /* bound as in rdi_run */
void rdi_chunk_fini(rdi_chunk *c);                              /* tolerates a zeroed chunk */

/* Analyzes the next references of the chunk, in slice s. `local` began empty. If `dist` is NULL,
 * the distances are counted in the histogram of `local`, local infinities as infinite. Otherwise
 * they are written to `dist` and not counted. */
rd_status rdi_chunk_feed(rdi_chunk *c, size_t s, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist);

/* Resolves the open first touches of slice s of chunk `c` against `engine`, which holds the chunk
 * `earlier`. The engine must have resolved the earlier slices and all chunks between the two. With
 * `keep`, distances go to `resolved`; otherwise they are counted in the engine's histogram, and
 * those that stay open are counted as infinite once more. */
rd_status rdi_chunk_resolve(rdi_chunk *c, size_t s, rdi_chunk *earlier, rd_engine *engine,
                            bool keep);

/* Takes the order from the chunk's engine, after every later chunk is resolved. */
rd_status rdi_chunk_end(rdi_chunk *c, rd_engine *local);

/* Updates `engine`, which holds the `past`, everything before chunk `c`, to the state after `c`.
 * Must be called for each chunk, in order. */
rd_status rdi_chunk_pass(const rdi_chunk *c, rdi_chunk *past, rd_engine *engine);

/* Writes the resolved distances where rdi_chunk_feed() left RD_COLD in the n distances of slice
 * s. */
void rdi_chunk_complete(const rdi_chunk *c, size_t s, uint64_t *dist, size_t n);

/* Prepares for the next chunk and keeps the memory. */
void rdi_chunk_reset(rdi_chunk *c);

#endif
