/* Internals of the HP-RDA engine: the interface of a backend that analyzes batches. */
#ifndef RDI_HPRDA_H
#define RDI_HPRDA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/core/round.h"
#include "engine/papers/hprda_core.h"

/* The paper's parameters: N = NTB * NB * ST. */
typedef struct rdi_rda_shape {
    uint32_t batch;            /* N: most references of a batch */
    uint32_t piece;            /* ST: references per piece, that is, per thread */
    uint32_t threads;          /* NB: threads per group (the paper's thread block) */
    uint32_t groups;           /* NTB */
    uint32_t slots;            /* slots of a thread's table, from HS; a power of two */
    uint32_t group_room, room; /* elements of the pools, from MS: per group, and in all */
    bool adjust;
} rdi_rda_shape;

typedef enum rdi_rda_stage {
    RDI_RDA_LOCAL,   /* inside the pieces */
    RDI_RDA_THREADS, /* merging the pieces of a group */
    RDI_RDA_GROUPS,  /* merging the groups */
    RDI_RDA_BATCHES, /* joining the batch to earlier ones */
    RDI_RDA_STAGES
} rdi_rda_stage;

/* One batch while a backend analyzes it. */
typedef struct rdi_rda_batch {
    rdi_rda_shape shape; /* adapted to n references */
    const uint64_t *block;
    uint32_t n;
    uint64_t *dist;            /* output: RDI_RDA_COLD for the first reference to each block */
    const rdi_rda_item *known; /* output: per distinct block; borrowed from the backend */
    uint32_t n_known;
} rdi_rda_batch;

/* A way to analyze batches. */
typedef struct rdi_rda_backend rdi_rda_backend;
struct rdi_rda_backend {
    rd_status (*analyze)(rdi_rda_backend *backend, rdi_rda_batch *batch);
    void (*close)(rdi_rda_backend *backend); /* also frees the backend */
    double seconds[RDI_RDA_STAGES];          /* sum over all workers */
    const char *where;                       /* description for messages */
};

/* Opens a backend on the threads of `round`. */
rd_status rdi_rda_threads_open(rdi_round *round, rdi_rda_backend **out);

/* Opens a backend on a CUDA device (gpu/hprda_device.c). RD_EUNSUPPORTED if there is none. */
rd_status rdi_rda_device_open(rd_ctx *ctx, rdi_rda_backend **out);

double rdi_rda_now(void); /* seconds */

/* Reports that a pool is full. `shape` is that of a batch. */
rd_status rdi_rda_pool_full(rd_ctx *ctx, const rdi_rda_shape *shape);

/* The smallest power of two that is at least n. */
static inline uint32_t rdi_rda_power(uint64_t n) {
    return n <= 1 ? 1 : UINT32_C(1) << rdi_bit_width(n - 1);
}

#ifdef __cplusplus
}
#endif
#endif
