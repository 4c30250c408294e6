/* Implements the steps of a rank. See parda_rank.h. */
#include "engine/papers/parda_rank.h"

#include <string.h>
#include <time.h>

/* A pipelined rank sends its open first touches when it has at least this many. The number is
 * small, so that resolving begins early. */
#define MESSAGE 32768
#define TALLY   (sizeof(rdi_parda_tally) / sizeof(uint64_t))

_Static_assert(sizeof(rdi_parda_tally) == TALLY * sizeof(uint64_t),
               "TALLY must be the number of 64-bit words in a tally");

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

rd_status rdi_parda_rank_open(rdi_parda_rank *r, const rdi_parda_plan *plan, rdi_ranks *ranks,
                              unsigned me) {
    *r = (rdi_parda_rank){.plan = plan, .ranks = ranks, .me = me};
    RD_TRY(rdi_chunk_open(&r->chunk, &plan->chunk, 0));
    const rdi_u64_list *state = &plan->before.state;
    return me == 0 ? rdi_chunk_append(&r->chunk, state->at, state->n) : RD_OK;
}

void rdi_parda_rank_close(rdi_parda_rank *r) {
    if (!r->plan)
        return;
    rdi_chunk_close(&r->chunk);
    rdi_u64_list_free(r->plan->chunk.ctx, &r->out);
}

static unsigned rank_at(const rdi_parda_rank *r, uint64_t round, unsigned place) {
    return rdi_parda_place(r->plan, r->ranks->n, round, place);
}

/* ---- results ---- */

static rd_status pack_counts(rdi_parda_rank *r, rdi_u64_list *out) {
    rd_ctx *ctx = r->plan->chunk.ctx;
    uint64_t numbers[TALLY];
    r->tally.references = r->chunk.references;
    r->tally.recounted = r->chunk.recounted;
    r->tally.peak_bytes = rd_ctx_peak_bytes(ctx);
    memcpy(numbers, &r->tally, sizeof numbers);
    RD_TRY(rdi_u64_list_append(ctx, out, numbers, TALLY));
    return rdi_hist_pack(rdi_engine_hist(r->chunk.engine), out);
}

static rd_status send_counts(rdi_parda_rank *r, rdi_message_kind kind) {
    rdi_u64_list counts = {0};
    rd_status status = pack_counts(r, &counts);
    if (status == RD_OK)
        return rdi_ranks_send(r->ranks, r->me, 0, kind, &counts);
    rdi_u64_list_free(r->plan->chunk.ctx, &counts);
    return status;
}

rd_status rdi_parda_rank_result(rdi_parda_rank *r) {
    RD_TRY(rd_engine_finish(r->chunk.engine));
    return send_counts(r, RDI_MESSAGE_RESULT);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static rd_status add_result(rdi_hist *hist, rdi_parda_tally *tally, const rdi_u64_list *result) {
    rdi_parda_tally part;
    memcpy(&part, result->at, sizeof part);
    tally->references += part.references;
    tally->recounted += part.recounted;
    tally->rounds = larger(tally->rounds, part.rounds);
    tally->fixup_ns = larger(tally->fixup_ns, part.fixup_ns);
    tally->state_ns = larger(tally->state_ns, part.state_ns);
    tally->busy_ns = larger(tally->busy_ns, part.busy_ns);
    tally->peak_bytes = larger(tally->peak_bytes, part.peak_bytes);
    return rdi_hist_add_packed(hist, result->at + TALLY, result->n - TALLY);
}

rd_status rdi_parda_receive_result(rdi_ranks *ranks, rdi_message_kind kind, unsigned from,
                                   rdi_hist *hist, rdi_parda_tally *tally, rd_ctx *ctx) {
    rdi_u64_list result = {0};
    RD_TRY(rdi_ranks_receive(ranks, 0, from, kind, &result));
    rd_status status = add_result(hist, tally, &result);
    rdi_u64_list_free(ctx, &result);
    return status;
}

/* ---- state between rounds ---- */

/* Moves the state to r->out and empties the engine. A checkpoint needs complete counts, so with
 * checkpoints the engine is reopened instead of restarted. */
static rd_status empty_chunk(rdi_parda_rank *r) {
    RD_TRY(rdi_chunk_state(&r->chunk, &r->out));
    return r->plan->checkpoint ? rdi_engine_reopen(r->chunk.engine)
                               : rdi_engine_restart(r->chunk.engine);
}

static rd_status append_state_of(rdi_parda_rank *r, unsigned from) {
    rdi_u64_list state = {0};
    RD_TRY(rdi_ranks_receive(r->ranks, r->me, from, RDI_MESSAGE_STATE, &state));
    rd_status status = rdi_chunk_append(&r->chunk, state.at, state.n);
    rdi_u64_list_free(r->plan->chunk.ctx, &state);
    return status;
}

/* Collects the state of all ranks, in the order of places, which is oldest first. Without
 * checkpoints, a rank at place 0 keeps its own blocks in its engine. */
static rd_status collect_state(rdi_parda_rank *r) {
    bool stay = r->place == 0 && !r->plan->checkpoint;
    if (!stay)
        RD_TRY(empty_chunk(r));
    for (unsigned place = 0; place < r->ranks->n; place++) {
        if (place != r->place)
            RD_TRY(append_state_of(r, rank_at(r, r->tally.rounds - 1, place)));
        else if (!stay)
            RD_TRY(rdi_chunk_append(&r->chunk, r->out.at, r->out.n));
    }
    return RD_OK;
}

static rd_status give_state(rdi_parda_rank *r, unsigned to) {
    RD_TRY(empty_chunk(r));
    return rdi_ranks_send(r->ranks, r->me, to, RDI_MESSAGE_STATE, &r->out);
}

static unsigned collector_of_state(const rdi_parda_rank *r) {
    unsigned place = r->plan->rename ? r->ranks->n - 1 : 0;
    return rank_at(r, r->tally.rounds - 1, place);
}

static rd_status reduce_state(rdi_parda_rank *r) {
    unsigned collector = collector_of_state(r);
    return r->me == collector ? collect_state(r) : give_state(r, collector);
}

/* ---- checkpoints ---- */

/* Fills in all fields of the checkpoint except identity and state: the counts of all ranks since
 * the beginning of the trace, the number and the digest of the references counted, and the position
 * in the trace at which they end. */
static rd_status gather_counts(rdi_parda_rank *r, rdi_parda_checkpoint *c) {
    const rdi_parda_plan *plan = r->plan;
    rd_ctx *ctx = plan->chunk.ctx;
    rdi_parda_tally tally = {0};
    rdi_hist *hist = NULL;
    RD_TRY(rdi_hist_new(ctx, plan->chunk.binning, &hist));
    rd_status status = RD_OK;
    if (plan->before.counts.n)
        status = rdi_hist_add_packed(hist, plan->before.counts.at, plan->before.counts.n);
    for (unsigned i = 0; i < r->ranks->n && status == RD_OK; i++)
        status = rdi_parda_receive_result(r->ranks, RDI_MESSAGE_KEPT, i, hist, &tally, ctx);
    if (status == RD_OK) {
        rdi_hist_uncount_infinite(hist, tally.recounted);
        status = rdi_hist_pack(hist, &c->counts);
    }
    c->references = plan->before.references + tally.references;
    c->digest = r->digest;
    uint64_t here =
        plan->round_references ? tally.rounds * plan->round_references : tally.references;
    c->position = plan->before.position + here;
    rdi_hist_free(hist);
    return status;
}

static rd_status write_checkpoint(rdi_parda_rank *r, unsigned collector) {
    rd_ctx *ctx = r->plan->chunk.ctx;
    rdi_parda_checkpoint c = {.identity = r->plan->before.identity};
    rd_status status = gather_counts(r, &c);
    if (status == RD_OK)
        status = rdi_ranks_receive(r->ranks, r->me, collector, RDI_MESSAGE_KEPT_STATE, &c.state);
    if (status == RD_OK)
        status = rdi_parda_checkpoint_save(ctx, r->plan->checkpoint_path, &c);
    rdi_parda_checkpoint_free(ctx, &c);
    return status;
}

static rd_status keep(rdi_parda_rank *r) {
    unsigned collector = collector_of_state(r);
    RD_TRY(send_counts(r, RDI_MESSAGE_KEPT));
    if (r->me == collector) {
        RD_TRY(rdi_chunk_state(&r->chunk, &r->out));
        RD_TRY(rdi_ranks_send(r->ranks, r->me, 0, RDI_MESSAGE_KEPT_STATE, &r->out));
    }
    return r->me == 0 ? write_checkpoint(r, collector) : RD_OK;
}

rd_status rdi_parda_rank_begin(rdi_parda_rank *r) {
    uint64_t start = now_ns();
    if (r->tally.rounds > 0 && (r->ranks->n > 1 || r->plan->checkpoint))
        RD_TRY(reduce_state(r));
    r->place = rank_at(r, r->tally.rounds, r->me);
    rdi_chunk_begin(&r->chunk, r->place == 0);
    if (r->tally.rounds > 0 && r->plan->checkpoint)
        RD_TRY(keep(r));
    r->out.n = 0;
    r->tally.rounds++;
    r->tally.state_ns += now_ns() - start;
    return RD_OK;
}

/* ---- open first touches ---- */

/* send_open() and receive_open() exchange open first touches with the rank at a place in the
 * current round. */
static rd_status send_open(rdi_parda_rank *r, unsigned place, rdi_u64_list *list) {
    unsigned to = rank_at(r, r->tally.rounds - 1, place);
    return rdi_ranks_send(r->ranks, r->me, to, RDI_MESSAGE_OPEN, list);
}

static rd_status receive_open(rdi_parda_rank *r, unsigned place, rdi_u64_list *list) {
    unsigned from = rank_at(r, r->tally.rounds - 1, place);
    return rdi_ranks_receive(r->ranks, r->me, from, RDI_MESSAGE_OPEN, list);
}

static bool is_postfix(const rdi_parda_rank *r) {
    return r->plan->chunk.resolving == RDI_RESOLVE_REPLICATED;
}

/* A step that analyzes or resolves blocks: rdi_chunk_analyze() or rdi_chunk_resolve(). */
typedef rd_status chunk_step(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                             rdi_u64_list *open);

static rd_status work(rdi_parda_rank *r, chunk_step *step, const uint64_t *blocks, size_t n) {
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(step(&r->chunk, blocks + at, part, NULL, &r->out));
        if (r->out.n >= MESSAGE && !is_postfix(r))
            RD_TRY(send_open(r, r->place - 1, &r->out));
    }
    return RD_OK;
}

rd_status rdi_parda_rank_feed(rdi_parda_rank *r, const uint64_t *blocks, size_t n) {
    return work(r, rdi_chunk_analyze, blocks, n);
}

/* Resolves the next message from the rank at `place`, and sets *n to the number of first touches in
 * it. */
static rd_status resolve_message(rdi_parda_rank *r, unsigned place, size_t *n) {
    rdi_u64_list list = {0};
    RD_TRY(receive_open(r, place, &list));
    *n = list.n;
    rd_status status = work(r, rdi_chunk_resolve, list.at, list.n);
    rdi_u64_list_free(r->plan->chunk.ctx, &list);
    return status;
}

/* Resolves the first touches that the next place sends, until an empty message arrives, and sends
 * the first touches that stay open to the previous place. */
static rd_status fix_up_pipelined(rdi_parda_rank *r) {
    for (size_t n = r->place + 1 < r->ranks->n; n > 0;)
        RD_TRY(resolve_message(r, r->place + 1, &n));
    if (r->place == 0)
        return RD_OK;
    if (r->out.n > 0)
        RD_TRY(send_open(r, r->place - 1, &r->out));
    return send_open(r, r->place - 1, &(rdi_u64_list){0});
}

static rd_status send_copy(rdi_parda_rank *r, unsigned place) {
    rdi_u64_list copy = {0};
    RD_TRY(rdi_u64_list_append(r->plan->chunk.ctx, &copy, r->out.at, r->out.n));
    return send_open(r, place, &copy);
}

static rd_status fix_up_postfix(rdi_parda_rank *r) {
    size_t n = 0;
    for (unsigned step = 1; step < r->ranks->n; step *= 2) {
        if (r->place >= step)
            RD_TRY(send_copy(r, r->place - step));
        if (r->ranks->n - r->place > step)
            RD_TRY(resolve_message(r, r->place + step, &n));
    }
    return RD_OK;
}

rd_status rdi_parda_rank_end(rdi_parda_rank *r) {
    uint64_t start = now_ns();
    RD_TRY(is_postfix(r) ? fix_up_postfix(r) : fix_up_pipelined(r));
    r->tally.fixup_ns += now_ns() - start;
    return RD_OK;
}
