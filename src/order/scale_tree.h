/* The scale tree of Zhong, Shen and Ding: last references in time ranges that grow with their
 * distance, so that O(log M) of them answer every question with a relative error of at most e.
 *
 * A node is a time range with a size, the number of blocks last referenced in it. The distance of
 * a reference is taken as the size of all newer nodes: the blocks of its own node that are newer
 * than it are missing, at most size - 1. A new reference is a node of size 1. Compression merges
 * neighbours from the newest to the oldest, as long as a node with d newer blocks has a size of at
 * most d * e / (1 - e) + 1, which keeps the error below e. It takes place whenever there are
 * 4 log(M) / log(1 / (1 - e)) + 4 nodes, and leaves at most half of them.
 *
 * There is no tree of pointers. Nodes lie in arrays by time, so that a search halves an array, and
 * the references since the last compression, one node each, are found by subtraction. What leaves
 * a node is counted in rdi_prefix_counts. Rebuilding is the compression itself, in place.
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.1.
 */
#ifndef RDI_SCALE_TREE_H
#define RDI_SCALE_TREE_H

#include "order/prefix_counts.h"

/* Invariants: times ascend and the last one is now - 1; from node `compressed` on they follow each
 * other without a gap; n is below `limit` between two operations. */
typedef struct rdi_scale_tree {
    rd_ctx *ctx;
    double growth;      /* e / (1 - e), a hair less */
    double limit_slope; /* of `limit` over the logarithm of `live` */
    uint64_t *time;     /* per node: end of its range; begins behind that of the previous node */
    uint64_t *upto; /* per node: blocks in it and all older ones, not counting what has left since
                       the last compression */
    rdi_prefix_counts left; /* blocks that have left since, by node */
    uint64_t n_left;
    size_t n, compressed; /* nodes; those older than the last compression */
    size_t found;         /* of these, the one that was found last */
    size_t limit;         /* nodes at which to compress, or to compute the limit anew */
    size_t room;
    void *memory;           /* one allocation holds all arrays */
    uint64_t live;          /* blocks */
    uint64_t now;           /* time of the next reference; every one takes a unit */
    size_t most;            /* nodes there ever were, just before a compression ... */
    size_t most_compressed; /* ... and just after one */
} rdi_scale_tree;

/* 0 < error < 1. */
rd_status rdi_scale_tree_init(rdi_scale_tree *t, rd_ctx *ctx, double error);
void rdi_scale_tree_fini(rdi_scale_tree *t); /* tolerates a zeroed tree */

/* An empty tree becomes one of `blocks` blocks, each referenced once, at times 0, 1, 2 ...; takes
 * O(log blocks). */
rd_status rdi_scale_tree_prefill(rdi_scale_tree *t, uint64_t blocks);

/* Compresses if need be; for append(). */
rd_status rdi_scale_tree_at_limit(rdi_scale_tree *t);

/* Invariants, for tests: false, and why. */
bool rdi_scale_tree_check(const rdi_scale_tree *t, const char **why);

/* Blocks newer than node i. */
static inline uint64_t rdi_scale_tree_newer(const rdi_scale_tree *t, size_t i) {
    uint64_t made = t->upto[t->n - 1] - t->upto[i];
    return made - (t->n_left - rdi_prefix_counts_upto(&t->left, i));
}

/* The first node whose range does not end before `time`. Sweeps stay in one node for a while. */
static inline size_t rdi_scale_tree_find(rdi_scale_tree *t, uint64_t time) {
    size_t recent = t->n - t->compressed, found = t->found;
    if (t->now - time <= recent)
        return t->n - (size_t)(t->now - time);
    if (found > 0 && t->time[found - 1] < time && time <= t->time[found])
        return found;
    const uint64_t *at = t->time;
    for (size_t n = t->compressed; n > 1;) { /* without branches: they could not be predicted */
        size_t half = n / 2;
        at += half & -(size_t)(at[half - 1] < time);
        n -= half;
    }
    return t->found = (size_t)(at - t->time);
}

/* The block last referenced at `time` leaves; returns its distance: how many blocks are newer, the
 * newer ones of its own node not counted. */
static inline uint64_t rdi_scale_tree_remove(rdi_scale_tree *t, uint64_t time) {
    size_t i = rdi_scale_tree_find(t, time);
    uint64_t newer = rdi_scale_tree_newer(t, i);
    rdi_prefix_counts_add(&t->left, i);
    t->n_left++;
    t->live--;
    return newer;
}

/* A block is referenced now and enters as the newest. */
static inline rd_status rdi_scale_tree_append(rdi_scale_tree *t) {
    t->time[t->n] = t->now++;
    t->upto[t->n] = t->n ? t->upto[t->n - 1] + 1 : 1;
    t->n++;
    t->live++;
    return RDI_LIKELY(t->n < t->limit) ? RD_OK : rdi_scale_tree_at_limit(t);
}

#endif
