/* The tree of holes. It stores ranges of times that are not live instead of the live times.
 *
 * Every past time is live or in a hole, so the number of live times after t is the number of times
 * after t minus the total length of the holes after t. If reuse is near in time, holes soon merge,
 * and the tree has far fewer nodes than there are blocks. Every hole except the last is followed by
 * a live time, so there is at most one more hole than live times. An operation takes O(log holes)
 * time.
 *
 * G. Almasi, C. Cascaval, D. A. Padua. Calculating stack distances efficiently. Workshop on Memory
 * System Performance, 2002.
 */
#include "order/tree_avl.h"

static uint64_t live(const rdi_tree *t) {
    return t->end - t->node[t->root].sum;
}

/* Adds `time`, and makes room for the hole that it may become later, so that remove() cannot fail.
 * Until the next append, the number of holes never exceeds the number of live times right after
 * this append. */
static rd_status append(rdi_tree *t, uint64_t time) {
    RD_TRY(rdi_tree_reserve(t, live(t) + 1));
    t->end = time + 1;
    return RD_OK;
}

/* The place of a time among the holes. */
typedef struct place {
    /* The newest hole that begins before the time, and the oldest hole that begins at the time or
     * later; 0: none. */
    uint32_t before, after;
    uint64_t newer; /* total length of all holes that begin at the time or later */
} place;

static place find_place(const rdi_tree *t, uint64_t time) {
    const rdi_tree_node *node = t->node;
    place p = {0};
    for (uint32_t n = t->root; n;) {
        if (time > node[n].time) {
            p.before = n;
            n = node[n].child[RDI_NEWER];
        } else {
            p.after = n;
            p.newer += node[n].sum - node[node[n].child[RDI_OLDER]].sum;
            n = node[n].child[RDI_OLDER];
        }
    }
    return p;
}

/* Returns whether `time`, whose place is *p, is in a hole. */
static bool is_hole(const rdi_tree *t, const place *p, uint64_t time) {
    uint64_t end = p->before ? t->node[p->before].time + rdi_tree_weight(t, p->before) : 0;
    return time < end || (p->after && t->node[p->after].time == time);
}

/* Adds `by` to the length of the hole that begins at `first`, and to the sums above it. */
static void lengthen(rdi_tree *t, uint64_t first, uint64_t by) {
    rdi_tree_node *node = t->node;
    uint32_t n = t->root;
    for (; node[n].time != first; n = node[n].child[first > node[n].time])
        node[n].sum += by;
    node[n].sum += by;
}

static uint64_t remove_time(rdi_tree *t, uint64_t time) {
    place p = find_place(t, time);
    if (time >= t->end || is_hole(t, &p, time))
        return RDI_NOT_LIVE;
    uint64_t newer = t->end - 1 - time - p.newer;
    uint64_t first = t->node[p.before].time; /* first time of the hole before `time` */
    bool touches_before = p.before && first + rdi_tree_weight(t, p.before) == time;
    bool touches_after = p.after && t->node[p.after].time == time + 1;
    if (touches_before && touches_after) {
        uint64_t length = rdi_tree_weight(t, p.after);
        rdi_avl_remove(t, time + 1);
        lengthen(t, first, length + 1);
    } else if (touches_before) {
        lengthen(t, first, 1);
    } else if (touches_after) {
        t->node[p.after].time = time; /* there is no hole in between, so the order stays valid */
        lengthen(t, time, 1);
    } else {
        rdi_avl_insert(t, time, 1);
    }
    return newer;
}

static uint64_t remove_oldest(rdi_tree *t) {
    uint32_t n = t->root;
    while (t->node[n].child[RDI_OLDER])
        n = t->node[n].child[RDI_OLDER];
    bool at_start = n && t->node[n].time == 0;
    uint64_t time = at_start ? rdi_tree_weight(t, n) : 0;
    remove_time(t, time);
    return time;
}

static bool check_hole(const rdi_tree *t, uint32_t n, void *user) {
    uint64_t *next = user; /* smallest time at which the next hole may begin */
    uint64_t first = t->node[n].time, length = rdi_tree_weight(t, n);
    bool sound = first >= *next && length > 0 && first + length <= t->end;
    *next = first + length + 1; /* adjacent holes would have been merged */
    return sound && rdi_avl_is_balanced(t, n);
}

static bool check(const rdi_tree *t, const char **why) {
    uint64_t next = 0;
    return rdi_tree_walk(t, check_hole, &next, why);
}

const rdi_tree_ops rdi_tree_holes = {
    .append = append,
    .remove = remove_time,
    .remove_oldest = remove_oldest,
    .live = live,
    .check = check,
};
