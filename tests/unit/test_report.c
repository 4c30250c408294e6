/* Tests reports: numbers with units, complete tables, and text that fits the terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/paper.h"
#include "reusedist/engine.h"
#include "reusedist/report.h"
#include "support/faults.h"
#include "support/profiles.h"

#include <stdio.h>
#include <string.h>

static int new_ctx(void **state) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    *state = ctx;
    return 0;
}

static int free_ctx(void **state) {
    assert_int_equal(rd_ctx_live_bytes(*state), 0);
    rd_ctx_free(*state);
    return 0;
}

static void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is missing in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part) {
    if (strstr(text, part))
        fail_msg("'%s' should not be in:\n%s", part, text);
}

/* ---- numbers ---- */

static void counts_have_three_digits_and_a_unit(void **state) {
    (void)state;
    static const struct {
        double count;
        const char *text;
    } cases[] = {{0, "0"},          {9999, "9999"},      {10000, "10 k"},    {12345, "12.3 k"},
                 {123456, "123 k"}, {999499, "999 k"},   {999999, "1.00 M"}, {1e6, "1 M"},
                 {50e6, "50 M"},    {1.234e9, "1.23 G"}, {99.96e6, "100 M"}, {1.8e19, "18 E"}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        char text[16];
        rd_format_count(cases[i].count, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void bytes_have_binary_units(void **state) {
    (void)state;
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {512, "512 B"},
                 {1024, "1 KiB"},
                 {1536, "1.50 KiB"},
                 {32768, "32 KiB"},
                 {1048575, "1.00 MiB"},
                 {0x1p20 * 99.9, "99.9 MiB"},
                 {0x1p64, "16 EiB"},
                 {0x1p74, "16384 EiB"}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        char text[16];
        rd_format_bytes(cases[i].bytes, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void shares_are_never_rounded_to_nothing_or_all(void **state) {
    (void)state;
    static const struct {
        double share;
        const char *text;
    } cases[] = {{0, "0 %"},           {1e-9, "<0.01 %"},       {0.00007, "0.01 %"},
                 {0.0042, "0.42 %"},   {0.031, "3.1 %"},        {0.5, "50.0 %"},
                 {0.999, "99.9 %"},    {0.9992, "99.9 %"},      {0.9996, "99.96 %"},
                 {0.99992, "99.99 %"}, {0.9999999, ">99.99 %"}, {1, "100 %"}};
    for (size_t i = 0; i < RDI_COUNT(cases); i++) {
        char text[RDI_FORMAT_ROOM];
        rdi_format_share(cases[i].share, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- tables ---- */

static const profiles_point points[] = {{0, 50}, {1, 20},   {5, 10},
                                        {6, 10}, {3000, 5}, {RD_COLD, 5}};

static char *csv_of(rd_ctx *ctx, rd_binning binning, bool sums_known) {
    rd_profile_facts facts = profiles_facts();
    facts.sums_known = sums_known;
    rd_profile *p = profiles_make(ctx, &facts, binning, points, RDI_COUNT(points));
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_csv(p, &text, &n), RD_OK);
    assert_int_equal(strlen(text), n);
    rd_profile_free(p);
    return text;
}

static void csv_of_a_full_histogram_has_distances(void **state) {
    char *text = csv_of(*state, (rd_binning){RD_BINS_FULL, 0}, true);
    assert_string_equal(text, "distance,count\n0,50\n1,20\n5,10\n6,10\n3000,5\ninf,5\n");
    rd_text_free(*state, text);
}

static void csv_of_bins_has_both_ends_and_the_mean(void **state) {
    char *text = csv_of(*state, (rd_binning){RD_BINS_LOGLINEAR, 0}, true);
    assert_string_equal(text, "low,high,count,mean\n0,0,50,0\n1,1,20,1\n4,7,20,5.5\n"
                              "2048,4095,5,3000\ninf,inf,5,\n");
    rd_text_free(*state, text);
}

static void csv_leaves_an_unknown_mean_empty(void **state) {
    char *text = csv_of(*state, (rd_binning){RD_BINS_LOG, 0}, false);
    assert_contains(text, "\n4,7,20,\n");
    rd_text_free(*state, text);
}

/* ---- text ---- */

static rd_profile *random_profile(rd_ctx *ctx, rdi_rng *rng, rd_binning binning) {
    profiles_point random[40];
    rd_profile_facts facts = profiles_facts();
    facts.block_bytes = rdi_rng_below(rng, 3) ? UINT64_C(1) << rdi_rng_below(rng, 20) : 0;
    size_t n = (size_t)rdi_rng_below(rng, RDI_COUNT(random)) + 1;
    profiles_random(rng, UINT64_C(1) << (1 + rdi_rng_below(rng, 30)), 1000000, random, n);
    return profiles_make(ctx, &facts, binning, random, n);
}

static char *text_of(rd_profile *p, rd_report_style style) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_text(p, &style, &text, &n), RD_OK);
    assert_int_equal(strlen(text), n);
    return text;
}

static unsigned widest_line(const char *text) {
    unsigned widest = 0;
    while (*text) {
        char line[2048];
        size_t n = strcspn(text, "\n");
        assert_true(n < sizeof line);
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        unsigned columns = rdi_text_columns(line);
        widest = columns > widest ? columns : widest;
        text += n + (text[n] == '\n');
    }
    return widest;
}

static void no_line_is_wider_than_the_terminal(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {7};
    static const rd_binning binnings[] = {
        {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LOG, 0}, {RD_BINS_LINEAR, 777}};
    for (int round = 0; round < 300; round++) {
        rd_profile *p = random_profile(ctx, &rng, binnings[round % 3]);
        rd_report_style style = {.size = sizeof style,
                                 .width = 66 + (unsigned)rdi_rng_below(&rng, 100),
                                 .unicode = round % 2 == 0};
        char *text = text_of(p, style);
        if (widest_line(text) > style.width)
            fail_msg("wider than %u:\n%s", style.width, text);
        rd_text_free(ctx, text);
        rd_profile_free(p);
    }
}

static void plain_text_is_ascii_without_escapes(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {8};
    for (int round = 0; round < 100; round++) {
        rd_profile *p = random_profile(ctx, &rng, (rd_binning){RD_BINS_LOGLINEAR, 0});
        char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
        for (const char *at = text; *at; at++)
            assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        rd_text_free(ctx, text);
        rd_profile_free(p);
    }
}

static void color_changes_nothing_but_the_color(void **state) {
    rd_ctx *ctx = *state;
    rdi_rng rng = {9};
    rd_profile *p = random_profile(ctx, &rng, (rd_binning){RD_BINS_LOGLINEAR, 0});
    char *plain = text_of(
        p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80, .unicode = true});
    char *colored = text_of(
        p, (rd_report_style){
               .size = sizeof(rd_report_style), .width = 80, .unicode = true, .color = true});
    assert_contains(colored, "\033[");
    char *to = colored;
    for (const char *from = colored; *from;)
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    *to = '\0';
    assert_string_equal(colored, plain);
    rd_text_free(ctx, plain);
    rd_text_free(ctx, colored);
    rd_profile_free(p);
}

static void the_report_has_the_numbers_of_the_profile(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p =
        profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, RDI_COUNT(points));
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "references       100: loads and stores\n");
    assert_contains(text, "first touches    5.0 %, 5: no cache avoids these\n");
    assert_contains(text, "median 0, mean 159 blocks\n"); /* 15130 / 95: finite distances only */
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void a_bounded_report_says_nothing_beyond_the_bound(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    facts.bound = 100;
    static const profiles_point bounded[] = {{0, 60}, {80, 30}, {RD_COLD, 10}};
    rd_profile *p = profiles_make(ctx, &facts, (rd_binning){RD_BINS_LOG, 0}, bounded, 3);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "64 - 99");
    assert_contains(text, "beyond the bound");
    assert_contains(text, "footprint        unknown");
    assert_lacks(text, "achievable hits");
    assert_lacks(text, "first touches only");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void a_partial_profile_is_marked(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p =
        profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOG, 0}, points, RDI_COUNT(points));
    rd_profile_set_partial(p, true);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "The results cover the run up to the end of the trace.");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void without_reuse_no_cache_helps(void **state) {
    rd_ctx *ctx = *state;
    static const profiles_point cold[] = {{RD_COLD, 1000}};
    rd_profile *p = profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOG, 0}, cold, 1);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "no block was used twice");
    assert_contains(text, "no cache of any size would help");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* Tests that the report of a bounded profile does not claim that no block is used twice: reuses may
 * be beyond the bound. */
static void reuse_beyond_the_bound_is_not_denied(void **state) {
    rd_ctx *ctx = *state;
    static const profiles_point cold[] = {{RD_COLD, 1000}};
    rd_profile_facts facts = profiles_facts();
    facts.bound = 64;
    rd_profile *p = profiles_make(ctx, &facts, (rd_binning){RD_BINS_LOG, 0}, cold, 1);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "no reuse has a distance below the bound");
    assert_contains(text, "No reuse has a distance below the bound.");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void an_empty_profile_is_told_as_such(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOG, 0}, NULL, 0);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style)});
    assert_contains(text, "nothing: the trace has no references");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void absurd_numbers_do_no_harm(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    facts.references = UINT64_MAX;
    facts.blocks = UINT64_MAX - 1;
    facts.block_bytes = UINT64_C(1) << 63;
    facts.cold = facts.infinite = 1;
    const rd_bin bins[] = {{.low = 0, .high = 0, .count = UINT64_MAX / 2, .sum = {0, 0}},
                           {.low = UINT64_MAX - 1,
                            .high = UINT64_MAX - 1,
                            .count = UINT64_MAX / 2,
                            .sum = {UINT64_MAX, UINT64_MAX / 2}}};
    rd_profile *p = NULL;
    assert_int_equal(rdi_profile_new(ctx, &facts, bins, 2, &p), RD_OK);
    for (unsigned width = 0; width < 200; width += 13) {
        char *text = text_of(
            p, (rd_report_style){.size = sizeof(rd_report_style), .width = width, .unicode = true});
        assert_contains(text, "Cache sizes");
        rd_text_free(ctx, text);
    }
    rd_profile_free(p);
}

/* ---- miss ratios at sizes ---- */

static rd_profile *sized_profile(rd_ctx *ctx, uint64_t block_bytes, uint64_t bound) {
    rd_profile_facts facts = profiles_facts();
    facts.block_bytes = block_bytes;
    facts.bound = bound;
    static const profiles_point some[] = {{0, 50}, {5, 25}, {RD_COLD, 25}};
    return profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0}, some, RDI_COUNT(some));
}

static void mrc_csv_has_the_sizes_asked_for_in_their_order(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = sized_profile(ctx, 64, 0);
    static const uint64_t sizes[] = {6, 0, 5, UINT64_MAX};
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_mrc_csv(p, sizes, RDI_COUNT(sizes), &text, &n), RD_OK);
    assert_string_equal(text, "blocks,bytes,miss_ratio\n6,384,0.25\n0,0,1\n5,320,0.5\n"
                              "18446744073709551615,1180591620717411303360,0.25\n");
    assert_int_equal(strlen(text), n);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void mrc_sizes_default_to_powers_of_two_up_to_the_footprint(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = sized_profile(ctx, 0, 0); /* 25 blocks */
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_mrc_csv(p, NULL, 0, &text, &n), RD_OK);
    assert_string_equal(text, "blocks,bytes,miss_ratio\n1,,0.5\n2,,0.5\n4,,0.5\n8,,0.25\n"
                              "16,,0.25\n32,,0.25\n");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void mrc_sizes_end_with_the_bound_and_none_is_above(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = sized_profile(ctx, 0, 6);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_mrc_csv(p, NULL, 0, &text, &n), RD_OK);
    assert_string_equal(text, "blocks,bytes,miss_ratio\n1,,0.5\n2,,0.5\n4,,0.5\n6,,0.25\n");
    rd_text_free(ctx, text);
    text = NULL;
    const uint64_t above = 7;
    rd_report_style style = {.size = sizeof style};
    assert_int_equal(rd_report_mrc_csv(p, &above, 1, &text, &n), RD_EINVAL);
    assert_int_equal(rd_report_mrc_json(p, &above, 1, &text, &n), RD_EINVAL);
    assert_int_equal(rd_report_mrc_text(p, &style, &above, 1, &text, &n), RD_EINVAL);
    assert_null(text);
    rd_profile_free(p);
}

static void mrc_json_tells_what_is_interpolated(void **state) {
    rd_ctx *ctx = *state;
    rd_profile_facts facts = profiles_facts();
    static const profiles_point some[] = {{4, 50}, {7, 50}};
    rd_profile *p = profiles_make(ctx, &facts, (rd_binning){RD_BINS_LOG, 0}, some, 2);
    static const uint64_t sizes[] = {4, 6};
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_mrc_json(p, sizes, 2, &text, &n), RD_OK);
    assert_contains(text, "\"schema\": \"reusedist.mrc/1\"");
    assert_contains(text, "{\"blocks\": 4, \"bytes\": 256, \"miss_ratio\": 1, "
                          "\"interpolated\": false}");
    assert_contains(text, "{\"blocks\": 6, \"bytes\": 384, \"miss_ratio\": 0.5, "
                          "\"interpolated\": true}");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* Makes the profile of a sample of half of the blocks. The tests use cache sizes far from the only
 * finite distance, 1000, so that the band is the miss ratio plus and minus the half width,
 * within 0 and 1. */
static rd_profile *sampled_profile(rd_ctx *ctx) {
    rd_profile_facts facts = profiles_facts();
    facts.exact = false;
    facts.error_kind = "sampled";
    facts.error_bound = 0.125;
    facts.sample_rate = 0.5;
    for (size_t i = 0; i < RDI_COUNT(facts.half_width); i++)
        facts.half_width[i] = 0.125;
    static const profiles_point some[] = {{1000, 50}, {RD_COLD, 50}};
    return profiles_make(ctx, &facts, (rd_binning){RD_BINS_FULL, 0}, some, RDI_COUNT(some));
}

static void mrc_csv_and_json_of_a_sample_have_its_band(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = sampled_profile(ctx);
    static const uint64_t sizes[] = {100, 4000};
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_report_mrc_csv(p, sizes, 2, &text, &n), RD_OK);
    assert_string_equal(text, "blocks,bytes,miss_ratio,low,high\n100,6400,1,0.875,1\n"
                              "4000,256000,0.5,0.375,0.625\n");
    rd_text_free(ctx, text);
    assert_int_equal(rd_report_mrc_json(p, sizes, 2, &text, &n), RD_OK);
    assert_contains(text, "\"miss_ratio\": 0.5, \"interpolated\": false, \"low\": 0.375, "
                          "\"high\": 0.625}");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void a_sample_says_its_rate_and_error(void **state) {
    rd_ctx *ctx = *state;
    rd_profile *p = sampled_profile(ctx);
    char *text = text_of(p, (rd_report_style){.size = sizeof(rd_report_style), .width = 80});
    assert_contains(text, "estimated from 50.0 % of the blocks, engine ");
    assert_contains(text, "miss ratios are at most +/-12.5 points off (95 % confidence)");
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* ---- memory ---- */

static rd_status make_all(rd_ctx *ctx, void *user) {
    (void)user;
    rd_profile_facts facts = profiles_facts();
    const rd_bin bins[] = {{.low = 0, .high = 0, .count = 10},
                           {.low = 100, .high = 100, .count = 80}};
    facts.references = 100;
    facts.cold = facts.infinite = 10;
    facts.blocks = 101;
    rd_profile *p = NULL;
    char *text = NULL;
    size_t n = 0;
    rd_status status = rdi_profile_new(ctx, &facts, bins, 2, &p);
    if (status == RD_OK)
        status = rd_report_csv(p, &text, &n);
    rd_text_free(ctx, text);
    text = NULL;
    if (status == RD_OK)
        status = rd_report_text(p, NULL, &text, &n);
    rd_text_free(ctx, text);
    text = NULL;
    if (status == RD_OK)
        status = rd_report_mrc_text(p, NULL, NULL, 0, &text, &n);
    rd_text_free(ctx, text);
    text = NULL;
    if (status == RD_OK)
        status = rd_report_mrc_json(p, NULL, 0, &text, &n);
    rd_text_free(ctx, text);
    text = NULL;
    if (status == RD_OK)
        status = rd_report_mrc_csv(p, NULL, 0, &text, &n);
    rd_text_free(ctx, text);
    rd_profile_free(p);
    return status;
}

static void every_refused_allocation_is_survived(void **state) {
    (void)state;
    assert_true(faults_inject("reports", make_all, NULL, RD_OK) > 5);
}

static void a_word_is_never_cut(void **state) {
    char text[1200];
    rdi_paper paper = {.t = rdi_text_start(*state), .style = {.width = 80}};
    memset(text, 'x', sizeof text);
    text[600] = ' ';
    text[sizeof text - 1] = '\0';
    rdi_paper_wrap(&paper, text);
    rdi_text_putc(&paper.t, '\0');
    assert_int_equal(paper.t.status, RD_OK);
    text[600] = '\n';
    assert_memory_equal(paper.t.data, text, sizeof text - 1);
    assert_string_equal(paper.t.data + sizeof text - 1, "\n");
    rdi_free(*state, paper.t.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_have_three_digits_and_a_unit),
        cmocka_unit_test(bytes_have_binary_units),
        cmocka_unit_test(shares_are_never_rounded_to_nothing_or_all),
        cmocka_unit_test(csv_of_a_full_histogram_has_distances),
        cmocka_unit_test(csv_of_bins_has_both_ends_and_the_mean),
        cmocka_unit_test(csv_leaves_an_unknown_mean_empty),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(a_word_is_never_cut),
        cmocka_unit_test(plain_text_is_ascii_without_escapes),
        cmocka_unit_test(color_changes_nothing_but_the_color),
        cmocka_unit_test(the_report_has_the_numbers_of_the_profile),
        cmocka_unit_test(a_bounded_report_says_nothing_beyond_the_bound),
        cmocka_unit_test(a_partial_profile_is_marked),
        cmocka_unit_test(without_reuse_no_cache_helps),
        cmocka_unit_test(reuse_beyond_the_bound_is_not_denied),
        cmocka_unit_test(an_empty_profile_is_told_as_such),
        cmocka_unit_test(absurd_numbers_do_no_harm),
        cmocka_unit_test(mrc_csv_has_the_sizes_asked_for_in_their_order),
        cmocka_unit_test(mrc_sizes_default_to_powers_of_two_up_to_the_footprint),
        cmocka_unit_test(mrc_sizes_end_with_the_bound_and_none_is_above),
        cmocka_unit_test(mrc_json_tells_what_is_interpolated),
        cmocka_unit_test(mrc_csv_and_json_of_a_sample_have_its_band),
        cmocka_unit_test(a_sample_says_its_rate_and_error),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
