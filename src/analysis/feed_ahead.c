/* Feeds from a file that several threads decode ahead. The caller's thread feeds the engine in
 * order. */
#include "analysis/analysis_state.h"
#include "analysis/read_ahead.h"

/* Maximum number of blocks per feed of an immediate engine; progress is reported after each feed. A
 * late engine receives whole batches, because it only collects them. */
#define FEED_BLOCKS ((size_t)1 << 17)

/* Returns whether decoding ahead is possible and useful: the trace is a file that can be read from
 * any point, there are several threads, and nothing except the simulation of caches needs more than
 * the blocks. Nothing may need distances. config.mem_bytes must be 0, because the limit of the
 * engine does not include the memory of decoders. The trace must be longer than a slice, because
 * one thread reads a shorter trace before decoders have started. */
bool rdi_feed_ahead_is_possible(const rd_analysis *a, const rdi_analysis_reading *r) {
    const rd_analysis_config *c = &a->config;
    return r->is_file && c->threads > 1 && !c->mem_bytes && !rdi_analysis_wants_references(a) &&
           !rdi_analysis_wants_distances(a) && rd_trace_count(r->trace) > RDI_READ_AHEAD_SLICE;
}

/* Sets the counts of the source to the counts before the batch (`before`) plus the fraction `share`
 * of the batch's counts, and updates the progress. So if the analysis is canceled inside a batch,
 * the counts cover the references that were fed. */
static void account(rd_analysis *a, const rdi_analysis_reading *r, const rd_source *before,
                    const rdi_read_ahead_batch *batch, double share) {
    rd_source *source = r->source;
    uint64_t references = before->references + (uint64_t)(share * (double)batch->references);
    a->progress.references += references - source->references;
    source->references = references;
    source->bytes = before->bytes + (uint64_t)(share * (double)(batch->bytes - before->bytes));
    a->progress.bytes = a->bytes_before + source->bytes;
}

/* Feeds n blocks of a batch, from index `at` on, to the engine and the simulation of caches, which
 * may continue on its own thread. */
static rd_status feed_blocks(rd_analysis *a, const rdi_read_ahead_batch *batch, size_t at,
                             size_t n) {
    rdi_simulated refs = {batch->blocks + at, NULL, batch->kinds ? batch->kinds + at : NULL, n};
    if (a->hierarchy)
        RD_TRY(rdi_hierarchy_feed_start(a->hierarchy, &refs));
    return rd_engine_feed(a->engine, batch->blocks + at, n, NULL);
}

static rd_status feed_batch(rd_analysis *a, const rdi_analysis_reading *r,
                            const rdi_read_ahead_batch *batch) {
    const rd_source before = *r->source;
    rdi_threads_see_more(&a->threads_seen, &batch->threads);
    bool late = rd_engine_info_of(a->engine)->caps & RD_CAP_LATE;
    for (size_t at = 0, n; at < batch->n; at += n) {
        n = late || batch->n - at < FEED_BLOCKS ? batch->n - at : FEED_BLOCKS;
        RD_TRY(feed_blocks(a, batch, at, n));
        a->progress.block_references += n;
        account(a, r, &before, batch, (double)(at + n) / (double)batch->n);
        rd_status status = rdi_analysis_tell(a, &a->progress);
        if (status != RD_OK)
            return rdi_analysis_end_early(a, status);
    }
    account(a, r, &before, batch, 1);
    /* The read-ahead counts batches to know which of them are simulated. */
    return a->hierarchy && batch->n == 0 ? rdi_hierarchy_feed_wait(a->hierarchy) : RD_OK;
}

static rd_status feed_all(rd_analysis *a, const rdi_analysis_reading *r, rdi_read_ahead *ahead) {
    while (true) {
        const rdi_read_ahead_batch *batch = NULL;
        rd_status status = rdi_read_ahead_next(ahead, &batch);
        if (status != RD_OK)
            return rdi_analysis_end_early(a, status);
        if (!batch)
            return RD_OK;
        RD_TRY(feed_batch(a, r, batch));
    }
}

/* Feeds a trace that decoders read ahead. If there is no memory or no thread for decoders, the
 * caller's thread reads the trace alone. */
rd_status rdi_feed_ahead(rd_analysis *a, const rdi_analysis_reading *r) {
    rdi_read_ahead_config config = {.path = r->name,
                                    .format = a->config.format,
                                    .mapping = r->mapping,
                                    .references = rd_trace_count(r->trace),
                                    .slice = RDI_READ_AHEAD_SLICE,
                                    .engine = a->engine,
                                    .kept = a->hierarchy ? RDI_SIMULATED_LATER : 0,
                                    .processes = rd_trace_has_processes(r->trace),
                                    .decoders = a->config.threads};
    rdi_read_ahead *ahead = NULL;
    if (rdi_read_ahead_open(a->ctx, &config, &ahead) != RD_OK)
        return rdi_feed_plain(a, r);
    rd_status status = feed_all(a, r, ahead);
    rd_status simulated = a->hierarchy ? rdi_hierarchy_feed_wait(a->hierarchy) : RD_OK;
    rdi_read_ahead_close(ahead);
    return status == RD_OK ? simulated : status;
}
