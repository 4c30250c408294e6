/* Tests rd_compare(): the measures on hand-made histograms, and the check of error bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reusedist/model.h"
#include "support/context.h"
#include "support/profiles.h"

#include <math.h>
#include <string.h>

#define FULL   ((rd_binning){RD_BINS_FULL, 0})
#define LOG    ((rd_binning){RD_BINS_LOG, 0})
#define COMMON ((rd_binning){RD_BINS_EDGES, 0})

static void assert_near(double x, double expected) {
    if (!(fabs(x - expected) < 1e-12))
        fail_msg("the result is %.17g instead of %.17g", x, expected);
}

/* Compares two profiles, and takes ownership of both. */
static rd_comparison compare(rd_ctx *ctx, rd_profile *a, rd_profile *b, rd_binning binning) {
    rd_comparison c;
    if (rd_compare(ctx, a, b, binning, &c) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    rd_profile_free(a);
    rd_profile_free(b);
    return c;
}

static rd_profile *make(rd_ctx *ctx, rd_binning binning, const profiles_point *points, size_t n) {
    return profiles_make(ctx, NULL, binning, points, n);
}

static void a_profile_equals_itself(void **state) {
    rdi_rng rng = {6};
    profiles_point points[40];
    const rd_binning binnings[] = {FULL, LOG, {RD_BINS_LOGLINEAR, 0}};
    for (size_t i = 0; i < 30; i++) {
        rd_binning binning = binnings[i % RDI_COUNT(binnings)];
        size_t n = i == 0 ? 0 : RDI_COUNT(points);
        profiles_random(&rng, 1 << 20, 1000, points, n);
        rd_comparison c = compare(*state, make(*state, binning, points, n),
                                  make(*state, binning, points, n), LOG);
        assert_true(c.accuracy == 1 && c.average_error == 0);
        assert_true(c.max_mrc_error == 0 && c.mean_mrc_error == 0 && c.n_worst == 0);
        assert_true(c.identical);
        assert_false(c.bound_checked);
    }
}

static void accuracy_is_one_minus_half_the_differences(void **state) {
    /* The shares of a and b in log bins: 0.5 and 0.25 at 0, 0.5 and 0.25 at 1, 0 and 0.5 from 2 to
     * 3. */
    static const profiles_point a[] = {{0, 2}, {1, 2}, {RD_COLD, 96}};
    static const profiles_point b[] = {{0, 1}, {1, 1}, {3, 2}, {RD_COLD, 3}};
    rd_comparison c = compare(*state, make(*state, FULL, a, 3), make(*state, FULL, b, 4), LOG);
    assert_near(c.accuracy, 0.5);
    assert_near(c.average_error, 1.0 / 23);
    assert_int_equal(c.n_worst, 3);
    assert_true(c.worst[0].low == 2 && c.worst[0].high == 3);
    assert_near(c.worst[0].share[0], 0);
    assert_near(c.worst[0].share[1], 0.5);
    assert_true(c.worst[1].low == 0 && c.worst[2].low == 1);
    assert_false(c.identical);
}

static void the_bins_that_differ_most_come_first(void **state) {
    static const profiles_point a[] = {{0, 1}, {1, 6}, {2, 2}, {3, 7}, {4, 5}, {5, 3}, {6, 76}};
    static const profiles_point b[] = {{6, 76}, {9, 24}};
    rd_comparison c = compare(*state, make(*state, FULL, a, 7), make(*state, FULL, b, 2), FULL);
    static const uint64_t expected[RD_WORST_BINS] = {9, 3, 1, 4, 5};
    assert_int_equal(c.n_worst, RD_WORST_BINS);
    for (size_t i = 0; i < RD_WORST_BINS; i++)
        assert_true(c.worst[i].low == expected[i]);
}

static void disjoint_histograms_have_no_accuracy(void **state) {
    static const profiles_point a[] = {{0, 5}}, b[] = {{8, 7}}, none[] = {{RD_COLD, 7}};
    rd_comparison c = compare(*state, make(*state, FULL, a, 1), make(*state, FULL, b, 1), LOG);
    assert_near(c.accuracy, 0);
    assert_near(c.average_error, 2.0 / 23);
    c = compare(*state, make(*state, FULL, a, 1), make(*state, FULL, none, 1), LOG);
    assert_near(c.accuracy, 0);
    c = compare(*state, make(*state, FULL, none, 1), make(*state, FULL, none, 1), LOG);
    assert_near(c.accuracy, 1);
}

static void accuracy_depends_on_the_bins_named(void **state) {
    static const profiles_point a[] = {{2, 4}}, b[] = {{3, 4}};
    rd_comparison c = compare(*state, make(*state, FULL, a, 1), make(*state, FULL, b, 1), LOG);
    assert_near(c.accuracy, 1);
    assert_false(c.identical);
    c = compare(*state, make(*state, FULL, a, 1), make(*state, FULL, b, 1), FULL);
    assert_near(c.accuracy, 0);
    assert_true(c.binning.kind == RD_BINS_FULL);
}

static void average_error_has_one_bin_for_everything_from_2m_on(void **state) {
    static const profiles_point a[] = {{(1 << 21) - 1, 1}, {1 << 21, 1}};
    static const profiles_point b[] = {{1 << 20, 1}, {UINT64_C(1) << 40, 1}};
    static const profiles_point c[] = {{1 << 21, 2}};
    assert_near(
        compare(*state, make(*state, LOG, a, 2), make(*state, LOG, b, 2), LOG).average_error, 0);
    assert_near(
        compare(*state, make(*state, LOG, a, 2), make(*state, LOG, c, 1), LOG).average_error,
        1.0 / 23);
}

static void miss_ratios_are_compared_at_powers_of_two(void **state) {
    /* The misses at 1, 2, 4 and 8 blocks, in eighths: 7, 7, 6, 6 for a; 8, 7, 7, 6 for b. */
    static const profiles_point a[] = {{0, 1}, {2, 1}, {RD_COLD, 6}};
    static const profiles_point b[] = {{1, 1}, {5, 1}, {RD_COLD, 6}};
    rd_comparison c = compare(*state, make(*state, FULL, a, 3), make(*state, FULL, b, 3), LOG);
    assert_near(c.max_mrc_error, 0.125);
    assert_true(c.max_mrc_blocks == 1);
    assert_true(c.last_mrc_blocks == 8);
    assert_near(c.mean_mrc_error, 0.25 / 4);
}

static void miss_ratios_are_compared_up_to_the_smaller_bound(void **state) {
    static const profiles_point a[] = {{0, 1}, {2, 1}, {RD_COLD, 2}};
    static const profiles_point b[] = {{1, 1}, {50, 1}, {RD_COLD, 2}};
    rd_profile_facts facts = profiles_facts();
    facts.bound = 3;
    rd_comparison c =
        compare(*state, profiles_make(*state, &facts, FULL, a, 3), make(*state, FULL, b, 3), LOG);
    assert_true(c.last_mrc_blocks == 2);
}

static void miss_ratios_are_compared_where_samples_resolve_them(void **state) {
    /* The miss ratios of a and b differ at 1 block and at 32 blocks. They are compared at up to 64
     * blocks. */
    static const profiles_point a[] = {{0, 20}, {20, 20}, {RD_COLD, 120}};
    static const profiles_point b[] = {{1, 20}, {50, 20}, {RD_COLD, 120}};
    static const struct {
        double rate; /* a size is resolved if ten of its blocks are sampled */
        unsigned sizes;
        uint64_t most;
    } cases[] = {
        {0, 7, 1}, {10.0 / 16, 3, 32}, {10.0 / 33, 1, 0}, {10.0 / 65, 0, 0}, {1e-18, 0, 0}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_profile_facts facts = profiles_facts();
        facts.exact = false;
        facts.error_kind = "sampled";
        facts.sample_rate = cases[i].rate;
        rd_comparison c = compare(*state, make(*state, FULL, a, 3),
                                  profiles_make(*state, &facts, FULL, b, 3), LOG);
        assert_true(c.n_mrc_sizes == cases[i].sizes);
        assert_true(c.max_mrc_blocks == cases[i].most);
    }
}

static void different_bins_are_identical_when_they_meet(void **state) {
    static const profiles_point points[] = {{0, 1}, {5, 3}, {6, 2}, {3000, 9}, {RD_COLD, 4}};
    static const profiles_point other[] = {{0, 1}, {5, 2}, {6, 3}, {3000, 9}, {RD_COLD, 4}};
    rd_comparison c =
        compare(*state, make(*state, FULL, points, 5), make(*state, LOG, points, 5), LOG);
    assert_true(c.identical);
    c = compare(*state, make(*state, FULL, other, 5), make(*state, LOG, points, 5), LOG);
    assert_false(c.identical); /* only the sums differ */
    assert_near(c.accuracy, 1);
}

static void bins_that_overlap_are_compared_as_one(void **state) {
    rd_profile_facts facts = profiles_facts();
    facts.references = 10;
    facts.blocks = facts.cold = RD_UNKNOWN;
    facts.binning = COMMON;
    static const rd_bin a[] = {{0, 9, 4, {8, 0}}, {10, 19, 6, {66, 0}}};
    static const rd_bin b[] = {{0, 9, 3, {8, 0}}, {10, 14, 2, {22, 0}}, {15, 29, 5, {80, 0}}};
    rd_profile *p = NULL, *q = NULL;
    assert_int_equal(rdi_profile_new(*state, &facts, a, 2, &p), RD_OK);
    assert_int_equal(rdi_profile_new(*state, &facts, b, 3, &q), RD_OK);
    rd_comparison c = compare(*state, p, q, COMMON);
    assert_near(c.accuracy, 0.9);
    assert_true(isnan(c.average_error));
}

static void what_cannot_be_compared_is_refused(void **state) {
    static const profiles_point points[] = {{0, 4}, {5, 3}};
    static const struct {
        rd_binning of, in;
    } cases[] = {{{RD_BINS_LOG, 0}, {RD_BINS_FULL, 0}},
                 {{RD_BINS_LINEAR, 100}, {RD_BINS_LOG, 0}},
                 {{RD_BINS_FULL, 0}, {RD_BINS_REFERENCE, 10}},
                 {{RD_BINS_REFERENCE, 10}, {RD_BINS_EDGES, 0}}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_profile *p = make(*state, cases[i].of, points, 2);
        rd_comparison c;
        assert_int_equal(rd_compare(*state, p, p, cases[i].in, &c), RD_EINVAL);
        rd_profile_free(p);
    }
    rd_profile_facts facts = profiles_facts();
    facts.references = 9;
    rd_profile *none = NULL;
    rd_comparison c;
    assert_int_equal(rdi_profile_new(*state, &facts, NULL, 0, &none), RD_OK);
    assert_int_equal(rd_compare(*state, none, none, LOG, &c), RD_EINVAL);
    rd_profile_free(none);
}

/* ---- error bounds ---- */

static rd_comparison check(rd_ctx *ctx, rd_binning binning, const profiles_point *exact, size_t n,
                           const char *kind, double bound, const profiles_point *measured,
                           size_t m) {
    rd_profile_facts facts = profiles_facts();
    facts.exact = false;
    facts.error_kind = kind;
    facts.error_bound = bound;
    rd_profile *a = make(ctx, binning, exact, n);
    rd_profile *b = profiles_make(ctx, &facts, binning, measured, m);
    rd_comparison there, back;
    assert_int_equal(rd_compare(ctx, a, b, LOG, &there), RD_OK);
    assert_int_equal(rd_compare(ctx, b, a, LOG, &back), RD_OK);
    assert_int_equal(there.bound_checked, back.bound_checked);
    assert_int_equal(there.bound_held, back.bound_held);
    rd_profile_free(a);
    rd_profile_free(b);
    return there;
}

static void a_relative_bound_is_never_above_and_at_most_its_share_below(void **state) {
    static const profiles_point exact[] = {{0, 5}, {100, 5}, {RD_COLD, 2}};
    static const profiles_point low[] = {{0, 5}, {90, 5}, {RD_COLD, 2}};
    static const profiles_point lower[] = {{0, 5}, {89, 1}, {100, 4}, {RD_COLD, 2}};
    static const profiles_point above[] = {{0, 5}, {100, 4}, {101, 1}, {RD_COLD, 2}};
    static const profiles_point lost[] = {{0, 5}, {100, 4}, {RD_COLD, 3}};
    static const profiles_point found[] = {{0, 5}, {100, 6}, {RD_COLD, 1}};
#define HELD(points, n) check(*state, FULL, exact, 3, "relative", 0.1, points, n).bound_held
    assert_true(HELD(exact, 3));
    assert_true(HELD(low, 3));
    assert_false(HELD(lower, 4));
    assert_false(HELD(above, 4));
    assert_false(HELD(lost, 3));
    assert_false(HELD(found, 3));
#undef HELD
}

static void an_absolute_bound_is_never_above_and_at_most_so_many_blocks_below(void **state) {
    static const profiles_point exact[] = {{0, 5}, {100, 5}, {RD_COLD, 2}};
    static const profiles_point near[] = {{0, 5}, {97, 2}, {100, 3}, {RD_COLD, 2}};
    static const profiles_point low[] = {{0, 5}, {96, 5}, {RD_COLD, 2}};
    static const profiles_point high[] = {{0, 5}, {100, 4}, {101, 1}, {RD_COLD, 2}};
#define HELD(points, n) check(*state, FULL, exact, 3, "absolute", 3, points, n).bound_held
    assert_true(HELD(exact, 3));
    assert_true(HELD(near, 4));
    assert_false(HELD(low, 3));
    assert_false(HELD(high, 4));
#undef HELD
}

static void coarse_bins_contradict_only_what_they_prove(void **state) {
    static const profiles_point exact[] = {{120, 5}, {RD_COLD, 2}};
    static const profiles_point same_bin[] = {{64, 5}, {RD_COLD, 2}};
    static const profiles_point bin_below[] = {{32, 5}, {RD_COLD, 2}};
    assert_true(check(*state, LOG, exact, 2, "relative", 0.01, same_bin, 2).bound_held);
    assert_true(check(*state, LOG, exact, 2, "relative", 0.02, bin_below, 2).bound_held);
    assert_false(check(*state, LOG, exact, 2, "relative", 0.01, bin_below, 2).bound_held);
}

static void bounded_runs_may_find_what_lies_just_beyond(void **state) {
    static const profiles_point exact[] = {{5, 5}, {RD_COLD, 2}};
    static const profiles_point found[] = {{5, 5}, {95, 1}, {RD_COLD, 1}};
    rd_profile_facts facts = profiles_facts();
    facts.bound = 100;
    for (int near = 0; near < 2; near++) {
        rd_profile *a = profiles_make(*state, &facts, FULL, exact, 2);
        rd_profile_facts rough = facts;
        rough.exact = false;
        rough.error_kind = "relative";
        rough.error_bound = near ? 0.05 : 0.04;
        rd_profile *b = profiles_make(*state, &rough, FULL, found, 3);
        rd_comparison c = compare(*state, a, b, LOG);
        assert_true(c.bound_checked);
        assert_int_equal(c.bound_held, near);
    }
}

static void without_a_stated_bound_nothing_is_checked(void **state) {
    static const profiles_point a[] = {{0, 5}}, more[] = {{0, 6}};
    assert_false(check(*state, FULL, a, 1, "relative", 0, a, 1).bound_checked);
    assert_false(check(*state, FULL, a, 1, "statistical", 0.5, a, 1).bound_checked);
    assert_false(check(*state, FULL, a, 1, "relative", 0.5, more, 1).bound_checked);
    assert_true(check(*state, FULL, a, 1, "relative", 0.5, a, 1).bound_checked);
}

static void refused_allocations_are_survived(void **state) {
    static const profiles_point points[] = {{0, 4}, {5, 3}, {7, 3}};
    rd_profile *p = make(*state, FULL, points, 3);
    size_t base = rd_ctx_live_bytes(*state), refused = 0;
    rd_status status = RD_ENOMEM;
    for (size_t room = 1; status != RD_OK; room += 16) {
        rd_comparison c;
        rd_ctx_set_limit(*state, base + room);
        status = rd_compare(*state, p, p, LOG, &c);
        refused += status == RD_ENOMEM;
        assert_true(status == RD_OK || status == RD_ENOMEM);
        assert_int_equal(rd_ctx_live_bytes(*state), base);
    }
    assert_true(refused > 2);
    rd_ctx_set_limit(*state, 0);
    rd_profile_free(p);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_profile_equals_itself),
        CASE(accuracy_is_one_minus_half_the_differences),
        CASE(the_bins_that_differ_most_come_first),
        CASE(disjoint_histograms_have_no_accuracy),
        CASE(accuracy_depends_on_the_bins_named),
        CASE(average_error_has_one_bin_for_everything_from_2m_on),
        CASE(miss_ratios_are_compared_at_powers_of_two),
        CASE(miss_ratios_are_compared_up_to_the_smaller_bound),
        CASE(miss_ratios_are_compared_where_samples_resolve_them),
        CASE(different_bins_are_identical_when_they_meet),
        CASE(bins_that_overlap_are_compared_as_one),
        CASE(what_cannot_be_compared_is_refused),
        CASE(a_relative_bound_is_never_above_and_at_most_its_share_below),
        CASE(an_absolute_bound_is_never_above_and_at_most_so_many_blocks_below),
        CASE(coarse_bins_contradict_only_what_they_prove),
        CASE(bounded_runs_may_find_what_lies_just_beyond),
        CASE(without_a_stated_bound_nothing_is_checked),
        CASE(refused_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
