/* Draws settings, runs one engine on one trace with these settings, and passes the answers to
 * verify_compare.c. */
#include "verify/verifier.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- setups ---- */

static uint64_t draw_bound(rdi_rng *rng, uint64_t blocks) {
    switch (rdi_rng_below(rng, 10)) {
    case 0:
        return 1;
    case 1:
        return 2;
    case 2:
        return blocks > 1 ? blocks - 1 : 1;
    case 3:
        return blocks ? blocks : 1;
    case 4:
        return blocks + 1;
    case 5:
    case 6:
        return 1 + rdi_rng_below(rng, blocks + 2);
    case 7:
        return UINT64_C(1) << 40;
    default:
        return 0;
    }
}

static rd_binning draw_binning(rdi_rng *rng) {
    static const rd_binning choices[] = {{RD_BINS_FULL, 0},      {RD_BINS_FULL, 0},
                                         {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOGLINEAR, 4},
                                         {RD_BINS_LOG, 0},       {RD_BINS_LINEAR, 3}};
    return choices[rdi_rng_below(rng, RDI_COUNT(choices))];
}

static rdi_verify_delivery draw_delivery(rdi_rng *rng, uint32_t caps) {
    if (!(caps & RD_CAP_DISTANCES) || rdi_rng_below(rng, 4) == 0)
        return RDI_VERIFY_HISTOGRAM;
    return caps & RD_CAP_LATE || rdi_rng_below(rng, 2) ? RDI_VERIFY_SINK : RDI_VERIFY_ARRAY;
}

/* Draws a number of threads: one, two, a number that does not divide the trace evenly, or more than
 * a short trace has references. The numbers are small, because starting threads takes most of the
 * time of a short trace. */
static uint32_t draw_threads(rdi_rng *rng) {
    static const uint32_t choices[] = {1, 2, 2, 3, 3, 4, 5, 17};
    return choices[rdi_rng_below(rng, RDI_COUNT(choices))];
}

rdi_verify_setup rdi_verify_draw_setup(const rd_engine_info *info, uint64_t seed, size_t n,
                                       uint64_t blocks) {
    static const size_t batches[] = {1, 3, 100, RDI_FEED_MAX, SIZE_MAX / 2};
    rdi_rng rng = {rdi_mix64(seed)};
    rdi_verify_setup setup = {
        .bound = info->caps & RD_CAP_BOUND ? draw_bound(&rng, blocks) : 0,
        .threads = info->caps & RD_CAP_THREADS ? draw_threads(&rng) : 1,
        .binning = draw_binning(&rng),
        .delivery = draw_delivery(&rng, info->caps),
        .split_seed = rdi_rng_next(&rng),
        .batch_max = batches[rdi_rng_below(&rng, RDI_COUNT(batches))],
    };
    const uint64_t hints[] = {0, n, n / 2, 3 * n + 1};
    setup.references = hints[rdi_rng_below(&rng, RDI_COUNT(hints))];
    return setup;
}

void rdi_verify_describe_setup(const rdi_verify_setup *setup, char *text, size_t room) {
    static const char *const delivery[] = {"histogram only", "distances in an array",
                                           "distances to a sink"};
    char bound[32] = "no bound", batches[48] = "one batch", bins[32];
    if (setup->bound)
        snprintf(bound, sizeof bound, "bound %" PRIu64, setup->bound);
    if (setup->batch_max < SIZE_MAX / 2)
        snprintf(batches, sizeof batches, "batches of up to %zu reference%s", setup->batch_max,
                 setup->batch_max == 1 ? "" : "s");
    rd_binning_name(setup->binning, bins);
    snprintf(text, room, "%s, %" PRIu32 " thread%s, %s, %s, %s bins", bound, setup->threads,
             setup->threads == 1 ? "" : "s", batches, delivery[setup->delivery], bins);
}

const char *rdi_verify_unchecked(const rd_engine_info *info) {
    return rd_engine_unavailable(info);
}

/* ---- running ---- */

static const rdi_engine_ops *find_oracle(void) {
    size_t i = 0;
    while (!(rdi_engine_ops_at(i)->info.caps & RD_CAP_ORACLE))
        i++;
    return rdi_engine_ops_at(i);
}

rd_status rdi_verify_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *distances) {
    rd_engine *e = NULL;
    RD_TRY(rd_engine_open(ctx, find_oracle()->info.name, NULL, &e));
    rd_status status = rd_engine_feed(e, blocks, n, distances);
    rd_engine_close(e);
    return status;
}

/* The destination of a sink's distances. Distances beyond `room` are counted but not stored, so an
 * engine that delivers too many distances cannot overflow the array. */
typedef struct collector {
    uint64_t *distances;
    size_t n, room;
} collector;

static rd_status collect(void *user, const uint64_t *distances, size_t n) {
    collector *c = user;
    for (size_t i = 0; i < n; i++, c->n++)
        if (c->n < c->room)
            c->distances[c->n] = distances[i];
    return RD_OK;
}

static size_t draw_batch(rdi_rng *rng, const rdi_verify_setup *setup, size_t left) {
    if (setup->batch_max >= left)
        return left;
    return (size_t)(rdi_rng_below(rng, 16) ? 1 + rdi_rng_below(rng, setup->batch_max) : 0);
}

static rd_status feed_all(rd_engine *e, const rdi_verify_setup *setup, const uint64_t *blocks,
                          size_t n, uint64_t *distances) {
    rdi_rng rng = {setup->split_seed};
    for (size_t at = 0; at < n;) {
        size_t part = draw_batch(&rng, setup, n - at);
        RD_TRY(rd_engine_feed(e, blocks + at, part, distances ? distances + at : NULL));
        at += part;
    }
    return rd_engine_finish(e);
}

static rd_status run_engine(rd_ctx *ctx, const char *spec, const rdi_verify_setup *setup,
                            const uint64_t *blocks, size_t n, collector *c, rd_engine **out) {
    rd_engine_config config = {.size = sizeof config,
                               .bound = setup->bound,
                               .threads = setup->threads,
                               .references = setup->references,
                               .binning = setup->binning};
    if (setup->delivery == RDI_VERIFY_SINK) {
        config.sink = collect;
        config.sink_user = c;
    }
    RD_TRY(rd_engine_open(ctx, spec, &config, out));
    return feed_all(*out, setup, blocks, n,
                    setup->delivery == RDI_VERIFY_ARRAY ? c->distances : NULL);
}

/* Runs an engine that promises nothing about individual distances again. The engine must at least
 * give the same histogram for any division of the references into batches. */
static rd_status run_again(rd_ctx *ctx, const char *spec, const rdi_verify_setup *setup,
                           const uint64_t *blocks, size_t n, rd_engine *first,
                           rdi_verify_outcome *out) {
    rdi_verify_setup other = *setup;
    other.batch_max = setup->batch_max >= n ? 1 : SIZE_MAX / 2;
    other.delivery = RDI_VERIFY_HISTOGRAM;
    rd_engine *again = NULL;
    rd_status status = run_engine(ctx, spec, &other, blocks, n, NULL, &again);
    if (status == RD_OK)
        status = rdi_verify_repeats(first, again, out);
    rd_engine_close(again);
    return status;
}

rd_status rdi_verify_run(rd_ctx *ctx, const char *spec, const rdi_verify_setup *setup,
                         const uint64_t *blocks, size_t n, const uint64_t *expected,
                         uint64_t *scratch, rdi_verify_outcome *out) {
    collector c = {.distances = scratch, .room = n};
    *out = (rdi_verify_outcome){.reference = UINT64_MAX};
    rd_engine *e = NULL;
    rd_status status = run_engine(ctx, spec, setup, blocks, n, &c, &e);
    const uint64_t *got = setup->delivery == RDI_VERIFY_HISTOGRAM ? NULL : scratch;
    if (status == RD_OK && setup->delivery == RDI_VERIFY_SINK && c.n != n)
        rdi_verify_differ(out, UINT64_MAX, "the engine delivered %zu distances for %zu references",
                          c.n, n);
    else if (status == RD_OK)
        status = rdi_verify_compare(ctx, e, rdi_engine_bound(e), got, expected, n, out);
    if (status == RD_OK && !out->different && rdi_verify_promises_nothing(rd_engine_info_of(e)))
        status = run_again(ctx, spec, setup, blocks, n, e, out);
    rd_engine_close(e);
    return status;
}
