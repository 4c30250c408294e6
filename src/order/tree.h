/* Search trees over time in which every subtree knows its weight, for Olken's algorithm.
 *
 * Three trees implement one small table of operations:
 *   splay  one node per live time; self-adjusting, so recent times are near the root
 *   avl    one node per live time; height-balanced
 *   holes  one node per run of times that are *not* live, in an AVL tree (Almasi et al.):
 *          a distance is the number of later times minus the length of the holes among them
 *
 * Nodes are in one growing array and refer to each other by 32-bit indices. A node takes 32 bytes,
 * so a cache line has two. Adding more than 2^32 - 2 nodes fails with RD_ERANGE.
 */
#ifndef RDI_TREE_H
#define RDI_TREE_H

#include "base/common.h"

#define RDI_NOT_LIVE UINT64_MAX

enum { RDI_OLDER = 0, RDI_NEWER = 1 }; /* a direction `d`; the opposite direction is `!d` */

typedef struct rdi_tree_node {
    uint64_t time;     /* the key: a live time, the first time of a hole, or the end of a range */
    uint64_t sum;      /* weight of the subtree: a live time weighs 1, a hole its length, and a
                          range its number of blocks */
    uint32_t child[2]; /* subtrees of RDI_OLDER and RDI_NEWER times; 0: none */
    uint32_t height;   /* AVL: height of the subtree, 1 for a leaf */
    uint32_t size;     /* splay: weight of the node itself */
} rdi_tree_node;

/* Invariants: times ascend from the older to the newer child. node[0] means "none" and has sum and
 * height 0. */
typedef struct rdi_tree {
    rd_ctx *ctx;
    rdi_tree_node *node;
    uint32_t root;
    uint32_t free;       /* first free node; free nodes are linked by child[0] */
    uint32_t used, room; /* number of nodes used and allocated; node[0] and free nodes count as
                            used */
    uint32_t most;       /* maximum number of nodes; tests lower it */
    uint64_t end;        /* holes: the next time to be appended */
} rdi_tree;

/* The operations that Olken's algorithm needs. Times are appended as 0, 1, 2 ... without gaps. */
typedef struct rdi_tree_ops {
    /* Adds `time` as the newest live time. Only this operation allocates memory. */
    rd_status (*append)(rdi_tree *t, uint64_t time);
    /* If `time` is live, removes it and returns how many live times are newer. Otherwise returns
     * RDI_NOT_LIVE and removes nothing. */
    uint64_t (*remove)(rdi_tree *t, uint64_t time);
    /* Removes the oldest live time, which must exist, and returns it. */
    uint64_t (*remove_oldest)(rdi_tree *t);
    /* Returns the number of live times. */
    uint64_t (*live)(const rdi_tree *t);
    /* Returns whether the invariants hold, for tests. If not, *why names the first violation. */
    bool (*check)(const rdi_tree *t, const char **why);
} rdi_tree_ops;

extern const rdi_tree_ops rdi_tree_splay, rdi_tree_avl, rdi_tree_holes;

rd_status rdi_tree_init(rdi_tree *t, rd_ctx *ctx);
void rdi_tree_fini(rdi_tree *t); /* a zeroed tree is allowed */

/* ---- functions for the implementations of the trees ---- */

/* Makes room for `nodes` nodes in total, not counting node[0]. The caller may then take nodes with
 * rdi_tree_take(), which does not check the room, until the tree has this number of nodes. */
rd_status rdi_tree_grow(rdi_tree *t, uint64_t nodes);

static inline rd_status rdi_tree_reserve(rdi_tree *t, uint64_t nodes) {
    return RDI_LIKELY(nodes < t->room) ? RD_OK : rdi_tree_grow(t, nodes);
}

/* Returns an unlinked node with the key `time` and the sum `weight`. The caller must have reserved
 * room for it. */
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

/* Returns the weight of node n without its subtrees. */
static inline uint64_t rdi_tree_weight(const rdi_tree *t, uint32_t n) {
    const rdi_tree_node *node = t->node;
    return node[n].sum - node[node[n].child[0]].sum - node[node[n].child[1]].sum;
}

/* Calls visit() for each node in order until it returns false. Returns false in that case, and also
 * if the links do not form a tree, if nodes are lost or if there is not enough memory; *why then
 * names the reason. */
bool rdi_tree_walk(const rdi_tree *t, bool (*visit)(const rdi_tree *t, uint32_t n, void *user),
                   void *user, const char **why);

/* Returns whether rdi_tree_walk() succeeds, the times of the tree ascend and all its nodes weigh 1.
 * If not, *why names the first violation. */
bool rdi_tree_check_entries(const rdi_tree *t, const char **why);

#endif
