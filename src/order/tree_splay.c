/* The splay tree: every search moves the node that it finds to the root, so recent times are found
 * quickly.
 *
 * The search is top-down (Sleator and Tarjan): on the way to the node, the path is split into a
 * tree of older nodes and a tree of newer nodes, which finally become the subtrees of the found
 * node. To maintain the sums, the search reads only nodes of the path and the children of the found
 * node.
 *
 * All operations are O(log M) amortized for M nodes.
 *
 * D. D. Sleator, R. E. Tarjan. Self-adjusting binary search trees. Journal of the ACM 32(3), 1985.
 */
#include "order/tree_splay.h"

/* One of the two trees that the path is split into. It grows only at its inner end: the older tree
 * grows at its newest node, and the newer tree grows at its oldest node. */
typedef struct side {
    uint32_t root;
    uint32_t *inner; /* link at the inner end, where the next node is attached */
    uint64_t sum;
} side;

/* Attaches node n, without its subtree at the link `inner`, to side s. Until the side is finished,
 * the sums along its inner edge do not include the inner children, which are known only at the
 * end. */
static inline void hang(side *s, rdi_tree_node *node, uint32_t n, uint32_t *inner) {
    node[n].sum -= node[*inner].sum;
    s->sum += node[n].sum;
    *s->inner = n;
    s->inner = inner;
}

/* Attaches the tree `rest` at the inner end, and completes the sums along the inner edge, which
 * follows direction `inner`. Returns the root of the side. */
static inline uint32_t finish(side *s, rdi_tree_node *node, uint32_t rest, int inner) {
    *s->inner = rest;
    uint64_t sum = s->sum + node[rest].sum;
    for (uint32_t n = s->root; n != rest; n = node[n].child[inner]) {
        uint64_t without_inner = node[n].sum;
        node[n].sum = sum;
        sum -= without_inner;
    }
    return s->root;
}

/* Rotates the subtree of n: the child of n in direction d takes the place of n and becomes its parent.
 * Returns the new root of the subtree. */
static inline uint32_t rotate(rdi_tree_node *node, uint32_t n, int d) {
    uint32_t child = node[n].child[d];
    uint64_t sum = node[n].sum;
    node[n].child[d] = node[child].child[!d];
    node[n].sum -= node[child].size + node[node[child].child[d]].sum;
    node[child].child[!d] = n;
    node[child].sum = sum;
    return child;
}

/* Descends from *n by one node in direction d, towards `time`, and attaches the passed node to side
 * s. Before two steps in the same direction, it rotates, which halves the path for later searches.
 * Returns false at the end of the path. */
static inline bool descend(rdi_tree_node *node, uint32_t *n, uint64_t time, int d, side *s) {
    uint32_t next = node[*n].child[d];
    if (next && (d == RDI_NEWER ? time > node[next].time : time < node[next].time)) {
        *n = rotate(node, *n, d);
        next = node[*n].child[d];
    }
    if (!next)
        return false;
    hang(s, node, *n, &node[*n].child[d]);
    *n = next;
    return true;
}

uint32_t rdi_tree_splay_to(rdi_tree *t, uint32_t n, uint64_t time) {
    rdi_tree_node *node = t->node;
    uint64_t sum = node[n].sum;
    side older = {.inner = &older.root}, newer = {.inner = &newer.root};
    bool more = true;
    while (more && time != node[n].time) /* two calls, so that d is a constant in each */
        more = time > node[n].time ? descend(node, &n, time, RDI_NEWER, &older)
                                   : descend(node, &n, time, RDI_OLDER, &newer);
    node[n].child[RDI_OLDER] = finish(&older, node, node[n].child[RDI_OLDER], RDI_NEWER);
    node[n].child[RDI_NEWER] = finish(&newer, node, node[n].child[RDI_NEWER], RDI_OLDER);
    node[n].sum = sum;
    return n;
}

static rd_status append(rdi_tree *t, uint64_t time) {
    uint64_t entries = t->node[t->root].sum + 1;
    RD_TRY(rdi_tree_reserve(t, entries));
    uint32_t n = rdi_tree_take(t, time, entries);
    t->node[n].size = 1;
    t->node[n].child[RDI_OLDER] = t->root;
    t->root = n;
    return RD_OK;
}

/* Joins two trees and returns the root. All nodes of `older` must be older than all nodes of
 * `newer`. */
static uint32_t join(rdi_tree *t, uint32_t older, uint32_t newer) {
    if (!older || !newer)
        return older ? older : newer;
    uint32_t n = rdi_tree_splay_to(t, older, UINT64_MAX);
    t->node[n].child[RDI_NEWER] = newer;
    t->node[n].sum += t->node[newer].sum;
    return n;
}

static uint64_t remove_time(rdi_tree *t, uint64_t time) {
    uint32_t n = t->root = rdi_tree_splay_to(t, t->root, time);
    if (!n || t->node[n].time != time)
        return RDI_NOT_LIVE;
    const uint32_t *child = t->node[n].child;
    uint64_t newer = t->node[child[RDI_NEWER]].sum;
    t->root = join(t, child[RDI_OLDER], child[RDI_NEWER]);
    rdi_tree_give(t, n);
    return newer;
}

static uint64_t remove_oldest(rdi_tree *t) {
    uint32_t n = rdi_tree_splay_to(t, t->root, 0);
    t->root = t->node[n].child[RDI_NEWER];
    rdi_tree_give(t, n);
    return t->node[n].time;
}

static uint64_t live(const rdi_tree *t) {
    return t->node[t->root].sum;
}

const rdi_tree_ops rdi_tree_splay = {
    .append = append,
    .remove = remove_time,
    .remove_oldest = remove_oldest,
    .live = live,
    .check = rdi_tree_check_entries,
};
