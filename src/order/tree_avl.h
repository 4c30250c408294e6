/* Height-balanced trees of weighted times, used by the `avl` and the `holes` tree. */
#ifndef RDI_TREE_AVL_H
#define RDI_TREE_AVL_H

#include "order/tree.h"

/* Adds a node for a time that is not in the tree; the caller has reserved the room. */
void rdi_avl_insert(rdi_tree *t, uint64_t time, uint64_t weight);

/* Removes the node of `time`, which must exist. Returns the weight of all newer nodes. */
uint64_t rdi_avl_remove(rdi_tree *t, uint64_t time);

/* Whether the heights of node n and its children are consistent, for tests. */
bool rdi_avl_is_balanced(const rdi_tree *t, uint32_t n);

#endif
