/* Declares the splay operation, which also works for trees whose nodes weigh more than 1. */
#ifndef RDI_TREE_SPLAY_H
#define RDI_TREE_SPLAY_H

#include "order/tree.h"

/* Makes the node of `time` the root of the tree with root n. If there is no such node, makes a
 * neighbor of `time` the root. Returns the new root. The `size` of every node must be its
 * weight. */
uint32_t rdi_tree_splay_to(rdi_tree *t, uint32_t n, uint64_t time);

#endif
