/* One rank of a Parda analysis: its chunks, their local infinities, the state between phases.
 *
 * A phase of the trace is cut into chunks, one per rank in order; a rank's place in the phase says
 * which. The rank at place 0 also has the LRU stack of all earlier phases. Each rank analyses its
 * chunk alone. What it sees for the first time, its local infinities, are resolved by the ranks at
 * lower places, whose state has the block's previous reference (fix-up):
 *
 *   pipelined  everything goes to the left neighbour, who resolves what it knows and passes on the
 *              rest (Parda's Algorithms 3, 4 and 7; Carr and Nicol's pipeline)
 *   postfix    in log2(n) steps lists go 1, 2, 4 ... places to the left and grow on the way (Carr
 *              and Nicol's other one)
 *
 * Then the blocks that each rank still has, in the order of places, are the LRU stack at the end of
 * the phase (Algorithm 6): one rank collects them. With `rename` it is the last one, which takes
 * place 0 in the next phase because the order of places is reversed; without, the one at place 0.
 *
 * Where a paper's printing is wrong: a rank receives from those behind it only, nothing is reset
 * between phases, a remainder is not dropped, a distance of the bound or more is infinite, a state
 * is cut to the newest `bound` blocks whenever it grows.
 *
 * A checkpoint is taken there: all counts and the one state go to rank 0, which writes them.
 *
 * No threads in here: what a rank needs from others comes by letter (ranks.h). A rank may run
 * through a phase once those at higher places have; so one thread can run them one after another,
 * from the last to the first.
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012. E. Carr, D. M. Nicol. Empirical study of parallel LRU simulation algorithms. 1994.
 */
#ifndef RDI_PARDA_RANK_H
#define RDI_PARDA_RANK_H

#include "engine/core/ranks.h"
#include "engine/fast/chunk.h"
#include "engine/papers/parda_checkpoint.h"

/* How all ranks work; shared and constant. */
typedef struct rdi_parda_plan {
    rd_ctx *ctx;
    const char *engine; /* for the chunks, as rdi_chunk_engine_open() takes it */
    rd_binning binning;
    uint64_t bound; /* as in rdi_run */
    bool postfix;
    bool take; /* space optimisation: a block that was found leaves, one that was not stays out */
    bool rename;
    bool checkpoint;             /* written by rank 0 at the end of each phase but the last ... */
    const char *checkpoint_path; /* ... to this file; of the other fields only rank 0 knows */
    rdi_parda_checkpoint before; /* what was there when the analysis began */
    uint64_t phase_references;   /* of the trace, per phase, when the ranks read it; 0: dealt */
} rdi_parda_plan;

/* What one rank did. All ranks' together are the result. */
typedef struct rdi_parda_tally {
    uint64_t references;
    uint64_t uncounted; /* local infinities in the counts that another rank counts as well */
    uint64_t phases;
    uint64_t fixup_ns, state_ns; /* waiting included */
    uint64_t busy_ns;            /* of a processor */
    uint64_t peak_bytes;         /* of the process */
} rdi_parda_tally;

typedef struct rdi_parda_rank {
    const rdi_parda_plan *plan;
    rdi_ranks *ranks;
    unsigned me;
    unsigned place;     /* in this phase */
    rd_engine *engine;  /* the state, and the counts of the chunks */
    rdi_hist *hist;     /* what was resolved here for others */
    rdi_u64_list out;   /* local infinities: not yet sent, or all of them for postfix */
    uint64_t passed_on; /* local infinities given away in this phase, `bound` at most */
    uint64_t received;  /* of others in this phase: Algorithm 4's count */
    uint64_t digest;    /* of all that was dealt before this phase, for a checkpoint */
    rdi_parda_tally tally;
} rdi_parda_rank;

rd_status rdi_parda_rank_open(rdi_parda_rank *r, const rdi_parda_plan *plan, rdi_ranks *ranks,
                              unsigned me);
void rdi_parda_rank_close(rdi_parda_rank *r); /* tolerates a zeroed one */

/* Which rank is at that place in that phase, and the other way round. */
static inline unsigned rdi_parda_place(const rdi_parda_plan *plan, unsigned n, uint64_t phase,
                                       unsigned rank) {
    return plan->rename && phase % 2 ? n - 1 - rank : rank;
}

/* A phase: begins, which brings the state of the last one to its place; takes the chunk; ends,
 * which is the fix-up. */
rd_status rdi_parda_rank_begin(rdi_parda_rank *r);
rd_status rdi_parda_rank_feed(rdi_parda_rank *r, const uint64_t *blocks, size_t n);
rd_status rdi_parda_rank_end(rdi_parda_rank *r);

/* After the last phase: the tally and the counts as numbers. */
rd_status rdi_parda_rank_result(rdi_parda_rank *r, rdi_u64_list *out);
/* Rank 0: takes such a result from a rank and adds it up. The infinite distances are right when all
 * ranks' are in, and tally->uncounted has been taken back. */
rd_status rdi_parda_receive_result(rdi_ranks *ranks, rdi_mail kind, unsigned from, rdi_hist *hist,
                                   rdi_parda_tally *tally, rd_ctx *ctx);

#endif
