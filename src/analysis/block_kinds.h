/* The kinds and threads of the references that blocks come from. */
#ifndef RDI_BLOCK_KINDS_H
#define RDI_BLOCK_KINDS_H

#include "reusedist/trace.h"

#include <stdbool.h>

/* Writes the kind of the reference of each of n blocks to `kinds`. origins[i] is the index of the
 * reference of block i in `refs`. */
void rdi_block_kinds(const rd_refs *refs, const uint32_t *origins, size_t n, uint8_t *kinds);

/* Writes the thread of the reference of each of n blocks to `threads`: the number of the process in the
 * upper 32 bits, and the number of the thread in the lower ones. If `processes` is true, the top 16 bits
 * of an address are the number of its process; otherwise all threads belong to process 0. */
void rdi_block_threads(const rd_refs *refs, const uint32_t *origins, size_t n, bool processes,
                       uint64_t *threads);

/* Tells whether references belong to several threads. An object of zeros has seen no references. */
typedef struct rdi_threads_seen {
    bool any, several;
    uint64_t first; /* if `any` is true: thread of the first reference of the last batch, numbered
                       like in rdi_block_threads() */
} rdi_threads_seen;

/* Looks at the threads of a batch. A batch without thread numbers is ignored. */
void rdi_threads_see(rdi_threads_seen *seen, const rd_refs *refs, bool processes);
/* Adds what `other` has seen. */
void rdi_threads_see_more(rdi_threads_seen *seen, const rdi_threads_seen *other);

#endif
