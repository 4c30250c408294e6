/* One engine, one trace: runs it the way a setup says and compares everything it answers. */
#include "engine/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 17

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
    static const rd_binning choices[] = {{RD_BINS_FULL, 0},
                                         {RD_BINS_FULL, 0},
                                         {RD_BINS_LOGLINEAR, 0},
                                         {RD_BINS_LOG, 0},
                                         {RD_BINS_LINEAR, 3}};
    return choices[rdi_rng_below(rng, RDI_COUNT(choices))];
}

static rdi_verify_delivery draw_delivery(rdi_rng *rng, uint32_t caps) {
    if (!(caps & RD_CAP_DISTANCES) || rdi_rng_below(rng, 4) == 0)
        return RDI_VERIFY_HISTOGRAM;
    return caps & RD_CAP_LATE || rdi_rng_below(rng, 2) ? RDI_VERIFY_SINK : RDI_VERIFY_ARRAY;
}

rdi_verify_setup rdi_verify_draw_setup(const rd_engine_info *info, uint64_t seed, size_t n,
                                       uint64_t blocks) {
    static const size_t batches[] = {1, 3, 100, RDI_FEED_MAX, SIZE_MAX / 2};
    rdi_rng rng = {rdi_mix64(seed)};
    rdi_verify_setup setup = {
        .bound = info->caps & RD_CAP_BOUND ? draw_bound(&rng, blocks) : 0,
        .threads = info->caps & RD_CAP_THREADS ? 1 + (uint32_t)rdi_rng_below(&rng, THREADS_MAX) : 1,
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
    static const char *const delivery[] = {"histogram only", "distances from feed",
                                           "distances from a sink"};
    char bound[32] = "no bound", batches[48] = "one feed", bins[32];
    if (setup->bound)
        snprintf(bound, sizeof bound, "bound %" PRIu64, setup->bound);
    if (setup->batch_max < SIZE_MAX / 2)
        snprintf(batches, sizeof batches, "feeds of up to %zu", setup->batch_max);
    rd_binning_name(setup->binning, bins);
    snprintf(text, room, "%s, %" PRIu32 " thread%s, %s, %s, %s bins", bound, setup->threads,
             setup->threads == 1 ? "" : "s", batches, delivery[setup->delivery], bins);
}

const char *rdi_verify_unchecked(const rd_engine_info *info) {
    const char *why = rd_engine_unavailable(info);
    if (why)
        return why;
    bool exact = strcmp(info->error_kind, "exact") == 0;
    if (!exact && !(info->caps & RD_CAP_NO_DISTANCE))
        return "approximate, and no rule says what its error bound means";
    return NULL;
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

/* Where a sink puts distances; it must not run over when an engine delivers too many. */
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

/* ---- comparing ---- */

static RDI_PRINTF(3, 4) void differ(rdi_verify_outcome *out, uint64_t reference, const char *format,
                                    ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out->what, sizeof out->what, format, args);
    va_end(args);
    out->different = true;
    out->reference = reference;
}

static void print_distance(char *text, size_t room, uint64_t d) {
    if (d == RD_COLD)
        snprintf(text, room, "inf");
    else
        snprintf(text, room, "%" PRIu64, d);
}

static void compare_distances(const uint64_t *got, const uint64_t *expected, size_t n,
                              rdi_verify_outcome *out) {
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i]) {
            char a[24], b[24];
            print_distance(a, sizeof a, got[i]);
            print_distance(b, sizeof b, expected[i]);
            differ(out, i, "reference %zu (from 0) has distance %s, should be %s", i, a, b);
            return;
        }
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* One row against the sorted distances from sorted[*at] on; moves *at behind the row. */
static void compare_bin(const rd_bin *bin, bool sums, const uint64_t *sorted, size_t n, size_t *at,
                        rdi_verify_outcome *out) {
    if (*at < n && sorted[*at] < bin->low) {
        differ(out, UINT64_MAX, "the histogram has no bin for distance %" PRIu64, sorted[*at]);
        return;
    }
    rd_sum sum = {0, 0};
    uint64_t count = 0;
    for (; *at < n && sorted[*at] <= bin->high; ++*at, count++)
        rdi_sum_add(&sum, (rd_sum){sorted[*at], 0});
    if (count != bin->count)
        differ(out, UINT64_MAX,
               "%" PRIu64 " references in bin %" PRIu64 " to %" PRIu64 ", should be %" PRIu64,
               bin->count, bin->low, bin->high, count);
    else if (sums && (sum.low != bin->sum.low || sum.high != bin->sum.high))
        differ(out, UINT64_MAX,
               "distances in bin %" PRIu64 " to %" PRIu64 " sum up to %" PRIu64
               ", should be %" PRIu64,
               bin->low, bin->high, bin->sum.low, sum.low);
}

/* `sorted`: finite ones first. */
static void compare_bins(const rd_profile *p, const uint64_t *sorted, size_t finite,
                         rdi_verify_outcome *out) {
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins), at = 0;
    for (size_t i = 0; i < n && !out->different; i++)
        compare_bin(&bins[i], rd_profile_facts_of(p)->sums_known, sorted, finite, &at, out);
    if (!out->different && at < finite)
        differ(out, UINT64_MAX, "the histogram has no bin for distance %" PRIu64, sorted[at]);
}

static void compare_fact(const char *name, uint64_t got, uint64_t expected,
                         rdi_verify_outcome *out) {
    if (!out->different && got != expected)
        differ(out, UINT64_MAX, "%s is %" PRIu64 ", should be %" PRIu64, name, got, expected);
}

/* Without a bound blocks and cold references are known; with one, only what is said is checked. */
static void compare_profile(const rd_profile *p, bool bounded, uint64_t blocks, uint64_t *sorted,
                            size_t n, rdi_verify_outcome *out) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    qsort(sorted, n, sizeof *sorted, by_value);
    size_t finite = n;
    while (finite > 0 && sorted[finite - 1] == RD_COLD)
        finite--;
    compare_fact("infinite", facts->infinite, n - finite, out);
    if (!bounded || facts->blocks != RD_UNKNOWN)
        compare_fact("blocks", facts->blocks, blocks, out);
    if (!bounded || facts->cold != RD_UNKNOWN)
        compare_fact("cold", facts->cold, blocks, out);
    if (!out->different)
        compare_bins(p, sorted, finite, out);
}

/* The oracle's distances as this setup must show them; returns the number of distinct blocks. */
static uint64_t apply_bound(uint64_t bound, const uint64_t *expected, size_t n, uint64_t *out) {
    uint64_t blocks = 0;
    for (size_t i = 0; i < n; i++) {
        blocks += expected[i] == RD_COLD;
        out[i] = bound && expected[i] >= bound ? RD_COLD : expected[i];
    }
    return blocks;
}

static rd_status check_invariants(rd_ctx *ctx, rd_engine *e, rdi_verify_outcome *out) {
    const char *why = NULL;
    rd_status status = rdi_engine_check(e, &why);
    if (status != RD_OK && why) {
        differ(out, UINT64_MAX, "the engine's own check says: %s", why);
        return RD_OK;
    }
    return status == RD_OK ? RD_OK : rdi_fail(ctx, status, "the engine's own check failed");
}

/* Everything after a run: `got` distances (NULL: none were asked for), totals, histogram. */
static rd_status compare_all(rd_ctx *ctx, rd_engine *e, const rdi_verify_setup *setup,
                             const uint64_t *got, uint64_t *wanted, size_t n, uint64_t blocks,
                             rdi_verify_outcome *out) {
    if (got)
        compare_distances(got, wanted, n, out);
    if (!out->different)
        RD_TRY(check_invariants(ctx, e, out));
    if (out->different)
        return RD_OK;
    rd_profile *p = NULL;
    RD_TRY(rd_engine_profile(e, &p));
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    compare_fact("references", facts->references, n, out);
    if (!(rd_engine_info_of(e)->caps & RD_CAP_NO_DISTANCE))
        compare_profile(p, setup->bound != 0, blocks, wanted, n, out);
    else if (facts->blocks != RD_UNKNOWN)
        compare_fact("blocks", facts->blocks, blocks, out);
    rd_profile_free(p);
    return RD_OK;
}

rd_status rdi_verify_run(rd_ctx *ctx, const char *spec, const rdi_verify_setup *setup,
                         const uint64_t *blocks, size_t n, const uint64_t *expected,
                         uint64_t *scratch, rdi_verify_outcome *out) {
    collector c = {.distances = scratch, .room = n};
    rd_engine_config config = {.bound = setup->bound,
                               .threads = setup->threads,
                               .references = setup->references,
                               .binning = setup->binning};
    if (setup->delivery == RDI_VERIFY_SINK) {
        config.sink = collect;
        config.sink_user = &c;
    }
    *out = (rdi_verify_outcome){.reference = UINT64_MAX};
    uint64_t *wanted = rdi_alloc(ctx, n ? n : 1, sizeof *wanted);
    if (!wanted)
        return RD_ENOMEM;
    uint64_t distinct = apply_bound(setup->bound, expected, n, wanted);
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, spec, &config, &e);
    if (status == RD_OK)
        status =
            feed_all(e, setup, blocks, n, setup->delivery == RDI_VERIFY_ARRAY ? scratch : NULL);
    if (status == RD_OK && setup->delivery == RDI_VERIFY_SINK && c.n != n)
        differ(out, UINT64_MAX, "%zu distances for %zu references", c.n, n);
    else if (status == RD_OK)
        status =
            compare_all(ctx, e, setup, setup->delivery == RDI_VERIFY_HISTOGRAM ? NULL : scratch,
                        wanted, n, distinct, out);
    rd_engine_close(e);
    rdi_free(ctx, wanted);
    return status;
}
