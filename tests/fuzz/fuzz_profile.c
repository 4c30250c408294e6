/* Fuzz target for the profile file, and for all functions that use a profile from a file. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

/* Checks that a profile that is written, read back and written again is the same text both times. */
static void check_round_trip(rd_ctx *ctx, rd_profile *p) {
    char *first = NULL, *second = NULL;
    size_t n = 0, m = 0;
    rd_profile *again = NULL;
    FUZZ_CHECK(rd_profile_json(p, &first, &n) == RD_OK, "cannot write: %s", rd_last_error(ctx));
    FUZZ_CHECK(rd_profile_parse(ctx, "again", first, n, &again) == RD_OK, "cannot read back: %s",
               rd_last_error(ctx));
    FUZZ_CHECK(rd_profile_json(again, &second, &m) == RD_OK, "cannot write again");
    FUZZ_CHECK(n == m && memcmp(first, second, n) == 0,
               "the text differs after it was read and written again:\n%s\n%s", first, second);
    rd_text_free(ctx, first);
    rd_text_free(ctx, second);
    rd_profile_free(again);
}

/* Checks that the curve starts at 0 blocks, never rises, and agrees with rd_mrc_at() at each of its sizes. */
static void check_curve(rd_ctx *ctx, const rd_profile *p) {
    rd_mrc_point *points = NULL;
    size_t n = 0;
    rd_status status = rd_mrc_curve(ctx, p, &points, &n);
    fuzz_check_failure(ctx, status);
    if (status != RD_OK)
        return;
    FUZZ_CHECK(n > 0 && points[0].blocks == 0, "the curve does not begin at 0 blocks");
    for (size_t i = 0; i < n; i++) {
        double at = 0;
        FUZZ_CHECK(points[i].miss_ratio >= 0 && points[i].miss_ratio <= 1,
                   "the miss ratio %g is not between 0 and 1", points[i].miss_ratio);
        FUZZ_CHECK(i == 0 || (points[i].blocks > points[i - 1].blocks &&
                              points[i].miss_ratio <= points[i - 1].miss_ratio),
                   "the curve rises at point %zu, or its sizes do not ascend", i);
        FUZZ_CHECK(rd_mrc_at(ctx, p, points[i].blocks, &at, NULL) == RD_OK, "no miss ratio: %s",
                   rd_last_error(ctx));
        FUZZ_CHECK(fabs(at - points[i].miss_ratio) < 1e-9,
                   "the miss ratio is %g on the curve, but %g for this size alone",
                   points[i].miss_ratio, at);
    }
    rd_mrc_free(ctx, points);
    rd_knee knees[4];
    FUZZ_CHECK(rd_knees(p, knees, 4) <= 4, "too many knees");
    FUZZ_CHECK(rd_smallest_cache(p, 0.9) <= rd_smallest_cache(p, 0.99),
               "90 %% of the hits need a larger cache than 99 %%");
}

static void check_rebin(rd_ctx *ctx, rd_profile *p) {
    static const rd_binning to[] = {
        {RD_BINS_LOG, 0}, {RD_BINS_LOGLINEAR, 0}, {RD_BINS_LINEAR, 4096}, {RD_BINS_REFERENCE, 7}};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        rd_profile *coarse = NULL;
        fuzz_check_failure(ctx, rd_profile_rebin(p, to[i], &coarse));
        FUZZ_CHECK(!coarse || rd_profile_facts_of(coarse)->references ==
                                  rd_profile_facts_of(p)->references,
                   "coarser bins change the number of references");
        rd_profile_free(coarse);
    }
}

static void check_merge(rd_ctx *ctx, rd_profile *p) {
    rd_profile *const parts[] = {p, p};
    rd_profile *sum = NULL;
    fuzz_check_failure(ctx, rd_profile_merge(ctx, parts, 2, &sum));
    rd_profile_free(sum);
}

static void check_reports(rd_ctx *ctx, rd_profile *p) {
    char *text = NULL;
    size_t n = 0;
    fuzz_check_failure(ctx, rd_report_csv(p, &text, &n));
    rd_text_free(ctx, text);
    text = NULL;
    fuzz_check_failure(
        ctx, rd_report_text(p, &(rd_report_style){.size = sizeof(rd_report_style), .unicode = true},
                            &text, &n));
    rd_text_free(ctx, text);
}

/* Checks that the page can be made and has exactly four scripts, whatever text the profile contains. */
static void check_page(rd_ctx *ctx, rd_profile *p) {
    static const rd_level level = {.name = "L1", .bytes = 32768};
    rd_profile *const both[] = {p, p};
    const char *const names[] = {"before", "after"};
    char *text = NULL;
    size_t n = 0, scripts = 0;
    rd_status status = rd_report_html(ctx,
                                      &(rd_page){.size = sizeof(rd_page),
                                                 .profiles = both,
                                                 .names = names,
                                                 .n = 2,
                                                 .levels = &level,
                                                 .n_levels = 1},
                                      &text, &n);
    FUZZ_CHECK(status == RD_OK, "no page: %s", rd_last_error(ctx));
    for (const char *at = text; (at = strstr(at, "</script")); at++)
        scripts++;
    FUZZ_CHECK(scripts == 4, "the page has %zu scripts instead of 4", scripts);
    rd_text_free(ctx, text);
}

/* Checks that the sums of the counts of lines, pairs and data stay the same when rd_profile_show_own() moves counts to
 * own code, also in a second call. */
static void check_own(rd_ctx *ctx, rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    uint64_t pairs = 0, pairs_after = 0, lines = 0, misses = 0, misses_after = 0;
    if (!d || !d->attribution)
        return;
    for (size_t i = 0; i < d->attribution->n_pairs; i++)
        pairs += d->attribution->pairs[i].count;
    for (size_t i = 0; i < d->attribution->n_line_data; i++)
        misses += d->attribution->line_data[i].misses[0];
    static const char *const own[] = {"/", "src"};
    fuzz_check_failure(ctx, rd_profile_show_own(p, NULL, 0));
    fuzz_check_failure(ctx, rd_profile_show_own(p, own, 2));
    for (size_t i = 0; i < d->attribution->n_lines; i++)
        lines += d->attribution->lines[i].share.references;
    for (size_t i = 0; i < d->attribution->n_pairs; i++)
        pairs_after += d->attribution->pairs[i].count;
    for (size_t i = 0; i < d->attribution->n_line_data; i++)
        misses_after += d->attribution->line_data[i].misses[0];
    FUZZ_CHECK(lines == rd_profile_facts_of(p)->references,
               "the references of the lines do not add up to all references");
    FUZZ_CHECK(pairs == pairs_after, "the sum of the reuses of all pairs has changed");
    FUZZ_CHECK(misses == misses_after, "the sum of the misses of all data has changed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    rd_ctx *ctx = fuzz_ctx_new();
    rd_profile *p = NULL;
    rd_status status = rd_profile_parse(ctx, "input", (const char *)data, n, &p);
    fuzz_check_failure(ctx, status);
    if (status == RD_OK) {
        check_round_trip(ctx, p);
        check_curve(ctx, p);
        check_rebin(ctx, p);
        check_merge(ctx, p);
        check_reports(ctx, p);
        check_page(ctx, p);
        check_own(ctx, p);
        check_reports(ctx, p);
        check_page(ctx, p);
    }
    rd_profile_free(p);
    fuzz_ctx_free(ctx);
    return 0;
}
