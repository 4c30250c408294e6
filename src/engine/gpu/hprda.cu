/* Implements the steps of HP-RDA as CUDA kernels. See hprda_device.h. */
#include "engine/gpu/cuda_device.h"
#include "engine/gpu/hprda_device.h"

#define THREADS 256u

__global__ static void local_kernel(rdi_rda_work w) {
    rdi_rda_run_thread(&w, blockIdx.x, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        rdi_rda_sum_up(w.before + (uint64_t)blockIdx.x * (w.threads + 1), w.threads);
}

rd_status rdi_rda_device_local(rdi_device *d, const rdi_rda_work *w) {
    local_kernel<<<w->groups, w->threads, 0, d->stream[RDI_STREAM_WORK]>>>(*w);
    return rdi_cuda_launched(d, "local_kernel");
}

/* Runs step 2, with one group per thread block. If items did not fit in the pool, the counter
 * `used` exceeds the size of the pool. */
__global__ static void threads_kernel(rdi_rda_work w) {
    uint32_t used = min(w.counts[blockIdx.x].used, w.group_room);
    for (uint32_t i = threadIdx.x; i < used; i += blockDim.x)
        rdi_rda_run_item(&w, blockIdx.x, i);
    if (threadIdx.x == 0)
        w.all_before[blockIdx.x + 1] = w.counts[blockIdx.x].distinct;
}

__global__ static void sum_kernel(rdi_rda_work w) {
    rdi_rda_sum_up(w.all_before, w.groups);
}

rd_status rdi_rda_device_threads(rdi_device *d, const rdi_rda_work *w) {
    threads_kernel<<<w->groups, THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(*w);
    RD_TRY(rdi_cuda_launched(d, "threads_kernel"));
    sum_kernel<<<1, 1, 0, d->stream[RDI_STREAM_WORK]>>>(*w);
    return rdi_cuda_launched(d, "sum_kernel");
}

__global__ static void groups_kernel(rdi_rda_work w) {
    uint32_t used = min(w.all_counts->used, w.room);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < used;
         i += (uint64_t)gridDim.x * blockDim.x)
        rdi_rda_run_group_item(&w, (uint32_t)i);
}

rd_status rdi_rda_device_groups(rdi_device *d, const rdi_rda_work *w) {
    unsigned blocks = rdi_device_processors(d) * 8;
    groups_kernel<<<blocks, THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(*w);
    return rdi_cuda_launched(d, "groups_kernel");
}
