/* Declares one rank of a Parda analysis. A rank executes the steps of chunk.h on its own chunks,
 * and exchanges open first touches and state with other ranks by messages (ranks.h).
 *
 * A round of the trace, which the paper calls a phase, is cut into chunks, one per rank in order. A
 * rank's place in the round is the number of its chunk. The rank at place 0 also has the LRU stack
 * of all earlier rounds. After its own chunk, a rank resolves the first touches of the ranks at
 * higher places, which the papers call the fix-up. There are two kinds:
 *
 *   pipelined  All open first touches go to the rank at the next lower place. It resolves the first
 *              touches whose blocks it has, and passes on the remaining ones (Parda's Algorithms 3,
 *              4 and 7; Carr and Nicol's pipeline).
 *   postfix    In log2(n) steps, lists go 1, 2, 4 ... places down and grow on the way (Carr and
 *              Nicol's second algorithm).
 *
 * Then one rank collects the state of all ranks in the order of places (Algorithm 6). With `rename`
 * this is the rank at the last place, which takes place 0 in the next round because the order of
 * places is reversed. Without `rename` it is the rank at place 0.
 *
 * The code deviates from the printed algorithms where they are wrong: a rank receives first touches
 * only from ranks at higher places; counts and the collected state are kept between rounds;
 * references that remain when a trace does not divide evenly into rounds and chunks are analyzed
 * too; a distance of the bound or more is infinite; and a state is cut to the newest `bound` blocks
 * whenever it grows.
 *
 * A checkpoint is taken between rounds: all counts and the collected state go to rank 0, which
 * writes them.
 *
 * A rank can complete a round as soon as the ranks at higher places have completed it, so one
 * thread can run all ranks one after another, from the last place to the first.
 */
#ifndef RDI_PARDA_RANK_H
#define RDI_PARDA_RANK_H

#include "engine/core/chunk.h"
#include "engine/core/ranks.h"
#include "engine/papers/parda_checkpoint.h"

/* The settings of all ranks. They are shared and constant. */
typedef struct rdi_parda_plan {
    rdi_chunk_plan chunk; /* Settings of the chunks. RDI_RESOLVE_REPLICATED means postfix, every
                             other value pipelined. */
    bool rename;
    bool checkpoint;             /* true: rank 0 writes a checkpoint at the end of each round except
                                    the last one */
    const char *checkpoint_path; /* File of the checkpoint. Only rank 0 uses this field and the
                                    following ones. */
    rdi_parda_checkpoint before; /* the checkpoint from which the analysis resumed */
    uint64_t round_references;   /* number of references per round if the ranks read the trace
                                    themselves; 0: rank 0 distributes it */
} rdi_parda_plan;

/* The statistics of one rank, or of all ranks. For all ranks, `references` and `recounted` are
 * sums, and the remaining fields are maxima. */
typedef struct rdi_parda_tally {
    uint64_t references;
    uint64_t recounted; /* sum of rdi_chunk.recounted */
    uint64_t rounds;
    uint64_t fixup_ns, state_ns; /* time of the fix-up and of collecting the state in nanoseconds,
                                    including waiting */
    uint64_t busy_ns;            /* processor time in nanoseconds */
    uint64_t peak_bytes;         /* peak memory of the process in bytes */
} rdi_parda_tally;

/* One rank and its progress. A zeroed rank is closed. */
typedef struct rdi_parda_rank {
    const rdi_parda_plan *plan;
    rdi_ranks *ranks;
    unsigned me;
    unsigned place; /* place of this rank in the current round */
    rdi_chunk chunk;
    rdi_u64_list out; /* open first touches that were not yet sent, or with postfix all open first
                         touches; between rounds, the state */
    uint64_t digest;  /* digest of all references before this round, for a checkpoint */
    rdi_parda_tally tally;
} rdi_parda_rank;

rd_status rdi_parda_rank_open(rdi_parda_rank *r, const rdi_parda_plan *plan, rdi_ranks *ranks,
                              unsigned me);
void rdi_parda_rank_close(rdi_parda_rank *r); /* also accepts a zeroed rank */

/* Returns the place of a rank in a round. Because the order of places is at most reversed, the
 * function also maps a place to its rank. */
static inline unsigned rdi_parda_place(const rdi_parda_plan *plan, unsigned n, uint64_t round,
                                       unsigned rank) {
    return plan->rename && round % 2 ? n - 1 - rank : rank;
}

/* The steps of a round: rdi_parda_rank_begin() moves the state of the previous round to the rank at
 * place 0 and takes the checkpoint, rdi_parda_rank_feed() analyzes the chunk, and
 * rdi_parda_rank_end() is the fix-up. */
rd_status rdi_parda_rank_begin(rdi_parda_rank *r);
rd_status rdi_parda_rank_feed(rdi_parda_rank *r, const uint64_t *blocks, size_t n);
rd_status rdi_parda_rank_end(rdi_parda_rank *r);

/* Sends the tally and the counts to rank 0, after the last round. */
rd_status rdi_parda_rank_result(rdi_parda_rank *r);
/* Receives, at rank 0, the message of kind `kind` with the counts of rank `from`, and adds them to
 * *hist and *tally. When the counts of all ranks have been added, *hist has tally->recounted
 * infinite distances too many, which the caller must subtract. */
rd_status rdi_parda_receive_result(rdi_ranks *ranks, rdi_message_kind kind, unsigned from,
                                   rdi_hist *hist, rdi_parda_tally *tally, rd_ctx *ctx);

#endif
