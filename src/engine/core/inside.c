/* Runs engines inside engines: immediate engines that analyze a chunk or a sample of the trace for
 * another engine. */
#include "engine/core/engine_state.h"

#include <string.h>

rd_status rdi_engine_order(rd_engine *e, rdi_block_visit visit, void *user) {
    if (!e->ops->chunk)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED, "cannot hand over its state");
    return e->ops->chunk->order(e->state, visit, user);
}

rd_status rdi_engine_measure(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances) {
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(e->ops->feed(e->state, blocks + at, part, distances + at));
    }
    return RD_OK;
}

/* Counts a batch of at most RDI_FEED_MAX references, for an engine that does not count distances
 * itself. Before counting, passes the blocks with infinite distances to run.first. */
static rd_status count_batch(rd_engine *e, const uint64_t *blocks, size_t n) {
    uint64_t first[RDI_FEED_MAX];
    size_t n_first = 0;
    RD_TRY(e->ops->feed(e->state, blocks, n, e->dist));
    for (size_t i = 0; i < n; i++) {
        first[n_first] = blocks[i];
        n_first += e->dist[i] == RD_COLD;
    }
    if (n_first)
        RD_TRY(e->run.first(e->run.first_user, first, n_first));
    return rdi_hist_add(e->run.out.hist, e->dist, n);
}

rd_status rdi_engine_count(rd_engine *e, const uint64_t *blocks, size_t n, rdi_block_visit first,
                           void *user) {
    e->run.first = first;
    e->run.first_user = user;
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(e->run.out.counter == RDI_ENGINE_COUNTS
                   ? e->ops->feed(e->state, blocks + at, part, NULL)
                   : count_batch(e, blocks + at, part));
    }
    return RD_OK;
}

rd_status rdi_engine_take(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *newer) {
    return n ? e->ops->chunk->take(e->state, blocks, n, newer) : RD_OK;
}

rd_status rdi_engine_restart(rd_engine *e) {
    bool can_restart = e->ops->chunk && e->ops->chunk->restart;
    return can_restart ? e->ops->chunk->restart(e->state) : rdi_engine_reopen(e);
}

rd_status rdi_engine_reopen(rd_engine *e) {
    if (e->ops->finish) /* some engines that count distances themselves add them to the histogram
                           only in finish() */
        RD_TRY(e->ops->finish(e->state));
    e->ops->close(e->state);
    memcpy(e->state, e->fresh, e->ops->state_size);
    return e->ops->open(e->state, &e->run);
}

uint64_t rdi_engine_bound(const rd_engine *e) {
    return e->run.out.bound == UINT64_MAX ? 0 : e->run.out.bound;
}

void *rdi_engine_state(rd_engine *e) {
    return e->state;
}

rdi_hist *rdi_engine_hist(rd_engine *e) {
    return e->run.out.hist;
}
