/* Functions of height-balanced trees with weighted times, which the `avl` and the `holes` tree
 * use. */
#ifndef RDI_TREE_AVL_H
#define RDI_TREE_AVL_H

#include "order/tree.h"

/* Adds a node for a time that is not in the tree. The caller must have reserved room for it. */
void rdi_avl_insert(rdi_tree *t, uint64_t time, uint64_t weight);

/* Removes the node of `time`, which must exist. Returns the weight of all newer nodes. */
uint64_t rdi_avl_remove(rdi_tree *t, uint64_t time);

/* Returns whether the heights of node n and of its children are consistent, for tests. */
bool rdi_avl_is_balanced(const rdi_tree *t, uint32_t n);

#endif
