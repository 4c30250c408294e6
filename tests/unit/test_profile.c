/* Tests profiles in memory: bins, reference groups, coarser bins from finer ones (rd_profile_rebin()), and sums of runs
 * (rd_profile_merge()). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/binning.h"
#include "profile/hist.h"
#include "support/context.h"
#include "support/profiles.h"

#include <string.h>

#define FULL      ((rd_binning){RD_BINS_FULL, 0})
#define LOG       ((rd_binning){RD_BINS_LOG, 0})
#define LOGLINEAR ((rd_binning){RD_BINS_LOGLINEAR, 0})
#define WIDTH(w)  ((rd_binning){RD_BINS_LOGLINEAR, (w)})
#define LINEAR(w) ((rd_binning){RD_BINS_LINEAR, (w)})
#define GROUPS(n) ((rd_binning){RD_BINS_REFERENCE, (n)})

/* ---- ranges ---- */

static void every_distance_lies_in_its_own_bin_and_bins_have_no_gaps(void **state) {
    (void)state;
    const rd_binning binnings[] = {FULL, LOG, LOGLINEAR, LINEAR(1), LINEAR(100), LINEAR(2048)};
    for (size_t b = 0; b < RDI_COUNT(binnings); b++) {
        uint64_t expected_low = 0;
        for (uint64_t d = 0; d < 20000; d++) {
            rd_bin bin = {0};
            uint64_t index = rdi_bin_index(binnings[b], d);
            rdi_bin_range(binnings[b], index, &bin);
            assert_true(bin.low <= d && d <= bin.high);
            if (bin.low == d) {
                assert_true(bin.low == expected_low);
                expected_low = bin.high + 1;
            }
        }
    }
}

/* Tests that many distances in one call give the same bins as each distance in a call of its own. */
static void distances_together_are_counted_like_single_ones(void **state) {
    rd_ctx *ctx = *state;
    const rd_binning binnings[] = {
        FULL,       LOG,         LOGLINEAR,   WIDTH(1),   WIDTH(2),
        WIDTH(256), WIDTH(1024), LINEAR(300), GROUPS(10), LINEAR(UINT64_MAX)};
    enum { N = 3000 };
    static uint64_t distances[N];
    uint64_t random = 5;
    for (size_t i = 0; i < N; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        distances[i] = (random >> 20) % (i % 9 ? 70000 : UINT64_C(1) << (i % 18)) >> i % 13;
    }
    for (size_t i = 0; i < N; i += 77)
        distances[i] = RD_COLD;
    for (size_t b = 0; b < RDI_COUNT(binnings); b++) {
        rdi_hist *together = NULL, *single = NULL;
        rd_bin *bins[2] = {NULL, NULL};
        size_t n[2];
        assert_int_equal(rdi_hist_new(ctx, binnings[b], &together), RD_OK);
        assert_int_equal(rdi_hist_new(ctx, binnings[b], &single), RD_OK);
        assert_int_equal(rdi_hist_add(together, distances, N), RD_OK);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(rdi_hist_add_many(single, distances[i], 1), RD_OK);
        assert_int_equal(rdi_hist_bins(together, &bins[0], &n[0]), RD_OK);
        assert_int_equal(rdi_hist_bins(single, &bins[1], &n[1]), RD_OK);
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bins[0], bins[1], n[0] * sizeof *bins[0]);
        assert_int_equal(rdi_hist_infinite(together), (N + 76) / 77);
        for (size_t i = 0; i < 2; i++)
            rdi_free(ctx, bins[i]);
        rdi_hist_free(together);
        rdi_hist_free(single);
    }
}

static void the_last_bin_ends_at_the_largest_distance(void **state) {
    (void)state;
    const rd_binning binnings[] = {FULL, LOG, LOGLINEAR, LINEAR(3), LINEAR(UINT64_MAX)};
    for (size_t b = 0; b < RDI_COUNT(binnings); b++) {
        rd_bin bin = {0};
        rdi_bin_range(binnings[b], rdi_bin_index(binnings[b], UINT64_MAX - 1), &bin);
        assert_true(bin.low <= bin.high && bin.high == UINT64_MAX - 1);
    }
}

static void zhong_log_linear_bins_are_powers_of_two_and_then_2048_wide(void **state) {
    (void)state;
    static const uint64_t ranges[][2] = {{0, 0},       {1, 1},       {2, 3},       {4, 7},
                                         {1024, 2047}, {2048, 4095}, {4096, 6143}, {6144, 8191}};
    for (size_t i = 0; i < RDI_COUNT(ranges); i++) {
        rd_bin bin = {0};
        rdi_bin_range(LOGLINEAR, rdi_bin_index(LOGLINEAR, ranges[i][1]), &bin);
        assert_true(bin.low == ranges[i][0] && bin.high == ranges[i][1]);
    }
}

/* ---- reference groups ---- */

static void groups_differ_by_at_most_one_and_conserve_counts_and_sums(void **state) {
    rdi_rng rng = {3};
    profiles_point points[50];
    for (int round = 0; round < 200; round++) {
        size_t n = (size_t)rdi_rng_below(&rng, RDI_COUNT(points) + 1);
        uint64_t groups = 1 + rdi_rng_below(&rng, 40);
        profiles_random(&rng, 50000, round % 2 ? 3 : UINT64_C(1) << 50, points, n);
        rd_profile *p = profiles_make(*state, NULL, GROUPS(groups), points, n);
        const rd_bin *rows;
        size_t n_rows = rd_profile_bins(p, &rows);
        uint64_t finite = 0, counted = 0;
        rd_sum sum = {0, 0}, rows_sum = {0, 0};
        for (size_t i = 0; i < n; i++)
            if (points[i].distance != RD_COLD) {
                finite += points[i].count;
                rdi_sum_add(&sum, rdi_sum_product(points[i].distance, points[i].count));
            }
        for (size_t i = 0; i < n_rows; i++) {
            uint64_t even = finite / n_rows;
            assert_true(rows[i].count == even || rows[i].count == even + 1);
            assert_true(i == 0 || rd_bin_mean(&rows[i]) + 1 >= rd_bin_mean(&rows[i - 1]));
            counted += rows[i].count;
            rdi_sum_add(&rows_sum, rows[i].sum);
        }
        assert_true(n_rows == (finite < groups ? finite : groups));
        assert_true(counted == finite);
        assert_true(sum.low == rows_sum.low && sum.high == rows_sum.high);
        rd_profile_free(p);
    }
}

/* ---- rebin ---- */

static void rebinning_equals_counting_in_the_coarser_bins(void **state) {
    static const struct {
        rd_binning from, to;
    } pairs[] = {
        {{RD_BINS_FULL, 0}, {RD_BINS_LOG, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LOGLINEAR, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LINEAR, 7}},
        {{RD_BINS_FULL, 0}, {RD_BINS_REFERENCE, 10}},
        {{RD_BINS_FULL, 0}, {RD_BINS_FULL, 0}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOG, 0}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 4096}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_REFERENCE, 100}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOGLINEAR, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LOGLINEAR, 256}},
        {{RD_BINS_LOGLINEAR, 256}, {RD_BINS_LOGLINEAR, 0}},
        {{RD_BINS_LOGLINEAR, 64}, {RD_BINS_LOGLINEAR, 256}},
        {{RD_BINS_LOGLINEAR, 1}, {RD_BINS_FULL, 0}},
        {{RD_BINS_LOGLINEAR, 256}, {RD_BINS_LINEAR, 768}},
        {{RD_BINS_LOGLINEAR, 256}, {RD_BINS_REFERENCE, 100}},
        {{RD_BINS_LINEAR, 1}, {RD_BINS_FULL, 0}},
        {{RD_BINS_LINEAR, 10}, {RD_BINS_LINEAR, 30}},
        {{RD_BINS_REFERENCE, 9}, {RD_BINS_REFERENCE, 9}},
        {{RD_BINS_LOG, 0}, {RD_BINS_LOG, 0}},
    };
    rdi_rng rng = {4};
    profiles_point points[80];
    for (int round = 0; round < 30; round++)
        for (size_t i = 0; i < RDI_COUNT(pairs); i++) {
            profiles_random(&rng, 30000, UINT64_C(1) << 40, points, RDI_COUNT(points));
            rd_profile *p = profiles_make(*state, NULL, pairs[i].from, points, RDI_COUNT(points));
            rd_profile *direct =
                profiles_make(*state, NULL, pairs[i].to, points, RDI_COUNT(points));
            rd_source source = {"x", "y", 1, 2};
            assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
            assert_int_equal(rd_profile_add_source(direct, &source), RD_OK);
            rd_profile *coarse = NULL;
            assert_int_equal(rd_profile_rebin(p, pairs[i].to, &coarse), RD_OK);
            profiles_assert_equal(coarse, direct);
            rd_profile_free(p);
            rd_profile_free(direct);
            rd_profile_free(coarse);
        }
}

static void splitting_a_bin_is_refused(void **state) {
    static const struct {
        rd_binning from, to;
    } pairs[] = {
        {{RD_BINS_LOG, 0}, {RD_BINS_FULL, 0}},
        {{RD_BINS_LOG, 0}, {RD_BINS_LOGLINEAR, 0}},
        {{RD_BINS_LOG, 0}, {RD_BINS_REFERENCE, 10}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_FULL, 0}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOGLINEAR, 1024}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LOGLINEAR, 3}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LOGLINEAR, 2048}},
        {{RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 3000}},
        {{RD_BINS_LINEAR, 30}, {RD_BINS_LINEAR, 20}},
        {{RD_BINS_LINEAR, 3}, {RD_BINS_LOG, 0}},
        {{RD_BINS_REFERENCE, 2}, {RD_BINS_LOG, 0}},
        {{RD_BINS_REFERENCE, 2}, {RD_BINS_REFERENCE, 1}},
        {{RD_BINS_FULL, 0}, {RD_BINS_EDGES, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LINEAR, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_REFERENCE, 0}},
    };
    static const profiles_point points[] = {{0, 1}, {2, 5}, {70, 3}, {9000, 4}, {RD_COLD, 2}};
    for (size_t i = 0; i < RDI_COUNT(pairs); i++) {
        rd_profile *p = profiles_make(*state, NULL, pairs[i].from, points, RDI_COUNT(points));
        rd_profile *coarse = NULL;
        assert_int_equal(rd_profile_rebin(p, pairs[i].to, &coarse), RD_EINVAL);
        assert_null(coarse);
        rd_profile_free(p);
    }
}

/* ---- merge ---- */

static rd_profile *merge(rd_ctx *ctx, rd_profile *const *parts, size_t n) {
    rd_profile *sum = NULL;
    if (rd_profile_merge(ctx, parts, n, &sum) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return sum;
}

static void free_all(rd_profile **parts, size_t n) {
    for (size_t i = 0; i < n; i++)
        rd_profile_free(parts[i]);
}

static void merging_equals_counting_all_together(void **state) {
    const rd_binning binnings[] = {FULL, LOG, LOGLINEAR, LINEAR(10)};
    rdi_rng rng = {5};
    profiles_point points[7 * 20];
    for (int round = 0; round < 20; round++)
        for (size_t b = 0; b < RDI_COUNT(binnings); b++)
            for (size_t n = 1; n <= 7; n++) {
                rd_profile *parts[7];
                profiles_random(&rng, 30000, UINT64_C(1) << 50, points, n * 20);
                for (size_t i = 0; i < n; i++)
                    parts[i] = profiles_make(*state, NULL, binnings[b], points + 20 * i, 20);
                rd_profile *all = profiles_make(*state, NULL, binnings[b], points, n * 20);
                rd_profile *sum = merge(*state, parts, n);
                profiles_assert_same_bins(sum, all);
                const rd_profile_facts *x = rd_profile_facts_of(sum), *y = rd_profile_facts_of(all);
                assert_true(x->references == y->references && x->infinite == y->infinite);
                assert_true(x->cold == y->cold && x->blocks == y->blocks);
                free_all(parts, n);
                rd_profile_free(all);
                rd_profile_free(sum);
            }
}

static void different_binnings_meet_in_the_finest_common_one(void **state) {
    static const struct {
        rd_binning a, b, sum;
    } cases[] = {
        {{RD_BINS_FULL, 0}, {RD_BINS_LOG, 0}, {RD_BINS_LOG, 0}},
        {{RD_BINS_LOG, 0}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOG, 0}},
        {{RD_BINS_FULL, 0}, {RD_BINS_LINEAR, 5}, {RD_BINS_LINEAR, 5}},
        {{RD_BINS_LINEAR, 4096}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 4096}},
        {{RD_BINS_LOGLINEAR, 256}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOGLINEAR, 0}},
        {{RD_BINS_LOGLINEAR, 256}, {RD_BINS_LOGLINEAR, 64}, {RD_BINS_LOGLINEAR, 256}},
        {{RD_BINS_LINEAR, 4}, {RD_BINS_LINEAR, 6}, {RD_BINS_LINEAR, 12}},
    };
    static const profiles_point points[] = {{0, 1}, {2, 5}, {70, 3}, {9000, 4}, {RD_COLD, 2},
                                            {1, 1}, {2, 2}, {71, 6}, {3000, 4}, {RD_COLD, 1}};
    for (size_t i = 0; i < 2 * RDI_COUNT(cases); i++) {
        bool swap = i % 2;
        rd_profile *parts[2] = {
            profiles_make(*state, NULL, swap ? cases[i / 2].b : cases[i / 2].a, points, 5),
            profiles_make(*state, NULL, swap ? cases[i / 2].a : cases[i / 2].b, points + 5, 5)};
        rd_profile *all = profiles_make(*state, NULL, cases[i / 2].sum, points, 10);
        rd_profile *sum = merge(*state, parts, 2);
        rd_binning binning = rd_profile_facts_of(sum)->binning;
        assert_true(rdi_binning_equal(binning, cases[i / 2].sum));
        profiles_assert_same_bins(sum, all);
        free_all(parts, 2);
        rd_profile_free(all);
        rd_profile_free(sum);
    }
}

static void facts_are_combined(void **state) {
    static const profiles_point points[] = {{3, 4}, {RD_COLD, 2}};
    rd_profile_facts facts = profiles_facts();
    rd_profile *parts[3];
    rd_source source = {"x", "y", 1, 2};
    parts[0] = profiles_make(*state, &facts, LOG, points, 2);
    facts.exact = false;
    facts.error_kind = "relative";
    facts.error_bound = 0.1;
    facts.engine = "scale";
    facts.kinds = "SL";
    parts[1] = profiles_make(*state, &facts, LOG, points, 2);
    facts.error_bound = 0.2;
    facts.sums_known = false;
    facts.partial = true;
    parts[2] = profiles_make(*state, &facts, LOG, points, 2);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(rd_profile_add_source(parts[i], &source), RD_OK);
    rd_profile *sum = merge(*state, parts, 3);
    const rd_profile_facts *f = rd_profile_facts_of(sum);
    assert_false(f->exact);
    assert_string_equal(f->error_kind, "relative");
    assert_true(f->error_bound == 0.2);
    assert_string_equal(f->engine, "mixed");
    assert_string_equal(f->engine_options, facts.engine_options);
    assert_false(f->sums_known);
    assert_true(f->partial);
    assert_true(f->seconds == facts.seconds + facts.seconds + facts.seconds);
    assert_true(f->references == 18 && f->blocks == 6 && f->cold == 6 && f->infinite == 6);
    const rd_source *sources;
    assert_int_equal(rd_profile_sources(sum, &sources), 3);
    rd_profile_free(sum);
    free_all(parts, 3);
}

static void different_kinds_of_error_state_no_bound(void **state) {
    static const profiles_point points[] = {{3, 4}, {RD_COLD, 2}};
    rd_profile_facts facts = profiles_facts();
    facts.exact = false;
    facts.error_kind = "relative";
    facts.error_bound = 0.1;
    rd_profile *parts[2];
    parts[0] = profiles_make(*state, &facts, LOG, points, 2);
    facts.error_kind = "absolute";
    parts[1] = profiles_make(*state, &facts, LOG, points, 2);
    rd_profile *sum = merge(*state, parts, 2);
    assert_string_equal(rd_profile_facts_of(sum)->error_kind, "mixed");
    assert_true(rd_profile_facts_of(sum)->error_bound == 0);
    rd_profile_free(sum);
    free_all(parts, 2);
}

static void one_unknown_number_of_blocks_makes_the_sum_unknown(void **state) {
    static const profiles_point points[] = {{3, 4}, {RD_COLD, 2}};
    rd_profile_facts facts = profiles_facts();
    facts.bound = 10;
    rd_profile *parts[2] = {profiles_make(*state, &facts, LOG, points, 2),
                            profiles_make(*state, &facts, LOG, points, 2)};
    rd_profile *sum = merge(*state, parts, 2);
    const rd_profile_facts *f = rd_profile_facts_of(sum);
    assert_true(f->blocks == RD_UNKNOWN && f->cold == RD_UNKNOWN && f->infinite == 4);
    rd_profile_free(sum);
    free_all(parts, 2);
}

/* Checks that merging two profiles fails with this status and a message that contains `why`. Frees
 * both profiles. */
static void assert_no_merge(rd_ctx *ctx, rd_profile *a, rd_profile *b, rd_status status,
                            const char *why) {
    rd_profile *parts[2] = {a, b}, *sum = NULL;
    assert_int_equal(rd_profile_merge(ctx, parts, 2, &sum), status);
    assert_null(sum);
    assert_non_null(strstr(rd_last_error(ctx), why));
    free_all(parts, 2);
}

static void what_does_not_belong_together_is_not_merged(void **state) {
    rd_ctx *ctx = *state;
    static const profiles_point points[] = {{3, 4}, {RD_COLD, 2}};
    static const profiles_point huge[] = {{3, UINT64_MAX}};
    rd_profile_facts facts = profiles_facts();
#define ONE(binning) profiles_make(ctx, NULL, binning, points, 2)
    facts.block_bytes = 128;
    assert_no_merge(ctx, ONE(LOG), profiles_make(ctx, &facts, LOG, points, 2), RD_EINVAL,
                    "-b 64 in profile 1, -b 128 in profile 2");
    facts = profiles_facts();
    facts.bound = 8;
    assert_no_merge(ctx, ONE(LOG), profiles_make(ctx, &facts, LOG, points, 2), RD_EINVAL, "bound");
    facts = profiles_facts();
    facts.kinds = NULL;
    assert_no_merge(ctx, ONE(LOG), profiles_make(ctx, &facts, LOG, points, 2), RD_EINVAL, "LSI");
    assert_no_merge(ctx, ONE(LOG), ONE(LINEAR(10)), RD_EINVAL, "log bins with linear:10 bins");
    assert_no_merge(ctx, ONE(LOGLINEAR), ONE(LINEAR(10)), RD_EINVAL, "cannot merge");
    assert_no_merge(ctx, ONE(GROUPS(5)), ONE(GROUPS(5)), RD_EINVAL, "cannot merge");
    assert_no_merge(ctx, ONE(LINEAR(UINT64_MAX)), ONE(LINEAR(UINT64_MAX - 1)), RD_EINVAL, "cannot");
    assert_no_merge(ctx, ONE(LOG), profiles_make(ctx, NULL, LOG, huge, 1), RD_ERANGE, "2^64");
#undef ONE
    rd_profile *none = NULL;
    facts = profiles_facts();
    facts.references = 5;
    facts.binning = LOG;
    assert_int_equal(rdi_profile_new(ctx, &facts, NULL, 0, &none), RD_OK);
    assert_no_merge(ctx, profiles_make(ctx, NULL, LOG, points, 2), none, RD_EINVAL, "distances");
    assert_int_equal(rd_profile_merge(ctx, NULL, 0, &none), RD_EINVAL);
}

static rd_profile *from_edges(rd_ctx *ctx, const rd_bin *bins, size_t n) {
    rd_profile_facts facts = profiles_facts();
    facts.binning = (rd_binning){RD_BINS_EDGES, 0};
    for (size_t i = 0; i < n; i++)
        facts.references += bins[i].count;
    rd_profile *p = NULL;
    assert_int_equal(rdi_profile_new(ctx, &facts, bins, n, &p), RD_OK);
    return p;
}

static void bins_of_an_engine_merge_unless_they_overlap(void **state) {
    static const rd_bin a[] = {{0, 9, 2, {5, 0}}, {20, 29, 1, {25, 0}}};
    static const rd_bin b[] = {{0, 9, 1, {7, 0}}, {10, 19, 1, {11, 0}}};
    static const rd_bin c[] = {{5, 12, 1, {7, 0}}};
    rd_profile *parts[2] = {from_edges(*state, a, 2), from_edges(*state, b, 2)};
    rd_profile *sum = merge(*state, parts, 2);
    const rd_bin *rows;
    assert_int_equal(rd_profile_bins(sum, &rows), 3);
    assert_true(rows[0].count == 3 && rows[0].sum.low == 12);
    assert_true(rows[1].low == 10 && rows[2].low == 20);
    rd_profile_free(sum);
    assert_no_merge(*state, parts[0], from_edges(*state, c, 1), RD_EINVAL, "overlap");
    rd_profile_free(parts[1]);
}

static void refused_allocations_are_survived(void **state) {
    static const profiles_point points[] = {{3, 4}, {5000, 1}, {RD_COLD, 2}};
    rd_profile *parts[2] = {profiles_make(*state, NULL, FULL, points, 3),
                            profiles_make(*state, NULL, LOG, points, 3)};
    rd_source source = {"x", "y", 1, 2};
    assert_int_equal(rd_profile_add_source(parts[0], &source), RD_OK);
    size_t base = rd_ctx_live_bytes(*state), refused = 0;
    for (int what = 0; what < 2; what++) {
        rd_status status = RD_ENOMEM;
        for (size_t room = 1; status != RD_OK; room += 8) {
            rd_profile *out = NULL;
            rd_ctx_set_limit(*state, base + room);
            status = what ? rd_profile_merge(*state, parts, 2, &out)
                          : rd_profile_rebin(parts[0], GROUPS(3), &out);
            assert_true(status == RD_OK || status == RD_ENOMEM);
            refused += status == RD_ENOMEM;
            rd_profile_free(out);
            assert_int_equal(rd_ctx_live_bytes(*state), base);
        }
    }
    assert_true(refused > 20);
    rd_ctx_set_limit(*state, 0);
    free_all(parts, 2);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(every_distance_lies_in_its_own_bin_and_bins_have_no_gaps),
        CASE(distances_together_are_counted_like_single_ones),
        CASE(the_last_bin_ends_at_the_largest_distance),
        CASE(zhong_log_linear_bins_are_powers_of_two_and_then_2048_wide),
        CASE(groups_differ_by_at_most_one_and_conserve_counts_and_sums),
        CASE(rebinning_equals_counting_in_the_coarser_bins),
        CASE(splitting_a_bin_is_refused),
        CASE(merging_equals_counting_all_together),
        CASE(different_binnings_meet_in_the_finest_common_one),
        CASE(facts_are_combined),
        CASE(different_kinds_of_error_state_no_bound),
        CASE(one_unknown_number_of_blocks_makes_the_sum_unknown),
        CASE(what_does_not_belong_together_is_not_merged),
        CASE(bins_of_an_engine_merge_unless_they_overlap),
        CASE(refused_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
