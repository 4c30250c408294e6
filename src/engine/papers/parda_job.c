/* Running a rank, in this process or in another. See parda_job.h. */
#include "engine/papers/parda_job.h"

#include <string.h>
#include <time.h>

/* ---- one rank ---- */

static rd_status feed_rank(void *user, const uint64_t *blocks, size_t n) {
    return rdi_parda_rank_feed(user, blocks, n);
}

static rd_status run_dealt_chunk(rdi_parda_rank *r) {
    for (bool more = true; more;) {
        rdi_u64_list batch = {0};
        RD_TRY(rdi_ranks_receive(r->ranks, r->me, 0, RDI_MAIL_BATCH, &batch));
        more = batch.n > 0;
        rd_status status = rdi_parda_rank_feed(r, batch.at, batch.n);
        rdi_u64_list_free(r->plan->ctx, &batch);
        RD_TRY(status);
    }
    return RD_OK;
}

/* Runs the rounds that rank 0 deals. A letter announces each round, with the digest of all earlier
 * references; an empty letter is the end. */
static rd_status run_dealt(rdi_parda_rank *r) {
    while (true) {
        rdi_u64_list round = {0};
        RD_TRY(rdi_ranks_receive(r->ranks, r->me, 0, RDI_MAIL_ROUND, &round));
        bool more = round.n > 0;
        r->digest = more ? round.at[0] : 0;
        rdi_u64_list_free(r->plan->ctx, &round);
        if (!more)
            return RD_OK;
        RD_TRY(rdi_parda_rank_begin(r));
        RD_TRY(run_dealt_chunk(r));
        RD_TRY(rdi_parda_rank_end(r));
    }
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Keeps every rank at most one round ahead of rank 0, because its letters wait in memory. */
static rd_status keep_step(rdi_parda_rank *r, bool first, bool last) {
    rdi_u64_list step = {0};
    if (r->me > 0)
        return first ? RD_OK : rdi_ranks_receive(r->ranks, r->me, 0, RDI_MAIL_ROUND, &step);
    for (unsigned i = 1; i < r->ranks->n && !last; i++)
        RD_TRY(rdi_ranks_send(r->ranks, 0, i, RDI_MAIL_ROUND, &step));
    return RD_OK;
}

/* Runs all rounds of a trace that the ranks read themselves. Every rank computes where its chunks
 * are. */
static rd_status run_rounds(const rdi_parda_job *job, rdi_parda_rank *r, void *reader) {
    uint64_t all = job->parts.references, n_ranks = r->ranks->n, round = job->chunk_size * n_ranks;
    for (uint64_t at = job->start; at < all; at += round) {
        RD_TRY(keep_step(r, at == job->start, all - at <= round));
        RD_TRY(rdi_parda_rank_begin(r));
        uint64_t left = smaller(round, all - at), share = (left + n_ranks - 1) / n_ranks;
        uint64_t first = smaller(at + r->place * share, all);
        uint64_t n = smaller(share, all - first);
        if (n > 0)
            RD_TRY(job->parts.read(reader, first, n, feed_rank, r));
        RD_TRY(rdi_parda_rank_end(r));
    }
    return RD_OK;
}

static rd_status run_parts(const rdi_parda_job *job, rdi_parda_rank *r) {
    void *reader = NULL;
    RD_TRY(job->parts.open(job->plan.ctx, job->parts.what, job->parts.user, &reader));
    rd_status status = run_rounds(job, r, reader);
    job->parts.close(reader);
    return status;
}

static rd_status send_result(rdi_parda_rank *r) {
    rdi_u64_list result = {0};
    rd_status status = rdi_parda_rank_result(r, &result);
    if (status != RD_OK) {
        rdi_u64_list_free(r->plan->ctx, &result);
        return status;
    }
    return rdi_ranks_send(r->ranks, r->me, 0, RDI_MAIL_RESULT, &result);
}

static uint64_t thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

rd_status rdi_parda_run(const rdi_parda_job *job, rdi_parda_rank *r) {
    uint64_t start = thread_ns();
    RD_TRY(job->parts.open ? run_parts(job, r) : run_dealt(r));
    r->tally.busy_ns = thread_ns() - start;
    return send_result(r);
}

/* ---- other processes ---- */

enum {
    JOB_BOUND,
    JOB_BINNING,
    JOB_BINNING_PARAM,
    JOB_POSTFIX,
    JOB_TAKE,
    JOB_RENAME,
    JOB_CHECKPOINT,
    JOB_START,
    JOB_CHUNK,
    JOB_WAITING,
    JOB_MEMORY,
    JOB_PARTS, /* the ranks read the trace themselves */
    JOB_REFERENCES,
    JOB_ENGINE_BYTES, /* lengths of the two texts that follow, with their NUL */
    JOB_WHAT_BYTES,
    JOB_NUMBERS
};

static rd_status append_text(rd_ctx *ctx, rdi_u64_list *list, const char *text, size_t bytes) {
    size_t words = (bytes + 7) / 8;
    RD_TRY(rdi_u64_list_reserve(ctx, list, list->n + words));
    memset(list->at + list->n, 0, words * sizeof *list->at);
    memcpy(list->at + list->n, text, bytes);
    list->n += words;
    return RD_OK;
}

static rd_status pack_job(const rdi_parda_job *job, const rdi_ranks *ranks, rdi_u64_list *out) {
    const rdi_parda_plan *plan = &job->plan;
    const char *what = job->parts.open ? job->parts.what : "";
    const uint64_t numbers[JOB_NUMBERS] = {
        [JOB_BOUND] = plan->bound,
        [JOB_BINNING] = (uint64_t)plan->binning.kind,
        [JOB_BINNING_PARAM] = plan->binning.param,
        [JOB_POSTFIX] = plan->postfix,
        [JOB_TAKE] = plan->take,
        [JOB_RENAME] = plan->rename,
        [JOB_CHECKPOINT] = plan->checkpoint,
        [JOB_START] = job->start,
        [JOB_CHUNK] = job->chunk_size,
        [JOB_WAITING] = ranks->most_waiting,
        [JOB_MEMORY] = job->mem_bytes,
        [JOB_PARTS] = job->parts.open != NULL,
        [JOB_REFERENCES] = job->parts.references,
        [JOB_ENGINE_BYTES] = strlen(plan->engine) + 1,
        [JOB_WHAT_BYTES] = strlen(what) + 1,
    };
    RD_TRY(rdi_u64_list_append(plan->ctx, out, numbers, JOB_NUMBERS));
    RD_TRY(append_text(plan->ctx, out, plan->engine, (size_t)numbers[JOB_ENGINE_BYTES]));
    return append_text(plan->ctx, out, what, (size_t)numbers[JOB_WHAT_BYTES]);
}

rd_status rdi_parda_announce(const rdi_parda_job *job, rdi_ranks *ranks) {
    for (unsigned i = ranks->first + ranks->here; i < ranks->n; i++) {
        rdi_u64_list letter = {0};
        rd_status status = pack_job(job, ranks, &letter);
        if (status != RD_OK) {
            rdi_u64_list_free(job->plan.ctx, &letter);
            return status;
        }
        RD_TRY(rdi_ranks_send(ranks, 0, i, RDI_MAIL_JOB, &letter));
        ranks->busy = true;
    }
    return RD_OK;
}

/* Unpacks a job. The texts stay in the letter. */
static void unpack_job(rd_ctx *ctx, const rdi_u64_list *letter, const rd_parts *parts,
                       rdi_ranks *ranks, rdi_parda_job *job) {
    const uint64_t *number = letter->at;
    const char *engine = (const char *)(number + JOB_NUMBERS);
    *job = (rdi_parda_job){
        .plan = {.ctx = ctx,
                 .engine = engine,
                 .binning = {(rd_binning_kind)number[JOB_BINNING], number[JOB_BINNING_PARAM]},
                 .bound = number[JOB_BOUND],
                 .postfix = number[JOB_POSTFIX],
                 .take = number[JOB_TAKE],
                 .rename = number[JOB_RENAME],
                 .checkpoint = number[JOB_CHECKPOINT]},
        .start = number[JOB_START],
        .chunk_size = number[JOB_CHUNK],
        .mem_bytes = number[JOB_MEMORY],
    };
    ranks->most_waiting = number[JOB_WAITING];
    if (number[JOB_PARTS]) {
        job->parts = *parts;
        job->parts.references = number[JOB_REFERENCES];
        job->parts.what = engine + (number[JOB_ENGINE_BYTES] + 7) / 8 * 8;
    }
}

static rd_status serve_one(rdi_ranks *ranks, const rdi_parda_job *job) {
    rd_ctx_set_limit(job->plan.ctx, (size_t)job->mem_bytes);
    rdi_parda_rank rank;
    rd_status status = rdi_parda_rank_open(&rank, &job->plan, ranks, ranks->first);
    if (status == RD_OK)
        status = rdi_parda_run(job, &rank);
    rdi_parda_rank_close(&rank);
    return status;
}

rd_status rdi_parda_serve(rd_ctx *ctx, rdi_ranks *ranks, const rd_parts *parts) {
    while (true) {
        rdi_u64_list letter = {0};
        RD_TRY(rdi_ranks_receive(ranks, ranks->first, 0, RDI_MAIL_JOB, &letter));
        if (letter.n == 0)
            return RD_OK;
        rdi_parda_job job;
        unpack_job(ctx, &letter, parts, ranks, &job);
        ranks->busy = true;
        rd_status status = serve_one(ranks, &job);
        rdi_u64_list_free(ctx, &letter);
        RD_TRY(status);
        ranks->busy = false;
    }
}
