/* Declares the internals of the HP-RDA engine: the interface of a backend that analyzes rounds. */
#ifndef RDI_HPRDA_H
#define RDI_HPRDA_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/core/round.h"
#include "engine/papers/hprda_core.h"

/* The paper's parameters: N = NTB * NB * ST. */
typedef struct rdi_rda_shape {
    uint32_t round;            /* N: maximum number of references in a round */
    uint32_t chunk;            /* ST: number of references in a chunk, which one thread analyzes */
    uint32_t threads;          /* NB: number of threads in a group (the paper's thread block) */
    uint32_t groups;           /* NTB: number of groups in a round */
    uint32_t slots;            /* number of slots in a thread's table, from HS; a power of two */
    uint32_t group_room, room; /* number of elements in the pools of a group and of all groups, from
                                  MS */
    bool adjust;
} rdi_rda_shape;

typedef enum rdi_rda_stage {
    RDI_RDA_LOCAL,   /* analyzing the chunks */
    RDI_RDA_THREADS, /* merging the chunks of a group */
    RDI_RDA_GROUPS,  /* merging the groups */
    RDI_RDA_ROUNDS,  /* joining the round to the earlier rounds */
    RDI_RDA_STAGES
} rdi_rda_stage;

/* A round that a backend analyzes. */
typedef struct rdi_rda_round {
    rdi_rda_shape shape; /* the parameters, adapted to n references */
    const uint64_t *block;
    uint32_t n;
    uint64_t *dist;            /* output: the distances; RDI_RDA_COLD for the first reference to
                                  each block */
    const rdi_rda_item *known; /* output: one item per distinct block; borrowed from the backend */
    uint32_t n_known;
} rdi_rda_round;

/* A backend, which analyzes rounds. */
typedef struct rdi_rda_backend rdi_rda_backend;
struct rdi_rda_backend {
    rd_status (*analyze)(rdi_rda_backend *backend, rdi_rda_round *current);
    void (*close)(rdi_rda_backend *backend); /* also frees the backend */
    double seconds[RDI_RDA_STAGES];          /* seconds per stage, summed over all workers */
    const char *where;                       /* description of the backend for messages */
};

/* Opens a backend on the threads of `round`. */
rd_status rdi_rda_threads_open(rdi_round *round, rdi_rda_backend **out);

/* Opens a backend on a CUDA device (gpu/hprda_device.c). Returns RD_EUNSUPPORTED if there is
 * none. */
rd_status rdi_rda_device_open(rd_ctx *ctx, rdi_rda_backend **out);

double rdi_rda_now(void); /* monotonic time in seconds */

/* Makes the message that a pool is full, and returns RD_ERANGE. `shape` is the shape of the
 * round. */
rd_status rdi_rda_pool_full(rd_ctx *ctx, const rdi_rda_shape *shape);

/* Returns the smallest power of two that is at least n. */
static inline uint32_t rdi_rda_power(uint64_t n) {
    return n <= 1 ? 1 : UINT32_C(1) << rdi_bit_width(n - 1);
}

#ifdef __cplusplus
}
#endif
#endif
