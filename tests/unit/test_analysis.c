/* Tests analyses, among other things: every way of reading a trace gives the same profile, progress
 * is reported, a callback can cancel, a damaged trace can give a partial profile, and wrong
 * requests are refused. */
#include "base/common.h"
#include "live/channel.h"
#include "reusedist/analysis.h"
#include "reusedist/predict.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define N (540 * 1024) /* number of references; more than one slice of reading ahead */

static uint64_t addresses[N];
static char *path;
static rd_ctx *own; /* context of `expected`; unlike `ctx`, it lasts for all tests */
static rd_profile *expected;

/* The ways of reading a file: in the thread that analyzes, ahead in another thread, or in parts. */
static const struct way {
    const char *name, *engine;
    uint32_t threads;
} ways[] = {{"plain", "stream", 1},
            {"ahead", "stream", 3},
            {"parts", "parda:ranks=3", 1},
            {"parts by the default", NULL, 3}};
#define PLAIN 0
#define AHEAD 1
#define PARTS 2

static int setup_group(void **state) {
    (void)state;
    rdi_rng rng = {7};
    for (size_t i = 0; i < N; i++)
        addresses[i] = rdi_rng_below(&rng, i % 3 ? 300 : 20000);
    return rd_ctx_new(NULL, &own) == RD_OK ? 0 : -1;
}

static int teardown_group(void **state) {
    (void)state;
    rd_profile_free(expected);
    rd_ctx_free(own);
    return 0;
}

static int setup(void **state) {
    path = files_path();
    files_write(path, addresses, sizeof addresses);
    return new_ctx(state);
}

static int teardown(void **state) {
    files_remove(path);
    return free_ctx(state);
}

static rd_analysis_config configure(const struct way *way) {
    return (rd_analysis_config){.size = sizeof(rd_analysis_config),
                                .engine = way->engine,
                                .format = "u64",
                                .block = RD_BLOCK_ADDRESS,
                                .threads = way->threads};
}

/* Returns the profile of the first n addresses. The function keeps the profile until it is called
 * with another n, because most tests of a group need the same profile. */
static const rd_profile *measure(size_t n) {
    static const rd_engine_config config = {.size = sizeof config};
    if (!expected || rd_profile_facts_of(expected)->references != n) {
        rd_profile_free(expected);
        expected = profiles_measure(own, "stream", &config, addresses, n, 4096);
    }
    return expected;
}

static rd_analysis *open_with_file(const rd_analysis_config *config) {
    rd_analysis *a = NULL;
    assert_int_equal(rd_analysis_open(ctx, config, &a), RD_OK);
    assert_int_equal(rd_analysis_add_file(a, path), RD_OK);
    return a;
}

/* Checks that the analysis has the profile of the first n addresses. */
static void assert_profile(rd_analysis *a, size_t n, bool partial) {
    const rd_profile *wanted = measure(n);
    rd_profile *p = NULL;
    assert_true(rd_analysis_has_profile(a));
    assert_int_equal(rd_analysis_profile(a, &p), RD_OK);
    assert_false(rd_analysis_has_profile(a));
    profiles_assert_same_bins(p, wanted);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    assert_int_equal(facts->references, n);
    assert_int_equal(facts->blocks, rd_profile_facts_of(wanted)->blocks);
    assert_int_equal(facts->partial, partial);
    const rd_source *sources = NULL;
    uint64_t references = 0;
    for (size_t i = rd_profile_sources(p, &sources); i-- > 0;)
        references += sources[i].references;
    assert_int_equal(references, n);
    rd_profile_free(p);
}

static void assert_no_profile(rd_analysis *a) {
    rd_profile *p = NULL;
    assert_false(rd_analysis_has_profile(a));
    assert_int_equal(rd_analysis_profile(a, &p), RD_ESTATE);
    assert_null(p);
}

/* ---- the result ---- */

static void every_way_of_reading_gives_the_same_profile(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        rd_analysis_config config = configure(&ways[i]);
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_OK);
        assert_profile(a, N, false);
        rd_analysis_close(a);
    }
}

static void a_profile_names_its_sources(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        const rd_source *sources = NULL;
        rd_profile *p = NULL;
        rd_analysis_config config = configure(&ways[i]);
        config.kinds = RD_LOAD | RD_FETCH;
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_OK);
        assert_int_equal(rd_analysis_profile(a, &p), RD_OK);
        rd_analysis_close(a);
        assert_int_equal(rd_profile_sources(p, &sources), 1);
        assert_string_equal(sources[0].path, path);
        assert_string_equal(sources[0].format, "u64");
        assert_int_equal(sources[0].references, N);
        assert_int_equal(sources[0].bytes, sizeof addresses);
        assert_string_equal(rd_profile_facts_of(p)->kinds, "LI");
        rd_profile_free(p);
    }
}

static void several_traces_are_analyzed_as_one(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        const size_t cut = 530000;
        rd_trace *rest = NULL;
        rd_analysis_config config = configure(&ways[i]);
        files_write(path, addresses, cut * sizeof *addresses);
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_trace_open_memory(ctx, "memory", addresses + cut,
                                              (N - cut) * sizeof *addresses, "u64", &rest),
                         RD_OK);
        assert_int_equal(rd_analysis_add_trace(a, rest, "rest"), RD_OK);
        assert_int_equal(rd_analysis_run(a), RD_OK);
        assert_profile(a, N, false);
        rd_analysis_close(a);
        rd_trace_close(rest);
    }
}

/* Reports that the program has ended. */
static bool nothing_comes(void *user) {
    (void)user;
    return false;
}

/* Acts like a recorder at the beginning of a program. */
static void begin_program(const rd_live *live) {
    const uint32_t processes = 1;
    int fd = open(rd_live_path(live), O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(
        pwrite(fd, &processes, sizeof processes, (off_t)offsetof(rdi_channel, processes)),
        sizeof processes);
    close(fd);
}

/* Analyzes a program that records no references. If `begins` is false, the recorder never
 * starts. */
static rd_analysis *analyze_program(bool begins, const char *distances) {
    rd_live *live = NULL;
    rd_trace *trace = NULL;
    rd_analysis *a = NULL;
    rd_analysis_config config = {.size = sizeof config, .live = true, .distances = distances};
    assert_int_equal(
        rd_live_new(ctx,
                    &(rd_live_config){.size = sizeof(rd_live_config), .running = nothing_comes},
                    &live),
        RD_OK);
    if (begins)
        begin_program(live);
    assert_int_equal(rd_trace_open_live(ctx, live, &trace), RD_OK);
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
    assert_int_equal(rd_analysis_add_trace(a, trace, "gzip -c README.md"), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_OK);
    assert_true(rd_trace_never_began(trace) == !begins);
    rd_trace_close(trace);
    rd_live_free(live);
    return a;
}

static void running_programs_are_analyzed(void **state) {
    (void)state;
    rd_profile *p = NULL;
    const rd_source *sources = NULL;
    char *distances = files_path();
    rd_analysis *a = analyze_program(true, distances);
    assert_int_equal(rd_analysis_profile(a, &p), RD_OK);
    assert_int_equal(rd_profile_facts_of(p)->references, 0);
    assert_int_equal(rd_profile_facts_of(p)->block_bytes, 64);
    assert_int_equal(rd_profile_sources(p, &sources), 1);
    assert_string_equal(sources[0].path, "gzip -c README.md");
    assert_true(files_exist(distances));
    rd_profile_free(p);
    rd_analysis_close(a);
    files_remove(distances);
}

static void program_that_never_began_has_no_result(void **state) {
    (void)state;
    char *distances = files_path();
    rd_analysis *a = analyze_program(false, distances);
    assert_false(rd_analysis_has_profile(a));
    assert_false(files_exist(distances));
    rd_analysis_close(a);
    files_remove(distances);
}

/* Tests that the library itself refuses to write distances or a checkpoint over an input. */
static void inputs_are_not_overwritten(void **state) {
    (void)state;
    for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
        rd_analysis_config config = {.size = sizeof config};
        *(checkpoint ? &config.checkpoint : &config.distances) = path;
        files_write(path, addresses, 1000 * sizeof *addresses);
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_EINVAL);
        assert_non_null(strstr(rd_last_error(ctx), "is also an input"));
        rd_analysis_close(a);
        size_t n = 0;
        free(files_read(path, &n));
        assert_int_equal(n, 1000 * sizeof *addresses);
    }
}

static void unwritable_outputs_are_refused_at_once(void **state) {
    (void)state;
    rd_engine *e = NULL;
    rd_analysis *a = NULL;
    rd_analysis_config config = {.size = sizeof config, .distances = "/nonexistent/d"};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_EIO);
    rd_engine_config engine = {.size = sizeof engine, .checkpoint = "/nonexistent/c"};
    assert_int_equal(rd_engine_open(ctx, "parda", &engine, &e), RD_EIO);
    engine.checkpoint = "-";
    assert_int_equal(rd_engine_open(ctx, "parda", &engine, &e), RD_EINVAL);
}

static void attribution_and_sampling_get_the_distances(void **state) {
    (void)state;
    const rd_profile *wanted = measure(N);
    rd_profile *p = NULL;
    rd_attribution_config attribution = {.size = sizeof attribution};
    rd_sampler_config sampling = {.qualification = 1000, .temporal = 100, .spatial = 1};
    rd_peak peaks[RD_SAMPLES_MAX * RD_PEAKS_MAX];
    rd_analysis_config config = configure(&ways[AHEAD]);
    config.attribution = &attribution;
    config.sampling = &sampling;
    rd_analysis *a = open_with_file(&config);
    assert_int_equal(rd_analysis_run(a), RD_OK);
    assert_true(rd_analysis_peaks(a, peaks) > 0);
    assert_int_equal(rd_analysis_profile(a, &p), RD_OK);
    rd_analysis_close(a);
    profiles_assert_same_bins(p, wanted);
    const rd_details *details = rd_profile_details(p);
    assert_non_null(details);
    assert_true(details->n_levels > 0);
    assert_int_equal(details->attribution->lines[0].share.references, N);
    const rd_peak *kept = NULL;
    assert_true(rd_profile_peaks(p, &kept) > 0);
    rd_profile_free(p);
}

/* ---- progress ---- */

typedef struct progress_test {
    rd_progress last;
    uint64_t calls, cancel_after; /* cancel_after: number of references after which to cancel; 0:
                                     never */
} progress_test;

static bool see_progress(void *user, const rd_progress *progress) {
    progress_test *t = user;
    assert_true(progress->references >= t->last.references);
    assert_true(progress->block_references >= t->last.block_references);
    assert_true(progress->bytes >= t->last.bytes);
    assert_true(progress->bytes <= progress->total_bytes);
    t->last = *progress;
    t->calls++;
    return t->cancel_after == 0 || progress->references < t->cancel_after;
}

static void progress_grows_up_to_the_whole(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        progress_test seen = {0};
        rd_analysis_config config = configure(&ways[i]);
        config.progress = see_progress;
        config.progress_user = &seen;
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_OK);
        assert_true(seen.calls > 3);
        assert_int_equal(seen.last.references, N);
        assert_true(seen.last.block_references >= N);
        assert_int_equal(seen.last.bytes, sizeof addresses);
        assert_int_equal(seen.last.total_bytes, sizeof addresses);
        rd_analysis_close(a);
    }
}

static void progress_of_several_files_is_that_of_all(void **state) {
    (void)state;
    progress_test seen = {0};
    rd_analysis_config config = configure(&ways[PLAIN]);
    config.progress = see_progress;
    config.progress_user = &seen;
    rd_analysis *a = open_with_file(&config);
    assert_int_equal(rd_analysis_add_file(a, path), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_OK);
    assert_int_equal(seen.last.references, 2 * N);
    assert_int_equal(seen.last.bytes, 2 * sizeof addresses);
    assert_int_equal(seen.last.total_bytes, 2 * sizeof addresses);
    rd_analysis_close(a);
}

static void a_callback_can_cancel_every_way_of_reading(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        progress_test seen = {.cancel_after = N / 2};
        rd_analysis_config config = configure(&ways[i]);
        config.progress = see_progress;
        config.progress_user = &seen;
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_ECANCELED);
        assert_string_equal(rd_last_error(ctx), "the analysis was canceled");
        assert_true(seen.last.references >= N / 2);
        assert_no_profile(a);
        rd_analysis_close(a);
    }
}

static void what_came_before_canceling_is_a_partial_result(void **state) {
    (void)state;
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        progress_test seen = {.cancel_after = N / 2};
        rd_analysis_config config = configure(&ways[i]);
        config.partial = true;
        config.progress = see_progress;
        config.progress_user = &seen;
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_ECANCELED);
        assert_true(seen.last.block_references < N);
        assert_profile(a, seen.last.block_references, true);
        rd_analysis_close(a);
    }
}

/* Tests that the library does not read the bytes after the end of an older caller's struct. */
static void an_older_callers_struct_is_read_to_its_end_only(void **state) {
    (void)state;
    rd_analysis_config config;
    rd_analysis *a = NULL;
    memset(&config, 0xff, sizeof config);
    memset(&config, 0, offsetof(rd_analysis_config, attribution));
    config.size = offsetof(rd_analysis_config, attribution);
    config.format = "u64";
    config.block = RD_BLOCK_ADDRESS;
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
    assert_int_equal(rd_analysis_add_file(a, path), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_OK);
    assert_profile(a, N, false);
    rd_analysis_close(a);
}

/* ---- damage and failures ---- */

static void damage_file(void) {
    unsigned char *bytes = malloc(sizeof addresses + 3);
    assert_non_null(bytes);
    memcpy(bytes, addresses, sizeof addresses);
    memset(bytes + sizeof addresses, 1, 3);
    files_write(path, bytes, sizeof addresses + 3);
    free(bytes);
}

static void a_damaged_trace_has_no_result_unless_asked_for(void **state) {
    (void)state;
    damage_file();
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        rd_analysis_config config = configure(&ways[i]);
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), path));
        assert_no_profile(a);
        rd_analysis_close(a);
    }
}

static void what_came_before_damage_is_a_partial_result(void **state) {
    (void)state;
    damage_file();
    for (size_t i = 0; i < RDI_COUNT(ways); i++) {
        rd_analysis_config config = configure(&ways[i]);
        config.partial = true;
        rd_analysis *a = open_with_file(&config);
        assert_int_equal(rd_analysis_run(a), RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), path));
        assert_profile(a, N, true);
        rd_analysis_close(a);
    }
}

static void a_file_that_is_missing_ends_what_others_began(void **state) {
    (void)state;
    rd_analysis_config config = configure(&ways[PLAIN]);
    config.partial = true;
    rd_analysis *a = open_with_file(&config);
    assert_int_equal(rd_analysis_add_file(a, "/nonexistent"), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_EIO);
    assert_profile(a, N, true);
    rd_analysis_close(a);
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
    assert_int_equal(rd_analysis_add_file(a, "/nonexistent"), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_EIO);
    assert_no_profile(a);
    rd_analysis_close(a);
}

static rd_status refuse_distances(void *user, const uint64_t *distances, size_t n) {
    (void)distances;
    *(size_t *)user += n;
    return RD_ERANGE;
}

static void a_sink_that_fails_leaves_no_result(void **state) {
    (void)state;
    size_t got = 0;
    rd_analysis_config config = configure(&ways[AHEAD]);
    config.partial = true;
    config.sink = refuse_distances;
    config.sink_user = &got;
    rd_analysis *a = open_with_file(&config);
    assert_int_equal(rd_analysis_run(a), RD_ERANGE);
    assert_true(got > 0);
    assert_no_profile(a);
    rd_analysis_close(a);
}

/* ---- refused requests ---- */

static void assert_refused(const rd_analysis_config *config, const char *why) {
    rd_analysis *a = NULL;
    assert_int_equal(rd_analysis_open(ctx, config, &a), RD_EINVAL);
    assert_null(a);
    assert_non_null(strstr(rd_last_error(ctx), why));
}

static void wrong_configurations_are_refused_before_anything_is_read(void **state) {
    (void)state;
    rd_sampler_config sampling = {0};
    rd_attribution_config attribution = {0};
    const size_t size = sizeof(rd_analysis_config);
    assert_refused(&(rd_analysis_config){.size = 0}, "rd_analysis_config.size is 0");
    assert_refused(&(rd_analysis_config){size, .engine = "nope"}, "nope");
    assert_refused(&(rd_analysis_config){size, .block = 48}, "a power of two");
    assert_refused(&(rd_analysis_config){size, .kinds = 8}, "kinds is 8");
    assert_refused(&(rd_analysis_config){size, .bound = 9, .sampling = &sampling}, "bound");
    assert_refused(&(rd_analysis_config){size, .engine = "parda", .sampling = &sampling},
                   "engine parda does not deliver distances immediately, which sampling");
    assert_refused(&(rd_analysis_config){size, .attribution = &attribution},
                   "rd_attribution_config.size is 0");
}

/* Tests that the struct of a later header is accepted if its additional fields are 0. */
static void fields_of_the_future_may_be_there_but_not_be_set(void **state) {
    (void)state;
    struct {
        rd_analysis_config config;
        uint64_t more;
    } later = {.config = {.size = sizeof later}};
    rd_analysis *a = NULL;
    assert_int_equal(rd_analysis_open(ctx, &later.config, &a), RD_OK);
    rd_analysis_close(a);
    later.more = 1;
    assert_refused(&later.config, "does not know");
}

static void fields_that_an_old_header_does_not_have_are_not_read(void **state) {
    (void)state;
    rd_analysis *a = NULL;
    rd_analysis_config config = {.size = offsetof(rd_analysis_config, block), .block = 48};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
    rd_analysis_close(a);
}

static void calls_in_the_wrong_order_are_refused(void **state) {
    (void)state;
    rd_analysis *a = NULL;
    assert_int_equal(rd_analysis_open(ctx, NULL, &a), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_ESTATE); /* no trace was added */
    assert_int_equal(rd_analysis_add_file(a, "/nonexistent"), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_EIO);
    assert_int_equal(rd_analysis_run(a), RD_ESTATE);
    assert_int_equal(rd_analysis_add_file(a, path), RD_ESTATE);
    rd_analysis_close(a);
    rd_analysis_close(NULL);
}

static rd_status add_text(rd_analysis *a, const char *spec, const char *text, rd_trace **trace) {
    RD_TRY(rd_trace_open_memory(ctx, "t", text, strlen(text), spec, trace));
    return rd_analysis_add_trace(a, *trace, "t");
}

static void ids_and_addresses_do_not_mix_by_themselves(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        rd_analysis *a = NULL;
        rd_trace *din = NULL, *text = NULL;
        rd_analysis_config config = {.size = sizeof config,
                                     .block = given ? RD_BLOCK_ADDRESS : RD_BLOCK_AUTO};
        assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
        assert_int_equal(add_text(a, "din", "0 100\n", &din), RD_OK);
        assert_int_equal(add_text(a, "text", "100\n", &text), RD_OK);
        assert_int_equal(rd_analysis_run(a), given ? RD_OK : RD_EINVAL);
        if (!given)
            assert_string_equal(rd_last_error(ctx),
                                "t: this trace has object ids, but the previous one has addresses; "
                                "use one block per address (-b addr)");
        rd_analysis_close(a);
        rd_trace_close(din);
        rd_trace_close(text);
    }
}

static void object_ids_are_not_divided_into_blocks(void **state) {
    (void)state;
    static const char *const texts[] = {"100\n", "name\n", "0x100\n"};
    for (size_t i = 0; i < 3; i++) {
        rd_analysis *a = NULL;
        rd_trace *text = NULL;
        rd_analysis_config config = {.size = sizeof config, .block = 64};
        assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
        assert_int_equal(add_text(a, "text", texts[i], &text), RD_OK);
        assert_int_equal(rd_analysis_run(a), i < 2 ? RD_EINVAL : RD_OK);
        rd_analysis_close(a);
        rd_trace_close(text);
    }
}

/* ---- notes ---- */

static void keep_note(void *user, rd_note_kind kind, const char *text) {
    char *notes = user;
    snprintf(notes + strlen(notes), 500 - strlen(notes), "%d %s\n", (int)kind, text);
}

static void notes_tell_what_was_chosen_and_what_is_odd(void **state) {
    (void)state;
    char notes[500] = "";
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    rd_attribution_config attribution = {.size = sizeof attribution};
    rd_analysis_config config = {.size = sizeof config,
                                 .kinds = RD_LOAD,
                                 .attribution = &attribution,
                                 .note = keep_note,
                                 .note_user = notes};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_OK);
    assert_int_equal(add_text(a, "text", "7\n", &trace), RD_OK);
    assert_int_equal(rd_analysis_run(a), RD_OK);
    assert_string_equal(
        notes, "1 t: format text, one block per object id\n"
               "0 t: format text has no kinds, so all references count as loads\n"
               "0 t: the trace has no program counters, so all references are attributed to the "
               "address 0x0; to record program counters, use 'reusedist record --attribute'\n");
    rd_analysis_close(a);
    rd_trace_close(trace);
}

/* ---- memory ---- */

static rd_status analyze_everything(rd_ctx *c, void *user) {
    static const char text[] = "0 100\n1 200\n0 100\n";
    rd_attribution_config attribution = {.size = sizeof attribution, .spatial = true};
    rd_sampler_config sampling = {0};
    rd_analysis_config config = {.size = sizeof config,
                                 .kinds = RD_LOAD,
                                 .attribution = &attribution,
                                 .sampling = &sampling};
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    (void)user;
    rd_status status = rd_analysis_open(c, &config, &a);
    if (status == RD_OK)
        status = rd_trace_open_memory(c, "t", text, sizeof text - 1, "din", &trace);
    if (status == RD_OK)
        status = rd_analysis_add_trace(a, trace, "t");
    if (status == RD_OK)
        status = rd_analysis_run(a);
    rd_analysis_close(a);
    rd_trace_close(trace);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    assert_true(faults_inject("analysis", analyze_everything, NULL, RD_OK) > 10);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_way_of_reading_gives_the_same_profile),
        TEST(a_profile_names_its_sources),
        TEST(several_traces_are_analyzed_as_one),
        TEST(running_programs_are_analyzed),
        TEST(program_that_never_began_has_no_result),
        TEST(inputs_are_not_overwritten),
        TEST(unwritable_outputs_are_refused_at_once),
        TEST(attribution_and_sampling_get_the_distances),
        TEST(progress_grows_up_to_the_whole),
        TEST(progress_of_several_files_is_that_of_all),
        TEST(a_callback_can_cancel_every_way_of_reading),
        TEST(what_came_before_canceling_is_a_partial_result),
        TEST(an_older_callers_struct_is_read_to_its_end_only),
        TEST(a_damaged_trace_has_no_result_unless_asked_for),
        TEST(what_came_before_damage_is_a_partial_result),
        TEST(a_file_that_is_missing_ends_what_others_began),
        TEST(a_sink_that_fails_leaves_no_result),
        TEST(wrong_configurations_are_refused_before_anything_is_read),
        TEST(fields_of_the_future_may_be_there_but_not_be_set),
        TEST(fields_that_an_old_header_does_not_have_are_not_read),
        TEST(calls_in_the_wrong_order_are_refused),
        TEST(ids_and_addresses_do_not_mix_by_themselves),
        TEST(object_ids_are_not_divided_into_blocks),
        TEST(notes_tell_what_was_chosen_and_what_is_odd),
        TEST(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, setup_group, teardown_group);
}
