/* Joins traces: reads them one after the other as one trace. See rd_trace_join() in reusedist/trace.h.
 *
 * Events are copied, because the events after the last reference of a trace are delivered with the first
 * batch of the next trace, when their own trace may be closed. */
#include "base/sized.h"
#include "trace/events.h"
#include "trace/lookup.h"

#include <string.h>

typedef struct join_reader {
    rdi_reader *r;
    rd_join config;
    rd_trace *now;        /* the trace that is being read; NULL: none, or all were read */
    uint64_t before;      /* number of references of the finished traces */
    uint64_t here;        /* number of references of `now` that were read */
    uint64_t done, total; /* bytes of the finished traces */
    uint64_t skipped;     /* counts of the finished traces, see rdi_format_ops.omitted */
    uint64_t repeats;
    rdi_event_list events;
    rd_status failed; /* the status of config.batch(); if it failed, reading fails with this status
                         after the references that it accepted */
} join_reader;

static uint64_t add_skipped(uint64_t a, uint64_t b) {
    return a == UINT64_MAX || b == UINT64_MAX ? UINT64_MAX : a + b;
}

/* Adds the counts of the current trace to those of the finished traces, and gets the next trace. */
static rd_status next_trace(join_reader *j) {
    uint64_t done = 0, total = 0;
    rd_trace_progress(j->now, &done, &total);
    j->done += done;
    j->total += total;
    j->skipped = add_skipped(j->skipped, rd_trace_skipped(j->now));
    j->repeats += rd_trace_repeats(j->now);
    j->before += j->here;
    j->here = 0;
    j->now = NULL;
    return j->config.next(j->config.user, &j->now);
}

/* Gets the first trace now, because the joined trace has the format of this trace. */
static rd_status join_open(void *self, rdi_reader *r) {
    join_reader *j = self;
    j->r = r;
    j->config = *(const rd_join *)r->source;
    j->events.ctx = r->ctx;
    r->source = NULL; /* *source ends with the call of rd_trace_join() */
    RD_TRY(next_trace(j));
    if (!j->now)
        return rdi_fail(r->ctx, RD_EINVAL, "there is no trace to join");
    r->info = rd_trace_format(j->now);
    r->ids = rd_trace_has_ids(j->now);
    r->hex_ids = rd_trace_has_hex_ids(j->now);
    r->requests = rd_trace_request_fields(j->now);
    r->processes = rd_trace_has_processes(j->now);
    return RD_OK;
}

/* Adds the events of the batch that was just read, with their positions in the joined trace. */
static rd_status add_events(join_reader *j) {
    const rd_event *events;
    size_t n = rd_trace_events(j->now, &events);
    for (size_t i = 0; i < n; i++) {
        rd_event moved = events[i];
        moved.at += j->before;
        RD_TRY(rdi_event_list_add(&j->events, &moved, moved.path ? strlen(moved.path) : 0));
    }
    return RD_OK;
}

static void tell_progress(join_reader *j) {
    uint64_t done = 0, total = 0;
    rd_trace_progress(j->now, &done, &total);
    j->r->done = j->done + done;
    j->r->total = j->total + total;
    j->r->never_began = j->now && rd_trace_never_began(j->now);
}

/* Delivers a batch, as far as config.batch() accepts it. */
static rd_status deliver(join_reader *j, const rd_refs *batch, rd_refs *refs) {
    *refs = *batch;
    if (j->config.batch)
        j->failed = j->config.batch(j->config.user, refs);
    j->here += refs->n;
    while (j->failed != RD_OK && j->r->event_count > 0 &&
           j->r->events[j->r->event_count - 1].at > j->before + j->here)
        j->r->event_count--;
    return refs->n > 0 ? RD_OK : j->failed;
}

static rd_status join_read(void *self, rd_refs *refs) {
    join_reader *j = self;
    const rd_refs *batch = NULL;
    if (j->failed != RD_OK)
        return j->failed;
    rdi_event_list_clear(&j->events);
    while (j->now) {
        RD_TRY(rd_trace_read(j->now, &batch));
        RD_TRY(add_events(j));
        if (batch->n > 0)
            break;
        RD_TRY(next_trace(j));
    }
    tell_progress(j);
    j->r->events = j->events.items;
    j->r->event_count = j->events.n;
    return j->now ? deliver(j, batch, refs) : RD_OK;
}

static void join_omitted(const void *self, uint64_t *skipped, uint64_t *repeats) {
    const join_reader *j = self;
    *skipped = add_skipped(j->skipped, rd_trace_skipped(j->now));
    *repeats = j->repeats + rd_trace_repeats(j->now);
}

static void join_close(void *self) {
    join_reader *j = self;
    rdi_event_list_free(&j->events);
}

static const rdi_format_ops join_ops = {
    .info =
        {
            .name = "joined",
            .summary = "several traces, one after the other",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD |
                      RD_REQUEST_FIELDS | RD_FIELD_EVENTS | RD_FIELD_SYNC | RD_FIELD_CONTEXT,
        },
    .state_size = sizeof(join_reader),
    .open = join_open,
    .read = join_read,
    .omitted = join_omitted,
    .close = join_close,
};

rd_status rd_trace_join(rd_ctx *ctx, const rd_join *config, rd_trace **out) {
    RDI_NEED(ctx, ctx, config, out);
    rd_join known;
    RD_TRY(rdi_sized_copy(ctx, "rd_join", config, &known, sizeof known));
    if (!known.next)
        return rdi_fail(ctx, RD_EINVAL, "rd_trace_join: rd_join.next is NULL");
    return rdi_trace_open_from(ctx, &join_ops, &known, out);
}
