/* Implements the memory of nodes, and checks, for all kinds of trees. See tree.h. */
#include "order/tree.h"

#include <inttypes.h>

#define FIRST_NODES 64

rd_status rdi_tree_init(rdi_tree *t, rd_ctx *ctx) {
    *t = (rdi_tree){.ctx = ctx, .used = 1, .most = UINT32_MAX - 1};
    RD_TRY(rdi_tree_grow(t, FIRST_NODES - 1));
    t->node[0] = (rdi_tree_node){0};
    return RD_OK;
}

void rdi_tree_fini(rdi_tree *t) {
    if (t->ctx)
        rdi_free(t->ctx, t->node);
    *t = (rdi_tree){0};
}

rd_status rdi_tree_grow(rdi_tree *t, uint64_t nodes) {
    if (nodes > t->most)
        return rdi_fail(t->ctx, RD_ERANGE,
                        "the search tree needs more than %" PRIu32
                        " nodes, its limit; use engine stream",
                        t->most);
    uint64_t room = (uint64_t)t->room * 2 > nodes ? (uint64_t)t->room * 2 : nodes + 1;
    if (room > (uint64_t)t->most + 1)
        room = (uint64_t)t->most + 1;
    rdi_tree_node *grown = rdi_resize(t->ctx, t->node, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    t->node = grown;
    t->room = (uint32_t)room;
    return RD_OK;
}

/* Does the work of rdi_tree_walk(). `stack` has room for t->used nodes. The stack is explicit
 * because a splay tree may be as deep as its number of nodes. */
static bool walk(const rdi_tree *t, bool (*visit)(const rdi_tree *t, uint32_t n, void *user),
                 void *user, uint32_t *stack, const char **why) {
    uint32_t depth = 0, seen = 0;
    for (uint32_t n = t->root; n || depth; n = t->node[n].child[RDI_NEWER]) {
        for (; n; n = t->node[n].child[RDI_OLDER]) {
            *why = "tree: the links do not form a tree";
            if (n >= t->used || depth == t->used || ++seen == t->used)
                return false;
            stack[depth++] = n;
        }
        n = stack[--depth];
        *why = "tree: a node is out of order, or its sum or height is wrong";
        if (!visit(t, n, user))
            return false;
    }
    for (uint32_t n = t->free; n && seen < t->used; n = t->node[n].child[0])
        seen++;
    *why = "tree: a node is neither in the tree nor in the free list";
    return seen + 1 == t->used;
}

bool rdi_tree_walk(const rdi_tree *t, bool (*visit)(const rdi_tree *t, uint32_t n, void *user),
                   void *user, const char **why) {
    uint32_t *stack = rdi_alloc(t->ctx, t->used, sizeof *stack);
    *why = "tree: there is not enough memory for the check";
    bool sound = stack && walk(t, visit, user, stack, why);
    rdi_free(t->ctx, stack);
    return sound;
}

static bool check_entry(const rdi_tree *t, uint32_t n, void *user) {
    uint64_t *next = user; /* smallest time that the next node may have */
    bool sound = t->node[n].time >= *next && rdi_tree_weight(t, n) == 1;
    *next = t->node[n].time + 1;
    return sound;
}

bool rdi_tree_check_entries(const rdi_tree *t, const char **why) {
    uint64_t next = 0;
    return rdi_tree_walk(t, check_entry, &next, why);
}
