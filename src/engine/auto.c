/* auto: picks the method from what it sees, and says what it picked.
 *
 * One thread, or a caller who wants each distance at once: `stream`. Several threads: the first
 * references are held back and measured. Where few of them are first touches, cutting the trace
 * into chunks and resolving the first touches afterwards is cheapest (`chunks`); where many are,
 * the sorted phases of `batch` divide the work better. A trace that ends within the sample is not
 * worth threads.
 */
#include "engine/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIRST_SHARE   0.06 /* of first touches in the sample, above which chunks do not pay */
#define BATCH_THREADS 6    /* from which batch is faster than stream alone */

typedef struct auto_engine {
    uint64_t sample_room; /* option: references held back */
    rdi_run *run;
    rdi_inner inner; /* the engine chosen; no ops while sampling */
    char why[128];   /* it was */
    uint64_t *sample;
    size_t sampled;
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
    if (run->threads == 1) {
        return choose(e, "stream", "the fastest on one thread");
    }
    run->late = true;
    e->sample = rdi_alloc(run->ctx, (size_t)e->sample_room, sizeof *e->sample);
    return e->sample ? RD_OK : RD_ENOMEM;
}

/* One piece for an immediate engine, which may leave counting and delivering to others. */
static rd_status pass_on_piece(auto_engine *e, const uint64_t *blk, size_t n) {
    if (e->run->counts_itself && !e->run->distances)
        return e->inner.ops->feed(e->inner.state, blk, n, NULL);
    uint64_t dist[RDI_FEED_MAX];
    RD_TRY(e->inner.ops->feed(e->inner.state, blk, n, dist));
    return rdi_engine_deliver(e->run, dist, n);
}

static rd_status pass_on(auto_engine *e, const uint64_t *blk, size_t n, uint64_t *dist) {
    if (dist || !rdi_engine_is_immediate(e->inner.ops))
        return e->inner.ops->feed(e->inner.state, blk, n, dist);
    for (size_t at = 0; at < n; at += RDI_FEED_MAX)
        RD_TRY(pass_on_piece(e, blk + at, n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX));
    return RD_OK;
}

static rd_status pass_on_sample(auto_engine *e) {
    RD_TRY(pass_on(e, e->sample, e->sampled, NULL));
    rdi_free(e->run->ctx, e->sample);
    e->sample = NULL;
    return RD_OK;
}

/* Share of first touches in the sample, by an engine of its own that nobody listens to. */
static rd_status measure_first_touches(auto_engine *e, double *share) {
    rd_engine *measure = NULL;
    RD_TRY(rd_engine_open(e->run->ctx, "stream", NULL, &measure));
    rd_profile *profile = NULL;
    rd_status status = rd_engine_feed(measure, e->sample, e->sampled, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(measure);
    if (status == RD_OK)
        status = rd_engine_profile(measure, &profile);
    if (status == RD_OK)
        *share = (double)rd_profile_facts_of(profile)->cold / (double)e->sampled;
    rd_profile_free(profile);
    rd_engine_close(measure);
    return status;
}

static rd_status decide(auto_engine *e) {
    double share = 0;
    char why[96];
    RD_TRY(measure_first_touches(e, &share));
    snprintf(why, sizeof why, "because %.2g %% of a sample of %zu references are first touches",
             share * 100, e->sampled);
    const char *name = share <= FIRST_SHARE               ? "chunks"
                       : e->run->threads >= BATCH_THREADS ? "batch"
                                                          : "stream";
    RD_TRY(choose(e, name, why));
    return pass_on_sample(e);
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
        size_t room = (size_t)e->sample_room - e->sampled, part = n < room ? n : room;
        memcpy(e->sample + e->sampled, blk, part * sizeof *blk);
        e->sampled += part;
        if (e->sampled < e->sample_room)
            return RD_OK;
        RD_TRY(decide(e));
        blk += part;
        n -= part;
    }
    return n ? pass_on(e, blk, n, dist) : RD_OK;
}

static rd_status auto_finish(void *self) {
    auto_engine *e = self;
    if (!e->inner.ops) {
        RD_TRY(choose(e, "stream", "because the trace is too short for threads"));
        RD_TRY(pass_on_sample(e));
    }
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
                "One thread: stream. Several: measures the first million references and takes\n"
                "chunks where few are first touches; where many are, batch from six threads on,\n"
                "else stream. -v tells which.",
            .caps = RD_CAP_DISTANCES | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(auto_engine),
    .open = auto_open,
    .feed = auto_feed,
    .finish = auto_finish,
    .check = auto_check,
    .close = auto_close,
};
