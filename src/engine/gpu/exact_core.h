/* The arithmetic of the exact GPU engine. CUDA kernels (exact.cu) and plain C (plain_exact.c) call
 * the same functions, so that tests without a GPU exercise the code that runs on it.
 *
 * A batch is a sequence of positions: the LRU stack of the previous batch, oldest block first, then
 * the references of this batch. With prev(i) the position of the previous reference to the same
 * block, the distance of i is
 *
 *     i - prev(i) - 1 - #{ j < i : prev(j) > prev(i) }
 *
 * because a position between prev(i) and i whose own previous reference is also in between repeats
 * a block. References are cut into blocks of TILE in time, previous positions into buckets of TILE,
 * and the pairs (j, i) are of three kinds:
 *
 *     j in an earlier block, prev(j) in a higher bucket    a table of blocks and buckets, summed up
 *     j in an earlier block, prev(j) in the same bucket    counted bucket by bucket
 *     j in the same block                                  counted block by block
 *
 * The last two kinds are the same problem: for each key of a tile, count the greater keys before
 * it.
 */
#ifndef RDI_EXACT_CORE_H
#define RDI_EXACT_CORE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RDI_BOTH __host__ __device__
#else
#define RDI_BOTH
#endif

#ifndef RDI_EXACT_TILE /* tests use smaller tiles, to have many of them */
#define RDI_EXACT_TILE    8192u
#define RDI_EXACT_SEGMENT 8u /* blocks: the references before the last one fit in 16 bits */
#endif
#define RDI_EXACT_NONE UINT32_MAX
#define RDI_EXACT_NEAR 16u /* groups up to this length are compared one by one */

/* The references to the same block before and after a position. */
typedef struct rdi_exact_link {
    uint32_t prev_plus_1; /* 0: none */
    uint32_t next;        /* RDI_EXACT_NONE: none */
} rdi_exact_link;

/* ---- a tile: the number of greater keys before each key ----
 *
 * The keys are sorted bit by bit from the top, stably, zeros before ones. Keys that agree in all
 * bits so far are adjacent, in their original order, and form a group. If the next bit of a key is
 * zero, then exactly the members of its group before it with a one are greater and not yet counted.
 * No key moves: each knows its place and the beginning of its group. */

typedef struct rdi_exact_key {
    uint32_t key;     /* 0: a gap, less than all other keys; its count does not matter */
    uint32_t greater; /* number of greater keys before it, as far as the bits seen tell */
    uint32_t seat;    /* its place; upper half: beginning of its group (registers are few) */
} rdi_exact_key;

RDI_BOTH static inline rdi_exact_key rdi_exact_key_at(uint32_t place, uint32_t key) {
    rdi_exact_key k = {key, 0, place};
    return k;
}

RDI_BOTH static inline uint32_t rdi_exact_place(const rdi_exact_key *k) {
    return k->seat & 0xffff;
}

RDI_BOTH static inline uint32_t rdi_exact_start(const rdi_exact_key *k) {
    return k->seat >> 16;
}

/* Packs the bits of 16 places, and above them the number of ones in all earlier places. */
RDI_BOTH static inline uint32_t rdi_exact_mark(uint32_t ones_before, uint32_t bits) {
    return ones_before << 16 | bits;
}

RDI_BOTH static inline uint32_t rdi_exact_ones_before(const uint32_t *marks, uint32_t place) {
    uint32_t mark = marks[place / 16], before = mark & ((1u << place % 16) - 1);
#ifdef __CUDA_ARCH__
    return (mark >> 16) + (uint32_t)__popc(before);
#else
    return (mark >> 16) + (uint32_t)__builtin_popcount(before);
#endif
}

/* Processes the next bit. `zeros` is the number of places with a zero. */
RDI_BOTH static inline void rdi_exact_descend(rdi_exact_key *k, int bit, const uint32_t *marks,
                                              uint32_t zeros) {
    uint32_t at_place = rdi_exact_ones_before(marks, rdi_exact_place(k));
    uint32_t at_start = rdi_exact_ones_before(marks, rdi_exact_start(k));
    uint32_t ones = at_start << 16 | at_place;
    if (k->key >> bit & 1) {
        k->seat = (zeros << 16 | zeros) + ones;
    } else {
        k->greater += at_place - at_start;
        k->seat -= ones;
    }
}

/* Returns whether the group is still too long to be compared one by one. */
RDI_BOTH static inline bool rdi_exact_is_far(const rdi_exact_key *k) {
    return k->key != 0 && rdi_exact_place(k) - rdi_exact_start(k) > RDI_EXACT_NEAR;
}

/* Finishes a short group by comparing. keys[] is indexed by place. */
RDI_BOTH static inline void rdi_exact_compare(rdi_exact_key *k, const uint32_t *keys) {
    for (uint32_t at = rdi_exact_start(k); at < rdi_exact_place(k) && k->key; at++)
        k->greater += keys[at] > k->key;
}

/* ---- a batch: its parts and the table ---- */

typedef struct rdi_exact_shape {
    uint32_t stack_n, refs_n; /* number of positions of the stack, and of the references */
    uint32_t n;               /* the sum of both */
    uint32_t blocks, buckets;
    uint32_t segments; /* of RDI_EXACT_SEGMENT blocks */
    uint32_t pitch;    /* entries of a row of the table: the buckets, rounded up */
} rdi_exact_shape;

static inline rdi_exact_shape rdi_exact_shape_of(uint32_t stack_n, uint32_t refs_n) {
    rdi_exact_shape s;
    s.stack_n = stack_n;
    s.refs_n = refs_n;
    s.n = stack_n + refs_n;
    s.blocks = (refs_n + RDI_EXACT_TILE - 1) / RDI_EXACT_TILE;
    s.buckets = (s.n + RDI_EXACT_TILE - 1) / RDI_EXACT_TILE;
    s.segments = (s.blocks + RDI_EXACT_SEGMENT - 1) / RDI_EXACT_SEGMENT;
    s.pitch = (s.buckets + 63) / 64 * 64;
    return s;
}

/* The key of a position in a block: its previous reference. Later is greater; none is a gap. */
RDI_BOTH static inline uint32_t rdi_exact_block_key(rdi_exact_link link) {
    return link.prev_plus_1;
}

/* The key of a position in a bucket: its next reference. An earlier block is greater; none is a
 * gap. The pairs to count are the positions above it in its bucket that have a greater key, so a
 * bucket is processed from its end. */
RDI_BOTH static inline uint32_t rdi_exact_bucket_key(rdi_exact_shape s, rdi_exact_link link) {
    return link.next == RDI_EXACT_NONE ? 0 : s.blocks - (link.next - s.stack_n) / RDI_EXACT_TILE;
}

/* Looks up the table. rows[b][q] counts, over the blocks before b in b's segment, the references
 * whose previous one lies in a bucket above q. segments[s][q] counts the same over all segments
 * before s. */
RDI_BOTH static inline uint32_t rdi_exact_table_count(rdi_exact_shape s, const uint16_t *rows,
                                                      const uint32_t *segments, uint32_t block,
                                                      uint32_t bucket) {
    return rows[(uint64_t)block * s.pitch + bucket] +
           segments[(uint64_t)(block / RDI_EXACT_SEGMENT) * s.pitch + bucket];
}

RDI_BOTH static inline uint32_t rdi_exact_distance(uint32_t position, uint32_t prev,
                                                   uint32_t inversions) {
    return position - prev - 1 - inversions;
}

/* ---- bins: those of binning.h that three numbers describe ---- */

typedef struct rdi_exact_bins {
    uint32_t log_below; /* distances below this have a bin per bit width */
    uint32_t base;      /* bin of longer distances: base + d / width */
    uint32_t width;
} rdi_exact_bins;

RDI_BOTH static inline uint32_t rdi_exact_bin(rdi_exact_bins b, uint32_t d) {
    if (d >= b.log_below)
        return b.base + d / b.width;
#ifdef __CUDA_ARCH__
    return 32u - (uint32_t)__clz((int)d);
#else
    return d ? 32u - (uint32_t)__builtin_clz(d) : 0;
#endif
}

/* The contribution of a distance to the sum of its bin; the rest follows from the bin. */
RDI_BOTH static inline uint32_t rdi_exact_rest(rdi_exact_bins b, uint32_t d) {
    return d < b.log_below ? d : d % b.width;
}

#endif
