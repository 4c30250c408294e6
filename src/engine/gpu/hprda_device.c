/* Implements the backend of HP-RDA for a device: allocates memory for a round, and runs the steps
 * in order. See hprda_device.h. */
#include "engine/gpu/hprda_device.h"

#include "engine/papers/hprda.h"

#include <stdio.h>
#include <string.h>

/* The counters of a round that the host downloads. */
typedef struct report {
    rdi_rda_counts counts;
    uint32_t n_known, full;
} report;

typedef struct backend {
    rdi_rda_backend base;
    rd_ctx *ctx;
    rdi_device *device;
    rdi_device_buffer block, dist, seen, live, origin, items, buckets, counts, before;
    rdi_device_buffer all_items, all_buckets, all_before, known, report;
    rdi_room host_known;
    rdi_event *mark[4]; /* recorded before, between and after the three steps */
    char where[96];
} backend;

static void close_backend(rdi_rda_backend *base) {
    backend *b = (backend *)base;
    rdi_device *d = b->device;
    rdi_device_buffer *all[] = {&b->block,  &b->dist,      &b->seen,        &b->live,
                                &b->origin, &b->items,     &b->buckets,     &b->counts,
                                &b->before, &b->all_items, &b->all_buckets, &b->all_before,
                                &b->known,  &b->report};
    for (size_t i = 0; d && i < RDI_COUNT(all); i++)
        rdi_device_release(d, all[i]);
    for (size_t i = 0; d && i < RDI_COUNT(b->mark); i++)
        rdi_event_free(d, b->mark[i]);
    rdi_device_close(d);
    rdi_room_free(b->ctx, &b->host_known);
    rdi_free(b->ctx, b);
}

/* Makes room for `bytes` bytes on the device and sets them to zero. */
static rd_status fresh(backend *b, rdi_device_buffer *buffer, size_t bytes) {
    RD_TRY(rdi_device_reserve(b->device, buffer, bytes));
    return rdi_device_clear(b->device, RDI_STREAM_WORK, buffer->at, bytes);
}

static rd_status prepare_threads(backend *b, rdi_rda_work *w) {
    size_t n = w->n, threads = (size_t)w->groups * w->threads;
    w->words = (uint32_t)((w->chunk + (size_t)63) / 64);
    RD_TRY(rdi_device_reserve(b->device, &b->block, n * sizeof(uint64_t)));
    RD_TRY(rdi_device_reserve(b->device, &b->dist, n * sizeof(uint64_t)));
    RD_TRY(rdi_device_reserve(b->device, &b->origin, threads * w->chunk * sizeof(uint32_t)));
    RD_TRY(fresh(b, &b->seen, threads * w->slots * sizeof(uint32_t)));
    RD_TRY(fresh(b, &b->live, threads * w->words * sizeof(uint64_t)));
    w->block = b->block.at;
    w->dist = b->dist.at;
    w->origin = b->origin.at;
    w->seen = b->seen.at;
    w->live = b->live.at;
    return RD_OK;
}

static rd_status prepare_groups(backend *b, rdi_rda_work *w) {
    size_t groups = w->groups;
    w->group_buckets = rdi_rda_power(w->group_room);
    RD_TRY(rdi_device_reserve(b->device, &b->items, groups * w->group_room * sizeof *w->items));
    RD_TRY(fresh(b, &b->buckets, groups * w->group_buckets * sizeof *w->buckets));
    RD_TRY(fresh(b, &b->counts, groups * sizeof *w->counts));
    RD_TRY(fresh(b, &b->before, groups * ((size_t)w->threads + 1) * sizeof *w->before));
    w->items = b->items.at;
    w->buckets = b->buckets.at;
    w->counts = b->counts.at;
    w->before = b->before.at;
    return RD_OK;
}

static rd_status prepare_all(backend *b, rdi_rda_work *w) {
    w->n_buckets = rdi_rda_power(w->room);
    RD_TRY(rdi_device_reserve(b->device, &b->all_items, w->room * sizeof *w->all_items));
    RD_TRY(rdi_device_reserve(b->device, &b->known, w->room * sizeof *w->known));
    RD_TRY(fresh(b, &b->all_buckets, w->n_buckets * sizeof *w->all_buckets));
    RD_TRY(fresh(b, &b->all_before, ((size_t)w->groups + 1) * sizeof *w->all_before));
    RD_TRY(fresh(b, &b->report, sizeof(report)));
    report *r = b->report.at;
    w->all_items = b->all_items.at;
    w->all_buckets = b->all_buckets.at;
    w->all_before = b->all_before.at;
    w->known = b->known.at;
    w->all_counts = &r->counts;
    w->n_known = &r->n_known;
    w->full = &r->full;
    return RD_OK;
}

static rd_status run_steps(backend *b, const rdi_rda_work *w) {
    rd_status (*const steps[])(rdi_device *, const rdi_rda_work *) = {
        rdi_rda_device_local, rdi_rda_device_threads, rdi_rda_device_groups};
    RD_TRY(rdi_event_record(b->device, b->mark[0], RDI_STREAM_WORK));
    for (size_t i = 0; i < RDI_COUNT(steps); i++) {
        RD_TRY(steps[i](b->device, w));
        RD_TRY(rdi_event_record(b->device, b->mark[i + 1], RDI_STREAM_WORK));
    }
    return RD_OK;
}

static rd_status collect(backend *b, rdi_rda_round *current) {
    rdi_device *d = b->device;
    report r;
    memset(&r, 0, sizeof r);
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, &r, b->report.at, sizeof r));
    RD_TRY(rdi_device_wait(d, RDI_STREAM_WORK));
    if (r.full)
        return rdi_rda_pool_full(b->ctx, &current->shape);
    RD_TRY(rdi_room_fit(b->ctx, &b->host_known, r.n_known, sizeof(rdi_rda_item)));
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, b->host_known.at, b->known.at,
                               r.n_known * sizeof(rdi_rda_item)));
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, current->dist, b->dist.at,
                               current->n * sizeof *current->dist));
    RD_TRY(rdi_device_wait(d, RDI_STREAM_WORK));
    current->known = b->host_known.at;
    current->n_known = r.n_known;
    for (int i = 0; i < 3; i++) {
        double seconds = 0;
        RD_TRY(rdi_event_elapsed(d, b->mark[i], b->mark[i + 1], &seconds));
        b->base.seconds[RDI_RDA_LOCAL + i] += seconds;
    }
    return RD_OK;
}

static rd_status analyze(rdi_rda_backend *base, rdi_rda_round *current) {
    backend *b = (backend *)base;
    const rdi_rda_shape *s = &current->shape;
    rdi_rda_work w = {.n = current->n,
                      .chunk = s->chunk,
                      .threads = s->threads,
                      .groups = s->groups,
                      .slots = s->slots,
                      .adjust = s->adjust,
                      .group_room = s->group_room,
                      .room = s->room};
    RD_TRY(prepare_threads(b, &w));
    RD_TRY(prepare_groups(b, &w));
    RD_TRY(prepare_all(b, &w));
    RD_TRY(rdi_device_upload(b->device, RDI_STREAM_WORK, b->block.at, current->block,
                             current->n * sizeof *current->block));
    RD_TRY(run_steps(b, &w));
    return collect(b, current);
}

static rd_status open_backend(backend *b) {
    const char *why = rdi_device_unavailable();
    if (why)
        return rdi_fail(b->ctx, RD_EUNSUPPORTED,
                        "engine hprda: backend=cuda: %s; use backend=openmp", why);
    RD_TRY(rdi_device_open(b->ctx, &b->device));
    for (size_t i = 0; i < RDI_COUNT(b->mark); i++)
        RD_TRY(rdi_event_new(b->device, &b->mark[i]));
    snprintf(b->where, sizeof b->where, "%s", rdi_device_name(b->device));
    return RD_OK;
}

rd_status rdi_rda_device_open(rd_ctx *ctx, rdi_rda_backend **out) {
    backend *b = rdi_calloc(ctx, 1, sizeof *b);
    if (!b)
        return RD_ENOMEM;
    b->base = (rdi_rda_backend){.analyze = analyze, .close = close_backend, .where = b->where};
    b->ctx = ctx;
    rd_status status = open_backend(b);
    if (status != RD_OK)
        close_backend(&b->base);
    else
        *out = &b->base;
    return status;
}
