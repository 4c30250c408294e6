/* A round of the batch engine on several threads.
 *
 * Scatter, gather and rank are divided by time: worker w has references [begin, end). Locate is
 * divided by segment. To rank its share, a worker needs the axis as of the beginning of the share.
 * That is the axis at the beginning of the round, plus the slots of the earlier shares, minus the
 * slots that die in them. Locate determines which slots die: every worker marks those of its share
 * in a bit mask, and one pass over the words of all masks gives every worker its starting axis. The
 * axis of the last worker is the starting axis of the next round.
 */
#include "engine/fast/batch.h"

#include <string.h>

rd_status rdi_batch_parallel_open(rdi_batch *e) {
    for (unsigned i = 0; i < e->n_workers && !e->run->in->distances; i++)
        RD_TRY(rdi_hist_new_like(e->run->out.hist, &e->workers[i].hist));
    return rdi_pool_new(e->run->ctx, e->n_workers, &e->pool);
}

static size_t mask_bytes(const rdi_axis *axis) {
    return axis->lines * 8 * sizeof(uint64_t);
}

static void free_axis(rdi_batch *e, rdi_batch_worker *w) {
    if (w->axis.memory)
        rdi_pages_free(e->run->ctx, w->removed, mask_bytes(&w->axis));
    w->removed = NULL;
    rdi_axis_fini(e->run->ctx, &w->axis);
}

void rdi_batch_parallel_close(rdi_batch *e) {
    rdi_pool_free(e->pool);
    for (unsigned i = 0; e->workers && i < e->n_workers; i++) {
        free_axis(e, &e->workers[i]);
        rdi_hist_free(e->workers[i].hist);
    }
}

/* Gives every worker an axis as large as the engine's. */
static rd_status fit_axes(rdi_batch *e) {
    for (unsigned i = 0; i < e->n_workers; i++) {
        rdi_batch_worker *w = &e->workers[i];
        if (w->axis.lines == e->axis.lines)
            continue;
        free_axis(e, w);
        RD_TRY(rdi_axis_init(e->run->ctx, &w->axis, e->axis.lines * RDI_AXIS_LINE_SLOTS - 1));
        w->removed = rdi_pages_alloc(e->run->ctx, mask_bytes(&w->axis));
        if (!w->removed)
            return RD_ENOMEM;
    }
    return RD_OK;
}

static void count_share(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    rdi_batch_count(e, &e->workers[worker]);
}

/* Turns counts into first positions: segment by segment, and within a segment by worker, in time
 * order. */
static void place_shares(rdi_batch *e) {
    uint64_t at = 0;
    for (uint64_t s = 0; s < rdi_seen_segments(&e->seen); s++)
        for (unsigned i = 0; i < e->n_workers; i++) {
            uint64_t n = e->workers[i].cursor[s];
            e->workers[i].cursor[s] = at;
            at += n;
        }
}

static void scatter_share(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    rdi_batch_scatter(e, &e->workers[worker]);
}

/* The end of segment s: after scattering, the cursor of the last worker points there. */
static size_t segment_end(const rdi_batch *e, uint64_t s) {
    return e->workers[e->n_workers - 1].cursor[s];
}

static void locate_segments(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    rdi_batch_worker *w = &e->workers[worker];
    rdi_batch_item *items = e->items.at;
    uint64_t s;
    while ((s = atomic_fetch_add(&e->next_segment, 1)) < rdi_seen_segments(&e->seen)) {
        size_t begin = s ? segment_end(e, s - 1) : 0;
        rd_status status = e->kernel->locate(&e->seen, &e->seen.segment[s], items + begin,
                                             segment_end(e, s) - begin);
        if (status != RD_OK)
            w->status = status;
    }
}

/* Moves the cursors back to the first positions: where the previous worker ended. */
static void rewind_cursors(rdi_batch *e) {
    for (uint64_t s = rdi_seen_segments(&e->seen); s-- > 0;)
        for (unsigned i = e->n_workers; i-- > 0;)
            e->workers[i].cursor[s] = i   ? e->workers[i - 1].cursor[s]
                                      : s ? segment_end(e, s - 1)
                                          : 0;
}

static void gather_share(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    rdi_batch_worker *w = &e->workers[worker];
    rdi_batch_gather(e, w);
    const uint64_t *prev = e->working.at;
    for (size_t i = w->begin; i < w->end; i++) /* marking slot 0, "none", is harmless */
        w->removed[prev[i] >> 6] |= UINT64_C(1) << (prev[i] & 63);
}

/* The bits of the word beginning at slot `base` that lie in [from, to). */
static uint64_t range_bits(uint64_t base, uint64_t from, uint64_t to) {
    uint64_t low = from > base ? from - base : 0, high = to > base ? to - base : 0;
    uint64_t below_high = high >= 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1;
    uint64_t below_low = low >= 64 ? UINT64_MAX : (UINT64_C(1) << low) - 1;
    return below_high & ~below_low;
}

/* The slot of reference i of the round. */
static uint64_t slot_of(const rdi_batch *e, size_t i) {
    return rdi_axis_slot(rdi_axis_index(e->axis.next) + i);
}

/* Computes one word of the starting axis of every worker and clears the masks for the next
 * round. */
static void compose_word(rdi_batch *e, const uint64_t *share_slot, uint64_t line, unsigned k) {
    uint64_t base = line * 512 + k * 64;
    uint64_t bits =
        e->axis.line[line].word[k] & range_bits(base, 0, e->axis.next); /* later bits are stale */
    for (unsigned i = 0; i < e->n_workers; i++) {
        rdi_batch_worker *w = &e->workers[i];
        w->axis.line[line].word[k] = bits;
        bits |= range_bits(base, share_slot[i], share_slot[i + 1]);
        bits &= ~w->removed[line * 8 + k];
        w->removed[line * 8 + k] = 0;
    }
}

static void compose_lines(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    uint64_t share_slot[257];
    for (unsigned i = 0; i < e->n_workers; i++)
        share_slot[i] = slot_of(e, e->workers[i].begin);
    share_slot[e->n_workers] = slot_of(e, e->working_n);
    uint64_t lines = (share_slot[e->n_workers] >> 9) + 1;
    lines = lines < e->axis.lines ? lines : e->axis.lines;
    uint64_t begin = lines * worker / e->n_workers, end = lines * (worker + 1) / e->n_workers;
    for (uint64_t line = begin; line < end; line++)
        for (unsigned k = 0; k < 7; k++)
            compose_word(e, share_slot, line, k);
}

static void rank_share(void *arg, unsigned worker) {
    rdi_batch *e = arg;
    rdi_batch_worker *w = &e->workers[worker];
    w->axis.next = slot_of(e, w->begin);
    rdi_axis_recount(&w->axis);
    w->status = rdi_batch_rank_share(e, &w->axis, w->begin, w->end, w->hist);
}

static rd_status worst(const rdi_batch *e) {
    for (unsigned i = 0; i < e->n_workers; i++)
        RD_TRY(e->workers[i].status);
    return RD_OK;
}

rd_status rdi_batch_parallel_round(rdi_batch *e) {
    RD_TRY(fit_axes(e));
    for (unsigned i = 0; i < e->n_workers; i++) {
        e->workers[i].begin = e->working_n * i / e->n_workers;
        e->workers[i].end = e->working_n * (i + 1) / e->n_workers;
        e->workers[i].status = RD_OK;
    }
    rdi_pool_run(e->pool, count_share, e);
    place_shares(e);
    rdi_pool_run(e->pool, scatter_share, e);
    atomic_store(&e->next_segment, 0);
    rdi_pool_run(e->pool, locate_segments, e);
    RD_TRY(worst(e));
    rewind_cursors(e);
    rdi_pool_run(e->pool, gather_share, e);
    rdi_pool_run(e->pool, compose_lines, e);
    rdi_pool_run(e->pool, rank_share, e);
    RD_TRY(worst(e));
    rdi_batch_worker *newest = &e->workers[e->n_workers - 1];
    rdi_axis swap = e->axis;
    e->axis = newest->axis;
    newest->axis = swap;
    return RD_OK;
}

typedef struct renumber_job {
    rdi_batch *batch;
    uint64_t drop;
} renumber_job;

static void renumber_segments(void *arg, unsigned worker) {
    renumber_job *job = arg;
    rdi_batch *e = job->batch;
    uint64_t s;
    while ((s = atomic_fetch_add(&e->next_segment, 1)) < rdi_seen_segments(&e->seen)) {
        rd_status status = rdi_batch_renumber_segment(e, s, job->drop);
        if (status != RD_OK)
            e->workers[worker].status = status;
    }
}

rd_status rdi_batch_parallel_renumber(rdi_batch *e, uint64_t drop) {
    renumber_job job = {e, drop};
    for (unsigned i = 0; i < e->n_workers; i++)
        e->workers[i].status = RD_OK;
    atomic_store(&e->next_segment, 0);
    rdi_pool_run(e->pool, renumber_segments, &job);
    return worst(e);
}
