/* Reads a trace of requests on one thread, and feeds them to an object cache, batch by batch. */
#include "analysis/analysis_state.h"
#include "base/number.h"

#include <inttypes.h>
#include <time.h>

#define BATCH_MAX 4096  /* number of requests whose sizes are converted at a time */
#define MANY      65536 /* with fewer objects, most memory does not depend on their number */

static rd_status fail_trace(rd_analysis *a, const rdi_analysis_reading *r) {
    bool ids = rd_trace_has_ids(r->trace);
    return rdi_fail(a->ctx, RD_EINVAL,
                    ids ? "%s: this trace has no object sizes, which --weight=bytes needs; name "
                          "the column, for example with -f csv:size=3"
                        : "%s: this trace has addresses, not object ids; analyze it without "
                          "--weight=bytes: its caches have sizes in bytes already",
                    r->name);
}

/* Feeds a batch whose object sizes are 32-bit numbers in refs->size: converts them to 64 bits, at most
 * BATCH_MAX at a time. */
static rd_status feed_narrow(rd_analysis *a, const rd_refs *refs, rd_requests requests) {
    uint64_t bytes[BATCH_MAX];
    rd_requests part = requests;
    for (size_t at = 0; at < refs->n; at += part.n) {
        part.n = refs->n - at < BATCH_MAX ? refs->n - at : BATCH_MAX;
        for (size_t i = 0; i < part.n; i++)
            bytes[i] = refs->size[at + i];
        part.bytes = bytes;
        part.id = requests.id + at;
        part.time = requests.time ? requests.time + at : NULL;
        part.lifetime = requests.lifetime ? requests.lifetime + at : NULL;
        part.operation = requests.operation ? requests.operation + at : NULL;
        RD_TRY(rd_objects_feed(a->objects, &part, NULL));
    }
    return RD_OK;
}

/* Returns the line number of request `index` (from 0) in a newly opened trace. Returns 0 if the
 * line is unknown, because a line of the request's batch has no request or several requests. */
static uint64_t line_in(rd_trace *t, uint64_t index) {
    const rd_refs *refs = NULL;
    uint64_t line = rd_trace_line(t);
    while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0) {
        if (index < refs->n)
            return rd_trace_line(t) - line == refs->n ? line + index + 1 : 0;
        index -= refs->n;
        line = rd_trace_line(t);
    }
    return 0;
}

/* Fails with `status` after rd_objects_feed() has refused a request of a batch. Puts the file's name
 * before the last message, and also the line if reading the file again finds it. `before` is the number
 * of requests before the batch. */
static rd_status refuse_request(rd_analysis *a, const rdi_analysis_reading *r, uint64_t before,
                                rd_status status) {
    char message[256];
    rd_trace *again = NULL;
    uint64_t index = rd_objects_requests(a->objects) - before, line = 0;
    rdi_snprintf(message, sizeof message, "%s", rd_last_error(a->ctx));
    bool known = r->is_file && status == RD_ERANGE && a->config.objects->sample_rate == 0;
    if (known && rd_trace_open(a->ctx, r->name, a->config.format, &again) == RD_OK &&
        rd_trace_select(again, RD_REQUEST_FIELDS) == RD_OK)
        line = line_in(again, r->source->references + index);
    rd_trace_close(again);
    if (line)
        return rdi_fail(a->ctx, status, "%s: line %" PRIu64 ": %s", r->name, line, message);
    return rdi_fail(a->ctx, status, "%s: %s", r->name, message);
}

static rd_status feed_batch(rd_analysis *a, const rdi_analysis_reading *r, const rd_refs *refs) {
    rd_requests requests = {.n = refs->n,
                            .id = refs->addr,
                            .bytes = refs->more[RD_MORE_BYTES],
                            .time = refs->more[RD_MORE_TIME],
                            .lifetime = refs->more[RD_MORE_LIFETIME],
                            .operation = refs->more[RD_MORE_OPERATION]};
    uint64_t before = rd_objects_requests(a->objects);
    rd_status status = requests.bytes ? rd_objects_feed(a->objects, &requests, NULL)
                                      : feed_narrow(a, refs, requests);
    if (status == RD_EINVAL || status == RD_ERANGE)
        return refuse_request(a, r, before, status);
    return status;
}

static rd_status feed_all(rd_analysis *a, const rdi_analysis_reading *r) {
    RD_TRY(rd_trace_select(r->trace, RD_REQUEST_FIELDS));
    for (bool first = true;; first = false) {
        const rd_refs *refs = NULL;
        uint64_t total;
        rd_status status = rd_trace_read(r->trace, &refs);
        rd_trace_progress(r->trace, &r->source->bytes, &total);
        if (status != RD_OK)
            return rdi_analysis_end_early(a, status);
        if (refs->n == 0)
            return RD_OK;
        if (!rd_trace_has_ids(r->trace) || !(refs->size || refs->more[RD_MORE_BYTES]))
            return fail_trace(a, r);
        if (first && refs->more[RD_MORE_LIFETIME] && !refs->more[RD_MORE_TIME])
            rdi_analysis_note(a, RD_NOTE_WARNING,
                              "%s: the requests have lifetimes but no times, so no object expires; "
                              "name the column, for example with -f csv:time=1",
                              r->name);
        RD_TRY(feed_batch(a, r, refs));
        a->progress.block_references += refs->n;
        RD_TRY(rdi_analysis_tell_read(a, r, refs->n));
    }
}

rd_status rdi_feed_objects(rd_analysis *a, const rdi_analysis_reading *r) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    rd_status status = feed_all(a, r);
    clock_gettime(CLOCK_MONOTONIC, &to);
    a->own_seconds +=
        (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
    return status;
}

static void note_count(const rd_analysis *a, uint64_t count, const char *who, const char *what) {
    if (count)
        rdi_analysis_note(a, RD_NOTE_CHOICE, "%" PRIu64 " %s%s %s", count, who,
                          count == 1 ? " has" : "s have", what);
}

void rdi_note_objects(const rd_analysis *a, const rd_profile *profile) {
    const rd_objects_facts *f = rd_profile_objects(profile);
    note_count(a, f->backwards, "request",
               "a time before that of an earlier request; the latest time so far counts instead");
    note_count(a, f->empty, "request", "a size of 0; an object of size 0 fits into every cache");
    note_count(a, f->unlimited, "write",
               "a lifetime of 0; an object with lifetime 0 never expires");
    if (f->objects >= MANY)
        rdi_analysis_note(a, RD_NOTE_CHOICE, "%" PRIu64 " objects, %.0f bytes of memory per object",
                          f->objects, (double)rd_ctx_peak_bytes(a->ctx) / (double)f->objects);
    else
        rdi_analysis_note(a, RD_NOTE_CHOICE, "%" PRIu64 " object%s", f->objects,
                          f->objects == 1 ? "" : "s");
}
