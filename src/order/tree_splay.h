/* Splaying, for trees whose nodes weigh more than 1 as well. */
#ifndef RDI_TREE_SPLAY_H
#define RDI_TREE_SPLAY_H

#include "order/tree.h"

/* The tree n with the node of `time` as its root; when there is none, a neighbour in time. Nodes
 * weigh node[n].size. */
uint32_t rdi_tree_splay_to(rdi_tree *t, uint32_t n, uint64_t time);

#endif
