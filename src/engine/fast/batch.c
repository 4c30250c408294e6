/* batch: exact, fast, on one core or many. It answers a round of references at a time:
 *
 *   1. scatter  every reference goes, with its slot on the time axis, to its segment of the table
 *   2. locate   segment after segment, inside the cache, the slot of the previous reference is
 *               found and replaced by the new slot
 *   3. gather   the previous slots return to time order
 *   4. rank     the distance is the number of live slots newer than the previous one (Bennett and
 *               Kruskal's bit vector, on the axis of order/axis.h)
 *
 * No step waits for memory: the first three stream, and the axis is small. When the axis is full,
 * the live slots are renumbered from 1 (Olken's compaction). With a bound B the renumbering keeps
 * the newest B blocks. Immediate repeats are counted while the round fills and go no further.
 *
 * Time: O(1) per reference, except for a term of M / 58 million in `clear`. Memory: 20 to 31 bytes
 * per block for the table, 1 for the axis, and 24 bytes per reference of a round, which has a third
 * as many references as there are blocks (or a few million). Distances arrive up to two rounds
 * late.
 *
 * B. T. Bennett and V. J. Kruskal. LRU stack processing. IBM J. Res. Dev. 19(4), 1975.
 * F. Olken. Efficient methods for calculating the success function of fixed space replacement
 * policies. LBL-12370, 1981.
 */
#include "engine/fast/batch.h"

#include <stdio.h>
#include <string.h>

#define SMALL_ROUND   (16u * 1024)   /* one segment: no sorting, fits into the cache */
#define LEAST_ROUND   (1024u * 1024) /* several segments */
#define USUAL_ROUND   (4u * 1024 * 1024)
#define ROUND_SHARE   3             /* many blocks: a round has this fraction of their number */
#define SHARE_LEAST   (512u * 1024) /* references per thread that justify the barriers of a round */
#define LEAST_AXIS    (1024u * 1024)
#define LEAST_FILLING (64u * 1024) /* bytes */

static const rd_opt options[] = {
    RDI_ISA_OPTION(rdi_batch),
    {.name = "phase",
     .type = RD_OPT_SIZE,
     .offset = offsetof(rdi_batch, round_option),
     .def = "0",
     .help = "references per round; 0: by the number of blocks"},
    {0},
};

/* ---- choosing ---- */

static rd_status choose_kernel(rdi_batch *e) {
    static const rdi_batch_kernel *const kernels[] = {
        [RDI_ISA_PLAIN] = &rdi_batch_plain,
        [RDI_ISA_AVX2] = &rdi_batch_avx2,
        [RDI_ISA_AVX512] = &rdi_batch_avx512,
    };
    rdi_isa isa = RDI_ISA_PLAIN;
    RD_TRY(rdi_isa_choose(e->run->ctx, "engine batch", e->isa, &isa));
    e->kernel = kernels[isa];
    return RD_OK;
}

/* The length of a round: long enough that a segment in the cache answers many references. */
static size_t wanted_round(const rdi_batch *e) {
    if (e->round_option)
        return (size_t)e->round_option;
    if (e->n_workers == 1 && e->seen.bits == 0)
        return SMALL_ROUND;
    uint64_t live = e->axis.live;
    uint64_t n = live < LEAST_ROUND ? LEAST_ROUND : live < USUAL_ROUND ? live : USUAL_ROUND;
    n = n > live / ROUND_SHARE ? n : live / ROUND_SHARE;
    uint64_t least = (uint64_t)e->n_workers * SHARE_LEAST;
    return (size_t)(n > least || e->n_workers == 1 ? n : least);
}

/* ---- buffers ---- */

static rd_status reserve(rd_ctx *ctx, rdi_batch_buffer *buffer, size_t n, size_t size) {
    if (n * size <= buffer->bytes)
        return RD_OK;
    rdi_pages_free(ctx, buffer->at, buffer->bytes);
    *buffer = (rdi_batch_buffer){0};
    void *at = rdi_pages_alloc(ctx, n * size);
    if (!at)
        return RD_ENOMEM;
    *buffer = (rdi_batch_buffer){at, n * size};
    return RD_OK;
}

static void release(rd_ctx *ctx, rdi_batch_buffer *buffer) {
    rdi_pages_free(ctx, buffer->at, buffer->bytes);
    *buffer = (rdi_batch_buffer){0};
}

/* Begins a new round, whose length follows from the number of blocks. */
static void start_filling(rdi_batch *e) {
    e->filled = 0;
    e->round = wanted_round(e);
}

/* Makes room for `n` references in the filling buffer, which grows with its contents, so that a
 * short trace needs no memory for a whole round. */
static rd_status reserve_filling(rdi_batch *e, size_t n) {
    rdi_batch_buffer *filling = &e->filling;
    size_t needed = n * sizeof(uint64_t), whole = e->round * sizeof(uint64_t);
    if (needed <= filling->bytes)
        return RD_OK;
    size_t bytes = 2 * filling->bytes > LEAST_FILLING ? 2 * filling->bytes : LEAST_FILLING;
    bytes = bytes < whole ? bytes : whole;
    bytes = bytes > needed ? bytes : needed;
    void *at = rdi_pages_grow(e->run->ctx, filling->at, filling->bytes, bytes);
    if (!at)
        return RD_ENOMEM;
    *filling = (rdi_batch_buffer){at, bytes};
    return RD_OK;
}

/* ---- the steps of a round, for the share of one worker ---- */

void rdi_batch_count(rdi_batch *e, rdi_batch_worker *w) {
    const uint64_t *block = e->working.at;
    unsigned bits = e->seen.bits;
    memset(w->cursor, 0, rdi_seen_segments(&e->seen) * sizeof *w->cursor);
    for (size_t i = w->begin; i < w->end; i++)
        w->cursor[rdi_seen_segment_of(rdi_seen_hash(block[i]), bits)]++;
}

void rdi_batch_scatter(rdi_batch *e, rdi_batch_worker *w) {
    const uint64_t *block = e->working.at;
    rdi_batch_item *items = e->items.at;
    unsigned bits = e->seen.bits;
    uint64_t slot = rdi_axis_slot(rdi_axis_index(e->axis.next) + w->begin);
    for (size_t i = w->begin; i < w->end; i++) {
        uint64_t segment = rdi_seen_segment_of(rdi_seen_hash(block[i]), bits);
        items[w->cursor[segment]++] = (rdi_batch_item){block[i], slot};
        slot = rdi_axis_after(slot);
    }
}

void rdi_batch_gather(rdi_batch *e, rdi_batch_worker *w) {
    uint64_t *block = e->working.at;
    const rdi_batch_item *items = e->items.at;
    unsigned bits = e->seen.bits;
    for (size_t i = w->begin; i < w->end; i++) {
        uint64_t segment = rdi_seen_segment_of(rdi_seen_hash(block[i]), bits);
        block[i] = items[w->cursor[segment]++].block_or_prev;
    }
}

rd_status rdi_batch_rank_share(rdi_batch *e, rdi_axis *axis, size_t begin, size_t end,
                               rdi_hist *hist) {
    const uint64_t *prev = e->working.at;
    uint64_t buffer[RDI_BATCH_TILE];
    for (size_t at = begin; at < end; at += RDI_BATCH_TILE) {
        size_t n = end - at < RDI_BATCH_TILE ? end - at : RDI_BATCH_TILE;
        uint64_t *dist = hist ? buffer : (uint64_t *)e->dist.at + at;
        e->kernel->rank(axis, prev + at, n, e->run->in->bound, dist);
        if (hist)
            RD_TRY(rdi_hist_add(hist, dist, n));
    }
    return RD_OK;
}

/* ---- making room on the axis ---- */

rd_status rdi_batch_renumber_segment(rdi_batch *e, uint64_t segment, uint64_t drop) {
    rdi_seen_segment *s = &e->seen.segment[segment];
    return rdi_last_seen_drop(&e->seen, s, e->kernel->renumber(s, &e->axis, drop));
}

static rd_status renumber_all(rdi_batch *e, uint64_t drop) {
    if (e->pool)
        return rdi_batch_parallel_renumber(e, drop);
    for (uint64_t i = 0; i < rdi_seen_segments(&e->seen); i++)
        RD_TRY(rdi_batch_renumber_segment(e, i, drop));
    return RD_OK;
}

/* Renumbers the live slots from 1 and makes room for at least n more slots. */
static rd_status renumber(rdi_batch *e, size_t n) {
    rd_ctx *ctx = e->run->ctx;
    uint64_t bound = e->run->in->bound, drop = e->axis.live > bound ? e->axis.live - bound : 0;
    uint64_t live = e->axis.live - drop;
    RD_TRY(renumber_all(e, drop));
    RD_TRY(rdi_last_seen_split(&e->seen));
    uint64_t slots =
        live + (uint64_t)n * 3; /* small enough for the cache, large enough to renumber seldom */
    slots = slots > LEAST_AXIS || e->round_option ? slots : LEAST_AXIS;
    if (slots > e->axis.lines * RDI_AXIS_LINE_SLOTS) {
        rdi_axis grown;
        RD_TRY(rdi_axis_init(ctx, &grown, slots));
        rdi_axis_fini(ctx, &e->axis);
        e->axis = grown;
    }
    rdi_axis_restart(&e->axis, live);
    return RD_OK;
}

/* ---- a round ---- */

static rd_status fit_cursors(rdi_batch *e) {
    size_t n = rdi_seen_segments(&e->seen);
    for (unsigned i = 0; i < e->n_workers; i++) {
        uint64_t *cursor = rdi_resize(e->run->ctx, e->workers[i].cursor, n, sizeof *cursor);
        if (!cursor)
            return RD_ENOMEM;
        e->workers[i].cursor = cursor;
    }
    return RD_OK;
}

static rd_status single_round(rdi_batch *e) {
    rdi_batch_worker *w = &e->workers[0];
    rdi_batch_item *items = e->items.at;
    uint64_t segments = rdi_seen_segments(&e->seen), at = 0;
    *w = (rdi_batch_worker){.end = e->working_n, .cursor = w->cursor};
    rdi_batch_count(e, w);
    for (uint64_t i = 0; i < segments; i++) {
        uint64_t n = w->cursor[i];
        w->cursor[i] = at;
        at += n;
    }
    rdi_batch_scatter(e, w);
    at = 0;
    for (uint64_t i = 0; i < segments; i++) {
        RD_TRY(e->kernel->locate(&e->seen, &e->seen.segment[i], items + at, w->cursor[i] - at));
        uint64_t end = w->cursor[i];
        w->cursor[i] = at;
        at = end;
    }
    rdi_batch_gather(e, w);
    return rdi_batch_rank_share(e, &e->axis, 0, e->working_n,
                                e->run->in->distances ? NULL : e->run->out.hist);
}

/* Computes the distances of a filled buffer. */
static rd_status run_round(rdi_batch *e) {
    rd_ctx *ctx = e->run->ctx;
    if (rdi_axis_room(&e->axis) < e->working_n)
        RD_TRY(renumber(e, e->working_n));
    RD_TRY(fit_cursors(e));
    RD_TRY(reserve(ctx, &e->items, e->working_n, sizeof(rdi_batch_item)));
    if (e->run->in->distances)
        RD_TRY(reserve(ctx, &e->dist, e->working_n, sizeof(uint64_t)));
    return e->pool ? rdi_batch_parallel_round(e) : single_round(e);
}

static void run_in_background(void *arg) {
    rdi_batch *e = arg;
    e->status = run_round(e);
}

/* Waits for the current round and delivers its distances. */
static rd_status collect(rdi_batch *e) {
    if (e->background)
        rdi_background_wait(e->background);
    RD_TRY(e->status);
    size_t n = e->undelivered;
    e->undelivered = 0;
    return n ? rdi_engine_deliver(e->run, e->dist.at, n) : RD_OK;
}

/* Starts a round with the filled buffer. */
static rd_status hand_over(rdi_batch *e) {
    RD_TRY(collect(e));
    rdi_batch_buffer swap = e->working;
    e->working = e->filling;
    e->filling = swap;
    e->working_n = e->filled;
    e->undelivered = e->run->in->distances ? e->filled : 0;
    start_filling(e); /* reads the table, so it must come before the round changes it */
    if (e->background) {
        rdi_background_start(e->background, run_in_background, e);
        return RD_OK;
    }
    e->status = run_round(e);
    return collect(e);
}

/* ---- the engine ---- */

static rd_status batch_open(void *self, rdi_run *run) {
    rdi_batch *e = self;
    e->run = run;
    e->n_workers = run->in->threads < 256 ? run->in->threads : 256;
    RD_TRY(choose_kernel(e));
    RD_TRY(rdi_last_seen_init(run->ctx, &e->seen, e->n_workers));
    RD_TRY(rdi_axis_init(run->ctx, &e->axis, e->round_option ? e->round_option : LEAST_AXIS));
    e->workers = rdi_calloc(run->ctx, e->n_workers, sizeof *e->workers);
    if (!e->workers)
        return RD_ENOMEM;
    if (e->n_workers > 1) {
        RD_TRY(rdi_batch_parallel_open(e));
        RD_TRY(rdi_background_new(run->ctx, &e->background));
    }
    snprintf(run->out.note, sizeof run->out.note, "batch: %s instructions, %u thread%s",
             e->kernel->name, e->n_workers, e->n_workers > 1 ? "s" : "");
    start_filling(e);
    return RD_OK;
}

/* Appends references without immediate repeats, which have distance 0 and change nothing. */
static size_t append_changes(rdi_batch *e, const uint64_t *blk, size_t n) {
    uint64_t *to = (uint64_t *)e->filling.at + e->filled, last = e->last;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        to[kept] = blk[i];
        kept += blk[i] != last;
        last = blk[i];
    }
    e->last = last;
    e->zeros += n - kept;
    return kept;
}

static rd_status batch_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rdi_batch *e = self;
    (void)dist;
    if (n > 0 && !e->any) {
        e->any = true;
        e->last = ~blk[0];
    }
    while (n > 0) {
        size_t part = n < e->round - e->filled ? n : e->round - e->filled;
        RD_TRY(reserve_filling(e, e->filled + part));
        if (e->run->in->distances) {
            memcpy((uint64_t *)e->filling.at + e->filled, blk, part * sizeof *blk);
            e->filled += part;
        } else {
            e->filled += append_changes(e, blk, part);
        }
        blk += part;
        n -= part;
        if (e->filled == e->round)
            RD_TRY(hand_over(e));
    }
    return RD_OK;
}

static rd_status batch_finish(void *self) {
    rdi_batch *e = self;
    if (e->filled > 0)
        RD_TRY(hand_over(e));
    RD_TRY(collect(e));
    for (unsigned i = 0; i < e->n_workers; i++)
        if (e->workers[i].hist)
            RD_TRY(rdi_hist_merge(e->run->out.hist, e->workers[i].hist));
    return rdi_hist_add_many(e->run->out.hist, 0, e->zeros);
}

static void batch_close(void *self) {
    rdi_batch *e = self;
    if (!e->run)
        return;
    rd_ctx *ctx = e->run->ctx;
    rdi_background_free(e->background); /* waits for the current round */
    rdi_batch_parallel_close(e);
    for (unsigned i = 0; e->workers && i < e->n_workers; i++)
        rdi_free(ctx, e->workers[i].cursor);
    rdi_free(ctx, e->workers);
    release(ctx, &e->filling);
    release(ctx, &e->working);
    release(ctx, &e->items);
    release(ctx, &e->dist);
    rdi_last_seen_fini(&e->seen);
    rdi_axis_fini(ctx, &e->axis);
}

static const char *const variants[] = {"isa=plain", "phase=250", "phase=3000", NULL};

const rdi_engine_ops rdi_engine_batch = {
    .info =
        {
            .name = "batch",
            .summary = "rounds of sorted look-ups and a counted time axis: fast, on every core",
            .role = RD_ROLE_STRATEGY,
            .card =
                "Answers a round of references at a time: sorts them by table segment so that\n"
                "every look-up stays in the cache, then counts live slots on a small time axis.\n"
                "Every step runs on all threads (-t). Distances arrive a round or two late.\n"
                "Memory: about 40 bytes per block. Best for traces with little locality.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(rdi_batch),
    .open = batch_open,
    .feed = batch_feed,
    .finish = batch_finish,
    .close = batch_close,
};
