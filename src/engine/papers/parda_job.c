/* Runs a rank of an analysis, and serves the analyses that another process announces. See
 * parda_job.h. */
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
        RD_TRY(rdi_ranks_receive(r->ranks, r->me, 0, RDI_MESSAGE_BATCH, &batch));
        more = batch.n > 0;
        rd_status status = rdi_parda_rank_feed(r, batch.at, batch.n);
        rdi_u64_list_free(r->plan->chunk.ctx, &batch);
        RD_TRY(status);
    }
    return RD_OK;
}

/* Runs the rounds whose references rank 0 distributes. A message with the digest of all earlier
 * references announces each round. An empty message ends the trace. */
static rd_status run_dealt(rdi_parda_rank *r) {
    while (true) {
        rdi_u64_list round = {0};
        RD_TRY(rdi_ranks_receive(r->ranks, r->me, 0, RDI_MESSAGE_ROUND, &round));
        bool more = round.n > 0;
        r->digest = more ? round.at[0] : 0;
        rdi_u64_list_free(r->plan->chunk.ctx, &round);
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

/* Keeps every rank at most one round ahead of rank 0, because messages to rank 0 wait in memory: in
 * each round but the last, rank 0 sends a message that the other ranks receive before the next
 * round. */
static rd_status keep_step(rdi_parda_rank *r, bool first, bool last) {
    rdi_u64_list step = {0};
    if (r->me > 0)
        return first ? RD_OK : rdi_ranks_receive(r->ranks, r->me, 0, RDI_MESSAGE_ROUND, &step);
    for (unsigned i = 1; i < r->ranks->n && !last; i++)
        RD_TRY(rdi_ranks_send(r->ranks, 0, i, RDI_MESSAGE_ROUND, &step));
    return RD_OK;
}

/* Runs all rounds of a trace that the ranks read themselves. Every rank computes where its chunks
 * begin. */
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
    RD_TRY(job->parts.open(job->plan.chunk.ctx, job->parts.what, job->parts.user, &reader));
    rd_status status = run_rounds(job, r, reader);
    job->parts.close(reader);
    return status;
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
    return rdi_parda_rank_result(r);
}

/* ---- other processes ---- */

static size_t words(size_t bytes) {
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static rd_status append_bytes(rd_ctx *ctx, rdi_u64_list *list, const void *bytes, size_t n) {
    RD_TRY(rdi_u64_list_reserve(ctx, list, list->n + words(n)));
    memset(list->at + list->n, 0, words(n) * sizeof *list->at);
    memcpy(list->at + list->n, bytes, n);
    list->n += words(n);
    return RD_OK;
}

/* Packs a job and the two texts that it points to. The job is copied as it is in memory, because
 * every process runs the same program. The receiver replaces all pointers. */
static rd_status pack_job(const rdi_parda_job *job, rdi_u64_list *out) {
    const rdi_chunk_plan *chunk = &job->plan.chunk;
    const char *what = job->parts.open ? job->parts.what : "";
    RD_TRY(append_bytes(chunk->ctx, out, job, sizeof *job));
    RD_TRY(append_bytes(chunk->ctx, out, chunk->engine, strlen(chunk->engine) + 1));
    return append_bytes(chunk->ctx, out, what, strlen(what) + 1);
}

rd_status rdi_parda_announce(const rdi_parda_job *job, rdi_ranks *ranks) {
    for (unsigned i = ranks->first + ranks->here; i < ranks->n; i++) {
        rdi_u64_list message = {0};
        rd_status status = pack_job(job, &message);
        if (status != RD_OK) {
            rdi_u64_list_free(job->plan.chunk.ctx, &message);
            return status;
        }
        RD_TRY(rdi_ranks_send(ranks, 0, i, RDI_MESSAGE_JOB, &message));
        ranks->busy = true;
    }
    return RD_OK;
}

/* Unpacks a job. Its texts remain part of the message, so the message must outlive the job. */
static void unpack_job(rd_ctx *ctx, const rdi_u64_list *message, const rd_parts *parts,
                       rdi_parda_job *job) {
    const uint64_t *texts = message->at + words(sizeof *job);
    memcpy(job, message->at, sizeof *job);
    job->plan.chunk.ctx = ctx;
    job->plan.chunk.engine = (const char *)texts;
    job->plan.checkpoint_path = NULL;
    job->plan.before = (rdi_parda_checkpoint){0};
    if (job->parts.open) {
        uint64_t references = job->parts.references;
        job->parts = *parts;
        job->parts.references = references;
        job->parts.what = (const char *)(texts + words(strlen(job->plan.chunk.engine) + 1));
    }
}

static rd_status serve_one(rdi_ranks *ranks, const rdi_parda_job *job) {
    rd_ctx_set_limit(job->plan.chunk.ctx, (size_t)job->mem_bytes);
    rdi_parda_rank rank;
    rd_status status = rdi_parda_rank_open(&rank, &job->plan, ranks, ranks->first);
    if (status == RD_OK)
        status = rdi_parda_run(job, &rank);
    rdi_parda_rank_close(&rank);
    return status;
}

rd_status rdi_parda_serve(rd_ctx *ctx, rdi_ranks *ranks, const rd_parts *parts) {
    while (true) {
        rdi_u64_list message = {0};
        RD_TRY(rdi_ranks_receive(ranks, ranks->first, 0, RDI_MESSAGE_JOB, &message));
        if (message.n == 0)
            return RD_OK;
        rdi_parda_job job;
        unpack_job(ctx, &message, parts, &job);
        ranks->most_waiting = job.chunk_size;
        ranks->busy = true;
        rd_status status = serve_one(ranks, &job);
        rdi_u64_list_free(ctx, &message);
        RD_TRY(status);
        ranks->busy = false;
    }
}
