/* auto: picks the method from what it sees, and says what it picked.
 *
 * One thread, or a caller who wants each distance at once: `stream`. Two, beside the program that
 * makes the references: `relay`. Several: the first references are held back and measured. From the
 * share of first touches among them follows what share of a whole chunk will be, and from that
 * whether cutting the trace into chunks and resolving their first touches afterwards pays
 * (`chunks`); where it does not, the sorted phases of `batch` divide the work among many threads,
 * and `relay` between two. A trace that ends within the sample is not worth threads.
 */
#include "engine/plugin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* References in a chunk when only a stream of them is known: what `chunks` comes to by itself. */
#define USUAL_CHUNK 0x1p23

/* A first touch costs `chunks` about three references more: its entry in a fresh table, resolving,
 * and its way to the past. Below this gain, two threads of which one hands on to the other are
 * better. */
#define FIRST_COST 3.0
#define LEAST_GAIN 1.4

/* Above this share most of them go through all chunks before they are resolved. */
#define FIRST_SHARE 0.7

/* Chunks of a program's trace take different times: several per thread even that out, as long as
 * hardly anything in them is a first touch. */
#define FEW_FIRSTS      0.02
#define MOST_CHUNKS     32 /* each may have to look at the others' first touches */
#define MOST_PER_THREAD 4

#define BATCH_THREADS   6 /* from which batch is faster than relay */

#define TOO_SHORT       "because the trace is too short for threads"

typedef struct auto_engine {
    uint64_t sample_room; /* option: references held back */
    rdi_run *run;
    rdi_inner inner; /* the engine chosen; no ops while sampling */
    char why[128];   /* it was */
    uint64_t *sample;
    size_t sampled;
    uint64_t read; /* blocks, of a trace in parts that was read in one go */
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
    return rdi_inner_open(e->run, name, &e->inner);
}

static rd_status auto_open(void *self, rdi_run *run) {
    auto_engine *e = self;
    e->run = run;
    if (run->threads == 1)
        return choose(e, "stream", "the fastest on one thread");
    if (run->threads == 2 && run->live)
        return choose(e, "relay", "because the program runs at the same time");
    run->late = true;
    e->sample = rdi_alloc(run->ctx, (size_t)e->sample_room, sizeof *e->sample);
    return e->sample ? RD_OK : RD_ENOMEM;
}

/* One piece for an immediate engine, which may leave counting and delivering to others. */
static rd_status pass_on_piece(auto_engine *e, const uint64_t *blk, size_t n) {
    if (e->run->counts_itself && !e->run->distances)
        return e->inner.ops->feed(e->inner.state, blk, n, NULL);
    uint64_t dist[RDI_FEED_MAX];
    bool counting = e->run->counting;
    e->run->counting = false; /* delivering counts */
    rd_status status = e->inner.ops->feed(e->inner.state, blk, n, dist);
    e->run->counting = counting;
    return status == RD_OK ? rdi_engine_deliver(e->run, dist, n) : status;
}

static rd_status pass_on(auto_engine *e, const uint64_t *blk, size_t n, uint64_t *dist) {
    if (dist || !rdi_engine_is_immediate(e->inner.ops))
        return e->inner.ops->feed(e->inner.state, blk, n, dist);
    for (size_t at = 0; at < n; at += RDI_FEED_MAX)
        RD_TRY(pass_on_piece(e, blk + at, n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX));
    return RD_OK;
}

/* Before anything else goes to the engine. */
static rd_status pass_on_sample(auto_engine *e) {
    RD_TRY(pass_on(e, e->sample, e->sampled, NULL));
    rdi_free(e->run->ctx, e->sample);
    e->sample = NULL;
    return RD_OK;
}

/* Of a long sample every sixteenth block is enough to tell, with all its references. */
#define LONG_SAMPLE  65536u
#define ONE_BLOCK_IN 16u

/* Feeds the blocks of the sample that stand for all. */
static rd_status feed_some(const auto_engine *e, uint64_t one_in, rd_engine *measure) {
    uint64_t some[RDI_FEED_MAX];
    size_t n = 0;
    for (size_t i = 0; i < e->sampled; i++) {
        some[n] = e->sample[i];
        n += rdi_mix64(e->sample[i]) % one_in == 0;
        if (n == RDI_FEED_MAX) {
            RD_TRY(rd_engine_feed(measure, some, n, NULL));
            n = 0;
        }
    }
    return rd_engine_feed(measure, some, n, NULL);
}

/* Share of first touches in the sample, by an engine of its own that nobody listens to. */
static rd_status measure_first_touches(auto_engine *e, double *share) {
    uint64_t one_in = e->sampled < LONG_SAMPLE ? 1 : ONE_BLOCK_IN;
    rd_engine *measure = NULL;
    RD_TRY(rd_engine_open(e->run->ctx, "stream", NULL, &measure));
    rd_profile *profile = NULL;
    rd_status status = feed_some(e, one_in, measure);
    if (status == RD_OK)
        status = rd_engine_finish(measure);
    if (status == RD_OK)
        status = rd_engine_profile(measure, &profile);
    if (status == RD_OK) {
        double cold = (double)(one_in * rd_profile_facts_of(profile)->cold);
        *share = fmin(1, cold / (double)e->sampled);
    }
    rd_profile_free(profile);
    rd_engine_close(measure);
    return status;
}

/* Expected number of different blocks among n random references to m blocks. */
static double expected_distinct(double m, double n) {
    return -m * expm1(-n / m);
}

/* The share of first touches in a chunk of `length` references, if that in the sample is `share`
 * and references were random. Those of programs are not, but a trace with this many far reuses is
 * nearest to it. */
static double share_in_chunk(double share, double sample, double length) {
    double low = share * sample, high = 0x1p60;
    for (int i = 0; i < 100; i++) {
        double m = sqrt(low * high);
        if (expected_distinct(m, sample) < share * sample)
            low = m;
        else
            high = m;
    }
    return expected_distinct(high, length) / length;
}

static uint32_t chunks_per_thread(const auto_engine *e, double share, double chunk) {
    uint32_t n = MOST_PER_THREAD;
    while (n > 1 && (n * e->run->threads > MOST_CHUNKS ||
                     share_in_chunk(share, (double)e->sampled, chunk / n) > FEW_FIRSTS))
        n /= 2;
    return n;
}

/* `chunk`: references that one thread would get. */
static const char *best_engine(const auto_engine *e, double share, double chunk) {
    double first = share_in_chunk(share, (double)e->sampled, chunk);
    double gain = e->run->threads / (1 + FIRST_COST * first);
    if (first <= FIRST_SHARE && gain >= LEAST_GAIN)
        return "chunks";
    return e->run->threads >= BATCH_THREADS ? "batch" : "relay";
}

/* `known`: references that are there to be analysed at once. */
static rd_status decide(auto_engine *e, size_t known) {
    double share = 0, chunk = (double)known / e->run->threads;
    char why[96];
    RD_TRY(measure_first_touches(e, &share));
    snprintf(why, sizeof why, "because %.2g %% of a sample of %zu references are first touches",
             share * 100, e->sampled);
    chunk = chunk > USUAL_CHUNK ? chunk : USUAL_CHUNK;
    e->run->chunks_per_thread = chunks_per_thread(e, share, chunk);
    return choose(e, best_engine(e, share, chunk), why);
}

static rd_status auto_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    auto_engine *e = self;
    if (!e->inner.ops && dist) {
        if (e->sampled)
            return rdi_fail(e->run->ctx, RD_EINVAL,
                            "engine auto: distances asked for after references fed without");
        RD_TRY(choose(e, "stream", "because every distance is wanted at once"));
        e->run->late = false;
    }
    if (!e->inner.ops) {
        bool whole = e->sampled == 0; /* the trace so far: the sample is its beginning */
        size_t room = (size_t)e->sample_room - e->sampled, part = n < room ? n : room;
        memcpy(e->sample + e->sampled, blk, part * sizeof *blk);
        e->sampled += part;
        if (e->sampled < e->sample_room)
            return RD_OK;
        RD_TRY(decide(e, n));
        if (!whole) {
            RD_TRY(pass_on_sample(e));
            blk += part;
            n -= part;
        }
    }
    return n ? pass_on(e, blk, n, dist) : RD_OK;
}

/* ---- a trace in parts ---- */

static rd_status take_sample(void *user, const uint64_t *blocks, size_t n) {
    auto_engine *e = user;
    size_t room = (size_t)e->sample_room - e->sampled, part = n < room ? n : room;
    memcpy(e->sample + e->sampled, blocks, part * sizeof *blocks);
    e->sampled += part;
    return RD_OK;
}

static rd_status pass_on_read(void *user, const uint64_t *blocks, size_t n) {
    auto_engine *e = user;
    e->read += n;
    return pass_on(e, blocks, n, NULL);
}

/* Reads up to n references from the beginning. */
static rd_status read_part(auto_engine *e, const rd_parts *parts, uint64_t n, rd_block_sink sink) {
    void *reader = NULL;
    RD_TRY(parts->open(e->run->ctx, parts->what, &reader));
    rd_status status =
        parts->read(reader, 0, n < parts->references ? n : parts->references, sink, e);
    parts->close(reader);
    return status;
}

/* What the sample is made of is read again. */
static rd_status auto_feed_parts(void *self, const rd_parts *parts) {
    auto_engine *e = self;
    if (!e->inner.ops) {
        RD_TRY(read_part(e, parts, e->sample_room, take_sample));
        RD_TRY(parts->references > e->sample_room ? decide(e, parts->references)
                                                  : choose(e, "stream", TOO_SHORT));
    }
    if (e->inner.ops->feed_parts)
        return e->inner.ops->feed_parts(e->inner.state, parts);
    return read_part(e, parts, parts->references, pass_on_read);
}

static rd_status auto_finish(void *self) {
    auto_engine *e = self;
    if (!e->inner.ops) {
        RD_TRY(choose(e, "stream", TOO_SHORT));
        RD_TRY(pass_on_sample(e));
    }
    e->run->fed = e->read;
    RD_TRY(e->inner.ops->finish ? e->inner.ops->finish(e->inner.state) : RD_OK);
    char inner[sizeof e->run->note];
    memcpy(inner, e->run->note, sizeof inner);
    snprintf(e->run->note, sizeof e->run->note, "%s; %.*s", e->why, 100, inner);
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
    rdi_free(e->run->ctx, e->sample);
}

const rdi_engine_ops rdi_engine_auto = {
    .abi = RDI_ENGINE_ABI,
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
