/* Feeds a trace in recorded order to most of the analysis, and in lockstep to the private caches
 * that find the data that threads share. The lockstep interleaving reads the trace. Its callback
 * (rd_interleave.recorded) receives the references in recorded order and feeds them to everything
 * else.
 *
 * A trace without synchronization and with one thread does not get here, so that its analysis costs
 * no more time. Recorders report a synchronization release before a second thread begins, and that
 * thread waits for the release. So no reference before the release can be interleaved. */
#include "analysis/analysis_state.h"

typedef struct beside {
    rd_analysis *a;
    const rdi_analysis_reading *r;
    rd_status status; /* status of feeding in recorded order */
} beside;

bool rdi_feed_beside_begins(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs) {
    const rd_event *events;
    size_t n = rd_trace_events(r->trace, &events);
    a->sharing_before = a->sharing_seen.first;
    rdi_threads_see(&a->sharing_seen, refs, rd_trace_has_processes(r->trace));
    for (size_t i = 0; i < n; i++)
        if (events[i].kind == RD_EVENT_SYNC_RELEASE || events[i].kind == RD_EVENT_SYNC_ACQUIRE)
            return true;
    return a->sharing_seen.several;
}

static rd_status feed_recorded(void *self, const rd_refs *refs) {
    beside *b = self;
    uint64_t total;
    rd_trace_progress(b->r->trace, &b->r->source->bytes, &total);
    b->status = rdi_feed_batch(b->a, b->r, refs);
    return b->status;
}

/* Feeds a batch in lockstep to the private caches. */
static rd_status feed_ordered(rd_analysis *a, const rdi_analysis_reading *ordered,
                              const rd_refs *refs) {
    rd_mapper_feed(ordered->mapper, refs);
    while (true) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        RD_TRY(rd_mapper_next(ordered->mapper, &blocks, &n));
        if (n == 0)
            break;
        RD_TRY(rdi_private_feed(a, ordered, refs, blocks, n));
    }
    ordered->source->references += refs->n;
    return rdi_private_end_batch(a, ordered);
}

static rd_status read_ordered(beside *b, const rdi_analysis_reading *ordered) {
    while (true) {
        const rd_refs *refs = NULL;
        rd_status status = rd_trace_read(ordered->trace, &refs);
        if (b->status != RD_OK)
            return b->status;
        if (status != RD_OK)
            return rdi_analysis_end_early(b->a, status);
        if (refs->n == 0)
            return RD_OK;
        RD_TRY(feed_ordered(b->a, ordered, refs));
    }
}

rd_status rdi_feed_beside(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *first) {
    beside b = {.a = a, .r = r};
    rd_interleave order = *a->config.sharing_interleave;
    rd_source source = {.references = r->source->references};
    rdi_analysis_reading ordered = {.name = r->name, .source = &source};
    order.size = sizeof order;
    order.recorded = feed_recorded;
    order.recorded_user = &b;
    order.first = first;
    order.before = source.references;
    order.thread = a->sharing_before;
    a->beside = true;
    rd_status status = rd_mapper_new(a->ctx, &r->mapping, &ordered.mapper);
    if (status == RD_OK)
        status = rd_trace_interleave(a->ctx, r->trace, &order, &ordered.trace);
    if (status == RD_OK)
        status = rdi_feed_batch(a, r, first);
    if (status == RD_OK)
        status = read_ordered(&b, &ordered);
    a->beside = false;
    if (ordered.trace)
        rdi_analysis_note_overflows(a, r->name, rd_trace_interleaved(ordered.trace));
    rd_trace_close(ordered.trace);
    rd_mapper_free(ordered.mapper);
    return status;
}
