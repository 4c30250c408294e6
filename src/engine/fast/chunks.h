/* The data of `chunks`: rounds of the trace, ranks, and what they leave for each other. chunks.c
 * collects rounds and delivers results; chunks_schedule.c has the steps of the ranks. */
#ifndef RDI_CHUNKS_H
#define RDI_CHUNKS_H

#include "base/threads.h"
#include "engine/core/chunk.h"

#define RDI_CHUNKS_SLICES 8                 /* of a chunk */
#define RDI_CHUNKS_LEAST  ((size_t)1 << 16) /* references that pay for the fixed cost of a chunk */

/* The open first touches of a slice, in order. */
typedef struct rdi_chunks_slice {
    rdi_u64_list open;
    rdi_u64_list places; /* if distances are requested: the index of each one in the round */
    size_t from;         /* the rank that handled the slice last; 0: none yet, or all */
} rdi_chunks_slice;

/* The results of a chunk. */
typedef struct rdi_chunks_result {
    rdi_chunks_slice slice[RDI_CHUNKS_SLICES];
    rdi_u64_list state; /* the chunk's part of the LRU stack */
} rdi_chunks_result;

/* A contiguous range of the trace that is being analyzed, cut into one chunk for each rank but
 * rank 0. */
typedef struct rdi_chunks_round {
    rdi_chunks_result *chunks; /* of rank 1, 2, ... */
    const uint64_t *refs;      /* in `own`, or the caller's references while the caller waits */
    size_t n;
    const rd_parts *parts; /* the caller's, to be read instead of `refs` */
    rdi_u64_list own;      /* references that are being collected */
    rdi_u64_list dist;     /* room for the distances of the round, if they are requested */
} rdi_chunks_round;

/* A rank and its progress. The steps of a round are, in this order:
 *
 * rank 1 and above  It ends its chunk of the previous round. It analyzes its chunk, one step per
 *                   slice. It resolves the chunks after its own, one step per slice.
 * rank 0, the past  It appends the chunks of the previous round, one step for each. It resolves the
 *                   chunks of this round, one step per slice.
 */
typedef struct rdi_chunks_rank {
    rdi_chunk chunk;           /* its engine is opened when it is first needed */
    void *reader;              /* reader of a trace in parts, while it is read */
    rdi_u64_list *open;        /* receives the first touches of the slice that is being read */
    uint64_t round;            /* the current round */
    size_t prepared;           /* number of its steps that were done before the first slice */
    size_t chunk_at, slice_at; /* the slice of the next step, after these */
    bool busy;                 /* a thread executes the step */
} rdi_chunks_rank;

/* Round number p is rounds[p % 2]. The thread that makes a rank busy has exclusive use of its chunk
 * and of the results that the step concerns. The monitor guards everything else. */
typedef struct rdi_chunks {
    uint64_t chunk_option; /* references per chunk; 0: automatic */
    const char *engine_option;
    rdi_run *run;
    rdi_chunk_plan plan;
    size_t n_chunks;        /* chunks of a round: one per thread */
    rdi_chunks_rank *ranks; /* n_chunks + 1 ranks */
    rdi_chunks_round rounds[2];
    size_t goal; /* full length of the round that is being collected */
    rdi_monitor monitor;
    rdi_crew *crew;                /* the other threads; NULL until there is work for them */
    uint64_t submitted, delivered; /* number of rounds; rank 0 is between the two */
    unsigned busy;                 /* number of busy ranks */
    bool ending;                   /* the crew is to end */
    rd_status status;              /* of the first failure */
    bool in_parts;                 /* the threads themselves read the trace */
    void (*close_reader)(void *);  /* closes a reader of the parts */
    size_t chunk_size;             /* of the next round */
    double first_share;            /* estimated fraction of first touches in a chunk */
    uint64_t firsts, references;   /* analyzed so far */
} rdi_chunks;

static inline rdi_chunks_round *rdi_chunks_round_of(rdi_chunks *e, uint64_t number) {
    return &e->rounds[number % 2];
}

/* Inside the monitor: executes a step that is due, outside of it. Returns false if there is
 * none. */
bool rdi_chunks_work(rdi_chunks *e);

#endif
