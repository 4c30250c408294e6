/* Declares a whole Parda analysis as each rank runs it, and the message that announces it to other
 * processes. */
#ifndef RDI_PARDA_JOB_H
#define RDI_PARDA_JOB_H

#include "engine/papers/parda_rank.h"

/* An analysis: its settings, and the way in which the ranks get the references. */
typedef struct rdi_parda_job {
    rdi_parda_plan plan;
    uint64_t chunk_size; /* number of references per chunk */
    uint64_t start;      /* index of the reference at which the ranks begin to read */
    uint64_t mem_bytes;  /* memory limit of each process in bytes; 0: none */
    rd_parts parts;      /* how the ranks read the trace; if `open` is NULL, rank 0 distributes the
                            trace to the ranks */
} rdi_parda_job;

/* Runs all rounds of rank `r`, and sends its result to rank 0. */
rd_status rdi_parda_run(const rdi_parda_job *job, rdi_parda_rank *r);

/* Sends the job to the ranks of other processes, if there are any, and marks `ranks` as busy. */
rd_status rdi_parda_announce(const rdi_parda_job *job, rdi_ranks *ranks);

/* Runs announced jobs until an empty message arrives instead of a job, or until a job fails, in a
 * process that does not have rank 0. `parts` has the functions that read the trace; its fields
 * `references` and `what` are not used, because they come with the job. */
rd_status rdi_parda_serve(rd_ctx *ctx, rdi_ranks *ranks, const rd_parts *parts);

#endif
