/* Counts the coherence misses that private caches of threads have in the recorded order, beside an
 * analysis in lockstep. The number does not depend on the size of the caches, so no distances are
 * needed: a thread has a block or has lost it. */
#ifndef RDI_RECORDED_ORDER_H
#define RDI_RECORDED_ORDER_H

#include "base/common.h"
#include "reusedist/trace.h"

typedef struct rdi_recorded_order rdi_recorded_order;

/* If `processes` is true, the top 16 bits of an address identify its process. */
rd_status rdi_recorded_order_new(rd_ctx *ctx, const rd_mapping *mapping, bool processes,
                                 rdi_recorded_order **out);
/* Counts the coherence misses of a batch. This function is an rd_refs_sink; `self` is an
 * rdi_recorded_order. */
rd_status rdi_recorded_order_feed(void *self, const rd_refs *refs);
/* Returns the number of coherence misses so far. */
uint64_t rdi_recorded_order_misses(const rdi_recorded_order *r);
void rdi_recorded_order_free(rdi_recorded_order *r);

#endif
