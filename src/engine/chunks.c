/* chunks: exact, in parallel, for traces with locality: Parda's chunks on threads.
 *
 * The trace is cut into chunks. A worker analyses a chunk alone with any exact engine; what that
 * cannot know, the distances of the chunk's first touches, is resolved chunk after chunk against
 * the state of everything before (chunk.h). Resolving is sequential, but concerns the first touches
 * only, and goes on while later chunks are being analysed.
 *
 * Time: that of the inner engine divided by the number of threads, as long as the first touches are
 * few: a first touch is looked up three times instead of once, two of them in sequence. Memory: the
 * inner engine's for all blocks, once more for the blocks of one chunk per thread, and two chunks
 * of references per thread unless the caller feeds a whole trace at once. Distances come late, by
 * up to that many references. The result does not depend on threads, chunks or timing.
 *
 * Not for traces without locality, where every other reference of a chunk is a first touch: `batch`
 * divides those better.
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012.
 */
#include "base/threads.h"
#include "engine/chunk.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define USUAL_CHUNK  ((size_t)1 << 20)
#define LEAST_CHUNK  ((size_t)1 << 16) /* enough to pay for what a chunk costs by itself */
#define MOST_CHUNK   ((size_t)1 << 23)
#define MANY_FIRSTS  20 /* first touches are many when every 20th reference is one */
#define MOST_THREADS 256

/* A chunk on its way. Whose it is follows from its number, see below. */
typedef struct slot {
    rdi_chunk chunk;
    const uint64_t *refs; /* `own`, or the caller's while it waits in feed() */
    size_t n;
    uint64_t *own;  /* room for `own_room` references */
    uint64_t *dist; /* of the chunk, when distances are wanted: room for `dist_room` */
    size_t own_room, dist_room;
    bool analysed;
} slot;

/* Chunk number k is in slot k % n_slots, and numbers only rise:
 *
 *   delivered <= resolved <= claimed <= submitted <= delivered + n_slots
 *
 * The thread that feeds fills chunk `submitted`. Whoever raises `claimed` has that chunk to itself
 * until it is `analysed`; whoever sets `resolving` has chunk `resolved` and the state. All of this
 * is guarded by the monitor. With one thread there is one slot and nobody to guard against. */
typedef struct chunks_engine {
    uint64_t chunk_option; /* references per chunk; 0: automatic */
    const char *engine_option;
    rdi_run *run;
    rd_engine **local;  /* per worker; opened when it has its first chunk */
    unsigned n_workers; /* at most, with the thread that feeds: worker 0 */
    rd_engine *before;  /* the state at the end of chunk `resolved` - 1 */
    slot *slots;
    size_t n_slots;
    size_t filled, goal; /* references in the chunk that is being filled, and how many it takes */
    rdi_monitor monitor;
    rdi_crew *crew; /* the other workers; NULL until there is a chunk for them */
    uint64_t submitted, claimed, analysed, resolved, delivered; /* chunks */
    unsigned busy; /* threads at work outside the monitor */
    bool resolving;
    bool ending;       /* the crew goes home */
    rd_status status;  /* of the first failure */
    size_t chunk_size; /* of the next chunk to be begun */
    uint64_t firsts;   /* handed over and resolved, for the histogram and the note */
    uint64_t references;
} chunks_engine;

static slot *slot_of(const chunks_engine *e, uint64_t number) {
    return &e->slots[number % e->n_slots];
}

/* Of an automatic chunk. The buffers shall take an eighth of the memory, with distances a quarter.
 */
static size_t most_references(const chunks_engine *e) {
    uint64_t affordable = e->run->mem_bytes / (8 * sizeof(uint64_t) * e->n_slots);
    return affordable < MOST_CHUNK ? (size_t)affordable : MOST_CHUNK;
}

/* Of the first chunk: a short trace shall be enough for all threads too. */
static size_t first_size(const chunks_engine *e) {
    if (e->chunk_option)
        return (size_t)e->chunk_option;
    uint64_t share = e->run->references / (4 * e->n_workers);
    size_t size = share && share < USUAL_CHUNK ? (size_t)share : USUAL_CHUNK;
    size = size < most_references(e) ? size : most_references(e);
    return size > LEAST_CHUNK ? size : LEAST_CHUNK;
}

/* ---- the two kinds of work ---- */

static rd_status open_inner(chunks_engine *e, rd_engine **out) {
    rd_engine_config config = {
        .bound = e->run->bound == UINT64_MAX ? 0 : e->run->bound,
        .binning = rdi_hist_binning(e->run->hist),
    };
    return rdi_chunk_engine_open(e->run->ctx, e->engine_option, &config, out);
}

/* Room for n numbers; what was there is lost. */
static rd_status make_room(rd_ctx *ctx, uint64_t **array, size_t *room, size_t n) {
    if (n <= *room)
        return RD_OK;
    rdi_free(ctx, *array);
    *room = 0;
    *array = rdi_alloc(ctx, n, sizeof **array);
    if (!*array)
        return RD_ENOMEM;
    *room = n;
    return RD_OK;
}

static rd_status analyse(chunks_engine *e, unsigned worker, slot *s) {
    rd_engine **local = &e->local[worker];
    if (!*local)
        RD_TRY(open_inner(e, local));
    if (e->run->distances)
        RD_TRY(make_room(e->run->ctx, &s->dist, &s->dist_room, s->n));
    RD_TRY(rdi_chunk_feed(&s->chunk, *local, s->refs, s->n, s->dist));
    return rdi_chunk_end(&s->chunk, *local);
}

static rd_status resolve(chunks_engine *e, slot *s) {
    RD_TRY(rdi_chunk_resolve(&s->chunk, e->before));
    if (!e->run->distances)
        return rdi_hist_add(e->run->hist, s->chunk.resolved.at, s->chunk.resolved.n);
    rdi_chunk_complete(&s->chunk, s->dist, s->n);
    return RD_OK;
}

/* A chunk is resolved. Longer ones have a smaller share of first touches: when that is large, the
 * next ones shall be. */
static void account(chunks_engine *e, const slot *s) {
    e->firsts += s->chunk.first.n;
    e->references += s->n;
    bool many = s->chunk.first.n > s->n / MANY_FIRSTS;
    if (!e->chunk_option && many && s->n == e->chunk_size && s->n <= most_references(e) / 2)
        e->chunk_size *= 2;
}

/* ---- sharing the work: called, and returning, inside the monitor ---- */

static void leave(chunks_engine *e) {
    e->busy++;
    rdi_monitor_leave(&e->monitor);
}

static void enter_again(chunks_engine *e, rd_status status) {
    rdi_monitor_enter(&e->monitor);
    e->busy--;
    if (status != RD_OK && e->status == RD_OK)
        e->status = status;
    rdi_monitor_wake(&e->monitor);
}

static void resolve_next(chunks_engine *e) {
    slot *s = slot_of(e, e->resolved);
    e->resolving = true;
    leave(e);
    rd_status status = resolve(e, s);
    enter_again(e, status);
    e->resolving = false;
    if (status != RD_OK)
        return; /* not resolved: its distances must not be delivered */
    e->resolved++;
    account(e, s);
}

static void analyse_next(chunks_engine *e, unsigned worker) {
    slot *s = slot_of(e, e->claimed++);
    leave(e);
    rd_status status = analyse(e, worker, s);
    enter_again(e, status);
    s->analysed = status == RD_OK;
    e->analysed += s->analysed;
}

/* Does what there is to do: resolving first, because others may wait for it. False: nothing. */
static bool work_once(chunks_engine *e, unsigned worker) {
    if (e->status != RD_OK)
        return false;
    if (!e->resolving && e->resolved < e->claimed && slot_of(e, e->resolved)->analysed)
        resolve_next(e);
    else if (e->claimed < e->submitted)
        analyse_next(e, worker);
    else
        return false;
    return true;
}

static void crew_member(void *arg, unsigned worker) {
    chunks_engine *e = arg;
    rdi_monitor_enter(&e->monitor);
    while (!e->ending)
        if (!work_once(e, worker))
            rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
}

/* ---- the thread that feeds ---- */

/* Hands over the distances of what is resolved, outside the monitor, and frees the slots. */
static rd_status deliver(chunks_engine *e) {
    while (e->delivered < e->resolved) {
        slot *s = slot_of(e, e->delivered);
        if (e->run->distances) {
            rdi_monitor_leave(&e->monitor);
            rd_status status = rdi_engine_deliver(e->run, s->dist, s->n);
            rdi_monitor_enter(&e->monitor);
            RD_TRY(status);
        }
        rdi_chunk_reset(&s->chunk);
        s->analysed = false;
        e->delivered++;
    }
    return RD_OK;
}

/* Works along, or waits, until `*count` has reached `goal`. */
static rd_status work_until(chunks_engine *e, const uint64_t *count, uint64_t goal) {
    while (true) {
        RD_TRY(deliver(e));
        RD_TRY(e->status);
        if (*count >= goal)
            return RD_OK;
        if (!work_once(e, 0))
            rdi_monitor_wait(&e->monitor);
    }
}

/* ---- feeding, with several threads ---- */

/* Chunk `submitted` may be filled when the slot's last chunk is done with. */
static rd_status begin_chunk(chunks_engine *e) {
    rdi_monitor_enter(&e->monitor);
    uint64_t goal = e->submitted < e->n_slots ? 0 : e->submitted - e->n_slots + 1;
    rd_status status = work_until(e, &e->delivered, goal);
    e->goal = e->chunk_size;
    rdi_monitor_leave(&e->monitor);
    return status;
}

static void submit(chunks_engine *e, const uint64_t *refs, size_t n) {
    slot *s = slot_of(e, e->submitted);
    s->refs = refs;
    s->n = n;
    e->filled = 0;
    rdi_monitor_enter(&e->monitor);
    e->submitted++;
    rdi_monitor_wake(&e->monitor);
    rdi_monitor_leave(&e->monitor);
}

/* Appends to the chunk's own memory; *part says how many. */
static rd_status copy_in(chunks_engine *e, const uint64_t *blk, size_t n, size_t *part) {
    slot *s = slot_of(e, e->submitted);
    *part = n < e->goal - e->filled ? n : e->goal - e->filled;
    RD_TRY(make_room(e->run->ctx, &s->own, &s->own_room, e->goal));
    memcpy(s->own + e->filled, blk, *part * sizeof *blk);
    e->filled += *part;
    if (e->filled == e->goal)
        submit(e, s->own, e->filled);
    return RD_OK;
}

/* The caller's memory is there until feed() returns. */
static rd_status wait_for_borrowed(chunks_engine *e) {
    rdi_monitor_enter(&e->monitor);
    rd_status status = work_until(e, &e->analysed, e->submitted);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* Copies the references, or has them read where they are when there are enough of them to keep
 * everybody busy. */
static rd_status feed_crew(chunks_engine *e, const uint64_t *blk, size_t n) {
    bool borrow = n / e->n_slots >= e->goal;
    while (n > 0) {
        if (e->filled == 0)
            RD_TRY(begin_chunk(e));
        size_t part = n < e->goal ? n : e->goal;
        if (borrow && e->filled == 0) {
            submit(e, blk, part);
        } else {
            RD_TRY(copy_in(e, blk, n, &part));
        }
        blk += part;
        n -= part;
        if (!e->crew && e->submitted > 0)
            RD_TRY(rdi_crew_new(e->run->ctx, e->n_workers - 1, crew_member, e, &e->crew));
    }
    return borrow ? wait_for_borrowed(e) : RD_OK;
}

static rd_status finish_crew(chunks_engine *e) {
    if (e->filled > 0)
        submit(e, slot_of(e, e->submitted)->own, e->filled);
    rdi_monitor_enter(&e->monitor);
    rd_status status = work_until(e, &e->delivered, e->submitted);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* After a failure: until nobody works, so that nobody else can fail, with another message. */
static rd_status stop_crew(chunks_engine *e, rd_status status) {
    if (status == RD_OK || e->n_workers == 1)
        return status;
    rdi_monitor_enter(&e->monitor);
    e->status = status;
    while (e->busy > 0)
        rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* ---- feeding, with one thread: nothing is copied ---- */

static rd_status end_chunk(chunks_engine *e) {
    slot *s = &e->slots[0];
    s->n = e->filled;
    e->filled = 0;
    RD_TRY(rdi_chunk_end(&s->chunk, e->local[0]));
    RD_TRY(resolve(e, s));
    account(e, s);
    rdi_chunk_reset(&s->chunk);
    e->goal = e->chunk_size;
    return e->run->distances ? rdi_engine_deliver(e->run, s->dist, s->n) : RD_OK;
}

static rd_status feed_alone(chunks_engine *e, const uint64_t *blk, size_t n) {
    slot *s = &e->slots[0];
    while (n > 0) {
        if (!e->local[0])
            RD_TRY(open_inner(e, &e->local[0]));
        if (e->run->distances)
            RD_TRY(make_room(e->run->ctx, &s->dist, &s->dist_room, e->goal));
        size_t part = n < e->goal - e->filled ? n : e->goal - e->filled;
        uint64_t *dist = s->dist ? s->dist + e->filled : NULL;
        RD_TRY(rdi_chunk_feed(&s->chunk, e->local[0], blk, part, dist));
        blk += part;
        n -= part;
        e->filled += part;
        if (e->filled == e->goal)
            RD_TRY(end_chunk(e));
    }
    return RD_OK;
}

static rd_status finish_alone(chunks_engine *e) {
    return e->filled > 0 ? end_chunk(e) : RD_OK;
}

/* ---- the engine ---- */

static rd_status chunks_open(void *self, rdi_run *run) {
    chunks_engine *e = self;
    e->run = run;
    e->n_workers = run->threads < MOST_THREADS ? run->threads : MOST_THREADS;
    e->n_slots = e->n_workers > 1 ? 2 * e->n_workers : 1;
    e->goal = e->chunk_size = first_size(e);
    rdi_monitor_init(&e->monitor);
    e->local = rdi_calloc(run->ctx, e->n_workers, sizeof(rd_engine *));
    e->slots = rdi_calloc(run->ctx, e->n_slots, sizeof *e->slots);
    if (!e->local || !e->slots)
        return RD_ENOMEM;
    for (size_t i = 0; i < e->n_slots; i++)
        rdi_chunk_init(&e->slots[i].chunk, run->ctx, run->bound);
    return open_inner(e, &e->before);
}

static rd_status chunks_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    chunks_engine *e = self;
    (void)dist;
    return stop_crew(e, e->n_workers > 1 ? feed_crew(e, blk, n) : feed_alone(e, blk, n));
}

static rd_status chunks_finish(void *self) {
    chunks_engine *e = self;
    RD_TRY(stop_crew(e, e->n_workers > 1 ? finish_crew(e) : finish_alone(e)));
    unsigned threads = 1 + rdi_crew_size(e->crew);
    double share = e->references ? 100.0 * (double)e->firsts / (double)e->references : 0;
    snprintf(e->run->note, sizeof e->run->note, "chunks: %u thread%s, %.1f %% first touches",
             threads, threads > 1 ? "s" : "", share);
    if (e->run->distances)
        return RD_OK;
    for (unsigned i = 0; i < e->n_workers; i++) {
        if (!e->local[i])
            continue;
        RD_TRY(rd_engine_finish(e->local[i]));
        RD_TRY(rdi_hist_merge(e->run->hist, rdi_engine_hist(e->local[i])));
    }
    rdi_hist_uncount_infinite(e->run->hist, e->firsts); /* counted twice: local, and resolved */
    return RD_OK;
}

static void close_slot(rd_ctx *ctx, slot *s) {
    rdi_chunk_fini(&s->chunk);
    rdi_free(ctx, s->own);
    rdi_free(ctx, s->dist);
}

static void chunks_close(void *self) {
    chunks_engine *e = self;
    if (!e->run)
        return;
    rdi_monitor_enter(&e->monitor);
    e->ending = true;
    rdi_monitor_wake(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    rdi_crew_free(e->crew);
    rdi_monitor_fini(&e->monitor);
    for (size_t i = 0; e->slots && i < e->n_slots; i++)
        close_slot(e->run->ctx, &e->slots[i]);
    for (unsigned i = 0; e->local && i < e->n_workers; i++)
        rd_engine_close(e->local[i]);
    rd_engine_close(e->before);
    rdi_free(e->run->ctx, e->slots);
    rdi_free(e->run->ctx, e->local);
}

static const rd_opt options[] = {
    {.name = "chunk",
     .type = RD_OPT_SIZE,
     .offset = offsetof(chunks_engine, chunk_option),
     .def = "0",
     .max = (double)(UINT64_C(1) << 40),
     .help = "references per chunk; 0: by the share of first touches"},
    {.name = "engine",
     .type = RD_OPT_STRING,
     .offset = offsetof(chunks_engine, engine_option),
     .def = "stream",
     .help = "exact engine for the chunks, with its options: olken/tree=avl"},
    {0},
};

static const char *const variants[] = {"chunk=700", "chunk=50,engine=olken/tree=interval",
                                       "chunk=1000,engine=bk/arity=256", NULL};

const rdi_engine_ops rdi_engine_chunks = {
    .abi = RDI_ENGINE_ABI,
    .info =
        {
            .name = "chunks",
            .summary = "Parda's chunks on threads, any exact engine inside: for traces with "
                       "locality",
            .card =
                "Every thread (-t) analyses chunks of the trace alone; only the first touches of\n"
                "a chunk's blocks are then resolved against all that came before, while later\n"
                "chunks are being analysed. The result is the same for any number of threads.\n"
                "\n"
                "Time: the inner engine's, divided by the threads, while first touches are few.\n"
                "Memory: the inner engine's for all blocks, again for the blocks of a chunk per\n"
                "thread, and two chunks of references per thread. Distances come late.\n"
                "Not for traces without locality: batch divides those better.\n"
                "\n"
                "Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance\n"
                "analysis algorithm. IPDPS 2012.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(chunks_engine),
    .open = chunks_open,
    .feed = chunks_feed,
    .finish = chunks_finish,
    .close = chunks_close,
};
