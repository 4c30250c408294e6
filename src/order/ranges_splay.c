/* Keeps ranges in a splay tree. The range that contains a block's last reference becomes the root,
 * and the weight of the newer subtree is then the estimated distance. Neighboring ranges are
 * linked, so no search is needed to find out whether two of them can be merged. See ranges.h. */
#include "order/ranges.h"
#include "order/tree_splay.h"

typedef struct neighbors {
    uint32_t near[2]; /* the older and the newer neighbor; 0: none */
} neighbors;

typedef struct splay_ranges {
    rdi_ranges base;
    rdi_tree tree;
    neighbors *link; /* the neighbors of each node; has room for `room` nodes */
    uint32_t room;
    uint32_t newest, oldest;
} splay_ranges;

/* Makes room for one more node. Initializes the tree first if necessary. */
static rd_status reserve(splay_ranges *s) {
    if (!s->tree.ctx)
        RD_TRY(rdi_tree_init(&s->tree, s->base.ctx));
    RD_TRY(rdi_tree_reserve(&s->tree, s->base.n + 1));
    if (s->room >= s->tree.room)
        return RD_OK;
    neighbors *grown = rdi_resize(s->base.ctx, s->link, s->tree.room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    s->link = grown;
    s->room = s->tree.room;
    return RD_OK;
}

static rd_status append(rdi_ranges *r, uint64_t time) {
    splay_ranges *s = (splay_ranges *)r;
    rdi_tree *t = &s->tree;
    RD_TRY(reserve(s));
    uint32_t last = t->root = rdi_tree_splay_to(t, t->root, UINT64_MAX);
    r->live++;
    if (last && t->node[last].size < r->capacity) {
        t->node[last].time = time;
        t->node[last].size++;
        t->node[last].sum++;
        return RD_OK;
    }
    uint32_t n = rdi_tree_take(t, time, r->live);
    t->node[n].size = 1;
    t->node[n].child[RDI_OLDER] = last;
    t->root = s->newest = n;
    s->link[n] = (neighbors){{last, 0}};
    *(last ? &s->link[last].near[RDI_NEWER] : &s->oldest) = n;
    rdi_ranges_count(r);
    return RD_OK;
}

static void unlink_node(splay_ranges *s, uint32_t n) {
    uint32_t older = s->link[n].near[RDI_OLDER], newer = s->link[n].near[RDI_NEWER];
    *(older ? &s->link[older].near[RDI_NEWER] : &s->oldest) = newer;
    *(newer ? &s->link[newer].near[RDI_OLDER] : &s->newest) = older;
    rdi_tree_give(&s->tree, n);
    s->base.n--;
}

/* Removes the root. The next newer range gets the remaining blocks of the root, if there are
 * any. */
static void dissolve_root(splay_ranges *s) {
    rdi_tree *t = &s->tree;
    uint32_t n = t->root;
    rdi_tree_node gone = t->node[n];
    if (!gone.child[RDI_NEWER]) {
        t->root = gone.child[RDI_OLDER];
    } else {
        t->root = rdi_tree_splay_to(t, gone.child[RDI_NEWER], 0);
        t->node[t->root].child[RDI_OLDER] = gone.child[RDI_OLDER];
        t->node[t->root].size += gone.size;
        t->node[t->root].sum = gone.sum;
    }
    unlink_node(s, n);
}

/* Merges the next older range into the root. */
static void absorb_older(splay_ranges *s) {
    rdi_tree *t = &s->tree;
    rdi_tree_node *root = &t->node[t->root];
    uint32_t older = rdi_tree_splay_to(t, root->child[RDI_OLDER], UINT64_MAX);
    root->child[RDI_OLDER] = t->node[older].child[RDI_OLDER];
    root->size += t->node[older].size;
    unlink_node(s, older);
}

/* Removes one block from the root. Then removes the root if it is empty, or merges it with a
 * neighbor if they fit into one range. */
static void shrink_root(splay_ranges *s) {
    rdi_tree *t = &s->tree;
    rdi_tree_node *root = &t->node[t->root];
    const uint32_t *near = s->link[t->root].near;
    root->size--;
    root->sum--;
    s->base.live--;
    uint64_t room = s->base.capacity - root->size;
    if (root->size == 0 || (near[RDI_NEWER] && t->node[near[RDI_NEWER]].size <= room))
        dissolve_root(s);
    else if (near[RDI_OLDER] && t->node[near[RDI_OLDER]].size <= room)
        absorb_older(s);
}

static uint64_t remove_time(rdi_ranges *r, uint64_t time) {
    splay_ranges *s = (splay_ranges *)r;
    rdi_tree *t = &s->tree;
    if (!s->newest || time > t->node[s->newest].time)
        return RDI_NO_RANGE;
    t->root = rdi_tree_splay_to(t, t->root, time);
    if (t->node[t->root].time < time) /* the search found the next older range instead */
        t->root = rdi_tree_splay_to(t, t->root, t->node[s->link[t->root].near[RDI_NEWER]].time);
    uint64_t newer = t->node[t->node[t->root].child[RDI_NEWER]].sum;
    shrink_root(s);
    return newer;
}

static uint64_t remove_oldest(rdi_ranges *r) {
    splay_ranges *s = (splay_ranges *)r;
    uint64_t time = s->tree.node[s->oldest].time;
    s->tree.root = rdi_tree_splay_to(&s->tree, s->tree.root, time);
    shrink_root(s);
    return time;
}

typedef struct check_state {
    const splay_ranges *s;
    rdi_ranges_audit audit;
    uint32_t previous;
} check_state;

static bool check_node(const rdi_tree *t, uint32_t n, void *user) {
    check_state *c = user;
    rdi_ranges_audit_next(&c->audit, &c->s->base, t->node[n].time, t->node[n].size);
    bool linked = c->s->link[n].near[RDI_OLDER] == c->previous &&
                  (c->previous == 0 || c->s->link[c->previous].near[RDI_NEWER] == n);
    c->previous = n;
    return linked && rdi_tree_weight(t, n) == t->node[n].size;
}

static bool check(const rdi_ranges *r, const char **why) {
    const splay_ranges *s = (const splay_ranges *)r;
    if (!s->tree.ctx) /* no block was ever added */
        return true;
    check_state c = {.s = s};
    if (!rdi_tree_walk(&s->tree, check_node, &c, why))
        return false;
    *why = "ranges: `newest` is not the newest range";
    return rdi_ranges_audit_end(&c.audit, r, why) && c.previous == s->newest;
}

static void fini(rdi_ranges *r) {
    splay_ranges *s = (splay_ranges *)r;
    rdi_tree_fini(&s->tree);
    rdi_free(r->ctx, s->link);
}

const rdi_ranges_ops rdi_ranges_splay = {
    .state_size = sizeof(splay_ranges),
    .append = append,
    .remove = remove_time,
    .remove_oldest = remove_oldest,
    .check = check,
    .fini = fini,
};
