/* Implements the core around every engine. The core checks arguments and the order of calls,
 * divides long feeds into batches, counts distances, and makes the profile. */
#include "engine/core/engine_state.h"

#include "base/sized.h"
#include "engine/approximate/shards.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Upper estimates in bytes: the memory that an exact engine needs per block of its bound, and all
 * other memory of the engine, the reader and the result. */
#define BYTES_PER_BLOCK 96
#define BYTES_BESIDES   ((uint64_t)2 << 20)

static const char *next_name(size_t index) {
    const rdi_engine_ops *ops = rdi_engine_ops_at(index);
    return ops ? ops->info.name : NULL;
}

static bool is_exact(const rd_engine_info *info) {
    return strcmp(info->error_kind, "exact") == 0;
}

rd_status rdi_engine_refuse(const rd_engine *e, rd_status status, const char *why) {
    return rdi_fail(e->run.ctx, status, "engine %s %s", e->ops->info.name, why);
}

static rd_status find_engine(rd_ctx *ctx, const char *name, const rdi_engine_ops **out) {
    const rdi_engine_ops *ops = rdi_engine_ops_find(name);
    if (!ops)
        return rdi_fail_unknown_name(ctx, "engine", name, next_name);
    const char *why = ops->unavailable ? ops->unavailable() : NULL;
    if (why)
        return rdi_fail(ctx, RD_EUNSUPPORTED, "engine %s cannot run here: %s; use engine auto",
                        name, why);
    *out = ops;
    return RD_OK;
}

static rd_status check_config(rd_ctx *ctx, const rdi_engine_ops *ops,
                              const rd_engine_config *config) {
    const char *name = ops->info.name;
    if (config->bound && !(ops->info.caps & RD_CAP_BOUND))
        return rdi_fail(ctx, RD_EINVAL, "engine %s supports no bound; use engine auto", name);
    if (config->checkpoint && !(ops->info.caps & RD_CAP_CHECKPOINT))
        return rdi_fail(ctx, RD_EINVAL, "engine %s writes no checkpoints; use engine parda", name);
    if (config->sink && !(ops->info.caps & RD_CAP_DISTANCES))
        return rdi_fail(ctx, RD_EINVAL, "engine %s delivers no distances; use engine auto", name);
    return RD_OK;
}

/* Initializes a zeroed engine. On failure the caller closes it. */
static rd_status open_engine(rd_engine *e, rd_ctx *ctx, const char *spec,
                             const rd_engine_config *config) {
    e->run.ctx = ctx;
    e->stage = STAGE_BROKEN;
    char *options;
    RD_TRY(rdi_spec_split(ctx, spec, &e->spec, &options));
    const rdi_engine_ops *ops = NULL;
    RD_TRY(find_engine(ctx, e->spec, &ops));
    RD_TRY(check_config(ctx, ops, config));

    e->request.bound = config->bound ? config->bound : UINT64_MAX;
    e->request.threads = config->threads ? config->threads : 1;
    e->request.mem_bytes = config->mem_bytes ? config->mem_bytes : UINT64_MAX;
    e->request.references = config->references;
    e->request.expected_blocks = config->expected_blocks;
    e->request.live = config->live;
    e->request.checkpoint = config->checkpoint;
    e->request.checkpoint_of = config->checkpoint_of;
    e->request.distances = config->sink != NULL;
    e->run.in = &e->request;
    e->run.out.bound = e->request.bound;
    e->run.out.blocks = RD_UNKNOWN;
    e->run.engine = e;
    e->sink = config->sink;
    e->sink_user = config->sink_user;
    clock_gettime(CLOCK_MONOTONIC, &e->opened);

    char owner[64];
    snprintf(owner, sizeof owner, "engine %s", ops->info.name);
    e->state = rdi_calloc(ctx, 1, ops->state_size);
    e->fresh = rdi_calloc(ctx, 1, ops->state_size);
    e->dist = rdi_alloc(ctx, RDI_FEED_MAX, sizeof *e->dist);
    if (!e->state || !e->fresh || !e->dist)
        return RD_ENOMEM;
    RD_TRY(rdi_opts_parse(ctx, owner, ops->info.opts, e->fresh, options));
    memcpy(e->state, e->fresh, ops->state_size);
    RD_TRY(rdi_hist_new(ctx, config->binning, &e->run.out.hist));
    e->ops = ops; /* from here on, closing also calls close() of the engine */
    RD_TRY(ops->open(e->state, &e->run));
    e->stage = STAGE_FEEDING;
    return RD_OK;
}

/* Returns `status`. If an exact engine has run out of memory under a memory limit, the message
 * suggests settings that fit the limit. */
static rd_status explain(rd_engine *e, rd_status status) {
    uint64_t bytes = e->request.mem_bytes;
    if (status != RD_ENOMEM || bytes == UINT64_MAX || !e->ops || !is_exact(&e->ops->info))
        return status;
    bool several = e->request.threads > 1;
    char threads[32] = "", reached[64] = "", bound[128] = "", small[256] = "", options[64];
    if (several)
        snprintf(threads, sizeof threads, " on %" PRIu32 " threads", e->request.threads);
    if (e->fed)
        snprintf(reached, sizeof reached, "; memory ran out after %" PRIu64 " references", e->fed);
    uint64_t blocks = bytes > BYTES_BESIDES ? (bytes - BYTES_BESIDES) / BYTES_PER_BLOCK : 0;
    if (blocks && blocks < e->run.out.bound)
        snprintf(bound, sizeof bound,
                 ". A bound of %" PRIu64 " blocks would fit, and distances below it would be exact",
                 blocks);
    if (rdi_shards_fit(bytes, options, sizeof options))
        snprintf(small, sizeof small,
                 ". Engine shards:%s would fit, and would estimate the result from a sample of the "
                 "blocks",
                 options);
    return rdi_fail(
        e->run.ctx, status,
        "exact analysis%s does not fit within the memory limit (%" PRIu64 " bytes)%s%s%s%s",
        threads, bytes, reached, several ? ". One thread needs less" : "", bound, small);
}

rd_status rd_engine_open(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                         rd_engine **out) {
    RDI_NEED(ctx, ctx, out);
    rd_engine_config known;
    RD_TRY(rdi_sized_copy(ctx, "rd_engine_config", config, &known, sizeof known));
    rd_engine *e = rdi_calloc(ctx, 1, sizeof *e);
    if (!e)
        return RD_ENOMEM;
    bool together = rdi_ctx_ranks(ctx) && !known.sink; /* other processes run some of the ranks */
    const char *usual = together ? "parda" : "auto";
    rd_status status = explain(e, open_engine(e, ctx, spec ? spec : usual, &known));
    if (status != RD_OK) {
        rd_engine_close(e);
        return status;
    }
    *out = e;
    return RD_OK;
}

rd_status rdi_inner_open(rdi_run *run, const rdi_request *request, const char *name,
                         rdi_inner *out) {
    const rdi_engine_ops *ops = NULL;
    rdi_counter counter = run->out.counter;
    RD_TRY(find_engine(run->ctx, name, &ops));
    void *state = rdi_calloc(run->ctx, 1, ops->state_size);
    if (!state)
        return RD_ENOMEM;
    *out = (rdi_inner){.ops = ops, .state = state};
    run->in = request;
    run->out.counter = RDI_CORE_COUNTS;
    rd_status status = rd_opts_default(run->ctx, ops->info.opts, state);
    if (status == RD_OK)
        status = ops->open(state, run);
    out->counter = run->out.counter;
    if (counter != RDI_CORE_COUNTS)
        run->out.counter = counter;
    if (status != RD_OK)
        rdi_inner_close(run, out);
    return status;
}

void rdi_inner_close(rdi_run *run, rdi_inner *inner) {
    if (inner->ops)
        inner->ops->close(inner->state);
    rdi_free(run->ctx, inner->state);
    *inner = (rdi_inner){0};
}

/* Passes distances to the caller's sink, if there is one. If the sink fails, this function makes
 * the message, because the last message of the context may be about something else. */
static rd_status pass_to_sink(rd_engine *e, const uint64_t *dist, size_t n) {
    rd_status status = e->sink ? e->sink(e->sink_user, dist, n) : RD_OK;
    return status == RD_OK ? RD_OK
                           : rdi_fail(e->run.ctx, status, "the sink for distances failed (%s)",
                                      rd_status_name(status));
}

rd_status rdi_engine_deliver(rdi_run *run, const uint64_t *dist, size_t n) {
    rd_engine *e = run->engine;
    RD_TRY(rdi_hist_add(run->out.hist, dist, n));
    return pass_to_sink(e, dist, n);
}

void rdi_engine_note_before(rdi_run *run, const char *text) {
    char *note = run->out.note;
    size_t n = strlen(text), last = sizeof run->out.note - 1, kept = strlen(note);
    n = n + 2 < last ? n : last - 2;
    kept = n + 2 + kept < last ? kept : last - n - 2;
    memmove(note + n + 2, note, kept);
    memcpy(note, text, n);
    memcpy(note + n, "; ", 2);
    note[n + 2 + kept] = 0;
}

rd_status rdi_engine_use_edges(rdi_run *run, const uint64_t *edges, size_t n) {
    rdi_hist *hist;
    RD_TRY(rdi_hist_new_edges(run->ctx, edges, n, &hist));
    rdi_hist_free(run->out.hist);
    run->out.hist = hist;
    return RD_OK;
}

/* Feeds one batch of at most RDI_FEED_MAX references to an immediate engine, counts their distances
 * unless the engine does, and passes them to the sink, if there is one. Writes the distances to
 * `distances` unless `distances` is NULL. */
static rd_status feed_batch(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances) {
    bool wanted = distances || e->sink, engine_counts = e->run.out.counter == RDI_ENGINE_COUNTS;
    if (!wanted && engine_counts)
        return e->ops->feed(e->state, blocks, n, NULL);
    uint64_t *dist = distances ? distances : e->dist;
    if (!engine_counts) {
        RD_TRY(e->ops->feed(e->state, blocks, n, dist));
        return rdi_engine_deliver(&e->run, dist, n);
    }
    e->run.count_too = true;
    rd_status status = e->ops->feed(e->state, blocks, n, dist);
    e->run.count_too = false;
    return status == RD_OK ? pass_to_sink(e, dist, n) : status;
}

static rd_status feed_batches(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances) {
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(feed_batch(e, blocks + at, part, distances ? distances + at : NULL));
    }
    return RD_OK;
}

/* Marks the engine as broken, so that only close() may follow. Returns explain(e, status). */
static rd_status broken(rd_engine *e, rd_status status) {
    e->stage = STAGE_BROKEN;
    return explain(e, status);
}

/* Returns whether the engine itself counts and delivers distances instead of writing them during
 * feed(). */
static bool delivers(const rd_engine *e) {
    return !rdi_engine_is_immediate(e->ops) || e->run.out.counter == RDI_ENGINE_DELIVERS;
}

rd_status rd_engine_feed(rd_engine *e, const uint64_t *blocks, size_t n, uint64_t *distances) {
    RDI_NEED(NULL, e);
    if (n)
        RDI_NEED(e->run.ctx, blocks);
    if (e->stage != STAGE_FEEDING)
        return rdi_engine_refuse(e, RD_ESTATE,
                                 "accepts no references after rd_engine_finish() or a failure");
    if (e->parts)
        return rdi_engine_refuse(e, RD_ESTATE,
                                 "accepts no references after rd_engine_feed_parts(), which "
                                 "reads the whole trace");
    if (e->known)
        return rdi_engine_refuse(e, RD_ESTATE,
                                 "accepts no blocks after rd_engine_feed_known() or "
                                 "rd_engine_prefill()");
    if (distances && !rdi_engine_is_immediate(e->ops))
        return rdi_engine_refuse(e, RD_EINVAL,
                                 e->ops->info.caps & RD_CAP_DISTANCES
                                     ? "delivers distances late; pass NULL and use a sink"
                                     : "delivers no distances; pass NULL, or use engine auto");
    if (n == 0)
        return RD_OK;
    rd_status status = delivers(e) && !distances ? e->ops->feed(e->state, blocks, n, NULL)
                                                 : feed_batches(e, blocks, n, distances);
    e->fed += n;
    return status == RD_OK ? RD_OK : broken(e, status);
}

/* An engine for which delivers() is false would read the parts one after another, which would not
 * be faster than rd_engine_feed(). */
bool rd_engine_takes_parts(const rd_engine *e) {
    return e && (e->ops->info.caps & RD_CAP_PARTS) && !e->sink && delivers(e);
}

rd_status rd_engine_feed_parts(rd_engine *e, const rd_parts *parts) {
    RDI_NEED(e ? e->run.ctx : NULL, e, parts);
    if (!parts->what || !parts->open || !parts->read || !parts->close)
        return rdi_engine_refuse(e, RD_EINVAL,
                                 "needs parts with the fields what, open, read and close");
    if (e->stage != STAGE_FEEDING || e->fed > 0)
        return rdi_engine_refuse(
            e, RD_ESTATE, "accepts no parts after references, rd_engine_finish() or a failure");
    if (e->parts)
        return rdi_engine_refuse(
            e, RD_ESTATE,
            "accepts only one call of rd_engine_feed_parts(), which reads the whole trace");
    if (!e->ops->feed_parts)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED, "cannot read parts; use rd_engine_feed()");
    if (e->sink)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED,
                                 "cannot read parts while a sink receives the distances; use "
                                 "rd_engine_feed(), or open it without a sink");
    e->parts = true;
    rd_status status = e->ops->feed_parts(e->state, parts);
    return status == RD_OK ? RD_OK : broken(e, status);
}

bool rd_engine_pin(rd_engine *e, void *memory, size_t bytes) {
    return e && memory && e->ops->pin && e->ops->pin(e->state, memory, bytes);
}

void rd_engine_unpin(rd_engine *e, void *memory) {
    if (e && e->ops->unpin)
        e->ops->unpin(e->state, memory);
}

rd_status rd_engine_finish(rd_engine *e) {
    RDI_NEED(NULL, e);
    if (e->stage != STAGE_FEEDING)
        return rdi_engine_refuse(e, RD_ESTATE, "is already finished or has failed");
    rd_status status = e->ops->finish ? e->ops->finish(e->state) : RD_OK;
    if (status != RD_OK)
        return broken(e, status);
    e->stage = STAGE_FINISHED;
    return RD_OK;
}

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

/* Collects the facts of a finished run. Without a bound, every infinite distance belongs to the
 * first reference to a block. */
static rd_profile_facts collect_facts(const rd_engine *e) {
    bool bounded = e->run.out.bound != UINT64_MAX;
    bool measured = !(e->ops->info.caps & RD_CAP_NO_DISTANCE);
    uint64_t infinite = rdi_hist_infinite(e->run.out.hist);
    uint64_t cold = bounded || !measured ? RD_UNKNOWN : infinite;
    rd_profile_facts facts = {
        .references = e->fed + e->run.out.fed,
        .blocks = e->run.out.blocks != RD_UNKNOWN ? e->run.out.blocks : cold,
        .cold = cold,
        .infinite = infinite,
        .bound = bounded ? e->run.out.bound : 0,
        .engine = e->ops->info.name,
        .exact = is_exact(&e->ops->info),
        .error_kind = e->run.out.error_kind ? e->run.out.error_kind : e->ops->info.error_kind,
        .error_bound = e->run.out.error_bound,
        .sample_rate = e->run.out.sample_rate,
        .binning = rdi_hist_binning(e->run.out.hist),
        .sums_known = !e->run.out.sums_unknown,
        .seconds = seconds_since(&e->opened),
    };
    memcpy(facts.half_width, e->run.out.half_width, sizeof facts.half_width);
    return facts;
}

rd_status rd_engine_profile(rd_engine *e, rd_profile **out) {
    RDI_NEED(e ? e->run.ctx : NULL, e, out);
    rd_ctx *ctx = e->run.ctx;
    if (e->stage != STAGE_FINISHED)
        return rdi_engine_refuse(e, RD_ESTATE,
                                 "has a profile only after rd_engine_finish() has succeeded");
    rd_profile_facts facts = collect_facts(e);
    char *options = rdi_opts_describe(ctx, e->ops->info.opts, e->state);
    rd_bin *bins = NULL;
    size_t n = 0;
    rd_status status = options ? rdi_hist_bins(e->run.out.hist, &bins, &n) : RD_ENOMEM;
    facts.engine_options = options;
    if (status == RD_OK)
        status = rdi_profile_new(ctx, &facts, bins, n, out);
    rdi_free(ctx, bins);
    rdi_free(ctx, options);
    return status;
}

const rd_engine_info *rd_engine_info_of(const rd_engine *e) {
    return e ? &e->ops->info : NULL;
}

const char *rd_engine_note(const rd_engine *e) {
    return e ? e->run.out.note : "";
}

rd_status rdi_engine_check(rd_engine *e, const char **why) {
    return e->ops->check ? e->ops->check(e->state, why) : RD_OK;
}

/* ---- the order structure alone ---- */

rd_status rdi_known_fail(const rdi_run *run, uint64_t last) {
    return rdi_fail(run->ctx, RD_EINVAL,
                    "engine %s: reference %" PRIu64 " is not the latest reference to a block",
                    run->engine->ops->info.name, last);
}

rd_status rd_engine_feed_known(rd_engine *e, const rd_known *refs, size_t n, uint64_t *distances) {
    RDI_NEED(e ? e->run.ctx : NULL, e, refs);
    if (n)
        RDI_NEED(e->run.ctx, refs->last, refs->number);
    if (n && (e->ops->info.caps & RD_CAP_DISTANCES))
        RDI_NEED(e->run.ctx, distances);
    if (e->stage != STAGE_FEEDING || (e->fed && !e->known))
        return rdi_engine_refuse(e, RD_ESTATE,
                                 "accepts no known references after rd_engine_feed(), "
                                 "rd_engine_finish() or a failure");
    if (!e->ops->alone)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED,
                                 "cannot work without its table; use bk, olken, khw, scale or "
                                 "absolute for rd_engine_feed_known()");
    if (e->run.out.bound != UINT64_MAX)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED,
                                 "does not support a bound in rd_engine_feed_known(); open it "
                                 "without a bound");
    e->known = true;
    rd_status status = e->ops->alone->feed(e->state, refs, n, distances);
    e->fed += n;
    return status == RD_OK ? RD_OK : broken(e, status);
}

rd_status rd_engine_prefill(rd_engine *e, uint64_t blocks) {
    RDI_NEED(NULL, e);
    if (!e->ops->alone || !e->ops->alone->prefill)
        return rdi_engine_refuse(e, RD_EUNSUPPORTED, "cannot be prefilled; use engine scale");
    if (e->stage != STAGE_FEEDING || e->fed)
        return rdi_engine_refuse(
            e, RD_ESTATE, "cannot be prefilled after references, rd_engine_finish() or a failure");
    e->known = true;
    rd_status status = e->ops->alone->prefill(e->state, blocks);
    return status == RD_OK ? RD_OK : broken(e, status);
}

rd_nodes rd_engine_nodes(const rd_engine *e) {
    bool known = e && e->ops->alone && e->ops->alone->nodes;
    return known ? e->ops->alone->nodes(e->state) : (rd_nodes){0, 0};
}

void rd_engine_close(rd_engine *e) {
    if (!e)
        return;
    rd_ctx *ctx = e->run.ctx;
    if (e->ops)
        e->ops->close(e->state);
    rdi_hist_free(e->run.out.hist);
    rdi_free(ctx, e->dist);
    rdi_free(ctx, e->state);
    rdi_free(ctx, e->fresh);
    rdi_free(ctx, e->spec);
    rdi_free(ctx, e);
}
