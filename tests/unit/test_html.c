/* Tests rd_report_html(): reducing curves loses nothing visible, sums stay the same, and text from
 * a profile never becomes markup. tests/report tests the page in a browser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/html_data.h"
#include "reusedist/report.h"
#include "support/faults.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define POINTS 5000

static const rd_level levels[] = {{.name = "L1", .bytes = 32768}, {.name = "L2", .bytes = 1 << 20}};

static rd_profile *random_profile(rd_ctx *in, rd_binning binning, uint64_t max_distance) {
    static profiles_point points[POINTS];
    rdi_rng rng = {max_distance};
    profiles_random(&rng, max_distance, 1000, points, POINTS);
    points[0] = (profiles_point){RD_COLD, max_distance < 100000 ? 100000 : max_distance};
    return profiles_make(in, NULL, binning, points, POINTS);
}

/* Makes the page, which the caller frees. */
static void make_page(rd_profile *const *profiles, const char *const *names, size_t n,
                      char **text) {
    rd_page page = {.size = sizeof page,
                    .profiles = profiles,
                    .names = names,
                    .n = n,
                    .levels = levels,
                    .n_levels = RDI_COUNT(levels),
                    .levels_from = "of the test"};
    size_t bytes = 0;
    assert_int_equal(rd_report_html(ctx, &page, text, &bytes), RD_OK);
    assert_int_equal(strlen(*text), bytes);
}

static void check_page(rd_profile *const *profiles, const char *const *names, size_t n) {
    char *text = NULL;
    make_page(profiles, names, n, &text);
    rd_text_free(ctx, text);
}

static size_t count_of(const char *text, const char *part) {
    size_t n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* ---- curves ---- */

/* Returns the miss ratio that a chart shows at `blocks`. The chart draws straight lines between the
 * points of the reduced curve, and its chart axis of sizes is logarithmic. */
static double read_curve(const rd_mrc_point *points, size_t n, uint64_t blocks) {
    size_t i = 1;
    while (i + 1 < n && points[i].blocks < blocks)
        i++;
    double from = log2((double)points[i - 1].blocks), to = log2((double)points[i].blocks);
    double part = (log2((double)blocks) - from) / (to - from);
    return points[i - 1].miss_ratio + part * (points[i].miss_ratio - points[i - 1].miss_ratio);
}

static void check_reduced(rd_binning binning, uint64_t max_distance) {
    rd_profile *p = random_profile(ctx, binning, max_distance);
    rd_mrc_point *points = NULL;
    size_t n = 0;
    assert_int_equal(rdi_html_curve(ctx, p, &points, &n), RD_OK);
    assert_in_range(n, 2, 2100);
    assert_int_equal(points[0].blocks, 1);
    assert_int_equal(points[n - 1].blocks, rdi_html_end(p));
    /* Compares 64 sizes per octave. The curve may show the miss ratio of a size that is 1/400
     * smaller, which is less than half a pixel away in a chart with 2,000 pixels for 20 octaves. */
    for (double size = 1; size < (double)points[n - 1].blocks; size *= exp2(1 / 64.0)) {
        double exact = 0, before = 0;
        uint64_t blocks = (uint64_t)size, less = blocks - blocks / 400;
        assert_int_equal(rd_mrc_at(ctx, p, blocks, &exact, NULL), RD_OK);
        assert_int_equal(rd_mrc_at(ctx, p, less, &before, NULL), RD_OK);
        double drawn = read_curve(points, n, blocks);
        assert_true(drawn >= exact - 0.001 && drawn <= before + 0.001);
    }
    rd_mrc_free(ctx, points);
    rd_profile_free(p);
}

static void reduced_curves_look_the_same(void **state) {
    (void)state;
    check_reduced((rd_binning){RD_BINS_FULL, 0}, 3);
    check_reduced((rd_binning){RD_BINS_FULL, 0}, 1 << 20);
    check_reduced((rd_binning){RD_BINS_LOGLINEAR, 0}, 1 << 24);
    check_reduced((rd_binning){RD_BINS_LOG, 0}, UINT64_C(1) << 40);
}

/* ---- bins ---- */

static void check_edges(rdi_html_axis axis, rdi_html_bins bins, size_t most) {
    size_t n = 0;
    for (uint64_t edge = 0, next; edge < axis.end; edge = next, n++) {
        next = rdi_html_next_edge(&axis, bins, edge);
        assert_true(next > edge);
        if (bins == RDI_HTML_FINE && axis.granule == 2048 && edge >= 2048)
            assert_int_equal(edge % axis.granule, 0);
    }
    assert_in_range(n, 1, most);
}

static void edges_ascend_and_are_few(void **state) {
    (void)state;
    static const uint64_t granules[] = {1, 7, 2048, UINT64_MAX}, ends[] = {1, 100, 5000, 1 << 30};
    for (size_t i = 0; i < RDI_COUNT(granules); i++)
        for (size_t k = 0; k < RDI_COUNT(ends); k++) {
            rdi_html_axis axis = {ends[k], granules[i], 1};
            check_edges(axis, RDI_HTML_LOG, 65);
            check_edges(axis, RDI_HTML_FINE, 8 * 65);
            check_edges(axis, RDI_HTML_LINEAR, 101);
        }
    check_edges((rdi_html_axis){UINT64_C(1) << 62, 2048, 1}, RDI_HTML_LINEAR, 101);
}

/* Returns the sum of the counts in the rows "[low,high,count]" of the member `name`. */
static double sum_rows(const char *text, const char *name) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":{\"rows\":[", name);
    const char *at = strstr(text, key);
    double sum = 0;
    uint64_t low, high, count;
    for (at = at ? at + strlen(key) : ""; *at == '['; at = strchr(at, ']') + 2)
        if (sscanf(at, "[%" SCNu64 ",%" SCNu64 ",%" SCNu64 "]", &low, &high, &count) == 3)
            sum += (double)count;
    return sum;
}

static void every_binning_has_all_references(void **state) {
    (void)state;
    rd_profile *p = random_profile(ctx, (rd_binning){RD_BINS_LOGLINEAR, 0}, 1 << 22);
    const rd_profile_facts *f = rd_profile_facts_of(p);
    const char *name = "p.json";
    char *text = NULL;
    make_page(&p, &name, 1, &text);
    static const char *const bins[] = {"log", "fine", "linear"};
    for (size_t i = 0; i < RDI_COUNT(bins); i++)
        assert_true(fabs(sum_rows(text, bins[i]) - (double)(f->references - f->infinite)) < 200);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* ---- hostile names ---- */

static void names_stay_data(void **state) {
    (void)state;
    rd_profile *p = random_profile(ctx, (rd_binning){RD_BINS_LOG, 0}, 1000);
    const char *plain = "name";
    const char *hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"
                          "\"'&amp;\\ \xe2\x80\xa8 \xe2\x80\xa9 \xff\xfe \x01";
    assert_int_equal(rd_profile_set_kinds(p, "LS"), RD_OK);
    assert_int_equal(rd_profile_add_source(p, &(rd_source){.path = hostile, .format = hostile}),
                     RD_OK);
    char *expected = NULL, *text = NULL;
    make_page(&p, &plain, 1, &expected);
    make_page(&p, &hostile, 1, &text);
    static const char *const parts[] = {"</script", "<script", "<!--", "<img", "&amp;"};
    for (size_t i = 0; i < RDI_COUNT(parts); i++)
        assert_int_equal(count_of(text, parts[i]), count_of(expected, parts[i]));
    assert_int_equal(count_of(text, "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"), 3);
    assert_int_equal(count_of(text, "\\u2028 \\u2029 \xef\xbf\xbd\xef\xbf\xbd \\u0001"), 3);
    rd_text_free(ctx, expected);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* ---- unusual profiles ---- */

static void odd_profiles_have_pages(void **state) {
    (void)state;
    static const char *const files[] = {
        "{\"schema\":\"reusedist.profile/1\",\"references\":0,\"infinite\":0,\"exact\":true,"
        "\"error\":{\"kind\":\"exact\"},\"binning\":\"log\",\"histogram\":[]}",
        "{\"schema\":\"reusedist.profile/1\",\"references\":5,\"infinite\":0,\"exact\":false,"
        "\"error\":{\"kind\":\"none\"},\"binning\":\"log\",\"histogram\":[]}",
        "{\"schema\":\"reusedist.profile/"
        "1\",\"references\":5,\"blocks\":5,\"cold\":5,\"infinite\":5,"
        "\"exact\":true,\"error\":{\"kind\":\"exact\"},\"binning\":\"log\",\"histogram\":[]}",
        "{\"schema\":\"reusedist.profile/1\",\"references\":5,\"infinite\":2,\"bound\":7,"
        "\"exact\":false,\"error\":{\"kind\":\"sampled\",\"bound\":0.5,\"rate\":0.5,\"half_width\":"
        "[0.5]},\"binning\":\"full\",\"histogram\":[[6,6,3,18]]}",
        "{\"schema\":\"reusedist.profile/1\",\"references\":18446744073709551615,\"infinite\":0,"
        "\"exact\":true,\"error\":{\"kind\":\"exact\"},\"binning\":\"edges\",\"histogram\":"
        "[[0,18446744073709551614,18446744073709551615,null]],\"sums_known\":false}"};
    rd_profile *all[RDI_COUNT(files)];
    const char *names[RDI_COUNT(files)];
    for (size_t i = 0; i < RDI_COUNT(files); i++) {
        names[i] = "odd";
        assert_int_equal(rd_profile_parse(ctx, "odd", files[i], strlen(files[i]), &all[i]), RD_OK);
        check_page(&all[i], &names[i], 1);
    }
    for (size_t i = 0; i + 1 < RDI_COUNT(files); i++)
        check_page(&all[i], &names[i], 2);
    check_page(all, names, RDI_COUNT(files));
    for (size_t i = 0; i < RDI_COUNT(files); i++)
        rd_profile_free(all[i]);
}

/* ---- details ---- */

/* Makes a profile with `n` functions, lines, pairs and regions, which have one reference each. All
 * references miss. */
static rd_profile *many_functions(rd_ctx *in, size_t n, const char *name) {
    rdi_text t = rdi_text_start(in);
    rdi_text_printf(
        &t,
        "{\"schema\":\"reusedist.profile/1.1\",\"references\":%zu,\"blocks\":0,\"cold\":0,"
        "\"infinite\":0,\"block_bytes\":64,\"exact\":true,\"error\":{\"kind\":\"exact\"},"
        "\"binning\":\"log\",\"levels\":[{\"name\":\"L1\",\"bytes\":64}],\"attribution\":"
        "{\"cost\":{\"seconds\":0,\"bytes\":0,\"dropped_pairs\":0},\"sources\":[\"a.c\"]",
        n);
    static const char *const lists[] = {"functions", "lines", "pairs", "data", "line_data"};
    static const char share[] = "\"references\":1,\"infinite\":0,\"distance_sum\":1,\"misses\":[1],"
                                "\"bins\":[[1,1,1]]}";
    for (size_t k = 0; k < RDI_COUNT(lists); k++) {
        rdi_text_printf(&t, ",\"%s\":[", lists[k]);
        for (size_t i = 0; i < n; i++) {
            rdi_text_puts(&t, i ? ",{" : "{");
            if (k == 0)
                rdi_text_printf(&t, "\"name\":\"%s\",\"source\":0,\"line\":1,\"module\":null,%s",
                                name, share);
            else if (k == 1)
                rdi_text_printf(&t, "\"source\":0,\"line\":%zu,\"function\":%zu,\"text\":null,%s",
                                i + 1, i, share);
            else if (k == 2)
                rdi_text_printf(&t,
                                "\"use\":0,\"reuse\":%zu,\"count\":1,\"distance_sum\":1,"
                                "\"misses\":[1]}",
                                i);
            else if (k == 3)
                rdi_text_printf(&t,
                                "\"kind\":\"heap\",\"name\":\"%s\",\"line\":null,\"bytes\":8,"
                                "\"blocks\":0,\"words_used\":null,%s",
                                name, share);
            else
                rdi_text_printf(&t, "\"line\":%zu,\"data\":%zu,\"misses\":[1]}", i, i);
        }
        rdi_text_putc(&t, ']');
    }
    rdi_text_printf(&t, ",\"snippets\":[]},\"histogram\":[[1,1,%zu,%zu]]}", n, n);
    char *text = NULL;
    size_t bytes = 0;
    rd_profile *p = NULL;
    assert_int_equal(rdi_text_take(&t, &text, &bytes), RD_OK);
    if (rd_profile_parse(in, "many", text, bytes, &p) != RD_OK)
        fail_msg("%s", rd_last_error(in));
    rd_text_free(in, text);
    return p;
}

static void long_lists_end_with_the_sum_of_the_rest(void **state) {
    (void)state;
    rd_profile *p = many_functions(ctx, 1200, "name");
    char *text = NULL;
    const char *name = "p.json";
    make_page(&p, &name, 1, &text);
    /* There are 999 rows and one row for the other 201 functions. Only rows that can be opened have
     * bins. */
    static const char named[] = "{\"name\":\"name\",\"source\":0,\"line\":1,\"module\":null,"
                                "\"references\":1,\"infinite\":0,\"distance_sum\":1,\"misses\":[1],"
                                "\"bins\":";
    static const char sum[] = "\"references\":201,\"infinite\":0,\"distance_sum\":201,"
                              "\"misses\":[201],\"bins\":[]";
    char expected[400];
    snprintf(expected, sizeof expected, "%s[[1,1,1]]}", named);
    assert_int_equal(count_of(text, expected), 250);
    snprintf(expected, sizeof expected, "%s[]}", named);
    assert_int_equal(count_of(text, expected), 749);
    static const char *const others[] = {
        "{\"name\":\"(others)\",\"source\":null,\"line\":null,\"module\":null,%s}",
        "{\"source\":null,\"line\":0,\"function\":null,\"text\":null,%s}",
        ("{\"kind\":\"other\",\"name\":\"(others)\",\"line\":null,\"bytes\":null,\"blocks\":null,%"
         "s,"
         "\"words_used\":null}")};
    for (size_t i = 0; i < RDI_COUNT(others); i++) {
        const char *place = strstr(others[i], "%s");
        snprintf(expected, sizeof expected, "%.*s%s%s", (int)(place - others[i]), others[i], sum,
                 place + 2);
        assert_int_equal(count_of(text, expected), 1);
    }
    assert_int_equal(count_of(text, "{\"use\":null,\"reuse\":null,\"count\":201,"
                                    "\"distance_sum\":201,\"misses\":[201]}"),
                     1);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

static void long_names_are_cut_between_characters(void **state) {
    (void)state;
    char name[1001] = "";
    for (size_t i = 0; i < 333; i++)
        strcat(name, "\xe2\x82\xac");
    rd_profile *p = many_functions(ctx, 1, name);
    const char *page_name = "p.json";
    char *text = NULL, expected[500] = "{\"name\":\"";
    make_page(&p, &page_name, 1, &text);
    for (size_t i = 0; i < 133; i++)
        strcat(expected, "\xe2\x82\xac");
    strcat(expected, "\xe2\x80\xa6\",\"source\":0,\"line\":1");
    assert_int_equal(count_of(text, expected), 1);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

/* ---- memory ---- */

static rd_status page_of_two(rd_ctx *in, void *user) {
    (void)user;
    static const char file[] =
        "{\"schema\":\"reusedist.profile/1\",\"references\":9,\"infinite\":2,\"exact\":true,"
        "\"error\":{\"kind\":\"exact\"},\"binning\":\"full\",\"histogram\":[[1,1,4,4],[40,40,3,120]"
        "]}";
    rd_profile *both[2] = {NULL, NULL};
    const char *names[] = {"before", "after"};
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_profile_parse(in, "a", file, sizeof file - 1, &both[0]);
    if (status == RD_OK)
        status = rd_profile_parse(in, "b", file, sizeof file - 1, &both[1]);
    if (status == RD_OK)
        status = rd_report_html(in,
                                &(rd_page){.size = sizeof(rd_page),
                                           .profiles = both,
                                           .names = names,
                                           .n = 2,
                                           .levels = levels,
                                           .n_levels = 2},
                                &text, &n);
    rd_text_free(in, text);
    rd_profile_free(both[0]);
    rd_profile_free(both[1]);
    return status;
}

static void lack_of_memory_is_survived(void **state) {
    (void)state;
    assert_true(faults_inject("a page", page_of_two, NULL, RD_OK) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reduced_curves_look_the_same, new_ctx, free_ctx),
        cmocka_unit_test(edges_ascend_and_are_few),
        cmocka_unit_test_setup_teardown(every_binning_has_all_references, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(names_stay_data, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(odd_profiles_have_pages, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(long_lists_end_with_the_sum_of_the_rest, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(long_names_are_cut_between_characters, new_ctx, free_ctx),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
