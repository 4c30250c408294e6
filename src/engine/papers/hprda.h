/* Inside the HP-RDA engine: what a backend does with a batch. */
#ifndef RDI_HPRDA_H
#define RDI_HPRDA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/core/round.h"
#include "engine/papers/hprda_core.h"

/* The paper's parameters: N = NTB * NB * ST. */
typedef struct rdi_rda_shape {
    uint32_t batch;            /* N: references of a batch, at most */
    uint32_t piece;            /* ST: references per thread */
    uint32_t threads;          /* NB: threads per group (the paper's thread block) */
    uint32_t groups;           /* NTB */
    uint32_t slots;            /* of a thread's table, from HS; a power of two */
    uint32_t group_room, room; /* of the pools, from MS: of a group, in all */
    bool adjust;
} rdi_rda_shape;

typedef enum rdi_rda_stage {
    RDI_RDA_LOCAL,   /* inside the pieces */
    RDI_RDA_THREADS, /* the pieces of a group merged */
    RDI_RDA_GROUPS,  /* the groups merged */
    RDI_RDA_BATCHES, /* this batch to earlier ones */
    RDI_RDA_STAGES
} rdi_rda_stage;

/* One batch on its way through a backend. */
typedef struct rdi_rda_batch {
    rdi_rda_shape shape; /* as large as n references need it */
    const uint64_t *block;
    uint32_t n;
    uint64_t *dist;            /* filled: RDI_RDA_COLD for the first reference to each block */
    const rdi_rda_item *known; /* filled: of each distinct block; borrowed from the backend */
    uint32_t n_known;
} rdi_rda_batch;

/* A way to run batches. */
typedef struct rdi_rda_backend rdi_rda_backend;
struct rdi_rda_backend {
    rd_status (*analyse)(rdi_rda_backend *backend, rdi_rda_batch *batch);
    void (*close)(rdi_rda_backend *backend); /* frees it too */
    double seconds[RDI_RDA_STAGES];          /* of all workers together */
    const char *where;                       /* for people */
};

/* On the threads of `round`. */
rd_status rdi_rda_threads_open(rdi_round *round, rdi_rda_backend **out);

/* On a CUDA device (gpu/hprda_device.c); RD_EUNSUPPORTED when there is none. */
rd_status rdi_rda_device_open(rd_ctx *ctx, rdi_rda_backend **out);

double rdi_rda_now(void); /* seconds */

/* The message for a pool that is full; `shape` is a batch's. */
rd_status rdi_rda_pool_full(rd_ctx *ctx, const rdi_rda_shape *shape);

/* At least n, a power of two. */
static inline uint32_t rdi_rda_power(uint64_t n) {
    return n <= 1 ? 1 : UINT32_C(1) << rdi_bit_width(n - 1);
}

#ifdef __cplusplus
}
#endif
#endif
