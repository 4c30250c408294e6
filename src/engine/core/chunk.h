/* Declares the analysis of a trace in chunks, which `chunks` and `parda` share.
 *
 * Analyzing. A round of the trace is cut into chunks, and each chunk is analyzed alone, with an
 * exact engine that starts empty. The engine finds the distance of every reference whose previous
 * reference lies in the chunk. The first touches of the chunk's blocks stay open, because an
 * earlier chunk decides their distances. The papers call open first touches local infinities.
 *
 * Resolving. The distinct blocks between the beginning of a chunk and a first touch in it are
 * exactly the earlier first touches. So the engine of the previous chunk, after it has analyzed
 * that chunk, looks up only the open first touches, in order. It finds the distance of each first
 * touch whose block it has met. The remaining first touches stay open: they are first touches of
 * the two chunks together, and the engine of the chunk before these two looks them up. First
 * touches that stay open after the first chunk of the trace are cold. An engine can look up an open
 * first touch in three ways:
 *
 *   insert      The engine is fed the block, which becomes its newest one.
 *   take        The engine removes the block if it has it, and does not insert it otherwise, so
 *               that only one engine keeps a block (Parda's space optimization). All open first
 *               touches that the chunk received before are newer than its own blocks and distinct:
 *               their number is added to the distance.
 *   replicated  Like insert, for lists that contain blocks which a chunk in between has resolved
 *               (Carr and Nicol's second algorithm). If a block has fewer newer blocks than have
 *               been received, the block was received before, so a chunk in between has resolved
 *               it.
 *
 * Bound. With a bound B, the distance of a first touch after B other first touches is infinite. So
 * a chunk passes on at most B first touches, and infinite distances from an engine that has met B
 * blocks are final.
 *
 * Counting. The engine of a chunk counts its open first touches as infinite. A chunk that receives
 * them counts them again, by the distances that it finds or, except with `replicated`, as infinite.
 * `recounted` is the number of references that the chunk counts again. At the end, the engine
 * subtracts the sum of these numbers from the infinite distances.
 *
 * State between rounds. When a round is resolved, the blocks of a chunk that no later chunk has
 * referenced are the chunk's part of the LRU stack: an engine that inserts has these blocks below
 * the received blocks, and an engine that takes has only these blocks. An engine that holds
 * everything before the round and is fed the parts of all chunks, in order, holds everything before
 * the next round.
 *
 * This code starts no threads, and each function uses one chunk. Two engines call these functions
 * in steps:
 *
 *   chunks (fast/chunks.c)       Threads share the memory. Any thread executes any step that is
 *                                due, and open first touches stay where they are.
 *   parda (papers/parda_rank.h)  Ranks share nothing. Each rank executes the steps of its own
 *                                chunks and sends open first touches and blocks in messages, to
 *                                threads or to other processes (ranks.h).
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012. E. Carr, D. M. Nicol. Empirical study of parallel LRU simulation algorithms. 1994.
 */
#ifndef RDI_CHUNK_H
#define RDI_CHUNK_H

#include "base/u64_list.h"
#include "engine/core/plugin.h"

typedef enum rdi_resolving {
    RDI_RESOLVE_INSERT,
    RDI_RESOLVE_TAKE,
    RDI_RESOLVE_REPLICATED
} rdi_resolving;

/* The settings of all chunks of an analysis; shared and constant. */
typedef struct rdi_chunk_plan {
    rd_ctx *ctx;
    const char *engine; /* engine and options in the form of an option's value: "olken", or
                           "olken/tree=avl/..." */
    rd_binning binning;
    uint64_t bound; /* bound in blocks; UINT64_MAX: unbounded */
    rdi_resolving resolving;
} rdi_chunk_plan;

/* A chunk, or everything before the round. A zeroed chunk is closed. */
typedef struct rdi_chunk {
    const rdi_chunk_plan *plan;
    rd_engine *engine;   /* holds the blocks and the counts */
    bool first;          /* true: no chunk is before this one, so no first touch stays open */
    uint64_t met;        /* number of blocks that were new to the engine in this round, at most
                            `bound` */
    uint64_t received;   /* number of distinct open first touches of later chunks that were received
                            in this round */
    uint64_t references; /* number of references analyzed so far */
    uint64_t recounted;  /* number of references that this chunk has counted again so far */
} rdi_chunk;

/* Opens the chunk and its engine. `plan` is borrowed until rdi_chunk_close(). `expected_blocks` is
 * a hint, 0 if unknown. Returns RD_EINVAL unless the engine is exact and immediate and has
 * rdi_chunk_ops. */
rd_status rdi_chunk_open(rdi_chunk *c, const rdi_chunk_plan *plan, uint64_t expected_blocks);
void rdi_chunk_close(rdi_chunk *c);

/* Begins a round. The engine keeps its blocks. `first` is true if no chunk is before this one. */
void rdi_chunk_begin(rdi_chunk *c, bool first);

/* Analyzes the next n references of the chunk, and appends the open first touches to `open`. If
 * `dist` is NULL, the distances are counted in the engine's histogram. Otherwise they are written
 * to `dist` and not counted. */
rd_status rdi_chunk_analyze(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                            rdi_u64_list *open);

/* Looks up the next n open first touches of later chunks, and appends each one that stays open to
 * `open`, which may share its memory with `blocks`. This chunk must have been analyzed, and all
 * chunks in between must have resolved the first touches. If `dist` is NULL, the distances are
 * counted in the engine's histogram; otherwise they are written to `dist`, with RD_COLD for first
 * touches that stay open. `dist` must be NULL for replicated lists. */
rd_status rdi_chunk_resolve(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                            rdi_u64_list *open);

/* Sets `state` to the chunk's part of the LRU stack, oldest block first. The first touches of all
 * later chunks must have been resolved. */
rd_status rdi_chunk_state(rdi_chunk *c, rdi_u64_list *state);

/* Makes the n blocks the newest blocks of the chunk. The last of them becomes the newest. */
rd_status rdi_chunk_append(rdi_chunk *c, const uint64_t *blocks, size_t n);

#endif
