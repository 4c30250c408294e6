/* Internals of the gpu engine: batches on the device (gpu_batch.c), and statistics for
 * benchmarks. */
#ifndef RDI_GPU_H
#define RDI_GPU_H

#include "engine/core/plugin.h"
#include "engine/gpu/exact.h"

/* The stages of a batch, in order. */
typedef enum rdi_gpu_stage {
    RDI_GPU_KEYS,
    RDI_GPU_SORT,
    RDI_GPU_LINKS,
    RDI_GPU_TABLE,
    RDI_GPU_BUCKETS,
    RDI_GPU_BLOCKS,
    RDI_GPU_CARRY,
    RDI_GPU_STAGES
} rdi_gpu_stage;

/* The cost of the batches so far. */
typedef struct rdi_gpu_costs {
    uint64_t batches;
    uint64_t carried;               /* positions of stacks, summed over all batches */
    double seconds[RDI_GPU_STAGES]; /* on the device */
    double bytes[RDI_GPU_STAGES];   /* lower limit of the bytes moved */
} rdi_gpu_costs;

const char *rdi_gpu_stage_name(rdi_gpu_stage stage);
/* The costs of a finished engine `gpu`. */
const rdi_gpu_costs *rdi_gpu_costs_of(const void *state);

/* The batches of a run, one at a time. */
typedef struct rdi_gpu_batches {
    rdi_run *run;
    rdi_device *device;
    /* The LRU stack in device memory, oldest block first, and the buffer of the next one. */
    rdi_device_buffer stack[2];
    unsigned stack_at;
    uint64_t stack_skip; /* blocks at its beginning that are beyond the bound */
    uint32_t stack_n;
    rdi_device_buffer keys[2], values[2], links, rows, segments, beside, distances, scratch;
    rdi_device_buffer references, sums, numbers; /* counts; infinite and stack_out_n */
    rdi_exact_counts counts;
    uint32_t *stack_out_n; /* pinned */
    uint64_t *delivery;    /* pinned: distances on their way to the sink */
    rdi_event *mark[RDI_GPU_STAGES + 1];
    rdi_exact_batch batch; /* the current batch */
    bool under_way;
    rdi_gpu_costs costs;
} rdi_gpu_batches;

rd_status rdi_gpu_batches_open(rdi_gpu_batches *g, rdi_run *run, rdi_device *device);
void rdi_gpu_batches_close(rdi_gpu_batches *g);

/* Allocates memory for batches of n positions ahead of time, as far as the device has it. */
rd_status rdi_gpu_batches_prepare(rdi_gpu_batches *g, uint64_t n);

/* Starts a batch of n references in device memory. All ids, including earlier ones, must be in
 * [least, greatest]. Returns while the batch runs: the references must stay valid until the next
 * call. Uses several batches if the device has no room for one. */
rd_status rdi_gpu_batches_start(rdi_gpu_batches *g, const uint64_t *refs, uint32_t n,
                                uint64_t least, uint64_t greatest);
/* Waits for the current batch and delivers its distances. */
rd_status rdi_gpu_batches_wait(rdi_gpu_batches *g);
/* Adds the counts to run->out.hist after the last batch. */
rd_status rdi_gpu_batches_finish(rdi_gpu_batches *g);

#endif
