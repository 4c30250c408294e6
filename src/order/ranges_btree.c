/* Keeps ranges in a B-tree with up to 16 entries per node. An entry of a leaf has the end of a time
 * range and its number of blocks. An entry of an inner node has the end and the number of blocks of
 * a whole child.
 *
 * New ranges are added only at the newest end, so nodes are never split: when the last node of a
 * level is full, another node is added. After removals, a node is merged with a neighboring sibling
 * once both together fill at most three quarters of a node. So nodes stay well filled, and the
 * depth is O(log n) for n ranges.
 */
#include "order/ranges.h"

#include <inttypes.h>
#include <string.h>

#define ENTRIES 16
#define UNITE   (ENTRIES * 3 / 4)
/* Maximum depth of the tree. Two neighboring siblings have at least 13 entries together, so this is
 * enough for 2^32 ranges. */
#define DEPTH_MAX 16
#define FIRST     8 /* number of nodes that are allocated first */

typedef struct btree_node {
    uint64_t time[ENTRIES]; /* ends of the ranges, in ascending order */
    uint64_t sum[ENTRIES];  /* numbers of blocks */
    uint32_t child[ENTRIES];
    uint32_t n;
} btree_node;

typedef struct btree {
    rdi_ranges base;
    btree_node *node;
    uint32_t used, room;
    uint32_t free; /* index of the first free node plus 1; 0: none; child[0] links free nodes */
    uint32_t root;
    uint32_t depth; /* number of levels; 0: empty */
} btree;

/* The path to an entry: the node and the index on every level. Level 0 is the leaf. */
typedef struct path {
    struct {
        uint32_t node, at;
    } level[DEPTH_MAX];
} path;

static btree_node *node_of(const btree *b, const path *p, uint32_t level) {
    return &b->node[p->level[level].node];
}

/* ---- nodes ---- */

/* Makes room for the nodes that one append may need: one per level, and a root. */
static rd_status reserve(btree *b) {
    uint32_t wanted = b->used + b->depth + 2;
    if (wanted <= b->room)
        return RD_OK;
    if (b->depth + 1 >= DEPTH_MAX || wanted > UINT32_MAX / 2)
        return rdi_fail(b->base.ctx, RD_ERANGE,
                        "too many time ranges for a B-tree of at most %" PRIu32
                        " nodes and %d levels; use larger ranges (option b of engine absolute), "
                        "or an exact engine",
                        UINT32_MAX / 2, DEPTH_MAX - 1);
    uint32_t room = wanted < FIRST ? FIRST : wanted * 2;
    btree_node *grown = rdi_resize(b->base.ctx, b->node, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    b->node = grown;
    b->room = room;
    return RD_OK;
}

static uint32_t take_node(btree *b) {
    uint32_t n = b->free ? b->free - 1 : b->used++;
    if (b->free)
        b->free = b->node[n].child[0];
    b->node[n].n = 0;
    return n;
}

static void give_node(btree *b, uint32_t n) {
    b->node[n].child[0] = b->free;
    b->free = n + 1;
}

static void push_entry(btree_node *node, uint64_t time, uint64_t sum, uint32_t child) {
    node->time[node->n] = time;
    node->sum[node->n] = sum;
    node->child[node->n] = child;
    node->n++;
}

/* Copies `count` entries from index `first` of `from` to index `at` of `to`. Source and target may
 * overlap. */
static void move_entries(btree_node *to, uint32_t at, const btree_node *from, uint32_t first,
                         uint32_t count) {
    memmove(&to->time[at], &from->time[first], count * sizeof *to->time);
    memmove(&to->sum[at], &from->sum[first], count * sizeof *to->sum);
    memmove(&to->child[at], &from->child[first], count * sizeof *to->child);
}

static void remove_entry(btree_node *node, uint32_t at) {
    node->n--;
    move_entries(node, at, node, at + 1, node->n - at);
}

/* ---- paths ---- */

/* Extends the path from `level` down to a leaf. In every node below `level`, the path takes the
 * newest entry if `newest` is set, otherwise the oldest. */
static void descend(const btree *b, path *p, uint32_t level, bool newest) {
    while (level > 0) {
        uint32_t child = node_of(b, p, level)->child[p->level[level].at];
        level--;
        p->level[level].node = child;
        p->level[level].at = newest ? b->node[child].n - 1 : 0;
    }
}

/* Sets *p to the path to the newest range if `newest` is set, otherwise to the oldest range. There
 * must be a range. */
static void path_to_end(const btree *b, bool newest, path *p) {
    p->level[b->depth - 1].node = b->root;
    p->level[b->depth - 1].at = newest ? b->node[b->root].n - 1 : 0;
    descend(b, p, b->depth - 1, newest);
}

/* Sets *out to the path to the next newer range after `from` if `newer` is set, otherwise to the
 * next older range. Returns false if there is none. */
static bool path_step(const btree *b, const path *from, bool newer, path *out) {
    for (uint32_t level = 0; level < b->depth; level++) {
        uint32_t at = from->level[level].at;
        if (newer ? at + 1 < node_of(b, from, level)->n : at > 0) {
            *out = *from;
            out->level[level].at = newer ? at + 1 : at - 1;
            descend(b, out, level, !newer);
            return true;
        }
    }
    return false;
}

/* Adds `blocks` to the size of the range at path p and to all sums above the range. */
static void add_blocks(btree *b, const path *p, uint64_t blocks) {
    for (uint32_t level = 0; level < b->depth; level++)
        node_of(b, p, level)->sum[p->level[level].at] += blocks;
}

/* ---- removal ---- */

/* Updates the ends in the entries above the node at `level` of path p, after the end of the node's
 * last entry has changed. */
static void renew_ends(btree *b, const path *p, uint32_t level) {
    for (; level + 1 < b->depth; level++) {
        const btree_node *node = node_of(b, p, level);
        btree_node *parent = node_of(b, p, level + 1);
        uint32_t at = p->level[level + 1].at;
        parent->time[at] = node->time[node->n - 1];
        if (at != parent->n - 1)
            break;
    }
}

static bool fits_in_one(const btree *b, const btree_node *parent, uint32_t left) {
    return b->node[parent->child[left]].n + b->node[parent->child[left + 1]].n <= UNITE;
}

/* Merges the child at index `left` of `parent` with the next child. `level` is the level of the
 * children. If they are inner nodes, two of their own children become neighbors, which are merged,
 * too, if they fit into one node. */
static void unite(btree *b, btree_node *parent, uint32_t left, uint32_t level) {
    btree_node *to = &b->node[parent->child[left]], *from = &b->node[parent->child[left + 1]];
    uint32_t seam = to->n;
    move_entries(to, seam, from, 0, from->n);
    to->n += from->n;
    parent->time[left] = parent->time[left + 1];
    parent->sum[left] += parent->sum[left + 1];
    give_node(b, parent->child[left + 1]);
    remove_entry(parent, left + 1);
    if (level > 0 && fits_in_one(b, to, seam - 1))
        unite(b, to, seam - 1, level - 1);
}

/* Merges the node at `level` of path p with a neighboring sibling if they fit into one node.
 * Returns false if no sibling fits. */
static bool unite_with_sibling(btree *b, const path *p, uint32_t level) {
    btree_node *parent = node_of(b, p, level + 1);
    uint32_t at = p->level[level + 1].at;
    bool older = at > 0 && fits_in_one(b, parent, at - 1);
    if (!older && (at + 1 == parent->n || !fits_in_one(b, parent, at)))
        return false;
    unite(b, parent, older ? at - 1 : at, level);
    return true;
}

/* Replaces the root by its child while it has a single child. Removes a root that is an empty
 * leaf. */
static void lower_root(btree *b) {
    while (b->depth > 1 && b->node[b->root].n == 1) {
        uint32_t old = b->root;
        b->root = b->node[old].child[0];
        give_node(b, old);
        b->depth--;
    }
    if (b->depth == 1 && b->node[b->root].n == 0) {
        give_node(b, b->root);
        b->depth = 0;
    }
}

/* Removes the range at path p, which must have no blocks, and the nodes that become unnecessary. */
static void delete_range(btree *b, path p) {
    uint32_t level = 0;
    remove_entry(node_of(b, &p, level), p.level[level].at);
    while (node_of(b, &p, level)->n == 0 && level + 1 < b->depth) {
        give_node(b, p.level[level].node);
        level++;
        remove_entry(node_of(b, &p, level), p.level[level].at);
    }
    if (p.level[level].at == node_of(b, &p, level)->n)
        renew_ends(b, &p, level);
    while (level + 1 < b->depth && unite_with_sibling(b, &p, level))
        level++;
    lower_root(b);
    b->base.n--;
}

/* Restores the invariants after the range at path p has lost a block: removes the range if it is
 * empty, or merges it with a neighbor if they fit together. */
static void settle(btree *b, const path *p) {
    uint64_t size = node_of(b, p, 0)->sum[p->level[0].at];
    path near;
    if (size == 0) {
        delete_range(b, *p);
        return;
    }
    for (int older = 0; older < 2; older++) {
        if (!path_step(b, p, !older, &near))
            continue;
        uint64_t other = node_of(b, &near, 0)->sum[near.level[0].at];
        if (size + other > b->base.capacity)
            continue;
        /* The newer range remains. */
        const path *from = older ? &near : p, *to = older ? p : &near;
        uint64_t moved = older ? other : size;
        add_blocks(b, to, moved);
        add_blocks(b, from, -moved);
        delete_range(b, *from);
        return;
    }
}

static uint64_t remove_time(rdi_ranges *r, uint64_t time) {
    btree *b = (btree *)r;
    path p;
    uint64_t newer = 0;
    uint32_t n = b->root;
    if (b->depth == 0 || time > b->node[n].time[b->node[n].n - 1])
        return RDI_NO_RANGE;
    for (uint32_t level = b->depth; level-- > 0;) {
        btree_node *node = &b->node[n];
        uint32_t at = 0;
        for (uint32_t i = 0; i < node->n; i++)
            at += node->time[i] < time;
        for (uint32_t i = at + 1; i < node->n; i++)
            newer += node->sum[i];
        node->sum[at]--;
        p.level[level].node = n;
        p.level[level].at = at;
        n = node->child[at];
    }
    r->live--;
    settle(b, &p);
    return newer;
}

static uint64_t remove_oldest(rdi_ranges *r) {
    btree *b = (btree *)r;
    path p;
    path_to_end(b, false, &p);
    uint64_t time = node_of(b, &p, 0)->time[0];
    add_blocks(b, &p, UINT64_MAX); /* subtracts 1 modulo 2^64 */
    r->live--;
    settle(b, &p);
    return time;
}

/* ---- append ---- */

/* Adds a root with an entry for the old root, if there is one, and an entry for `child`, which has
 * one block and ends at `time`. If the tree was empty, the root is a leaf, whose entry is a range
 * and does not use `child`. */
static void raise_root(btree *b, uint64_t time, uint32_t child) {
    uint32_t root = take_node(b);
    btree_node *node = &b->node[root];
    if (b->depth > 0) {
        const btree_node *old = &b->node[b->root];
        uint64_t sum = 0;
        for (uint32_t i = 0; i < old->n; i++)
            sum += old->sum[i];
        push_entry(node, old->time[old->n - 1], sum, b->root);
    }
    push_entry(node, time, 1, child);
    b->root = root;
    b->depth++;
}

/* Adds a block that is referenced at `time` to the last entry of each level from `level` up. */
static void extend(btree *b, const path *newest, uint32_t level, uint64_t time) {
    for (; level < b->depth; level++) {
        btree_node *node = node_of(b, newest, level);
        node->time[node->n - 1] = time;
        node->sum[node->n - 1]++;
    }
}

/* Adds a range of one block at the newest end. From the leaf upwards, each level whose last node is
 * full gets a new node. */
static void push_range(btree *b, const path *newest, uint64_t time) {
    uint32_t child = 0, level = 0;
    for (; level < b->depth && node_of(b, newest, level)->n == ENTRIES; level++) {
        uint32_t fresh = take_node(b);
        push_entry(&b->node[fresh], time, 1, child);
        child = fresh;
    }
    if (level == b->depth) {
        raise_root(b, time, child);
        return;
    }
    push_entry(node_of(b, newest, level), time, 1, child);
    extend(b, newest, level + 1, time);
}

static rd_status append(rdi_ranges *r, uint64_t time) {
    btree *b = (btree *)r;
    RD_TRY(reserve(b));
    path newest;
    if (b->depth)
        path_to_end(b, true, &newest);
    r->live++;
    if (b->depth && node_of(b, &newest, 0)->sum[newest.level[0].at] < r->capacity) {
        extend(b, &newest, 0, time);
        return RD_OK;
    }
    push_range(b, &newest, time);
    rdi_ranges_count(r);
    return RD_OK;
}

/* ---- checks ---- */

/* Returns whether, along path p, each parent's entry has the sum and the end of its child, and no
 * child fits into one node with its next sibling. */
static bool check_above(const btree *b, const path *p) {
    for (uint32_t level = 0; level + 1 < b->depth; level++) {
        const btree_node *node = node_of(b, p, level), *parent = node_of(b, p, level + 1);
        uint32_t at = p->level[level + 1].at;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < node->n; i++)
            sum += node->sum[i];
        bool apart = at + 1 == parent->n || node->n + b->node[parent->child[at + 1]].n > UNITE;
        if (parent->sum[at] != sum || parent->time[at] != node->time[node->n - 1] || !apart)
            return false;
    }
    return true;
}

static bool check(const rdi_ranges *r, const char **why) {
    const btree *b = (const btree *)r;
    rdi_ranges_audit audit = {0};
    path p, next;
    if (b->depth > 0) {
        bool more = true;
        for (path_to_end(b, false, &p); more; p = next) {
            const btree_node *leaf = node_of(b, &p, 0);
            uint32_t at = p.level[0].at;
            rdi_ranges_audit_next(&audit, r, leaf->time[at], leaf->sum[at]);
            *why = "ranges: a node of the B-tree has the wrong sum or end, or should be merged";
            if (!check_above(b, &p))
                return false;
            more = path_step(b, &p, true, &next);
        }
    }
    return rdi_ranges_audit_end(&audit, r, why);
}

static void fini(rdi_ranges *r) {
    btree *b = (btree *)r;
    rdi_free(r->ctx, b->node);
}

const rdi_ranges_ops rdi_ranges_btree = {
    .state_size = sizeof(btree),
    .append = append,
    .remove = remove_time,
    .remove_oldest = remove_oldest,
    .check = check,
    .fini = fini,
};
