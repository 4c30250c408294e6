/* The kinds of the references that blocks come from. */
#ifndef RDI_BLOCK_KINDS_H
#define RDI_BLOCK_KINDS_H

#include "reusedist/trace.h"

/* Writes the kind of the reference of each of n blocks to `kinds`. origins[i] is the index of the
 * reference of block i in `refs`. */
void rdi_block_kinds(const rd_refs *refs, const uint32_t *origins, size_t n, uint8_t *kinds);

#endif
