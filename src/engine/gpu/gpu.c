/* gpu: exact, on a CUDA device, billions of references per second.
 *
 * The engine collects references in batches. While the device works on one batch, the next one is
 * copied to it. A batch is sorted by block, which gives every reference its previous one. Counting
 * the inversions among previous positions then gives every distance: see exact_core.h. Later
 * batches depend only on the LRU stack, which stays on the device. It precedes the next batch as if
 * its blocks had just been referenced, oldest first, and is not counted. So the result is exact for
 * a trace of any length.
 *
 * Time: O(n) per batch except for the table, O(n^2 / 2^26). Memory: on the device about 70 bytes
 * per reference of a batch and per live block; with a bound, the stack has at most that many
 * blocks. Distances are late by a batch or two. The host only copies references; the device reads
 * pinned memory directly.
 *
 * Not for short traces, where starting the device takes longer than the analysis on one core, nor
 * for more live blocks than the device holds, which is reported.
 */
#include "engine/gpu/gpu.h"

#include "base/number.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LEAST_BATCH  ((uint64_t)1 << 22) /* references: a batch is a few milliseconds of work */
#define USUAL_BATCH  ((uint64_t)1 << 26)
#define MOST_BATCH   ((uint64_t)1 << 28)
#define STACK_SHARE  8 /* a batch has at least this many times the length of the stack */
#define STAGING      ((size_t)1 << 20) /* references per half of the pinned staging memory */
#define PIECE        ((size_t)1 << 23) /* references copied together from pinned memory */
#define PINNED_LEAST ((size_t)1 << 16) /* a shorter feed is not worth the check for pinned memory */

typedef struct gpu_engine {
    uint64_t batch_option;
    rdi_run *run;
    rdi_device *device;
    rdi_gpu_batches batches;
    /* The batch that is being filled, in device memory, and the current one. */
    rdi_device_buffer incoming[2];
    unsigned filling;
    size_t uploaded, goal; /* references sent to the device, and length of the whole batch */
    /* References that wait in pinned memory; the other half is being sent. */
    uint64_t *staging[2];
    size_t staged, staging_n;
    unsigned staging_at;
    rdi_event *sent[2];
    rdi_event *arrived;      /* the last uploaded references */
    rdi_device_buffer range; /* of all ids so far: see rdi_exact_range() */
    uint64_t *range_seen;    /* pinned */
} gpu_engine;

const rdi_gpu_costs *rdi_gpu_costs_of(const void *state) {
    const gpu_engine *e = state;
    return &e->batches.costs;
}

/* ---- sending references to the device ---- */

/* The length of the next batch. Longer batches carry their stack less often; shorter ones let the
 * device begin earlier. */
static size_t next_goal(const gpu_engine *e) {
    if (e->batch_option)
        return (size_t)e->batch_option;
    uint64_t stack = e->batches.stack_n, goal = STACK_SHARE * stack;
    uint64_t most = USUAL_BATCH > STACK_SHARE / 2 * stack ? USUAL_BATCH : STACK_SHARE / 2 * stack;
    goal = goal < most ? goal : most;
    goal = goal < MOST_BATCH ? goal : MOST_BATCH;
    return (size_t)(goal > LEAST_BATCH ? goal : LEAST_BATCH);
}

/* Uploads the next n references of the batch from pinned memory, which must stay valid until they
 * have arrived. */
static rd_status upload(gpu_engine *e, const uint64_t *refs, size_t n) {
    rdi_device_buffer *to = &e->incoming[e->filling];
    if (e->uploaded == 0)
        RD_TRY(rdi_device_reserve(e->device, to, e->goal * sizeof *refs));
    uint64_t *at = (uint64_t *)to->at + e->uploaded;
    RD_TRY(rdi_device_upload(e->device, RDI_STREAM_IN, at, refs, n * sizeof *refs));
    RD_TRY(rdi_event_record(e->device, e->arrived, RDI_STREAM_IN));
    RD_TRY(rdi_event_hold(e->device, e->arrived, RDI_STREAM_OUT));
    RD_TRY(rdi_exact_range(e->device, at, n, e->range.at));
    e->uploaded += n;
    return RD_OK;
}

/* Sends the staged references. The other half of the staging memory is free when this returns. */
static rd_status send_staged(gpu_engine *e) {
    if (e->staged == 0)
        return RD_OK;
    RD_TRY(upload(e, e->staging[e->staging_at], e->staged));
    RD_TRY(rdi_event_record(e->device, e->sent[e->staging_at], RDI_STREAM_IN));
    e->staging_at = !e->staging_at;
    e->staged = 0;
    return rdi_event_wait(e->device, e->sent[e->staging_at]);
}

static rd_status open_staging(gpu_engine *e) {
    e->staging_n = e->goal < STAGING ? e->goal : STAGING;
    for (unsigned i = 0; i < 2; i++) {
        void *pinned = NULL;
        RD_TRY(rdi_pinned_alloc(e->device, e->staging_n * sizeof(uint64_t), &pinned));
        e->staging[i] = pinned;
    }
    return RD_OK;
}

static rd_status stage(gpu_engine *e, const uint64_t *refs, size_t n) {
    if (!e->staging[1])
        RD_TRY(open_staging(e));
    while (n > 0) {
        size_t room = e->staging_n - e->staged, part = n < room ? n : room;
        memcpy(e->staging[e->staging_at] + e->staged, refs, part * sizeof *refs);
        e->staged += part;
        refs += part;
        n -= part;
        if (e->staged == e->staging_n)
            RD_TRY(send_staged(e));
    }
    return RD_OK;
}

static rd_status upload_pieces(gpu_engine *e, const uint64_t *refs, size_t n) {
    RD_TRY(send_staged(e)); /* references fed earlier come first */
    for (size_t at = 0; at < n; at += PIECE)
        RD_TRY(upload(e, refs + at, n - at < PIECE ? n - at : PIECE));
    return RD_OK;
}

/* Starts the batch when it is full, or at the end of the trace. */
static rd_status hand_over(gpu_engine *e) {
    RD_TRY(send_staged(e));
    RD_TRY(rdi_device_download(e->device, RDI_STREAM_OUT, e->range_seen, e->range.at,
                               2 * sizeof *e->range_seen));
    RD_TRY(rdi_device_wait(e->device, RDI_STREAM_OUT)); /* this also waits for all uploads */
    RD_TRY(rdi_gpu_batches_start(&e->batches, e->incoming[e->filling].at, (uint32_t)e->uploaded,
                                 ~e->range_seen[0], e->range_seen[1]));
    e->filling = !e->filling;
    e->uploaded = 0;
    e->goal = next_goal(e);
    return RD_OK;
}

/* ---- the engine ---- */

/* Allocates before the first reference if the length of the run is known, because it takes time. */
static rd_status prepare(gpu_engine *e) {
    uint64_t n = e->run->in->references;
    if (e->batch_option || n < LEAST_BATCH)
        return RD_OK;
    n = n < USUAL_BATCH ? n : USUAL_BATCH;
    for (unsigned i = 0; i < 2; i++)
        RD_TRY(rdi_device_reserve(e->device, &e->incoming[i], n * sizeof(uint64_t)));
    return rdi_gpu_batches_prepare(&e->batches, n + n / 4);
}

static rd_status gpu_open(void *self, rdi_run *run) {
    gpu_engine *e = self;
    e->run = run;
    RD_TRY(rdi_device_open(run->ctx, &e->device));
    RD_TRY(rdi_gpu_batches_open(&e->batches, run, e->device));
    void *pinned = NULL;
    RD_TRY(rdi_pinned_alloc(e->device, 2 * sizeof *e->range_seen, &pinned));
    e->range_seen = pinned;
    RD_TRY(rdi_device_reserve(e->device, &e->range, 2 * sizeof(uint64_t)));
    RD_TRY(rdi_device_clear(e->device, RDI_STREAM_OUT, e->range.at, e->range.bytes));
    RD_TRY(rdi_event_new(e->device, &e->arrived));
    for (unsigned i = 0; i < 2; i++) {
        RD_TRY(rdi_event_new(e->device, &e->sent[i]));
        RD_TRY(rdi_event_record(e->device, e->sent[i], RDI_STREAM_IN));
    }
    e->goal = next_goal(e);
    return prepare(e);
}

static rd_status gpu_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    gpu_engine *e = self;
    (void)dist;
    bool pinned = n >= PINNED_LEAST && rdi_device_is_pinned(e->device, blk);
    while (n > 0) {
        size_t room = e->goal - e->uploaded - e->staged, part = n < room ? n : room;
        RD_TRY(pinned ? upload_pieces(e, blk, part) : stage(e, blk, part));
        blk += part;
        n -= part;
        if (e->uploaded + e->staged == e->goal)
            RD_TRY(hand_over(e));
    }
    return pinned ? rdi_device_wait(e->device, RDI_STREAM_IN)
                  : RD_OK; /* the memory belongs to the caller again */
}

static rd_status gpu_finish(void *self) {
    gpu_engine *e = self;
    if (e->uploaded + e->staged > 0)
        RD_TRY(hand_over(e));
    RD_TRY(rdi_gpu_batches_finish(&e->batches));
    const rdi_gpu_costs *costs = &e->batches.costs;
    double seconds = 0;
    for (unsigned i = 0; i < RDI_GPU_STAGES; i++)
        seconds += costs->seconds[i];
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note,
                 "%s: %llu batches, %.3f s of work on the device", rdi_device_name(e->device),
                 (unsigned long long)costs->batches, seconds);
    return RD_OK;
}

static void gpu_close(void *self) {
    gpu_engine *e = self;
    rdi_device *d = e->device;
    if (!d)
        return;
    rdi_gpu_batches_close(&e->batches);
    for (unsigned i = 0; i < 2; i++) {
        rdi_device_release(d, &e->incoming[i]);
        rdi_pinned_free(d, e->staging[i], e->staging_n * sizeof(uint64_t));
        rdi_event_free(d, e->sent[i]);
    }
    rdi_event_free(d, e->arrived);
    rdi_pinned_free(d, e->range_seen, 2 * sizeof *e->range_seen);
    rdi_device_release(d, &e->range);
    rdi_device_close(d);
}

static const rd_opt options[] = {
    {.name = "batch",
     .type = RD_OPT_SIZE,
     .offset = offsetof(gpu_engine, batch_option),
     .def = "0",
     .min = 0,
     .max = 1 << 28,
     .help = "references per batch; 0: by the number of blocks"},
    {0},
};

static const char *const variants[] = {"batch=1000", "batch=64", NULL};

const rdi_engine_ops rdi_engine_gpu = {
    .info =
        {
            .name = "gpu",
            .summary = "on a CUDA device: a sort and counted inversions, a batch at a time",
            .card =
                "Copies the trace to the GPU in batches; while it works on one, the next one is\n"
                "copied. A sort finds every reference's previous one, and counting inversions\n"
                "among those gives the distances. The LRU stack stays on the device from batch to\n"
                "batch, so the result is exact for a trace of any length.\n"
                "\n"
                "Memory: on the device, about 70 bytes per reference of a batch and per block;\n"
                "a bound limits the blocks. Distances arrive a batch or two late.\n"
                "Not for short traces: starting a GPU takes a large part of a second.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(gpu_engine),
    .unavailable = rdi_device_unavailable,
    .open = gpu_open,
    .feed = gpu_feed,
    .finish = gpu_finish,
    .close = gpu_close,
};
