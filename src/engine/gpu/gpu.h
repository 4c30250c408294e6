/* Declares the internals of the gpu engine: the rounds on the device (gpu_round.c), and their costs
 * for benchmarks. */
#ifndef RDI_GPU_H
#define RDI_GPU_H

#include "engine/core/plugin.h"
#include "engine/gpu/exact.h"

/* The stages of a round, in order. */
typedef enum rdi_gpu_stage {
    RDI_GPU_KEYS,
    RDI_GPU_SORT,
    RDI_GPU_LINKS,
    RDI_GPU_TABLE,
    RDI_GPU_BUCKETS,
    RDI_GPU_TILES,
    RDI_GPU_CARRY,
    RDI_GPU_STAGES
} rdi_gpu_stage;

/* The cost of the rounds so far. */
typedef struct rdi_gpu_costs {
    uint64_t rounds;
    uint64_t carried;               /* number of stack positions at the beginning of a round, summed
                                       over all rounds */
    double seconds[RDI_GPU_STAGES]; /* seconds of work on the device per stage */
    double bytes[RDI_GPU_STAGES];   /* lower limit of the bytes moved per stage */
} rdi_gpu_costs;

const char *rdi_gpu_stage_name(rdi_gpu_stage stage);
/* Returns the costs of a finished engine `gpu`. `state` is the engine's state. */
const rdi_gpu_costs *rdi_gpu_costs_of(const void *state);

/* The state of all rounds of a run. Only one round runs at a time. */
typedef struct rdi_gpu_rounds {
    rdi_run *run;
    rdi_device *device;
    /* stack[stack_at] holds the LRU stack in device memory, oldest block first. The other element
     * is for the stack after the current round. */
    rdi_device_buffer stack[2];
    unsigned stack_at;
    uint64_t stack_skip; /* number of blocks at the beginning of the stack that are beyond the
                            bound */
    uint32_t stack_n;
    rdi_device_buffer keys[2], values[2], links, rows, panels, beside, distances, scratch;
    rdi_device_buffer references, sums, numbers; /* counts per bin, sums per bin, and the two
                                                    numbers `infinite` and `stack_out_n` */
    rdi_exact_counts counts;
    uint32_t *stack_out_n; /* in pinned host memory: length of the stack after the round */
    uint64_t *delivery;    /* in pinned host memory: distances on their way to the sink */
    rdi_event *mark[RDI_GPU_STAGES + 1];
    rdi_exact_round round; /* the current round */
    bool under_way;        /* true: the current round has been started and not waited for */
    rdi_gpu_costs costs;
} rdi_gpu_rounds;

rd_status rdi_gpu_rounds_open(rdi_gpu_rounds *g, rdi_run *run, rdi_device *device);
void rdi_gpu_rounds_close(rdi_gpu_rounds *g);

/* Allocates memory for rounds of n positions before the first round, or for shorter rounds if the
 * device has too little memory. */
rd_status rdi_gpu_rounds_prepare(rdi_gpu_rounds *g, uint64_t n);

/* Waits for the previous round like rdi_gpu_rounds_wait(), and starts a round of n references in
 * device memory. All ids, including those of earlier rounds, must be in [least, greatest]. The
 * function returns while the round runs, so the references must stay valid until the next call of
 * this function or of rdi_gpu_rounds_wait(). If the device has no room for all references, the
 * function divides them into several rounds. */
rd_status rdi_gpu_rounds_start(rdi_gpu_rounds *g, const uint64_t *refs, uint32_t n, uint64_t least,
                               uint64_t greatest);
/* Waits for the current round and delivers its distances, if they are requested. */
rd_status rdi_gpu_rounds_wait(rdi_gpu_rounds *g);
/* Waits for the last round like rdi_gpu_rounds_wait(). Unless distances are requested, adds the
 * counts to run->out.hist. */
rd_status rdi_gpu_rounds_finish(rdi_gpu_rounds *g);

#endif
