/* Tests engine auto: its choices, its notes about them, and its behavior if memory is short. */
#include "reusedist/reusedist.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 200000u
#define LONG       800000u
#define COUNT(a)   (sizeof(a) / sizeof *(a))

static uint64_t scan[REFERENCES], local[REFERENCES], late_scan[LONG];

static int make_traces(void **state) {
    (void)state;
    for (size_t i = 0; i < REFERENCES; i++) {
        scan[i] = i;
        local[i] = i * i % 97;
    }
    for (size_t i = 0; i < LONG; i++)
        late_scan[i] = i < REFERENCES ? local[i] : i;
    return 0;
}

/* ---- choices ---- */

static void analyze_and_note(const char *spec, const rd_engine_config *config,
                             const uint64_t *trace, char note[600]) {
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, REFERENCES, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    snprintf(note, 600, "%s", rd_engine_note(e));
    rd_engine_close(e);
}

static void assert_begins(const char *text, const char *with) {
    if (strncmp(text, with, strlen(with)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, with);
}

static void assert_ends(const char *text, const char *with) {
    size_t n = strlen(text), k = strlen(with);
    if (n < k || strcmp(text + n - k, with) != 0)
        fail_msg("'%s' does not end with '%s'", text, with);
}

static void the_note_tells_engine_and_reason_and_is_whole(void **state) {
    (void)state;
    static const struct {
        const uint64_t *trace;
        uint32_t threads;
        bool live;
        const char *begin, *end;
    } cases[] = {
        {scan, 1, false, "chose stream, because it is the fastest on one thread; ", " new hashes)"},
        {scan, 2, true, "chose relay, because the program runs at the same time; ", " new hashes)"},
        {scan, 2, false,
         "chose relay, because about 100.0 % of a chunk would be first touches (100.0 % of the "
         "first 2000 references are); ",
         " new hashes)"},
        {scan, 6, false, "chose chunks, because about 100.0 % of a chunk would be ",
         "% first touches"},
        {local, 2, false, "chose chunks, because about ", "% first touches"},
        {late_scan, 2, false, "chose chunks, because about ", "% first touches"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        rd_engine_config config = {
            .size = sizeof config, .threads = cases[i].threads, .live = cases[i].live};
        char note[600];
        analyze_and_note("auto:trial=2000", &config, cases[i].trace, note);
        assert_begins(note, cases[i].begin);
        assert_ends(note, cases[i].end);
    }
}

static void distances_are_requested_from_the_first_feed_on_or_never(void **state) {
    (void)state;
    static uint64_t distances[REFERENCES];
    static const size_t before[] = {100, 50000, REFERENCES}; /* fewer and more than `trial` */
    rd_engine_config config = {.size = sizeof config, .threads = 3};
    for (size_t i = 0; i < COUNT(before); i++) {
        rd_engine *e = NULL;
        assert_int_equal(rd_engine_open(ctx, "auto:trial=2000", &config, &e), RD_OK);
        assert_int_equal(rd_engine_feed(e, local, before[i], NULL), RD_OK);
        assert_int_equal(rd_engine_feed(e, local, 1000, distances), RD_EINVAL);
        assert_non_null(strstr(rd_last_error(ctx), "request them from the first call on"));
        rd_engine_close(e);
        assert_int_equal(rd_engine_open(ctx, "auto:trial=2000", &config, &e), RD_OK);
        assert_int_equal(rd_engine_feed(e, local, before[i], distances), RD_OK);
        assert_int_equal(rd_engine_feed(e, local, before[i], NULL), RD_OK);
        assert_int_equal(rd_engine_feed(e, local, 100, distances), RD_OK);
        for (size_t k = 0; k < 100; k++)
            assert_true(distances[k] < 97);
        rd_engine_close(e);
    }
}

/* ---- memory ---- */

static rd_status open_part(rd_ctx *c, const char *what, void *user, void **reader) {
    (void)user;
    (void)c;
    (void)what;
    *reader = late_scan;
    return RD_OK;
}

static rd_status read_part(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                           void *user) {
    const uint64_t *blocks = reader;
    return n ? sink(user, blocks + first, (size_t)n) : RD_OK;
}

static void close_part(void *reader) {
    (void)reader;
}

static rd_profile *analyze_parts(uint32_t threads, size_t limit, char note[600]) {
    rd_parts parts = {LONG, "late_scan", open_part, read_part, close_part, NULL};
    rd_engine_config config = {.size = sizeof config, .threads = threads, .mem_bytes = limit};
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_ctx_set_limit(ctx, limit);
    assert_int_equal(rd_engine_open(ctx, "auto:trial=2000", &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed_parts(e, &parts), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    snprintf(note, 600, "%s", rd_engine_note(e));
    rd_engine_close(e);
    rd_ctx_set_limit(ctx, 0);
    return p;
}

static void a_trace_that_can_be_read_again_is_when_threads_run_out_of_memory(void **state) {
    (void)state;
    rd_engine_config config = {.size = sizeof config};
    rd_profile *expected = profiles_measure(ctx, "stream", &config, late_scan, LONG, LONG);
    size_t enough = rd_ctx_peak_bytes(ctx) + 1000000; /* enough memory for one thread */
    char note[600];
    rd_profile *p = analyze_parts(2, enough, note);
    assert_begins(note, "chose stream, because threads need more memory than is allowed; ");
    profiles_assert_same_bins(p, expected);
    assert_int_equal(rd_profile_facts_of(p)->references, LONG);
    assert_int_equal(rd_profile_facts_of(p)->infinite, rd_profile_facts_of(expected)->infinite);
    rd_profile_free(p);
    p = analyze_parts(2, 8 * enough, note);
    assert_begins(note, "chose chunks, because about ");
    profiles_assert_same_bins(p, expected);
    rd_profile_free(p);
    rd_profile_free(expected);
}

static void a_short_trace_needs_no_more_memory_with_threads(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 16; threads *= 4) {
        rd_engine_config config = {.size = sizeof config, .threads = threads, .mem_bytes = 2000000};
        rd_ctx_set_limit(ctx, 2000000);
        rd_profile_free(profiles_measure(ctx, "auto", &config, local, 20000, 20000));
        rd_ctx_set_limit(ctx, 0);
    }
}

/* Analyzes `scan` with the engine `spec`. The memory limit of the context becomes config.mem_bytes. */
static rd_status analyze_scan(rd_ctx *own, const char *spec, rd_engine_config config) {
    rd_engine *e = NULL;
    rd_ctx_set_limit(own, (size_t)config.mem_bytes);
    rd_status status = rd_engine_open(own, spec, &config, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, scan, REFERENCES, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    rd_engine_close(e);
    return status;
}

static void a_refusal_names_a_bound_and_an_estimate_that_fit(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 16; threads *= 4) {
        rd_engine_config config = {.size = sizeof config, .threads = threads, .mem_bytes = 3000000};
        uint64_t bound = 0;
        char spec[64] = "";
        assert_int_equal(analyze_scan(ctx, "auto", config), RD_ENOMEM);
        const char *message = rd_last_error(ctx);
        assert_non_null(strstr(message, "does not fit within the memory limit (3000000 bytes)"));
        assert_int_equal(strstr(message, "One thread needs less") != NULL, threads > 1);
        const char *at = strstr(message, "A bound of "), *engine = strstr(message, "Engine ");
        assert_non_null(at);
        assert_non_null(engine);
        assert_int_equal(sscanf(at, "A bound of %" SCNu64, &bound), 1);
        assert_int_equal(sscanf(engine, "Engine %63s would fit", spec), 1);
        config.threads = 1;
        assert_int_equal(analyze_scan(ctx, spec, config), RD_OK);
        config.bound = bound;
        assert_int_equal(analyze_scan(ctx, "auto", config), RD_OK);
    }
    rd_ctx_set_limit(ctx, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(the_note_tells_engine_and_reason_and_is_whole),
        TEST(distances_are_requested_from_the_first_feed_on_or_never),
        TEST(a_trace_that_can_be_read_again_is_when_threads_run_out_of_memory),
        TEST(a_short_trace_needs_no_more_memory_with_threads),
        TEST(a_refusal_names_a_bound_and_an_estimate_that_fit),
    };
    return cmocka_run_group_tests(tests, make_traces, NULL);
}
