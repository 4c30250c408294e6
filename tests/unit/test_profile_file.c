/* Tests rd_profile_json() and rd_profile_parse(): written profiles are read back to the last bit,
 * and files that could not have been written are refused with the position of the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/context.h"
#include "support/files.h"
#include "support/profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rd_binning every_binning[] = {{RD_BINS_FULL, 0},      {RD_BINS_LOG, 0},
                                           {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 1},
                                           {RD_BINS_LINEAR, 100},  {RD_BINS_REFERENCE, 1},
                                           {RD_BINS_REFERENCE, 7}, {RD_BINS_REFERENCE, 1000}};

/* Writes p, reads it back, compares both, and writes again. Takes ownership of p. */
static void assert_round_trip(rd_ctx *ctx, rd_profile *p) {
    char *text = profiles_json(ctx, p);
    rd_profile *back = NULL;
    if (rd_profile_parse(ctx, "p", text, strlen(text), &back) != RD_OK)
        fail_msg("%s in\n%.2000s", rd_last_error(ctx), text);
    profiles_assert_equal(p, back);
    char *again = profiles_json(ctx, back);
    assert_string_equal(text, again);
    rd_text_free(ctx, text);
    rd_text_free(ctx, again);
    rd_profile_free(p);
    rd_profile_free(back);
}

static void random_profiles_survive_a_round_trip_in_every_binning(void **state) {
    rdi_rng rng = {1};
    profiles_point points[60];
    for (int round = 0; round < 40; round++)
        for (size_t b = 0; b < RDI_COUNT(every_binning); b++) {
            size_t n = (size_t)rdi_rng_below(&rng, RDI_COUNT(points) + 1);
            profiles_random(&rng, 100000, 1000, points, n);
            assert_round_trip(*state, profiles_make(*state, NULL, every_binning[b], points, n));
        }
}

static void sums_above_64_bits_survive_a_round_trip(void **state) {
    rdi_rng rng = {2};
    profiles_point points[20];
    for (int round = 0; round < 100; round++) {
        profiles_random(&rng, UINT64_C(1) << 62, UINT64_C(1) << 57, points, RDI_COUNT(points));
        rd_binning log = {RD_BINS_LOG, 0};
        rd_profile *p = profiles_make(*state, NULL, log, points, RDI_COUNT(points));
        const rd_bin *bins;
        size_t n = rd_profile_bins(p, &bins);
        assert_true(bins[n - 1].sum.high > 0);
        assert_round_trip(*state, p);
    }
}

static void largest_numbers_survive_a_round_trip(void **state) {
    rd_profile_facts facts = profiles_facts();
    facts.references = UINT64_MAX;
    facts.blocks = facts.cold = RD_UNKNOWN;
    facts.infinite = 1;
    facts.block_bytes = UINT64_C(1) << 63;
    facts.bound = UINT64_MAX;
    facts.binning = (rd_binning){RD_BINS_EDGES, 0};
    rd_bin bin = {0, UINT64_MAX - 1, UINT64_MAX - 1,
                  rdi_sum_product(UINT64_MAX - 1, UINT64_MAX - 1)};
    rd_profile *p = NULL;
    assert_int_equal(rdi_profile_new(*state, &facts, &bin, 1, &p), RD_OK);
    rd_source source = {"a/b", "u64", UINT64_MAX, UINT64_MAX};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    assert_round_trip(*state, p);
}

static void everything_unknown_or_absent_survives_a_round_trip(void **state) {
    rd_profile_facts facts = {.references = 7,
                              .blocks = RD_UNKNOWN,
                              .cold = RD_UNKNOWN,
                              .error_kind = "none",
                              .binning = {RD_BINS_LOGLINEAR, 0},
                              .partial = true,
                              .skipped = RD_UNKNOWN,
                              .unrecorded = 3};
    rd_profile *p = NULL; /* the profile of the null engine */
    assert_int_equal(rdi_profile_new(*state, &facts, NULL, 0, &p), RD_OK);
    rd_source source = {NULL, NULL, 0, 0};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    assert_round_trip(*state, p);
}

static void odd_names_of_sources_survive_a_round_trip(void **state) {
    profiles_point point = {3, 4};
    rd_profile *p = profiles_make(*state, NULL, every_binning[0], &point, 1);
    rd_source source = {"a \"b\"\\\n\t\x01\x7f \xc3\xa9 \xf0\x9f\x98\x80 {[,]}", "csv:col=1", 5, 6};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    assert_round_trip(*state, p);
}

static void unknown_sums_are_null_and_stay_unknown(void **state) {
    rd_profile_facts facts = profiles_facts();
    facts.sums_known = false;
    profiles_point point = {3, 4};
    rd_profile *p = profiles_make(*state, &facts, every_binning[1], &point, 1);
    char *text = profiles_json(*state, p);
    assert_non_null(strstr(text, "[2, 3, 4, null]"));
    rd_text_free(*state, text);
    assert_round_trip(*state, p);
}

static void the_text_is_the_documented_one(void **state) {
    static const char expected[] =
        "{\n"
        "  \"schema\": \"reusedist.profile/1\",\n"
        "  \"tool\": \"reusedist %s\",\n"
        "  \"references\": 13,\n"
        "  \"blocks\": 7,\n"
        "  \"cold\": 7,\n"
        "  \"infinite\": 7,\n"
        "  \"block_bytes\": 64,\n"
        "  \"kinds\": null,\n"
        "  \"bound\": null,\n"
        "  \"engine\": {\"name\": \"stack\", \"options\": \"\"},\n"
        "  \"exact\": true,\n"
        "  \"error\": {\"kind\": \"exact\", \"bound\": 0},\n"
        "  \"binning\": \"loglinear\",\n"
        "  \"sums_known\": true,\n"
        "  \"partial\": false,\n"
        "  \"skipped\": 0,\n"
        "  \"seconds\": 0.125,\n"
        "  \"sources\": [\n"
        "    {\"path\": \"table1.txt\", \"format\": \"text\", \"bytes\": 26, \"references\": 13}\n"
        "  ],\n"
        "  \"histogram\": [\n"
        "    [0, 0, 1, 0],\n"
        "    [1, 1, 2, 2],\n"
        "    [4, 7, 3, 15]\n"
        "  ]\n"
        "}\n";
    rd_profile_facts facts = profiles_facts();
    facts.kinds = NULL;
    facts.engine_options = "";
    facts.seconds = 0.125;
    static const profiles_point points[] = {{0, 1}, {1, 2}, {5, 3}, {RD_COLD, 7}};
    rd_profile *p = profiles_make(*state, &facts, every_binning[2], points, RDI_COUNT(points));
    rd_source source = {"table1.txt", "text", 26, 13};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    char *text = profiles_json(*state, p), wanted[2048];
    snprintf(wanted, sizeof wanted, expected, rd_version());
    assert_string_equal(text, wanted);
    rd_text_free(*state, text);
    rd_profile_free(p);
}

/* ---- hostile files ---- */

static rd_status parse(rd_ctx *ctx, const char *text, size_t n) {
    rd_profile *p = NULL;
    rd_status status = rd_profile_parse(ctx, "p", text, n, &p);
    rd_profile_free(p);
    return status;
}

static char *valid_text(rd_ctx *ctx) {
    static const profiles_point points[] = {{0, 5}, {3, 1}, {5000, 40}, {RD_COLD, 9}};
    rd_profile *p = profiles_make(ctx, NULL, every_binning[2], points, RDI_COUNT(points));
    rd_source source = {"some/file", "u64", 440, 55};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    char *text = profiles_json(ctx, p);
    rd_profile_free(p);
    return text;
}

static void every_truncation_is_refused(void **state) {
    char *text = valid_text(*state);
    size_t n = strlen(text);
    assert_int_equal(parse(*state, text, n - 1), RD_OK); /* the last newline may be missing */
    for (size_t cut = 0; cut < n - 1; cut++) {
        /* `copy` has exactly `cut` bytes, so that ASan detects reads after its end. */
        char *copy = malloc(cut ? cut : 1);
        assert_non_null(copy);
        memcpy(copy, text, cut);
        assert_int_equal(parse(*state, copy, cut), RD_EFORMAT);
        free(copy);
    }
    rd_text_free(*state, text);
}

static void every_changed_byte_is_survived(void **state) {
    static const char bytes[] = {0, '"', '0', '9', '-', ',', '[', '}', 'x', (char)0xff};
    char *text = valid_text(*state);
    size_t n = strlen(text);
    for (size_t at = 0; at < n; at++)
        for (size_t b = 0; b < sizeof bytes; b++) {
            char old = text[at];
            text[at] = bytes[b];
            rd_status status = parse(*state, text, n);
            assert_true(status == RD_OK || status == RD_EFORMAT);
            text[at] = old;
        }
    assert_int_equal(parse(*state, text, n), RD_OK);
    rd_text_free(*state, text);
}

static void every_refused_allocation_is_survived(void **state) {
    char *text = valid_text(*state);
    size_t n = strlen(text), base = rd_ctx_live_bytes(*state);
    rd_status status = RD_ENOMEM;
    size_t refused = 0;
    for (size_t room = 0; status != RD_OK; room += 8) {
        rd_ctx_set_limit(*state, base + room + 1);
        status = parse(*state, text, n);
        assert_true(status == RD_OK || status == RD_ENOMEM);
        assert_int_equal(rd_ctx_live_bytes(*state), base);
        refused += status == RD_ENOMEM;
    }
    assert_true(refused > 10);
    rd_ctx_set_limit(*state, 0);
    rd_text_free(*state, text);
}

/* Replaces the first `from` in a valid file with `to`, and expects a refusal whose message contains
 * `why`. */
static void assert_refused(rd_ctx *ctx, const char *from, const char *to, const char *why) {
    char *text = valid_text(ctx), changed[4096];
    char *at = strstr(text, from);
    if (!at)
        fail_msg("'%s' is not in the file", from);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    if (parse(ctx, changed, strlen(changed)) != RD_EFORMAT)
        fail_msg("accepted with '%s' instead of '%s'", to, from);
    if (!strstr(rd_last_error(ctx), why) || strncmp(rd_last_error(ctx), "p: ", 3) != 0)
        fail_msg("'%s': %s", to, rd_last_error(ctx));
    rd_text_free(ctx, text);
}

static void contradictions_are_refused_with_the_reason(void **state) {
    rd_ctx *ctx = *state;
    assert_refused(ctx, "[0, 0, 5, 0]", "[0, 0, 6, 0]", "do not add up");
    assert_refused(ctx, "[0, 0, 5, 0]", "[0, 0, 18446744073709551615, 0]", "2^64");
    assert_refused(ctx, "\"infinite\": 9", "\"infinite\": 18446744073709551615", "do not add up");
    assert_refused(ctx, "[0, 0, 5, 0]", "[0, 0, 5, 1]", "line 23 (byte");
    assert_refused(ctx, "[0, 0, 5, 0]", "[0, 0, 5, 1]", "not between low * count");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, 4]", "not between low * count");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, 1]", "not between low * count");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, 36893488147419103235]", "not between");
    assert_refused(ctx, "[2, 3, 1, 3]", "[3, 2, 1, 3]", "low is above high");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 0, 0]", "empty");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 4, 1, 3]", "not a bin of");
    assert_refused(ctx, "[2, 3, 1, 3]", "[0, 0, 1, 0]", "not ascending");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1]", "[low, high, count, sum]");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, 3, 3]", "[low, high, count, sum]");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, null]", "whole number");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, 1, 3e0]", "whole number");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 3, -1, 3]", "whole number");
    assert_refused(ctx, "[2, 3, 1, 3]", "[2, 18446744073709551616, 1, 3]", "64 bits");
    assert_refused(ctx, "[2, 3, 1, 3]", "7", "an array");
    assert_refused(ctx, "\"sums_known\": true", "\"sums_known\": false", "expected null");
    assert_refused(ctx, "\"loglinear\"", "\"log\"", "not a bin of");
    assert_refused(ctx, "\"loglinear\"", "\"edgy\"", "unknown bins");
    assert_refused(ctx, "\"loglinear\"", "\"linear:0\"", "the width must be at least 1");
    assert_refused(ctx, "\"bound\": null", "\"bound\": 2000", "below the bound");
    assert_refused(ctx, "\"bound\": null", "\"bound\": 0", "null");
    assert_refused(ctx, "\"cold\": 9", "\"cold\": 10", "above \"infinite\"");
    assert_refused(ctx, "\"blocks\": 9", "\"blocks\": 56", "above \"references\"");
    assert_refused(ctx, "\"block_bytes\": 64", "\"block_bytes\": 65", "power of two");
    assert_refused(ctx, "\"block_bytes\": 64", "\"block_bytes\": 0", "null");
    assert_refused(ctx, "\"kinds\": \"LS\"", "\"kinds\": \"LX\"", "letters L, S and I");
    assert_refused(ctx, "\"exact\": true", "\"exact\": false", "contradict");
    assert_refused(ctx, "\"kind\": \"exact\"", "\"kind\": \"relative\"", "contradict");
    assert_refused(ctx, "\"kind\": \"exact\"", "\"sort\": \"exact\"", "no \"kind\"");
    assert_refused(ctx, "\"bound\": 0}", "\"bound\": 0.5}", "exact but");
    assert_refused(ctx, "\"bound\": 0}", "\"bound\": -1}", "negative");
    assert_refused(ctx, "\"seconds\": 0", "\"seconds\": -0", "negative");
    assert_refused(ctx, "\"references\": 55,", "", "no \"references\"");
    assert_refused(ctx, "\"cold\": 9", "\"cold\": 9, \"cold\": 9", "twice");
    assert_refused(ctx, "\"path\": \"some/file\"", "\"path\": \"x\", \"path\": \"y\"", "twice");
    assert_refused(ctx, "\"infinite\": 9", "\"infinite\": \"9\"", "whole number");
}

static void other_schemas_are_refused_by_name(void **state) {
    rd_ctx *ctx = *state;
    assert_refused(ctx, "profile/1", "profile/2", "only reusedist.profile/1");
    assert_refused(ctx, "profile/1", "profile/10", "only reusedist.profile/1");
    assert_refused(ctx, "reusedist.profile/1", "reusedist.model/1",
                   "this is not a profile: its schema is");
    assert_refused(ctx, "\"schema\": \"reusedist.profile/1\",", "", "no \"schema\"");
    static const char *const others[] = {"", "[]", "1 2 3\n", "I  04000000,4\n", "\x1f\x8b"};
    for (size_t i = 0; i < RDI_COUNT(others); i++) {
        assert_int_equal(parse(ctx, others[i], strlen(others[i])), RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), "not a profile"));
    }
}

static void later_minor_versions_unknown_keys_and_any_order_are_accepted(void **state) {
    static const char text[] =
        "{\"histogram\":[[0,0,1,0]],\"extra\":{\"a\":[1,{\"b\":null}]},\"infinite\":1,"
        "\"binning\":\"full\",\"error\":{\"kind\":\"exact\",\"more\":[]},\"exact\":true,"
        "\"references\":2,\"schema\":\"reusedist.profile/1.7\"}";
    rd_profile *p = NULL;
    assert_int_equal(rd_profile_parse(*state, "p", text, sizeof text - 1, &p), RD_OK);
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    assert_true(facts->blocks == RD_UNKNOWN && facts->cold == RD_UNKNOWN);
    assert_true(facts->block_bytes == 0 && facts->bound == 0);
    assert_true(facts->sums_known && !facts->partial);
    assert_null(facts->engine);
    assert_string_equal(rd_profile_note(p),
                        "this profile has sections that this release does not know "
                        "and skips; to read them, use a later release: extra");
    rd_profile_free(p);
}

#define SMALL(more)                                                                                \
    "{\"schema\":\"reusedist.profile/1.9\",\"references\":1,\"infinite\":1,\"exact\":true,"        \
    "\"error\":{\"kind\":\"exact\"},\"binning\":\"log\"," more "\"histogram\":[]}"

static void unknown_sections_are_named_in_a_note(void **state) {
    static const struct {
        const char *text, *names; /* NULL: no note */
    } cases[] = {
        {SMALL(""), NULL},
        {SMALL("\"tool\":\"mine 1.0\","), NULL},
        {SMALL("\"sizes\":[1],\"shadows\":null,"), ": sizes, shadows"},
        {SMALL("\"\\u001b[31m\":1,\"\":2,"), ": (no name), (no name)"},
    };
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        rd_profile *p = NULL;
        assert_int_equal(rd_profile_parse(*state, "p", cases[i].text, strlen(cases[i].text), &p),
                         RD_OK);
        const char *note = rd_profile_note(p);
        assert_true((note != NULL) == (cases[i].names != NULL));
        if (note)
            assert_string_equal(strchr(note, ':'), cases[i].names);
        char *text = NULL;
        size_t n = 0; /* skipped sections are not written again */
        assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
        assert_null(strstr(text, "shadows"));
        rd_text_free(*state, text);
        rd_profile_free(p);
    }
}

static void a_long_note_is_cut(void **state) {
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, "{");
    for (size_t i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "\"an_unknown_section_%zu\":1,", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", &SMALL("")[1]);
    rd_profile *p = NULL;
    assert_int_equal(rd_profile_parse(*state, "p", text, n, &p), RD_OK);
    assert_true(strlen(rd_profile_note(p)) < 512);
    rd_profile_free(p);
}

/* ---- files ---- */

static void files_are_read_and_failures_name_them(void **state) {
    char *text = valid_text(*state), *path = files_path();
    rd_profile *p = NULL;
    assert_int_equal(rd_profile_read(*state, path, &p), RD_EIO);
    assert_non_null(strstr(rd_last_error(*state), path));
    files_write(path, text, strlen(text));
    assert_int_equal(rd_profile_read(*state, path, &p), RD_OK);
    rd_profile_free(p);
    files_write(path, text, strlen(text) / 2);
    assert_int_equal(rd_profile_read(*state, path, &p), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(*state), path));
    assert_int_equal(rd_profile_read(*state, "/", &p), RD_EIO);
    files_remove(path);
    rd_text_free(*state, text);
}

static void an_endless_stream_that_is_no_profile_is_left_early(void **state) {
    rd_profile *p = NULL;
    rd_ctx_set_limit(*state, 1 << 20);
    assert_int_equal(rd_profile_read(*state, "/dev/zero", &p), RD_EFORMAT);
    assert_non_null(strstr(rd_last_error(*state), "not a profile"));
    rd_ctx_set_limit(*state, 0);
}

static void many_rows_are_read_in_linear_time(void **state) {
    rd_binning full = {RD_BINS_FULL, 0};
    size_t n = 200000;
    profiles_point *points = malloc(n * sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < n; i++)
        points[i] = (profiles_point){i, i + 1};
    assert_round_trip(*state, profiles_make(*state, NULL, full, points, n));
    free(points);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, context_new, context_free)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(random_profiles_survive_a_round_trip_in_every_binning),
        CASE(sums_above_64_bits_survive_a_round_trip),
        CASE(largest_numbers_survive_a_round_trip),
        CASE(everything_unknown_or_absent_survives_a_round_trip),
        CASE(odd_names_of_sources_survive_a_round_trip),
        CASE(unknown_sums_are_null_and_stay_unknown),
        CASE(the_text_is_the_documented_one),
        CASE(every_truncation_is_refused),
        CASE(every_changed_byte_is_survived),
        CASE(every_refused_allocation_is_survived),
        CASE(contradictions_are_refused_with_the_reason),
        CASE(other_schemas_are_refused_by_name),
        CASE(later_minor_versions_unknown_keys_and_any_order_are_accepted),
        CASE(unknown_sections_are_named_in_a_note),
        CASE(a_long_note_is_cut),
        CASE(files_are_read_and_failures_name_them),
        CASE(an_endless_stream_that_is_no_profile_is_left_early),
        CASE(many_rows_are_read_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
