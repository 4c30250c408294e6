/* Checks that the functions of trace.h, analysis.h, attribution.h, sharing.h and verify.h survive
 * NULL for each of their pointers, and refuse absurd numbers. See support/arguments.h. */
#include "reusedist/reusedist.h"
#include "support/arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- trace.h ---- */

static void traces(void **state) {
    (void)state;
    static const char ids[] = "1\n2\n1\n";
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    const rd_event *events;
    uint64_t done, total;
    assert_null(rd_field_name(UINT32_MAX));
    assert_int_equal(rd_refs_slice(NULL, 0, 1).n, 0);
    assert_null(rd_format_info_at(SIZE_MAX));
    assert_null(rd_format_info_find(NULL));
    assert_null(rd_generator_info_at(SIZE_MAX));
    assert_null(rd_generator_info_find(NULL));
    REFUSED(rd_trace_open(NULL, "/dev/null", NULL, &t));
    EXPLAINED("path", rd_trace_open(ctx, NULL, NULL, &t));
    EXPLAINED("out", rd_trace_open(ctx, "/dev/null", NULL, NULL));
    REFUSED(rd_trace_open_fd(NULL, 0, "name", NULL, 0, NULL, &t));
    EXPLAINED("name", rd_trace_open_fd(ctx, 0, NULL, NULL, 0, NULL, &t));
    EXPLAINED("head", rd_trace_open_fd(ctx, 0, "name", NULL, 1, NULL, &t));
    EXPLAINED("out", rd_trace_open_fd(ctx, 0, "name", NULL, 0, NULL, NULL));
    assert_int_equal(rd_trace_open_fd(ctx, -1, "name", NULL, 0, NULL, &t), RD_EIO);
    REFUSED(rd_trace_open_memory(NULL, "name", ids, 6, NULL, &t));
    EXPLAINED("name", rd_trace_open_memory(ctx, NULL, ids, 6, NULL, &t));
    EXPLAINED("data", rd_trace_open_memory(ctx, "name", NULL, 6, NULL, &t));
    EXPLAINED("out", rd_trace_open_memory(ctx, "name", ids, 6, NULL, NULL));
    REFUSED(rd_trace_generate(NULL, "cycle", &t));
    EXPLAINED("spec", rd_trace_generate(ctx, NULL, &t));
    EXPLAINED("out", rd_trace_generate(ctx, "cycle", NULL));
    rd_trace *const none[] = {NULL};
    const char *const names[] = {"name"};
    REFUSED(rd_trace_merge(NULL, none, names, 1, &t));
    EXPLAINED("traces", rd_trace_merge(ctx, NULL, names, 1, &t));
    EXPLAINED("names", rd_trace_merge(ctx, none, NULL, 1, &t));
    EXPLAINED("out", rd_trace_merge(ctx, none, names, 1, NULL));
    REFUSED(rd_trace_merge(ctx, none, names, 1, &t));
    expect_saying(rd_trace_merge(ctx, none, names, 0, &t), "there is no trace to merge");
    assert_int_equal(rd_trace_merged(NULL, 0).references, 0);
    REFUSED(rd_trace_read(NULL, &refs));
    REFUSED(rd_trace_seek(NULL, 0, 0));
    REFUSED(rd_trace_select(NULL, 0));
    assert_int_equal(rd_trace_events(NULL, &events) + rd_trace_count(NULL), 0);
    assert_null(rd_trace_format(NULL));
    assert_int_equal(rd_trace_request_fields(NULL), 0);
    assert_false(rd_trace_has_ids(NULL) || rd_trace_has_hex_ids(NULL) ||
                 rd_trace_has_processes(NULL) || rd_trace_never_began(NULL));
    assert_null(rd_trace_note(NULL));
    assert_int_equal(rd_trace_skipped(NULL) + rd_trace_repeats(NULL) + rd_trace_line(NULL), 0);
    rd_trace_read_ahead(NULL, 2);
    rd_trace_progress(NULL, &done, &total);
    rd_trace_close(NULL);
    ok(rd_trace_open_memory(ctx, "name", ids, 6, "text", &t));
    expect_saying(rd_trace_select(t, RD_FIELD_SIZE), "may have only the bits of RD_REQUEST_FIELDS");
    EXPLAINED("out", rd_trace_read(t, NULL));
    ok(rd_trace_read(t, &refs));
    assert_int_equal(rd_trace_select(t, RD_FIELD_BYTES), RD_ESTATE);
    assert_int_equal(rd_trace_events(t, NULL), 0);
    rd_trace_progress(t, NULL, NULL);
    assert_int_equal(rd_trace_seek(t, UINT64_MAX, UINT64_MAX), RD_EINVAL);
    rd_trace_close(t);
}

static rd_status next_of_none(void *user, rd_trace **trace) {
    (void)user;
    (void)trace;
    return RD_OK;
}

static void joined_traces(void **state) {
    (void)state;
    rd_trace *t = NULL;
    const rd_join none = {.size = sizeof none, .next = next_of_none},
                  unset = {.size = sizeof unset};
    REFUSED(rd_trace_join(NULL, &none, &t));
    EXPLAINED("config", rd_trace_join(ctx, NULL, &t));
    EXPLAINED("out", rd_trace_join(ctx, &none, NULL));
    expect_saying(rd_trace_join(ctx, &unset, &t), "next");
    expect_saying(rd_trace_join(ctx, &none, &t), "there is no trace to join");
}

static bool no_more(void *user) {
    (void)user;
    return false;
}

static void live(void **state) {
    (void)state;
    rd_live *live = NULL;
    rd_trace *t = NULL;
    rd_live_config config = {.size = sizeof config, .running = no_more};
    REFUSED(rd_live_new(NULL, &config, &live));
    EXPLAINED("out", rd_live_new(ctx, &config, NULL));
    expect_saying(rd_live_new(ctx, NULL, &live), "running");
    assert_null(rd_live_path(NULL));
    rd_live_set_recording(NULL, true);
    rd_live_stop(NULL);
    assert_int_equal(rd_live_programs(NULL) + rd_live_children(NULL) + rd_live_replaced(NULL), 0);
    rd_live_free(NULL);
    ok(rd_live_new(ctx, &config, &live));
    REFUSED(rd_trace_open_live(NULL, live, &t));
    EXPLAINED("live", rd_trace_open_live(ctx, NULL, &t));
    EXPLAINED("out", rd_trace_open_live(ctx, live, NULL));
    rd_live_free(live);
}

static void writers(void **state) {
    (void)state;
    rd_trace_writer *w = NULL;
    REFUSED(rd_trace_writer_open(NULL, "/dev/null", NULL, 0, false, &w));
    EXPLAINED("path", rd_trace_writer_open(ctx, NULL, NULL, 0, false, &w));
    EXPLAINED("out", rd_trace_writer_open(ctx, "/dev/null", NULL, 0, false, NULL));
    REFUSED(rd_trace_writer_write(NULL, &(rd_refs){0}));
    REFUSED(rd_trace_writer_event(NULL, &(rd_event){0}));
    REFUSED(rd_trace_writer_keep(NULL));
    assert_null(rd_trace_writer_kept(NULL));
    REFUSED(rd_trace_writer_finish(NULL));
    rd_trace_writer_close(NULL);
    ok(rd_trace_writer_open(ctx, "/dev/null", NULL, UINT32_MAX, false, &w));
    EXPLAINED("refs", rd_trace_writer_write(w, NULL));
    EXPLAINED("refs->addr", rd_trace_writer_write(w, &(rd_refs){.n = 1}));
    EXPLAINED("event", rd_trace_writer_event(w, NULL));
    assert_int_equal(rd_trace_writer_event(w, &(rd_event){.kind = (rd_event_kind)99}), RD_EINVAL);
    rd_trace_writer_close(w);
}

static void mappers(void **state) {
    (void)state;
    rd_mapper *m = NULL;
    const uint64_t *got = NULL;
    size_t n = 0;
    rd_mapping odd = {.size = sizeof odd, .block_bytes = 3},
               none = {.size = sizeof none, .kinds = 64};
    REFUSED(rd_mapper_new(NULL, NULL, &m));
    EXPLAINED("out", rd_mapper_new(ctx, NULL, NULL));
    expect_saying(rd_mapper_new(ctx, &odd, &m), "power of two");
    expect_saying(rd_mapper_new(ctx, &none, &m), "kinds");
    rd_mapper_feed(NULL, &(rd_refs){0});
    REFUSED(rd_mapper_next(NULL, &got, &n));
    assert_null(rd_mapper_origins(NULL));
    rd_mapper_seek(NULL, 0);
    rd_mapper_free(NULL);
    ok(rd_mapper_new(ctx, NULL, &m));
    EXPLAINED("blocks", rd_mapper_next(m, NULL, &n));
    EXPLAINED("n", rd_mapper_next(m, &got, NULL));
    rd_mapper_feed(m, NULL);
    ok(rd_mapper_next(m, &got, &n));
    assert_int_equal(n, 0);
    rd_mapper_feed(m, &(rd_refs){.n = 1});
    EXPLAINED("refs->addr", rd_mapper_next(m, &got, &n));
    rd_mapper_free(m);
}

/* ---- analysis.h, attribution.h ---- */

static void analyses(void **state) {
    (void)state;
    rd_analysis *a = NULL;
    rd_trace *t = NULL;
    rd_profile *p = NULL;
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    rd_level levels[RD_LEVELS_MAX];
    REFUSED(rd_analysis_open(NULL, NULL, &a));
    EXPLAINED("out", rd_analysis_open(ctx, NULL, NULL));
    REFUSED(rd_analysis_add_file(NULL, "/dev/null"));
    ok(rd_trace_generate(ctx, "cycle:refs=10", &t));
    REFUSED(rd_analysis_add_trace(NULL, t, "name"));
    REFUSED(rd_analysis_run(NULL));
    assert_false(rd_analysis_has_profile(NULL));
    REFUSED(rd_analysis_profile(NULL, &p));
    assert_int_equal(rd_analysis_peaks(NULL, peaks), 0);
    assert_string_equal(rd_analysis_engine_note(NULL), "");
    rd_analysis_close(NULL);
    ok(rd_analysis_open(ctx, NULL, &a));
    EXPLAINED("path", rd_analysis_add_file(a, NULL));
    EXPLAINED("trace", rd_analysis_add_trace(a, NULL, "name"));
    EXPLAINED("name", rd_analysis_add_trace(a, t, NULL));
    EXPLAINED("out", rd_analysis_profile(a, NULL));
    rd_analysis_close(a);
    rd_sampler_config sampling = {0};
    rd_analysis_config config = {.size = sizeof config, .sampling = &sampling};
    ok(rd_analysis_open(ctx, &config, &a));
    assert_int_equal(rd_analysis_peaks(a, NULL), 0);
    rd_analysis_close(a);
    config = (rd_analysis_config){.size = sizeof config, .kinds = 64};
    expect_saying(rd_analysis_open(ctx, &config, &a), "kinds");
    rd_trace_close(t);
    assert_int_equal(rd_machine_caches(NULL, NULL), 0);
    assert_true(rd_machine_caches(levels, NULL) > 0);
}

/* Checks that an analysis whose attribution has a NULL pointer fails when it is opened or when it runs. */
static void attribution_of_analyses(void **state) {
    (void)state;
    const rd_object_file nameless = {NULL, 0};
    const rd_attribution_config wrong[] = {
        {.size = sizeof *wrong, .n_objects = 1},
        {.size = sizeof *wrong, .objects = &nameless, .n_objects = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rd_analysis *a = NULL;
        rd_trace *t = NULL;
        rd_analysis_config config = {.size = sizeof config, .attribution = &wrong[i]};
        ok(rd_trace_generate(ctx, "cycle:refs=10", &t));
        rd_status status = rd_analysis_open(ctx, &config, &a);
        if (status == RD_OK) {
            ok(rd_analysis_add_trace(a, t, "name"));
            status = rd_analysis_run(a);
        }
        assert_int_equal(status, RD_EINVAL);
        rd_analysis_close(a);
        rd_trace_close(t);
    }
}

static void attributors(void **state) {
    (void)state;
    rd_attributor *a = NULL;
    rd_refs refs = {.n = 1, .addr = blocks};
    const uint32_t origin[] = {0}, outside[] = {1};
    const rd_attributed good = {&refs, origin, blocks, blocks, 1, NULL};
    rd_level nameless = {.bytes = 64};
    memset(nameless.name, 'x', sizeof nameless.name);
    rd_attributor_config config = {.size = sizeof config, .levels = &nameless, .n_levels = 1};
    assert_null(rd_profile_details(NULL));
    REFUSED(rd_profile_show_own(NULL, NULL, 0));
    EXPLAINED("own", rd_profile_show_own(profile, NULL, 1));
    REFUSED(rd_attributor_new(NULL, NULL, &a));
    EXPLAINED("out", rd_attributor_new(ctx, NULL, NULL));
    expect_saying(rd_attributor_new(ctx, &config, &a), "name");
    REFUSED(rd_attributor_feed(NULL, &good));
    REFUSED(rd_attributor_misses(NULL, &(rd_miss){0}, 1));
    REFUSED(rd_attributor_event(NULL, &(rd_event){0}));
    REFUSED(rd_attributor_add_object(NULL, "/dev/null", 0));
    REFUSED(rd_attributor_set_words(NULL, profile));
    REFUSED(rd_attributor_finish(NULL, profile));
    assert_int_equal(rd_attributor_word_bytes(NULL), 0);
    rd_attributor_free(NULL);
    ok(rd_attributor_new(ctx, NULL, &a));
    EXPLAINED("batch", rd_attributor_feed(a, NULL));
    EXPLAINED("batch->refs",
              rd_attributor_feed(a, &(rd_attributed){NULL, origin, blocks, blocks, 1, NULL}));
    EXPLAINED("batch->origin",
              rd_attributor_feed(a, &(rd_attributed){&refs, NULL, blocks, blocks, 1, NULL}));
    EXPLAINED("batch->blocks",
              rd_attributor_feed(a, &(rd_attributed){&refs, origin, NULL, blocks, 1, NULL}));
    EXPLAINED("batch->distances",
              rd_attributor_feed(a, &(rd_attributed){&refs, origin, blocks, NULL, 1, NULL}));
    expect_saying(rd_attributor_feed(a, &(rd_attributed){&refs, outside, blocks, blocks, 1, NULL}),
                  "but the batch has only");
    EXPLAINED("misses", rd_attributor_misses(a, NULL, 1));
    ok(rd_attributor_misses(a, NULL, 0));
    EXPLAINED("event", rd_attributor_event(a, NULL));
    expect_saying(rd_attributor_event(a, &(rd_event){.kind = (rd_event_kind)99}), "kind");
    expect_saying(rd_attributor_event(a, &(rd_event){.kind = RD_EVENT_MODULE}), "path");
    EXPLAINED("path", rd_attributor_add_object(a, NULL, 0));
    EXPLAINED("words", rd_attributor_set_words(a, NULL));
    EXPLAINED("profile", rd_attributor_finish(a, NULL));
    rd_attributor_free(a);
}

/* ---- sharing.h ---- */

static void threads(void **state) {
    (void)state;
    rd_trace *trace = NULL;
    rd_sharing *sharing = NULL;
    rd_profile *made = NULL;
    const rd_interleaving never = {0};
    assert_null(rd_profile_interleaving(NULL));
    assert_null(rd_profile_interleaving(profile));
    REFUSED(rd_profile_set_interleaving(NULL, &never));
    REFUSED(rd_profile_set_interleaving(profile, &never));
    EXPLAINED("interleaving", rd_profile_set_interleaving(profile, NULL));
    REFUSED(rd_trace_interleave(NULL, NULL, NULL, &trace));
    EXPLAINED("source", rd_trace_interleave(ctx, NULL, NULL, &trace));
    assert_int_equal(rd_trace_interleaved(NULL).threads, 0);
    assert_int_equal(rd_live_threads(NULL), 0);
    REFUSED(rd_sharing_new(NULL, NULL, &sharing));
    EXPLAINED("out", rd_sharing_new(ctx, NULL, NULL));
    REFUSED(rd_sharing_feed(NULL, NULL));
    REFUSED(rd_sharing_profile(NULL, &made));
    rd_sharing_free(NULL);
    assert_null(rd_profile_private(NULL));
    assert_null(rd_profile_private(profile));
}

static void shared_data(void **state) {
    (void)state;
    rd_sharing *s = NULL;
    rd_profile *p = NULL;
    char *text = NULL;
    size_t n = 0;
    rd_event event = {.kind = RD_EVENT_STACK};
    rd_sharing_config config = {.size = sizeof config, .details = true};
    rd_sharing_batch batch = {0};
    REFUSED(rd_sharing_new(NULL, &config, &s));
    EXPLAINED("out", rd_sharing_new(ctx, &config, NULL));
    ok(rd_sharing_new(ctx, &config, &s));
    REFUSED(rd_sharing_feed(NULL, &batch));
    EXPLAINED("batch", rd_sharing_feed(s, NULL));
    EXPLAINED("batch->refs", rd_sharing_feed(s, &batch));
    REFUSED(rd_sharing_event(NULL, &event));
    EXPLAINED("event", rd_sharing_event(s, NULL));
    REFUSED(rd_sharing_profile(NULL, &p));
    EXPLAINED("out", rd_sharing_profile(s, NULL));
    ok(rd_sharing_profile(s, &p));
    REFUSED(rd_sharing_attach(NULL, p));
    EXPLAINED("profile", rd_sharing_attach(s, NULL));
    assert_null(rd_profile_shared(NULL));
    assert_null(rd_profile_shared(profile));
    assert_null(rd_profile_private(NULL));
    assert_int_equal(rd_sharing_threads(NULL), 0);
    expect_saying(rd_report_sharing_csv(profile, &text, &n), "does not say");
    ok(rd_sharing_attach(s, p));
    REFUSED(rd_report_sharing_text(NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_sharing_text(p, NULL, NULL, &n));
    REFUSED(rd_report_sharing_csv(NULL, &text, &n));
    EXPLAINED("n", rd_report_sharing_csv(p, &text, NULL));
    REFUSED(rd_report_sharing_json(NULL, &text, &n));
    EXPLAINED("text", rd_report_sharing_json(p, NULL, &n));
    ok(rd_report_sharing_text(p, NULL, &text, &n));
    rd_text_free(ctx, text);
    rd_profile_free(p);
    rd_sharing_free(s);
    rd_sharing_free(NULL);
}

/* ---- verify.h ---- */

static void verifiers(void **state) {
    (void)state;
    rd_verify *v = NULL;
    const char *const engine[] = {NULL};
    rd_verify_config config = {.size = sizeof config, .n_engines = 1};
    REFUSED(rd_verify_new(NULL, NULL, &v));
    EXPLAINED("out", rd_verify_new(ctx, NULL, NULL));
    assert_int_equal(rd_verify_new(ctx, &config, &v), RD_EINVAL);
    config.engines = engine;
    assert_int_equal(rd_verify_new(ctx, &config, &v), RD_EINVAL);
    REFUSED(rd_verify_next(NULL));
    assert_null(rd_verify_difference(NULL));
    assert_null(rd_verified_at(NULL, 0));
    rd_verify_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces),
        cmocka_unit_test(joined_traces),
        cmocka_unit_test(live),
        cmocka_unit_test(writers),
        cmocka_unit_test(mappers),
        cmocka_unit_test(analyses),
        cmocka_unit_test(attribution_of_analyses),
        cmocka_unit_test(attributors),
        cmocka_unit_test(threads),
        cmocka_unit_test(shared_data),
        cmocka_unit_test(verifiers),
    };
    return cmocka_run_group_tests(tests, new_profile, free_profile);
}
