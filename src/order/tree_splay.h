/* Splaying, also for trees whose nodes weigh more than 1. */
#ifndef RDI_TREE_SPLAY_H
#define RDI_TREE_SPLAY_H

#include "order/tree.h"

/* Makes the node of `time` the root of the tree n; if there is none, one of its neighbors in time.
 * The weight of a node is node[n].size. */
uint32_t rdi_tree_splay_to(rdi_tree *t, uint32_t n, uint64_t time);

#endif
