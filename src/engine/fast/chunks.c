/* chunks: exact and parallel, with Parda's chunks on threads.
 *
 * A round of the trace is cut into as many chunks as there are threads. Each chunk is analyzed
 * alone with an exact engine of its own. That engine cannot know the distances of the chunk's first
 * touches. These are resolved against the engine of the previous chunk, the remaining ones against
 * the chunk before it, and so on (chunk.h). All engines do this concurrently, slice by slice, as
 * soon as they have analyzed their own chunks. The last chunk of a round is the longest, because
 * its engine resolves no other chunk. One more engine holds the past, everything before the round.
 * A caller who feeds a whole trace at once, or in parts, has one round.
 *
 * Time: that of the inner engine divided by the number of threads, as long as first touches are
 * few: a first touch is looked up at least twice instead of once. Memory: the inner engine's, once
 * per thread and once for the past, and two rounds of references unless the caller feeds a whole
 * trace. Distances are late by up to two rounds. The result does not depend on threads, chunks or
 * timing.
 *
 * Not for few threads where most references of a chunk are first touches: `relay` is faster there.
 *
 * Q. Niu, J. Dinan, Q. Lu, P. Sadayappan. PARDA: a fast parallel reuse distance analysis algorithm.
 * IPDPS 2012.
 *
 * Long because the schedule of lanes, its steps and the feeding thread share one monitor.
 */
#include "base/threads.h"
#include "engine/fast/chunk.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define USUAL_CHUNK  ((size_t)1 << 20)
#define LEAST_CHUNK  ((size_t)1 << 16) /* enough to pay for the fixed cost of a chunk */
#define MOST_CHUNK   ((size_t)1 << 23)
#define MANY_FIRSTS  20 /* first touches are many if every 20th reference is one */
#define SLICES       RDI_CHUNK_SLICES
#define RESOLVE_COST 1.8 /* of a first touch, in analyzed references */
#define EXPECTED     0.7 /* fraction of the expected blocks of a chunk to reserve room for */
#define BLOCK_BYTES  48  /* per block, at most */
#define MOST_THREADS 256

/* A contiguous range of the trace that is being analyzed, cut into one chunk per lane. */
typedef struct trace_round {
    rdi_chunk *chunks;    /* of lane 1, 2, ... */
    const uint64_t *refs; /* `own`, or the caller's references while the caller waits */
    size_t n;
    const rd_parts *parts; /* the caller's, to be read instead of `refs` */
    uint64_t *own;         /* room for `own_room` references */
    uint64_t *dist;        /* of the round, if distances are requested: room for `dist_room` */
    size_t own_room, dist_room;
} trace_round;

/* An engine and its steps in every round.
 *
 * Lane 1 and above: ends its chunk of the previous round; analyzes its chunk, one step per slice;
 * resolves the chunks after its own, which arrive from the lane above, one step per slice.
 *
 * Lane 0, the past: passes the chunks of the previous round, one step for each; resolves the chunks
 * of this round, which arrive from lane 1, one step per slice.
 */
typedef struct lane {
    rd_engine *engine; /* opened when it is first needed */
    void *reader;      /* reader of a trace in parts, while it is read */
    uint64_t round;    /* the current round */
    size_t step;       /* the next step */
    bool busy;         /* a thread executes the step */
} lane;

/* Round number p is rounds[p % 2]. Any thread may execute any step that is due: the thread that
 * makes a lane busy has exclusive use of its engine and of the chunks that the step concerns. The
 * monitor guards everything else. */
typedef struct chunks_engine {
    uint64_t chunk_option; /* references per chunk; 0: automatic */
    const char *engine_option;
    rdi_run *run;
    size_t n_chunks; /* chunks of a round: one per thread */
    lane *lanes;     /* n_chunks + 1 lanes */
    rdi_chunk past;
    trace_round rounds[2];
    size_t filled, goal; /* references in the round that is being filled, and its full length */
    rdi_monitor monitor;
    rdi_crew *crew;                /* the other threads; NULL until there is work for them */
    uint64_t submitted, delivered; /* number of rounds; lane 0 is between the two */
    unsigned busy;                 /* number of busy lanes */
    bool ending;                   /* the crew is to end */
    rd_status status;              /* of the first failure */
    bool in_parts;                 /* the threads themselves read the trace */
    void (*close_reader)(void *);  /* closes a reader of the parts */
    size_t chunk_size;             /* of the next round */
    double first_share;            /* estimated fraction of first touches in a chunk */
    uint64_t firsts, references;   /* analyzed so far */
    uint64_t recounted;            /* counted infinite distances that were not final */
} chunks_engine;

static trace_round *round_of(chunks_engine *e, uint64_t number) {
    return &e->rounds[number % 2];
}

static rdi_chunk *chunk_of(chunks_engine *e, uint64_t number, size_t i) {
    return &round_of(e, number)->chunks[i - 1];
}

/* The limit of an automatic chunk size. The buffers may use an eighth of the memory, with distances
 * a quarter. */
static size_t most_references(const chunks_engine *e) {
    uint64_t affordable = e->run->in->mem_bytes / (16 * sizeof(uint64_t) * e->n_chunks);
    return affordable < MOST_CHUNK ? (size_t)affordable : MOST_CHUNK;
}

/* The size of the first chunks. A short trace must be enough for all threads. With one thread there
 * is no need to collect many references. */
static size_t first_size(const chunks_engine *e) {
    if (e->chunk_option)
        return (size_t)e->chunk_option;
    if (e->n_chunks == 1)
        return LEAST_CHUNK;
    uint64_t share = e->run->in->references / (4 * e->n_chunks);
    size_t size = share && share < USUAL_CHUNK ? (size_t)share : USUAL_CHUNK;
    size = size < most_references(e) ? size : most_references(e);
    return size > LEAST_CHUNK ? size : LEAST_CHUNK;
}

/* The beginning of chunk i of n references. Every lane but the last resolves about as many first
 * touches as a chunk has, so its chunk is shorter by the cost of that. */
static uint64_t chunk_beginning(const chunks_engine *e, uint64_t n, size_t i, size_t chunks) {
    if (i > chunks)
        return n;
    double others = 1 - RESOLVE_COST * e->first_share;
    others = others > 0.5 ? others : 0.5;
    double all = others * (double)(chunks - 1) + 1;
    uint64_t at = (uint64_t)((double)n * (others * (double)(i - 1) / all));
    return at < n ? at : n;
}

static uint64_t round_references(const trace_round *p) {
    return p->parts ? p->parts->references : p->n;
}

/* The beginning of slice s of chunk i of the round, in references. The last chunks of a short round
 * are empty. */
static uint64_t beginning(const chunks_engine *e, const trace_round *p, size_t i, size_t s) {
    uint64_t n = round_references(p);
    uint64_t least = e->chunk_option ? e->chunk_option : p->parts ? 1 : LEAST_CHUNK;
    size_t chunks = n / least < e->n_chunks ? (size_t)(n / least) : e->n_chunks;
    chunks = chunks ? chunks : 1;
    uint64_t first = chunk_beginning(e, n, i, chunks), end = chunk_beginning(e, n, i + 1, chunks);
    return first + (end - first) / SLICES * s + (end - first) % SLICES * s / SLICES;
}

/* ---- the steps, outside the monitor ---- */

/* Slightly less than the probable number of blocks in a chunk: too much room would cost more than
 * growing once. The initial tables may use half of the memory. */
static uint64_t expected_blocks(const chunks_engine *e) {
    double references = (double)round_references(&e->rounds[0]) / (double)e->n_chunks;
    uint64_t expected = (uint64_t)(EXPECTED * e->first_share * references);
    uint64_t affordable = e->run->in->mem_bytes / (BLOCK_BYTES * 2 * (e->n_chunks + 1));
    return expected < affordable ? expected : affordable;
}

static rd_status open_engine(chunks_engine *e, lane *l) {
    if (l->engine)
        return RD_OK;
    rd_engine_config config = {
        .size = sizeof config,
        .bound = e->run->in->bound == UINT64_MAX ? 0 : e->run->in->bound,
        .binning = rdi_hist_binning(e->run->out.hist),
        .expected_blocks = l == e->lanes ? 0 : expected_blocks(e),
    };
    return rdi_chunk_engine_open(e->run->ctx, e->engine_option, &config, &l->engine);
}

static rd_status end_chunk(chunks_engine *e, size_t i, uint64_t number) {
    lane *l = &e->lanes[i];
    rdi_chunk_reset(chunk_of(e, number, i));
    chunk_of(e, number, i)->begins = number == 0 && i == 1;
    if (number == 0 || chunk_of(e, number - 1, i)->met == 0)
        return RD_OK;
    RD_TRY(rdi_chunk_end(chunk_of(e, number - 1, i), l->engine));
    return rdi_engine_restart(l->engine);
}

/* Receives the blocks of a slice that the analyzing thread itself reads. */
typedef struct slice_reading {
    rdi_chunk *chunk;
    size_t slice;
    rd_engine *engine;
} slice_reading;

static rd_status feed_read(void *user, const uint64_t *blocks, size_t n) {
    slice_reading *r = user;
    return rdi_chunk_feed(r->chunk, r->slice, r->engine, blocks, n, NULL);
}

static rd_status read_slice(chunks_engine *e, lane *l, slice_reading *reading, uint64_t first,
                            uint64_t n) {
    const rd_parts *parts = round_of(e, l->round)->parts;
    if (!l->reader)
        RD_TRY(parts->open(e->run->ctx, parts->what, parts->user, &l->reader));
    RD_TRY(parts->read(l->reader, first, n, feed_read, reading));
    if (reading->slice == SLICES - 1) {
        e->close_reader(l->reader);
        l->reader = NULL;
    }
    return RD_OK;
}

static rd_status analyze(chunks_engine *e, size_t i, uint64_t number, size_t s) {
    trace_round *p = round_of(e, number);
    lane *l = &e->lanes[i];
    uint64_t at = beginning(e, p, i, s), n = beginning(e, p, i, s + 1) - at;
    if (n == 0 && !p->parts)
        return RD_OK;
    RD_TRY(open_engine(e, l));
    if (p->parts)
        return read_slice(e, l, &(slice_reading){chunk_of(e, number, i), s, l->engine}, at, n);
    return rdi_chunk_feed(chunk_of(e, number, i), s, l->engine, p->refs + at, (size_t)n,
                          p->dist ? p->dist + at : NULL);
}

/* Resolves slice s of chunk k against the engine of lane i, unless that engine has met no block. */
static rd_status resolve(chunks_engine *e, size_t i, uint64_t number, size_t k, size_t s) {
    rdi_chunk *earlier = i ? chunk_of(e, number, i) : &e->past;
    rdi_chunk *chunk = chunk_of(e, number, k);
    if (earlier->met == 0 || chunk->slice[s].open.n == 0)
        return RD_OK;
    return rdi_chunk_resolve(chunk, s, earlier, e->lanes[i].engine, e->run->in->distances);
}

static rd_status pass(chunks_engine *e, uint64_t number, size_t k) {
    if (number == 0)
        return RD_OK;
    RD_TRY(open_engine(e, &e->lanes[0]));
    return rdi_chunk_pass(chunk_of(e, number - 1, k), &e->past, e->lanes[0].engine);
}

/* The first step of lane i that concerns a slice. */
static size_t first_slice_step(const chunks_engine *e, size_t i) {
    return i ? 1 : e->n_chunks;
}

/* The chunk that a slice step of lane i concerns: first its own, then the later ones. */
static size_t chunk_of_step(const chunks_engine *e, size_t i, size_t step) {
    return (i ? i : 1) + (step - first_slice_step(e, i)) / SLICES;
}

static size_t slice_of_step(const chunks_engine *e, size_t i, size_t step) {
    return (step - first_slice_step(e, i)) % SLICES;
}

static rd_status do_step(chunks_engine *e, size_t i, uint64_t number, size_t step) {
    if (step < first_slice_step(e, i))
        return i ? end_chunk(e, i, number) : pass(e, number, step + 1);
    size_t k = chunk_of_step(e, i, step), s = slice_of_step(e, i, step);
    return k == i ? analyze(e, i, number, s) : resolve(e, i, number, k, s);
}

/* ---- which step is due: inside the monitor ---- */

static bool is_past(const lane *l, uint64_t number, size_t step) {
    return l->round > number || (l->round == number && l->step > step);
}

/* Returns whether the slice that lane i resolves next has been through the lane above, which first
 * analyzes its own chunk and then resolves later ones. */
static bool has_come_down(const chunks_engine *e, size_t i) {
    const lane *l = &e->lanes[i];
    size_t k = chunk_of_step(e, i, l->step), s = slice_of_step(e, i, l->step);
    return is_past(&e->lanes[i + 1], l->round, 1 + (k - i - 1) * SLICES + s);
}

static bool is_due(const chunks_engine *e, size_t i) {
    const lane *l = &e->lanes[i], *past = &e->lanes[0];
    if (l->busy || l->round >= e->submitted)
        return false;
    /* The past passes a chunk before the next one takes its place. */
    if (l->step < first_slice_step(e, i))
        return i == 0 ? is_past(&e->lanes[l->step + 1], l->round, 0)
                      : l->round == 0 || is_past(past, l->round - 1, e->n_chunks - 1);
    return chunk_of_step(e, i, l->step) == i || has_come_down(e, i);
}

static void advance(chunks_engine *e, size_t i) {
    lane *l = &e->lanes[i];
    size_t chunks = i ? e->n_chunks - i + 1 : e->n_chunks;
    if (++l->step == first_slice_step(e, i) + chunks * SLICES) {
        l->step = 0;
        l->round++;
    }
}

/* Adds up the counts of a slice after its analysis. */
static void account(chunks_engine *e, const rdi_chunk *chunk, size_t s) {
    e->firsts += chunk->slice[s].firsts;
    if (s == SLICES - 1)
        e->references += chunk->references;
}

/* Returns whether the next step of lane i has no work, because every first touch of its slice is
 * resolved. */
static bool is_idle_step(chunks_engine *e, size_t i) {
    const lane *l = &e->lanes[i];
    if (l->step < first_slice_step(e, i) || !is_due(e, i))
        return false;
    size_t k = chunk_of_step(e, i, l->step);
    return k != i && chunk_of(e, l->round, k)->slice[slice_of_step(e, i, l->step)].open.n == 0;
}

static void take_step(chunks_engine *e, size_t i) {
    lane *l = &e->lanes[i];
    l->busy = true;
    e->busy++;
    rdi_monitor_leave(&e->monitor);
    rd_status status = do_step(e, i, l->round, l->step);
    rdi_monitor_enter(&e->monitor);
    l->busy = false;
    e->busy--;
    if (status != RD_OK && e->status == RD_OK)
        e->status = status;
    if (status == RD_OK) {
        if (i > 0 && l->step >= 1 && chunk_of_step(e, i, l->step) == i)
            account(e, chunk_of(e, l->round, i), slice_of_step(e, i, l->step));
        do
            advance(e, i);
        while (is_idle_step(e, i));
    }
    rdi_monitor_wake(&e->monitor);
}

/* Executes a due step of the lowest lane, because other lanes wait for its results. Returns false
 * if no step is due. */
static bool work_once(chunks_engine *e) {
    for (size_t i = 0; e->status == RD_OK && i <= e->n_chunks; i++)
        if (is_due(e, i)) {
            take_step(e, i);
            return true;
        }
    return false;
}

static void crew_member(void *arg, unsigned worker) {
    chunks_engine *e = arg;
    (void)worker;
    rdi_monitor_enter(&e->monitor);
    while (!e->ending)
        if (!work_once(e))
            rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
}

/* ---- the thread that feeds ---- */

static rd_status deliver_round(chunks_engine *e, trace_round *p) {
    for (size_t i = 1; i <= e->n_chunks; i++)
        for (size_t s = 0; s < SLICES; s++) {
            uint64_t at = beginning(e, p, i, s), n = beginning(e, p, i, s + 1) - at;
            rdi_chunk_complete(&p->chunks[i - 1], s, p->dist + at, (size_t)n);
        }
    return rdi_engine_deliver(e->run, p->dist, p->n);
}

static uint64_t handed_on(const rdi_chunk *chunk) {
    uint64_t sum = 0;
    for (size_t s = 0; s < SLICES; s++)
        sum += chunk->slice[s].handed_on;
    return sum;
}

/* Delivers the distances of the finished rounds and frees these rounds. */
static rd_status deliver(chunks_engine *e) {
    while (e->delivered < e->lanes[0].round) {
        trace_round *p = round_of(e, e->delivered);
        for (size_t i = 0; i < e->n_chunks; i++)
            e->recounted += handed_on(&p->chunks[i]);
        if (e->run->in->distances) {
            rdi_monitor_leave(&e->monitor);
            rd_status status = deliver_round(e, p);
            rdi_monitor_enter(&e->monitor);
            RD_TRY(status);
        }
        e->delivered++;
    }
    return RD_OK;
}

/* Works, or waits, until `goal` rounds are delivered. */
static rd_status work_until(chunks_engine *e, uint64_t goal) {
    rdi_monitor_enter(&e->monitor);
    rd_status status;
    while ((status = deliver(e)) == RD_OK && (status = e->status) == RD_OK && e->delivered < goal)
        if (!work_once(e))
            rdi_monitor_wait(&e->monitor);
    rdi_monitor_leave(&e->monitor);
    return status;
}

/* Makes room for n numbers. The contents are lost. */
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

/* Waits until the next round may be filled, and chooses its length: longer chunks have a smaller
 * fraction of first touches. */
static rd_status begin_round(chunks_engine *e) {
    RD_TRY(work_until(e, e->submitted < 2 ? 0 : e->submitted - 1));
    rdi_monitor_enter(&e->monitor);
    bool many = e->firsts > e->references / MANY_FIRSTS;
    rdi_monitor_leave(&e->monitor);
    if (many && e->n_chunks > 1 && !e->chunk_option && e->chunk_size <= most_references(e) / 2)
        e->chunk_size *= 2;
    e->goal = e->chunk_size * e->n_chunks;
    return RD_OK;
}

/* Hands the next round to the crew. */
static rd_status submit(chunks_engine *e, const trace_round *what) {
    trace_round *p = round_of(e, e->submitted);
    if (e->run->in->distances)
        RD_TRY(make_room(e->run->ctx, &p->dist, &p->dist_room, what->n));
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

static rd_status submit_filled(chunks_engine *e) {
    trace_round what = {.refs = round_of(e, e->submitted)->own, .n = e->filled};
    e->filled = 0;
    return what.n ? submit(e, &what) : RD_OK;
}

/* Appends to the round's own buffer. *part is set to the number of references. */
static rd_status copy_in(chunks_engine *e, const uint64_t *blk, size_t n, size_t *part) {
    if (e->filled == 0)
        RD_TRY(begin_round(e));
    trace_round *p = round_of(e, e->submitted);
    *part = n < e->goal - e->filled ? n : e->goal - e->filled;
    RD_TRY(make_room(e->run->ctx, &p->own, &p->own_room, e->goal));
    memcpy(p->own + e->filled, blk, *part * sizeof *blk);
    e->filled += *part;
    return e->filled == e->goal ? submit_filled(e) : RD_OK;
}

static rd_status feed_copied(chunks_engine *e, const uint64_t *blk, size_t n) {
    for (size_t part = 0; n > 0; blk += part, n -= part)
        RD_TRY(copy_in(e, blk, n, &part));
    return RD_OK;
}

/* Analyzes the references in place, without a copy. If distances are requested, which need a
 * buffer, it uses rounds of the usual length; otherwise one round, which has the fewest first
 * touches. */
static rd_status feed_borrowed(chunks_engine *e, const uint64_t *blk, size_t n) {
    bool whole = !e->run->in->distances && !e->chunk_option;
    for (size_t part = 0; n > 0; blk += part, n -= part) {
        RD_TRY(begin_round(e));
        part = whole || n < e->goal ? n : e->goal;
        RD_TRY(submit(e, &(trace_round){.refs = blk, .n = part}));
    }
    return work_until(e, e->submitted);
}

static rd_status feed(chunks_engine *e, const uint64_t *blk, size_t n) {
    if (n < 2 * e->goal)
        return feed_copied(e, blk, n);
    size_t part = e->filled ? e->goal - e->filled : 0;
    RD_TRY(feed_copied(e, blk, part));
    return feed_borrowed(e, blk + part, n - part);
}

static rd_status finish(chunks_engine *e) {
    RD_TRY(submit_filled(e));
    return work_until(e, e->submitted);
}

/* After a failure, waits until no thread works, so that no other failure can replace the
 * message. */
static rd_status stop_crew(chunks_engine *e, rd_status status) {
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

static rd_status open_round(chunks_engine *e, trace_round *p) {
    p->chunks = rdi_calloc(e->run->ctx, e->n_chunks, sizeof *p->chunks);
    if (!p->chunks)
        return RD_ENOMEM;
    for (size_t i = 0; i < e->n_chunks; i++)
        rdi_chunk_init(&p->chunks[i], e->run->ctx, e->run->in->bound);
    return RD_OK;
}

static rd_status chunks_open(void *self, rdi_run *run) {
    chunks_engine *e = self;
    e->run = run;
    e->n_chunks = run->in->threads < MOST_THREADS ? run->in->threads : MOST_THREADS;
    e->first_share = run->in->first_share;
    e->chunk_size = first_size(e);
    e->goal = e->chunk_size * e->n_chunks;
    rdi_monitor_init(&e->monitor);
    rdi_chunk_init(&e->past, run->ctx, run->in->bound);
    e->lanes = rdi_calloc(run->ctx, e->n_chunks + 1, sizeof *e->lanes);
    if (!e->lanes)
        return RD_ENOMEM;
    for (size_t i = 0; i < RDI_COUNT(e->rounds); i++)
        RD_TRY(open_round(e, &e->rounds[i]));
    return open_engine(e, &e->lanes[0]); /* now, so that a wrong option fails early */
}

static rd_status chunks_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    chunks_engine *e = self;
    (void)dist;
    return stop_crew(e, feed(e, blk, n));
}

static rd_status chunks_feed_parts(void *self, const rd_parts *parts) {
    chunks_engine *e = self;
    e->close_reader = parts->close;
    e->in_parts = true;
    return stop_crew(e, submit(e, &(trace_round){.parts = parts}));
}

static rd_status count_up(chunks_engine *e) {
    for (size_t i = 0; i <= e->n_chunks; i++) {
        if (!e->lanes[i].engine)
            continue;
        RD_TRY(rd_engine_finish(e->lanes[i].engine));
        RD_TRY(rdi_hist_merge(e->run->out.hist, rdi_engine_hist(e->lanes[i].engine)));
    }
    rdi_hist_uncount_infinite(e->run->out.hist, e->recounted);
    return RD_OK;
}

static rd_status chunks_finish(void *self) {
    chunks_engine *e = self;
    RD_TRY(stop_crew(e, finish(e)));
    unsigned threads = 1 + rdi_crew_size(e->crew);
    double share = e->references ? 100.0 * (double)e->firsts / (double)e->references : 0;
    snprintf(e->run->out.note, sizeof e->run->out.note,
             "chunks: %u thread%s, %.1f %% first touches", threads, threads > 1 ? "s" : "", share);
    e->run->out.fed = e->in_parts ? e->references : 0;
    return e->run->in->distances ? RD_OK : count_up(e);
}

static void close_round(chunks_engine *e, trace_round *p) {
    for (size_t i = 0; p->chunks && i < e->n_chunks; i++)
        rdi_chunk_fini(&p->chunks[i]);
    rdi_free(e->run->ctx, p->chunks);
    rdi_free(e->run->ctx, p->own);
    rdi_free(e->run->ctx, p->dist);
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
    for (size_t i = 0; i < RDI_COUNT(e->rounds); i++)
        close_round(e, &e->rounds[i]);
    for (size_t i = 0; e->lanes && i <= e->n_chunks; i++) {
        rd_engine_close(e->lanes[i].engine);
        if (e->lanes[i].reader)
            e->close_reader(e->lanes[i].reader);
    }
    rdi_chunk_fini(&e->past);
    rdi_free(e->run->ctx, e->lanes);
}

static const rd_opt options[] = {
    {.name = "chunk",
     .type = RD_OPT_SIZE,
     .offset = offsetof(chunks_engine, chunk_option),
     .def = "0",
     .max = (double)(UINT64_C(1) << 40),
     .help = "references per chunk; 0: by the fraction of first touches"},
    {.name = "engine",
     .type = RD_OPT_STRING,
     .offset = offsetof(chunks_engine, engine_option),
     .def = "stream",
     .help = "exact engine for the chunks, with its options: olken/tree=avl"},
    {0},
};

static const char *const variants[] = {"chunk=700", "chunk=50,engine=olken/tree=interval",
                                       "chunk=1000,engine=bk/arity=256",
                                       "chunk=50,engine=stream/front=on", NULL};

const rdi_engine_ops rdi_engine_chunks = {
    .info =
        {
            .name = "chunks",
            .summary = "Parda's chunks on threads, any exact engine inside: for traces with "
                       "locality",
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
    .state_size = sizeof(chunks_engine),
    .open = chunks_open,
    .feed = chunks_feed,
    .feed_parts = chunks_feed_parts,
    .finish = chunks_finish,
    .close = chunks_close,
};
