/* Declares functions for AVL trees whose nodes have weights. The `avl` and the `holes` tree use
 * them. */
#ifndef RDI_TREE_AVL_H
#define RDI_TREE_AVL_H

#include "order/tree.h"

/* Adds a node of weight `weight` for `time`, which must not be in the tree. The caller must have
 * reserved room for the node. */
void rdi_avl_insert(rdi_tree *t, uint64_t time, uint64_t weight);

/* Removes the node of `time` and returns the weight of all newer nodes. If there is no such node,
 * returns RDI_NOT_LIVE and changes nothing. */
uint64_t rdi_avl_remove(rdi_tree *t, uint64_t time);

/* Returns whether node n satisfies the AVL invariant, for tests: the heights of its subtrees differ
 * by at most one, and its own height is that of the higher subtree plus 1. */
bool rdi_avl_is_balanced(const rdi_tree *t, uint32_t n);

#endif
