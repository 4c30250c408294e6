/* Reads a trace of references on one thread, batch by batch, and feeds the references to everything in
 * the analysis that uses them: the engine, private caches, the sampler, the estimator of bursts, the
 * simulation of caches, attribution and the caller's sink. */
#include "analysis/analysis_state.h"

rd_status rdi_analysis_reserve_distances(rd_analysis *a, size_t n) {
    if (n <= a->distances_room)
        return RD_OK;
    rdi_free(a->ctx, a->distances);
    a->distances_room = 0;
    if (!(a->distances = rdi_alloc(a->ctx, a->hierarchy ? 2 * n : n, sizeof *a->distances)))
        return RD_ENOMEM;
    a->distances_room = n;
    return RD_OK;
}

/* Feeds blocks with their distances to attribution, and then to the simulation of caches, if there is
 * one, with tags by which attribution recognizes the references that miss. */
static rd_status attribute(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs,
                           const uint64_t *blocks, size_t n) {
    const uint32_t *origins = rd_mapper_origins(r->mapper);
    uint64_t *tags = a->hierarchy ? a->distances + n : NULL;
    rd_attributed batch = {refs, origins, blocks, a->distances, n, tags};
    RD_TRY(rdi_attribution_feed_blocks(a->attribution, &batch));
    return a->hierarchy ? rdi_hierarchy_feed_blocks(a->hierarchy, refs, origins, blocks,
                                                    a->distances, tags, n)
                        : RD_OK;
}

/* Feeds the private caches and the engine, as far as the analysis has them, and keeps the distances if
 * they are needed. */
static rd_status feed_engine(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs,
                             const uint64_t *blocks, size_t n) {
    if (a->sharing && !a->beside) {
        RD_TRY(rdi_analysis_reserve_distances(a, n));
        RD_TRY(rdi_private_feed(a, r, refs, blocks, n));
    }
    if (!a->engine)
        return RD_OK;
    if (!rdi_analysis_wants_distances(a))
        return rd_engine_feed(a->engine, blocks, n, NULL);
    RD_TRY(rdi_analysis_reserve_distances(a, n));
    return rd_engine_feed(a->engine, blocks, n, a->distances);
}

/* Feeds `n` blocks that the mapper has just returned for the batch `refs`. */
static rd_status feed_blocks(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs,
                             const uint64_t *blocks, size_t n) {
    a->progress.block_references += n;
    if (a->config.blocks)
        RD_TRY(a->config.blocks(a->config.blocks_user, blocks, n));
    RD_TRY(feed_engine(a, r, refs, blocks, n));
    if (a->hierarchy && !a->attribution)
        RD_TRY(rdi_hierarchy_feed_blocks(a->hierarchy, refs, rd_mapper_origins(r->mapper), blocks,
                                         a->distances, NULL, n));
    if (a->sampler)
        rd_sampler_feed(a->sampler, blocks, a->distances, n);
    if (a->bursts)
        rdi_bursts_feed(a->bursts, r->source->references, rd_mapper_origins(r->mapper),
                        a->distances, n);
    return a->attribution ? attribute(a, r, refs, blocks, n) : RD_OK;
}

static rd_status feed_references(rd_analysis *a, const rdi_analysis_reading *r,
                                 const rd_refs *refs) {
    if (a->attribution)
        RD_TRY(rdi_attribution_feed_refs(a->attribution, r->trace, r->source->references, refs));
    if (a->hierarchy)
        rdi_threads_see(&a->threads_seen, refs, rd_trace_has_processes(r->trace));
    rd_mapper_feed(r->mapper, refs);
    while (true) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        rd_status status = rd_mapper_next(r->mapper, &blocks, &n);
        if (status != RD_OK) {
            rdi_fail(a->ctx, status, "%s: %s", r->name, rd_last_error(a->ctx));
            return rdi_analysis_end_early(a, status);
        }
        if (n == 0 && !a->beside)
            RD_TRY(rdi_private_end_batch(a, r));
        if (n == 0)
            return a->attribution ? rdi_attribution_feed_refs_end(a->attribution) : RD_OK;
        RD_TRY(feed_blocks(a, r, refs, blocks, n));
    }
}

rd_status rdi_feed_batch(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs) {
    RD_TRY(feed_references(a, r, refs));
    return rdi_analysis_tell_read(a, r, refs->n);
}

rd_status rdi_feed_plain(rd_analysis *a, const rdi_analysis_reading *r) {
    while (true) {
        const rd_refs *refs = NULL;
        uint64_t total;
        rd_status status = rd_trace_read(r->trace, &refs);
        rd_trace_progress(r->trace, &r->source->bytes, &total);
        if (status != RD_OK)
            return rdi_analysis_end_early(a, status);
        if (refs->n == 0)
            return RD_OK;
        if (r->source->references == 0 && !r->joined) {
            RD_TRY(rdi_private_check(a, r, refs->fields));
            rdi_analysis_note_columns(a, r, refs->fields);
        }
        if (rdi_analysis_has_own_order(a) && rdi_feed_beside_begins(a, r, refs))
            return rdi_feed_beside(a, r, refs);
        RD_TRY(rdi_feed_batch(a, r, refs));
    }
}
