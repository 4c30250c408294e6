/* Tests distance-based sampling: samples, peaks, and the choice of the peak that represents the
 * size of the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/model.h"
#include "reusedist/predict.h"

#include "support/context.h"

#include <math.h>
#include <stdlib.h>

#define MANY (RD_SAMPLES_MAX * RD_PEAKS_MAX)

/* Feeds pairs {block, distance} to a sampler with these thresholds: a distance of at least 100
 * qualifies a block, a distance of at least 10 is examined, and the block ids of samples are at
 * least 50 apart. */
static size_t sample(rd_ctx *ctx, uint64_t (*pairs)[2], size_t n, rd_peak *peaks) {
    rd_sampler_config config = {100, 10, 50};
    rd_sampler *s = NULL;
    assert_int_equal(rd_sampler_new(ctx, &config, &s), RD_OK);
    for (size_t i = 0; i < n; i++)
        rd_sampler_feed(s, &pairs[i][0], &pairs[i][1], 1);
    size_t found = rd_sampler_peaks(s, peaks);
    rd_sampler_free(s);
    return found;
}

static void a_peak_exceeds_both_its_neighbours(void **state) {
    uint64_t pairs[][2] = {{7, RD_COLD}, {7, 120}, {7, 300}, {7, 200}, {7, 250},
                           {7, 250},     {7, 90},  {7, 95},  {7, 60}};
    rd_peak peaks[MANY];
    assert_int_equal(sample(*state, pairs, RDI_COUNT(pairs), peaks), 2);
    assert_int_equal(peaks[0].sample, 1);
    assert_int_equal(peaks[0].number, 1);
    assert_int_equal(peaks[0].distance, 300);
    assert_int_equal(peaks[0].time, 4); /* the peak is known when the next distance is known */
    assert_int_equal(peaks[1].number, 2);
    assert_int_equal(peaks[1].distance, 95);
    assert_int_equal(peaks[1].time, 9);
}

static void the_first_and_the_last_distance_are_no_peaks(void **state) {
    uint64_t pairs[][2] = {{7, 500}, {7, 100}, {7, 100}, {7, 900}};
    rd_peak peaks[MANY];
    assert_int_equal(sample(*state, pairs, RDI_COUNT(pairs), peaks), 0);
}

static void short_distances_do_not_qualify_and_are_not_looked_at(void **state) {
    uint64_t pairs[][2] = {{7, 99}, {7, 200}, {7, 5}, {7, 300}, {7, 9}, {7, 150}};
    rd_peak peaks[MANY];
    assert_int_equal(sample(*state, pairs, RDI_COUNT(pairs), peaks), 1);
    assert_int_equal(peaks[0].distance, 300);
}

static void samples_keep_their_distance_in_memory(void **state) {
    uint64_t pairs[][2] = {{1000, 100}, {1049, 100}, {1050, 100}, {951, 100}, {1049, 200},
                           {1050, 200}, {1049, 100}, {1050, 100}, {951, 200}, {951, 100}};
    rd_peak peaks[MANY];
    assert_int_equal(sample(*state, pairs, RDI_COUNT(pairs), peaks), 1);
    assert_int_equal(peaks[0].sample, 2);
    assert_int_equal(peaks[0].distance, 200);
}

static void samples_and_peaks_are_limited(void **state) {
    rd_sampler_config config = {100, 10, 50};
    rd_sampler *s = NULL;
    rd_peak peaks[MANY];
    assert_int_equal(rd_sampler_new(*state, &config, &s), RD_OK);
    for (uint64_t round = 0; round < 20; round++)
        for (uint64_t block = 0; block < 40 * 50; block += 50) {
            uint64_t distance = round % 2 ? 200 : 100;
            rd_sampler_feed(s, &block, &distance, 1);
        }
    assert_int_equal(rd_sampler_peaks(s, peaks), MANY);
    assert_int_equal(peaks[MANY - 1].sample, RD_SAMPLES_MAX);
    assert_int_equal(peaks[MANY - 1].number, RD_PEAKS_MAX);
    rd_sampler_free(s);
}

static void feed_new_blocks(rd_sampler *s, uint64_t from, uint64_t to) {
    for (uint64_t cold = RD_COLD; from < to; from++)
        rd_sampler_feed(s, &from, &cold, 1);
}

static void feed_distances(rd_sampler *s, uint64_t block, const uint64_t *distances, size_t n) {
    for (size_t i = 0; i < n; i++)
        rd_sampler_feed(s, &block, &distances[i], 1);
}

/* Tests that a later set of samples replaces the first set only when the later set has as many
 * peaks. The first set has two peaks. Then new blocks restart sampling. */
static void a_peak_is_known_when_it_is_reported(void **state) {
    static const uint64_t two_peaks[] = {2000, 2500, 2200, 2600, 2300};
    rd_sampler *s = NULL;
    rd_peak peaks[MANY];
    assert_int_equal(rd_sampler_new(*state, NULL, &s), RD_OK);
    feed_new_blocks(s, 0, 4000);
    feed_distances(s, 0, two_peaks, 5);
    feed_new_blocks(s, 4000, 6000);
    feed_distances(s, 5, two_peaks, 3);
    assert_int_equal(rd_sampler_peaks(s, peaks), 2);
    assert_int_equal(peaks[0].time, 4003);
    assert_int_equal(peaks[1].time, 4005);
    feed_distances(s, 5, two_peaks + 3, 2);
    assert_int_equal(rd_sampler_peaks(s, peaks), 2);
    assert_int_equal(peaks[0].time, 6010);
    assert_int_equal(peaks[1].time, 6010);
    rd_sampler_free(s);
}

/* ---- automatic thresholds, on the references of a small program ---- */

typedef struct program {
    rd_engine *engine;
    rd_sampler *sampler;
    uint64_t block[1000]; /* the batch that is fed next */
    size_t n;
} program;

static void feed_batch(program *p) {
    uint64_t distance[RDI_COUNT(p->block)];
    assert_int_equal(rd_engine_feed(p->engine, p->block, p->n, distance), RD_OK);
    rd_sampler_feed(p->sampler, p->block, distance, p->n);
    p->n = 0;
}

static void touch(program *p, uint64_t block) {
    p->block[p->n++] = block;
    if (p->n == RDI_COUNT(p->block))
        feed_batch(p);
}

/* Analyzes a made-up program and returns its profile with the peaks. The program has a start that
 * is the same for all inputs, then passes over n elements, which visit half of the elements twice,
 * and then references to n further blocks, as when results are printed. If `grows` is false, each
 * pass visits 3000 elements, and the number of passes grows with n. */
static rd_profile *run_program(rd_ctx *ctx, uint64_t n, bool grows) {
    program p = {.n = 0};
    rd_profile *profile = NULL;
    rd_peak peaks[MANY];
    assert_int_equal(rd_engine_open(ctx, "auto", NULL, &p.engine), RD_OK);
    assert_int_equal(rd_sampler_new(ctx, NULL, &p.sampler), RD_OK);
    for (uint64_t round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 700; i++)
            touch(&p, i * 8);
    uint64_t work = grows ? n : 3000, rounds = grows ? 8 : 8 * n / work;
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint64_t i = 0; i < work; i++)
            touch(&p, 1000000 + 8 * i);
        for (uint64_t i = 0; i < work / 2; i++)
            touch(&p, 1000000 + 8 * i);
    }
    for (uint64_t i = 0; i < n; i++)
        touch(&p, 90000000 + 8 * i);
    feed_batch(&p);
    assert_int_equal(rd_engine_finish(p.engine), RD_OK);
    assert_int_equal(rd_engine_profile(p.engine, &profile), RD_OK);
    assert_int_equal(rd_profile_set_peaks(profile, peaks, rd_sampler_peaks(p.sampler, peaks)),
                     RD_OK);
    rd_engine_close(p.engine);
    rd_sampler_free(p.sampler);
    return profile;
}

static void automatic_thresholds_find_the_size_of_the_data(void **state) {
    rd_profile *profiles[3];
    rd_peak_choice choice;
    rd_model *m = NULL;
    rd_profile *predicted = NULL;
    rd_comparison c;
    const uint64_t sizes[3] = {3000, 12000, 60000};
    for (int i = 0; i < 3; i++)
        profiles[i] = run_program(*state, sizes[i], true);
    assert_int_equal(rd_peak_choose(*state, profiles, 2, &choice), RD_OK);
    assert_true(choice.sample > 0);
    rd_training runs[2];
    for (int i = 0; i < 3; i++) {
        const rd_peak *peak = rd_peak_find(profiles[i], choice);
        assert_non_null(peak);
        assert_int_equal(peak->distance, sizes[i] - 1);
        if (i < 2)
            runs[i] = (rd_training){profiles[i], (double)peak->distance};
    }
    assert_int_equal(rd_model_train(*state, runs, 2, NULL, &m), RD_OK);
    assert_int_equal(rd_model_set_size_unit(m, "peak 1.1"), RD_OK);
    double size = 0;
    assert_int_equal(rd_model_size_of(m, profiles[2], &size), RD_OK);
    assert_int_equal(rd_model_predict(m, size, &predicted), RD_OK);
    assert_int_equal(rd_compare(*state, predicted, profiles[2], (rd_binning){RD_BINS_LOG, 0}, &c),
                     RD_OK);
    assert_true(c.accuracy > 0.9); /* the start is a larger fraction of small inputs */
    rd_profile_free(predicted);
    rd_model_free(m);
    for (int i = 0; i < 3; i++)
        rd_profile_free(profiles[i]);
}

static void nothing_is_chosen_where_distances_do_not_change(void **state) {
    rd_profile *profiles[2] = {run_program(*state, 30000, false),
                               run_program(*state, 60000, false)};
    rd_peak_choice choice = {9, 9};
    assert_int_equal(rd_peak_choose(*state, profiles, 2, &choice), RD_OK);
    assert_int_equal(choice.sample, 0);
    rd_profile_free(profiles[0]);
    rd_profile_free(profiles[1]);
}

static void nothing_is_chosen_without_peaks(void **state) {
    rd_profile *profiles[2] = {run_program(*state, 3000, true), run_program(*state, 9000, true)};
    rd_peak_choice choice = {9, 9};
    assert_int_equal(rd_profile_set_peaks(profiles[0], NULL, 0), RD_OK);
    assert_int_equal(rd_peak_choose(*state, profiles, 2, &choice), RD_OK);
    assert_int_equal(choice.sample, 0);
    rd_profile_free(profiles[0]);
    rd_profile_free(profiles[1]);
}

/* ---- peaks in profiles ---- */

static void peaks_survive_the_profile_file(void **state) {
    rd_profile *p = run_program(*state, 3000, true), *back = NULL;
    const rd_peak *a, *b;
    char *text = NULL;
    size_t n = 0, n_a = rd_profile_peaks(p, &a);
    assert_true(n_a > 0);
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(*state, "file", text, n, &back), RD_OK);
    assert_int_equal(rd_profile_peaks(back, &b), n_a);
    assert_memory_equal(a, b, n_a * sizeof *a);
    rd_text_free(*state, text);
    rd_profile_free(p);
    rd_profile_free(back);
}

static void thresholds_have_a_text(void **state) {
    static const char *const bad[] = {"",
                                      "5",
                                      "5:6",
                                      "5:6:7:8",
                                      "5:0:7",
                                      "5:6:",
                                      ":6:7",
                                      "a:b:c",
                                      "5:6:-7",
                                      "auto:1",
                                      "Auto",
                                      "5:6:7 ",
                                      "99999999999999999999999999:6:7"};
    rd_sampler_config c = {1, 1, 1};
    assert_int_equal(rd_sampler_parse(*state, "auto", &c), RD_OK);
    assert_true(c.qualification == 0 && c.temporal == 0 && c.spatial == 0);
    assert_int_equal(rd_sampler_parse(*state, "2K:64:7", &c), RD_OK);
    assert_true(c.qualification == 2048 && c.temporal == 64 && c.spatial == 7);
    for (size_t i = 0; i < RDI_COUNT(bad); i++)
        if (rd_sampler_parse(*state, bad[i], &c) != RD_EINVAL)
            fail_msg("accepted: '%s'", bad[i]);
}

/* Tests that profiles and models keep given thresholds, and that peaks that were found with
 * different thresholds cannot be compared. */
static void given_thresholds_are_kept_and_must_be_the_same(void **state) {
    static const rd_sampler_config given = {2048, 64, 7};
    rd_profile *profiles[2] = {run_program(*state, 3000, true), run_program(*state, 12000, true)};
    rd_profile *back = NULL;
    rd_peak_choice choice;
    rd_model *m = NULL;
    char *text = NULL;
    size_t n = 0;
    double size = 0;
    rd_profile_set_sampling(profiles[0], &given);
    assert_int_equal(rd_profile_json(profiles[0], &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(*state, "file", text, n, &back), RD_OK);
    assert_memory_equal(&rd_profile_facts_of(back)->sampling, &given, sizeof given);
    assert_int_equal(rd_peak_choose(*state, profiles, 2, &choice), RD_EINVAL);
    rd_profile_set_sampling(profiles[1], &given);
    assert_int_equal(rd_peak_choose(*state, profiles, 2, &choice), RD_OK);
    const rd_training runs[2] = {{profiles[0], 3000}, {profiles[1], 12000}};
    assert_int_equal(rd_model_train(*state, runs, 2, NULL, &m), RD_OK);
    assert_int_equal(rd_model_set_size_unit(m, "peak 1.1"), RD_OK);
    assert_memory_equal(&rd_model_facts_of(m)->sampling, &given, sizeof given);
    assert_int_equal(rd_model_size_of(m, back, &size), RD_OK);
    rd_profile_set_sampling(back, &(rd_sampler_config){0});
    assert_int_equal(rd_model_size_of(m, back, &size), RD_EINVAL);
    rd_text_free(*state, text);
    rd_model_free(m);
    rd_profile_free(back);
    rd_profile_free(profiles[0]);
    rd_profile_free(profiles[1]);
}

static void peaks_must_ascend_within_the_trace(void **state) {
    rd_profile *p = run_program(*state, 1000, true);
    const rd_peak bad[][2] = {{{0, 1, 5, 1}, {1, 1, 5, 1}},
                              {{1, 2, 5, 1}, {2, 1, 5, 1}},
                              {{2, 1, 5, 1}, {1, 1, 5, 1}},
                              {{1, 1, 5, 1}, {1, 3, 5, 1}},
                              {{1, 1, 5, 1}, {2, 1, 5, UINT64_MAX}}};
    for (size_t i = 0; i < RDI_COUNT(bad); i++)
        assert_int_equal(rd_profile_set_peaks(p, bad[i], 2), RD_EINVAL);
    rd_profile_free(p);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, context_new, context_free)
    const struct CMUnitTest tests[] = {
        CASE(a_peak_exceeds_both_its_neighbours),
        CASE(the_first_and_the_last_distance_are_no_peaks),
        CASE(short_distances_do_not_qualify_and_are_not_looked_at),
        CASE(samples_keep_their_distance_in_memory),
        CASE(samples_and_peaks_are_limited),
        CASE(a_peak_is_known_when_it_is_reported),
        CASE(automatic_thresholds_find_the_size_of_the_data),
        CASE(nothing_is_chosen_where_distances_do_not_change),
        CASE(nothing_is_chosen_without_peaks),
        CASE(peaks_survive_the_profile_file),
        CASE(thresholds_have_a_text),
        CASE(given_thresholds_are_kept_and_must_be_the_same),
        CASE(peaks_must_ascend_within_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
