/* Checks that the functions of base.h, engine.h, experimental.h, cluster.h and profile.h survive
 * NULL for each of their pointers, and refuse absurd numbers. See support/arguments.h. Also checks
 * that the files test_arguments*.c together call every public function. */
#include "reusedist/experimental.h"
#include "reusedist/reusedist.h"
#include "support/arguments.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- base.h ---- */

static void base(void **state) {
    (void)state;
    rd_ctx *other = NULL;
    uint64_t number = 0;
    char text[64];
    struct {
        uint64_t value;
    } fields = {0};
    const rd_opt table[] = {{.name = "value", .type = RD_OPT_U64}, {0}};
    REFUSED(rd_ctx_new(NULL, NULL));
    REFUSED(rd_ctx_new(&(rd_alloc){NULL, NULL}, &other));
    rd_ctx_free(NULL);
    rd_ctx_set_limit(NULL, 1);
    assert_int_equal(rd_ctx_live_bytes(NULL) + rd_ctx_peak_bytes(NULL), 0);
    assert_string_equal(rd_last_error(NULL), "");
    rd_text_free(NULL, NULL);
    rd_text_free(ctx, NULL);
    assert_int_equal(rd_text_escape(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(rd_text_escape("abc", NULL, 64), 3);
    REFUSED(rd_text_write(NULL, "/dev/null", "", 0));
    EXPLAINED("path", rd_text_write(ctx, NULL, "", 0));
    EXPLAINED("text", rd_text_write(ctx, "/dev/null", NULL, 1));
    ok(rd_text_write(ctx, "/dev/null", NULL, 0));
    REFUSED(rd_opts_default(NULL, table, &fields));
    EXPLAINED("state", rd_opts_default(ctx, table, NULL));
    ok(rd_opts_default(ctx, NULL, &fields));
    REFUSED(rd_opts_set(NULL, "test", table, &fields, "value", "1"));
    EXPLAINED("owner", rd_opts_set(ctx, NULL, table, &fields, "value", "1"));
    EXPLAINED("state", rd_opts_set(ctx, "test", table, NULL, "value", "1"));
    EXPLAINED("name", rd_opts_set(ctx, "test", table, &fields, NULL, "1"));
    EXPLAINED("value", rd_opts_set(ctx, "test", table, &fields, "value", NULL));
    expect_saying(rd_opts_set(ctx, "test", NULL, &fields, "value", "1"), "there are no options");
    rd_suggestion close = rd_suggest(NULL, 5);
    char room[RD_SUGGESTION_ROOM];
    rd_suggest_offer(&close, "name", 4);
    rd_suggest_offer(&close, NULL, 4);
    rd_suggest_offer(NULL, "name", 4);
    assert_string_equal(rd_suggest_text(&close, NULL, room), "");
    assert_string_equal(rd_suggest_text(NULL, "", room), "");
    assert_string_equal(rd_suggest_text(&close, "", NULL), "");
    REFUSED(rd_parse_size(NULL, "1K", &number));
    EXPLAINED("text", rd_parse_size(ctx, NULL, &number));
    EXPLAINED("out", rd_parse_size(ctx, "1K", NULL));
    assert_non_null(rd_status_name((rd_status)99));
    assert_non_null(rd_version());
    assert_null(rd_build_feature(SIZE_MAX));
}

static void numbers_and_outputs(void **state) {
    (void)state;
    char text[] = "1.5x", *end = text;
    assert_true(rd_strtod(text, NULL) == 1.5);
    assert_true(rd_strtod(NULL, &end) == 0);
    assert_null(end);
    REFUSED(rd_output_check(NULL, "/dev/null"));
    EXPLAINED("path", rd_output_check(ctx, NULL));
    assert_false(rd_output_is_input(NULL, "/dev/null") || rd_output_is_input("/dev/null", NULL));
    assert_false(rd_output_is_same(NULL, "/dev/null") || rd_output_is_same("/dev/null", NULL));
}

static void json_writer(void **state) {
    (void)state;
    rd_json_writer *w = NULL;
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_json_writer_new(NULL, RD_JSON_COMPACT, &w));
    EXPLAINED("out", rd_json_writer_new(ctx, RD_JSON_COMPACT, NULL));
    rd_json_writer_free(NULL);
    REFUSED(rd_json_writer_take(NULL, &text, &n));
    rd_json_begin_object(NULL, NULL, RD_JSON_INLINE);
    rd_json_end_object(NULL);
    rd_json_begin_array(NULL, NULL, RD_JSON_INLINE);
    rd_json_end_array(NULL);
    rd_json_put_null(NULL, NULL);
    rd_json_put_bool(NULL, NULL, true);
    rd_json_put_u64(NULL, NULL, 1);
    rd_json_put_double(NULL, NULL, 1);
    rd_json_put_fixed(NULL, NULL, 1, 1);
    rd_json_put_string(NULL, NULL, "");
    ok(rd_json_writer_new(ctx, RD_JSON_COMPACT, &w));
    EXPLAINED("text", rd_json_writer_take(w, NULL, &n));
    EXPLAINED("n", rd_json_writer_take(w, &text, NULL));
    rd_json_begin_array(w, NULL, (rd_json_layout)99);
    rd_json_put_string(w, NULL, NULL);
    rd_json_put_fixed(w, NULL, 1.5, 1000000);
    rd_json_put_fixed(w, NULL, 1.5, -1000000);
    rd_json_end_array(w);
    ok(rd_json_writer_take(w, &text, &n));
    rd_text_free(ctx, text);
    rd_json_end_object(w);
    assert_int_equal(rd_json_writer_take(w, &text, &n), RD_ESTATE);
    rd_json_writer_free(w);
}

/* ---- engine.h, experimental.h, cluster.h ---- */

static void engines(void **state) {
    (void)state;
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    uint64_t distances[N_BLOCKS];
    assert_null(rd_engine_info_at(SIZE_MAX));
    assert_null(rd_engine_info_find(NULL));
    assert_null(rd_engine_unavailable(NULL));
    assert_null(rd_engine_unavailable(&(rd_engine_info){.name = NULL}));
    REFUSED(rd_engine_open(NULL, "stack", NULL, &e));
    EXPLAINED("out", rd_engine_open(ctx, "stack", NULL, NULL));
    ok(rd_engine_open(ctx, NULL, NULL, &e));
    rd_engine_close(e);
    rd_engine_close(NULL);
    REFUSED(rd_engine_feed(NULL, blocks, 1, NULL));
    REFUSED(rd_engine_feed_parts(NULL, &(rd_parts){0}));
    REFUSED(rd_engine_finish(NULL));
    REFUSED(rd_engine_profile(NULL, &p));
    assert_false(rd_engine_takes_parts(NULL));
    assert_false(rd_engine_pin(NULL, distances, sizeof distances));
    rd_engine_unpin(NULL, distances);
    assert_null(rd_engine_info_of(NULL));
    assert_string_equal(rd_engine_note(NULL), "");
    ok(rd_engine_open(ctx, "bk", NULL, &e));
    EXPLAINED("blocks", rd_engine_feed(e, NULL, 1, NULL));
    ok(rd_engine_feed(e, NULL, 0, NULL));
    assert_false(rd_engine_pin(e, NULL, 1));
    assert_false(rd_engine_pin(e, distances, sizeof distances)); /* bk has no device */
    ok(rd_engine_feed(e, blocks, N_BLOCKS, distances));
    ok(rd_engine_finish(e));
    EXPLAINED("out", rd_engine_profile(e, NULL));
    rd_engine_close(e);
}

static rd_status open_part(rd_ctx *context, const char *what, void *user, void **reader) {
    (void)context, (void)what, (void)user;
    *reader = NULL;
    return RD_OK;
}

/* Checks that every engine that reads parts refuses NULL, and parts that lack functions. */
static void zeroed_parts(void **state) {
    (void)state;
    rd_engine_config config = {.size = sizeof config, .threads = 2};
    const char *const names[] = {"auto", "parda", "chunks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rd_engine *e = NULL;
        ok(rd_engine_open(ctx, names[i], &config, &e));
        EXPLAINED("parts", rd_engine_feed_parts(e, NULL));
        expect_saying(rd_engine_feed_parts(e, &(rd_parts){0}), "needs parts with");
        expect_saying(
            rd_engine_feed_parts(e, &(rd_parts){.references = 1000, .what = "", .open = open_part}),
            "needs parts with");
        rd_engine_close(e);
    }
}

static void options_given_twice(void **state) {
    (void)state;
    rd_engine *e = NULL;
    rd_trace_writer *w = NULL;
    expect_saying(rd_engine_open(ctx, "shards:rate=0.1,seed=1,rate=0.1", NULL, &e),
                  "option 'rate' is given twice");
    expect_saying(
        rd_trace_writer_open(ctx, "/dev/null", "native:frame=1024,frame=2048", 0, false, &w),
        "option 'frame' is given twice");
}

static void unknown_bins(void **state) {
    (void)state;
    rd_binning absurd = {(rd_binning_kind)99, 0}, negative = {(rd_binning_kind)-1, 0};
    rd_engine_config config = {.size = sizeof config, .binning = absurd};
    rd_analysis_config analysis = {.size = sizeof analysis, .binning = absurd};
    rd_times_config times = {.size = sizeof times, .binning = absurd};
    rd_model_config model = {.size = sizeof model, .method = RD_MODEL_MULTI, .binning = absurd};
    const rd_training runs[] = {{profile, 1}, {profile, 2}};
    rd_engine *e = NULL;
    rd_analysis *a = NULL;
    rd_profile *p = NULL;
    rd_model *m = NULL;
    rd_comparison comparison;
    char name[32];
    expect_saying(rd_engine_open(ctx, "auto", &config, &e), "unknown kind of bins");
    config.binning = negative;
    expect_saying(rd_engine_open(ctx, "auto", &config, &e), "unknown kind of bins");
    expect_saying(rd_analysis_open(ctx, &analysis, &a), "unknown kind of bins");
    expect_saying(rd_profile_from_times(ctx, "/dev/null", &times, &p), "unknown kind of bins");
    expect_saying(rd_profile_rebin(profile, absurd, &p), "unknown kind of bins");
    expect_saying(rd_compare(ctx, profile, profile, absurd, &comparison), "unknown kind of bins");
    expect_saying(rd_model_train(ctx, runs, 2, &model, &m), "bins");
    config.binning = (rd_binning){RD_BINS_EDGES, 0};
    analysis.binning = times.binning = config.binning;
    expect_saying(rd_engine_open(ctx, "auto", &config, &e), "RD_BINS_EDGES cannot be chosen");
    expect_saying(rd_analysis_open(ctx, &analysis, &a), "RD_BINS_EDGES cannot be chosen");
    expect_saying(rd_profile_from_times(ctx, "/dev/null", &times, &p),
                  "RD_BINS_EDGES cannot be chosen");
    rd_binning_name(absurd, name);
    rd_binning_name(absurd, NULL);
}

static void expect_known(const char *spec, const uint64_t *last, const uint64_t *number, size_t n,
                         rd_status expected) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .references = 64};
    uint64_t distances[64];
    ok(rd_engine_open(ctx, spec, &config, &e));
    rd_status status = rd_engine_feed_known(e, &(rd_known){last, number}, n, distances);
    if (status != expected)
        fail_msg("engine %s returns %s instead of %s", spec, rd_status_name(status),
                 rd_status_name(expected));
    rd_engine_close(e);
}

/* Checks that each engine with an order structure refuses previous references that do not exist. */
static void known_nonsense(void **state) {
    (void)state;
    const char *const exact[] = {"bk", "bk:arity=2", "olken:tree=splay", "olken:tree=avl",
                                 "olken:tree=interval"};
    const char *const rough[] = {"scale:error=0.5", "absolute:b=1,c=1,tree=splay",
                                 "absolute:b=3,c=0,tree=btree", "absolute:b=1,c=1,tree=btree"};
    const uint64_t number[] = {0, 1, 2, 0, 0};
    const uint64_t future[] = {RD_COLD, RD_COLD, 7}, itself[] = {RD_COLD, 1}, none[] = {0};
    const uint64_t dead[] = {RD_COLD, RD_COLD, RD_COLD, 0, 0}, huge[] = {RD_COLD, RD_COLD - 1};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        expect_known(exact[i], dead, number, 5, RD_EINVAL);
    for (size_t i = 0; i < 9; i++) {
        const char *spec = i < 5 ? exact[i] : rough[i - 5];
        expect_known(spec, future, number, 3, RD_EINVAL);
        expect_known(spec, itself, number, 2, RD_EINVAL);
        expect_known(spec, none, number, 1, RD_EINVAL);
        expect_known(spec, huge, number, 2, RD_EINVAL);
    }
    /* The last two references name reference 2 as the previous one. The first of them removes it
     * from the rough group of engine absolute, so the second one is invalid. */
    const uint64_t c = RD_COLD, gone[] = {c, c, c, c, c, c, c, 2, 2}, any[9] = {0};
    expect_known("absolute:b=1,c=3,tree=splay", gone, any, 9, RD_EINVAL);
    expect_known("absolute:b=1,c=3,tree=btree", gone, any, 9, RD_EINVAL);
    const uint64_t far[] = {0, 1, 5}, twice[] = {0, 0}, reused[] = {RD_COLD, RD_COLD, 0};
    expect_known("khw", reused, far, 3, RD_EINVAL);
    expect_known("khw", reused, twice, 2, RD_EINVAL);
    expect_known("khw", none, number, 1, RD_EINVAL);
}

/* Checks that random previous references, many of them impossible, never harm an engine: it accepts
 * them or returns RD_EINVAL. */
static void known_at_random(void **state) {
    (void)state;
    const char *const specs[] = {"bk",
                                 "bk:arity=2",
                                 "olken:tree=splay",
                                 "olken:tree=avl",
                                 "olken:tree=interval",
                                 "scale:error=0.5",
                                 "scale:error=0.01",
                                 "absolute:b=3,c=2,tree=splay",
                                 "absolute:b=3,c=2,tree=btree",
                                 "absolute:b=1,c=0,tree=btree",
                                 "absolute:b=7,c=0,tree=splay",
                                 "khw:sizes=1:3:9"};
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int run = 0; run < 60; run++) {
            rd_engine *e = NULL;
            rd_engine_config config = {.size = sizeof config, .references = 2000};
            ok(rd_engine_open(ctx, specs[i], &config, &e));
            rd_status status = RD_OK;
            for (uint64_t now = 0; now < 2000 && status == RD_OK; now++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
                uint64_t drawn = seed >> 33, last = drawn % 3 || !now ? RD_COLD : drawn / 3 % now;
                if (run % 2 && now > 100) /* removes the same few references again and again */
                    last = 50 + drawn % 3;
                uint64_t number = drawn % 40, distance;
                status = rd_engine_feed_known(e, &(rd_known){&last, &number}, 1, &distance);
            }
            assert_true(status == RD_OK || status == RD_EINVAL);
            rd_engine_close(e);
        }
}

static void known(void **state) {
    (void)state;
    rd_engine *e = NULL;
    uint64_t last = RD_COLD, number = 0, distance;
    rd_known refs = {&last, &number};
    REFUSED(rd_engine_feed_known(NULL, &refs, 1, &distance));
    REFUSED(rd_engine_prefill(NULL, 1));
    assert_int_equal(rd_engine_nodes(NULL).most, 0);
    ok(rd_engine_open(ctx, "scale", NULL, &e));
    assert_int_equal(rd_engine_prefill(e, UINT64_MAX), RD_ERANGE);
    rd_engine_close(e);
    ok(rd_engine_open(ctx, "olken", NULL, &e));
    EXPLAINED("refs", rd_engine_feed_known(e, NULL, 1, &distance));
    EXPLAINED("refs->last", rd_engine_feed_known(e, &(rd_known){NULL, &number}, 1, &distance));
    EXPLAINED("refs->number", rd_engine_feed_known(e, &(rd_known){&last, NULL}, 1, &distance));
    EXPLAINED("distances", rd_engine_feed_known(e, &refs, 1, NULL));
    ok(rd_engine_feed_known(e, &refs, 1, &distance));
    assert_int_equal(rd_engine_feed(e, blocks, 1, NULL), RD_ESTATE);
    rd_engine_close(e);
    ok(rd_engine_open(ctx, "olken", NULL, &e));
    ok(rd_engine_feed(e, blocks, 1, NULL));
    assert_int_equal(rd_engine_feed_known(e, &refs, 1, &distance), RD_ESTATE);
    rd_engine_close(e);
    rd_engine_config config = {.size = sizeof config, .references = UINT64_MAX};
    ok(rd_engine_open(ctx, "bk:arity=2", &config, &e));
    assert_int_equal(rd_engine_feed_known(e, &refs, 1, &distance), RD_ERANGE);
    rd_engine_close(e);
}

static void cluster(void **state) {
    (void)state;
    rd_cluster *c = NULL;
    REFUSED(rd_cluster_join(NULL, &c));
    EXPLAINED("out", rd_cluster_join(ctx, NULL));
    assert_int_equal(rd_cluster_rank(NULL), 0);
    assert_int_equal(rd_cluster_size(NULL), 1);
    ok(rd_cluster_serve(NULL, NULL));
    ok(rd_analysis_serve(NULL));
    rd_cluster_leave(NULL);
}

/* ---- profile.h ---- */

static void profiles(void **state) {
    (void)state;
    rd_profile *p = NULL;
    rd_binning binning;
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_binning_parse(NULL, "log", &binning));
    EXPLAINED("text", rd_binning_parse(ctx, NULL, &binning));
    EXPLAINED("out", rd_binning_parse(ctx, "log", NULL));
    assert_true(rd_bin_mean(NULL) == 0);
    assert_null(rd_profile_facts_of(NULL));
    assert_null(rd_profile_note(NULL));
    assert_int_equal(rd_profile_differences(NULL, NULL), 0);
    const rd_bin *bins;
    const rd_source *sources;
    const rd_peak *peaks;
    assert_int_equal(rd_profile_bins(NULL, &bins) + rd_profile_sources(NULL, &sources) +
                         rd_profile_peaks(NULL, &peaks),
                     0);
    assert_true(!bins && !sources && !peaks);
    assert_true(rd_profile_bins(profile, NULL) > 0);
    assert_int_equal(rd_profile_sources(profile, NULL) + rd_profile_peaks(profile, NULL), 0);
    REFUSED(rd_profile_set_block_bytes(NULL, 64));
    rd_profile_set_partial(NULL, true);
    rd_profile_set_unrecorded(NULL, 1);
    REFUSED(rd_profile_set_skipped(NULL, 1));
    double share = 1;
    REFUSED(rd_profile_set_burst_band(NULL, &share, &share, 1));
    EXPLAINED("low", rd_profile_set_burst_band(profile, NULL, &share, 1));
    EXPLAINED("high", rd_profile_set_burst_band(profile, &share, NULL, 1));
    REFUSED(rd_profile_set_burst_band(profile, &share, &share, 0));
    REFUSED(rd_profile_set_burst_band(profile, (double[]){0.5}, (double[]){0.4}, 1));
    rd_profile_set_seconds(NULL, 1);
    rd_profile_set_sampling(NULL, NULL);
    REFUSED(rd_profile_add_repeats(NULL, 1));
    assert_int_equal(rd_profile_add_repeats(profile, UINT64_MAX), RD_ERANGE);
    REFUSED(rd_profile_set_kinds(NULL, "L"));
    REFUSED(rd_profile_add_source(NULL, &(rd_source){0}));
    EXPLAINED("source", rd_profile_add_source(profile, NULL));
    REFUSED(rd_profile_set_peaks(NULL, NULL, 0));
    EXPLAINED("peaks", rd_profile_set_peaks(profile, NULL, 1));
    ok(rd_profile_set_peaks(profile, NULL, 0));
    REFUSED(rd_profile_json(NULL, &text, &n));
    EXPLAINED("out", rd_profile_json(profile, NULL, &n));
    EXPLAINED("n", rd_profile_json(profile, &text, NULL));
    REFUSED(rd_profile_rebin(NULL, (rd_binning){0}, &p));
    EXPLAINED("out", rd_profile_rebin(profile, (rd_binning){0}, NULL));
    REFUSED(rd_profile_merge(NULL, &profile, 1, &p));
    EXPLAINED("parts", rd_profile_merge(ctx, NULL, 1, &p));
    EXPLAINED("parts[i]", rd_profile_merge(ctx, (rd_profile *[]){profile, NULL}, 2, &p));
    EXPLAINED("out", rd_profile_merge(ctx, &profile, 1, NULL));
    expect_saying(rd_profile_merge(ctx, &profile, 0, &p), "nothing to merge");
    rd_profile_free(NULL);
}

static void profile_files(void **state) {
    (void)state;
    rd_profile *p = NULL;
    REFUSED(rd_profile_read(NULL, "/dev/null", &p));
    EXPLAINED("path", rd_profile_read(ctx, NULL, &p));
    EXPLAINED("out", rd_profile_read(ctx, "/dev/null", NULL));
    REFUSED(rd_profile_read_fd(NULL, 0, "name", NULL, 0, &p));
    EXPLAINED("name", rd_profile_read_fd(ctx, 0, NULL, NULL, 0, &p));
    EXPLAINED("head", rd_profile_read_fd(ctx, 0, "name", NULL, 1, &p));
    EXPLAINED("out", rd_profile_read_fd(ctx, 0, "name", NULL, 0, NULL));
    assert_int_equal(rd_profile_read_fd(ctx, -1, "name", NULL, 0, &p), RD_EIO);
    REFUSED(rd_profile_parse(NULL, "name", "{}", 2, &p));
    EXPLAINED("name", rd_profile_parse(ctx, NULL, "{}", 2, &p));
    EXPLAINED("text", rd_profile_parse(ctx, "name", NULL, 2, &p));
    EXPLAINED("out", rd_profile_parse(ctx, "name", "{}", 2, NULL));
    REFUSED(rd_profile_from_times(NULL, "/dev/null", NULL, &p));
    EXPLAINED("path", rd_profile_from_times(ctx, NULL, NULL, &p));
    EXPLAINED("out", rd_profile_from_times(ctx, "/dev/null", NULL, NULL));
}

/* Checks that a profile can be written and read again whatever values a caller sets: impossible
 * values are refused or ignored. */
static void facts_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    rd_profile *p = NULL;
    char *text = NULL;
    size_t n = 0;
    expect_saying(rd_profile_set_block_bytes(profile, 3), "power of two");
    ok(rd_profile_set_block_bytes(profile, UINT64_C(1) << 63));
    expect_saying(rd_profile_set_kinds(profile, "X"), "letters L, S and I");
    expect_saying(rd_profile_set_kinds(profile, ""), "letters L, S and I");
    ok(rd_profile_set_kinds(profile, NULL));
    rd_profile_set_seconds(profile, NAN);
    rd_profile_set_seconds(profile, -1);
    ok(rd_profile_json(profile, &text, &n));
    ok(rd_profile_parse(ctx, "text", text, n, &p));
    assert_true(rd_profile_facts_of(p)->seconds == 0);
    rd_profile_free(p);
    rd_text_free(ctx, text);
    ok(rd_profile_set_block_bytes(profile, 0));
}

/* ---- completeness ---- */

#define ROOM ((size_t)1 << 20)

/* Returns the contents of all files that match the pattern. */
static char *read_files(const char *pattern) {
    char *text = calloc(1, ROOM);
    size_t n = 0;
    glob_t files;
    assert_non_null(text);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        assert_non_null(file);
        n += fread(text + n, 1, ROOM - 1 - n, file);
        fclose(file);
    }
    globfree(&files);
    assert_true(n > 0 && n < ROOM - 1);
    return text;
}

/* Checks that the files test_arguments*.c call every function that the public headers declare. */
static void every_function_has_a_case(void **state) {
    (void)state;
    char *cases = read_files(ARGUMENTS_CASES), *headers = read_files(ARGUMENTS_HEADERS);
    size_t found = 0;
    for (char *at = headers; (at = strstr(at, "\nRD_API ")) != NULL;) {
        char name[64] = "", *open = strchr(at, '('), *start = open;
        while (start > at && (start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z')))
            start--;
        snprintf(name, sizeof name, "%.*s(", (int)(open - start), start);
        if (!strstr(cases, name))
            fail_msg("no file test_arguments*.c calls %s)", name);
        found++;
        at = open;
    }
    assert_true(found > 150);
    free(headers);
    free(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base),
        cmocka_unit_test(numbers_and_outputs),
        cmocka_unit_test(json_writer),
        cmocka_unit_test(engines),
        cmocka_unit_test(zeroed_parts),
        cmocka_unit_test(unknown_bins),
        cmocka_unit_test(options_given_twice),
        cmocka_unit_test(known_nonsense),
        cmocka_unit_test(known_at_random),
        cmocka_unit_test(known),
        cmocka_unit_test(cluster),
        cmocka_unit_test(profiles),
        cmocka_unit_test(profile_files),
        cmocka_unit_test(facts_that_cannot_be_read_are_refused),
        cmocka_unit_test(every_function_has_a_case),
    };
    return cmocka_run_group_tests(tests, new_profile, free_profile);
}
