/* auto: picks the method from what it sees, and says what it picked.
 *
 * One thread, or a caller who wants each distance at once: `stream`. Two, beside the program that
 * makes the references: `relay`. Several: the first references are held back and measured. From the
 * share of first touches among them follows what share of a whole chunk will be, and from that
 * whether cutting the trace into chunks and resolving their first touches afterwards pays
 * (`chunks`); where it does not, the sorted phases of `batch` divide the work among many threads,
 * and `relay` between two. A trace that ends within the sample is not worth threads.
 *
 * Threads need memory of their own. Where that is limited, `chunks` is taken only if its tables
 * leave room; and what can be read again is, by `stream` alone, when it runs out all the same.
 */
#include "engine/core/plugin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* References in a chunk when only a stream of them is known: what `chunks` comes to by itself. */
#define USUAL_CHUNK 0x1p23

/* A first touch costs `chunks` so many references more: its entry in a fresh table, resolving, and
 * where the trace comes bit by bit, its way to the past, from chunk to chunk. Below this gain, two
 * threads of which one hands on to the other are better. */
#define FIRST_COST          2.0
#define STREAMED_FIRST_COST 7.0
#define LEAST_GAIN          1.4

/* Above this share most of them go through all chunks before they are resolved. */
#define FIRST_SHARE 0.7

/* Below this share a short sample is enough: extrapolating it would change nothing. */
#define FEW_FIRSTS    0.02

#define BATCH_THREADS 6 /* from which batch is faster than relay */

/* Of a limited memory: the sample takes a share, the tables of the chunks may take another. */
#define SAMPLE_PART  16
#define TABLES_PART  4
#define BLOCK_BYTES  48.0   /* in such a table */
#define THREAD_BYTES 0x1p21 /* for each of them besides */

#define LEAST        "stream" /* needs the least memory */
#define TOO_SHORT    "because the trace is too short for threads"

/* The sample is measured up to a quarter of it, up to its half, and to its end. Where hardly
 * anything in the quarter is a first touch, that is enough. */
#define STOPS 3

typedef struct auto_engine {
    uint64_t sample_room; /* option: references held back */
    rdi_run *run;
    rdi_request request; /* what the chosen engine is asked for */
    rdi_inner inner;     /* the engine chosen; no ops while sampling */
    char why[160];       /* it was */
    uint64_t *sample;
    size_t sampled;
    rd_engine *measure; /* of the sample; nobody else listens to it */
    size_t measured;    /* references */
    double cold;        /* of them, first touches */
    double share[STOPS];
    unsigned stops;        /* so many are known */
    const rd_parts *parts; /* the caller's; NULL: it feeds */
    uint64_t read;         /* blocks, of a trace in parts that was read in one go */
} auto_engine;

static const rd_opt options[] = {
    {.name = "sample",
     .type = RD_OPT_SIZE,
     .offset = offsetof(auto_engine, sample_room),
     .def = "1M",
     .min = 1,
     .max = 0x1p30,
     .help = "references measured before several threads start"},
    {.name = NULL},
};

static const char *const variants[] = {"sample=200", NULL};

/* Opens the engine; `why` comes before its own note when the trace is through. */
static rd_status choose(auto_engine *e, const char *name, const char *why) {
    snprintf(e->why, sizeof e->why, "auto: %s, %s", name, why);
    return rdi_inner_open(e->run, &e->request, name, &e->inner);
}

static rd_status auto_open(void *self, rdi_run *run) {
    auto_engine *e = self;
    e->run = run;
    e->request = *run->in;
    if (run->in->threads == 1)
        return choose(e, "stream", "the fastest on one thread");
    if (run->in->threads == 2 && run->in->live)
        return choose(e, "relay", "because the program runs at the same time");
    run->out.counter = RDI_ENGINE_DELIVERS;
    uint64_t affordable = run->in->mem_bytes / (SAMPLE_PART * sizeof *e->sample);
    e->sample_room = e->sample_room < affordable ? e->sample_room : affordable;
    if (e->sample_room == 0)
        return rdi_fail(run->ctx, RD_ENOMEM, "out of memory: there is none for a sample");
    e->sample = rdi_alloc(run->ctx, (size_t)e->sample_room, sizeof *e->sample);
    return e->sample ? RD_OK : RD_ENOMEM;
}

/* One piece for an immediate engine, which may leave counting and delivering to others. */
static rd_status pass_on_batch(auto_engine *e, const uint64_t *blk, size_t n) {
    if (e->inner.counter == RDI_ENGINE_COUNTS && !e->run->in->distances)
        return e->inner.ops->feed(e->inner.state, blk, n, NULL);
    uint64_t dist[RDI_FEED_MAX];
    bool count_too = e->run->count_too;
    e->run->count_too = false; /* delivering counts */
    rd_status status = e->inner.ops->feed(e->inner.state, blk, n, dist);
    e->run->count_too = count_too;
    return status == RD_OK ? rdi_engine_deliver(e->run, dist, n) : status;
}

static rd_status pass_on(auto_engine *e, const uint64_t *blk, size_t n, uint64_t *dist) {
    if (dist || !rdi_engine_is_immediate(e->inner.ops))
        return e->inner.ops->feed(e->inner.state, blk, n, dist);
    for (size_t at = 0; at < n; at += RDI_FEED_MAX)
        RD_TRY(pass_on_batch(e, blk + at, n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX));
    return RD_OK;
}

static void drop_sample(auto_engine *e) {
    rd_engine_close(e->measure);
    e->measure = NULL;
    rdi_free(e->run->ctx, e->sample);
    e->sample = NULL;
}

/* Before anything else goes to the engine. */
static rd_status pass_on_sample(auto_engine *e) {
    RD_TRY(pass_on(e, e->sample, e->sampled, NULL));
    drop_sample(e);
    return RD_OK;
}

/* Of a long sample every eighth block is enough to tell, with all its references. */
#define LONG_SAMPLE  65536u
#define ONE_BLOCK_IN 8u

/* Feeds the blocks of the sample that stand for all, from where it stopped, and counts those that
 * come for the first time. */
static rd_status measure_on(auto_engine *e) {
    uint64_t one_in = e->sample_room < LONG_SAMPLE ? 1 : ONE_BLOCK_IN;
    uint64_t some[RDI_FEED_MAX], dist[RDI_FEED_MAX];
    while (e->measured < e->sampled) {
        size_t n = 0;
        for (; e->measured < e->sampled && n < RDI_FEED_MAX; e->measured++) {
            some[n] = e->sample[e->measured];
            n += rdi_mix64(some[n]) % one_in == 0;
        }
        RD_TRY(rd_engine_feed(e->measure, some, n, dist));
        for (size_t i = 0; i < n; i++)
            e->cold += dist[i] == RD_COLD ? (double)one_in : 0;
    }
    return RD_OK;
}

/* Up to how many references the sample has to grow before it is measured again. */
static size_t next_stop(const auto_engine *e) {
    size_t stop = (size_t)e->sample_room >> (STOPS - 1 - e->stops);
    return stop ? stop : 1;
}

static bool knows_enough(const auto_engine *e) {
    return e->stops == STOPS || (e->stops == 1 && e->share[0] < FEW_FIRSTS);
}

/* The share so far, which stands for those to come until they are known. */
static rd_status take_share(auto_engine *e) {
    if (!e->measure)
        RD_TRY(rd_engine_open(e->run->ctx, "stream", NULL, &e->measure));
    RD_TRY(measure_on(e));
    for (unsigned i = e->stops; i < STOPS; i++)
        e->share[i] = fmin(1, e->cold / (double)e->sampled);
    e->stops++;
    return RD_OK;
}

/* Adds to the sample until that is enough; *part says how many. */
static rd_status extend_sample(auto_engine *e, const uint64_t *blk, size_t n, size_t *part) {
    for (*part = 0; *part < n && !knows_enough(e);) {
        size_t room = next_stop(e) - e->sampled, k = n - *part < room ? n - *part : room;
        memcpy(e->sample + e->sampled, blk + *part, k * sizeof *blk);
        e->sampled += k;
        *part += k;
        while (!knows_enough(e) && e->sampled >= next_stop(e))
            RD_TRY(take_share(e));
    }
    return RD_OK;
}

/* The share of first touches in a chunk of `length` references, going on as the sample began: twice
 * the length brings the share down by a factor, which itself grows from doubling to doubling, not
 * at all for a scan, slowly where popularity has a long tail, to its square where references are
 * random; and never beyond two, when there are no new blocks any more. */
static double share_in_chunk(const auto_engine *e, double length) {
    double share = e->share[2], sampled = (double)e->sampled;
    if (share <= 0 || length <= sampled)
        return share;
    double before = log(e->share[0] / e->share[1]), fall = fmax(0, log(e->share[1] / share));
    double growth = before > 0 ? fmin(fmax(fall / before, 1), 2) : 2;
    for (double doublings = log2(length / sampled); doublings > 0; doublings--) {
        fall = fmin(fall * growth, log(2));
        share *= exp(-fall * fmin(doublings, 1));
    }
    return share;
}

/* Such a share of a chunk are first touches. */
static const char *best_engine(const auto_engine *e, double first, double first_cost) {
    double gain = e->run->in->threads / (1 + first_cost * first);
    if (first <= FIRST_SHARE && gain >= LEAST_GAIN)
        return "chunks";
    return e->run->in->threads >= BATCH_THREADS ? "batch" : "relay";
}

/* `known`: references that are there to be analysed at once. */
static rd_status decide(auto_engine *e, uint64_t known) {
    bool whole = known > e->sampled;
    double chunk = whole ? (double)known / e->run->in->threads : USUAL_CHUNK;
    double first = share_in_chunk(e, chunk);
    double blocks = fmin(first * chunk, 2 * (double)e->run->in->bound);
    double tables = (THREAD_BYTES + BLOCK_BYTES * blocks) * e->run->in->threads;
    e->request.first_share = first;
    if (tables > (double)(e->run->in->mem_bytes / TABLES_PART))
        return choose(e, "relay", "because tables for more threads might take too much memory");
    char why[128];
    snprintf(why, sizeof why,
             "because about %.1f %% of a chunk would be first touches (%.1f %% of the first %zu "
             "references are)",
             first * 100, e->share[STOPS - 1] * 100, e->sampled);
    return choose(e, best_engine(e, first, whole ? FIRST_COST : STREAMED_FIRST_COST), why);
}

static rd_status auto_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    auto_engine *e = self;
    if (!e->inner.ops && dist) {
        if (e->sampled)
            return rdi_fail(e->run->ctx, RD_EINVAL,
                            "engine auto: distances asked for after references fed without");
        e->run->out.counter = RDI_CORE_COUNTS;
        RD_TRY(choose(e, "stream", "because every distance is requested at once"));
    }
    if (!e->inner.ops) {
        bool whole = e->sampled == 0; /* the trace so far: the sample is its beginning */
        size_t part;
        RD_TRY(extend_sample(e, blk, n, &part));
        if (!knows_enough(e))
            return RD_OK;
        RD_TRY(decide(e, n));
        if (whole) {
            drop_sample(e);
        } else {
            RD_TRY(pass_on_sample(e));
            blk += part;
            n -= part;
        }
    }
    return n ? pass_on(e, blk, n, dist) : RD_OK;
}

/* ---- a trace in parts ---- */

static rd_status take_sample(void *user, const uint64_t *blocks, size_t n) {
    size_t part;
    return extend_sample(user, blocks, n, &part);
}

static rd_status pass_on_read(void *user, const uint64_t *blocks, size_t n) {
    auto_engine *e = user;
    e->read += n;
    return pass_on(e, blocks, n, NULL);
}

static rd_status read_part(auto_engine *e, const rd_parts *parts, uint64_t first, uint64_t n,
                           rd_block_sink sink) {
    void *reader = NULL;
    RD_TRY(parts->open(e->run->ctx, parts->what, parts->user, &reader));
    rd_status status = parts->read(reader, first, n, sink, e);
    parts->close(reader);
    return status;
}

/* In two steps: often the first is enough. References that nobody asked for are no blocks, so that
 * the sample may end before its end. */
static rd_status read_sample(auto_engine *e, const rd_parts *parts) {
    uint64_t quarter = next_stop(e);
    RD_TRY(read_part(e, parts, 0, quarter, take_sample));
    if (!knows_enough(e))
        RD_TRY(read_part(e, parts, quarter, e->sample_room - quarter, take_sample));
    return knows_enough(e) || e->sampled == 0 ? RD_OK : take_share(e);
}

static rd_status read_all(auto_engine *e) {
    if (e->inner.ops->feed_parts)
        return e->inner.ops->feed_parts(e->inner.state, e->parts);
    return read_part(e, e->parts, 0, e->parts->references, pass_on_read);
}

static rd_status sample_and_read(auto_engine *e) {
    if (e->inner.ops)
        return read_all(e);
    if (e->parts->references <= e->sample_room) {
        RD_TRY(choose(e, "stream", TOO_SHORT));
        return read_all(e);
    }
    RD_TRY(read_sample(e, e->parts)); /* what it is made of is read again */
    drop_sample(e);
    RD_TRY(decide(e, e->parts->references));
    return read_all(e);
}

/* Memory has run out, and another engine needs less. */
static bool can_start_again(const auto_engine *e, rd_status status) {
    bool least = e->inner.ops && strcmp(e->inner.ops->info.name, LEAST) == 0;
    return status == RD_ENOMEM && e->parts && !least;
}

static rd_status start_again(auto_engine *e) {
    rdi_inner_close(e->run, &e->inner);
    drop_sample(e);
    rdi_hist *hist = NULL;
    RD_TRY(rdi_hist_new_like(e->run->out.hist, &hist));
    rdi_hist_free(e->run->out.hist);
    e->run->out.hist = hist;
    e->read = 0;
    e->request.threads = 1;
    RD_TRY(choose(e, LEAST, "because threads need more memory than there is"));
    return read_all(e);
}

static rd_status auto_feed_parts(void *self, const rd_parts *parts) {
    auto_engine *e = self;
    e->parts = parts;
    rd_status status = sample_and_read(e);
    return can_start_again(e, status) ? start_again(e) : status;
}

static rd_status finish_inner(auto_engine *e) {
    return e->inner.ops->finish ? e->inner.ops->finish(e->inner.state) : RD_OK;
}

static rd_status auto_finish(void *self) {
    auto_engine *e = self;
    if (!e->inner.ops) {
        RD_TRY(choose(e, "stream", TOO_SHORT));
        RD_TRY(pass_on_sample(e));
    }
    e->run->out.fed = e->read;
    rd_status status = finish_inner(e);
    if (can_start_again(e, status)) {
        RD_TRY(start_again(e));
        e->run->out.fed = e->read;
        status = finish_inner(e);
    }
    RD_TRY(status);
    rdi_engine_note_before(e->run, e->why);
    return RD_OK;
}

static rd_status auto_check(void *self, const char **why) {
    auto_engine *e = self;
    return e->inner.ops && e->inner.ops->check ? e->inner.ops->check(e->inner.state, why) : RD_OK;
}

static void auto_close(void *self) {
    auto_engine *e = self;
    if (!e->run)
        return;
    rdi_inner_close(e->run, &e->inner);
    drop_sample(e);
}

const rdi_engine_ops rdi_engine_auto = {
    .info =
        {
            .name = "auto",
            .summary = "the default: picks the fastest exact method for trace and threads",
            .card =
                "One thread: stream. Two, beside a running program: relay. Several: measures the\n"
                "first million references and takes chunks where few references of a chunk will\n"
                "be first touches; where many are, batch from six threads on, else relay. -v\n"
                "tells which.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND | RD_CAP_THREADS | RD_CAP_PARTS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(auto_engine),
    .open = auto_open,
    .feed = auto_feed,
    .feed_parts = auto_feed_parts,
    .finish = auto_finish,
    .check = auto_check,
    .close = auto_close,
};
