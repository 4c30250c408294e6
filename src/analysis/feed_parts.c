/* Lets the engine read the trace itself, one part per thread or process. */
#include "analysis/analysis_state.h"

/* Returns whether the engine can read parts of this trace: the trace must be the only input and a file
 * that can be read from any point, and nothing else may need its blocks. With config.partial the engine
 * cannot do this, because only a sequential reader has a result for the references before damage. */
bool rdi_feed_parts_is_possible(const rd_analysis *a, const rdi_analysis_reading *r) {
    bool alone = a->n_inputs == 1 && r->is_file && !a->config.partial;
    return alone && !rdi_analysis_wants_blocks(a) && rd_engine_takes_parts(a->engine) &&
           rd_trace_count(r->trace) > 0;
}

/* Reports progress. The readers do not count bytes, so the bytes are assumed to be proportional to
 * the references. An engine may read some references twice, so their number is limited to that of
 * the trace. */
static rd_status tell(void *user, uint64_t references, uint64_t block_references) {
    rd_analysis *a = user;
    uint64_t most = a->parts.references;
    rd_progress progress = {.references = references < most ? references : most,
                            .block_references = block_references,
                            .total_bytes = a->progress.total_bytes};
    progress.bytes =
        (uint64_t)((double)progress.references / (double)most * (double)a->progress.total_bytes);
    return rdi_analysis_tell(a, &progress);
}

rd_status rdi_feed_parts(rd_analysis *a, const rdi_analysis_reading *r) {
    uint64_t references = rd_trace_count(r->trace), bytes, total;
    a->parts_text = rdi_trace_parts_describe(a->ctx, r->name, a->config.format, &r->mapping);
    if (!a->parts_text)
        return RD_ENOMEM;
    a->parts = rdi_trace_parts;
    a->parts.references = references;
    a->parts.what = a->parts_text;
    a->parts.user = &a->watch;
    rd_trace_progress(r->trace, &bytes, &total);
    r->source->references = a->progress.references = references;
    r->source->bytes = total; /* the engine reads the whole file */
    rdi_parts_watch_start(&a->watch, tell, a, rdi_ctx_processes(a->ctx));
    return rd_engine_feed_parts(a->engine, &a->parts);
}

rd_status rd_analysis_serve(rd_cluster *c) {
    return rd_cluster_serve(c, &rdi_trace_parts);
}
