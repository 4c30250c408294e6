/* chunks: measures exact distances in parallel, with the chunks of a trace on threads that share
 * memory.
 *
 * chunk.h describes the algorithm. A round of the trace is cut into one chunk per thread. Rank i
 * analyzes chunk i slice by slice, and then resolves the slices of the later chunks. The last chunk
 * of a round is the longest, because its rank resolves no other chunk. Rank 0 has no chunk: it
 * holds the past, which is everything before the round. So the other ranks can begin the next round
 * before the past has taken over their blocks. A long feed, or a trace in parts, is one round if no
 * distances are requested. The option `chunk` limits the length of these rounds.
 *
 * Any thread can execute any step that is due, of any rank, so that no thread waits while another
 * rank has work. Lists of first touches are neither copied nor sent, because a step finds the lists
 * of its slice where the previous rank left them.
 *
 * Time: the time of the inner engine divided by the number of threads, as long as there are few
 * first touches, because a first touch is looked up at least twice instead of once. Memory: the
 * memory of the inner engine once per thread and once for the past, and two rounds of references,
 * unless the caller feeds a whole trace at once or in parts. Distances are late by up to two
 * rounds. The result does not depend on threads, chunks or timing.
 *
 * Do not use this engine on few threads if most references of a chunk are first touches, because
 * `relay` is then faster.
 */
#include "engine/fast/chunks.h"

#include "base/number.h"

#include <stddef.h>
#include <stdio.h>

#define USUAL_CHUNK ((size_t)1 << 20)
#define MOST_CHUNK  ((size_t)1 << 23)
/* A trace has many first touches if they are more than 1 in 20 references. */
#define MANY_FIRSTS  20
#define MOST_THREADS 256

/* ---- sizes of chunks ---- */

/* Returns the largest automatic chunk size, in references. References that wait in memory may use
 * an eighth of the memory limit, and distances another eighth. */
static size_t most_references(const rdi_chunks *e) {
    uint64_t affordable = e->run->in->mem_bytes / (16 * sizeof(uint64_t) * e->n_chunks);
    return affordable < MOST_CHUNK ? (size_t)affordable : MOST_CHUNK;
}

/* Returns the number of references in the first chunks. For a short trace it is smaller than usual,
 * so that all threads get work. One thread does not need to collect many references. */
static size_t first_size(const rdi_chunks *e) {
    if (e->chunk_option)
        return (size_t)e->chunk_option;
    if (e->n_chunks == 1)
        return RDI_CHUNKS_LEAST;
    uint64_t share = e->run->in->references / (4 * e->n_chunks);
    size_t size = share && share < USUAL_CHUNK ? (size_t)share : USUAL_CHUNK;
    size = size < most_references(e) ? size : most_references(e);
    return size > RDI_CHUNKS_LEAST ? size : RDI_CHUNKS_LEAST;
}

/* ---- rounds, and the threads that work on them ---- */

static void crew_member(void *arg, unsigned worker) {
    rdi_chunks *e = arg;
    (void)worker;
    rdi_monitor_enter(&e->monitor);
    while (!e->ending)
        if (!rdi_chunks_work(e))
            rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
}

/* Delivers the distances of the finished rounds, so that the memory of these rounds can be used
 * again. The caller is inside the monitor, which the function leaves while the sink works. */
static rd_status deliver(rdi_chunks *e) {
    while (e->delivered < e->ranks[0].round) {
        rdi_chunks_round *p = rdi_chunks_round_of(e, e->delivered);
        if (e->run->in->distances) {
            rdi_monitor_leave(&e->monitor);
            rd_status status = rdi_engine_deliver(e->run, p->dist.at, p->n);
            rdi_monitor_enter(&e->monitor);
            RD_TRY(status);
        }
        e->delivered++;
    }
    return RD_OK;
}

/* Executes steps, or waits for other threads, until `goal` rounds are delivered, or until a step or
 * the sink fails. */
static rd_status work_until(rdi_chunks *e, uint64_t goal) {
    rdi_monitor_enter(&e->monitor);
    rd_status status;
    while ((status = deliver(e)) == RD_OK && (status = e->status) == RD_OK && e->delivered < goal)
        if (!rdi_chunks_work(e))
            rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* Waits until the memory of the next round is free, and chooses the length of the round. Chunks
 * grow if there are many first touches, because longer chunks have relatively fewer of them. */
static rd_status begin_round(rdi_chunks *e) {
    RD_TRY(work_until(e, e->submitted < 2 ? 0 : e->submitted - 1));
    rdi_monitor_enter(&e->monitor);
    bool many = e->firsts > e->references / MANY_FIRSTS;
    rdi_monitor_leave(&e->monitor);
    if (many && e->n_chunks > 1 && !e->chunk_option && e->chunk_size <= most_references(e) / 2)
        e->chunk_size *= 2;
    e->goal = e->chunk_size * e->n_chunks;
    return RD_OK;
}

/* Submits `what` as the next round, and starts the crew if there is none yet. With one chunk per
 * round, the caller's thread works alone, without a crew. */
static rd_status submit(rdi_chunks *e, const rdi_chunks_round *what) {
    rdi_chunks_round *p = rdi_chunks_round_of(e, e->submitted);
    if (e->run->in->distances)
        RD_TRY(rdi_u64_list_reserve(e->run->ctx, &p->dist, what->n));
    p->refs = what->refs;
    p->n = what->n;
    p->parts = what->parts;
    rdi_monitor_enter(&e->monitor);
    e->submitted++;
    rdi_monitor_wake(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    if (e->crew || e->n_chunks == 1)
        return RD_OK;
    return rdi_crew_new(e->run->ctx, (unsigned)e->n_chunks - 1, crew_member, e, &e->crew);
}

static rd_status submit_own(rdi_chunks *e) {
    rdi_u64_list *own = &rdi_chunks_round_of(e, e->submitted)->own;
    rdi_chunks_round what = {.refs = own->at, .n = own->n};
    own->n = 0;
    return what.n ? submit(e, &what) : RD_OK;
}

/* Appends as many of the n references as fit into the round, and sets *part to their number.
 * Submits the round if it is full. */
static rd_status copy_in(rdi_chunks *e, const uint64_t *blk, size_t n, size_t *part) {
    rdi_u64_list *own = &rdi_chunks_round_of(e, e->submitted)->own;
    if (own->n == 0) {
        RD_TRY(begin_round(e));
        RD_TRY(rdi_u64_list_reserve(e->run->ctx, own, e->goal));
    }
    *part = n < e->goal - own->n ? n : e->goal - own->n;
    RD_TRY(rdi_u64_list_append(e->run->ctx, own, blk, *part));
    return own->n == e->goal ? submit_own(e) : RD_OK;
}

static rd_status feed_copied(rdi_chunks *e, const uint64_t *blk, size_t n) {
    for (size_t part = 0; n > 0; blk += part, n -= part)
        RD_TRY(copy_in(e, blk, n, &part));
    return RD_OK;
}

/* Analyzes the references in place, without a copy, and returns when they are done. All of them are
 * one round, because longer chunks have relatively fewer first touches. If distances are requested,
 * which need memory until they are delivered, or if the option `chunk` is given, the references are
 * divided into rounds of at most `goal` references. */
static rd_status feed_borrowed(rdi_chunks *e, const uint64_t *blk, size_t n) {
    bool whole = !e->run->in->distances && !e->chunk_option;
    for (size_t part = 0; n > 0; blk += part, n -= part) {
        RD_TRY(begin_round(e));
        part = whole || n < e->goal ? n : e->goal;
        RD_TRY(submit(e, &(rdi_chunks_round){.refs = blk, .n = part}));
    }
    return work_until(e, e->submitted);
}

static rd_status feed(rdi_chunks *e, const uint64_t *blk, size_t n) {
    if (n < 2 * e->goal)
        return feed_copied(e, blk, n);
    size_t collected = rdi_chunks_round_of(e, e->submitted)->own.n;
    size_t part = collected ? e->goal - collected : 0;
    RD_TRY(feed_copied(e, blk, part));
    return feed_borrowed(e, blk + part, n - part);
}

static rd_status finish(rdi_chunks *e) {
    RD_TRY(submit_own(e));
    return work_until(e, e->submitted);
}

/* Returns `status`. After a failure, first waits until no thread works, so that no other failure
 * can replace the message. */
static rd_status stop_crew(rdi_chunks *e, rd_status status) {
    if (status == RD_OK)
        return status;
    rdi_monitor_enter(&e->monitor);
    e->status = status;
    while (e->busy > 0)
        rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* ---- the engine ---- */

static rd_status chunks_open(void *self, rdi_run *run) {
    rdi_chunks *e = self;
    e->run = run;
    e->n_chunks = run->in->threads < MOST_THREADS ? run->in->threads : MOST_THREADS;
    e->first_share = run->in->first_share;
    e->chunk_size = first_size(e);
    e->goal = e->chunk_size * e->n_chunks;
    rdi_monitor_init(&e->monitor);
    e->plan = (rdi_chunk_plan){.ctx = run->ctx,
                               .engine = e->engine_option,
                               .binning = rdi_hist_binning(run->out.hist),
                               .bound = run->in->bound,
                               .resolving = e->resolving_option};
    e->ranks = rdi_calloc(run->ctx, e->n_chunks + 1, sizeof *e->ranks);
    for (size_t i = 0; i < RDI_COUNT(e->rounds); i++)
        e->rounds[i].chunks = rdi_calloc(run->ctx, e->n_chunks, sizeof *e->rounds[i].chunks);
    if (!e->ranks || !e->rounds[0].chunks || !e->rounds[1].chunks)
        return RD_ENOMEM;
    for (size_t i = 0; i <= e->n_chunks; i++)
        e->ranks[i].chunk_at = i ? i : 1;
    e->ranks[0].chunk.first = true;
    /* Opening the first inner engine here detects invalid options of the inner engine early. */
    return rdi_chunk_open(&e->ranks[0].chunk, &e->plan, 0);
}

static rd_status chunks_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    rdi_chunks *e = self;
    (void)dist;
    return stop_crew(e, feed(e, blk, n));
}

static rd_status chunks_feed_parts(void *self, const rd_parts *parts) {
    rdi_chunks *e = self;
    e->close_reader = parts->close;
    e->in_parts = true;
    return stop_crew(e, submit(e, &(rdi_chunks_round){.parts = parts}));
}

static rd_status count_up(rdi_chunks *e) {
    uint64_t recounted = 0;
    for (size_t i = 0; i <= e->n_chunks; i++) {
        const rdi_chunk *c = &e->ranks[i].chunk;
        if (!c->engine)
            continue;
        RD_TRY(rd_engine_finish(c->engine));
        RD_TRY(rdi_hist_merge(e->run->out.hist, rdi_engine_hist(c->engine)));
        recounted += c->recounted;
    }
    rdi_hist_uncount_infinite(e->run->out.hist, recounted);
    return RD_OK;
}

static rd_status chunks_finish(void *self) {
    rdi_chunks *e = self;
    RD_TRY(stop_crew(e, finish(e)));
    unsigned threads = 1 + rdi_crew_size(e->crew);
    double share = e->references ? 100.0 * (double)e->firsts / (double)e->references : 0;
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note, "%u thread%s, %.1f %% first touches",
                 threads, threads > 1 ? "s" : "", share);
    e->run->out.fed = e->in_parts ? e->references : 0;
    return e->run->in->distances ? RD_OK : count_up(e);
}

static void close_result(rd_ctx *ctx, rdi_chunks_result *result) {
    for (size_t s = 0; s < RDI_CHUNKS_SLICES; s++) {
        rdi_u64_list_free(ctx, &result->slice[s].open);
        rdi_u64_list_free(ctx, &result->slice[s].places);
    }
    rdi_u64_list_free(ctx, &result->state);
}

static void close_round(rdi_chunks *e, rdi_chunks_round *p) {
    for (size_t i = 0; p->chunks && i < e->n_chunks; i++)
        close_result(e->run->ctx, &p->chunks[i]);
    rdi_free(e->run->ctx, p->chunks);
    rdi_u64_list_free(e->run->ctx, &p->own);
    rdi_u64_list_free(e->run->ctx, &p->dist);
}

static void chunks_close(void *self) {
    rdi_chunks *e = self;
    if (!e->run)
        return;
    rdi_monitor_enter(&e->monitor);
    e->ending = true;
    rdi_monitor_wake(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    rdi_crew_free(e->crew);
    rdi_monitor_fini(&e->monitor);
    for (size_t i = 0; i < RDI_COUNT(e->rounds); i++)
        close_round(e, &e->rounds[i]);
    for (size_t i = 0; e->ranks && i <= e->n_chunks; i++) {
        rdi_chunk_close(&e->ranks[i].chunk);
        if (e->ranks[i].reader)
            e->close_reader(e->ranks[i].reader);
    }
    rdi_free(e->run->ctx, e->ranks);
}

static const rd_opt options[] = {
    {.name = "chunk",
     .type = RD_OPT_SIZE,
     .offset = offsetof(rdi_chunks, chunk_option),
     .def = "0",
     .max = (double)(UINT64_C(1) << 40),
     .help = "references per chunk; 0: automatic, from the fraction of first touches"},
    {.name = "engine",
     .type = RD_OPT_STRING,
     .offset = offsetof(rdi_chunks, engine_option),
     .def = "stream",
     .help = "exact engine for the chunks, with its options, for example olken/tree=avl"},
    {.name = "resolving",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(rdi_chunks, resolving_option),
     .def = "take",
     .choices = "insert|take",
     .help = "how earlier chunks look up first touches; take: they remove a block that they find, "
             "so that only one chunk has it; insert: each block becomes their newest block"},
    {0},
};

static const char *const variants[] = {"chunk=700",
                                       "chunk=50,engine=olken/tree=interval",
                                       "chunk=1000,engine=bk/arity=256",
                                       "chunk=50,engine=stream/front=on",
                                       "chunk=300,resolving=insert",
                                       NULL};

const rdi_engine_ops rdi_engine_chunks = {
    .info =
        {
            .name = "chunks",
            .summary = "Parda on threads: each thread analyzes chunks with any exact engine; for "
                       "traces with locality",
            .role = RD_ROLE_STRATEGY,
            .card =
                "Every thread (-t) analyzes a chunk of the trace alone. The first touches of a\n"
                "chunk's blocks are then resolved against the chunks before it, on all threads at\n"
                "once. The result is the same for any number of threads.\n"
                "\n"
                "Time: that of the inner engine divided by the number of threads, while first\n"
                "touches are few. Memory: that of the inner engine once per thread and once more,\n"
                "and two chunks of references per thread. Distances are delivered late. With few\n"
                "threads and many first touches, relay is faster.\n"
                "\n"
                "Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance\n"
                "analysis algorithm. IPDPS 2012.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND | RD_CAP_THREADS | RD_CAP_PARTS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(rdi_chunks),
    .open = chunks_open,
    .feed = chunks_feed,
    .feed_parts = chunks_feed_parts,
    .finish = chunks_finish,
    .close = chunks_close,
};
