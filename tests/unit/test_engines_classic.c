/* Tests every exact engine of the registry in every variant: the worked examples of the papers,
 * then random traces against the oracle, with and without a bound, in batches of any size. */
#include "engine/core/plugin.h"

#include "support/fixture.h"
#include "support/registry.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_REFERENCES 3000
#define COLD            RD_COLD

/* ---- one run ---- */

typedef struct trace {
    size_t n;
    uint64_t block[MOST_REFERENCES];
    uint64_t distance[MOST_REFERENCES]; /* expected distances */
    uint64_t bound;                     /* 0: none */
} trace;

typedef struct collector {
    uint64_t distance[MOST_REFERENCES];
    size_t n;
} collector;

static rd_status collect(void *user, const uint64_t *distances, size_t n) {
    collector *c = user;
    assert_true(c->n + n <= MOST_REFERENCES);
    memcpy(c->distance + c->n, distances, n * sizeof *distances);
    c->n += n;
    return RD_OK;
}

/* Checks that each bin has as many references as there are distances in it, whatever the bins of
 * the engine are. */
static void assert_histogram(rd_engine *e, const char *spec, const trace *t) {
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    const rd_bin *bin = NULL;
    size_t bins = rd_profile_bins(profile, &bin);
    uint64_t finite = 0;
    for (size_t b = 0; b < bins; b++) {
        uint64_t count = 0;
        for (size_t i = 0; i < t->n; i++)
            count += t->distance[i] >= bin[b].low && t->distance[i] <= bin[b].high;
        if (bin[b].count != count)
            fail_msg("%s: the bin from %" PRIu64 " has %" PRIu64 " references instead of %" PRIu64,
                     spec, bin[b].low, bin[b].count, count);
        finite += count;
    }
    assert_int_equal(rd_profile_facts_of(profile)->infinite, t->n - finite);
    rd_profile_free(profile);
}

static void assert_distances(const char *spec, const trace *t, const collector *got) {
    assert_int_equal(got->n, t->n);
    for (size_t i = 0; i < t->n; i++)
        if (got->distance[i] != t->distance[i])
            fail_msg("%s, bound %" PRIu64 ": reference %zu has distance %" PRIu64
                     " instead of %" PRIu64,
                     spec, t->bound, i, got->distance[i], t->distance[i]);
}

static void assert_sound(rd_engine *e, const char *spec) {
    const char *why = "";
    if (rdi_engine_check(e, &why) != RD_OK)
        fail_msg("%s: %s", spec, why);
}

/* Feeds the trace in random batches and compares all answers of the engine. */
static void run_engine(const rd_engine_info *info, const char *options, const trace *t,
                       rdi_rng *rng) {
    char spec[128];
    snprintf(spec, sizeof spec, "%s:%s", info->name, options);
    static collector got;
    got.n = 0;
    rd_engine_config config = {.size = sizeof config, .bound = t->bound, .threads = 2};
    if (info->caps & RD_CAP_DISTANCES) {
        config.sink = collect;
        config.sink_user = &got;
    }
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, spec, &config, &e);
    if (status == RD_EUNSUPPORTED) /* a variant for other processors */
        return;
    assert_int_equal(status, RD_OK);
    for (size_t at = 0; at < t->n;) {
        size_t n = (size_t)rdi_rng_below(rng, UINT64_C(1) << rdi_rng_below(rng, 12)) + 1;
        n = n < t->n - at ? n : t->n - at;
        assert_int_equal(rd_engine_feed(e, t->block + at, n, NULL), RD_OK);
        at += n;
        /* It is enough to check now and then, because a broken invariant stays broken. */
        if (at == t->n || rdi_rng_below(rng, 4) == 0)
            assert_sound(e, spec);
    }
    assert_int_equal(rd_engine_finish(e), RD_OK);
    if (config.sink)
        assert_distances(spec, t, &got);
    assert_histogram(e, spec, t);
    rd_engine_close(e);
}

static void run_every_exact_engine(const trace *t, rdi_rng *rng) {
    static const char *const no_variants[] = {"", NULL};
    const rd_engine_info *info;
    for (size_t i = 0; (info = rd_engine_info_at(i)) != NULL; i++) {
        if (strcmp(info->error_kind, "exact") != 0 || rd_engine_unavailable(info) ||
            !registry_is_worthwhile(info))
            continue;
        if (t->bound && !(info->caps & RD_CAP_BOUND))
            continue;
        const char *const *variant = info->variants ? info->variants : no_variants;
        for (; *variant; variant++)
            run_engine(info, *variant, t, rng);
    }
}

/* ---- worked examples ---- */

static void run_example(const char *letters, const uint64_t *distance) {
    trace t = {.n = strlen(letters)};
    for (size_t i = 0; i < t.n; i++) {
        t.block[i] = (uint64_t)letters[i];
        t.distance[i] = distance[i];
    }
    rdi_rng rng = {1};
    run_every_exact_engine(&t, &rng);
}

static void parda_table_1(void **state) {
    (void)state;
    run_example("dacbccgefa", (uint64_t[]){COLD, COLD, COLD, COLD, 1, 0, COLD, COLD, COLD, 5});
}

static void parda_table_2_global_distances(void **state) {
    (void)state;
    run_example("dacbccgefafbc",
                (uint64_t[]){COLD, COLD, COLD, COLD, 1, 0, COLD, COLD, COLD, 5, 1, 5, 5});
}

static void parda_table_2_local_distances_of_both_chunks(void **state) {
    (void)state;
    run_example("dacbccg", (uint64_t[]){COLD, COLD, COLD, COLD, 1, 0, COLD});
    run_example("efafbc", (uint64_t[]){COLD, COLD, COLD, 1, COLD, COLD});
}

static void parda_table_3(void **state) {
    (void)state;
    run_example("dacbccgefafbcmtmacfbdcac",
                (uint64_t[]){COLD, COLD, COLD, COLD, 1, 0, COLD, COLD, COLD, 5, 1, 5,
                             5,    COLD, COLD, 1,    5, 3, 5,    5,    8,    3, 4, 1});
}

/* Tests Figure 2 of Zhong, Shen and Ding, where times count from 1: the b of time 4 is referenced
 * again at time 12, after c, g, e, f and a. */
static void zhong_figure_2(void **state) {
    (void)state;
    run_example("dacbccgefafb",
                (uint64_t[]){COLD, COLD, COLD, COLD, 1, 0, COLD, COLD, COLD, 5, 1, 5});
}

/* ---- random traces ---- */

/* Returns the distance of reference `at` by its definition: the number of distinct other blocks
 * referenced since the previous reference to the same block. */
static uint64_t distance_by_definition(const trace *t, size_t at) {
    uint64_t distinct = 0;
    for (size_t i = at; i-- > 0;) {
        if (t->block[i] == t->block[at])
            return distinct;
        bool again = false;
        for (size_t j = i + 1; j < at && !again; j++)
            again = t->block[j] == t->block[i];
        distinct += !again;
    }
    return RD_COLD;
}

static void the_oracle_follows_the_definition(void **state) {
    (void)state;
    rdi_rng rng = {4};
    for (unsigned round = 0; round < 20; round++) {
        trace t = {.n = 150};
        uint64_t blocks = 1 + rdi_rng_below(&rng, 60);
        for (size_t i = 0; i < t.n; i++)
            t.block[i] = rdi_rng_below(&rng, blocks);
        for (size_t i = 0; i < t.n; i++)
            t.distance[i] = distance_by_definition(&t, i);
        run_every_exact_engine(&t, &rng);
    }
}

/* Computes unbounded distances with the oracle of the registry. */
static void ask_oracle(trace *t) {
    const rd_engine_info *info = NULL;
    for (size_t i = 0; (info = rd_engine_info_at(i)) != NULL; i++)
        if (info->caps & RD_CAP_ORACLE)
            break;
    assert_non_null(info);
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, info->name, NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, t->block, t->n, t->distance), RD_OK);
    rd_engine_close(e);
}

/* Makes a trace over `blocks` blocks, whose ids are near 0 and near 2^64, and its expected
 * distances. Its references are uniform, skewed, sequential, or mostly repeats of the previous
 * one. */
static void make_trace(trace *t, size_t n, uint64_t blocks, rdi_rng *rng) {
    uint64_t recent = 0;
    uint64_t kind = rdi_rng_below(rng, 4);
    t->n = n;
    t->bound = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t skewed = rdi_rng_below(rng, UINT64_C(1) << rdi_rng_below(rng, 12)) % blocks;
        uint64_t any = rdi_rng_below(rng, blocks);
        uint64_t choice[] = {any, skewed, (recent + 1) % blocks, i % 3 ? recent : any};
        recent = choice[kind];
        t->block[i] = recent % 2 ? UINT64_MAX - recent / 2 : recent / 2;
    }
    ask_oracle(t);
}

static void apply_bound(trace *t, const trace *whole, uint64_t bound) {
    *t = *whole;
    t->bound = bound;
    for (size_t i = 0; i < t->n; i++)
        if (t->distance[i] >= bound)
            t->distance[i] = RD_COLD;
}

/* Tests 64 traces without a bound, and each trace with two of the eight bounds. */
static void random_traces_match_the_oracle_for_any_bound(void **state) {
    (void)state;
    static trace whole, bounded;
    rdi_rng rng = {5};
    for (unsigned round = 0; round < 64; round++) {
        uint64_t blocks = 1 + rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 11));
        make_trace(&whole, (size_t)rdi_rng_below(&rng, MOST_REFERENCES), blocks, &rng);
        run_every_exact_engine(&whole, &rng);
        uint64_t distinct = 0;
        for (size_t i = 0; i < whole.n; i++)
            distinct += whole.distance[i] == RD_COLD;
        const uint64_t bounds[] = {1,
                                   2,
                                   3,
                                   distinct - 1,
                                   distinct,
                                   distinct + 1,
                                   1 + rdi_rng_below(&rng, distinct + 1),
                                   UINT64_MAX - 1};
        for (size_t i = round % 4; i < RDI_COUNT(bounds); i += 4)
            if (bounds[i] > 0 && bounds[i] != UINT64_MAX) {
                apply_bound(&bounded, &whole, bounds[i]);
                run_every_exact_engine(&bounded, &rng);
            }
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(parda_table_1),
        TEST(parda_table_2_global_distances),
        TEST(parda_table_2_local_distances_of_both_chunks),
        TEST(parda_table_3),
        TEST(zhong_figure_2),
        TEST(the_oracle_follows_the_definition),
        TEST(random_traces_match_the_oracle_for_any_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
