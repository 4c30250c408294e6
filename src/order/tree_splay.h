/* The splay operation, also for trees whose nodes weigh more than 1. */
#ifndef RDI_TREE_SPLAY_H
#define RDI_TREE_SPLAY_H

#include "order/tree.h"

/* Makes the node of `time` the root of the tree n, or one of its neighbors in time if there is no
 * such node. Returns the new root. The weight of node n is node[n].size. */
uint32_t rdi_tree_splay_to(rdi_tree *t, uint32_t n, uint64_t time);

#endif
