/* parda: counts exact distances in parallel, on ranks that share nothing. It implements Parda, and
 * Carr and Nicol's MIMD algorithm.
 *
 * chunk.h describes the algorithm, parda_rank.h the work of one rank, and parda_job.h a whole
 * analysis. This file distributes the trace to the ranks, chunk after chunk and round after round,
 * and adds up their counts. Ranks are threads of this process, or other processes. Reading
 * continues while they work, or the ranks read the trace themselves.
 *
 * Let N be the number of references, P the number of ranks, M the number of blocks, and M_i the
 * number of blocks in chunk i. Time: the time of the inner engine for N / P references and for the
 * first touches, at most M, that arrive at a rank. Memory: with the space optimization, the memory
 * of the inner engine for the sum of all M_i during a round, and for M blocks after the fix-up;
 * without it, for up to P times M blocks; with a bound, for at most P times the bound. In addition,
 * each rank needs two chunks of references. The engine returns a histogram, but no distances of
 * single references.
 *
 * Do not use it on one core. On the threads of one machine, `chunks` also returns distances.
 */
#include "base/number.h"
#include "base/threads.h"
#include "engine/papers/parda_job.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define USUAL_CHUNK ((uint64_t)1 << 22) /* default chunk size: references per rank and round */
#define LEAST_CHUNK ((uint64_t)1 << 16)
#define BATCH       65536 /* maximum number of references per message */
#define MOST_RANKS  1024

/* Default number of references per round if the ranks read the trace themselves and a checkpoint is
 * requested. */
#define USUAL_CHECKPOINT ((uint64_t)1 << 28)

#define ENDS_BEFORE      "the trace ends before the position of the checkpoint; name another file"

enum { SPACE_AUTO, SPACE_OPT, SPACE_PLAIN };

/* The engine. The thread that feeds it distributes the references. The ranks of this process run on
 * a crew. */
typedef struct parda_engine {
    uint64_t ranks_option; /* number of ranks; 0: one per MPI process, or one per thread without
                              MPI */
    uint64_t round_option; /* references per round; 0: automatic */
    const char *engine_option;
    uint32_t fixup_option; /* index of the kind of fix-up: 0 is pipelined, 1 is postfix */
    uint32_t space_option; /* one of SPACE_* */
    bool rename_option;
    rdi_run *run;
    rdi_parda_job job;
    rdi_ranks *ranks;     /* the ranks, which the engine or the context owns */
    rdi_parda_rank *rank; /* the ranks of this process */
    rdi_crew *crew;
    /* Fields for distributing the references. */
    uint64_t round;     /* number of the current or next round */
    unsigned place;     /* place of the rank that gets the next references */
    uint64_t given;     /* number of references that this rank got in this round */
    rdi_u64_list batch; /* the batch that is being filled */
    uint64_t skip;      /* number of references still to be skipped, because the checkpoint has
                           counted them */
    uint64_t digest;    /* digest of all references so far, for the next checkpoint */
} parda_engine;

/* ---- the ranks of this process ---- */

static void crew_member(void *arg, unsigned worker) {
    parda_engine *e = arg;
    rd_status status = rdi_parda_run(&e->job, &e->rank[worker - 1]);
    if (status != RD_OK)
        rdi_ranks_fail(e->ranks, status);
}

static rd_status start_crew(parda_engine *e) {
    RD_TRY(rdi_parda_announce(&e->job, e->ranks));
    RD_TRY(rdi_crew_new(e->run->ctx, e->ranks->here, crew_member, e, &e->crew));
    if (rdi_crew_size(e->crew) == e->ranks->here)
        return RD_OK;
    return rdi_fail(e->run->ctx, RD_ENOMEM,
                    "engine parda: the system cannot start %u threads; use fewer threads or ranks",
                    e->ranks->here);
}

/* Makes the ranks of this process fail with `status`, and waits until they have ended. Afterwards,
 * none of them can replace the error message. */
static void stop_crew(parda_engine *e, rd_status status) {
    rdi_ranks_fail(e->ranks, status);
    rdi_crew_free(e->crew);
    e->crew = NULL;
}

/* ---- distributing the references ---- */

static rd_status begin_round(parda_engine *e) {
    for (unsigned i = 0; i < e->ranks->n; i++) {
        rdi_u64_list message = {0};
        RD_TRY(rdi_u64_list_append(e->run->ctx, &message, &e->digest, 1));
        RD_TRY(rdi_ranks_send(e->ranks, 0, i, RDI_MESSAGE_ROUND, &message));
    }
    return RD_OK;
}

static rd_status send_batch(parda_engine *e) {
    unsigned to = rdi_parda_place(&e->job.plan, e->ranks->n, e->round, e->place);
    return rdi_ranks_send(e->ranks, 0, to, RDI_MESSAGE_BATCH, &e->batch);
}

static rd_status end_chunk(parda_engine *e) {
    if (e->batch.n > 0)
        RD_TRY(send_batch(e));
    RD_TRY(send_batch(e)); /* an empty message ends the chunk */
    e->given = 0;
    if (++e->place == e->ranks->n) {
        e->place = 0;
        e->round++;
    }
    return RD_OK;
}

static rd_status distribute(parda_engine *e, const uint64_t *blk, size_t n) {
    while (n > 0) {
        if (e->place == 0 && e->given == 0)
            RD_TRY(begin_round(e));
        size_t part = BATCH - e->batch.n;
        uint64_t left = e->job.chunk_size - e->given;
        part = part < left ? part : (size_t)left;
        part = part < n ? part : n;
        RD_TRY(rdi_u64_list_append(e->run->ctx, &e->batch, blk, part));
        if (e->run->in->checkpoint)
            e->digest = rdi_parda_digest(e->digest, blk, part);
        e->given += part;
        blk += part;
        n -= part;
        if (e->given == e->job.chunk_size)
            RD_TRY(end_chunk(e));
        else if (e->batch.n == BATCH)
            RD_TRY(send_batch(e));
    }
    return RD_OK;
}

/* Completes the last round with empty chunks, and tells the ranks that there are no more rounds. */
static rd_status end_dealing(parda_engine *e) {
    while (e->place > 0 || e->given > 0)
        RD_TRY(end_chunk(e));
    for (unsigned i = 0; i < e->ranks->n; i++)
        RD_TRY(rdi_ranks_send(e->ranks, 0, i, RDI_MESSAGE_ROUND, &(rdi_u64_list){0}));
    return RD_OK;
}

/* ---- results ---- */

static void make_note(parda_engine *e, const rdi_parda_tally *tally) {
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note,
                 "%u rank%s on %s, %" PRIu64 " round%s; fix-up %.3f s, state %.3f s; busiest rank "
                 "%.3f s, largest process %.1f MiB",
                 e->ranks->n, e->ranks->n == 1 ? "" : "s", e->ranks->transport, tally->rounds,
                 tally->rounds == 1 ? "" : "s", (double)tally->fixup_ns * 1e-9,
                 (double)tally->state_ns * 1e-9, (double)tally->busy_ns * 1e-9,
                 (double)tally->peak_bytes / 0x1p20);
}

static rd_status collect_results(parda_engine *e) {
    rdi_parda_tally tally = {0};
    for (unsigned i = 0; i < e->ranks->n; i++)
        RD_TRY(rdi_parda_receive_result(e->ranks, RDI_MESSAGE_RESULT, i, e->run->out.hist, &tally,
                                        e->run->ctx));
    rdi_hist_uncount_infinite(e->run->out.hist, tally.recounted);
    if (e->job.parts.open)
        e->run->out.fed = e->job.plan.before.references + tally.references;
    e->ranks->busy = false;
    make_note(e, &tally);
    return RD_OK;
}

/* ---- resuming from a checkpoint ---- */

/* Opens the ranks of this process, or opens them again. Rank 0 gets the state of the checkpoint, if
 * there is one. */
static rd_status open_ranks(parda_engine *e) {
    for (unsigned i = 0; i < e->ranks->here; i++) {
        rdi_parda_rank_close(&e->rank[i]);
        e->rank[i] = (rdi_parda_rank){0};
        RD_TRY(rdi_parda_rank_open(&e->rank[i], &e->job.plan, e->ranks, e->ranks->first + i));
    }
    return RD_OK;
}

static rd_status resume(parda_engine *e, bool parts) {
    rdi_parda_plan *plan = &e->job.plan;
    if (!e->run->in->checkpoint)
        return RD_OK;
    rd_binning binning = plan->chunk.binning;
    plan->before.identity = rdi_parda_identity(e->run->in->checkpoint_of, parts, plan->chunk.bound,
                                               (uint64_t)binning.kind, binning.param);
    RD_TRY(rdi_parda_checkpoint_load(e->run->ctx, e->run->in->checkpoint, &plan->before));
    const rdi_u64_list *counts = &plan->before.counts;
    if (counts->n)
        RD_TRY(rdi_hist_add_packed(e->run->out.hist, counts->at, counts->n));
    RD_TRY(open_ranks(e));
    rdi_u64_list_free(e->run->ctx, &plan->before.state);
    return RD_OK;
}

static rd_status begin_dealing(parda_engine *e) {
    RD_TRY(resume(e, false));
    e->skip = e->job.plan.before.position;
    return start_crew(e);
}

static rd_status refuse_checkpoint(parda_engine *e, const char *why) {
    return rdi_fail(e->run->ctx, RD_EINVAL, "%s: %s", e->run->in->checkpoint, why);
}

/* Skips n references that the checkpoint has counted. After the last one, fails if the digest of
 * the skipped references differs from the digest in the checkpoint. */
static rd_status skip(parda_engine *e, const uint64_t *blk, size_t n) {
    e->digest = rdi_parda_digest(e->digest, blk, n);
    e->skip -= n;
    if (n > 0 && e->skip == 0 && e->digest != e->job.plan.before.digest)
        return refuse_checkpoint(e, "this is the checkpoint of another trace; name another file");
    return RD_OK;
}

/* ---- the engine ---- */

static rd_status choose_resolving(parda_engine *e, rdi_resolving *resolving) {
    if (e->space_option == SPACE_OPT && e->fixup_option)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine parda: space=opt needs fixup=pipelined, not postfix");
    *resolving = e->fixup_option                  ? RDI_RESOLVE_REPLICATED
                 : e->space_option == SPACE_PLAIN ? RDI_RESOLVE_INSERT
                                                  : RDI_RESOLVE_TAKE;
    return RD_OK;
}

/* Chooses the ranks. If the context has MPI processes and the option `ranks` is not given, the
 * ranks are these processes. Otherwise they are threads. */
static rd_status choose_ranks(parda_engine *e) {
    rdi_ranks *others = rdi_ctx_ranks(e->run->ctx);
    uint64_t n = e->ranks_option ? e->ranks_option : e->run->in->threads;
    if (!others || e->ranks_option)
        return rdi_ranks_threads(e->run->ctx, (unsigned)(n < MOST_RANKS ? n : MOST_RANKS),
                                 &e->ranks);
    if (others->busy)
        return rdi_fail(
            e->run->ctx, RD_ESTATE,
            "engine parda: another engine uses the ranks of this program; close it first");
    e->ranks = others;
    return RD_OK;
}

/* Returns the chunk size in references. If the option `phase` is given, the size follows from it
 * or, if the trace is shorter than a round, from the length of the trace. Without `phase`, the size
 * is at most a rank's share of the trace, and waiting references may use an eighth of the memory
 * limit, but a chunk has at least LEAST_CHUNK references. */
static uint64_t choose_chunk(const parda_engine *e) {
    uint64_t n = e->ranks->n, expected = (e->run->in->references + n - 1) / n;
    if (e->round_option && e->run->in->references && e->run->in->references < e->round_option)
        return expected;
    if (e->round_option)
        return (e->round_option + n - 1) / n;
    uint64_t size = expected && expected < USUAL_CHUNK ? expected : USUAL_CHUNK;
    uint64_t affordable = e->run->in->mem_bytes / (8 * 2 * sizeof(uint64_t) * n);
    size = size < affordable ? size : affordable;
    return size > LEAST_CHUNK ? size : LEAST_CHUNK;
}

static rd_status parda_open(void *self, rdi_run *run) {
    parda_engine *e = self;
    e->run = run;
    e->job.plan = (rdi_parda_plan){.chunk = {.ctx = run->ctx,
                                             .engine = e->engine_option,
                                             .binning = rdi_hist_binning(run->out.hist),
                                             .bound = run->in->bound},
                                   .rename = e->rename_option,
                                   .checkpoint = run->in->checkpoint != NULL,
                                   .checkpoint_path = run->in->checkpoint};
    RD_TRY(choose_resolving(e, &e->job.plan.chunk.resolving));
    e->job.mem_bytes = run->in->mem_bytes == UINT64_MAX ? 0 : run->in->mem_bytes;
    if (run->in->checkpoint)
        RD_TRY(rdi_parda_checkpoint_check(run->ctx, run->in->checkpoint));
    RD_TRY(choose_ranks(e));
    e->job.chunk_size = choose_chunk(e);
    e->ranks->most_waiting = e->ranks->n > 1 ? e->job.chunk_size : 4 * BATCH;
    e->rank = rdi_calloc(run->ctx, e->ranks->here, sizeof *e->rank);
    if (!e->rank)
        return RD_ENOMEM;
    return open_ranks(e);
}

static rd_status parda_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    parda_engine *e = self;
    (void)dist;
    rd_status status = e->crew ? RD_OK : begin_dealing(e);
    size_t skipped = e->skip < n ? (size_t)e->skip : n;
    if (status == RD_OK)
        status = skip(e, blk, skipped);
    if (status == RD_OK)
        status = distribute(e, blk + skipped, n - skipped);
    if (status != RD_OK)
        stop_crew(e, status);
    return status;
}

/* Starts ranks that read the trace themselves. Unless the option `phase` gives a length or
 * checkpoints are requested, the whole trace is one round, because no references wait in memory. */
static rd_status begin_parts(parda_engine *e, const rd_parts *parts) {
    uint64_t n = e->ranks->n;
    e->job.parts = *parts;
    if (!e->round_option)
        e->job.chunk_size =
            e->run->in->checkpoint ? USUAL_CHECKPOINT / n : parts->references / n + 1;
    e->job.plan.round_references = e->job.chunk_size * n;
    RD_TRY(resume(e, true));
    e->job.start = e->job.plan.before.position;
    if (e->job.start > parts->references)
        return refuse_checkpoint(e, ENDS_BEFORE);
    return start_crew(e);
}

static rd_status parda_feed_parts(void *self, const rd_parts *parts) {
    parda_engine *e = self;
    rd_status status = begin_parts(e, parts);
    if (status != RD_OK)
        stop_crew(e, status);
    return status;
}

static rd_status finish(parda_engine *e) {
    if (!e->job.parts.open) {
        RD_TRY(e->crew ? RD_OK : begin_dealing(e));
        if (e->skip > 0)
            return refuse_checkpoint(e, ENDS_BEFORE);
        RD_TRY(end_dealing(e));
    }
    return collect_results(e);
}

static rd_status parda_finish(void *self) {
    parda_engine *e = self;
    rd_status status = finish(e);
    if (status != RD_OK)
        stop_crew(e, status);
    rdi_crew_free(e->crew);
    e->crew = NULL;
    return status;
}

static void parda_close(void *self) {
    parda_engine *e = self;
    if (!e->run)
        return;
    if (e->crew) /* the analysis has not finished */
        stop_crew(e, RD_ESTATE);
    for (unsigned i = 0; e->rank && i < e->ranks->here; i++)
        rdi_parda_rank_close(&e->rank[i]);
    rdi_free(e->run->ctx, e->rank);
    rdi_u64_list_free(e->run->ctx, &e->batch);
    rdi_parda_checkpoint_free(e->run->ctx, &e->job.plan.before);
    rdi_ranks_close(e->ranks);
}

static const rd_opt parda_opts[] = {
    {.name = "ranks",
     .type = RD_OPT_U64,
     .offset = offsetof(parda_engine, ranks_option),
     .def = "0",
     .min = 0,
     .max = MOST_RANKS,
     .help =
         "number of ranks that share the trace; 0: one per MPI process, or, without MPI, one per "
         "thread"},
    {.name = "engine",
     .type = RD_OPT_STRING,
     .offset = offsetof(parda_engine, engine_option),
     .def = "stream",
     .help = "exact engine for the chunks: NAME[/key=value/...]"},
    {.name = "fixup",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(parda_engine, fixup_option),
     .def = "pipelined",
     .choices = "pipelined|postfix",
     .help = "how ranks resolve first touches; pipelined: each rank passes them to the rank before "
             "it; postfix: all ranks resolve them together in log2(ranks) steps"},
    {.name = "space",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(parda_engine, space_option),
     .def = "auto",
     .choices = "auto|opt|plain",
     .help = "opt: only one rank keeps each block; plain: several ranks may keep it; auto: opt if "
             "possible"},
    {.name = "phase",
     .type = RD_OPT_SIZE,
     .offset = offsetof(parda_engine, round_option),
     .def = "0",
     .min = 0,
     .max = 0x1p40,
     .help =
         "references per round; the state is collected after each round. 0: automatic, at most 4M "
         "references per rank. If the ranks read the trace themselves, 0 means the whole trace in "
         "one round, or 256M references per round with --checkpoint"},
    {.name = "rename",
     .type = RD_OPT_BOOL,
     .offset = offsetof(parda_engine, rename_option),
     .def = "on",
     .help = "let the rank that collected the state be the first in the next round; off: the same "
             "rank collects the state after every round"},
    {0},
};

static const char *const parda_variants[] = {
    "ranks=2,phase=3K",
    "ranks=3,phase=5001,rename=off,engine=olken",
    "ranks=4,phase=6K,space=plain,engine=bk",
    "ranks=5,phase=8K,fixup=postfix",
    NULL,
};

const rdi_engine_ops rdi_engine_parda = {
    .info =
        {
            .name = "parda",
            .summary =
                "Parda: ranks without shared memory analyze rounds, with two ways to resolve "
                "first touches",
            .card =
                "Each rank analyzes a chunk alone with an exact engine (engine=NAME/key=value).\n"
                "The ranks of earlier chunks resolve its first touches: fixup=pipelined from\n"
                "rank to rank (Parda), fixup=postfix in log2(ranks) steps (Carr and Nicol). With\n"
                "space=opt an earlier rank that finds a block removes it, so that only one rank\n"
                "keeps it. After each round one rank collects the state and continues with it:\n"
                "the last rank, which becomes the first (rename=on), or always the same rank\n"
                "(rename=off).\n"
                "\n"
                "Memory: O(M) for M blocks after a round; up to ranks x M with space=plain and\n"
                "with postfix; with a bound, at most the bound per rank. In addition, each rank\n"
                "needs two chunks of references. The result is only a histogram. On the threads\n"
                "of one machine, chunks also gives distances.\n"
                "\n"
                "Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance\n"
                "analysis algorithm. IPDPS 2012. E. Carr, D. M. Nicol. Empirical study of\n"
                "parallel LRU simulation algorithms. ICASE 94-87, 1994.",
            .caps = RD_CAP_BOUND | RD_CAP_THREADS | RD_CAP_PARTS | RD_CAP_CHECKPOINT,
            .error_kind = "exact",
            .opts = parda_opts,
            .variants = parda_variants,
        },
    .state_size = sizeof(parda_engine),
    .open = parda_open,
    .feed = parda_feed,
    .feed_parts = parda_feed_parts,
    .finish = parda_finish,
    .close = parda_close,
};
