/* Implements the steps of the geometric algorithm as CUDA kernels. See geometric_device.h. */
#include "engine/gpu/cuda_device.h"
#include "engine/gpu/geometric_device.h"

#define THREADS   128u
#define PER_MERGE 8u /* number of points that a thread merges */

static unsigned blocks_for(uint64_t n, uint64_t per_block) {
    return (unsigned)((n + per_block - 1) / per_block);
}

/* Returns the index of the first reference of this thread block's tile. */
__device__ static uint32_t tile_begin(void) {
    return blockIdx.x * RDI_DEVICE_TILE;
}

__device__ static uint32_t tile_size(uint32_t n) {
    return min(n - tile_begin(), RDI_DEVICE_TILE);
}

/* ---- next ---- */

__global__ static void times_kernel(uint32_t *time, uint32_t n) {
    uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n)
        time[t] = (uint32_t)t;
}

rd_status rdi_geometric_times(rdi_device *d, uint32_t *time, uint32_t n) {
    times_kernel<<<blocks_for(n, THREADS), THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(time, n);
    return rdi_cuda_launched(d, "times_kernel");
}

__global__ static void link_kernel(const uint64_t *block, const uint32_t *time, uint32_t n,
                                   uint32_t *next) {
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[time[i]] = i + 1 < n && block[i + 1] == block[i] ? time[i + 1] : n + time[i];
}

rd_status rdi_geometric_link(rdi_device *d, const uint64_t *block, const uint32_t *time, uint32_t n,
                             uint32_t *next) {
    link_kernel<<<blocks_for(n, THREADS), THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(block, time, n,
                                                                                    next);
    return rdi_cuda_launched(d, "link_kernel");
}

/* Loads a tile into shared memory. Each thread block has one tile, and each of its threads has one
 * symbol of the slab. */
__device__ static void load_tile(const uint64_t *block, uint32_t n, uint64_t *shared) {
    for (uint32_t i = threadIdx.x; i < tile_size(n); i += blockDim.x)
        shared[i] = block[tile_begin() + i];
    __syncthreads();
}

__global__ static void first_kernel(const uint64_t *block, uint32_t n, uint64_t symbol,
                                    uint32_t *first) {
    __shared__ uint64_t tile[RDI_DEVICE_TILE];
    load_tile(block, n, tile);
    first[(uint64_t)blockIdx.x * RDI_DEVICE_SLAB + threadIdx.x] =
        rdi_symbol_first(tile, tile_size(n), tile_begin(), symbol + threadIdx.x);
}

__global__ static void carry_kernel(uint32_t *first, uint32_t tiles) {
    rdi_symbol_carry(first + threadIdx.x, tiles, RDI_DEVICE_SLAB);
}

__global__ static void scan_kernel(const uint64_t *block, uint32_t n, uint64_t symbol,
                                   const uint32_t *first, uint32_t *next) {
    __shared__ uint64_t tile[RDI_DEVICE_TILE];
    load_tile(block, n, tile);
    rdi_symbol_scan(tile, tile_size(n), tile_begin(), symbol + threadIdx.x,
                    first[(uint64_t)blockIdx.x * RDI_DEVICE_SLAB + threadIdx.x], n, next);
}

rd_status rdi_geometric_scan(rdi_device *d, const uint64_t *block, uint32_t n, uint64_t symbol,
                             uint32_t *first, uint32_t *next) {
    cudaStream_t stream = d->stream[RDI_STREAM_WORK];
    uint32_t tiles = rdi_device_tiles(n);
    first_kernel<<<tiles, RDI_DEVICE_SLAB, 0, stream>>>(block, n, symbol, first);
    RD_TRY(rdi_cuda_launched(d, "first_kernel"));
    carry_kernel<<<1, RDI_DEVICE_SLAB, 0, stream>>>(first, tiles);
    RD_TRY(rdi_cuda_launched(d, "carry_kernel"));
    scan_kernel<<<tiles, RDI_DEVICE_SLAB, 0, stream>>>(block, n, symbol, first, next);
    return rdi_cuda_launched(d, "scan_kernel");
}

/* ---- rank ---- */

/* Merges the points of a tile into one sorted run, in shared memory. In every step, each thread
 * computes its share of the result. */
__global__ static void tiles_kernel(const uint32_t *next, uint32_t n, rdi_point *out) {
    __shared__ rdi_point tile[2][RDI_DEVICE_TILE];
    uint32_t begin = tile_begin(), count = tile_size(n);
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        rdi_point p = {next[begin + i], begin + i, 0};
        tile[0][i] = p;
    }
    uint32_t from = min(threadIdx.x * PER_MERGE, count), to = min(from + PER_MERGE, count), at = 0;
    for (uint32_t width = 1; width < RDI_DEVICE_TILE; width *= 2, at ^= 1) {
        __syncthreads();
        rdi_points_merge_runs(tile[at], count, width, from, to, tile[at ^ 1]);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        out[begin + i] = tile[at][i];
}

rd_status rdi_geometric_tiles(rdi_device *d, const uint32_t *next, uint32_t n, rdi_point *out) {
    static_assert(THREADS * PER_MERGE == RDI_DEVICE_TILE,
                  "every thread must have a share of a tile");
    tiles_kernel<<<rdi_device_tiles(n), THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(next, n, out);
    return rdi_cuda_launched(d, "tiles_kernel");
}

__global__ static void merge_kernel(const rdi_point *in, uint32_t n, uint32_t width,
                                    rdi_point *out) {
    uint64_t from = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * PER_MERGE;
    uint64_t to = from + PER_MERGE < n ? from + PER_MERGE : n;
    if (from < n)
        rdi_points_merge_runs(in, n, width, (uint32_t)from, (uint32_t)to, out);
}

rd_status rdi_geometric_merge(rdi_device *d, const rdi_point *from, uint32_t n, uint32_t width,
                              rdi_point *to) {
    unsigned blocks = blocks_for(n, (uint64_t)THREADS * PER_MERGE);
    merge_kernel<<<blocks, THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(from, n, width, to);
    return rdi_cuda_launched(d, "merge_kernel");
}
