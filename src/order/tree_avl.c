/* The AVL tree: the heights of two siblings differ by at most one. All operations are O(log M) for
 * M nodes.
 *
 * An insertion or removal descends from the root and stores the links that it follows. On the way
 * back, it may rotate the subtree at each link. It updates sums before the way back, and heights on
 * the way back.
 *
 * G. M. Adelson-Velsky, E. M. Landis. An algorithm for the organization of information. 1962.
 */
#include "order/tree_avl.h"

#define MOST_LEVELS 48 /* maximum length of a path: 1.45 log2(2^32), plus one for the new node */

/* The links from the root to the node that changes. */
typedef struct path {
    uint32_t *link[MOST_LEVELS];
    unsigned n;
} path;

static void update_height(rdi_tree_node *node, uint32_t n) {
    uint32_t a = node[node[n].child[0]].height, b = node[node[n].child[1]].height;
    node[n].height = 1 + (a > b ? a : b);
}

/* Rotates the subtree of n: the child of n in direction d takes the place of n and becomes its parent.
 * Returns the new root of the subtree. */
static uint32_t rotate(rdi_tree_node *node, uint32_t n, int d) {
    uint32_t child = node[n].child[d], inner = node[child].child[!d];
    uint64_t sum = node[n].sum;
    node[n].child[d] = inner;
    node[n].sum += node[inner].sum - node[child].sum;
    node[child].child[!d] = n;
    node[child].sum = sum;
    update_height(node, n);
    update_height(node, child);
    return child;
}

/* Balances the subtree with root n, whose child subtrees must be balanced and differ in height by
 * at most two. Returns the new root of the subtree. */
static uint32_t balance(rdi_tree_node *node, uint32_t n) {
    uint32_t height[2] = {node[node[n].child[0]].height, node[node[n].child[1]].height};
    if (height[0] <= height[1] + 1 && height[1] <= height[0] + 1) {
        update_height(node, n);
        return n;
    }
    int d = height[1] > height[0];
    uint32_t child = node[n].child[d];
    if (node[node[child].child[!d]].height > node[node[child].child[d]].height)
        node[n].child[d] = rotate(node, child, !d);
    return rotate(node, n, d);
}

/* Balances the subtrees on the path upwards, until a subtree has the same height as before. */
static void rebalance(rdi_tree_node *node, path *p) {
    while (p->n-- > 0) {
        uint32_t *link = p->link[p->n];
        uint32_t height = node[*link].height;
        *link = balance(node, *link);
        if (node[*link].height == height)
            return;
    }
}

void rdi_avl_insert(rdi_tree *t, uint64_t time, uint64_t weight) {
    uint32_t added = rdi_tree_take(t, time, weight);
    rdi_tree_node *node = t->node;
    path p = {.n = 0};
    uint32_t *link = &t->root;
    while (*link) {
        p.link[p.n++] = link;
        node[*link].sum += weight;
        link = &node[*link].child[time > node[*link].time];
    }
    *link = added;
    rebalance(node, &p);
}

/* Unlinks and returns the oldest node of the subtree at `link`. Appends the links that it follows
 * to p, and updates the sums of the subtree. */
static uint32_t unlink_oldest(rdi_tree *t, path *p, uint32_t *link) {
    rdi_tree_node *node = t->node;
    unsigned first = p->n;
    while (node[*link].child[RDI_OLDER]) {
        p->link[p->n++] = link;
        link = &node[*link].child[RDI_OLDER];
    }
    uint32_t oldest = *link;
    uint64_t weight = rdi_tree_weight(t, oldest);
    *link = node[oldest].child[RDI_NEWER];
    for (unsigned i = first; i < p->n; i++)
        node[*p->link[i]].sum -= weight;
    return oldest;
}

uint64_t rdi_avl_remove(rdi_tree *t, uint64_t time) {
    rdi_tree_node *node = t->node;
    path p = {.n = 0};
    uint32_t *link = &t->root;
    uint64_t newer = 0;
    while (*link && node[*link].time != time) {
        int d = time > node[*link].time;
        uint32_t *next = &node[*link].child[d];
        if (d == RDI_OLDER)
            newer += node[*link].sum - node[*next].sum;
        p.link[p.n++] = link;
        link = next;
    }
    if (!*link)
        return RDI_NOT_LIVE;
    uint32_t gone = *link, *child = node[gone].child;
    uint64_t weight = rdi_tree_weight(t, gone);
    newer += node[child[RDI_NEWER]].sum;
    for (unsigned i = 0; i < p.n; i++)
        node[*p.link[i]].sum -= weight;
    if (!child[RDI_OLDER] || !child[RDI_NEWER]) {
        *link = child[child[RDI_OLDER] ? RDI_OLDER : RDI_NEWER];
    } else { /* the next newer node replaces the removed node */
        p.link[p.n++] = link;
        uint32_t heir = unlink_oldest(t, &p, &child[RDI_NEWER]);
        node[gone].time = node[heir].time;
        node[gone].sum -= weight;
        gone = heir;
    }
    rdi_tree_give(t, gone);
    rebalance(node, &p);
    return newer;
}

bool rdi_avl_is_balanced(const rdi_tree *t, uint32_t n) {
    const rdi_tree_node *node = t->node;
    uint32_t a = node[node[n].child[0]].height, b = node[node[n].child[1]].height;
    return a <= b + 1 && b <= a + 1 && node[n].height == 1 + (a > b ? a : b);
}

static rd_status append(rdi_tree *t, uint64_t time) {
    RD_TRY(rdi_tree_reserve(t, t->node[t->root].sum + 1));
    rdi_avl_insert(t, time, 1);
    return RD_OK;
}

static uint64_t remove_oldest(rdi_tree *t) {
    uint32_t n = t->root;
    while (t->node[n].child[RDI_OLDER])
        n = t->node[n].child[RDI_OLDER];
    uint64_t time = t->node[n].time;
    rdi_avl_remove(t, time);
    return time;
}

static uint64_t live(const rdi_tree *t) {
    return t->node[t->root].sum;
}

static bool check_balance(const rdi_tree *t, uint32_t n, void *user) {
    (void)user;
    return rdi_avl_is_balanced(t, n);
}

static bool check(const rdi_tree *t, const char **why) {
    return rdi_tree_check_entries(t, why) && rdi_tree_walk(t, check_balance, NULL, why);
}

const rdi_tree_ops rdi_tree_avl = {
    .append = append,
    .remove = rdi_avl_remove,
    .remove_oldest = remove_oldest,
    .live = live,
    .check = check,
};
