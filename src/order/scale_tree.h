/* The scale tree of Zhong, Shen and Ding. It keeps last references in time ranges that grow with
 * their distance, so that O(log M) ranges for M blocks give every distance with a relative error of
 * at most e.
 *
 * A node is a time range with a size: the number of blocks that were last referenced in it. The
 * distance of a reference is estimated as the size of all newer nodes. The estimate does not count
 * the newer blocks in the same node, which are at most size - 1. A new reference is a node of size
 * 1. Compression merges neighbors, from the newest to the oldest, as long as a node with d newer
 * blocks has a size of at most d * e / (1 - e) + 1. This limit of the size keeps the relative error
 * at most e. Compression runs when there are 4 log(M) / log(1 / (1 - e)) + 4 nodes, and leaves at
 * most half of them.
 *
 * The tree has no pointers. Nodes are stored in arrays in the order of time and are found by binary
 * search. The references since the last compression have one node each, which is found by
 * subtraction. Blocks that leave a node are counted in rdi_prefix_counts. Compression rebuilds the
 * arrays in place.
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.1.
 */
#ifndef RDI_SCALE_TREE_H
#define RDI_SCALE_TREE_H

#include "order/prefix_counts.h"

/* Invariants: times ascend, and the last one is now - 1. From node `compressed` on, times are
 * consecutive. Between two operations, n is below `limit`. */
typedef struct rdi_scale_tree {
    rd_ctx *ctx;
    double growth;      /* slightly less than e / (1 - e) */
    double limit_slope; /* slope of `limit` over log(live) */
    uint64_t *time;     /* end of each node's range, which begins after the end of the previous
                           node's range */
    /* Number of blocks in each node and in all older nodes, including blocks that left their node
     * since the last compression. */
    uint64_t *upto;
    rdi_prefix_counts left; /* per node: number of blocks that left the node since the last
                               compression */
    uint64_t n_left;        /* number of blocks that left any node since then */
    size_t n, compressed;   /* number of nodes, and of nodes made by the last compression */
    size_t found;           /* index of the compressed node that was found last */
    size_t limit;           /* number of nodes at which to compress or to update the limit */
    size_t room;
    void *memory;           /* one allocation holds all arrays */
    uint64_t live;          /* number of blocks */
    uint64_t now;           /* time of the next reference; each reference takes one unit of time */
    size_t most;            /* largest number of nodes so far when `limit` was reached */
    size_t most_compressed; /* largest number of nodes so far right after a compression */
} rdi_scale_tree;

/* Initializes an empty tree with the relative error `error`, where 0 < error < 1. */
rd_status rdi_scale_tree_init(rdi_scale_tree *t, rd_ctx *ctx, double error);
void rdi_scale_tree_fini(rdi_scale_tree *t); /* a zeroed tree is allowed */

/* Fills an empty tree with `blocks` blocks, which were referenced once each at times 0, 1, 2 ...
 * The function takes O(log blocks) time. */
rd_status rdi_scale_tree_prefill(rdi_scale_tree *t, uint64_t blocks);

/* Updates the limit, and compresses and grows the tree if necessary. rdi_scale_tree_append() calls
 * this function when n reaches the limit. */
rd_status rdi_scale_tree_at_limit(rdi_scale_tree *t);

/* Returns whether the times of the nodes ascend, no node exceeds its capacity, the nodes hold
 * `live` blocks in total, and the number of nodes is below the limit and never exceeded it, for
 * tests. If not, *why names the first violation. */
bool rdi_scale_tree_check(const rdi_scale_tree *t, const char **why);

/* Returns the number of blocks in nodes newer than node i. */
static inline uint64_t rdi_scale_tree_newer(const rdi_scale_tree *t, size_t i) {
    uint64_t made = t->upto[t->n - 1] - t->upto[i];
    return made - (t->n_left - rdi_prefix_counts_upto(&t->left, i));
}

/* Returns the index of the node whose range contains `time`. Among the compressed nodes, first
 * tries the one that was found last, because successive searches often find the same node. */
static inline size_t rdi_scale_tree_find(rdi_scale_tree *t, uint64_t time) {
    size_t recent = t->n - t->compressed, found = t->found;
    if (t->now - time <= recent)
        return t->n - (size_t)(t->now - time);
    if (found > 0 && t->time[found - 1] < time && time <= t->time[found])
        return found;
    const uint64_t *at = t->time;
    for (size_t n = t->compressed; n > 1;) { /* the loop body has no branches, because they would be
                                                unpredictable */
        size_t half = n / 2;
        at += half & -(size_t)(at[half - 1] < time);
        n -= half;
    }
    return t->found = (size_t)(at - t->time);
}

/* Removes the block that was last referenced at `time`. Returns its estimated distance: the number
 * of blocks in newer nodes. */
static inline uint64_t rdi_scale_tree_remove(rdi_scale_tree *t, uint64_t time) {
    size_t i = rdi_scale_tree_find(t, time);
    uint64_t newer = rdi_scale_tree_newer(t, i);
    rdi_prefix_counts_add(&t->left, i);
    t->n_left++;
    t->live--;
    return newer;
}

/* Adds a block that is referenced at time `now`, and advances `now`. Calls
 * rdi_scale_tree_at_limit() if the number of nodes has reached the limit. */
static inline rd_status rdi_scale_tree_append(rdi_scale_tree *t) {
    t->time[t->n] = t->now++;
    t->upto[t->n] = t->n ? t->upto[t->n - 1] + 1 : 1;
    t->n++;
    t->live++;
    return RDI_LIKELY(t->n < t->limit) ? RD_OK : rdi_scale_tree_at_limit(t);
}

#endif
