/* The merge of the geometric algorithm, shared by threads and CUDA.
 *
 * Reference t is the point (t, next(t)). Its rank is the number of points to the right of it and
 * above it. The merge combines two adjacent runs of points, each sorted by `next` and with ranks
 * that count points of the same run. For a point of the left run, the points of the right run that
 * lie above it are those that come after it in the merged run.
 */
#ifndef RDI_GEOMETRIC_CORE_H
#define RDI_GEOMETRIC_CORE_H

#include "engine/core/both.h"

#define RDI_POINTS_MAX ((uint32_t)1 << 31) /* per round: next(t) = n + t must fit */

typedef struct rdi_point {
    uint32_t next; /* time of the next reference to the same block; n + t if there is none */
    uint32_t time;
    uint32_t rank;
} rdi_point;

/* For two adjacent runs, computes how many of the first `at` merged points come from the left
 * one. */
RDI_BOTH uint32_t rdi_points_split(const rdi_point *run, uint32_t n_left, uint32_t n_right,
                                   uint32_t at) {
    const rdi_point *right = run + n_left;
    uint32_t low = at > n_right ? at - n_right : 0, high = at < n_left ? at : n_left;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (run[middle].next < right[at - 1 - middle].next)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges points [from, to) into out[from] ... and raises the ranks of points from the left run. */
RDI_BOTH void rdi_points_merge(const rdi_point *run, uint32_t n_left, uint32_t n_right,
                               uint32_t from, uint32_t to, rdi_point *out) {
    uint32_t n = n_left + n_right, l = rdi_points_split(run, n_left, n_right, from);
    uint32_t r = n_left + from - l, i = from;
    for (; i < to && l < n_left && r < n; i++) { /* no branch on the order: it is unpredictable */
        uint32_t left = run[l].next < run[r].next, mask = 0u - left;
        rdi_point p = run[(l & mask) | (r & ~mask)];
        p.rank += (n - r) & mask;
        out[i] = p;
        l += left;
        r += 1 - left;
    }
    for (; i < to && l < n_left; i++)
        out[i] = run[l++];
    for (; i < to; i++)
        out[i] = run[r++];
}

/* Merges runs of `width` points to runs of twice the width: computes points [from, to) of the
 * result. */
RDI_BOTH void rdi_points_merge_runs(const rdi_point *in, uint32_t n, uint32_t width, uint32_t from,
                                    uint32_t to, rdi_point *out) {
    while (from < to) {
        uint32_t begin = (uint32_t)(from / ((uint64_t)2 * width) * ((uint64_t)2 * width));
        uint32_t left = n - begin < width ? n - begin : width, rest = n - begin - left;
        uint32_t right = rest < width ? rest : width, both = left + right;
        uint32_t until = to - begin < both ? to - begin : both;
        rdi_points_merge(in + begin, left, right, from - begin, until, out + begin);
        from = begin + until;
    }
}

/* ---- next(t) of one symbol, by a backward copy-scan over tiles ---- */

#define RDI_SYMBOL_NONE UINT32_MAX

/* The time of the first reference to the symbol in a tile of n blocks, which begins at time
 * `begin`. */
RDI_BOTH uint32_t rdi_symbol_first(const uint64_t *tile, uint32_t n, uint32_t begin,
                                   uint64_t symbol) {
    for (uint32_t i = 0; i < n; i++)
        if (tile[i] == symbol)
            return begin + i;
    return RDI_SYMBOL_NONE;
}

/* Replaces the first reference in each tile by the first reference after each tile. */
RDI_BOTH void rdi_symbol_carry(uint32_t *first, uint32_t tiles, uint32_t stride) {
    uint32_t behind = RDI_SYMBOL_NONE;
    for (uint32_t tile = tiles; tile-- > 0;) {
        uint32_t own = first[(uint64_t)tile * stride];
        first[(uint64_t)tile * stride] = behind;
        behind = own != RDI_SYMBOL_NONE ? own : behind;
    }
}

/* Gives every reference to the symbol in the tile the time of the next one. `behind` is the first
 * reference after the tile, `all` the number of references of the round. */
RDI_BOTH void rdi_symbol_scan(const uint64_t *tile, uint32_t n, uint32_t begin, uint64_t symbol,
                              uint32_t behind, uint32_t all, uint32_t *next) {
    for (uint32_t i = n; i-- > 0;)
        if (tile[i] == symbol) {
            next[begin + i] = behind != RDI_SYMBOL_NONE ? behind : all + begin + i;
            behind = begin + i;
        }
}

/* The distance of the reference at p->next, given the final rank of p among n points. */
RDI_BOTH uint32_t rdi_point_distance(const rdi_point *p, uint32_t n) {
    return p->rank - (n - p->next);
}

#endif
