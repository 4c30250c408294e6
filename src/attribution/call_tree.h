/* Makes the tree of calling contexts. */
#ifndef RDI_CALL_TREE_H
#define RDI_CALL_TREE_H

#include "attribution/attributor.h"

/* Stores the tree of calling contexts, or NULL if no reference had a context. a->contexts has the
 * counts of the contexts, and `total` the counts of the whole profile. The result is in `arena`. */
rd_status rdi_call_tree_make(const rd_attributor *a, const rd_share *total, rdi_arena *arena,
                             rdi_arena *scratch, const rd_contexts **out);

#endif
