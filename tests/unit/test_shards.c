/* Tests the engine `shards`: the counts that must be exact, the average miss ratios of many
 * samples, and how often the band contains the exact miss ratio. */
#include "reusedist/reusedist.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST   300000
#define BLOCKS 40000
#define SEEDS  40

static uint64_t block[MOST];
static const rd_binning full = {RD_BINS_FULL, 0};

static int make_trace(void **state) {
    rdi_rng rng = {11};
    for (size_t i = 0; i < MOST; i++) /* frequent and rare blocks, with ids 4096 apart */
        block[i] = (uint64_t)(BLOCKS * pow(rdi_rng_unit(&rng), 2.5)) * 4096;
    return new_ctx(state);
}

static rd_profile *run(const char *spec, rd_binning binning, size_t n, size_t feed) {
    rd_engine_config config = {.size = sizeof config, .binning = binning};
    return profiles_measure(ctx, spec, &config, block, n, feed);
}

static void a_sample_of_everything_is_exact(void **state) {
    (void)state;
    static const char *const specs[] = {"shards:rate=1", "shards:samples=100000",
                                        "shards:samples=40000"};
    rd_profile *exact = run("stream", full, MOST, MOST);
    for (size_t i = 0; i < RDI_COUNT(specs); i++) {
        rd_profile *got = run(specs[i], full, MOST, 1000);
        const rd_profile_facts *f = rd_profile_facts_of(got);
        profiles_assert_same_bins(got, exact);
        assert_int_equal(f->blocks, rd_profile_facts_of(exact)->blocks);
        assert_true(f->error_bound == 0 && f->sample_rate == 1);
        rd_profile_free(got);
    }
    rd_profile_free(exact);
}

static void the_same_seed_gives_the_same_answer_in_any_pieces(void **state) {
    (void)state;
    static const char *const specs[] = {"shards:rate=0.1,seed=7", "shards:samples=500,seed=7"};
    for (size_t i = 0; i < RDI_COUNT(specs); i++) {
        rd_profile *expected = run(specs[i], full, MOST, MOST);
        static const size_t feeds[] = {1, 100, 4096, 5000};
        for (size_t f = 0; f < RDI_COUNT(feeds); f++) {
            rd_profile *got = run(specs[i], full, MOST, feeds[f]);
            profiles_assert_same_bins(got, expected);
            rd_profile_free(got);
        }
        rd_profile_free(expected);
    }
}

static void another_seed_chooses_other_blocks(void **state) {
    (void)state;
    rd_profile *a = run("shards:rate=0.1,seed=1", full, MOST, MOST);
    rd_profile *b = run("shards:rate=0.1,seed=2", full, MOST, MOST);
    assert_int_not_equal(rd_profile_facts_of(a)->blocks, rd_profile_facts_of(b)->blocks);
    rd_profile_free(a);
    rd_profile_free(b);
}

static void a_fixed_size_lowers_the_rate_to_fit(void **state) {
    (void)state;
    rd_profile *p = run("shards:samples=2000", full, MOST, MOST);
    double rate = rd_profile_facts_of(p)->sample_rate;
    uint64_t blocks = 0;
    rd_profile_free(p);
    p = run("stream", full, MOST, MOST);
    blocks = rd_profile_facts_of(p)->blocks;
    rd_profile_free(p);
    assert_in_range(rate * (double)blocks, 1800, 2200);
}

/* Tests that the histogram counts all references even if very hot blocks are not in the sample. */
static void every_reference_is_counted(void **state) {
    (void)state;
    static const char *const specs[] = {"shards:rate=0.01", "shards:rate=0.3", "shards:samples=1",
                                        "shards:samples=300"};
    for (size_t i = 0; i < RDI_COUNT(specs); i++)
        for (size_t n = 0; n < 5000; n += 999) {
            rd_profile *p = run(specs[i], (rd_binning){RD_BINS_LOG, 0}, n, 64);
            const rd_bin *bins;
            uint64_t count = rd_profile_facts_of(p)->infinite;
            size_t rows = rd_profile_bins(p, &bins);
            for (size_t k = 0; k < rows; k++)
                count += bins[k].count;
            assert_int_equal(count, n);
            rd_profile_free(p);
        }
}

/* ---- the band ---- */

typedef struct coverage {
    unsigned inside, points;
    double sum[20]; /* sum[k]: miss ratio with 2^k blocks, added over the seeds */
} coverage;

static void add_sizes(const rd_profile *exact, const rd_profile *sampled, coverage *c) {
    for (unsigned k = 0; k < 17; k++) {
        double miss = 0, low = 0, high = 0, got = 0;
        assert_int_equal(rd_mrc_at(ctx, exact, UINT64_C(1) << k, &miss, NULL), RD_OK);
        assert_int_equal(rd_mrc_at(ctx, sampled, UINT64_C(1) << k, &got, NULL), RD_OK);
        assert_int_equal(rd_mrc_band(ctx, sampled, UINT64_C(1) << k, &low, &high), RD_OK);
        assert_true(low <= got && got <= high);
        c->inside += low <= miss && miss <= high;
        c->points++;
        c->sum[k] += got;
    }
}

static void the_band_covers_and_the_average_is_right(void **state) {
    (void)state;
    static const char *const modes[] = {"rate=0.05", "samples=2000"};
    rd_profile *exact = run("stream", full, MOST, MOST);
    for (size_t m = 0; m < RDI_COUNT(modes); m++) {
        coverage c = {0};
        for (unsigned seed = 1; seed <= SEEDS; seed++) {
            char spec[64];
            snprintf(spec, sizeof spec, "shards:%s,seed=%u", modes[m], seed);
            rd_profile *got = run(spec, full, MOST, MOST);
            add_sizes(exact, got, &c);
            rd_profile_free(got);
        }
        assert_true(c.inside >= 0.95 * c.points);
        for (unsigned k = 9; k < 17; k++) { /* sizes that have at least 10 sampled blocks */
            double miss = 0;
            assert_int_equal(rd_mrc_at(ctx, exact, UINT64_C(1) << k, &miss, NULL), RD_OK);
            assert_true(fabs(c.sum[k] / SEEDS - miss) < 0.01);
        }
    }
    rd_profile_free(exact);
}

/* Compares the range of cache sizes that rd_cache_for_hits_band() gives for a hit ratio with a
 * search of all sizes, and counts how often the range contains the exact size. */
static void the_range_of_sizes_follows_from_the_band(void **state) {
    (void)state;
    unsigned inside = 0, ranges = 0;
    rd_profile *exact = run("stream", full, MOST, MOST);
    for (unsigned seed = 1; seed <= 2; seed++) {
        char spec[64];
        snprintf(spec, sizeof spec, "shards:rate=0.05,seed=%u", seed);
        rd_profile *p = run(spec, (rd_binning){RD_BINS_LOGLINEAR, 0}, MOST, MOST);
        uint64_t first = rd_mrc_resolution(p), last = 4 * MOST, most = 0;
        for (double hits = 0.05; hits < 1; hits += 0.15) {
            uint64_t expected[2] = {RD_UNKNOWN, RD_UNKNOWN}, got[2];
            for (uint64_t size = first; size < last && expected[1] == RD_UNKNOWN; size++) {
                double low = 0, high = 0;
                assert_int_equal(rd_mrc_band(ctx, p, size, &low, &high), RD_OK);
                if (expected[0] == RD_UNKNOWN && low <= 1 - hits)
                    expected[0] = size;
                if (high <= 1 - hits)
                    expected[1] = size;
            }
            rd_hits_answer answer;
            assert_int_equal(rd_cache_for_hits_band(ctx, p, hits, &got[0], &got[1]), RD_OK);
            assert_int_equal(got[0], expected[0] == first ? RD_UNKNOWN : expected[0]);
            assert_int_equal(got[1], expected[1]);
            assert_int_equal(rd_cache_for_hits(ctx, exact, hits, &answer), RD_OK);
            inside += !answer.reachable || ((got[0] == RD_UNKNOWN || got[0] <= answer.blocks) &&
                                            answer.blocks <= got[1]);
            ranges++;
            most += got[1] != RD_UNKNOWN && got[0] != RD_UNKNOWN;
        }
        assert_true(most > 0); /* some ranges have two ends */
        rd_profile_free(p);
    }
    assert_true(inside >= 0.9 * ranges);
    rd_profile_free(exact);
}

/* Tests the correction of samples if all blocks are equally frequent. A sample with too many blocks
 * also has too many references, and this surplus tells by how much its distances are too long.
 * Without the correction the mean error is 0.02 here. */
static void samples_of_like_blocks_are_set_right(void **state) {
    (void)state;
    rdi_rng rng = {12};
    double error = 0;
    for (size_t i = 0; i < MOST; i++)
        block[i] = rdi_rng_below(&rng, BLOCKS);
    rd_profile *exact = run("stream", full, MOST, MOST);
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        char spec[64];
        double miss = 0, got = 0;
        snprintf(spec, sizeof spec, "shards:rate=0.025,seed=%u", seed);
        rd_profile *sampled = run(spec, full, MOST, MOST);
        for (uint64_t size = BLOCKS / 4; size < BLOCKS; size += BLOCKS / 4) {
            assert_int_equal(rd_mrc_at(ctx, exact, size, &miss, NULL), RD_OK);
            assert_int_equal(rd_mrc_at(ctx, sampled, size, &got, NULL), RD_OK);
            error += fabs(got - miss) / 3 / SEEDS;
        }
        rd_profile_free(sampled);
    }

    assert_true(error < 0.01);
    rd_profile_free(exact);
}

static void the_band_survives_the_file_and_a_merge(void **state) {
    (void)state;
    rd_profile *p = run("shards:rate=0.05", full, MOST, MOST), *again = NULL, *sum = NULL;
    double low[2] = {0, 0}, high[2] = {0, 0};
    char *text = profiles_json(ctx, p);
    assert_int_equal(rd_profile_parse(ctx, "again", text, strlen(text), &again), RD_OK);
    assert_true(rd_mrc_has_band(again));
    assert_int_equal(rd_mrc_band(ctx, p, 5000, &low[0], &high[0]), RD_OK);
    assert_int_equal(rd_mrc_band(ctx, again, 5000, &low[1], &high[1]), RD_OK);
    assert_true(low[0] == low[1] && high[0] == high[1] && high[0] - low[0] > 0.001);
    rd_profile *const parts[] = {p, again};
    assert_int_equal(rd_profile_merge(ctx, parts, 2, &sum), RD_OK);
    assert_true(rd_mrc_has_band(sum));
    assert_int_equal(rd_mrc_resolution(sum), rd_mrc_resolution(p));
    assert_int_equal(rd_mrc_band(ctx, sum, 5000, &low[1], &high[1]), RD_OK);
    assert_true(fabs(low[0] - low[1]) < 1e-9 && fabs(high[0] - high[1]) < 1e-9);
    rd_text_free(ctx, text);
    rd_profile_free(sum);
    rd_profile_free(again);
    rd_profile_free(p);
}

static void comparing_tells_whether_the_band_held(void **state) {
    (void)state;
    rd_profile *exact = run("stream", full, MOST, MOST);
    rd_profile *got = run("shards:rate=0.05", full, MOST, MOST);
    rd_comparison c;
    assert_int_equal(rd_compare(ctx, exact, got, (rd_binning){RD_BINS_LOG, 0}, &c), RD_OK);
    assert_true(c.bound_checked && c.bound_held);
    rd_profile_free(exact);
    for (size_t i = 0; i < MOST; i++) /* the references of another program */
        block[i] = i % 3000;
    exact = run("stream", full, MOST, MOST);
    assert_int_equal(rd_compare(ctx, exact, got, (rd_binning){RD_BINS_LOG, 0}, &c), RD_OK);
    assert_true(c.bound_checked);
    assert_false(c.bound_held);
    rd_profile_free(exact);
    rd_profile_free(got);
}

static void a_sample_of_no_block_claims_nothing(void **state) {
    (void)state;
    rd_profile *exact = run("stream", full, MOST, MOST);
    rd_profile *got = run("shards:rate=1e-15", full, MOST, MOST);
    assert_true(rd_profile_facts_of(got)->error_bound == 1);
    for (unsigned k = 0; k < 63; k++) {
        double low = 0, high = 0;
        assert_int_equal(rd_mrc_band(ctx, got, UINT64_C(1) << k, &low, &high), RD_OK);
        assert_true(low == 0 && high == 1);
    }
    rd_comparison c;
    assert_int_equal(rd_compare(ctx, exact, got, (rd_binning){RD_BINS_LOG, 0}, &c), RD_OK);
    assert_true(c.bound_checked && c.bound_held);
    rd_profile_free(exact);
    rd_profile_free(got);
}

static void rates_out_of_range_are_refused(void **state) {
    (void)state;
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "shards:rate=1.5", NULL, &e), RD_EINVAL);
    assert_int_equal(rd_engine_open(ctx, "shards:rate=-0.1", NULL, &e), RD_EINVAL);
    assert_int_equal(rd_engine_open(ctx, "shards:rate=nan", NULL, &e), RD_EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_trace, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_sample_of_everything_is_exact),
        TEST(the_same_seed_gives_the_same_answer_in_any_pieces),
        TEST(another_seed_chooses_other_blocks),
        TEST(a_fixed_size_lowers_the_rate_to_fit),
        TEST(every_reference_is_counted),
        TEST(the_band_covers_and_the_average_is_right),
        TEST(the_range_of_sizes_follows_from_the_band),
        TEST(samples_of_like_blocks_are_set_right),
        TEST(the_band_survives_the_file_and_a_merge),
        TEST(comparing_tells_whether_the_band_held),
        TEST(a_sample_of_no_block_claims_nothing),
        TEST(rates_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
