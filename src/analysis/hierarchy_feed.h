/* Feeds the blocks of an analysis, with the kinds of their references, to the simulation of
 * caches. */
#ifndef RDI_HIERARCHY_FEED_H
#define RDI_HIERARCHY_FEED_H

#include "base/common.h"
#include "reusedist/analysis.h"

typedef struct rdi_hierarchy_feed rdi_hierarchy_feed;

#define RDI_ORDER_ROOM 40

/* Writes the name of an order of the references of threads: "lockstep:N" with N references per
 * turn, or "recorded" if `interleave` is NULL. */
void rdi_name_order(const rd_interleave *interleave, char order[RDI_ORDER_ROOM]);

/* Makes a simulation of config->hierarchy for blocks of `block_bytes` bytes. `exact` is true if the
 * exact reuse distance of each reference is available, without a bound. `misses` receives every
 * miss; NULL: there is no receiver. If config->threads is larger than 1, `misses` is NULL and the
 * caches are not private, the simulation runs on a thread of its own. `processes` is the argument
 * of rdi_block_threads() for private caches. */
rd_status rdi_hierarchy_feed_new(rd_ctx *ctx, const rd_analysis_config *config,
                                 uint64_t block_bytes, bool exact, rd_miss_sink misses,
                                 void *misses_user, bool processes, rdi_hierarchy_feed **out);

/* Returns whether the simulation needs the reuse distances of all references. Returns false if `f` is
 * NULL. */
bool rdi_hierarchy_feed_wants_distances(const rdi_hierarchy_feed *f);

/* Feeds `n` blocks. origins[i] is the index of the reference of blocks[i] in `refs`. `distances` is
 * used if rdi_hierarchy_feed_wants_distances() returns true. `tags` has the tag of each reference,
 * which the receiver of misses gets; it is not used without a receiver. A failure of the other thread
 * may be reported by a later call. */
rd_status rdi_hierarchy_feed_blocks(rdi_hierarchy_feed *f, const rd_refs *refs,
                                    const uint32_t *origins, const uint64_t *blocks,
                                    const uint64_t *distances, const uint64_t *tags, size_t n);
/* References to simulate. */
typedef struct rdi_simulated {
    const uint64_t *blocks;
    const uint64_t *distances; /* used if rdi_hierarchy_feed_wants_distances() returns true, else
                                  NULL */
    const uint8_t *kinds;
    size_t n;
} rdi_simulated;

/* Maximum number of calls of rdi_hierarchy_feed_start() whose references may not be simulated yet when
 * the last of these calls returns. */
#define RDI_SIMULATED_LATER 6

/* Feeds references. If the simulation has its own thread, that thread simulates them while the caller
 * continues, and the caller must keep the arrays unchanged until RDI_SIMULATED_LATER more calls or
 * rdi_hierarchy_feed_wait() have returned. The function must not be used with a receiver of misses or
 * with private caches. */
rd_status rdi_hierarchy_feed_start(rdi_hierarchy_feed *f, const rdi_simulated *refs);
/* Waits until the references of all earlier calls of rdi_hierarchy_feed_start() are simulated. */
rd_status rdi_hierarchy_feed_wait(rdi_hierarchy_feed *f);

/* Stores the result in the profile. `repeats` references were only counted; all of them hit in the
 * innermost cache. */
rd_status rdi_hierarchy_feed_finish(rdi_hierarchy_feed *f, uint64_t repeats, rd_profile *profile);
void rdi_hierarchy_feed_free(rdi_hierarchy_feed *f); /* NULL is allowed */

#endif
