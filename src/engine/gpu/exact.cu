/* Implements the stages of engine `gpu` as CUDA kernels. See exact.h for the stages and
 * exact_core.h for the algorithm. */
#include "engine/gpu/cuda_device.h"
#include "engine/gpu/exact.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#define WHOLE_WARP     0xffffffffu
#define ITEMS          8u /* number of keys of a tile per thread */
#define THREADS        (RDI_EXACT_TILE / ITEMS)
#define WARPS          (THREADS / 32)
#define SIMPLE_THREADS 256u /* number of threads in a block of a kernel without shared memory */
/* Number of lowest bins in which many threads of a warp often count at the same time. */
#define HOT_BINS 12u

static_assert(WARPS >= 1 && WARPS <= 32, "one warp must be able to add up the totals of all warps");
static_assert(2 * ITEMS <= 32, "each thread of a warp must write at most one mark");
static_assert((RDI_EXACT_PANEL - 1) * RDI_EXACT_TILE <= UINT16_MAX,
              "a count in a row must fit in 16 bits");

typedef unsigned long long device_u64; /* the type that atomic functions take */

/* Returns the grid size for kernels that stride over n elements. */
static unsigned grid_for(const rdi_device *d, uint64_t n) {
    uint64_t needed = (n + SIMPLE_THREADS - 1) / SIMPLE_THREADS;
    uint64_t most = (uint64_t)d->properties.multiProcessorCount * 32;
    return (unsigned)(needed < most ? needed : most);
}

/* ---- range of ids ---- */

static __device__ uint64_t warp_max(uint64_t x) {
    for (int step = 16; step > 0; step /= 2) {
        uint64_t other = __shfl_xor_sync(WHOLE_WARP, x, step);
        x = other > x ? other : x;
    }
    return x;
}

static __global__ void find_range(const uint64_t *ids, size_t n, uint64_t *range) {
    uint64_t least = 0, greatest = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        least = ~ids[i] > least ? ~ids[i] : least;
        greatest = ids[i] > greatest ? ids[i] : greatest;
    }
    least = warp_max(least);
    greatest = warp_max(greatest);
    if (threadIdx.x % 32 == 0) {
        atomicMax((device_u64 *)&range[0], (device_u64)least);
        atomicMax((device_u64 *)&range[1], (device_u64)greatest);
    }
}

rd_status rdi_exact_range(rdi_device *d, const uint64_t *ids, size_t n, uint64_t *range) {
    find_range<<<grid_for(d, n), SIMPLE_THREADS, 0, d->stream[RDI_STREAM_OUT]>>>(ids, n, range);
    return rdi_cuda_launched(d, "find_range");
}

/* ---- keys and links ---- */

/* A function object that returns the block id at a position: first come the blocks of the stack,
 * then the references. */
struct id_at {
    const uint64_t *stack, *refs;
    uint32_t stack_n;

    __host__ __device__ uint64_t operator()(uint32_t position) const {
        return position < stack_n ? stack[position] : refs[position - stack_n];
    }
};

static id_at ids_of(const rdi_exact_round *b) {
    return id_at{b->stack, b->refs, b->shape.stack_n};
}

template <typename Key>
static __global__ void make_keys(id_at ids, uint32_t n, uint64_t least, Key *keys,
                                 uint32_t *positions) {
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint64_t p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
        keys[p] = (Key)(ids((uint32_t)p) - least);
        positions[p] = (uint32_t)p;
    }
}

rd_status rdi_exact_keys(rdi_device *d, const rdi_exact_round *b) {
    cudaStream_t stream = d->stream[RDI_STREAM_WORK];
    unsigned grid = grid_for(d, b->shape.n);
    if (b->pairs.key_bytes == 4)
        make_keys<<<grid, SIMPLE_THREADS, 0, stream>>>(
            ids_of(b), b->shape.n, b->least_id, (uint32_t *)b->pairs.keys[0], b->pairs.values[0]);
    else
        make_keys<<<grid, SIMPLE_THREADS, 0, stream>>>(
            ids_of(b), b->shape.n, b->least_id, (uint64_t *)b->pairs.keys[0], b->pairs.values[0]);
    return rdi_cuda_launched(d, "make_keys");
}

/* Makes the links: adjacent entries with the same key are consecutive references to one block. Both
 * directions of a link are stored together, because each random access costs a memory
 * transaction. */
template <typename Key>
static __global__ void make_links(const Key *keys, const uint32_t *positions, uint32_t n,
                                  rdi_exact_link *links) {
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        Key key = keys[i];
        uint32_t prev_plus_1 = i > 0 && keys[i - 1] == key ? positions[i - 1] + 1 : 0;
        uint32_t next = i + 1 < n && keys[i + 1] == key ? positions[i + 1] : RDI_EXACT_NONE;
        ((uint2 *)links)[positions[i]] = make_uint2(prev_plus_1, next);
    }
}

rd_status rdi_exact_links(rdi_device *d, const rdi_exact_round *b) {
    cudaStream_t stream = d->stream[RDI_STREAM_WORK];
    unsigned grid = grid_for(d, b->shape.n);
    const void *keys = b->pairs.keys[b->sorted];
    const uint32_t *positions = b->pairs.values[b->sorted];
    if (b->pairs.key_bytes == 4)
        make_links<<<grid, SIMPLE_THREADS, 0, stream>>>((const uint32_t *)keys, positions,
                                                        b->shape.n, b->links);
    else
        make_links<<<grid, SIMPLE_THREADS, 0, stream>>>((const uint64_t *)keys, positions,
                                                        b->shape.n, b->links);
    return rdi_cuda_launched(d, "make_links");
}

static __device__ rdi_exact_link load_link(const rdi_exact_link *links, uint32_t position) {
    uint2 link = ((const uint2 *)links)[position];
    return rdi_exact_link{link.x, link.y};
}

/* ---- the table ----
 *
 * A thread block processes the tiles of one panel. A histogram in shared memory counts their
 * references by the bucket of the previous reference. A word holds two counts, because at most
 * RDI_EXACT_TILE references have their previous reference in the same bucket.
 * Before every tile, the thread block writes for each bucket the number of earlier references of
 * the panel whose previous reference lies in a higher bucket. */

/* Returns the sum of the counts in words [begin, end) of the histogram. These words are the strip
 * that the warp sums, and every word has two counts. */
static __device__ uint32_t strip_sum(const uint32_t *histogram, uint32_t begin, uint32_t end) {
    uint32_t sum = 0;
    for (uint32_t i = begin + threadIdx.x % 32; i < end; i += 32)
        sum += (histogram[i] & 0xffff) + (histogram[i] >> 16);
    return __reduce_add_sync(WHOLE_WARP, sum);
}

static __device__ uint32_t warp_prefix(uint32_t x) { /* includes the thread's own value */
    for (unsigned step = 1; step < 32; step *= 2) {
        uint32_t before = __shfl_up_sync(WHOLE_WARP, x, step);
        x += threadIdx.x % 32 >= step ? before : 0;
    }
    return x;
}

/* For each word of the histogram, calls put(word, a, b), where a and b are the sums of the counts
 * above the first and above the second bucket of the word. The histogram may be changed after the
 * function returns. */
template <typename Put>
static __device__ void sum_above(const uint32_t *histogram, uint32_t words, uint32_t *totals,
                                 Put put) {
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t strip = (words / 32 + WARPS - 1) / WARPS * 32; /* words is a multiple of 32 */
    uint32_t begin = min(warp * strip, words), end = min(begin + strip, words);
    uint32_t sum = strip_sum(histogram, begin, end);
    if (lane == 0)
        totals[warp] = sum;
    __syncthreads();
    uint32_t mine = lane < WARPS ? totals[lane] : 0;
    uint32_t above = __reduce_add_sync(WHOLE_WARP, lane >= warp ? mine : 0);
    for (uint32_t i = begin + lane; i < end; i += 32) {
        uint32_t low = histogram[i] & 0xffff, high = histogram[i] >> 16;
        uint32_t up_to_here = warp_prefix(low + high);
        put(i, above - up_to_here + high, above - up_to_here);
        above -= __shfl_sync(WHOLE_WARP, up_to_here, 31);
    }
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS)
    fill_table(rdi_exact_shape s, const rdi_exact_link *links, uint16_t *rows, uint32_t *panels) {
    extern __shared__ uint32_t histogram[];
    __shared__ uint32_t totals[WARPS];
    uint32_t words = s.pitch / 2;
    for (uint32_t i = threadIdx.x; i < words; i += THREADS)
        histogram[i] = 0;
    __syncthreads();
    uint32_t tile = blockIdx.x * RDI_EXACT_PANEL;
    uint32_t end = min(tile + RDI_EXACT_PANEL, s.tiles);
    for (; tile < end; tile++) {
        uint32_t *row = (uint32_t *)(rows + (uint64_t)tile * s.pitch);
        sum_above(histogram, words, totals,
                  [=](uint32_t i, uint32_t low, uint32_t high) { row[i] = high << 16 | low; });
        uint32_t first = s.stack_n + tile * RDI_EXACT_TILE;
        for (uint32_t k = 0; k < ITEMS; k++) {
            uint32_t p = first + k * THREADS + threadIdx.x;
            uint32_t prev_plus_1 = p < s.n ? load_link(links, p).prev_plus_1 : 0;
            if (prev_plus_1) {
                uint32_t bucket = (prev_plus_1 - 1) / RDI_EXACT_TILE;
                atomicAdd(&histogram[bucket / 2], bucket % 2 ? 1u << 16 : 1u);
            }
        }
        __syncthreads();
    }
    uint2 *row = (uint2 *)(panels + (uint64_t)blockIdx.x * s.pitch);
    sum_above(histogram, words, totals,
              [=](uint32_t i, uint32_t low, uint32_t high) { row[i] = make_uint2(low, high); });
}

/* Turns the sums of each panel into the sums of all panels before it. Each thread processes one
 * bucket. */
static __global__ void sum_panels(rdi_exact_shape s, uint32_t *panels) {
    uint32_t bucket = blockIdx.x * blockDim.x + threadIdx.x;
    if (bucket >= s.pitch)
        return;
    const uint32_t ahead = 16; /* number of loads in flight */
    uint32_t before = 0;
    for (uint32_t first = 0; first < s.panels; first += ahead) {
        uint32_t own[ahead];
        uint32_t *column = panels + (uint64_t)first * s.pitch + bucket;
#pragma unroll
        for (uint32_t i = 0; i < ahead; i++)
            own[i] = first + i < s.panels ? column[(uint64_t)i * s.pitch] : 0;
#pragma unroll
        for (uint32_t i = 0; i < ahead; i++) {
            if (first + i < s.panels)
                column[(uint64_t)i * s.pitch] = before;
            before += own[i];
        }
    }
}

rd_status rdi_exact_table(rdi_device *d, const rdi_exact_round *b) {
    cudaStream_t stream = d->stream[RDI_STREAM_WORK];
    size_t shared = b->shape.pitch / 2 * sizeof(uint32_t);
    RDI_CUDA(d, cudaFuncSetAttribute(fill_table, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)shared));
    fill_table<<<b->shape.panels, THREADS, shared, stream>>>(b->shape, b->links, b->rows,
                                                             b->panels);
    RD_TRY(rdi_cuda_launched(d, "fill_table"));
    const unsigned threads = 64; /* small thread blocks spread the few columns over the
                                    multiprocessors */
    sum_panels<<<(b->shape.pitch + threads - 1) / threads, threads, 0, stream>>>(b->shape,
                                                                                 b->panels);
    return rdi_cuda_launched(d, "sum_panels");
}

/* ---- tiles ---- */

struct tile_memory {
    uint8_t flags[RDI_EXACT_TILE];       /* the current bit of the key at each place */
    uint32_t marks[RDI_EXACT_TILE / 16]; /* the current bits, packed by rdi_exact_mark() */
    uint32_t by_place[RDI_EXACT_TILE];
    uint32_t totals[WARPS];
    uint32_t first, differ;
};

/* Returns the index of a thread's key in the tile: thread t has keys t, t + THREADS, ... */
static __device__ uint32_t tile_index(uint32_t item) {
    return item * THREADS + threadIdx.x;
}

/* Returns the highest bit in which keys of the tile differ, or -1 if all are equal. */
static __device__ int first_bit(tile_memory &t, const rdi_exact_key *k) {
    __syncthreads(); /* no thread reads the previous tile any more */
    if (threadIdx.x == 0) {
        t.first = k[0].key;
        t.differ = 0;
    }
    __syncthreads();
    uint32_t differ = 0;
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++)
        differ |= k[i].key ^ t.first;
    differ = __reduce_or_sync(WHOLE_WARP, differ);
    if (threadIdx.x % 32 == 0 && differ)
        atomicOr(&t.differ, differ);
    __syncthreads();
    return 31 - __clz((int)t.differ);
}

/* Packs the flags into marks. Returns the number of set flags. */
static __device__ uint32_t count_flags(tile_memory &t) {
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t bits[ITEMS], own = 0;
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        bits[i] = __ballot_sync(WHOLE_WARP, t.flags[(warp * ITEMS + i) * 32 + lane]);
        own += (uint32_t)__popc(bits[i]);
    }
    if (lane == 0)
        t.totals[warp] = own;
    __syncthreads();
    uint32_t total = lane < WARPS ? t.totals[lane] : 0;
    uint32_t before = __reduce_add_sync(WHOLE_WARP, lane < warp ? total : 0);
    uint32_t mark = 0;
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        if (lane == 2 * i)
            mark = rdi_exact_mark(before, bits[i] & 0xffff);
        if (lane == 2 * i + 1)
            mark = rdi_exact_mark(before + (uint32_t)__popc(bits[i] & 0xffff), bits[i] >> 16);
        before += (uint32_t)__popc(bits[i]);
    }
    if (lane < 2 * ITEMS)
        t.marks[warp * 2 * ITEMS + lane] = mark;
    uint32_t ones = __reduce_add_sync(WHOLE_WARP, total);
    __syncthreads();
    return ones;
}

/* Compares each key one by one with the keys before it in its group. */
static __device__ void count_near(tile_memory &t, rdi_exact_key *k) {
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++)
        t.by_place[rdi_exact_place(&k[i])] = k[i].key;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++)
        rdi_exact_compare(&k[i], t.by_place);
}

/* Counts the greater keys before each key of the tile (exact_core.h): processes bit after bit until
 * the groups are so small that comparing is faster. */
static __device__ void count_greater(tile_memory &t, rdi_exact_key *k) {
    for (int bit = first_bit(t, k); bit >= 0; bit--) {
        bool far = false;
#pragma unroll
        for (uint32_t i = 0; i < ITEMS; i++) {
            t.flags[rdi_exact_place(&k[i])] = k[i].key >> bit & 1;
            far |= rdi_exact_is_far(&k[i]);
        }
        if (!__syncthreads_or(far)) {
            count_near(t, k);
            return;
        }
        uint32_t zeros = RDI_EXACT_TILE - count_flags(t);
#pragma unroll
        for (uint32_t i = 0; i < ITEMS; i++)
            rdi_exact_descend(&k[i], bit, t.marks, zeros);
    }
}

/* Counts the pairs of the second kind (exact_core.h). Each thread block processes one bucket. */
static __global__ void __launch_bounds__(THREADS)
    count_buckets(rdi_exact_shape s, const rdi_exact_link *links, uint16_t *beside) {
    __shared__ tile_memory t;
    uint32_t last = blockIdx.x * RDI_EXACT_TILE + RDI_EXACT_TILE - 1;
    rdi_exact_key k[ITEMS];
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t p = last - tile_index(i);
        uint32_t key = p < s.n ? rdi_exact_bucket_key(s, load_link(links, p)) : 0;
        k[i] = rdi_exact_key_at(tile_index(i), key);
    }
    count_greater(t, k);
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++)
        if (last - tile_index(i) < s.n)
            beside[last - tile_index(i)] = (uint16_t)k[i].greater;
}

rd_status rdi_exact_buckets(rdi_device *d, const rdi_exact_round *b) {
    count_buckets<<<b->shape.buckets, THREADS, 0, d->stream[RDI_STREAM_WORK]>>>(b->shape, b->links,
                                                                                b->beside);
    return rdi_cuda_launched(d, "count_buckets");
}

/* ---- distances ---- */

/* The counts of a thread block, kept in shared memory. Bins from `shared_n` on are counted directly
 * in device memory. */
struct counter {
    rdi_exact_counts to;
    uint32_t shared_n;
    uint32_t *references, *sums;

    __device__ void clear() {
        for (uint32_t i = threadIdx.x; i < 2 * shared_n; i += THREADS)
            references[i] = 0; /* also clears `sums`, which follow in memory */
        __syncthreads();
    }

    __device__ void flush() {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < shared_n; i += THREADS) {
            if (references[i])
                atomicAdd((device_u64 *)&to.references[i], (device_u64)references[i]);
            if (sums[i])
                atomicAdd((device_u64 *)&to.sums[i], (device_u64)sums[i]);
        }
        __syncthreads();
    }

    __device__ void add(uint32_t bin, uint32_t count, uint32_t rest) {
        if (bin < shared_n) {
            atomicAdd(&references[bin], count);
            if (rest)
                atomicAdd(&sums[bin], rest);
        } else {
            atomicAdd((device_u64 *)&to.references[bin], (device_u64)count);
            if (rest)
                atomicAdd((device_u64 *)&to.sums[bin], (device_u64)rest);
        }
    }

    /* Counts one distance per thread of a whole warp, for the threads with `there` set. Most
     * distances of most programs are in the lowest bins. There, the threads of a warp first sum
     * their counts, so that one thread adds them. */
    __device__ void count(uint32_t distance, bool there) {
        uint32_t bin = there ? rdi_exact_bin(to.bins, distance) : 0;
        uint32_t rest = there ? rdi_exact_rest(to.bins, distance) : 0;
        uint32_t hot = __ballot_sync(WHOLE_WARP, there && bin < HOT_BINS);
        if (there && bin >= HOT_BINS)
            add(bin, 1, rest);
        while (hot) {
            int leader = __ffs((int)hot) - 1;
            uint32_t common = __shfl_sync(WHOLE_WARP, bin, leader);
            bool member = there && bin == common;
            uint32_t members = __ballot_sync(WHOLE_WARP, member);
            uint32_t sum = __reduce_add_sync(WHOLE_WARP, member ? rest : 0);
            if ((int)(threadIdx.x % 32) == leader)
                add(common, (uint32_t)__popc(members), sum);
            hot &= ~members;
        }
    }
};

/* The data of a round that count_tiles() needs. */
struct tile_work {
    rdi_exact_shape shape;
    const rdi_exact_link *links;
    const uint16_t *rows, *beside;
    const uint32_t *panels;
    uint32_t bound;
    uint64_t *distances; /* NULL: distances are counted */
    rdi_exact_counts counts;
    uint32_t shared_n;    /* number of bins in shared memory */
    uint32_t flush_every; /* number of tiles after which the sums are flushed, before they can
                             overflow */
};

static __device__ uint32_t distance_of(const tile_work &w, uint32_t tile, uint32_t position,
                                       const rdi_exact_key &k) {
    if (!k.key)
        return RDI_EXACT_NONE;
    uint32_t prev = k.key - 1;
    uint32_t table = rdi_exact_table_count(w.shape, w.rows, w.panels, tile, prev / RDI_EXACT_TILE);
    return rdi_exact_distance(position, prev, table + w.beside[prev] + k.greater);
}

static __device__ void finish_tile(const tile_work &w, counter &counts, uint32_t tile,
                                   const rdi_exact_key *k, uint32_t &infinite) {
    uint32_t distance[ITEMS];
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++)
        distance[i] =
            distance_of(w, tile, w.shape.stack_n + tile * RDI_EXACT_TILE + tile_index(i), k[i]);
#pragma unroll
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t reference = tile * RDI_EXACT_TILE + tile_index(i);
        bool there = reference < w.shape.refs_n, finite = there && distance[i] < w.bound;
        if (!w.distances)
            counts.count(distance[i], finite);
        else if (there)
            w.distances[reference] = finite ? distance[i] : UINT64_MAX;
        infinite += there && !finite;
    }
}

/* Counts the pairs of the third kind (exact_core.h) and computes the distances. A thread block
 * processes many tiles, so that its counts stay in shared memory for long. */
static __global__ void __launch_bounds__(THREADS) count_tiles(tile_work w) {
    extern __shared__ uint32_t bins[];
    __shared__ tile_memory t;
    counter counts = {w.counts, w.shared_n, bins, bins + w.shared_n};
    uint32_t infinite = 0, since = 0;
    counts.clear();
    for (uint32_t tile = blockIdx.x; tile < w.shape.tiles; tile += gridDim.x) {
        rdi_exact_key k[ITEMS];
        uint32_t first = w.shape.stack_n + tile * RDI_EXACT_TILE;
#pragma unroll
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t p = first + tile_index(i);
            uint32_t key = p < w.shape.n ? rdi_exact_tile_key(load_link(w.links, p)) : 0;
            k[i] = rdi_exact_key_at(tile_index(i), key);
        }
        count_greater(t, k);
        finish_tile(w, counts, tile, k, infinite);
        if (++since == w.flush_every) {
            counts.flush();
            counts.clear();
            since = 0;
        }
    }
    counts.flush();
    infinite = __reduce_add_sync(WHOLE_WARP, infinite);
    if (threadIdx.x % 32 == 0 && infinite && !w.distances)
        atomicAdd((device_u64 *)w.counts.infinite, (device_u64)infinite);
}

/* Returns the number of bins to keep in shared memory: all bins or as many as fit; 0 if distances
 * are not counted, or if bins are so wide that the sum of a tile could overflow. */
static uint32_t bins_in_shared(const rdi_device *d, const rdi_exact_round *b) {
    /* Widest bin for which the sum of one tile fits in 32 bits. */
    const uint32_t widest = UINT32_MAX / RDI_EXACT_TILE;
    if (b->distances || b->counts.bins.width > widest)
        return 0;
    size_t room = d->properties.sharedMemPerBlockOptin - sizeof(tile_memory) - 1024;
    uint32_t most = (uint32_t)(room / (2 * sizeof(uint32_t)));
    return b->counts.n < most ? b->counts.n : most;
}

rd_status rdi_exact_tiles(rdi_device *d, const rdi_exact_round *b) {
    tile_work w = {};
    w.shape = b->shape;
    w.links = b->links;
    w.rows = b->rows;
    w.beside = b->beside;
    w.panels = b->panels;
    w.bound = b->bound;
    w.distances = b->distances;
    w.counts = b->counts;
    w.shared_n = bins_in_shared(d, b);
    uint32_t most = b->counts.bins.log_below > b->counts.bins.width ? b->counts.bins.log_below
                                                                    : b->counts.bins.width;
    w.flush_every = w.shared_n ? UINT32_MAX / RDI_EXACT_TILE / most : UINT32_MAX;
    size_t shared = 2 * (size_t)w.shared_n * sizeof(uint32_t);
    RDI_CUDA(d, cudaFuncSetAttribute(count_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)shared));
    int resident = 0; /* number of thread blocks that fit on one multiprocessor */
    RDI_CUDA(
        d, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_tiles, THREADS, shared));
    uint32_t grid = (uint32_t)(d->properties.multiProcessorCount * resident);
    grid = grid < b->shape.tiles ? grid : b->shape.tiles;
    count_tiles<<<grid, THREADS, shared, d->stream[RDI_STREAM_WORK]>>>(w);
    return rdi_cuda_launched(d, "count_tiles");
}

/* ---- the stack after the round ---- */

struct is_last {
    __host__ __device__ bool operator()(const rdi_exact_link &link) const {
        return link.next == RDI_EXACT_NONE;
    }
};

rd_status rdi_exact_carry(rdi_device *d, const rdi_exact_round *b) {
    auto ids = thrust::make_transform_iterator(thrust::counting_iterator<uint32_t>(0), ids_of(b));
    auto last = thrust::make_transform_iterator(b->links, is_last{});
    cudaStream_t stream = d->stream[RDI_STREAM_WORK];
    size_t bytes = 0;
    RDI_CUDA(d, cub::DeviceSelect::Flagged(NULL, bytes, ids, last, b->stack_out, b->stack_out_n,
                                           b->shape.n, stream));
    RD_TRY(rdi_device_reserve(d, b->scratch, bytes));
    RDI_CUDA(d, cub::DeviceSelect::Flagged(b->scratch->at, bytes, ids, last, b->stack_out,
                                           b->stack_out_n, b->shape.n, stream));
    return RD_OK;
}
