/* Implements the steps of the level-by-level algorithm as CUDA kernels. See levels_device.h. */
#include "engine/gpu/cuda_device.h"
#include "engine/gpu/levels_device.h"

#define WARPS         (RDI_LEVELS_TILE_GROUPS / 32)
#define CARRY_THREADS 1024u

/* Runs a copy-scan over the threads of a thread block. Each thread has one group or tile, and
 * `mine` is the block that leaves it. `in` is the block that reaches the first group or tile.
 * Returns the block that reaches this thread's group or tile, and sets *total to the block that
 * leaves the last group or tile. All threads of the thread block must call the function. */
template <unsigned N_WARPS>
__device__ static rdi_fallen copy_scan(rdi_fallen mine, rdi_fallen in, rdi_fallen *total) {
    __shared__ rdi_fallen of_warp[N_WARPS];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned any = __ballot_sync(~0u, mine.any), before = any & ((1u << lane) - 1);
    uint64_t left = __shfl_sync(~0u, mine.block, before ? 31 - __clz(before) : 0);
    uint64_t last = __shfl_sync(~0u, mine.block, any ? 31 - __clz(any) : 0);
    if (lane == 0) {
        rdi_fallen whole = {last, any != 0};
        of_warp[warp] = whole;
    }
    __syncthreads();
    rdi_fallen reaches = in, all = in;
    for (unsigned w = 0; w < N_WARPS; w++) {
        if (w == warp)
            reaches = all;
        all = rdi_fallen_join(all, of_warp[w]);
    }
    *total = all;
    __syncthreads(); /* of_warp may be overwritten now */
    rdi_fallen nearest = {left, before != 0};
    return rdi_fallen_join(reaches, nearest);
}

/* Stores the block that leaves a tile and reaches the tiles after it. Sets *s.missing if a
 * reference of the tile has missed in all levels so far. */
__device__ static void leave(const rdi_levels_scan &s, uint64_t g) {
    rdi_fallen none = {0, false}, total;
    copy_scan<WARPS>(rdi_levels_last_miss(s.above + g * RDI_LEVELS_GROUP, s.miss[g]), none, &total);
    if (threadIdx.x == 0)
        s.fallen[blockIdx.x] = total;
    if (threadIdx.x == 0 && total.any)
        *s.missing = 1;
}

__device__ static uint64_t group_number(void) {
    return (uint64_t)blockIdx.x * RDI_LEVELS_TILE_GROUPS + threadIdx.x;
}

__device__ static uint32_t group_size(const rdi_levels_scan &s, uint64_t g) {
    uint64_t at = g * RDI_LEVELS_GROUP;
    return at >= s.n ? 0 : (uint32_t)min(s.n - at, (uint64_t)RDI_LEVELS_GROUP);
}

__global__ static void start_kernel(rdi_levels_scan s) {
    uint64_t g = group_number(), at = g * RDI_LEVELS_GROUP;
    uint32_t n = group_size(s, g);
    for (uint32_t i = 0; i < n; i++) {
        s.above[at + i] = s.block[at + i];
        s.dist[at + i] = UINT64_MAX;
    }
    for (uint32_t i = n; i < RDI_LEVELS_GROUP; i++)
        s.above[at + i] = 0;
    s.miss[g] = (uint8_t)((1u << n) - 1);
    leave(s, g);
}

rd_status rdi_levels_start(rdi_device *d, const rdi_levels_scan *s) {
    start_kernel<<<s->tiles, RDI_LEVELS_TILE_GROUPS, 0, d->stream[RDI_STREAM_WORK]>>>(*s);
    return rdi_cuda_launched(d, "start_kernel");
}

/* Carries blocks from tile to tile. One thread block processes all tiles. */
__global__ static void carry_kernel(rdi_levels_scan s, uint64_t level) {
    rdi_fallen in = {s.stack[level], true};
    for (uint32_t first = 0; first < s.tiles; first += CARRY_THREADS) {
        uint32_t tile = first + threadIdx.x;
        rdi_fallen mine = {0, false};
        if (tile < s.tiles)
            mine = s.fallen[tile];
        rdi_fallen total, reaches = copy_scan<CARRY_THREADS / 32>(mine, in, &total);
        if (tile < s.tiles)
            s.copied[tile] = reaches.block;
        in = total;
    }
    if (threadIdx.x == 0)
        s.stack[level] = in.block;
}

rd_status rdi_levels_carry(rdi_device *d, const rdi_levels_scan *s, uint64_t level) {
    carry_kernel<<<1, CARRY_THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(*s, level);
    return rdi_cuda_launched(d, "carry_kernel");
}

__global__ static void scan_kernel(rdi_levels_scan s, uint64_t level) {
    uint64_t g = group_number(), at = g * RDI_LEVELS_GROUP;
    rdi_fallen in = {s.copied[blockIdx.x], true}, total;
    rdi_fallen reaches =
        copy_scan<WARPS>(rdi_levels_last_miss(s.above + at, s.miss[g]), in, &total);
    rdi_levels_scan_group(s.block + at, s.above + at, s.miss + g, group_size(s, g), reaches.block,
                          level, s.dist + at);
    leave(s, g);
}

rd_status rdi_levels_scan_tiles(rdi_device *d, const rdi_levels_scan *s, uint64_t level) {
    scan_kernel<<<s->tiles, RDI_LEVELS_TILE_GROUPS, 0, d->stream[RDI_STREAM_WORK]>>>(*s, level);
    return rdi_cuda_launched(d, "scan_kernel");
}
