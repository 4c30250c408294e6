/* Defines the merge step and the copy-scan of the geometric algorithm, which threads and CUDA
 * share.
 *
 * Reference t is the point (t, next(t)). The rank of a point is the number of points to its right
 * that lie above it. The merge combines two adjacent runs of points. Each run is sorted by `next`,
 * and its ranks count points of the same run. For a point of the left run, the points of the right
 * run that lie above it come after it in the merged run. The merge adds their number to the rank of
 * the point. The rank of a point of the right run stays the same, because no point of the left run
 * is to its right. So the ranks count points of the merged run.
 */
#ifndef RDI_GEOMETRIC_CORE_H
#define RDI_GEOMETRIC_CORE_H

#include "engine/core/both.h"

/* Maximum number of points in a round, so that n + t fits in 32 bits. */
#define RDI_POINTS_MAX ((uint32_t)1 << 31)

typedef struct rdi_point {
    uint32_t next; /* time of the next reference to the same block; n + t if there is none */
    uint32_t time;
    uint32_t rank;
} rdi_point;

/* Returns how many of the first `at` points of the merge of two adjacent runs come from the left
 * run. */
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

/* Computes points [from, to) of the merge of two adjacent runs, and stores them from out[from] on.
 * The rank of a point of the left run increases by the number of points of the right run that lie
 * above the point. */
RDI_BOTH void rdi_points_merge(const rdi_point *run, uint32_t n_left, uint32_t n_right,
                               uint32_t from, uint32_t to, rdi_point *out) {
    uint32_t n = n_left + n_right, l = rdi_points_split(run, n_left, n_right, from);
    uint32_t r = n_left + from - l, i = from;
    for (; i < to && l < n_left && r < n; i++) { /* the loop has no branch on the order, because the
                                                    order is unpredictable */
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

/* Merges runs of `width` points into runs of twice that width: computes points [from, to) of the
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

/* ---- next(t) for one symbol (a block id below B), by a backward copy-scan over tiles ---- */

#define RDI_SYMBOL_NONE UINT32_MAX

/* Returns the time of the first reference to the symbol in a tile of n blocks that begins at time
 * `begin`, or RDI_SYMBOL_NONE. */
RDI_BOTH uint32_t rdi_symbol_first(const uint64_t *tile, uint32_t n, uint32_t begin,
                                   uint64_t symbol) {
    for (uint32_t i = 0; i < n; i++)
        if (tile[i] == symbol)
            return begin + i;
    return RDI_SYMBOL_NONE;
}

/* Replaces, for one symbol, the time of the first reference in each tile by the time of the first
 * reference after that tile; RDI_SYMBOL_NONE means that there is none. The entries of the tiles are
 * `stride` apart in `first`. */
RDI_BOTH void rdi_symbol_carry(uint32_t *first, uint32_t tiles, uint32_t stride) {
    uint32_t behind = RDI_SYMBOL_NONE;
    for (uint32_t tile = tiles; tile-- > 0;) {
        uint32_t own = first[(uint64_t)tile * stride];
        first[(uint64_t)tile * stride] = behind;
        behind = own != RDI_SYMBOL_NONE ? own : behind;
    }
}

/* Sets next(t) for every reference to the symbol in the tile. `behind` is the time of the first
 * reference to the symbol after the tile, or RDI_SYMBOL_NONE, and `all` is the number of references
 * in the round. */
RDI_BOTH void rdi_symbol_scan(const uint64_t *tile, uint32_t n, uint32_t begin, uint64_t symbol,
                              uint32_t behind, uint32_t all, uint32_t *next) {
    for (uint32_t i = n; i-- > 0;)
        if (tile[i] == symbol) {
            next[begin + i] = behind != RDI_SYMBOL_NONE ? behind : all + begin + i;
            behind = begin + i;
        }
}

/* Returns the distance of the reference at time p->next, computed from the final rank of p among n
 * points. */
RDI_BOTH uint32_t rdi_point_distance(const rdi_point *p, uint32_t n) {
    return p->rank - (n - p->next);
}

#endif
