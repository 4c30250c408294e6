/* Feeds attribution with references, the events between them and distances, in the order in which
 * they happened. On request, this module also measures distances in words. */
#ifndef RDI_ATTRIBUTION_FEED_H
#define RDI_ATTRIBUTION_FEED_H

#include "base/common.h"
#include "reusedist/analysis.h"

typedef struct rdi_attribution_feed rdi_attribution_feed;

/* `caches` is the number of simulated caches whose misses rdi_attribution_feed_misses() gets. */
rd_status rdi_attribution_feed_new(rd_ctx *ctx, const rd_attribution_config *config,
                                   const rd_mapping *mapping, uint64_t bound, size_t caches,
                                   rdi_attribution_feed **out);
/* Hands over a batch of references as read from the trace, before they are mapped. `first` is the
 * index in the trace of the first reference of the batch. */
rd_status rdi_attribution_feed_refs(rdi_attribution_feed *f, const rd_trace *trace, uint64_t first,
                                    const rd_refs *refs);
/* Hands over block references of the batch that rdi_attribution_feed_refs() received last, in
 * order, with their distances. */
rd_status rdi_attribution_feed_blocks(rdi_attribution_feed *f, const rd_attributed *batch);
/* Hands over misses of simulated caches. This is an rd_miss_sink; `user` is the feed. */
rd_status rdi_attribution_feed_misses(void *user, const rd_miss *misses, size_t n);
/* Ends the batch: hands over the events after its last block reference. */
rd_status rdi_attribution_feed_refs_end(rdi_attribution_feed *f);
/* Adds the results to the profile, which must be complete except for these results. */
rd_status rdi_attribution_feed_finish(rdi_attribution_feed *f, rd_profile *profile);
void rdi_attribution_feed_free(rdi_attribution_feed *f); /* NULL is allowed */

#endif
