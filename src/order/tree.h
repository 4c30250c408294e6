/* Search trees over time that know the weight of every subtree: Olken's way to count.
 *
 * Three trees answer the same questions, behind one small table of operations:
 *   splay  an entry per live time; self-adjusting, so recent times are near the root
 *   avl    an entry per live time; height-balanced
 *   holes  an interval per run of times that are *not* live, in an AVL tree (Almasi et al.): a
 *          distance is the elapsed time less the holes in it
 *
 * Nodes live in one growing array and refer to each other by 32-bit index: 32 bytes each, two per
 * cache line, no allocation per node. More than 2^32 - 2 nodes are refused with RD_ERANGE.
 */
#ifndef RDI_TREE_H
#define RDI_TREE_H

#include "base/common.h"

enum { RDI_OLDER = 0, RDI_NEWER = 1 }; /* a direction `d`; the opposite is `!d` */

typedef struct rdi_tree_node {
    uint64_t time;     /* the key; of a hole: its first time */
    uint64_t sum;      /* weight of the subtree; an entry weighs 1, a hole its length */
    uint32_t child[2]; /* subtrees of RDI_OLDER and RDI_NEWER times; 0: none */
    uint32_t height;   /* AVL: of the subtree, 1 for a leaf */
    uint32_t size;     /* splay: weight of the node itself */
} rdi_tree_node;

/* Invariants: times ascend from the older to the newer child; node[0] is "none", with sum and
 * height 0. */
typedef struct rdi_tree {
    rd_ctx *ctx;
    rdi_tree_node *node;
    uint32_t root;
    uint32_t free;       /* first free node, linked by child[0] */
    uint32_t used, room; /* of `node`; used counts node[0] and the free ones */
    uint32_t most;       /* nodes there may be at most; tests lower it */
    uint64_t end;        /* holes: the next time */
} rdi_tree;

/* What Olken's algorithm asks of a tree. Times are appended as 0, 1, 2 ... without a gap. */
typedef struct rdi_tree_ops {
    /* Adds the newest time. The only operation that allocates. */
    rd_status (*append)(rdi_tree *t, uint64_t time);
    /* Removes a live time; returns how many live ones are newer. */
    uint64_t (*remove)(rdi_tree *t, uint64_t time);
    /* Removes the oldest live time, which must exist, and returns it. */
    uint64_t (*remove_oldest)(rdi_tree *t);
    /* Number of live times. */
    uint64_t (*live)(const rdi_tree *t);
    /* Invariants, for tests: false, and why. */
    bool (*check)(const rdi_tree *t, const char **why);
} rdi_tree_ops;

extern const rdi_tree_ops rdi_tree_splay, rdi_tree_avl, rdi_tree_holes;

rd_status rdi_tree_init(rdi_tree *t, rd_ctx *ctx);
void rdi_tree_fini(rdi_tree *t); /* tolerates a zeroed tree */

/* ---- for the trees themselves ---- */

/* Room for `nodes` nodes in all, so that taking up to as many cannot fail. */
rd_status rdi_tree_grow(rdi_tree *t, uint64_t nodes);

static inline rd_status rdi_tree_reserve(rdi_tree *t, uint64_t nodes) {
    return RDI_LIKELY(nodes < t->room) ? RD_OK : rdi_tree_grow(t, nodes);
}

/* An unlinked node; its room was reserved. */
static inline uint32_t rdi_tree_take(rdi_tree *t, uint64_t time, uint64_t weight) {
    uint32_t n = t->free;
    if (n)
        t->free = t->node[n].child[0];
    else
        n = t->used++;
    t->node[n] = (rdi_tree_node){.time = time, .sum = weight, .height = 1};
    return n;
}

static inline void rdi_tree_give(rdi_tree *t, uint32_t n) {
    t->node[n].child[0] = t->free;
    t->free = n;
}

/* The node's own weight. */
static inline uint64_t rdi_tree_weight(const rdi_tree *t, uint32_t n) {
    const rdi_tree_node *node = t->node;
    return node[n].sum - node[node[n].child[0]].sum - node[node[n].child[1]].sum;
}

/* Walks the tree in order and calls visit for each node until it returns false. False, and why,
 * also when the links are no tree or nodes are lost. */
bool rdi_tree_walk(const rdi_tree *t, bool (*visit)(const rdi_tree *t, uint32_t n, void *user),
                   void *user, const char **why);

/* Order and sums of a tree whose nodes all weigh 1. */
bool rdi_tree_check_entries(const rdi_tree *t, const char **why);

#endif
