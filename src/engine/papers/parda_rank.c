/* The steps of a rank. See parda_rank.h. */
#include "engine/papers/parda_rank.h"

#include <string.h>
#include <time.h>

#define LETTER 32768 /* local infinities per letter, so that resolving starts early */
#define TALLY  (sizeof(rdi_parda_tally) / sizeof(uint64_t))

_Static_assert(sizeof(rdi_parda_tally) == TALLY * sizeof(uint64_t), "TALLY is the size of a tally");

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static rd_status open_chunk_engine(rdi_parda_rank *r) {
    const rdi_parda_plan *plan = r->plan;
    rd_engine_config config = {.size = sizeof config,
                               .bound = plan->bound == UINT64_MAX ? 0 : plan->bound,
                               .binning = plan->binning};
    return rdi_chunk_engine_open(plan->ctx, plan->engine, &config, &r->engine);
}

/* Closes the engine after adding its counts to r->hist. */
static rd_status close_chunk_engine(rdi_parda_rank *r) {
    RD_TRY(rd_engine_finish(r->engine));
    RD_TRY(rdi_hist_merge(r->hist, rdi_engine_hist(r->engine)));
    rd_engine_close(r->engine);
    r->engine = NULL;
    return RD_OK;
}

/* Makes the blocks of the list the newest blocks of the state. */
static rd_status append_state(rdi_parda_rank *r, const rdi_u64_list *list) {
    uint64_t ignored[RDI_FEED_MAX];
    for (size_t at = 0; at < list->n; at += RDI_FEED_MAX) {
        size_t part = list->n - at < RDI_FEED_MAX ? list->n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(r->engine, list->at + at, part, ignored));
    }
    return RD_OK;
}

rd_status rdi_parda_rank_open(rdi_parda_rank *r, const rdi_parda_plan *plan, rdi_ranks *ranks,
                              unsigned me) {
    *r = (rdi_parda_rank){.plan = plan, .ranks = ranks, .me = me};
    RD_TRY(open_chunk_engine(r));
    RD_TRY(rdi_hist_new(plan->ctx, plan->binning, &r->hist));
    return me == 0 ? append_state(r, &plan->before.state) : RD_OK;
}

void rdi_parda_rank_close(rdi_parda_rank *r) {
    if (!r->plan)
        return;
    rd_engine_close(r->engine);
    rdi_hist_free(r->hist);
    rdi_u64_list_free(r->plan->ctx, &r->out);
}

static unsigned rank_at(const rdi_parda_rank *r, uint64_t round, unsigned place) {
    return rdi_parda_place(r->plan, r->ranks->n, round, place);
}

/* Sends to, or receives from, a place of the current round. */
static rd_status send_infinite(rdi_parda_rank *r, unsigned place, rdi_u64_list *list) {
    unsigned to = rank_at(r, r->tally.rounds - 1, place);
    return rdi_ranks_send(r->ranks, r->me, to, RDI_MAIL_INFINITE, list);
}

static rd_status receive_infinite(rdi_parda_rank *r, unsigned place, rdi_u64_list *list) {
    unsigned from = rank_at(r, r->tally.rounds - 1, place);
    return rdi_ranks_receive(r->ranks, r->me, from, RDI_MAIL_INFINITE, list);
}

/* ---- results ---- */

static rd_status pack_counts(rdi_parda_rank *r, rdi_u64_list *out) {
    uint64_t numbers[TALLY];
    r->tally.peak_bytes = rd_ctx_peak_bytes(r->plan->ctx);
    memcpy(numbers, &r->tally, sizeof numbers);
    RD_TRY(rdi_u64_list_append(r->plan->ctx, out, numbers, TALLY));
    return rdi_hist_pack(r->hist, out);
}

rd_status rdi_parda_rank_result(rdi_parda_rank *r, rdi_u64_list *out) {
    RD_TRY(close_chunk_engine(r));
    return pack_counts(r, out);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static rd_status add_result(rdi_hist *hist, rdi_parda_tally *tally, const rdi_u64_list *result) {
    rdi_parda_tally part;
    memcpy(&part, result->at, sizeof part);
    tally->references += part.references;
    tally->uncounted += part.uncounted;
    tally->rounds = larger(tally->rounds, part.rounds);
    tally->fixup_ns = larger(tally->fixup_ns, part.fixup_ns);
    tally->state_ns = larger(tally->state_ns, part.state_ns);
    tally->busy_ns = larger(tally->busy_ns, part.busy_ns);
    tally->peak_bytes = larger(tally->peak_bytes, part.peak_bytes);
    return rdi_hist_add_packed(hist, result->at + TALLY, result->n - TALLY);
}

rd_status rdi_parda_receive_result(rdi_ranks *ranks, rdi_mail kind, unsigned from, rdi_hist *hist,
                                   rdi_parda_tally *tally, rd_ctx *ctx) {
    rdi_u64_list result = {0};
    RD_TRY(rdi_ranks_receive(ranks, 0, from, kind, &result));
    rd_status status = add_result(hist, tally, &result);
    rdi_u64_list_free(ctx, &result);
    return status;
}

/* ---- state between rounds ---- */

static rd_status note_blocks(void *user, const uint64_t *blocks, size_t n) {
    rdi_parda_rank *r = user;
    return rdi_u64_list_append(r->plan->ctx, &r->out, blocks, n);
}

static rd_status append_state_of(rdi_parda_rank *r, unsigned from) {
    rdi_u64_list list = {0};
    RD_TRY(rdi_ranks_receive(r->ranks, r->me, from, RDI_MAIL_STATE, &list));
    rd_status status = append_state(r, &list);
    rdi_u64_list_free(r->plan->ctx, &list);
    return status;
}

/* Moves the blocks to r->out. A checkpoint needs complete counts, so the engine is closed for
 * it. */
static rd_status empty_engine(rdi_parda_rank *r) {
    r->out.n = 0;
    RD_TRY(rdi_engine_order(r->engine, note_blocks, r));
    if (!r->plan->checkpoint)
        return rdi_engine_restart(r->engine);
    RD_TRY(close_chunk_engine(r));
    return open_chunk_engine(r);
}

/* Collects the blocks of all ranks, oldest place first. At place 0 the rank's own blocks stay in
 * its engine. */
static rd_status collect_state(rdi_parda_rank *r) {
    bool stay = r->place == 0 && !r->plan->checkpoint;
    if (!stay)
        RD_TRY(empty_engine(r));
    for (unsigned place = 0; place < r->ranks->n; place++) {
        if (place != r->place)
            RD_TRY(append_state_of(r, rank_at(r, r->tally.rounds - 1, place)));
        else if (!stay)
            RD_TRY(append_state(r, &r->out));
    }
    return RD_OK;
}

static rd_status give_state(rdi_parda_rank *r, unsigned to) {
    RD_TRY(empty_engine(r));
    return rdi_ranks_send(r->ranks, r->me, to, RDI_MAIL_STATE, &r->out);
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

/* Collects the counts of all ranks since the beginning of the trace, packed. */
static rd_status gather_counts(rdi_parda_rank *r, rdi_parda_checkpoint *c) {
    const rdi_parda_plan *plan = r->plan;
    rdi_parda_tally tally = {0};
    rdi_hist *hist = NULL;
    RD_TRY(rdi_hist_new(plan->ctx, plan->binning, &hist));
    rd_status status = RD_OK;
    if (plan->before.counts.n)
        status = rdi_hist_add_packed(hist, plan->before.counts.at, plan->before.counts.n);
    for (unsigned i = 0; i < r->ranks->n && status == RD_OK; i++)
        status = rdi_parda_receive_result(r->ranks, RDI_MAIL_KEPT, i, hist, &tally, plan->ctx);
    if (status == RD_OK) {
        rdi_hist_uncount_infinite(hist, tally.uncounted);
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
    rd_ctx *ctx = r->plan->ctx;
    rdi_parda_checkpoint c = {.identity = r->plan->before.identity};
    rd_status status = gather_counts(r, &c);
    if (status == RD_OK)
        status = rdi_ranks_receive(r->ranks, r->me, collector, RDI_MAIL_KEPT_STATE, &c.state);
    if (status == RD_OK)
        status = rdi_parda_checkpoint_save(ctx, r->plan->checkpoint_path, &c);
    rdi_parda_checkpoint_free(ctx, &c);
    return status;
}

static rd_status keep(rdi_parda_rank *r) {
    unsigned collector = collector_of_state(r);
    rdi_u64_list counts = {0};
    rd_status status = pack_counts(r, &counts);
    if (status != RD_OK) {
        rdi_u64_list_free(r->plan->ctx, &counts);
        return status;
    }
    RD_TRY(rdi_ranks_send(r->ranks, r->me, 0, RDI_MAIL_KEPT, &counts));
    if (r->me == collector) {
        r->out.n = 0;
        RD_TRY(rdi_engine_order(r->engine, note_blocks, r));
        RD_TRY(rdi_ranks_send(r->ranks, r->me, 0, RDI_MAIL_KEPT_STATE, &r->out));
    }
    return r->me == 0 ? write_checkpoint(r, collector) : RD_OK;
}

rd_status rdi_parda_rank_begin(rdi_parda_rank *r) {
    uint64_t start = now_ns();
    if (r->tally.rounds > 0 && (r->ranks->n > 1 || r->plan->checkpoint))
        RD_TRY(reduce_state(r));
    if (r->tally.rounds > 0 && r->plan->checkpoint)
        RD_TRY(keep(r));
    r->out.n = 0;
    r->place = rank_at(r, r->tally.rounds, r->me);
    r->tally.rounds++;
    r->passed_on = r->received = 0;
    r->tally.state_ns += now_ns() - start;
    return RD_OK;
}

/* ---- local infinities ---- */

/* Sends blocks to the left, as many as the bound allows: a block after `bound` other local
 * infinities is infinite, whichever rank has its previous reference. At place 0 all are
 * infinite. */
static rd_status pass_on(rdi_parda_rank *r, const uint64_t *blocks, size_t n, size_t *accepted) {
    uint64_t room = r->place ? r->plan->bound - r->passed_on : 0;
    *accepted = n < room ? n : (size_t)room;
    r->passed_on += *accepted;
    RD_TRY(rdi_u64_list_append(r->plan->ctx, &r->out, blocks, *accepted));
    if (r->plan->postfix || r->out.n < LETTER)
        return RD_OK;
    return send_infinite(r, r->place - 1, &r->out);
}

/* Collects the local infinities of the chunk. The engine counts them as infinite. */
static rd_status note_first(void *user, const uint64_t *blocks, size_t n) {
    rdi_parda_rank *r = user;
    size_t accepted = 0;
    RD_TRY(pass_on(r, blocks, n, &accepted));
    r->tally.uncounted += r->plan->postfix ? 0 : accepted;
    return RD_OK;
}

rd_status rdi_parda_rank_feed(rdi_parda_rank *r, const uint64_t *blocks, size_t n) {
    r->tally.references += n;
    return rdi_engine_count(r->engine, blocks, n, note_first, r);
}

/* ---- pipelined fix-up ---- */

/* Resolves at most RDI_FEED_MAX local infinities from the right and counts those that are known
 * here. */
static rd_status resolve(rdi_parda_rank *r, const uint64_t *blocks, size_t n) {
    uint64_t dist[RDI_FEED_MAX], unknown[RDI_FEED_MAX];
    size_t n_unknown = 0, n_known = 0, accepted = 0;
    RD_TRY(r->plan->take ? rdi_engine_take(r->engine, blocks, n, dist)
                         : rdi_engine_measure(r->engine, blocks, n, dist));
    for (size_t i = 0; i < n; i++) {
        if (dist[i] == RD_COLD) {
            unknown[n_unknown++] = blocks[i];
            continue;
        }
        /* Earlier local infinities were removed or never inserted here: all of them are newer and
         * distinct. */
        uint64_t d = dist[i] + (r->plan->take ? r->received + i : 0);
        dist[n_known++] = d < r->plan->bound ? d : RD_COLD;
    }
    r->received += n;
    RD_TRY(rdi_hist_add(r->hist, dist, n_known));
    RD_TRY(pass_on(r, unknown, n_unknown, &accepted));
    return rdi_hist_add_many(r->hist, RD_COLD, n_unknown - accepted);
}

static rd_status resolve_list(rdi_parda_rank *r, const rdi_u64_list *list,
                              rd_status (*resolve_part)(rdi_parda_rank *, const uint64_t *,
                                                        size_t)) {
    for (size_t at = 0; at < list->n; at += RDI_FEED_MAX)
        RD_TRY(resolve_part(r, list->at + at,
                            list->n - at < RDI_FEED_MAX ? list->n - at : RDI_FEED_MAX));
    return RD_OK;
}

/* Resolves the local infinities that the next place sends, until an empty letter arrives, and sends
 * the unresolved ones to the previous place. */
static rd_status fix_up_pipelined(rdi_parda_rank *r) {
    bool more = r->place + 1 < r->ranks->n;
    while (more) {
        rdi_u64_list list = {0};
        RD_TRY(receive_infinite(r, r->place + 1, &list));
        more = list.n > 0;
        rd_status status = resolve_list(r, &list, resolve);
        rdi_u64_list_free(r->plan->ctx, &list);
        RD_TRY(status);
    }
    if (r->place == 0)
        return RD_OK;
    if (r->out.n > 0)
        RD_TRY(send_infinite(r, r->place - 1, &r->out));
    return send_infinite(r, r->place - 1, &(rdi_u64_list){0});
}

/* ---- postfix fix-up ---- */

/* Resolves local infinities whose blocks enter the own state as they come. Blocks from the right
 * are newer than all own blocks. If a block has fewer newer blocks than have come from the right,
 * it came from the right itself, and a rank in between has its previous reference. */
static rd_status resolve_replicated(rdi_parda_rank *r, const uint64_t *blocks, size_t n) {
    uint64_t dist[RDI_FEED_MAX], unknown[RDI_FEED_MAX];
    size_t n_unknown = 0, n_known = 0, accepted = 0;
    RD_TRY(rdi_engine_measure(r->engine, blocks, n, dist));
    for (size_t i = 0; i < n; i++) {
        if (dist[i] < r->received)
            continue;
        r->received++;
        if (dist[i] == RD_COLD)
            unknown[n_unknown++] = blocks[i];
        else
            dist[n_known++] = dist[i];
    }
    r->tally.uncounted += n_known;
    RD_TRY(rdi_hist_add(r->hist, dist, n_known));
    return pass_on(r, unknown, n_unknown, &accepted);
}

static rd_status send_copy(rdi_parda_rank *r, unsigned place) {
    rdi_u64_list copy = {0};
    RD_TRY(rdi_u64_list_append(r->plan->ctx, &copy, r->out.at, r->out.n));
    return send_infinite(r, place, &copy);
}

static rd_status fix_up_postfix(rdi_parda_rank *r) {
    for (unsigned step = 1; step < r->ranks->n; step *= 2) {
        if (r->place >= step)
            RD_TRY(send_copy(r, r->place - step));
        if (r->ranks->n - r->place <= step)
            continue;
        rdi_u64_list list = {0};
        RD_TRY(receive_infinite(r, r->place + step, &list));
        rd_status status = resolve_list(r, &list, resolve_replicated);
        rdi_u64_list_free(r->plan->ctx, &list);
        RD_TRY(status);
    }
    return RD_OK;
}

rd_status rdi_parda_rank_end(rdi_parda_rank *r) {
    uint64_t start = now_ns();
    RD_TRY(r->plan->postfix ? fix_up_postfix(r) : fix_up_pipelined(r));
    r->tally.fixup_ns += now_ns() - start;
    return RD_OK;
}
