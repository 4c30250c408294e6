/* Random hierarchies of caches, with every policy and rule. */
#ifndef RD_HIERARCHIES_H
#define RD_HIERARCHIES_H

#include "base/common.h"
#include "reusedist/hierarchy.h"

/* Makes a valid hierarchy of 1 to 5 small caches for blocks of `block_bytes` bytes. In a third of
 * all hierarchies, all caches have the default policy, fill and prefetch rules. */
void hierarchies_random(rdi_rng *rng, uint64_t block_bytes, rd_hierarchy *h);

#endif
