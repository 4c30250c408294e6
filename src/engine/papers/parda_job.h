/* A whole Parda analysis, as each rank goes through it, and as other processes are told about it.
 */
#ifndef RDI_PARDA_JOB_H
#define RDI_PARDA_JOB_H

#include "engine/papers/parda_rank.h"

typedef struct rdi_parda_job {
    rdi_parda_plan plan;
    uint64_t chunk_size; /* references per rank and phase */
    uint64_t start;      /* where the ranks begin to read */
    uint64_t mem_bytes;  /* that each process may use; 0: no limit */
    rd_parts parts;      /* the ranks read the trace themselves; open NULL: it is dealt to them */
} rdi_parda_job;

/* All phases, then the result to rank 0. */
rd_status rdi_parda_run(const rdi_parda_job *job, rdi_parda_rank *r);

/* Tells the ranks of other processes. */
rd_status rdi_parda_announce(const rdi_parda_job *job, rdi_ranks *ranks);

/* In another process than rank 0's: does what is announced until it is sent home. `parts` says how
 * to read; its `references` and `what` come with the job. */
rd_status rdi_parda_serve(rd_ctx *ctx, rdi_ranks *ranks, const rd_parts *parts);

#endif
