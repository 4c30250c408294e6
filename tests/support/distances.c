/* Computes every distance of a trace. See distances.h. */
#include "support/distances.h"

#include "base/common.h"
#include "support/registry.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct collector {
    uint64_t *out;
    size_t n, room;
} collector;

static rd_status collect(void *user, const uint64_t *distances, size_t n) {
    collector *c = user;
    assert_true(c->n + n <= c->room);
    memcpy(c->out + c->n, distances, n * sizeof *distances);
    c->n += n;
    return RD_OK;
}

static rd_status feed_all(rd_engine *e, const uint64_t *blocks, size_t n, size_t batch) {
    for (size_t at = 0; at < n;) {
        size_t part = batch && batch < n - at ? batch : n - at;
        rd_status status = rd_engine_feed(e, blocks + at, part, NULL);
        if (status != RD_OK)
            return status;
        at += part;
    }
    return rd_engine_finish(e);
}

static uint64_t total_of(rd_engine *e) {
    rd_profile *p = NULL;
    const rd_bin *bin = NULL;
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    uint64_t total = rd_profile_facts_of(p)->infinite;
    for (size_t n = rd_profile_bins(p, &bin); n > 0; n--)
        total += bin++->count;
    rd_profile_free(p);
    return total;
}

rd_status distances_run(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                        const uint64_t *blocks, size_t n, size_t batch, uint64_t *out) {
    rd_engine *e = NULL;
    collector c = {out, 0, n};
    rd_engine_config with_sink =
        config ? *config : (rd_engine_config){.size = sizeof(rd_engine_config)};
    with_sink.sink = collect;
    with_sink.sink_user = &c;
    rd_status status = rd_engine_open(ctx, spec, &with_sink, &e);
    if (status == RD_OK)
        status = feed_all(e, blocks, n, batch);
    if (status == RD_OK) {
        assert_int_equal(c.n, n);
        assert_int_equal(total_of(e), n);
    }
    rd_engine_close(e);
    return status;
}

/* The trace that the oracle analyzed last, and its distances. The oracle is slow, and most tests
 * compare many engines and options on one trace. */
static struct {
    uint64_t *blocks, *distances;
    size_t n;
} analyzed;

static void analyze_with_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n) {
    free(analyzed.blocks);
    free(analyzed.distances);
    analyzed.n = n;
    analyzed.blocks = malloc(n * sizeof *blocks);
    analyzed.distances = malloc(n * sizeof *blocks);
    assert_true(analyzed.blocks && analyzed.distances);
    memcpy(analyzed.blocks, blocks, n * sizeof *blocks);
    const char *oracle = registry_oracle();
    assert_int_equal(distances_run(ctx, oracle, NULL, blocks, n, 0, analyzed.distances), RD_OK);
}

/* Reuses the distances of the last trace if it begins with these blocks, because the distances of
 * the first n references do not depend on later references. */
void distances_oracle(rd_ctx *ctx, const uint64_t *blocks, size_t n, uint64_t *out) {
    if (n == 0)
        return;
    if (analyzed.n < n || memcmp(analyzed.blocks, blocks, n * sizeof *blocks) != 0)
        analyze_with_oracle(ctx, blocks, n);
    memcpy(out, analyzed.distances, n * sizeof *out);
}

/* Checks the histogram that the engine makes if distances are not requested. */
static void assert_histogram(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                             const uint64_t *blocks, size_t n, const uint64_t *wanted) {
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_engine_config full = config ? *config : (rd_engine_config){.size = sizeof(rd_engine_config)};
    full.binning = (rd_binning){RD_BINS_FULL, 0};
    assert_int_equal(rd_engine_open(ctx, spec, &full, &e), RD_OK);
    assert_int_equal(feed_all(e, blocks, n, 0), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    const rd_bin *bin = NULL;
    uint64_t infinite = rd_profile_facts_of(p)->infinite;
    size_t bins = rd_profile_bins(p, &bin);
    uint64_t *count = calloc(n + 1, sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[wanted[i] == RD_COLD ? n : wanted[i]]++;
    assert_int_equal(infinite, count[n]);
    uint64_t sum = infinite;
    for (size_t i = 0; i < bins; i++) {
        assert_int_equal(bin[i].count, count[bin[i].low]);
        sum += bin[i].count;
    }
    assert_int_equal(sum, n);
    free(count);
    rd_profile_free(p);
    rd_engine_close(e);
}

void distances_assert_exact(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                            const uint64_t *blocks, size_t n) {
    uint64_t *wanted = malloc((n + 1) * sizeof *wanted), *got = malloc((n + 1) * sizeof *got);
    uint64_t bound = config && config->bound ? config->bound : RD_COLD;
    distances_oracle(ctx, blocks, n, wanted);
    for (size_t i = 0; i < n; i++)
        wanted[i] = wanted[i] < bound ? wanted[i] : RD_COLD;
    rd_status status = distances_run(ctx, spec, config, blocks, n, 0, got);
    if (status != RD_OK)
        fail_msg("%s: %s", spec, rd_last_error(ctx));
    for (size_t i = 0; i < n; i++)
        if (got[i] != wanted[i])
            fail_msg("%s: reference %zu has distance %" PRIu64 " instead of %" PRIu64, spec, i,
                     got[i], wanted[i]);
    assert_histogram(ctx, spec, config, blocks, n, wanted);
    free(wanted);
    free(got);
}

void distances_make(uint64_t seed, uint64_t blocks, uint64_t *out, size_t n) {
    rdi_rng rng = {seed};
    uint64_t few = 1, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (rdi_rng_below(&rng, 200) == 0) {
            few = 1 + rdi_rng_below(&rng, blocks);
            at = rdi_rng_below(&rng, blocks);
        }
        uint64_t near = (at + rdi_rng_below(&rng, few)) % blocks;
        out[i] = rdi_rng_below(&rng, 8) ? near : rdi_rng_below(&rng, blocks);
    }
}
