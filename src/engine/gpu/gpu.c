/* gpu: measures exact distances on a CUDA device, at billions of references per second.
 *
 * The engine collects references in rounds. While the device works on one round, the engine copies
 * the next round to the device. A round is sorted by block, which gives every reference its
 * previous reference. Counting the inversions among previous positions then gives every distance:
 * see exact_core.h. A round depends on earlier rounds only through the LRU stack, which stays on
 * the device. The stack precedes the references of the round as if its blocks had just been
 * referenced, oldest first; these positions are not counted. So the result is exact for a trace of
 * any length.
 *
 * Time: O(n + n^2 / 2^26) for a round of n references and live blocks, where the second term is for
 * the table. Memory: about 70 bytes on the device per reference of a round and per live block. With
 * a bound B, the stack has at most B blocks. Distances are late by a round or two. The host
 * only copies references. The device reads pinned memory directly.
 *
 * Do not use it for short traces, because starting the device takes longer than analyzing them on
 * one core. It cannot analyze traces with more live blocks than fit into device memory; it then
 * reports this and fails.
 */
#include "engine/gpu/gpu.h"

#include "base/number.h"
#include "base/threads.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Minimum automatic length of a round in references, a few milliseconds of work. */
#define LEAST_ROUND ((uint64_t)1 << 22)
#define USUAL_ROUND ((uint64_t)1 << 26)
#define MOST_ROUND  ((uint64_t)1 << 28)
/* Number of references in a round per block of the stack, as long as the length of the round stays
 * within the limits above. */
#define STACK_SHARE 8
/* Maximum number of references in each of the two pinned staging buffers. */
#define STAGING   ((size_t)1 << 20)
#define COPY_REFS ((size_t)1 << 23) /* maximum number of references per copy */
/* A feed of fewer references than this is staged without a check for pinned memory. */
#define PINNED_LEAST ((size_t)1 << 16)

typedef struct gpu_engine {
    uint64_t round_option;
    rdi_run *run;
    /* Opens the device, which takes a large part of a second, while the caller reads references. */
    rdi_background *opening;
    rd_status opened; /* status of opening the device, valid after rdi_background_wait(opening) */
    rdi_device *device;
    rdi_gpu_rounds rounds;
    /* Device memory of two rounds: incoming[filling] is being filled, and the current round uses
     * the other one. */
    rdi_device_buffer incoming[2];
    unsigned filling;
    size_t uploaded, goal; /* number of references of the round sent to the device so far, and
                              length of the whole round */
    /* Pinned memory: references wait in staging[staging_at] while the other staging buffer is being
     * sent. */
    uint64_t *staging[2];
    size_t staged, staging_n;
    unsigned staging_at;
    rdi_event *sent[2];
    rdi_event *arrived;      /* recorded after the latest upload */
    rdi_device_buffer range; /* range of all ids so far, see rdi_exact_range() */
    uint64_t *range_seen;    /* copy of `range` in pinned host memory */
} gpu_engine;

const rdi_gpu_costs *rdi_gpu_costs_of(const void *state) {
    const gpu_engine *e = state;
    return &e->rounds.costs;
}

/* ---- sending references to the device ---- */

/* Returns the length of the next round. With long rounds the stack is processed less often; with
 * short rounds the device can begin earlier. */
static size_t next_goal(const gpu_engine *e) {
    if (e->round_option)
        return (size_t)e->round_option;
    uint64_t stack = e->rounds.stack_n, goal = STACK_SHARE * stack;
    uint64_t most = USUAL_ROUND > STACK_SHARE / 2 * stack ? USUAL_ROUND : STACK_SHARE / 2 * stack;
    goal = goal < most ? goal : most;
    goal = goal < MOST_ROUND ? goal : MOST_ROUND;
    return (size_t)(goal > LEAST_ROUND ? goal : LEAST_ROUND);
}

/* Uploads the next n references of the round from pinned memory, and extends the range of ids to
 * the ids of these references. The pinned memory must stay valid until the references have
 * arrived. */
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

/* Sends the staged references. When the function returns, the other staging buffer is free. */
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

static rd_status upload_pinned(gpu_engine *e, const uint64_t *refs, size_t n) {
    RD_TRY(send_staged(e)); /* references that were fed earlier come first */
    for (size_t at = 0; at < n; at += COPY_REFS)
        RD_TRY(upload(e, refs + at, n - at < COPY_REFS ? n - at : COPY_REFS));
    return RD_OK;
}

/* Starts the collected round on the device, and begins to collect the next round. */
static rd_status hand_over(gpu_engine *e) {
    RD_TRY(send_staged(e));
    RD_TRY(rdi_device_download(e->device, RDI_STREAM_OUT, e->range_seen, e->range.at,
                               2 * sizeof *e->range_seen));
    RD_TRY(rdi_device_wait(e->device, RDI_STREAM_OUT)); /* this also waits for all uploads */
    RD_TRY(rdi_gpu_rounds_start(&e->rounds, e->incoming[e->filling].at, (uint32_t)e->uploaded,
                                ~e->range_seen[0], e->range_seen[1]));
    e->filling = !e->filling;
    e->uploaded = 0;
    e->goal = next_goal(e);
    return RD_OK;
}

/* ---- the engine ---- */

/* Allocates device memory before the first reference if the trace is known to be long, because
 * allocating takes time. */
static rd_status prepare(gpu_engine *e) {
    uint64_t n = e->run->in->references;
    if (e->round_option || n < LEAST_ROUND)
        return RD_OK;
    n = n < USUAL_ROUND ? n : USUAL_ROUND;
    for (unsigned i = 0; i < 2; i++)
        RD_TRY(rdi_device_reserve(e->device, &e->incoming[i], n * sizeof(uint64_t)));
    return rdi_gpu_rounds_prepare(&e->rounds, n + n / 4);
}

static rd_status open_all(gpu_engine *e) {
    RD_TRY(rdi_device_open(e->run->ctx, &e->device));
    RD_TRY(rdi_gpu_rounds_open(&e->rounds, e->run, e->device));
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

static void begin_opening(void *arg) {
    gpu_engine *e = arg;
    e->opened = open_all(e);
}

/* Waits until open_all() has ended, and returns its status. */
static rd_status ready(const gpu_engine *e) {
    rdi_background_wait(e->opening);
    return e->opened;
}

static rd_status gpu_open(void *self, rdi_run *run) {
    gpu_engine *e = self;
    e->run = run;
    RD_TRY(rdi_background_new(run->ctx, &e->opening));
    rdi_background_start(e->opening, begin_opening, e);
    return RD_OK;
}

static rd_status gpu_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    gpu_engine *e = self;
    (void)dist;
    RD_TRY(ready(e));
    bool pinned = n >= PINNED_LEAST && rdi_device_is_pinned(e->device, blk);
    while (n > 0) {
        size_t room = e->goal - e->uploaded - e->staged, part = n < room ? n : room;
        RD_TRY(pinned ? upload_pinned(e, blk, part) : stage(e, blk, part));
        blk += part;
        n -= part;
        if (e->uploaded + e->staged == e->goal)
            RD_TRY(hand_over(e));
    }
    return pinned ? rdi_device_wait(e->device, RDI_STREAM_IN)
                  : RD_OK; /* waits for uploads, because the caller may change the memory later */
}

static bool gpu_pin(void *self, void *memory, size_t bytes) {
    gpu_engine *e = self;
    return ready(e) == RD_OK && rdi_device_pin(e->device, memory, bytes);
}

static void gpu_unpin(void *self, void *memory) {
    gpu_engine *e = self;
    rdi_device_unpin(e->device, memory);
}

static rd_status gpu_finish(void *self) {
    gpu_engine *e = self;
    RD_TRY(ready(e));
    if (e->uploaded + e->staged > 0)
        RD_TRY(hand_over(e));
    RD_TRY(rdi_gpu_rounds_finish(&e->rounds));
    const rdi_gpu_costs *costs = &e->rounds.costs;
    double seconds = 0;
    for (unsigned i = 0; i < RDI_GPU_STAGES; i++)
        seconds += costs->seconds[i];
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note, "%s worked for %.3f s in %llu round%s",
                 rdi_device_name(e->device), seconds, (unsigned long long)costs->rounds,
                 costs->rounds == 1 ? "" : "s");
    return RD_OK;
}

static void gpu_close(void *self) {
    gpu_engine *e = self;
    rdi_background_free(e->opening); /* waits until the device is open */
    rdi_device *d = e->device;
    if (!d)
        return;
    rdi_gpu_rounds_close(&e->rounds);
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
     .offset = offsetof(gpu_engine, round_option),
     .def = "0",
     .min = 0,
     .max = 1 << 28,
     .help = "references per round; 0: automatic, from the number of blocks"},
    {0},
};

static const char *const variants[] = {"batch=1000", "batch=64", NULL};

const rdi_engine_ops rdi_engine_gpu = {
    .info =
        {
            .name = "gpu",
            .summary =
                "runs on a CUDA device: sorts each round of references and counts inversions",
            .card =
                "The engine copies the trace to the GPU in rounds; while the GPU works on a\n"
                "round, the next one is copied. A sort finds the previous reference to each\n"
                "block, and counting inversions gives the distances. The LRU stack stays on the\n"
                "device from round to round, so the result is exact for a trace of any length.\n"
                "\n"
                "Memory: on the device, about 70 bytes per reference of a round and per block;\n"
                "a bound limits the blocks. Distances arrive a round or two late.\n"
                "Do not use it for short traces: starting a GPU takes a large part of a second.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(gpu_engine),
    .unavailable = rdi_device_unavailable,
    .open = gpu_open,
    .feed = gpu_feed,
    .pin = gpu_pin,
    .unpin = gpu_unpin,
    .finish = gpu_finish,
    .close = gpu_close,
};
