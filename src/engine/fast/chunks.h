/* Declares the data of `chunks`: rounds of the trace, ranks, and the lists that ranks leave for
 * each other. chunks.c collects rounds and delivers results; chunks_schedule.c has the steps of the
 * ranks. */
#ifndef RDI_CHUNKS_H
#define RDI_CHUNKS_H

#include "base/threads.h"
#include "engine/core/chunk.h"

#define RDI_CHUNKS_SLICES 8 /* number of slices of a chunk */
/* Minimum number of references that justifies the fixed cost of a chunk. */
#define RDI_CHUNKS_LEAST ((size_t)1 << 16)

/* The open first touches of a slice, in trace order. */
typedef struct rdi_chunks_slice {
    rdi_u64_list open;
    rdi_u64_list places; /* index of each open first touch in the round; only if distances are
                            requested */
    size_t from;         /* the rank that handled the slice last; 0: none so far, or the past */
} rdi_chunks_slice;

/* The results of a chunk. */
typedef struct rdi_chunks_result {
    rdi_chunks_slice slice[RDI_CHUNKS_SLICES];
    rdi_u64_list state; /* the chunk's part of the LRU stack */
} rdi_chunks_result;

/* A contiguous range of the trace that is being analyzed. It is cut into one chunk for each rank
 * except rank 0. */
typedef struct rdi_chunks_round {
    rdi_chunks_result *chunks; /* results of the chunks of ranks 1, 2, ... */
    const uint64_t *refs;      /* the references: in `own`, or in the caller's memory while the
                                  caller waits */
    size_t n;
    const rd_parts *parts; /* if not NULL, the ranks read these parts instead of `refs` */
    rdi_u64_list own;      /* references collected from the caller's batches */
    rdi_u64_list dist;     /* room for the distances of the round, if they are requested */
} rdi_chunks_round;

/* A rank and its progress. The steps of a round are, in this order:
 *
 * rank 1 and above  It ends its chunk of the previous round and begins the next one, in one step.
 *                   It analyzes its chunk, one step per slice. It resolves the chunks after its
 *                   own, one step per slice.
 * rank 0, the past  It appends the chunks of the previous round, one step for each. It resolves the
 *                   chunks of this round, one step per slice.
 */
typedef struct rdi_chunks_rank {
    rdi_chunk chunk;           /* The chunk. Its engine is opened by the first step that needs it;
                                  for rank 0, by chunks_open(). */
    void *reader;              /* reader of the trace's parts while a chunk is read */
    rdi_u64_list *open;        /* receives the first touches of the slice that is being read */
    uint64_t round;            /* the number of the current round */
    size_t prepared;           /* number of completed preparations of this round: the steps before
                                  the rank's first slice */
    size_t chunk_at, slice_at; /* chunk and slice of the next step after the preparations */
    bool busy;                 /* true: a thread is executing a step of this rank */
} rdi_chunks_rank;

/* The engine. Round number p is stored in rounds[p % 2]. The thread that sets a rank's `busy` has
 * exclusive use of the rank's chunk and of the results that the step uses. The monitor guards all
 * other data that change while several threads use them. */
typedef struct rdi_chunks {
    uint64_t chunk_option; /* references per chunk; 0: automatic */
    const char *engine_option;
    uint32_t resolving_option; /* an rdi_resolving: take or insert */
    rdi_run *run;
    rdi_chunk_plan plan;
    size_t n_chunks;        /* maximum number of chunks of a round: one per thread */
    rdi_chunks_rank *ranks; /* the n_chunks + 1 ranks */
    rdi_chunks_round rounds[2];
    size_t goal; /* number of references at which the collected round is full */
    rdi_monitor monitor;
    rdi_crew *crew;                /* the threads other than the caller's; NULL until there is
                                      work */
    uint64_t submitted, delivered; /* number of rounds submitted and delivered so far; delivered <=
                                      ranks[0].round <= submitted */
    unsigned busy;                 /* number of busy ranks */
    bool ending;                   /* true: the crew must end */
    rd_status status;              /* status of the first failure */
    bool in_parts;                 /* true: the ranks read the trace themselves */
    void (*close_reader)(void *);  /* closes a reader of the parts */
    size_t chunk_size;             /* chunk size of the next round, in references */
    double first_share;            /* estimated fraction of first touches in a chunk */
    uint64_t firsts, references;   /* number of first touches and of references analyzed so far */
} rdi_chunks;

static inline rdi_chunks_round *rdi_chunks_round_of(rdi_chunks *e, uint64_t number) {
    return &e->rounds[number % 2];
}

/* Executes one step that is due, if there is one. The caller is inside the monitor, which the
 * function leaves during the step. Returns false if no step is due. */
bool rdi_chunks_work(rdi_chunks *e);

#endif
