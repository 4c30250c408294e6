/* Feeds blocks with their references to private caches, one per thread, beside an engine or instead of
 * one. */
#include "analysis/analysis_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

rd_status rdi_private_open(rd_analysis *a, const rd_trace *trace) {
    if (!rdi_analysis_wants_sharing(a) || a->sharing)
        return RD_OK;
    char order[RDI_ORDER_ROOM];
    rdi_name_order(
        rdi_analysis_has_own_order(a) ? a->config.sharing_interleave : a->config.interleave, order);
    rd_sharing_config config = {.size = sizeof config,
                                .block_bytes = a->block_bytes,
                                .binning = a->config.binning,
                                .details = a->config.sharing,
                                .details_only = a->config.stacks != RD_STACKS_PRIVATE,
                                .processes = rd_trace_has_processes(trace),
                                .interleave = order};
    return rd_sharing_new(a->ctx, &config, &a->sharing);
}

rd_status rdi_private_check(const rd_analysis *a, const rdi_analysis_reading *r, uint32_t fields) {
    if (!a->sharing && !rdi_analysis_has_private_caches(a))
        return RD_OK;
    if (rd_trace_has_ids(r->trace))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "%s: this trace has object ids, but private caches need the addresses that "
                        "threads load and store; name the columns, for example with "
                        "-f csv:addr=1,size=2,kind=3,thread=4",
                        r->name);
    if (!(fields & RD_FIELD_THREAD))
        return rdi_fail(
            a->ctx, RD_EINVAL,
            "%s: this trace has no thread numbers, which private caches need; record it "
            "with 'reusedist record --thread', or name the column of a text trace, for "
            "example with -f csv:addr=1,size=2,kind=3,thread=4",
            r->name);
    if (!(fields & RD_FIELD_KIND))
        return rdi_fail(a->ctx, RD_EINVAL,
                        "%s: this trace does not say which references store, which private caches "
                        "need; name the column of a text trace, for example with "
                        "-f csv:addr=1,size=2,kind=3,thread=4",
                        r->name);
    return RD_OK;
}

static double seconds_since(const struct timespec *from) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) + (double)(now.tv_nsec - from->tv_nsec) * 1e-9;
}

/* Passes the distances of n references in a->distances to the sink. A coherence miss becomes
 * RD_COLD, because its distance counts as infinite, like that of a first reference. */
static rd_status deliver(rd_analysis *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        a->distances[i] = a->distances[i] == RD_MISS_COHERENCE ? RD_COLD : a->distances[i];
    return a->sink ? a->sink(a->sink_user, a->distances, n) : RD_OK;
}

/* Passes the events that come before block reference `at`, and sets *end to the end of the run of block
 * references from `at` on that have no event between them. */
static rd_status pass_events(rd_analysis *a, const rdi_analysis_reading *r, const uint32_t *origins,
                             size_t n, size_t at, size_t *end) {
    const rd_event *events;
    uint64_t first = r->source->references;
    size_t n_events = a->config.sharing ? rd_trace_events(r->trace, &events) : 0;
    while (a->next_event < n_events && events[a->next_event].at <= first + origins[at])
        RD_TRY(rd_sharing_event(a->sharing, &events[a->next_event++]));
    *end = n;
    if (a->next_event < n_events)
        for (*end = at; *end < n && first + origins[*end] < events[a->next_event].at;)
            ++*end;
    return RD_OK;
}

static rd_status feed_run(rd_analysis *a, const rd_sharing_batch *batch) {
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    RD_TRY(rd_sharing_feed(a->sharing, batch));
    a->own_seconds += seconds_since(&from);
    return RD_OK;
}

rd_status rdi_private_feed(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs,
                           const uint64_t *blocks, size_t n) {
    bool wanted = !a->engine && (rdi_analysis_wants_distances(a) || a->sink);
    const uint32_t *origins = rd_mapper_origins(r->mapper);
    for (size_t at = 0, end; at < n; at = end) {
        RD_TRY(pass_events(a, r, origins, n, at, &end));
        rd_sharing_batch run = {.refs = refs,
                                .origins = origins + at,
                                .blocks = blocks + at,
                                .n = end - at,
                                .distances = wanted ? a->distances + at : NULL};
        RD_TRY(feed_run(a, &run));
    }
    return wanted ? deliver(a, n) : RD_OK;
}

rd_status rdi_private_end_batch(rd_analysis *a, const rdi_analysis_reading *r) {
    const rd_event *events;
    size_t n = a->sharing && a->config.sharing ? rd_trace_events(r->trace, &events) : 0;
    while (a->next_event < n)
        RD_TRY(rd_sharing_event(a->sharing, &events[a->next_event++]));
    a->next_event = 0;
    return RD_OK;
}
