/* Defines the arithmetic of engine `gpu`. CUDA kernels (exact.cu) and plain C (plain_exact.c) call
 * the same functions, so that tests without a GPU exercise the code that runs on it.
 *
 * A round is a sequence of positions: first the LRU stack of the previous round, oldest block
 * first, then the references of this round. Let prev(i) be the position of the previous reference
 * to the same block. The distance of position i is
 *
 *     i - prev(i) - 1 - #{ j < i : prev(j) > prev(i) }
 *
 * because a position j between prev(i) and i adds no distinct block if prev(j) is also between
 * them. References are divided into tiles of RDI_EXACT_TILE, and previous positions into buckets of
 * RDI_EXACT_TILE. There are three kinds of pairs (j, i):
 *
 *     j in an earlier tile, prev(j) in a higher bucket    looked up in a table of tiles and buckets
 *     j in an earlier tile, prev(j) in the same bucket    counted bucket by bucket
 *     j in the same tile                                  counted tile by tile
 *
 * The last two kinds are the same problem: for each of RDI_EXACT_TILE keys, count the greater keys
 * before it.
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

#ifndef RDI_EXACT_TILE /* tests define smaller tiles, to have many of them */
#define RDI_EXACT_TILE  8192u
#define RDI_EXACT_PANEL 8u /* tiles per panel; counts of references in 7 tiles fit in 16 bits */
#endif
#define RDI_EXACT_NONE UINT32_MAX
#define RDI_EXACT_NEAR 16u /* a key is compared one by one with at most this many earlier keys */

/* The positions of the previous and of the next reference to the same block. */
typedef struct rdi_exact_link {
    uint32_t prev_plus_1; /* 0: no previous reference */
    uint32_t next;        /* RDI_EXACT_NONE: no next reference */
} rdi_exact_link;

/* ---- counting the greater keys before each key ----
 *
 * The keys are sorted stably, bit by bit from the highest bit, zeros before ones. Keys that agree
 * in all bits so far are adjacent and in their original order, and form a group. If the next bit of
 * a key is zero, the keys of its group that come before it and have a one are greater, and they
 * have not been counted yet. No key moves in memory: each key stores its place and the beginning of
 * its group. */

typedef struct rdi_exact_key {
    uint32_t key;     /* 0: no reference; this key is less than all others and needs no count */
    uint32_t greater; /* number of greater keys before this key that the bits processed so far have
                         revealed */
    uint32_t seat;    /* lower half: place of the key; upper half: beginning of its group (one word
                         saves a register) */
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

/* Packs the bits of 16 places into the lower half, and the number of ones in all earlier places
 * into the upper half. */
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

/* Processes bit `bit` of a key: updates its place, its group and `greater`. `marks` has this bit of
 * all keys, by place. `zeros` is the number of places with a zero. */
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

/* Returns whether a key still has too many keys before it in its group to compare them one by
 * one. */
RDI_BOTH static inline bool rdi_exact_is_far(const rdi_exact_key *k) {
    return k->key != 0 && rdi_exact_place(k) - rdi_exact_start(k) > RDI_EXACT_NEAR;
}

/* Compares a key with the keys before it in its group, and adds the number of greater ones to
 * k->greater. keys[] is indexed by place. */
RDI_BOTH static inline void rdi_exact_compare(rdi_exact_key *k, const uint32_t *keys) {
    for (uint32_t at = rdi_exact_start(k); at < rdi_exact_place(k) && k->key; at++)
        k->greater += keys[at] > k->key;
}

/* ---- the shape of a round, and the table ---- */

/* The numbers of positions, tiles and buckets of a round. */
typedef struct rdi_exact_shape {
    uint32_t stack_n, refs_n; /* number of blocks of the stack, and number of references */
    uint32_t n;               /* number of positions: stack_n + refs_n */
    uint32_t tiles, buckets;
    uint32_t panels; /* number of panels of RDI_EXACT_PANEL tiles */
    uint32_t pitch;  /* entries in a row of the table: the number of buckets, rounded up */
} rdi_exact_shape;

static inline rdi_exact_shape rdi_exact_shape_of(uint32_t stack_n, uint32_t refs_n) {
    rdi_exact_shape s;
    s.stack_n = stack_n;
    s.refs_n = refs_n;
    s.n = stack_n + refs_n;
    s.tiles = (refs_n + RDI_EXACT_TILE - 1) / RDI_EXACT_TILE;
    s.buckets = (s.n + RDI_EXACT_TILE - 1) / RDI_EXACT_TILE;
    s.panels = (s.tiles + RDI_EXACT_PANEL - 1) / RDI_EXACT_PANEL;
    s.pitch = (s.buckets + 63) / 64 * 64;
    return s;
}

/* Returns the key of a position in its tile: the position of the previous reference plus 1, so that
 * a later previous reference gives a greater key, or 0 if there is none. */
RDI_BOTH static inline uint32_t rdi_exact_tile_key(rdi_exact_link link) {
    return link.prev_plus_1;
}

/* Returns the key of a position in its bucket: the tile of its next reference, numbered from the
 * last tile, so that an earlier tile gives a greater key, or 0 if there is no next reference. The
 * pairs to count are the higher positions in the bucket that have a greater key, so a bucket is
 * processed from its end. */
RDI_BOTH static inline uint32_t rdi_exact_bucket_key(rdi_exact_shape s, rdi_exact_link link) {
    return link.next == RDI_EXACT_NONE ? 0 : s.tiles - (link.next - s.stack_n) / RDI_EXACT_TILE;
}

/* Returns the number of pairs of the first kind, from the table. rows[t][q] counts the references
 * whose previous reference lies in a bucket above q, in the tiles of t's panel that come before t.
 * panels[p][q] counts these references in all panels before p. */
RDI_BOTH static inline uint32_t rdi_exact_table_count(rdi_exact_shape s, const uint16_t *rows,
                                                      const uint32_t *panels, uint32_t tile,
                                                      uint32_t bucket) {
    return rows[(uint64_t)tile * s.pitch + bucket] +
           panels[(uint64_t)(tile / RDI_EXACT_PANEL) * s.pitch + bucket];
}

RDI_BOTH static inline uint32_t rdi_exact_distance(uint32_t position, uint32_t prev,
                                                   uint32_t inversions) {
    return position - prev - 1 - inversions;
}

/* ---- bins ---- */

/* The bins in which the device counts distances: full, linear or log-linear bins (binning.h). */
typedef struct rdi_exact_bins {
    uint32_t log_below; /* distances below this number have one bin per bit width */
    uint32_t base;      /* the bin of a longer distance d is base + d / width */
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

/* Returns the contribution of a distance to the sum of its bin. The rest of the sum follows from
 * the bin and its count. */
RDI_BOTH static inline uint32_t rdi_exact_rest(rdi_exact_bins b, uint32_t d) {
    return d < b.log_below ? d : d % b.width;
}

#endif
