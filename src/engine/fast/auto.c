/* auto: chooses the engine that fits the trace and the number of threads, and reports its choice.
 *
 * With one thread, or if feed() must return the distances, it chooses `stream`. With two threads
 * and a running program that produces the references, it chooses `relay`. Otherwise it collects the
 * first references as a sample, and measures the fraction of first touches among them. From this
 * fraction it predicts the fraction of first touches in a whole chunk. If the prediction is low, it
 * chooses `chunks`, which divides the trace into chunks and resolves their first touches later. If
 * the prediction is high, it chooses `relay`. If there are many threads and the whole trace is
 * available, `chunks` pays off for any fraction. If the trace ends within the sample, it chooses
 * `stream`, because the trace is too short for several threads.
 *
 * Each thread needs memory of its own. If memory is limited, `auto` chooses `chunks` only if the
 * tables of all threads fit. If memory runs out nevertheless and the trace can be read again, it
 * starts over with `stream`.
 */
#include "base/number.h"
#include "engine/core/plugin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Expected number of references in a chunk if the length of the trace is unknown: the largest size
 * to which `chunks` lengthens its chunks. */
#define USUAL_CHUNK 0x1p23

/* Additional cost of a first touch in `chunks`, relative to the cost of a reference. FIRST_COST is
 * the cost of entering the block in a new table and of resolving the first touch.
 * STREAMED_FIRST_COST, for a trace that is not available as a whole, also includes passing the
 * first touch from chunk to chunk. If the expected speedup is below LEAST_GAIN, `relay` on two
 * threads is better. */
#define FIRST_COST          2.0
#define STREAMED_FIRST_COST 7.0
#define LEAST_GAIN          1.4

/* Above this fraction of first touches, `relay` is better, because most first touches pass through
 * all chunks before they are resolved. */
#define FIRST_SHARE 0.7

/* Below this fraction of first touches, a quarter of the sample is enough, because a longer sample
 * would not change the choice. */
#define FEW_FIRSTS 0.02

/* Minimum number of threads at which `chunks` pays off for any fraction of first touches, if the
 * whole trace is available. */
#define MANY_THREADS 6

/* If there is a memory limit, the sample may use 1 / SAMPLE_PART of the limit, and the tables of
 * the chunks may use 1 / TABLES_PART of the limit. */
#define SAMPLE_PART  16
#define TABLES_PART  4
#define BLOCK_BYTES  48.0   /* bytes per block in the table of a chunk */
#define THREAD_BYTES 0x1p21 /* additional bytes per thread */

#define LEAST        "stream" /* needs less memory than relay and chunks */
#define TOO_SHORT    "because the trace is too short for threads"

/* STOPS is the number of times that the sample is measured: when it is a quarter full, half full
 * and full. If the fraction of first touches in the first quarter is below FEW_FIRSTS, the later
 * measurements are not needed. */
#define STOPS 3

typedef struct auto_engine {
    uint64_t sample_room; /* option: maximum number of references in the sample */
    rdi_run *run;
    rdi_request request; /* the request for the chosen engine */
    rdi_inner inner;     /* the chosen engine; inner.ops is NULL while sampling */
    char why[160];       /* the reason for the choice */
    uint64_t *sample;
    size_t sampled;     /* number of references that were added to the sample */
    rd_engine *measure; /* engine that measures the sample; its distances are not reported */
    size_t measured;    /* number of sampled references that have been measured */
    double cold;        /* estimated number of first touches among the measured references */
    double share[STOPS];
    unsigned stops;        /* number of entries of `share` that have been measured */
    const rd_parts *parts; /* the parts that the caller offered; NULL: the caller feeds
                              references */
    uint64_t read;         /* number of block references that were read, if a trace in parts was
                              read sequentially */
} auto_engine;

static const rd_opt options[] = {
    {.name = "trial",
     .type = RD_OPT_SIZE,
     .offset = offsetof(auto_engine, sample_room),
     .def = "1M",
     .min = 1,
     .max = 0x1p30,
     .help = "number of references to measure before several threads start"},
    {.name = NULL},
};

static const char *const variants[] = {"trial=200", NULL};

/* Opens engine `name`, and stores the name and `why`, which auto_finish() puts before the engine's
 * own note. */
static rd_status choose(auto_engine *e, const char *name, const char *why) {
    snprintf(e->why, sizeof e->why, "chose %s, %s", name, why);
    return rdi_inner_open(e->run, &e->request, name, &e->inner);
}

static rd_status auto_open(void *self, rdi_run *run) {
    auto_engine *e = self;
    e->run = run;
    e->request = *run->in;
    if (run->in->threads == 1)
        return choose(e, "stream", "because it is the fastest on one thread");
    if (run->in->threads == 2 && run->in->live)
        return choose(e, "relay", "because the program runs at the same time");
    run->out.counter = RDI_ENGINE_DELIVERS;
    uint64_t affordable = run->in->mem_bytes / (SAMPLE_PART * sizeof *e->sample);
    e->sample_room = e->sample_room < affordable ? e->sample_room : affordable;
    if (e->sample_room == 0)
        return rdi_fail(run->ctx, RD_ENOMEM,
                        "out of memory: the memory limit has no room for a sample; raise it");
    e->sample = rdi_alloc(run->ctx, (size_t)e->sample_room, sizeof *e->sample);
    return e->sample ? RD_OK : RD_ENOMEM;
}

/* Passes at most RDI_FEED_MAX references to an immediate engine. If no distances are requested, an
 * engine that can count distances counts them itself. Otherwise this function counts and delivers
 * them. */
static rd_status pass_on_batch(auto_engine *e, const uint64_t *blk, size_t n) {
    if (e->inner.counter == RDI_ENGINE_COUNTS && !e->run->in->distances)
        return e->inner.ops->feed(e->inner.state, blk, n, NULL);
    uint64_t dist[RDI_FEED_MAX];
    bool count_too = e->run->count_too;
    e->run->count_too = false; /* otherwise the distances would be counted twice, because
                                  rdi_engine_deliver() counts them */
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

/* Passes the sample to the chosen engine, and frees the memory of the sample. This must happen
 * before the caller passes on later references. */
static rd_status pass_on_sample(auto_engine *e) {
    RD_TRY(pass_on(e, e->sample, e->sampled, NULL));
    drop_sample(e);
    return RD_OK;
}

/* If the sample has room for LONG_SAMPLE references or more, only one block in ONE_BLOCK_IN is
 * measured, with all its references. */
#define LONG_SAMPLE  65536u
#define ONE_BLOCK_IN 8u

/* Measures the references that were added to the sample since the last call, and adds the estimated
 * number of first touches among them to `cold`. */
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

/* Returns the number of references at which the sample is measured next. */
static size_t next_stop(const auto_engine *e) {
    size_t stop = (size_t)e->sample_room >> (STOPS - 1 - e->stops);
    return stop ? stop : 1;
}

static bool knows_enough(const auto_engine *e) {
    return e->stops == STOPS || (e->stops == 1 && e->share[0] < FEW_FIRSTS);
}

/* Measures the fraction of first touches so far. The entries of `share` for later measurements get
 * the same value until they are measured. */
static rd_status take_share(auto_engine *e) {
    if (!e->measure)
        RD_TRY(rd_engine_open(e->run->ctx, "stream", NULL, &e->measure));
    RD_TRY(measure_on(e));
    for (unsigned i = e->stops; i < STOPS; i++)
        e->share[i] = fmin(1, e->cold / (double)e->sampled);
    e->stops++;
    return RD_OK;
}

/* Adds references from `blk` to the sample until the sample is large enough for a choice or all n
 * are added. Sets *part to the number of references added. */
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

/* Extrapolates the fraction of first touches to a chunk of `length` references. Each doubling of
 * the length divides the fraction by some factor. From one doubling to the next, this factor stays
 * the same for a scan, grows slowly if the popularity of blocks has a long tail, and is squared if
 * references are random. The factor never exceeds 2; a factor of 2 means that no new blocks
 * appear. */
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

/* Returns the name of the faster engine, `chunks` or `relay`. `first` is the expected fraction of
 * first touches in a chunk. If `whole` is true, the rest of the trace is already available. */
static const char *best_engine(const auto_engine *e, double first, bool whole) {
    double cost = whole ? FIRST_COST : STREAMED_FIRST_COST;
    double gain = e->run->in->threads / (1 + cost * first);
    bool few = first <= FIRST_SHARE && gain >= LEAST_GAIN;
    return few || (whole && e->run->in->threads >= MANY_THREADS) ? "chunks" : "relay";
}

/* Chooses and opens an engine. `known` is the number of references that are available now, in this
 * feed or in the parts. If it exceeds the length of the sample, they count as the whole trace. */
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
    rdi_snprintf(
        why, sizeof why,
        "because about %.1f %% of a chunk would be first touches (%.1f %% of the first %zu "
        "references are)",
        first * 100, e->share[STOPS - 1] * 100, e->sampled);
    return choose(e, best_engine(e, first, whole), why);
}

static rd_status auto_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    auto_engine *e = self;
    if (dist && e->sampled)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine auto: distances were requested after rd_engine_feed() had been "
                        "called without them; request them from the first call on, or never");
    if (!e->inner.ops && dist) {
        e->run->out.counter = RDI_CORE_COUNTS;
        RD_TRY(choose(e, "stream", "because every distance is requested at once"));
    }
    if (!e->inner.ops) {
        bool whole = e->sampled == 0; /* true: the sample consists of the first references of this
                                         feed */
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

/* Reads the sample in two steps, because the first quarter is often enough. The mapper may drop
 * references, so the sample may have fewer references than it has room for. */
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
    RD_TRY(read_sample(e, e->parts)); /* the chosen engine reads these references again */
    drop_sample(e);
    RD_TRY(decide(e, e->parts->references));
    return read_all(e);
}

/* Returns whether memory has run out, the trace can be read again, and LEAST was not the engine. */
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
    RD_TRY(choose(e, LEAST, "because threads need more memory than is allowed"));
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
            .summary =
                "the default: chooses the fastest exact engine for the trace and the threads",
            .card =
                "With one thread, auto chooses stream. With two threads and a running program,\n"
                "it chooses relay. With several threads, it measures the first million references\n"
                "and chooses chunks if few references of a chunk will be first touches or, from\n"
                "six threads on, if the trace is a file or in memory; otherwise it chooses relay.\n"
                "-v reports the choice.",
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
