/* Tests rd_model_train() and rd_model_predict() on histograms whose mixture of patterns is
 * known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/locality.h"
#include "reusedist/model.h"
#include "support/context.h"
#include "support/faults.h"
#include "support/profiles.h"

#include <math.h>
#include <string.h>

#define LOGLINEAR ((rd_binning){RD_BINS_LOGLINEAR, 0})
#define LOG       ((rd_binning){RD_BINS_LOG, 0})
#define GROUPS(k) ((rd_binning){RD_BINS_REFERENCE, k})
#define BIT(p)    (UINT32_C(1) << RD_PATTERN_##p)

/* One component of a known mixture: `count` references with the distance c + e f(s), where f is the
 * pattern and s the size of the input. */
typedef struct part {
    rd_pattern pattern;
    double c, e;
    uint64_t count;
} part;

static rd_profile *profile_of(rd_ctx *ctx, const part *parts, size_t n, double size) {
    profiles_point points[16];
    for (size_t i = 0; i < n; i++) {
        double f =
            parts[i].pattern == RD_PATTERN_CONSTANT ? 0 : rdi_pattern_at(parts[i].pattern, size);
        points[i] = (profiles_point){(uint64_t)llrint(parts[i].c + parts[i].e * f), parts[i].count};
    }
    points[n] = (profiles_point){RD_COLD, (uint64_t)size};
    return profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, n + 1);
}

static rd_model *train(rd_ctx *ctx, const part *parts, size_t n, const double *sizes,
                       size_t n_sizes, const rd_model_config *config) {
    rd_training runs[8] = {0};
    rd_model *m = NULL;
    for (size_t i = 0; i < n_sizes; i++)
        runs[i] = (rd_training){profile_of(ctx, parts, n, sizes[i]), sizes[i]};
    if (rd_model_train(ctx, runs, n_sizes, config, &m) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    for (size_t i = 0; i < n_sizes; i++)
        rd_profile_free(runs[i].profile);
    return m;
}

static double accuracy(rd_ctx *ctx, rd_profile *a, rd_profile *b, rd_binning binning) {
    rd_comparison c;
    if (rd_compare(ctx, a, b, binning, &c) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return c.accuracy;
}

static rd_profile *predict(rd_ctx *ctx, const rd_model *m, double size) {
    rd_profile *p = NULL;
    if (rd_model_predict(m, size, &p) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return p;
}

/* Trains on `sizes`, predicts `size`, and expects the histogram of the mixture. */
static void assert_predicts(rd_ctx *ctx, const part *parts, size_t n, const double *sizes,
                            size_t n_sizes, const rd_model_config *config, double size) {
    rd_model *m = train(ctx, parts, n, sizes, n_sizes, config);
    rd_profile *predicted = predict(ctx, m, size), *real = profile_of(ctx, parts, n, size);
    double share = accuracy(ctx, predicted, real, LOGLINEAR);
    if (fabs(share - 1) > 1e-9)
        fail_msg("accuracy %.12g at size %g", share, size);
    const rd_bin *a, *b;
    size_t n_a = rd_profile_bins(predicted, &a);
    rd_profile *binned = NULL;
    assert_int_equal(rd_profile_rebin(real, LOGLINEAR, &binned), RD_OK);
    assert_int_equal(rd_profile_bins(binned, &b), n_a);
    for (size_t i = 0; i < n_a; i++)
        if (fabs(rd_bin_mean(&a[i]) - rd_bin_mean(&b[i])) > 1e-6 * rd_bin_mean(&b[i]) + 1e-6)
            fail_msg("mean %.12g instead of %.12g", rd_bin_mean(&a[i]), rd_bin_mean(&b[i]));
    rd_profile_free(binned);
    rd_profile_free(predicted);
    rd_profile_free(real);
    rd_model_free(m);
}

/* ---- single-model ---- */

static void a_single_pattern_is_recovered(void **state) {
    static const double sizes[3] = {4096, 32768, 262144}; /* cubes of whole numbers */
    for (rd_pattern p = 0; p < RD_PATTERN_COUNT; p++) {
        part parts[1] = {{p, 0, 1, 5000}};
        if (p == RD_PATTERN_CONSTANT)
            parts[0].c = 700;
        double squares[3] = {4096, 65536, 1048576};
        const double *at = p == RD_PATTERN_SQUARE_ROOT ? squares : sizes;
        rd_model_config config = {.size = sizeof config,
                                  .patterns = BIT(CONSTANT) | UINT32_C(1) << p | BIT(LINEAR)};
        assert_predicts(*state, parts, 1, at, 2, NULL, at[2]);
        assert_predicts(*state, parts, 1, at, 2, &config, at[2]);
        assert_predicts(*state, parts, 1, at, 3, &config, 16777216);
        assert_predicts(*state, parts, 1, (double[]){at[0], at[2]}, 2, &config, at[1]);
    }
}

static void mixtures_of_two_and_more_patterns_are_recovered(void **state) {
    static const part two[] = {{RD_PATTERN_CONSTANT, 40, 0, 3000},
                               {RD_PATTERN_LINEAR, 0, 0.5, 1000}};
    static const part plane[] = {{RD_PATTERN_CONSTANT, 3, 0, 2000},
                                 {RD_PATTERN_SQUARE_ROOT, 0, 2, 1000},
                                 {RD_PATTERN_LINEAR, 0, 1, 2000}};
    static const part cube[] = {{RD_PATTERN_CONSTANT, 1, 0, 4000},
                                {RD_PATTERN_CUBE_ROOT, 0, 2, 1000},
                                {RD_PATTERN_TWO_THIRDS, 0, 3, 3000},
                                {RD_PATTERN_LINEAR, 0, 1, 2000}};
    assert_predicts(*state, two, 2, (double[]){1000, 5000}, 2, NULL, 80000);
    assert_predicts(*state, two, 2, (double[]){1000, 5000, 9000, 20000}, 4, NULL, 80000);
    assert_predicts(*state, plane, 3, (double[]){10000, 40000}, 2, NULL, 1000000);
    assert_predicts(*state, plane, 3, (double[]){10000, 1000000}, 2, NULL, 40000);
    assert_predicts(*state, cube, 4, (double[]){8000, 64000}, 2, NULL, 1000000);
    assert_predicts(*state, cube, 4, (double[]){8000, 27000, 64000}, 3, NULL, 1000000);
}

static void a_pattern_may_stand_on_a_constant(void **state) {
    static const part parts[] = {{RD_PATTERN_CONSTANT, 2, 0, 1000},
                                 {RD_PATTERN_LINEAR, 100, 1, 1000}};
    assert_predicts(*state, parts, 2, (double[]){10000, 30000}, 2, NULL, 500000);
    assert_predicts(*state, parts, 2, (double[]){10000, 30000, 50000}, 3, NULL, 500000);
}

static void the_dimension_that_fits_is_chosen(void **state) {
    static const struct {
        part parts[3];
        rd_patterns expected;
    } cases[] = {
        {{{RD_PATTERN_CONSTANT, 9, 0, 2000}, {RD_PATTERN_LINEAR, 0, 1, 900}, {0, 1, 0, 100}},
         BIT(CONSTANT) | BIT(LINEAR)},
        {{{RD_PATTERN_CONSTANT, 9, 0, 2000},
          {RD_PATTERN_SQUARE_ROOT, 0, 4, 500},
          {RD_PATTERN_LINEAR, 0, 1, 900}},
         BIT(CONSTANT) | BIT(SQUARE_ROOT) | BIT(LINEAR)},
        {{{RD_PATTERN_CUBE_ROOT, 0, 4, 500},
          {RD_PATTERN_TWO_THIRDS, 0, 1, 500},
          {RD_PATTERN_LINEAR, 0, 1, 900}},
         BIT(CONSTANT) | BIT(CUBE_ROOT) | BIT(TWO_THIRDS) | BIT(LINEAR)},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_model *m = train(*state, cases[i].parts, 3, (double[]){262144, 16777216}, 2, NULL);
        assert_int_equal(rd_model_facts_of(m)->patterns, cases[i].expected);
        rd_model_free(m);
    }
}

static void shares_say_how_much_follows_each_pattern(void **state) {
    static const part parts[] = {{RD_PATTERN_CONSTANT, 40, 0, 3000},
                                 {RD_PATTERN_LINEAR, 0, 0.5, 1000}};
    rd_model *m = train(*state, parts, 2, (double[]){1000, 5000}, 2, NULL);
    const rd_model_facts *f = rd_model_facts_of(m);
    assert_true(fabs(f->shares[RD_PATTERN_CONSTANT] - 0.75) < 1e-9);
    assert_true(fabs(f->shares[RD_PATTERN_LINEAR] - 0.25) < 1e-9);
    assert_int_equal(f->n_sizes, 2);
    assert_true(f->sizes[0] == 1000 && f->sizes[1] == 5000);
    rd_model_free(m);
}

static void totals_grow_by_a_power_of_the_size(void **state) {
    static const part parts[] = {{RD_PATTERN_LINEAR, 0, 0.5, 1000}};
    rd_model *m = train(*state, parts, 1, (double[]){1000, 4000}, 2, NULL);
    rd_profile *p = predict(*state, m, 16000);
    const rd_profile_facts *f = rd_profile_facts_of(p);
    assert_int_equal(f->blocks, 16000);
    assert_int_equal(f->references, 16000 + 1000);
    assert_string_equal(f->engine, "predict");
    assert_false(f->exact);
    rd_profile_free(p);
    rd_model_free(m);
}

/* Tests that the shares of the patterns are predicted even if the number of reuses doubles although
 * the input sizes are almost equal. */
static void totals_that_sizes_do_not_tell_are_no_trouble(void **state) {
    static const double sizes[3] = {638603, 638732, 638927};
    rd_training runs[2];
    rd_model *m = NULL;
    for (size_t i = 0; i < 2; i++) {
        uint64_t reuses = UINT64_C(1000000) << i;
        profiles_point points[] = {{5, reuses / 2}, {3000, reuses / 2}, {RD_COLD, 600000}};
        runs[i] = (rd_training){profiles_make(*state, NULL, LOGLINEAR, points, 3), sizes[i]};
    }
    assert_int_equal(rd_model_train(*state, runs, 2, NULL, &m), RD_OK);
    rd_profile *p = predict(*state, m, sizes[2]);
    assert_true(fabs(accuracy(*state, p, runs[1].profile, LOG) - 1) < 1e-6);
    char *text = NULL;
    size_t n = 0;
    rd_model *back = NULL;
    assert_int_equal(rd_model_json(m, &text, &n), RD_OK);
    assert_int_equal(rd_model_parse(*state, "file", text, n, &back), RD_OK);
    rd_text_free(*state, text);
    for (size_t i = 0; i < 2; i++)
        rd_profile_free(runs[i].profile);
    rd_profile_free(p);
    rd_model_free(m);
    rd_model_free(back);
}

/* ---- multi-model ---- */

/* Tests the example of Zhong, Shen and Ding (2009), section 3.4: with s1 = 3 s0, bin [4, 8) gets
 * two thirds of [1, 2) and one third of [2, 4) from the linear pieces, and all of the constant
 * piece of [4, 8). */
static void the_worked_example_of_the_paper(void **state) {
    rd_model *m = NULL;
    assert_int_equal(rdi_model_new(*state, &m), RD_OK);
    const rdi_piece pieces[] = {{RD_PATTERN_LINEAR, 0.3, {0, 1}, {0, 2}},
                                {RD_PATTERN_LINEAR, 0.6, {0, 2}, {0, 4}},
                                {RD_PATTERN_CONSTANT, 0.1, {4, 0}, {8, 0}}};
    for (size_t i = 0; i < RDI_COUNT(pieces); i++)
        assert_int_equal(rdi_model_add(m, pieces[i]), RD_OK);
    m->reuses = (rdi_power){1e12, 0};
    m->facts.patterns = BIT(CONSTANT) | BIT(LINEAR);
    rdi_model_complete(m);
    rd_profile *p = predict(*state, m, 3);
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    bool found = false;
    for (size_t i = 0; i < n; i++)
        if (bins[i].low == 4) {
            found = true;
            double expected = 0.1 + 0.3 * 2 / 3 + 0.6 / 3;
            assert_int_equal(bins[i].high, 7);
            assert_true(fabs((double)bins[i].count / 1e12 - expected) < 1e-11);
        }
    assert_true(found);
    rd_profile_free(p);
    rd_model_free(m);
}

/* Makes the log bin that begins at `low`. It has `share` times 2^40 references, and their mean
 * distance is the middle of the bin. */
static rd_bin middle_bin(uint64_t low, double share) {
    uint64_t high = 2 * low - 1, count = (uint64_t)llrint(share * 0x1p40);
    return (rd_bin){low, high, count, rdi_sum_product(low + high, count / 2)};
}

static rd_profile *bins_profile(rd_ctx *ctx, const rd_bin *bins, size_t n) {
    rd_profile_facts facts = profiles_facts();
    rd_profile *p = NULL;
    facts.references = facts.infinite = facts.cold = facts.blocks = 1000;
    for (size_t i = 0; i < n; i++)
        facts.references += bins[i].count;
    facts.binning = LOG;
    assert_int_equal(rdi_profile_new(ctx, &facts, bins, n, &p), RD_OK);
    return p;
}

/* Tests the equations of training for the same example. The linear piece in [4, 8) of the standard
 * input comes from [4/3, 8/3) of an input of a third of the size: half from [1, 2) and half from
 * [2, 4). */
static void the_equations_of_the_worked_example(void **state) {
    const rd_bin small[] = {middle_bin(1, 0.375), middle_bin(2, 0.375), middle_bin(4, 0.25)};
    const rd_bin standard[] = {middle_bin(4, 1)};
    rd_profile *profiles[] = {bins_profile(*state, small, 3), bins_profile(*state, standard, 1)};
    rd_model_config config = {.size = sizeof config,
                              .method = RD_MODEL_MULTI,
                              .binning = LOG,
                              .patterns = BIT(CONSTANT) | BIT(LINEAR)};
    rd_model *m = NULL;
    const rd_training runs[] = {{profiles[0], 1}, {profiles[1], 3}};
    assert_int_equal(rd_model_train(*state, runs, 2, &config, &m), RD_OK);
    assert_true(fabs(rd_model_facts_of(m)->shares[RD_PATTERN_CONSTANT] - 0.25) < 1e-9);
    assert_true(fabs(rd_model_facts_of(m)->shares[RD_PATTERN_LINEAR] - 0.75) < 1e-9);
    rd_profile *back = predict(*state, m, 1);
    assert_true(fabs(accuracy(*state, back, profiles[0], LOG) - 1) < 1e-6);
    rd_profile_free(back);
    rd_profile_free(profiles[0]);
    rd_profile_free(profiles[1]);
    rd_model_free(m);
}

/* Makes a profile of log bins: bin i has shares[i] times 2^40 references, which all have the
 * smallest distance of the bin. */
static rd_profile *log_profile(rd_ctx *ctx, const double *shares, size_t n) {
    rd_profile_facts facts = profiles_facts();
    rd_bin bins[40];
    size_t used = 0;
    facts.references = facts.infinite = facts.cold = facts.blocks = 1000;
    facts.binning = LOG;
    for (size_t i = 0; i < n; i++)
        if (shares[i] > 0) {
            rd_bin *bin = &bins[used++];
            bin->low = i ? UINT64_C(1) << (i - 1) : 0;
            bin->high = i ? 2 * bin->low - 1 : 0;
            bin->count = (uint64_t)llrint(shares[i] * 0x1p40);
            bin->sum = rdi_sum_product(bin->low, bin->count);
            facts.references += bin->count;
        }
    rd_profile *p = NULL;
    if (rdi_profile_new(ctx, &facts, bins, used, &p) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    return p;
}

/* Tests log bins with constant and linear pieces in the same bins. Sizes double, so a linear
 * piece moves by a whole bin, the equations hold exactly, and there is one solution. */
static void patterns_that_share_bins_are_separated(void **state) {
    static const double constant[12] = {0, 0, 0.1, 0.2, 0.05, 0.15};
    static const double linear[12] = {0, 0, 0, 0.1, 0.3, 0.05, 0.05};
    rd_training runs[3];
    rd_model *m = NULL;
    rd_profile *real = NULL;
    for (size_t i = 0; i < 4; i++) {
        double shares[12];
        for (size_t k = 0; k < 12; k++)
            shares[k] = constant[k] + (k >= i ? linear[k - i] : 0);
        rd_profile *p = log_profile(*state, shares, 12);
        if (i < 3)
            runs[i] = (rd_training){p, 1000 * exp2((double)i)};
        else
            real = p;
    }
    rd_model_config config = {.size = sizeof config,
                              .method = RD_MODEL_MULTI,
                              .binning = LOG,
                              .patterns = BIT(CONSTANT) | BIT(LINEAR)};
    rd_status status = rd_model_train(*state, runs, 3, &config, &m);
    if (status != RD_OK)
        fail_msg("%s", rd_last_error(*state));
    rd_profile *predicted = predict(*state, m, 8000);
    double share = accuracy(*state, predicted, real, LOG);
    if (fabs(share - 1) > 1e-6)
        fail_msg("accuracy %.12g", share);
    assert_true(fabs(rd_model_facts_of(m)->shares[RD_PATTERN_CONSTANT] - 0.5) < 1e-6);
    for (size_t i = 0; i < 3; i++)
        rd_profile_free(runs[i].profile);
    rd_profile_free(real);
    rd_profile_free(predicted);
    rd_model_free(m);
}

/* Makes a profile whose distances fill log-linear bins evenly: a range of constant distances and a
 * range of linear distances. */
static rd_profile *range_profile(rd_ctx *ctx, double size) {
    static profiles_point points[400];
    size_t n = 0;
    for (uint64_t d = 64; d < 128; d++)
        points[n++] = (profiles_point){d, 100000};
    for (uint64_t i = 0; i < 200; i++)
        points[n++] = (profiles_point){(uint64_t)(size * (1 + (double)i / 200)), 100000};
    points[n++] = (profiles_point){RD_COLD, (uint64_t)(2 * size)};
    return profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, n);
}

static void multi_models_predict_ranges(void **state) {
    static const rd_binning binnings[] = {LOGLINEAR, LOG, GROUPS(400)};
    for (size_t k = 0; k < RDI_COUNT(binnings); k++) {
        rd_training runs[3];
        rd_model *m = NULL;
        for (size_t i = 0; i < 3; i++) {
            double size = 16384 * exp2((double)i);
            runs[i] = (rd_training){range_profile(*state, size), size};
        }
        rd_model_config config = {.size = sizeof config,
                                  .method = RD_MODEL_MULTI,
                                  .binning = binnings[k],
                                  .patterns = BIT(CONSTANT) | BIT(LINEAR)};
        if (rd_model_train(*state, runs, 3, &config, &m) != RD_OK)
            fail_msg("%s", rd_last_error(*state));
        rd_profile *predicted = predict(*state, m, 1048576), *real = range_profile(*state, 1048576);
        double share = accuracy(*state, predicted, real, LOG);
        if (share < 0.98)
            fail_msg("bins %zu: accuracy %.12g", k, share);
        for (size_t i = 0; i < 3; i++)
            rd_profile_free(runs[i].profile);
        rd_profile_free(real);
        rd_profile_free(predicted);
        rd_model_free(m);
    }
}

/* Tests that references with distance 0 count as constant, although every pattern predicts the same
 * for them on the training inputs. Three quarters of the references have distance 0, and one
 * quarter is linear. */
static void what_no_input_tells_apart_is_constant(void **state) {
    static const part parts[] = {{RD_PATTERN_CONSTANT, 0, 0, 3000},
                                 {RD_PATTERN_LINEAR, 0, 1, 1000}};
    static const rd_binning binnings[] = {LOGLINEAR, LOG};
    for (size_t k = 0; k < RDI_COUNT(binnings); k++) {
        rd_model_config config = {.size = sizeof config,
                                  .method = RD_MODEL_MULTI,
                                  .binning = binnings[k],
                                  .patterns = BIT(CONSTANT) | BIT(LINEAR)};
        rd_model *m = train(*state, parts, 2, (double[]){4096, 8192, 16384}, 3, &config);
        assert_true(fabs(rd_model_facts_of(m)->shares[RD_PATTERN_CONSTANT] - 0.75) < 1e-9);
        rd_model_free(m);
    }
}

/* Makes a profile of 1000 cold references and 5000 references with the distance `distance`, which
 * must be the low end of a log-linear bin. */
static rd_profile *far_profile(rd_ctx *ctx, uint64_t distance) {
    rd_profile_facts facts = profiles_facts();
    rd_bin bin = {distance, distance + 2047, 5000, rdi_sum_product(distance, 5000)};
    rd_profile *p = NULL;
    facts.references = 6000;
    facts.infinite = facts.cold = facts.blocks = 1000;
    facts.binning = LOGLINEAR;
    assert_int_equal(rdi_profile_new(ctx, &facts, &bin, 1, &p), RD_OK);
    return p;
}

/* Tests training with distances so large that adjacent doubles differ by more than one block. */
static void distances_beyond_all_memory_are_learned_from(void **state) {
    rd_profile *p = far_profile(*state, UINT64_C(1) << 60);
    rd_model_config config = {.size = sizeof config,
                              .method = RD_MODEL_MULTI,
                              .binning = LOG,
                              .patterns = BIT(CONSTANT) | BIT(LINEAR)};
    rd_model *m = NULL;
    assert_int_equal(rd_model_train(*state, (rd_training[]){{p, 1}, {p, 2}}, 2, &config, &m),
                     RD_OK);
    rd_profile *predicted = predict(*state, m, 4);
    assert_true(fabs(accuracy(*state, predicted, p, LOG) - 1) < 1e-9);
    rd_profile_free(p);
    rd_profile_free(predicted);
    rd_model_free(m);
}

/* ---- bad use ---- */

static void assert_refused(rd_ctx *ctx, const rd_training *runs, size_t n,
                           const rd_model_config *config, const char *word) {
    rd_model *m = NULL;
    assert_int_equal(rd_model_train(ctx, runs, n, config, &m), RD_EINVAL);
    assert_null(m);
    if (!strstr(rd_last_error(ctx), word))
        fail_msg("the message '%s' does not contain '%s'", rd_last_error(ctx), word);
}

static void what_cannot_be_learned_from_is_refused(void **state) {
    rd_ctx *ctx = *state;
    static const part parts[] = {{RD_PATTERN_LINEAR, 0, 0.5, 1000}};
    profiles_point points[] = {{5, 2000}, {RD_COLD, 10}};
    rd_profile_facts facts = profiles_facts();
    rd_profile *good = profile_of(ctx, parts, 1, 1000), *more = profile_of(ctx, parts, 1, 2000);
    rd_profile *few = profiles_make(ctx, NULL, LOGLINEAR, &(profiles_point){5, 999}, 1);
    rd_profile *log = profiles_make(ctx, NULL, (rd_binning){RD_BINS_LINEAR, 5000}, points, 2);
    facts.block_bytes = 4096;
    rd_profile *pages = profiles_make(ctx, &facts, LOGLINEAR, points, 2);
    facts = profiles_facts();
    facts.sums_known = false;
    rd_profile *bare = profiles_make(ctx, &facts, LOGLINEAR, points, 2);
    facts = profiles_facts();
    facts.bound = 100;
    rd_profile *bounded = profiles_make(ctx, &facts, LOGLINEAR, points, 2);
    rd_profile *far = far_profile(ctx, UINT64_C(1) << 40);
    rd_model_config multi = {.size = sizeof multi, .method = RD_MODEL_MULTI};

    assert_refused(ctx, (rd_training[]){{far, 1}, {far, 2}}, 2, &multi, "log-linear");
    assert_refused(ctx, (rd_training[]){{good, 1}}, 1, NULL, "at least two");
    assert_refused(ctx, (rd_training[]){{good, 7}, {more, 7}}, 2, NULL, "same size");
    assert_refused(ctx, (rd_training[]){{good, 7}, {more, 0}}, 2, NULL, "above 0");
    assert_refused(ctx, (rd_training[]){{good, 7}, {more, NAN}}, 2, NULL, "above 0");
    assert_refused(ctx, (rd_training[]){{good, 7}, {pages, 8}}, 2, NULL, "block size");
    assert_refused(ctx, (rd_training[]){{good, 7}, {bare, 8}}, 2, NULL, "mean distances");
    assert_refused(ctx, (rd_training[]){{good, 7}, {bounded, 8}}, 2, NULL, "bound");
    assert_refused(ctx, (rd_training[]){{good, 7}, {few, 8}}, 2, NULL, "reuses");
    assert_refused(ctx, (rd_training[]){{good, 7}, {log, 8}}, 2, NULL, "");
    rd_model_config config = {.size = sizeof config, .binning = LOG};
    assert_refused(ctx, (rd_training[]){{good, 7}, {more, 8}}, 2, &config, "reference");
    config = (rd_model_config){.size = sizeof(rd_model_config),
                               .patterns = BIT(SQUARE_ROOT) | BIT(CUBE_ROOT)};
    assert_refused(ctx, (rd_training[]){{good, 7}, {more, 8}}, 2, &config, "cannot be combined");
    rd_profile *all[] = {good, more, few, log, pages, bare, bounded, far};
    for (size_t i = 0; i < RDI_COUNT(all); i++)
        rd_profile_free(all[i]);
}

static void approximate_profiles_are_used_and_mentioned(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    facts.exact = false;
    facts.error_kind = "relative";
    profiles_point points[] = {{5, 2000}, {RD_COLD, 10}};
    rd_profile *a = profiles_make(ctx, NULL, LOGLINEAR, points, 2);
    rd_profile *b = profiles_make(ctx, &facts, LOGLINEAR, points, 2);
    rd_model *m = NULL;
    assert_int_equal(rd_model_train(ctx, (rd_training[]){{a, 7}, {b, 8}}, 2, NULL, &m), RD_OK);
    assert_false(rd_model_facts_of(m)->exact);
    rd_profile *p = predict(ctx, m, 9);
    assert_non_null(strstr(rd_profile_facts_of(p)->engine_options, "training=approximate"));
    rd_profile_free(p);
    rd_profile_free(a);
    rd_profile_free(b);
    rd_model_free(m);
}

static void sets_of_patterns_have_names(void **state) {
    rd_ctx *ctx = *state;
    rd_patterns set = 7;
    char text[64];
    assert_int_equal(rd_patterns_parse(ctx, "linear,constant,1/2", &set), RD_OK);
    assert_int_equal(set, BIT(CONSTANT) | BIT(SQUARE_ROOT) | BIT(LINEAR));
    rd_patterns_name(set, text);
    assert_string_equal(text, "constant,1/2,linear");
    assert_int_equal(rd_patterns_parse(ctx, "auto", &set), RD_OK);
    assert_int_equal(set, 0);
    for (const char *const *bad =
             (const char *const[]){"", "lin", "linear,", "1/2,2/3", "cubic", NULL};
         *bad; bad++)
        assert_int_equal(rd_patterns_parse(ctx, *bad, &set), RD_EINVAL);
}

static rd_status train_both(rd_ctx *ctx, void *user) {
    (void)user;
    rd_bin bins[2] = {{5, 5, 2000, {10000, 0}}, {90, 90, 2000, {180000, 0}}};
    rd_training runs[2] = {{NULL, 10}, {NULL, 20}};
    rd_profile_facts facts = profiles_facts();
    facts.references = 4000;
    facts.infinite = facts.cold = facts.blocks = 0;
    facts.binning = (rd_binning){RD_BINS_FULL, 0};
    rd_status status = RD_OK;
    for (size_t i = 0; i < 2 && status == RD_OK; i++)
        status = rdi_profile_new(ctx, &facts, bins, 2, &runs[i].profile);
    for (int method = 0; method < 2 && status == RD_OK; method++) {
        rd_model_config config = {.size = sizeof config, .method = (rd_model_method)method};
        rd_model *m = NULL;
        rd_profile *p = NULL;
        status = rd_model_train(ctx, runs, 2, &config, &m);
        if (status == RD_OK)
            status = rd_model_predict(m, 40, &p);
        rd_profile_free(p);
        rd_model_free(m);
    }
    rd_profile_free(runs[0].profile);
    rd_profile_free(runs[1].profile);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    faults_inject("predict", train_both, NULL, RD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_single_pattern_is_recovered, context_new, context_free),
        cmocka_unit_test_setup_teardown(mixtures_of_two_and_more_patterns_are_recovered,
                                        context_new, context_free),
        cmocka_unit_test_setup_teardown(a_pattern_may_stand_on_a_constant, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(the_dimension_that_fits_is_chosen, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(shares_say_how_much_follows_each_pattern, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(totals_grow_by_a_power_of_the_size, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(totals_that_sizes_do_not_tell_are_no_trouble, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(the_worked_example_of_the_paper, context_new, context_free),
        cmocka_unit_test_setup_teardown(the_equations_of_the_worked_example, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(patterns_that_share_bins_are_separated, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(multi_models_predict_ranges, context_new, context_free),
        cmocka_unit_test_setup_teardown(what_no_input_tells_apart_is_constant, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(distances_beyond_all_memory_are_learned_from, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(what_cannot_be_learned_from_is_refused, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(approximate_profiles_are_used_and_mentioned, context_new,
                                        context_free),
        cmocka_unit_test_setup_teardown(sets_of_patterns_have_names, context_new, context_free),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
