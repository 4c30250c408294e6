/* Checks that the functions of model.h, predict.h, report.h and corun.h survive NULL for each of
 * their pointers, and refuse absurd numbers. See support/arguments.h. */
#include "reusedist/reusedist.h"
#include "support/arguments.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- model.h, predict.h ---- */

static void models(void **state) {
    (void)state;
    double low, high;
    bool interpolated;
    rd_mrc_point *points = NULL;
    size_t n = 0;
    rd_knee knee;
    rd_comparison comparison;
    rd_binning log = {RD_BINS_LOG, 0};
    REFUSED(rd_mrc_at(NULL, profile, 1, &low, &interpolated));
    EXPLAINED("p", rd_mrc_at(ctx, NULL, 1, &low, &interpolated));
    EXPLAINED("miss_ratio", rd_mrc_at(ctx, profile, 1, NULL, &interpolated));
    ok(rd_mrc_at(ctx, profile, 1, &low, NULL));
    ok(rd_mrc_at(ctx, profile, UINT64_MAX, &low, NULL));

    REFUSED(rd_mrc_ways(NULL, profile, 1, 1, &low, &interpolated));
    EXPLAINED("p", rd_mrc_ways(ctx, NULL, 1, 1, &low, &interpolated));
    EXPLAINED("miss_ratio", rd_mrc_ways(ctx, profile, 1, 1, NULL, &interpolated));
    ok(rd_mrc_ways(ctx, profile, 64, 8, &low, NULL));
    REFUSED(rd_mrc_ways_band(NULL, profile, 1, 1, &low, &high));
    EXPLAINED("p", rd_mrc_ways_band(ctx, NULL, 1, 1, &low, &high));
    EXPLAINED("high", rd_mrc_ways_band(ctx, profile, 1, 1, &low, NULL));
    rd_hits_answer answer;
    REFUSED(rd_cache_for_hits(NULL, profile, 0.5, &answer));
    EXPLAINED("p", rd_cache_for_hits(ctx, NULL, 0.5, &answer));
    EXPLAINED("out", rd_cache_for_hits(ctx, profile, 0.5, NULL));
    REFUSED(rd_cache_for_hits(ctx, profile, 1.5, &answer));
    assert_int_equal(rd_mrc_resolution(NULL), 0);
    assert_false(rd_mrc_has_band(NULL));
    REFUSED(rd_mrc_band(NULL, profile, 1, &low, &high));
    EXPLAINED("p", rd_mrc_band(ctx, NULL, 1, &low, &high));
    EXPLAINED("low", rd_mrc_band(ctx, profile, 1, NULL, &high));
    EXPLAINED("high", rd_mrc_band(ctx, profile, 1, &low, NULL));
    uint64_t least, most;
    REFUSED(rd_cache_for_hits_band(NULL, profile, 0.5, &least, &most));
    EXPLAINED("p", rd_cache_for_hits_band(ctx, NULL, 0.5, &least, &most));
    EXPLAINED("low", rd_cache_for_hits_band(ctx, profile, 0.5, NULL, &most));
    EXPLAINED("high", rd_cache_for_hits_band(ctx, profile, 0.5, &least, NULL));
    expect_saying(rd_cache_for_hits_band(ctx, profile, NAN, &least, &most), "from 0 to 1");
    expect_saying(rd_cache_for_hits_band(ctx, profile, 0.5, &least, &most), "no confidence band");
    REFUSED(rd_mrc_curve(NULL, profile, &points, &n));
    EXPLAINED("p", rd_mrc_curve(ctx, NULL, &points, &n));
    EXPLAINED("points", rd_mrc_curve(ctx, profile, NULL, &n));
    EXPLAINED("n", rd_mrc_curve(ctx, profile, &points, NULL));
    rd_mrc_free(NULL, NULL);
    rd_mrc_free(ctx, NULL);
    assert_int_equal(rd_smallest_cache(NULL, 0.5), RD_UNKNOWN);
    rd_smallest_cache(profile, NAN);
    rd_smallest_cache(profile, INFINITY);
    rd_smallest_cache(profile, -1);
    assert_int_equal(rd_knees(NULL, &knee, 1) + rd_knees(profile, NULL, 1), 0);
    REFUSED(rd_compare(NULL, profile, profile, log, &comparison));
    EXPLAINED("a", rd_compare(ctx, NULL, profile, log, &comparison));
    EXPLAINED("b", rd_compare(ctx, profile, NULL, log, &comparison));
    EXPLAINED("out", rd_compare(ctx, profile, profile, log, NULL));
}

static void predictions(void **state) {
    (void)state;
    rd_patterns patterns = 0;
    rd_model *m = NULL;
    rd_profile *p = NULL;
    double size;
    char *text = NULL, name[64];
    size_t n = 0;
    const rd_training runs[] = {{profile, 1}, {profile, 2}}, without[] = {{profile, 1}, {NULL, 2}};
    assert_non_null(rd_pattern_name((rd_pattern)99));
    REFUSED(rd_patterns_parse(NULL, "auto", &patterns));
    EXPLAINED("text", rd_patterns_parse(ctx, NULL, &patterns));
    EXPLAINED("out", rd_patterns_parse(ctx, "auto", NULL));
    rd_patterns_name(UINT32_MAX, name);
    rd_patterns_name(0, NULL);
    REFUSED(rd_model_train(NULL, runs, 2, NULL, &m));
    EXPLAINED("training", rd_model_train(ctx, NULL, 2, NULL, &m));
    EXPLAINED("training[i].profile", rd_model_train(ctx, without, 2, NULL, &m));
    EXPLAINED("out", rd_model_train(ctx, runs, 2, NULL, NULL));
    rd_model_config absurd = {.size = sizeof absurd, .method = (rd_model_method)99};
    expect_saying(rd_model_train(ctx, runs, 2, &absurd, &m), "method");
    absurd = (rd_model_config){.size = sizeof absurd, .patterns = UINT32_MAX};
    assert_int_equal(rd_model_train(ctx, runs, 2, &absurd, &m), RD_EINVAL);
    assert_null(rd_model_facts_of(NULL));
    REFUSED(rd_model_set_size_unit(NULL, "given"));
    REFUSED(rd_model_size_of(NULL, profile, &size));
    REFUSED(rd_model_predict(NULL, 1, &p));
    REFUSED(rd_model_json(NULL, &text, &n));
    rd_model_config few = {.size = sizeof few, .binning = {RD_BINS_REFERENCE, 2}};
    ok(rd_model_train(ctx, runs, 2, &few, &m));
    EXPLAINED("unit", rd_model_set_size_unit(m, NULL));
    EXPLAINED("p", rd_model_size_of(m, NULL, &size));
    EXPLAINED("out", rd_model_size_of(m, profile, NULL));
    EXPLAINED("out", rd_model_predict(m, 1, NULL));
    assert_int_equal(rd_model_predict(m, NAN, &p), RD_EINVAL);
    assert_int_equal(rd_model_predict(m, -1, &p), RD_EINVAL);
    EXPLAINED("out", rd_model_json(m, NULL, &n));
    EXPLAINED("n", rd_model_json(m, &text, NULL));
    rd_model_free(m);
    rd_model_free(NULL);
    REFUSED(rd_model_read(NULL, "/dev/null", &m));
    EXPLAINED("path", rd_model_read(ctx, NULL, &m));
    EXPLAINED("out", rd_model_read(ctx, "/dev/null", NULL));
    REFUSED(rd_model_parse(NULL, "name", "{}", 2, &m));
    EXPLAINED("name", rd_model_parse(ctx, NULL, "{}", 2, &m));
    EXPLAINED("text", rd_model_parse(ctx, "name", NULL, 2, &m));
    EXPLAINED("out", rd_model_parse(ctx, "name", "{}", 2, NULL));
}

static void samplers(void **state) {
    (void)state;
    rd_sampler_config config;
    rd_sampler *s = NULL;
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    rd_peak_choice choice;
    rd_profile *const two[] = {profile, profile}, *const one[] = {profile, NULL};
    REFUSED(rd_sampler_parse(NULL, "auto", &config));
    EXPLAINED("text", rd_sampler_parse(ctx, NULL, &config));
    EXPLAINED("out", rd_sampler_parse(ctx, "auto", NULL));
    REFUSED(rd_sampler_new(NULL, NULL, &s));
    EXPLAINED("out", rd_sampler_new(ctx, NULL, NULL));
    ok(rd_sampler_new(ctx, NULL, &s));
    rd_sampler_feed(NULL, blocks, blocks, 1);
    rd_sampler_feed(s, NULL, blocks, 1);
    rd_sampler_feed(s, blocks, NULL, 1);
    assert_int_equal(rd_sampler_peaks(NULL, peaks) + rd_sampler_peaks(s, NULL), 0);
    assert_null(rd_sampler_config_of(NULL));
    rd_sampler_free(s);
    rd_sampler_free(NULL);
    REFUSED(rd_peak_choose(NULL, two, 2, &choice));
    EXPLAINED("profiles", rd_peak_choose(ctx, NULL, 2, &choice));
    EXPLAINED("profiles[i]", rd_peak_choose(ctx, one, 2, &choice));
    EXPLAINED("out", rd_peak_choose(ctx, two, 2, NULL));
    assert_null(rd_peak_find(NULL, (rd_peak_choice){1, 1}));
}

/* ---- report.h ---- */

static void reports(void **state) {
    (void)state;
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_report_text(NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_text(profile, NULL, NULL, &n));
    EXPLAINED("n", rd_report_text(profile, NULL, &text, NULL));
    REFUSED(rd_report_csv(NULL, &text, &n));
    EXPLAINED("text", rd_report_csv(profile, NULL, &n));
    EXPLAINED("n", rd_report_csv(profile, &text, NULL));
    REFUSED(rd_report_mrc_text(NULL, NULL, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_mrc_text(profile, NULL, NULL, 0, NULL, &n));
    EXPLAINED("n", rd_report_mrc_text(profile, NULL, NULL, 0, &text, NULL));
    REFUSED(rd_report_mrc_csv(NULL, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_mrc_csv(profile, NULL, 0, NULL, &n));
    EXPLAINED("n", rd_report_mrc_csv(profile, NULL, 0, &text, NULL));
    double hits = 0.5;
    REFUSED(rd_report_ways_text(NULL, NULL, 8, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_ways_text(profile, NULL, 8, NULL, 0, NULL, &n));
    REFUSED(rd_report_ways_csv(NULL, 8, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_ways_csv(profile, 8, NULL, 0, NULL, &n));
    REFUSED(rd_report_ways_json(NULL, 8, NULL, 0, &text, &n));
    EXPLAINED("n", rd_report_ways_json(profile, 8, NULL, 0, &text, NULL));
    REFUSED(rd_report_hits_text(NULL, NULL, &hits, 1, &text, &n));
    EXPLAINED("hits", rd_report_hits_text(profile, NULL, NULL, 1, &text, &n));
    REFUSED(rd_report_hits_csv(NULL, &hits, 1, &text, &n));
    EXPLAINED("text", rd_report_hits_csv(profile, &hits, 1, NULL, &n));
    REFUSED(rd_report_hits_json(NULL, &hits, 1, &text, &n));
    EXPLAINED("n", rd_report_hits_json(profile, &hits, 1, &text, NULL));
    REFUSED(rd_report_mrc_json(NULL, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_mrc_json(profile, NULL, 0, NULL, &n));
    EXPLAINED("n", rd_report_mrc_json(profile, NULL, 0, &text, NULL));
    ok(rd_report_mrc_csv(profile, NULL, 5, &text, &n));
    rd_text_free(ctx, text);
    rd_report_style narrow = {.size = sizeof narrow, .width = 1}, wide = narrow;
    wide.width = UINT32_MAX;
    ok(rd_report_text(profile, &narrow, &text, &n));
    rd_text_free(ctx, text);
    ok(rd_report_text(profile, &wide, &text, &n));
    rd_text_free(ctx, text);
    rd_format_count(1, NULL);
    rd_format_bytes(1, NULL);
    const double absurd[] = {NAN, INFINITY, -INFINITY, -1, 1e308};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        char room[16];
        rd_format_count(absurd[i], room);
        rd_format_bytes(absurd[i], room);
        assert_true(strlen(room) < sizeof room);
    }
}

static void comparisons(void **state) {
    (void)state;
    char *text = NULL;
    size_t n = 0;
    rd_profile *const two[] = {profile, profile}, *const one[] = {profile, NULL};
    const char *const names[] = {"a", "b"}, *const name[] = {"a", NULL};
    const rd_comparees all = {two, names, 2, {RD_BINS_LOG, 0}};
    REFUSED(rd_report_comparison_text(NULL, &all, &text, &n));
    EXPLAINED("all", rd_report_comparison_text(ctx, NULL, &text, &n));
    EXPLAINED("text", rd_report_comparison_text(ctx, &all, NULL, &n));
    EXPLAINED("n", rd_report_comparison_text(ctx, &all, &text, NULL));
    REFUSED(rd_report_comparison_csv(NULL, &all, &text, &n));
    EXPLAINED("all", rd_report_comparison_csv(ctx, NULL, &text, &n));
    EXPLAINED("text", rd_report_comparison_csv(ctx, &all, NULL, &n));
    EXPLAINED("n", rd_report_comparison_csv(ctx, &all, &text, NULL));
    REFUSED(rd_report_comparison_json(NULL, &all, &text, &n));
    EXPLAINED("all", rd_report_comparison_json(ctx, NULL, &text, &n));
    EXPLAINED("text", rd_report_comparison_json(ctx, &all, NULL, &n));
    EXPLAINED("n", rd_report_comparison_json(ctx, &all, &text, NULL));
    const rd_comparees wrong[] = {{NULL, names, 2, {0}},
                                  {two, NULL, 2, {0}},
                                  {one, names, 2, {0}},
                                  {two, name, 2, {0}},
                                  {two, names, 1, {0}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(rd_report_comparison_text(ctx, &wrong[i], &text, &n), RD_EINVAL);
        assert_int_equal(rd_report_comparison_csv(ctx, &wrong[i], &text, &n), RD_EINVAL);
        assert_int_equal(rd_report_comparison_json(ctx, &wrong[i], &text, &n), RD_EINVAL);
    }
    rd_page page = {.size = sizeof page, .profiles = two, .names = names, .n = 2};
    rd_annotation annotation = {.size = sizeof annotation};
    REFUSED(rd_report_annotate(NULL, &annotation, NULL, &text, &n));
    EXPLAINED("config", rd_report_annotate(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_annotate(profile, &annotation, NULL, NULL, &n));
    EXPLAINED("n", rd_report_annotate(profile, &annotation, NULL, &text, NULL));
    expect_saying(rd_report_annotate(profile, &annotation, NULL, &text, &n), "--attribute");
    assert_null(rd_exporter_name(1000));
    assert_null(rd_exporter_summary(1000));
    REFUSED(rd_report_export(NULL, "csv", NULL, &text, &n));
    EXPLAINED("to", rd_report_export(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_export(profile, "csv", NULL, NULL, &n));
    EXPLAINED("n", rd_report_export(profile, "csv", NULL, &text, NULL));
    expect_saying(rd_report_export(profile, "gif", NULL, &text, &n), "gif");
    REFUSED(rd_report_html(NULL, &page, &text, &n));
    EXPLAINED("page", rd_report_html(ctx, NULL, &text, &n));
    EXPLAINED("text", rd_report_html(ctx, &page, NULL, &n));
    EXPLAINED("n", rd_report_html(ctx, &page, &text, NULL));
    page.n_levels = 1;
    assert_int_equal(rd_report_html(ctx, &page, &text, &n), RD_EINVAL);
    page = (rd_page){.size = sizeof page, .names = names, .n = 1};
    assert_int_equal(rd_report_html(ctx, &page, &text, &n), RD_EINVAL);
    page = (rd_page){.size = sizeof page};
    assert_int_equal(rd_report_html(ctx, &page, &text, &n), RD_EINVAL);
}

/* ---- corun.h ---- */

static void coruns(void **state) {
    (void)state;
    rd_profile *const profiles[] = {profile, NULL};
    const char *const names[] = {"a"};
    rd_corun *c = NULL;
    rd_corun_program one;
    size_t number = 0, n = 0;
    uint64_t four = 4;
    char *text = NULL;
    REFUSED(rd_corun_new(NULL, profiles, NULL, 1, &c));
    EXPLAINED("profiles", rd_corun_new(ctx, NULL, NULL, 1, &c));
    EXPLAINED("out", rd_corun_new(ctx, profiles, NULL, 1, NULL));
    EXPLAINED("profiles[1]", rd_corun_new(ctx, profiles, NULL, 2, &c));
    REFUSED(rd_corun_share(NULL, 4, &one));
    REFUSED(rd_corun_assign(NULL, 4, 1, &number, &one, NULL));
    REFUSED(rd_corun_partition(NULL, 4, 1, &number, &one));
    rd_corun_free(NULL);
    ok(rd_corun_new(ctx, profiles, NULL, 1, &c));
    EXPLAINED("programs", rd_corun_share(c, 4, NULL));
    EXPLAINED("cache_of", rd_corun_assign(c, 4, 1, NULL, &one, NULL));
    EXPLAINED("programs", rd_corun_assign(c, 4, 1, &number, NULL, NULL));
    EXPLAINED("ways_of", rd_corun_partition(c, 4, 1, NULL, &one));
    EXPLAINED("programs", rd_corun_partition(c, 4, 1, &number, NULL));
    ok(rd_corun_share(c, 4, &one));
    ok(rd_corun_share(c, UINT64_MAX, &one));
    assert_true(rd_corun_total(NULL, &one) == 0 && rd_corun_total(c, NULL) == 0);
    rd_corun_free(c);
    rd_corun_request request = {.size = sizeof request,
                                .profiles = profiles,
                                .names = names,
                                .n = 1,
                                .blocks = &four,
                                .n_blocks = 1};
    REFUSED(rd_report_corun_text(NULL, &request, NULL, &text, &n));
    EXPLAINED("request", rd_report_corun_text(ctx, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_corun_text(ctx, &request, NULL, NULL, &n));
    REFUSED(rd_report_corun_csv(NULL, &request, &text, &n));
    EXPLAINED("request", rd_report_corun_csv(ctx, NULL, &text, &n));
    EXPLAINED("n", rd_report_corun_csv(ctx, &request, &text, NULL));
    REFUSED(rd_report_corun_json(NULL, &request, &text, &n));
    EXPLAINED("request", rd_report_corun_json(ctx, NULL, &text, &n));
    EXPLAINED("text", rd_report_corun_json(ctx, &request, NULL, &n));
    ok(rd_report_corun_text(ctx, &request, NULL, &text, &n));
    rd_text_free(ctx, text);
    request.names = NULL;
    REFUSED(rd_report_corun_csv(ctx, &request, &text, &n));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),  cmocka_unit_test(predictions), cmocka_unit_test(samplers),
        cmocka_unit_test(reports), cmocka_unit_test(comparisons), cmocka_unit_test(coruns),
    };
    return cmocka_run_group_tests(tests, new_profile, free_profile);
}
