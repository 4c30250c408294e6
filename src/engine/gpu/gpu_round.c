/* Runs the rounds of the gpu engine on the device: memory, stages, and the LRU stack that one round
 * leaves to the next. */
#include "engine/gpu/gpu.h"

#include "profile/binning.h"

#include <inttypes.h>

/* Maximum number of positions in a round. The histogram of the buckets of this many positions still
 * fits in shared memory. */
#ifndef RDI_GPU_POSITIONS /* a test defines fewer positions */
#define RDI_GPU_POSITIONS (1u << 29)
#endif
#define MOST_POSITIONS ((uint64_t)RDI_GPU_POSITIONS)
#define DELIVERY       ((size_t)1 << 18) /* maximum number of distances per download */
#define ROOM_SHARE     0.9               /* largest fraction of the free device memory to use */

/* ---- opening and closing ---- */

static rdi_exact_bins bins_of(rd_binning binning) {
    uint64_t width = binning.kind == RD_BINS_FULL ? 1 : binning.param;
    if (binning.kind == RD_BINS_FULL || binning.kind == RD_BINS_LINEAR)
        return (rdi_exact_bins){.width = width < UINT32_MAX ? (uint32_t)width : UINT32_MAX};
    /* Every other kind of bins is made of log-linear bins. */
    uint32_t from = (uint32_t)rdi_loglinear_width(binning);
    return (rdi_exact_bins){from, (uint32_t)rdi_bit_width(from) - 1, from};
}

rd_status rdi_gpu_rounds_open(rdi_gpu_rounds *g, rdi_run *run, rdi_device *device) {
    g->run = run;
    g->device = device;
    g->counts.bins = bins_of(rdi_hist_binning(run->out.hist));
    for (size_t i = 0; i < RDI_COUNT(g->mark); i++)
        RD_TRY(rdi_event_new(device, &g->mark[i]));
    void *pinned = NULL;
    RD_TRY(rdi_pinned_alloc(device, sizeof *g->stack_out_n, &pinned));
    g->stack_out_n = pinned;
    if (run->in->distances) {
        RD_TRY(rdi_pinned_alloc(device, DELIVERY * sizeof *g->delivery, &pinned));
        g->delivery = pinned;
    }
    RD_TRY(rdi_device_reserve(device, &g->numbers, 2 * sizeof(uint64_t)));
    return rdi_device_clear(device, RDI_STREAM_WORK, g->numbers.at, g->numbers.bytes);
}

void rdi_gpu_rounds_close(rdi_gpu_rounds *g) {
    rdi_device *d = g->device;
    if (!d)
        return;
    rdi_device_buffer *const buffers[] = {
        &g->stack[0],  &g->stack[1], &g->keys[0], &g->keys[1],    &g->values[0],
        &g->values[1], &g->links,    &g->rows,    &g->panels,     &g->beside,
        &g->distances, &g->scratch,  &g->sums,    &g->references, &g->numbers,
    };
    for (size_t i = 0; i < RDI_COUNT(buffers); i++)
        rdi_device_release(d, buffers[i]);
    for (size_t i = 0; i < RDI_COUNT(g->mark); i++)
        rdi_event_free(d, g->mark[i]);
    rdi_pinned_free(d, g->stack_out_n, sizeof *g->stack_out_n);
    rdi_pinned_free(d, g->delivery, DELIVERY * sizeof *g->delivery);
}

/* ---- counts ---- */

/* Returns the number of bins that distances below n need. */
static uint32_t bins_below(const rdi_gpu_rounds *g, uint64_t n) {
    uint64_t most = n < g->run->in->bound ? n : g->run->in->bound;
    return rdi_exact_bin(g->counts.bins, (uint32_t)(most - 1)) + 1;
}

static rd_status add_bins(rdi_gpu_rounds *g, const uint64_t *references, const uint64_t *sums) {
    rdi_exact_bins bins = g->counts.bins;
    for (uint32_t i = 0; i < g->counts.n; i++) {
        if (references[i] == 0)
            continue;
        bool log = bins.log_below && i <= bins.base;
        uint64_t low =
            log ? (i ? UINT64_C(1) << (i - 1) : 0) : (uint64_t)(i - bins.base) * bins.width;
        rdi_u128 sum = log ? 0 : (rdi_u128)low * references[i];
        sum += bins.width > 1 ? sums[i] : 0;
        RD_TRY(rdi_hist_add_bin(g->run->out.hist, low, references[i], rdi_sum_narrow(sum)));
    }
    return RD_OK;
}

static rd_status download_bins(rdi_gpu_rounds *g, uint64_t *references, uint64_t *sums) {
    size_t bytes = g->counts.n * sizeof *references;
    rdi_stream s = RDI_STREAM_WORK;
    RD_TRY(rdi_device_download(g->device, s, references, g->references.at, bytes));
    if (g->counts.bins.width > 1)
        RD_TRY(rdi_device_download(g->device, s, sums, g->sums.at, bytes));
    return rdi_device_wait(g->device, s);
}

/* Adds the counts of the device to the histogram of the run. */
static rd_status drain_bins(rdi_gpu_rounds *g) {
    rd_ctx *ctx = g->run->ctx;
    if (g->counts.n == 0)
        return RD_OK;
    uint64_t *references = rdi_alloc(ctx, g->counts.n, sizeof *references);
    uint64_t *sums = rdi_alloc(ctx, g->counts.bins.width > 1 ? g->counts.n : 1, sizeof *sums);
    rd_status status = references && sums ? download_bins(g, references, sums) : RD_ENOMEM;
    if (status == RD_OK)
        status = add_bins(g, references, sums);
    rdi_free(ctx, sums);
    rdi_free(ctx, references);
    g->counts.n = 0;
    return status;
}

/* Makes room for the bins of all distances in a round of n positions, unless distances are
 * requested. */
static rd_status fit_bins(rdi_gpu_rounds *g, uint64_t n) {
    uint32_t bins = bins_below(g, n);
    if (bins <= g->counts.n || g->run->in->distances)
        return RD_OK;
    RD_TRY(drain_bins(g));
    size_t bytes = bins * sizeof(uint64_t);
    RD_TRY(rdi_device_reserve(g->device, &g->references, bytes));
    RD_TRY(rdi_device_clear(g->device, RDI_STREAM_WORK, g->references.at, g->references.bytes));
    if (g->counts.bins.width > 1) {
        RD_TRY(rdi_device_reserve(g->device, &g->sums, bytes));
        RD_TRY(rdi_device_clear(g->device, RDI_STREAM_WORK, g->sums.at, g->sums.bytes));
    }
    g->counts.n = bins;
    return RD_OK;
}

/* ---- memory ---- */

/* A device buffer, and the number of bytes that a round needs in it. */
typedef struct needs {
    rdi_device_buffer *buffer;
    uint64_t bytes;
} needs;

#define MOST_NEEDS 12

static size_t list_needs(rdi_gpu_rounds *g, rdi_exact_shape s, needs *list) {
    uint64_t n = s.n;
    bool wanted = g->run->in->distances;
    const needs all[] = {
        {&g->keys[0], n * sizeof(uint64_t)},
        {&g->keys[1], n * sizeof(uint64_t)},
        {&g->values[0], n * sizeof(uint32_t)},
        {&g->values[1], n * sizeof(uint32_t)},
        {&g->links, n * sizeof(rdi_exact_link)},
        {&g->beside, n * sizeof(uint16_t)},
        {&g->rows, (uint64_t)s.tiles * s.pitch * sizeof(uint16_t)},
        {&g->panels, (uint64_t)s.panels * s.pitch * sizeof(uint32_t)},
        {&g->stack[!g->stack_at], n * sizeof(uint64_t)},
        {&g->distances, wanted ? (uint64_t)s.refs_n * sizeof(uint64_t) : 0},
        {&g->references, wanted ? 0 : (uint64_t)bins_below(g, n) * sizeof(uint64_t)},
        {&g->scratch, n / 2}, /* an estimate of the memory that the sort needs */
    };
    _Static_assert(RDI_COUNT(all) == MOST_NEEDS, "MOST_NEEDS must be the number of buffers");
    for (size_t i = 0; i < MOST_NEEDS; i++)
        list[i] = all[i];
    return MOST_NEEDS;
}

/* Returns how many more bytes of device memory a round of this shape needs. Buffers that are too
 * small are freed before they are allocated again, so only the difference counts. */
static int64_t missing_bytes(rdi_gpu_rounds *g, rdi_exact_shape s) {
    needs list[MOST_NEEDS];
    size_t n = list_needs(g, s, list);
    int64_t missing = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].bytes > list[i].buffer->bytes)
            missing += (int64_t)(list[i].bytes - list[i].buffer->bytes);
    return missing;
}

/* Sets *out to the number of references, at most n, that the device can process as one round. If
 * device memory is short, halves the number until the round fits. Fails if the live blocks leave
 * too few positions or too little memory. */
static rd_status affordable(rdi_gpu_rounds *g, uint64_t n, uint32_t *out) {
    uint64_t room = 0, stack_n = g->stack_n, positions = MOST_POSITIONS - stack_n;
    uint64_t part = n < positions ? n : positions;
    if (missing_bytes(g, rdi_exact_shape_of((uint32_t)stack_n, (uint32_t)part)) > 0) {
        RD_TRY(rdi_device_room(g->device, &room));
        while (part > 0 &&
               (double)missing_bytes(g, rdi_exact_shape_of((uint32_t)stack_n, (uint32_t)part)) >
                   ROOM_SHARE * (double)room)
            part /= 2;
    }
    if (part < n && positions <= stack_n / 32)
        return rdi_fail(
            g->run->ctx, RD_EDEVICE,
            "engine gpu: %" PRIu64
            " live blocks leave too little room for references in a round, which has at most "
            "%" PRIu64 " positions: set a bound, or use an engine without a GPU",
            stack_n, MOST_POSITIONS);
    if (part < n && part <= stack_n / 32)
        return rdi_fail(g->run->ctx, RD_EDEVICE,
                        "engine gpu: %" PRIu64
                        " live blocks leave too little room for references on the %s (%" PRIu64
                        " bytes free): set a bound, or use an engine without a GPU",
                        stack_n, rdi_device_name(g->device), room);
    *out = (uint32_t)part;
    return RD_OK;
}

/* Rounds n up, so that memory is not allocated again in each round while the stack grows slowly. */
static uint64_t rounded_up(uint64_t n) {
    uint64_t step = (UINT64_C(1) << rdi_bit_width(n)) / 16;
    return step ? (n + step - 1) / step * step : n;
}

static rd_status fit_buffers(rdi_gpu_rounds *g, rdi_exact_shape s) {
    if (missing_bytes(g, s) > 0) {
        needs list[MOST_NEEDS];
        uint64_t refs_n = rounded_up(s.refs_n), stack_n = rounded_up(s.stack_n), room = 0;
        rdi_exact_shape wide = rdi_exact_shape_of((uint32_t)stack_n, (uint32_t)refs_n);
        RD_TRY(rdi_device_room(g->device, &room));
        bool generous = stack_n + refs_n <= MOST_POSITIONS &&
                        (double)missing_bytes(g, wide) <= ROOM_SHARE * (double)room;
        size_t n = list_needs(g, generous ? wide : s, list);
        for (size_t i = 0; i < n; i++) /* frees buffers that are too small before it allocates */
            if (list[i].bytes > list[i].buffer->bytes && list[i].buffer != &g->references)
                rdi_device_release(g->device, list[i].buffer);
        for (size_t i = 0; i < n; i++)
            if (list[i].buffer != &g->references)
                RD_TRY(rdi_device_reserve(g->device, list[i].buffer, list[i].bytes));
    }
    return fit_bins(g, s.n);
}

rd_status rdi_gpu_rounds_prepare(rdi_gpu_rounds *g, uint64_t n) {
    uint32_t part = 0;
    RD_TRY(affordable(g, n, &part));
    return part ? fit_buffers(g, rdi_exact_shape_of(0, part)) : RD_OK;
}

/* ---- one round ---- */

static void describe_round(rdi_gpu_rounds *g, const uint64_t *refs, rdi_exact_shape s,
                           uint64_t least, uint64_t greatest) {
    unsigned bits = rdi_bit_width(greatest - least);
    uint64_t *numbers = g->numbers.at;
    g->counts.references = g->references.at;
    g->counts.sums = g->sums.at;
    g->counts.infinite = numbers;
    g->round = (rdi_exact_round){
        .shape = s,
        .stack = (const uint64_t *)g->stack[g->stack_at].at + g->stack_skip,
        .refs = refs,
        .least_id = least,
        .pairs = {.keys = {g->keys[0].at, g->keys[1].at},
                  .values = {g->values[0].at, g->values[1].at},
                  .n = s.n,
                  .key_bytes = bits <= 32 ? 4 : 8,
                  .key_bits = bits ? bits : 1},
        .links = g->links.at,
        .rows = g->rows.at,
        .panels = g->panels.at,
        .beside = g->beside.at,
        .bound = g->run->in->bound < UINT32_MAX ? (uint32_t)g->run->in->bound : UINT32_MAX,
        .distances = g->run->in->distances ? g->distances.at : NULL,
        .counts = g->counts,
        .stack_out = g->stack[!g->stack_at].at,
        .stack_out_n = (uint32_t *)(numbers + 1),
        .scratch = &g->scratch,
    };
}

static rd_status run_stage(rdi_gpu_rounds *g, rdi_gpu_stage stage) {
    rdi_exact_round *b = &g->round;
    switch (stage) {
    case RDI_GPU_KEYS:
        return rdi_exact_keys(g->device, b);
    case RDI_GPU_SORT:
        return rdi_device_sort(g->device, &b->pairs, b->scratch, &b->sorted);
    case RDI_GPU_LINKS:
        return rdi_exact_links(g->device, b);
    case RDI_GPU_TABLE:
        return rdi_exact_table(g->device, b);
    case RDI_GPU_BUCKETS:
        return rdi_exact_buckets(g->device, b);
    case RDI_GPU_TILES:
        return rdi_exact_tiles(g->device, b);
    case RDI_GPU_CARRY:
        return rdi_exact_carry(g->device, b);
    case RDI_GPU_STAGES:
        break;
    }
    return RD_OK;
}

static rd_status launch(rdi_gpu_rounds *g) {
    rdi_device *d = g->device;
    RD_TRY(rdi_event_record(d, g->mark[0], RDI_STREAM_WORK));
    for (unsigned stage = 0; stage < RDI_GPU_STAGES; stage++) {
        RD_TRY(run_stage(g, (rdi_gpu_stage)stage));
        RD_TRY(rdi_event_record(d, g->mark[stage + 1], RDI_STREAM_WORK));
    }
    RD_TRY(rdi_device_download(d, RDI_STREAM_WORK, g->stack_out_n, g->round.stack_out_n,
                               sizeof *g->stack_out_n));
    g->under_way = true;
    return RD_OK;
}

rd_status rdi_gpu_rounds_start(rdi_gpu_rounds *g, const uint64_t *refs, uint32_t n, uint64_t least,
                               uint64_t greatest) {
    while (n > 0) {
        uint32_t part = 0;
        RD_TRY(rdi_gpu_rounds_wait(g));
        RD_TRY(affordable(g, n, &part));
        rdi_exact_shape shape = rdi_exact_shape_of(g->stack_n, part);
        RD_TRY(fit_buffers(g, shape));
        describe_round(g, refs, shape, least, greatest);
        RD_TRY(launch(g));
        refs += part;
        n -= part;
    }
    return RD_OK;
}

/* ---- after a round ---- */

const char *rdi_gpu_stage_name(rdi_gpu_stage stage) {
    static const char *const names[] = {"keys",    "sort",  "links", "table",
                                        "buckets", "tiles", "carry"};
    return names[stage];
}

/* Adds the costs of the round. The bytes are a lower limit: every input is read once, and every
 * output is written once. */
static void account(rdi_gpu_rounds *g) {
    const rdi_exact_shape *s = &g->round.shape;
    const rdi_device_pairs *p = &g->round.pairs;
    double n = s->n, refs = s->refs_n, pair = p->key_bytes + 4.0, passes = (p->key_bits + 7) / 8;
    double rows = (double)s->tiles * s->pitch * 2, panels = (double)s->panels * s->pitch * 4;
    double *bytes = g->costs.bytes;
    bytes[RDI_GPU_KEYS] += n * (8 + pair);
    bytes[RDI_GPU_SORT] += n * (p->key_bytes + passes * 2 * pair);
    bytes[RDI_GPU_LINKS] += n * (pair + 8);
    bytes[RDI_GPU_TABLE] += refs * 8 + rows + 3 * panels;
    bytes[RDI_GPU_BUCKETS] += n * (8 + 2);
    bytes[RDI_GPU_TILES] += refs * (8 + 2 + 2 + 4) + (g->run->in->distances ? refs * 8 : 0);
    bytes[RDI_GPU_CARRY] += n * 8 + g->stack_n * 16.0;
    g->costs.rounds++;
    g->costs.carried += s->stack_n;
}

static rd_status deliver(rdi_gpu_rounds *g) {
    rdi_stream s = RDI_STREAM_OUT;
    for (size_t at = 0; at < g->round.shape.refs_n; at += DELIVERY) {
        size_t left = g->round.shape.refs_n - at, n = left < DELIVERY ? left : DELIVERY;
        RD_TRY(rdi_device_download(g->device, s, g->delivery, g->round.distances + at,
                                   n * sizeof *g->delivery));
        RD_TRY(rdi_device_wait(g->device, s));
        RD_TRY(rdi_engine_deliver(g->run, g->delivery, n));
    }
    return RD_OK;
}

rd_status rdi_gpu_rounds_wait(rdi_gpu_rounds *g) {
    if (!g->under_way)
        return RD_OK;
    g->under_way = false;
    RD_TRY(rdi_device_wait(g->device, RDI_STREAM_WORK));
    uint64_t n = *g->stack_out_n, bound = g->run->in->bound;
    g->stack_at = !g->stack_at;
    g->stack_skip = n > bound ? n - bound : 0;
    g->stack_n = (uint32_t)(n - g->stack_skip);
    account(g);
    for (unsigned stage = 0; stage < RDI_GPU_STAGES; stage++) {
        double seconds = 0;
        RD_TRY(rdi_event_elapsed(g->device, g->mark[stage], g->mark[stage + 1], &seconds));
        g->costs.seconds[stage] += seconds;
    }
    return g->run->in->distances ? deliver(g) : RD_OK;
}

rd_status rdi_gpu_rounds_finish(rdi_gpu_rounds *g) {
    uint64_t infinite = 0;
    RD_TRY(rdi_gpu_rounds_wait(g));
    if (g->run->in->distances)
        return RD_OK;
    RD_TRY(drain_bins(g));
    RD_TRY(
        rdi_device_download(g->device, RDI_STREAM_WORK, &infinite, g->numbers.at, sizeof infinite));
    RD_TRY(rdi_device_wait(g->device, RDI_STREAM_WORK));
    return rdi_hist_add_many(g->run->out.hist, RD_COLD, infinite);
}
