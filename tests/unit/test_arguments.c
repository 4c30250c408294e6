/* Checks that every public function survives NULL for each of its pointers: it returns RD_EINVAL
 * with a message, or does nothing. Where the header allows NULL, the call works. Absurd numbers are
 * refused. */
#include "reusedist/experimental.h"
#include "reusedist/reusedist.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static rd_ctx *ctx;
static rd_profile *profile;
static const uint64_t blocks[] = {1, 2, 3, 1, 2, 3, 4, 1};
#define N_BLOCKS (sizeof blocks / sizeof *blocks)

static int make_profile(void **state) {
    rd_engine *e = NULL;
    (void)state;
    bool good = rd_ctx_new(NULL, &ctx) == RD_OK &&
                rd_engine_open(ctx, "stack", NULL, &e) == RD_OK &&
                rd_engine_feed(e, blocks, N_BLOCKS, NULL) == RD_OK &&
                rd_engine_finish(e) == RD_OK && rd_engine_profile(e, &profile) == RD_OK;
    rd_engine_close(e);
    return good ? 0 : -1;
}

static int free_profile(void **state) {
    (void)state;
    rd_profile_free(profile);
    size_t live = rd_ctx_live_bytes(ctx);
    rd_ctx_free(ctx);
    return live == 0 ? 0 : -1;
}

/* Checks a call with NULL as its context, or as the object that has a context, so that no message
 * can be stored. */
#define REFUSED(call) expect_refused(#call, NULL, (call))
/* Checks a call with NULL for `argument`. */
#define EXPLAINED(argument, call) expect_refused(#call, argument, (call))

static void expect_refused(const char *call, const char *argument, rd_status status) {
    char expected[128];
    if (status != RD_EINVAL)
        fail_msg("%s returns %s", call, rd_status_name(status));
    if (!argument)
        return;
    snprintf(expected, sizeof expected, "%.*s: %s must not be NULL", (int)strcspn(call, "("), call,
             argument);
    if (strcmp(rd_last_error(ctx), expected) != 0)
        fail_msg("%s says '%s' instead of '%s'", call, rd_last_error(ctx), expected);
}

static void expect_ok(rd_status status) {
    if (status != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
}

/* Checks that a call was refused with a message that contains `text`. */
static void expect_saying(rd_status status, const char *text) {
    assert_int_equal(status, RD_EINVAL);
    if (!strstr(rd_last_error(ctx), text))
        fail_msg("'%s' does not say '%s'", rd_last_error(ctx), text);
}

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
    expect_ok(rd_text_write(ctx, "/dev/null", NULL, 0));
    REFUSED(rd_opts_default(NULL, table, &fields));
    EXPLAINED("state", rd_opts_default(ctx, table, NULL));
    expect_ok(rd_opts_default(ctx, NULL, &fields));
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
    expect_ok(rd_json_writer_new(ctx, RD_JSON_COMPACT, &w));
    EXPLAINED("text", rd_json_writer_take(w, NULL, &n));
    EXPLAINED("n", rd_json_writer_take(w, &text, NULL));
    rd_json_begin_array(w, NULL, (rd_json_layout)99);
    rd_json_put_string(w, NULL, NULL);
    rd_json_put_fixed(w, NULL, 1.5, 1000000);
    rd_json_put_fixed(w, NULL, 1.5, -1000000);
    rd_json_end_array(w);
    expect_ok(rd_json_writer_take(w, &text, &n));
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
    REFUSED(rd_engine_open(NULL, "stack", NULL, &e));
    EXPLAINED("out", rd_engine_open(ctx, "stack", NULL, NULL));
    expect_ok(rd_engine_open(ctx, NULL, NULL, &e));
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
    expect_ok(rd_engine_open(ctx, "bk", NULL, &e));
    EXPLAINED("blocks", rd_engine_feed(e, NULL, 1, NULL));
    expect_ok(rd_engine_feed(e, NULL, 0, NULL));
    assert_false(rd_engine_pin(e, NULL, 1));
    assert_false(rd_engine_pin(e, distances, sizeof distances)); /* bk has no device */
    expect_ok(rd_engine_feed(e, blocks, N_BLOCKS, distances));
    expect_ok(rd_engine_finish(e));
    EXPLAINED("out", rd_engine_profile(e, NULL));
    rd_engine_close(e);
}

static rd_status open_part(rd_ctx *context, const char *what, void *user, void **reader) {
    (void)context, (void)what, (void)user;
    *reader = NULL;
    return RD_OK;
}

/* Checks that every engine that reads parts refuses parts without functions. */
static void zeroed_parts(void **state) {
    (void)state;
    rd_engine_config config = {.size = sizeof config, .threads = 2};
    const char *const names[] = {"auto", "parda", "chunks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rd_engine *e = NULL;
        expect_ok(rd_engine_open(ctx, names[i], &config, &e));
        EXPLAINED("parts", rd_engine_feed_parts(e, NULL));
        expect_saying(rd_engine_feed_parts(e, &(rd_parts){0}), "needs parts with");
        expect_saying(
            rd_engine_feed_parts(e, &(rd_parts){.references = 1000, .what = "", .open = open_part}),
            "needs parts with");
        rd_engine_close(e);
    }
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
    rd_binning_name(absurd, name);
    rd_binning_name(absurd, NULL);
}

static void expect_known(const char *spec, const uint64_t *last, const uint64_t *number, size_t n,
                         rd_status expected) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .references = 64};
    uint64_t distances[64];
    expect_ok(rd_engine_open(ctx, spec, &config, &e));
    rd_status status = rd_engine_feed_known(e, &(rd_known){last, number}, n, distances);
    if (status != expected)
        fail_msg("%s: %s, expected %s", spec, rd_status_name(status), rd_status_name(expected));
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
    /* Reference 2 was already removed from the rough group when it is named again. */
    const uint64_t c = RD_COLD, gone[] = {c, c, c, c, c, c, c, 2, 2}, any[9] = {0};
    expect_known("absolute:b=1,c=3,tree=splay", gone, any, 9, RD_EINVAL);
    expect_known("absolute:b=1,c=3,tree=btree", gone, any, 9, RD_EINVAL);
    const uint64_t far[] = {0, 1, 5}, twice[] = {0, 0}, reused[] = {RD_COLD, RD_COLD, 0};
    expect_known("khw", reused, far, 3, RD_EINVAL);
    expect_known("khw", reused, twice, 2, RD_EINVAL);
    expect_known("khw", none, number, 1, RD_EINVAL);
}

/* Checks that random previous references, most of them impossible, never harm an engine. */
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
            expect_ok(rd_engine_open(ctx, specs[i], &config, &e));
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
    expect_ok(rd_engine_open(ctx, "scale", NULL, &e));
    assert_int_equal(rd_engine_prefill(e, UINT64_MAX), RD_ERANGE);
    rd_engine_close(e);
    expect_ok(rd_engine_open(ctx, "olken", NULL, &e));
    EXPLAINED("refs", rd_engine_feed_known(e, NULL, 1, &distance));
    EXPLAINED("refs->last", rd_engine_feed_known(e, &(rd_known){NULL, &number}, 1, &distance));
    EXPLAINED("refs->number", rd_engine_feed_known(e, &(rd_known){&last, NULL}, 1, &distance));
    EXPLAINED("distances", rd_engine_feed_known(e, &refs, 1, NULL));
    expect_ok(rd_engine_feed_known(e, &refs, 1, &distance));
    assert_int_equal(rd_engine_feed(e, blocks, 1, NULL), RD_ESTATE);
    rd_engine_close(e);
    expect_ok(rd_engine_open(ctx, "olken", NULL, &e));
    expect_ok(rd_engine_feed(e, blocks, 1, NULL));
    assert_int_equal(rd_engine_feed_known(e, &refs, 1, &distance), RD_ESTATE);
    rd_engine_close(e);
    rd_engine_config config = {.size = sizeof config, .references = UINT64_MAX};
    expect_ok(rd_engine_open(ctx, "bk:arity=2", &config, &e));
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
    expect_ok(rd_cluster_serve(NULL, NULL));
    expect_ok(rd_analysis_serve(NULL));
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
    expect_ok(rd_profile_set_peaks(profile, NULL, 0));
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

/* Checks that a profile can be written and read again, whatever values a caller sets. */
static void facts_that_cannot_be_read_are_refused(void **state) {
    (void)state;
    rd_profile *p = NULL;
    char *text = NULL;
    size_t n = 0;
    expect_saying(rd_profile_set_block_bytes(profile, 3), "power of two");
    expect_ok(rd_profile_set_block_bytes(profile, UINT64_C(1) << 63));
    expect_saying(rd_profile_set_kinds(profile, "X"), "letters L, S and I");
    expect_saying(rd_profile_set_kinds(profile, ""), "letters L, S and I");
    expect_ok(rd_profile_set_kinds(profile, NULL));
    rd_profile_set_seconds(profile, NAN);
    rd_profile_set_seconds(profile, -1);
    expect_ok(rd_profile_json(profile, &text, &n));
    expect_ok(rd_profile_parse(ctx, "text", text, n, &p));
    assert_true(rd_profile_facts_of(p)->seconds == 0);
    rd_profile_free(p);
    rd_text_free(ctx, text);
    expect_ok(rd_profile_set_block_bytes(profile, 0));
}

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
    expect_ok(rd_mrc_at(ctx, profile, 1, &low, NULL));
    expect_ok(rd_mrc_at(ctx, profile, UINT64_MAX, &low, NULL));

    REFUSED(rd_mrc_ways(NULL, profile, 1, 1, &low, &interpolated));
    EXPLAINED("p", rd_mrc_ways(ctx, NULL, 1, 1, &low, &interpolated));
    EXPLAINED("miss_ratio", rd_mrc_ways(ctx, profile, 1, 1, NULL, &interpolated));
    expect_ok(rd_mrc_ways(ctx, profile, 64, 8, &low, NULL));
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
    expect_ok(rd_model_train(ctx, runs, 2, &few, &m));
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
    expect_ok(rd_sampler_new(ctx, NULL, &s));
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
    expect_ok(rd_report_mrc_csv(profile, NULL, 5, &text, &n));
    rd_text_free(ctx, text);
    rd_report_style narrow = {.size = sizeof narrow, .width = 1}, wide = narrow;
    wide.width = UINT32_MAX;
    expect_ok(rd_report_text(profile, &narrow, &text, &n));
    rd_text_free(ctx, text);
    expect_ok(rd_report_text(profile, &wide, &text, &n));
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
    assert_false(rd_trace_has_ids(NULL) || rd_trace_has_hex_ids(NULL) ||
                 rd_trace_never_began(NULL));
    assert_null(rd_trace_note(NULL));
    assert_int_equal(rd_trace_skipped(NULL) + rd_trace_repeats(NULL) + rd_trace_line(NULL), 0);
    rd_trace_read_ahead(NULL, 2);
    rd_trace_progress(NULL, &done, &total);
    rd_trace_close(NULL);
    expect_ok(rd_trace_open_memory(ctx, "name", ids, 6, "text", &t));
    expect_saying(rd_trace_select(t, RD_FIELD_SIZE), "are not all columns of requests");
    EXPLAINED("out", rd_trace_read(t, NULL));
    expect_ok(rd_trace_read(t, &refs));
    assert_int_equal(rd_trace_select(t, RD_FIELD_BYTES), RD_ESTATE);
    assert_int_equal(rd_trace_events(t, NULL), 0);
    rd_trace_progress(t, NULL, NULL);
    assert_int_equal(rd_trace_seek(t, UINT64_MAX, UINT64_MAX), RD_EINVAL);
    rd_trace_close(t);
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
    expect_ok(rd_live_new(ctx, &config, &live));
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
    REFUSED(rd_trace_writer_finish(NULL));
    rd_trace_writer_close(NULL);
    expect_ok(rd_trace_writer_open(ctx, "/dev/null", NULL, UINT32_MAX, false, &w));
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
    expect_ok(rd_mapper_new(ctx, NULL, &m));
    EXPLAINED("blocks", rd_mapper_next(m, NULL, &n));
    EXPLAINED("n", rd_mapper_next(m, &got, NULL));
    rd_mapper_feed(m, NULL);
    expect_ok(rd_mapper_next(m, &got, &n));
    assert_int_equal(n, 0);
    rd_mapper_feed(m, &(rd_refs){.n = 1});
    EXPLAINED("refs->addr", rd_mapper_next(m, &got, &n));
    rd_mapper_free(m);
}

/* ---- analysis.h, attribution.h, verify.h ---- */

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
    expect_ok(rd_trace_generate(ctx, "cycle:refs=10", &t));
    REFUSED(rd_analysis_add_trace(NULL, t, "name"));
    REFUSED(rd_analysis_run(NULL));
    assert_false(rd_analysis_has_profile(NULL));
    REFUSED(rd_analysis_profile(NULL, &p));
    assert_int_equal(rd_analysis_peaks(NULL, peaks), 0);
    assert_string_equal(rd_analysis_engine_note(NULL), "");
    rd_analysis_close(NULL);
    expect_ok(rd_analysis_open(ctx, NULL, &a));
    EXPLAINED("path", rd_analysis_add_file(a, NULL));
    EXPLAINED("trace", rd_analysis_add_trace(a, NULL, "name"));
    EXPLAINED("name", rd_analysis_add_trace(a, t, NULL));
    EXPLAINED("out", rd_analysis_profile(a, NULL));
    rd_analysis_close(a);
    rd_sampler_config sampling = {0};
    rd_analysis_config config = {.size = sizeof config, .sampling = &sampling};
    expect_ok(rd_analysis_open(ctx, &config, &a));
    assert_int_equal(rd_analysis_peaks(a, NULL), 0);
    rd_analysis_close(a);
    config = (rd_analysis_config){.size = sizeof config, .kinds = 64};
    expect_saying(rd_analysis_open(ctx, &config, &a), "kinds");
    rd_trace_close(t);
    assert_int_equal(rd_machine_caches(NULL, NULL), 0);
    assert_true(rd_machine_caches(levels, NULL) > 0);
}

static void private_caches_of_threads(const rd_hierarchy *h) {
    rd_simulator *s = NULL;
    rd_cache_counts counts[RD_CACHES_MAX];
    rd_level_counts levels[RD_CACHES_MAX], sum = {{0}, {0}};
    uint64_t thread = 0;
    REFUSED(rd_hierarchy_check_private(NULL, h));
    EXPLAINED("h", rd_hierarchy_check_private(ctx, NULL));
    rd_simulator_config config = {.size = sizeof config, .private_caches = true};
    expect_ok(rd_simulator_new(ctx, h, &config, &s));
    assert_int_equal(rd_simulator_threads(NULL), 0);
    assert_int_equal(rd_simulator_threads(s), 0);
    expect_saying(rd_simulator_thread_counts(s, 0, &thread, levels), "no thread with index 0");
    expect_ok(rd_simulator_feed(s, blocks, NULL, N_BLOCKS)); /* all references are of thread 0 */
    expect_ok(rd_simulator_counts(s, counts));
    assert_int_equal(rd_simulator_threads(s), 1);
    REFUSED(rd_simulator_thread_counts(NULL, 0, &thread, levels));
    EXPLAINED("thread", rd_simulator_thread_counts(s, 0, NULL, levels));
    EXPLAINED("out", rd_simulator_thread_counts(s, 0, &thread, NULL));
    expect_ok(rd_simulator_thread_counts(s, 0, &thread, levels));
    rd_level_counts_add(&sum, levels);
    rd_level_counts_add(NULL, levels);
    rd_level_counts_add(&sum, NULL);
    rd_cache_counts_add(NULL, counts);
    rd_cache_counts_add(counts, NULL);
    assert_memory_equal(&sum.cache, &counts[0], sizeof *counts);
    rd_simulator_free(s);
}

static void hierarchies(void **state) {
    (void)state;
    rd_hierarchy h = {0};
    char *text = NULL;
    REFUSED(rd_hierarchy_parse(NULL, "L1=1K", &h));
    EXPLAINED("text", rd_hierarchy_parse(ctx, NULL, &h));
    EXPLAINED("out", rd_hierarchy_parse(ctx, "L1=1K", NULL));
    expect_ok(rd_hierarchy_parse(ctx, "L1=1K", &h));
    REFUSED(rd_hierarchy_check(NULL, &h, 64));
    EXPLAINED("h", rd_hierarchy_check(ctx, NULL, 64));
    REFUSED(rd_hierarchy_text(NULL, &h, &text));
    EXPLAINED("h", rd_hierarchy_text(ctx, NULL, &text));
    EXPLAINED("out", rd_hierarchy_text(ctx, &h, NULL));
    assert_false(rd_hierarchy_is_split(NULL));
    rd_simulator *s = NULL;
    rd_cache_counts counts[RD_CACHES_MAX];
    rd_simulator_config config = {.size = sizeof config, .block_bytes = 64};
    REFUSED(rd_simulator_new(NULL, &h, &config, &s));
    EXPLAINED("h", rd_simulator_new(ctx, NULL, &config, &s));
    EXPLAINED("out", rd_simulator_new(ctx, &h, &config, NULL));
    h.has_unit = false;
    expect_ok(rd_simulator_new(ctx, &h, NULL, &s)); /* blocks without a size */
    REFUSED(rd_simulator_feed(NULL, blocks, NULL, 1));
    EXPLAINED("blocks", rd_simulator_feed(s, NULL, NULL, 1));
    expect_ok(rd_simulator_feed(s, NULL, NULL, 0));
    expect_ok(rd_simulator_feed(s, blocks, NULL, N_BLOCKS));
    REFUSED(rd_simulator_feed_tagged(NULL, blocks, NULL, blocks, 1));
    EXPLAINED("blocks", rd_simulator_feed_tagged(s, NULL, NULL, blocks, 1));
    EXPLAINED("tags", rd_simulator_feed_tagged(s, blocks, NULL, NULL, 1));
    expect_ok(rd_simulator_feed_tagged(s, NULL, NULL, NULL, 0));
    REFUSED(rd_simulator_feed_threads(NULL, blocks, NULL, blocks, 1));
    EXPLAINED("blocks", rd_simulator_feed_threads(s, NULL, NULL, blocks, 1));
    EXPLAINED("threads", rd_simulator_feed_threads(s, blocks, NULL, NULL, 1));
    expect_ok(rd_simulator_feed_threads(s, NULL, NULL, NULL, 0));
    REFUSED(rd_simulator_counts(NULL, counts));
    EXPLAINED("out", rd_simulator_counts(s, NULL));
    expect_ok(rd_simulator_counts(s, counts));
    assert_int_equal(counts[0].references, N_BLOCKS);
    rd_simulator_free(s);
    rd_simulator_free(NULL);
    private_caches_of_threads(&h);
    assert_int_equal(rd_cache_blocks(NULL, 64) + rd_cache_sets(NULL, 64) + rd_cache_ways(NULL, 64),
                     0);
}

static void machines(void **state) {
    (void)state;
    rd_machine m = {0};
    rd_hierarchy h = {0};
    char *text = NULL;
    assert_true(rd_machine_count() > 0);
    REFUSED(rd_machine_at(NULL, 0, &m));
    EXPLAINED("out", rd_machine_at(ctx, 0, NULL));
    REFUSED(rd_machine_find(NULL, "zen4", &m));
    EXPLAINED("name", rd_machine_find(ctx, NULL, &m));
    EXPLAINED("out", rd_machine_find(ctx, "zen4", NULL));
    REFUSED(rd_machine_parse(NULL, "f", "", 0, &m));
    EXPLAINED("text", rd_machine_parse(ctx, "f", NULL, 0, &m));
    EXPLAINED("out", rd_machine_parse(ctx, "f", "", 0, NULL));
    REFUSED(rd_machine_text(NULL, &m, &text));
    EXPLAINED("m", rd_machine_text(ctx, NULL, &text));
    EXPLAINED("out", rd_machine_text(ctx, &m, NULL));
    rd_machine_misses misses;
    rd_cycles cycles;
    expect_ok(rd_machine_find(ctx, "zen4", &m));
    REFUSED(rd_machine_misses_of(NULL, profile, &m, &misses));
    EXPLAINED("p", rd_machine_misses_of(ctx, NULL, &m, &misses));
    EXPLAINED("m", rd_machine_misses_of(ctx, profile, NULL, &misses));
    EXPLAINED("out", rd_machine_misses_of(ctx, profile, &m, NULL));
    assert_false(rd_machine_cycles(NULL, misses.full, &cycles));
    assert_false(rd_machine_cycles(&m, NULL, &cycles));
    assert_false(rd_machine_cycles(&m, misses.full, NULL));
    size_t n = 0;
    REFUSED(rd_report_machine_text(NULL, NULL, &m, &text, &n));
    EXPLAINED("m", rd_report_machine_text(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_machine_text(profile, NULL, &m, NULL, &n));
    rd_profile *const both[] = {profile, profile};
    const char *const names[] = {"a", "b"};
    rd_comparees all = {.profiles = both, .names = names, .n = 2};
    REFUSED(rd_report_machine_change(NULL, &all, &m, &text, &n));
    EXPLAINED("all", rd_report_machine_change(ctx, NULL, &m, &text, &n));
    expect_saying(rd_report_machine_change(ctx, &all, NULL, &text, &n), "the same machine");
    EXPLAINED("text", rd_report_machine_change(ctx, &all, &m, NULL, &n));
    all.n = 1;
    expect_saying(rd_report_machine_change(ctx, &all, &m, &text, &n), "two profiles");
    rd_machine_hierarchy(NULL, true, &h);
    assert_true(h.n == 0);
    rd_machine_hierarchy(&m, true, NULL);
    rd_machine_hierarchy(&m, true, &h);
    assert_false(rd_machine_of_hierarchy(NULL, 64, &m));
    assert_false(rd_machine_of_hierarchy(&h, 64, NULL));
}

static void every_number_of_ways(void **state) {
    (void)state;
    const uint64_t sets[] = {1, 2};
    rd_ways *w = NULL;
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_ways_new(NULL, sets, 2, 1, &w));
    EXPLAINED("sets", rd_ways_new(ctx, NULL, 2, 1, &w));
    EXPLAINED("out", rd_ways_new(ctx, sets, 2, 1, NULL));
    expect_ok(rd_ways_new(ctx, sets, 2, 0, &w));
    REFUSED(rd_ways_feed(NULL, blocks, 1));
    EXPLAINED("blocks", rd_ways_feed(w, NULL, 1));
    expect_ok(rd_ways_feed(w, NULL, 0));
    expect_ok(rd_ways_feed(w, blocks, N_BLOCKS));
    assert_int_equal(rd_ways_misses(w, 0, NULL, NULL), 0);
    REFUSED(rd_ways_finish(NULL));
    expect_ok(rd_ways_finish(w));
    expect_ok(rd_ways_finish(w));
    assert_int_equal(rd_ways_misses(w, 0, NULL, NULL), 4);
    assert_int_equal(rd_ways_misses(NULL, 0, NULL, NULL), 0);
    REFUSED(rd_report_all_ways_text(NULL, w, NULL, &text, &n));
    EXPLAINED("w", rd_report_all_ways_text(profile, NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_all_ways_text(profile, w, NULL, NULL, &n));
    EXPLAINED("n", rd_report_all_ways_text(profile, w, NULL, &text, NULL));
    REFUSED(rd_report_all_ways_csv(NULL, w, &text, &n));
    EXPLAINED("w", rd_report_all_ways_csv(profile, NULL, &text, &n));
    REFUSED(rd_report_all_ways_json(NULL, w, &text, &n));
    EXPLAINED("w", rd_report_all_ways_json(profile, NULL, &text, &n));
    expect_ok(rd_report_all_ways_text(profile, w, NULL, &text, &n));
    rd_text_free(ctx, text);
    rd_ways_free(w);
    rd_ways_free(NULL);
}

static void simulations(void **state) {
    (void)state;
    rd_simulation s = {.size = sizeof s, .causes = true};
    char *text = NULL;
    size_t n = 0;
    expect_ok(rd_hierarchy_parse(ctx, "L1=2", &s.hierarchy));
    assert_null(rd_profile_simulation(NULL));
    assert_null(rd_profile_simulation(profile));
    expect_saying(rd_report_simulation_csv(profile, &text, &n), "no simulated caches");
    REFUSED(rd_profile_set_simulation(NULL, &s));
    EXPLAINED("s", rd_profile_set_simulation(profile, NULL));
    s.counts[0] = (rd_cache_counts){.references = N_BLOCKS + 1};
    expect_saying(rd_profile_set_simulation(profile, &s), "more references");
    s.counts[0] = (rd_cache_counts){.references = N_BLOCKS, .misses = 4, .cold = 3};
    expect_saying(rd_profile_set_simulation(profile, &s), "contradict");
    s.counts[0].conflict = 1;
    expect_ok(rd_profile_set_simulation(profile, &s));
    assert_int_equal(rd_profile_simulation(profile)->counts[0].conflict, 1);
    rd_thread_caches caches = {.thread = 7};
    rd_private_simulation q = {.size = sizeof q, .hierarchy = s.hierarchy, .n_threads = 1};
    assert_null(rd_profile_private_simulation(NULL));
    REFUSED(rd_profile_set_private_simulation(NULL, &q));
    EXPLAINED("s", rd_profile_set_private_simulation(profile, NULL));
    EXPLAINED("own.interleave", rd_profile_set_private_simulation(profile, &q));
    q.interleave = "recorded";
    EXPLAINED("own.threads", rd_profile_set_private_simulation(profile, &q));
    q.threads = &caches;
    caches.levels[0].coherence.transfers = 1;
    expect_saying(rd_profile_set_private_simulation(profile, &q), "contradict");
    REFUSED(rd_report_simulation_text(NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_text(profile, NULL, NULL, &n));
    EXPLAINED("n", rd_report_simulation_text(profile, NULL, &text, NULL));
    REFUSED(rd_report_simulation_csv(NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_csv(profile, NULL, &n));
    EXPLAINED("n", rd_report_simulation_csv(profile, &text, NULL));
    REFUSED(rd_report_simulation_json(NULL, &text, &n));
    EXPLAINED("text", rd_report_simulation_json(profile, NULL, &n));
    EXPLAINED("n", rd_report_simulation_json(profile, &text, NULL));
    expect_ok(rd_report_simulation_text(profile, NULL, &text, &n));
    rd_text_free(ctx, text);
}

/* Checks that attribution with NULL pointers fails when the trace is opened. */
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
        expect_ok(rd_trace_generate(ctx, "cycle:refs=10", &t));
        rd_status status = rd_analysis_open(ctx, &config, &a);
        if (status == RD_OK) {
            expect_ok(rd_analysis_add_trace(a, t, "name"));
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
    expect_ok(rd_attributor_new(ctx, NULL, &a));
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
    expect_ok(rd_attributor_misses(a, NULL, 0));
    EXPLAINED("event", rd_attributor_event(a, NULL));
    expect_saying(rd_attributor_event(a, &(rd_event){.kind = (rd_event_kind)99}), "kind");
    expect_saying(rd_attributor_event(a, &(rd_event){.kind = RD_EVENT_MODULE}), "path");
    EXPLAINED("path", rd_attributor_add_object(a, NULL, 0));
    EXPLAINED("words", rd_attributor_set_words(a, NULL));
    EXPLAINED("profile", rd_attributor_finish(a, NULL));
    rd_attributor_free(a);
}

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

/* ---- completeness ---- */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 17);
    assert_true(text && fread(text, 1, (1 << 17) - 1, file) > 0);
    fclose(file);
    return text;
}

/* ---- prefix.h ---- */

static void kv_logs(void **state) {
    (void)state;
    static const char text[] = "{\"hash_ids\":[1,2],\"input_length\":600}\n";
    rd_kv_log *log = NULL;
    rd_kv_writer *w = NULL;
    const rd_kv_request *request = NULL;
    assert_null(rd_kv_format_at(SIZE_MAX));
    REFUSED(rd_kv_log_open(NULL, "x", NULL, &log));
    EXPLAINED("path", rd_kv_log_open(ctx, NULL, NULL, &log));
    EXPLAINED("out", rd_kv_log_open(ctx, "x", NULL, NULL));
    REFUSED(rd_kv_log_open_memory(NULL, "x", text, sizeof text - 1, NULL, &log));
    EXPLAINED("name", rd_kv_log_open_memory(ctx, NULL, text, sizeof text - 1, NULL, &log));
    EXPLAINED("data", rd_kv_log_open_memory(ctx, "x", NULL, 1, NULL, &log));
    EXPLAINED("out", rd_kv_log_open_memory(ctx, "x", text, sizeof text - 1, NULL, NULL));
    expect_ok(rd_kv_log_open_memory(ctx, "x", text, sizeof text - 1, NULL, &log));
    REFUSED(rd_kv_log_read(NULL, &request));
    EXPLAINED("out", rd_kv_log_read(log, NULL));
    expect_ok(rd_kv_log_read(log, &request));
    assert_int_equal(rd_kv_log_block_tokens(NULL), 0);
    assert_string_equal(rd_kv_log_format(NULL), "");
    assert_true(rd_kv_log_token_bytes(NULL) == 0);
    rd_kv_log_progress(NULL, NULL, NULL);
    rd_kv_log_progress(log, NULL, NULL);
    rd_kv_log_close(NULL);
    REFUSED(rd_kv_writer_open(NULL, "x", 1, &w));
    EXPLAINED("path", rd_kv_writer_open(ctx, NULL, 1, &w));
    EXPLAINED("out", rd_kv_writer_open(ctx, "x", 1, NULL));
    expect_saying(rd_kv_writer_open(ctx, "/dev/null", 0, &w), "1 to 2147483647");
    REFUSED(rd_kv_writer_write(NULL, request));
    expect_ok(rd_kv_writer_open(ctx, "/dev/null", 512, &w));
    EXPLAINED("r", rd_kv_writer_write(w, NULL));
    REFUSED(rd_kv_writer_finish(NULL));
    rd_kv_writer_close(w);
    rd_kv_writer_close(NULL);
    rd_kv_log_close(log);
}

static void kv_analyses(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config, .n_sizes = 1, .sizes = {4}};
    rd_kv_request request = {.blocks = blocks, .n_blocks = 3, .prompt_tokens = 3};
    rd_kv *kv = NULL;
    rd_kv_point point;
    rd_kv_details details;
    rd_kv_bound bound;
    rd_kv_tier tier;
    uint64_t size;
    REFUSED(rd_kv_new(NULL, &config, &kv));
    EXPLAINED("config", rd_kv_new(ctx, NULL, &kv));
    EXPLAINED("out", rd_kv_new(ctx, &config, NULL));
    config.n_sizes = RD_KV_SIZES_MAX + 1;
    expect_saying(rd_kv_new(ctx, &config, &kv), "at most 64 sizes");
    config.n_sizes = 2;
    expect_saying(rd_kv_new(ctx, &config, &kv), "ascending");
    config.n_sizes = 1;
    expect_ok(rd_kv_new(ctx, &config, &kv));
    REFUSED(rd_kv_feed(NULL, &request));
    EXPLAINED("r", rd_kv_feed(kv, NULL));
    expect_ok(rd_kv_feed(kv, &request));
    assert_int_equal(rd_kv_at(kv, 1, &point), RD_ESTATE);
    assert_int_equal(rd_kv_size_for(kv, 0.5, &size), RD_ESTATE);
    REFUSED(rd_kv_finish(NULL));
    expect_ok(rd_kv_finish(kv));
    assert_int_equal(rd_kv_feed(kv, &request), RD_ESTATE);
    assert_null(rd_kv_ctx(NULL));
    assert_null(rd_kv_config_of(NULL));
    assert_int_equal(rd_kv_totals_of(NULL).requests, 0);
    assert_int_equal(rd_kv_series_of(NULL).n_windows, 0);
    REFUSED(rd_kv_at(NULL, 1, &point));
    EXPLAINED("out", rd_kv_at(kv, 1, NULL));
    expect_ok(rd_kv_at(kv, UINT64_MAX, &point));
    REFUSED(rd_kv_size_for(NULL, 0.5, &size));
    EXPLAINED("out", rd_kv_size_for(kv, 0.5, NULL));
    expect_ok(rd_kv_size_for(kv, NAN, &size));
    REFUSED(rd_kv_details_at(NULL, 0, &details));
    EXPLAINED("out", rd_kv_details_at(kv, 0, NULL));
    expect_saying(rd_kv_details_at(kv, 1, &details), "no size");
    expect_ok(rd_kv_details_at(kv, 0, &details));
    assert_true(rd_kv_quantile(NULL, 0.5) == 0);
    assert_true(rd_kv_quantile(&details, NAN) == 0);
    REFUSED(rd_kv_bound_at(NULL, 0, &bound));
    EXPLAINED("out", rd_kv_bound_at(kv, 0, NULL));
    expect_saying(rd_kv_bound_at(kv, 0, &bound), "not computed");
    REFUSED(rd_kv_tier_at(NULL, 0, &tier));
    EXPLAINED("out", rd_kv_tier_at(kv, 0, NULL));
    expect_saying(rd_kv_tier_at(kv, 0, &tier), "no tier");
    rd_kv_free(kv);
    rd_kv_free(NULL);
}

static void kv_models_and_plans(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config};
    rd_kv_model model;
    rd_kv_offer offer = {.name = "a", .bytes = 1};
    rd_kv_goal goal = {.size = sizeof goal, .token_bytes = 1};
    rd_kv_plan plan;
    rd_kv *kv = NULL;
    assert_null(rd_kv_model_at(SIZE_MAX));
    REFUSED(rd_kv_model_parse(NULL, "phi-4", &model));
    EXPLAINED("text", rd_kv_model_parse(ctx, NULL, &model));
    EXPLAINED("out", rd_kv_model_parse(ctx, "phi-4", NULL));
    assert_true(rd_kv_model_token_bytes(NULL) == 0);
    expect_ok(rd_kv_new(ctx, &config, &kv));
    expect_ok(rd_kv_finish(kv));
    REFUSED(rd_kv_plan_find(NULL, &offer, 1, &goal, &plan));
    EXPLAINED("offers", rd_kv_plan_find(kv, NULL, 1, &goal, &plan));
    EXPLAINED("goal", rd_kv_plan_find(kv, &offer, 1, NULL, &plan));
    EXPLAINED("out", rd_kv_plan_find(kv, &offer, 1, &goal, NULL));
    expect_saying(rd_kv_plan_find(kv, &offer, 0, &goal, &plan), "1 to 4 tiers");
    goal.second_cost = 1;
    expect_saying(rd_kv_plan_find(kv, &offer, 1, &goal, &plan), "recomputed per second");
    goal.token_bytes = NAN;
    expect_saying(rd_kv_plan_find(kv, &offer, 1, &goal, &plan), "bytes per token");
    rd_kv_free(kv);
}

static void kv_fleets_and_reports(void **state) {
    (void)state;
    rd_kv_config config = {.size = sizeof config};
    rd_kv_request request = {.blocks = blocks, .n_blocks = 3, .prompt_tokens = 3};
    rd_kv_fleet *fleet = NULL;
    rd_kv_point point;
    rd_kv_view view = {.size = sizeof view};
    rd_report_style style = {.size = sizeof style};
    char *text = NULL;
    size_t n = 0;
    REFUSED(rd_kv_fleet_new(NULL, &config, 1, RD_KV_ROUND, &fleet));
    EXPLAINED("config", rd_kv_fleet_new(ctx, NULL, 1, RD_KV_ROUND, &fleet));
    EXPLAINED("out", rd_kv_fleet_new(ctx, &config, 1, RD_KV_ROUND, NULL));
    expect_saying(rd_kv_fleet_new(ctx, &config, 0, RD_KV_ROUND, &fleet), "1 to 1024 replicas");
    expect_saying(rd_kv_fleet_new(ctx, &config, 1, (rd_kv_router)9, &fleet),
                  "a router from 0 to 2");
    expect_ok(rd_kv_fleet_new(ctx, &config, 2, RD_KV_CONVERSATION, &fleet));
    REFUSED(rd_kv_fleet_feed(NULL, &request));
    EXPLAINED("r", rd_kv_fleet_feed(fleet, NULL));
    expect_saying(rd_kv_fleet_feed(fleet, &request), "does not name the conversation");
    REFUSED(rd_kv_fleet_finish(NULL));
    REFUSED(rd_kv_fleet_at(NULL, 0, &point));
    EXPLAINED("out", rd_kv_fleet_at(fleet, 0, NULL));
    expect_saying(rd_kv_fleet_at(fleet, 0, &point), "no size");
    rd_kv_fleet_free(fleet);
    rd_kv_fleet_free(NULL);
    REFUSED(rd_kv_report_text(NULL, &style, &text, &n));
    REFUSED(rd_kv_report_text(&view, &style, &text, &n));
    REFUSED(rd_kv_report_csv(&view, &text, &n));
    REFUSED(rd_kv_report_json(&view, &text, &n));
    REFUSED(rd_kv_report_html(&view, &text, &n));
}

static void objects(void **state) {
    (void)state;
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    double ratio, byte_ratio;
    const rd_requests requests = {.n = N_BLOCKS, .id = blocks};
    REFUSED(rd_objects_new(NULL, NULL, &o));
    EXPLAINED("out", rd_objects_new(ctx, NULL, NULL));
    EXPLAINED("known.sizes",
              rd_objects_new(
                  ctx, &(rd_objects_config){.size = sizeof(rd_objects_config), .n_sizes = 1}, &o));
    REFUSED(rd_objects_feed(NULL, &requests, NULL));
    REFUSED(rd_objects_profile(NULL, &p));
    rd_objects_free(NULL);
    assert_int_equal(rd_objects_requests(NULL), 0);
    assert_null(rd_profile_objects(NULL));
    expect_ok(rd_objects_new(ctx, NULL, &o));
    EXPLAINED("requests", rd_objects_feed(o, NULL, NULL));
    EXPLAINED("requests->id", rd_objects_feed(o, &(rd_requests){.n = 1}, NULL));
    expect_ok(rd_objects_feed(o, &requests, NULL));
    EXPLAINED("out", rd_objects_profile(o, NULL));
    expect_ok(rd_objects_profile(o, &p));
    REFUSED(rd_objects_at(NULL, p, 1, &ratio, &byte_ratio, NULL));
    EXPLAINED("p", rd_objects_at(ctx, NULL, 1, &ratio, &byte_ratio, NULL));
    EXPLAINED("miss_ratio", rd_objects_at(ctx, p, 1, NULL, &byte_ratio, NULL));
    EXPLAINED("byte_miss_ratio", rd_objects_at(ctx, p, 1, &ratio, NULL, NULL));
    expect_ok(rd_objects_at(ctx, p, 1, &ratio, &byte_ratio, NULL));
    expect_saying(rd_objects_at(ctx, profile, 1, &ratio, &byte_ratio, NULL), "--weight=bytes");
    REFUSED(rd_objects_band(NULL, p, 1, &ratio, &byte_ratio));
    EXPLAINED("p", rd_objects_band(ctx, NULL, 1, &ratio, &byte_ratio));
    EXPLAINED("low", rd_objects_band(ctx, p, 1, NULL, &byte_ratio));
    EXPLAINED("high", rd_objects_band(ctx, p, 1, &ratio, NULL));
    expect_saying(rd_objects_band(ctx, p, 1, &ratio, &byte_ratio), "no confidence band");
    rd_object_prices prices = {.size = sizeof prices, .per_gb = 1};
    rd_object_cost cost;
    REFUSED(rd_objects_cost(NULL, p, &prices, 1, &cost));
    EXPLAINED("p", rd_objects_cost(ctx, NULL, &prices, 1, &cost));
    EXPLAINED("prices", rd_objects_cost(ctx, p, NULL, 1, &cost));
    EXPLAINED("out", rd_objects_cost(ctx, p, &prices, 1, NULL));
    REFUSED(rd_objects_cheapest(NULL, p, &prices, &cost));
    EXPLAINED("p", rd_objects_cheapest(ctx, NULL, &prices, &cost));
    EXPLAINED("prices", rd_objects_cheapest(ctx, p, NULL, &cost));
    EXPLAINED("out", rd_objects_cheapest(ctx, p, &prices, NULL));
    expect_saying(rd_objects_cheapest(ctx, profile, &prices, &cost), "--weight=bytes");
    rd_objects_config config = {.size = sizeof config, .sample_rate = 2};
    rd_objects *sample = NULL;
    expect_saying(rd_objects_new(ctx, &config, &sample), "from 0 to 1");
    config = (rd_objects_config){.size = sizeof config, .sample_rate = 0.5, .every = 1};
    expect_saying(rd_objects_new(ctx, &config, &sample), "cannot be combined with a sample");
    char *text = NULL;
    size_t n = 0;
    assert_null(rd_profile_stretches(NULL));
    assert_null(rd_profile_stretches(p));
    assert_true(rd_stretch_at(NULL, 1).miss_ratio == 1);
    REFUSED(rd_report_cost_text(NULL, NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("prices", rd_report_cost_text(p, NULL, NULL, NULL, 0, &text, &n));
    REFUSED(rd_report_cost_csv(NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_cost_csv(p, &prices, NULL, 0, NULL, &n));
    REFUSED(rd_report_cost_json(NULL, &prices, NULL, 0, &text, &n));
    EXPLAINED("n", rd_report_cost_json(p, &prices, NULL, 0, &text, NULL));
    REFUSED(rd_report_stretches_csv(NULL, NULL, 0, &text, &n));
    EXPLAINED("text", rd_report_stretches_csv(p, NULL, 0, NULL, &n));
    EXPLAINED("n", rd_report_stretches_csv(p, NULL, 0, &text, NULL));
    expect_saying(rd_report_stretches_csv(p, NULL, 0, &text, &n), "no stretches of time");
    rd_profile_free(p);
    rd_objects_free(o);
}

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
    EXPLAINED("profile", rd_corun_new(ctx, profiles, NULL, 2, &c));
    REFUSED(rd_corun_share(NULL, 4, &one));
    REFUSED(rd_corun_assign(NULL, 4, 1, &number, &one, NULL));
    REFUSED(rd_corun_partition(NULL, 4, 1, &number, &one));
    rd_corun_free(NULL);
    expect_ok(rd_corun_new(ctx, profiles, NULL, 1, &c));
    EXPLAINED("programs", rd_corun_share(c, 4, NULL));
    EXPLAINED("cache_of", rd_corun_assign(c, 4, 1, NULL, &one, NULL));
    EXPLAINED("programs", rd_corun_assign(c, 4, 1, &number, NULL, NULL));
    EXPLAINED("ways_of", rd_corun_partition(c, 4, 1, NULL, &one));
    EXPLAINED("programs", rd_corun_partition(c, 4, 1, &number, NULL));
    expect_ok(rd_corun_share(c, 4, &one));
    expect_ok(rd_corun_share(c, UINT64_MAX, &one));
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
    expect_ok(rd_report_corun_text(ctx, &request, NULL, &text, &n));
    rd_text_free(ctx, text);
    request.names = NULL;
    REFUSED(rd_report_corun_csv(ctx, &request, &text, &n));
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
    expect_ok(rd_sharing_new(ctx, &config, &s));
    REFUSED(rd_sharing_feed(NULL, &batch));
    EXPLAINED("batch", rd_sharing_feed(s, NULL));
    EXPLAINED("batch->refs", rd_sharing_feed(s, &batch));
    REFUSED(rd_sharing_event(NULL, &event));
    EXPLAINED("event", rd_sharing_event(s, NULL));
    REFUSED(rd_sharing_profile(NULL, &p));
    EXPLAINED("out", rd_sharing_profile(s, NULL));
    expect_ok(rd_sharing_profile(s, &p));
    REFUSED(rd_sharing_attach(NULL, p));
    EXPLAINED("profile", rd_sharing_attach(s, NULL));
    assert_null(rd_profile_shared(NULL));
    assert_null(rd_profile_shared(profile));
    assert_null(rd_profile_private(NULL));
    assert_int_equal(rd_sharing_threads(NULL), 0);
    expect_saying(rd_report_sharing_csv(profile, &text, &n), "does not say");
    expect_ok(rd_sharing_attach(s, p));
    REFUSED(rd_report_sharing_text(NULL, NULL, &text, &n));
    EXPLAINED("text", rd_report_sharing_text(p, NULL, NULL, &n));
    REFUSED(rd_report_sharing_csv(NULL, &text, &n));
    EXPLAINED("n", rd_report_sharing_csv(p, &text, NULL));
    REFUSED(rd_report_sharing_json(NULL, &text, &n));
    EXPLAINED("text", rd_report_sharing_json(p, NULL, &n));
    expect_ok(rd_report_sharing_text(p, NULL, &text, &n));
    rd_text_free(ctx, text);
    rd_profile_free(p);
    rd_sharing_free(s);
    rd_sharing_free(NULL);
}

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

/* Checks that this file calls every function that the public headers declare. */
static void every_function_has_a_case(void **state) {
    (void)state;
    char *cases = read_file(ARGUMENTS_SOURCE);
    size_t found = 0;
    glob_t headers;
    assert_int_equal(glob(ARGUMENTS_HEADERS "/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        char *header = read_file(headers.gl_pathv[i]);
        for (char *at = header; (at = strstr(at, "\nRD_API ")) != NULL;) {
            char name[64] = "", *open = strchr(at, '('), *start = open;
            while (start > at && (start[-1] == '_' || (start[-1] >= 'a' && start[-1] <= 'z')))
                start--;
            snprintf(name, sizeof name, "%.*s(", (int)(open - start), start);
            if (!strstr(cases, name))
                fail_msg("%s has no case here", name);
            found++;
            at = open;
        }
        free(header);
    }
    globfree(&headers);
    assert_true(found > 150);
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
        cmocka_unit_test(known),
        cmocka_unit_test(known_nonsense),
        cmocka_unit_test(known_at_random),
        cmocka_unit_test(cluster),
        cmocka_unit_test(profiles),
        cmocka_unit_test(profile_files),
        cmocka_unit_test(facts_that_cannot_be_read_are_refused),
        cmocka_unit_test(models),
        cmocka_unit_test(predictions),
        cmocka_unit_test(samplers),
        cmocka_unit_test(reports),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(traces),
        cmocka_unit_test(live),
        cmocka_unit_test(writers),
        cmocka_unit_test(mappers),
        cmocka_unit_test(analyses),
        cmocka_unit_test(attribution_of_analyses),
        cmocka_unit_test(hierarchies),
        cmocka_unit_test(machines),
        cmocka_unit_test(every_number_of_ways),
        cmocka_unit_test(simulations),
        cmocka_unit_test(attributors),
        cmocka_unit_test(verifiers),
        cmocka_unit_test(kv_logs),
        cmocka_unit_test(kv_analyses),
        cmocka_unit_test(kv_models_and_plans),
        cmocka_unit_test(kv_fleets_and_reports),
        cmocka_unit_test(objects),
        cmocka_unit_test(coruns),
        cmocka_unit_test(threads),
        cmocka_unit_test(shared_data),
        cmocka_unit_test(every_function_has_a_case),
    };
    return cmocka_run_group_tests(tests, make_profile, free_profile);
}
