/* Tests that rd_profile_show_own() divides a library line with several callers among the lines of own code that call
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/hist.h"
#include "reusedist/reusedist.h"

#include "support/fixture.h"

#include <stdio.h>
#include <string.h>

#define STRCMP                                                                                     \
    "\"references\": 60, \"infinite\": 2, \"distance_sum\": 1018, \"misses\": [30, 12], "          \
    "\"bins\": [[0, 0, 30], [1, 1, 18], [64, 127, 10]]}"
#define OWN                                                                                        \
    "\"references\": 20, \"infinite\": 0, \"distance_sum\": 258, \"misses\": [6, 4], "             \
    "\"bins\": [[0, 0, 14], [1, 1, 2], [64, 127, 4]]}"
#define OTHERS                                                                                     \
    "\"references\": 20, \"infinite\": 0, \"distance_sum\": 130, \"misses\": [4, 2], "             \
    "\"bins\": [[0, 0, 16], [1, 1, 2], [64, 127, 2]]}"
#define ALL                                                                                        \
    "\"references\": 100, \"infinite\": 2, \"distance_sum\": 1406, \"misses\": [40, 18], "         \
    "\"bins\": [[0, 0, 60], [1, 1, 22], [64, 127, 16]]}"
#define FRAME(function, file, line, own)                                                           \
    "{\"function\": \"" function "\", \"file\": " file ", \"line\": " #line                        \
    ", \"module\": null, \"own\": " #own ", \"inlined\": false}"
#define NODE(parent, frame, references, l1, l2)                                                    \
    "{\"parent\": " #parent ", \"frame\": " #frame ", \"references\": " #references                \
    ", \"misses\": [" #l1 ", " #l2 "]}"

/* f (a.c:5) and g (a.c:7) call strcmp, and so does the start of the program. g also calls `rest`, which is
 * not in the list of lines. The node "(others)" below f has 6 references of strcmp and 8 of `rest`. */
static const char head[] =
    "{\"schema\": \"reusedist.profile/1.3\", \"references\": 100, \"blocks\": 2, \"cold\": 2, "
    "\"infinite\": 2, \"block_bytes\": 64, \"binning\": \"log\", \"engine\": {\"name\": \"auto\"}, "
    "\"exact\": true, \"error\": {\"kind\": \"exact\", \"bound\": 0}, \"sums_known\": true, "
    "\"levels\": [{\"name\": \"L1\", \"bytes\": 64}, {\"name\": \"L2\", \"bytes\": 4096}], "
    "\"attribution\": {\"sources\": [\"/u/a.c\", \"strcmp.S\"], \"own\": [\"/u/a.c\"], "
    "\"functions\": ["
    "{\"name\": \"strcmp\", \"source\": 1, \"line\": 8, \"module\": null, " STRCMP ","
    "{\"name\": \"f\", \"source\": 0, \"line\": 3, \"module\": null, " OWN ","
    "{\"name\": \"(others)\", \"source\": null, \"line\": null, \"module\": null, " OTHERS "], "
    "\"lines\": ["
    "{\"source\": 1, \"line\": 9, \"function\": 0, \"text\": null, " STRCMP ","
    "{\"source\": 0, \"line\": 5, \"function\": 1, \"text\": \"if (strcmp(x, y))\", " OWN ","
    "{\"source\": null, \"line\": 0, \"function\": null, \"text\": null, " OTHERS "], "
    "\"pairs\": [{\"use\": 0, \"reuse\": 0, \"count\": 50, \"distance_sum\": 900, \"misses\": [25, "
    "8]},"
    "{\"use\": 1, \"reuse\": 0, \"count\": 8, \"distance_sum\": 118, \"misses\": [3, 2]}], "
    "\"data\": [{\"kind\": \"heap\", \"name\": \"x\", \"line\": null, \"blocks\": 2, "
    "\"words_used\": null, " ALL "], "
    "\"line_data\": [{\"line\": 0, \"data\": 0, \"misses\": [30, 12]}]}, ";
static const char contexts[] =
    "\"contexts\": {\"frames\": [" FRAME("main", "\"/u/a.c\"", 9, true) "," FRAME("f", "\"/u/a.c\"", 5, true) "," FRAME("g", "\"/u/a.c\"", 7, true) "," FRAME("strcmp", "\"strcmp.S\"", 9, false) "," FRAME(
        "start", "\"ld.c\"",
        1,
        false) "," FRAME("rest", "\"rest.c\"", 3,
                         false) "," FRAME("(others)", "null", 0,
                                          false) "], "
                                                 "\"nodes\": [" NODE(null, 0, 0, 0, 0) "," NODE(0, 1, 20, 6, 4) "," NODE(
                                                     1, 3, 30, 20,
                                                     8) "," NODE(0, 2, 0, 0,
                                                                 0) "," NODE(3, 3, 20, 6,
                                                                             2) "," NODE(null, 4, 0,
                                                                                         0,
                                                                                         0) "," NODE(5,
                                                                                                     3,
                                                                                                     4,
                                                                                                     1,
                                                                                                     1) "," NODE(3,
                                                                                                                 5,
                                                                                                                 12,
                                                                                                                 2,
                                                                                                                 1) "," NODE(1,
                                                                                                                             6,
                                                                                                                             14,
                                                                                                                             5,
                                                                                                                             2) "], "
                                                                                                                                "\"other\": {\"references\": 0, \"misses\": [0, 0], \"contexts\": 2}}, ";
static const char tail[] = "\"histogram\": [[0, 0, 60, 0], [1, 1, 22, 22], [64, 127, 16, 1384]]}";

static const rd_attribution *show(rd_profile **p, bool with_contexts) {
    char text[8192];
    int n = snprintf(text, sizeof text, "%s%s%s", head, with_contexts ? contexts : "", tail);
    assert_in_range(n, 1, sizeof text - 1);
    assert_int_equal(rd_profile_parse(ctx, "test", text, (size_t)n, p), RD_OK);
    assert_int_equal(rd_profile_show_own(*p, NULL, 0), RD_OK);
    return rd_profile_details(*p)->attribution;
}

static const rd_code_line *line_at(const rd_attribution *a, const char *source, uint64_t line) {
    for (size_t i = 0; i < a->n_lines; i++)
        if (a->lines[i].source != RD_NO_INDEX && a->lines[i].line == line &&
            strcmp(a->sources[a->lines[i].source], source) == 0)
            return &a->lines[i];
    fail_msg("no line %s:%d", source, (int)line);
    return NULL;
}

static void assert_counts(const rd_code_line *line, uint64_t references, uint64_t l1, uint64_t l2) {
    assert_int_equal(line->share.references, references);
    assert_int_equal(line->share.misses[0], l1);
    assert_int_equal(line->share.misses[1], l2);
}

static void each_own_line_gets_its_own_calls(void **state) {
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, true);
    (void)state;
    assert_counts(line_at(a, "/u/a.c", 5), 64, 31, 14);
    assert_counts(line_at(a, "/u/a.c", 7), 32, 8, 3);
    assert_counts(line_at(a, "strcmp.S", 9), 4, 1, 1); /* the start of the program */
    assert_string_equal(line_at(a, "/u/a.c", 5)->library, "strcmp and others");
    assert_string_equal(line_at(a, "/u/a.c", 5)->text, "if (strcmp(x, y))");
    rd_profile_free(p);
}

static void add(rd_share *to, const rd_share *from) {
    to->references += from->references;
    to->infinite += from->infinite;
    rdi_sum_add(&to->distance_sum, from->distance_sum);
    for (size_t k = 0; k < RD_LEVELS_MAX; k++)
        to->misses[k] += from->misses[k];
    for (size_t k = 0; k < RD_LOG_BINS; k++)
        to->bins[k] += from->bins[k];
}

static void the_sums_stay_those_of_the_profile(void **state) {
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, true);
    rd_share lines = {0}, functions = {0};
    (void)state;
    for (size_t i = 0; i < a->n_lines; i++)
        add(&lines, &a->lines[i].share);
    for (size_t i = 0; i < a->n_functions; i++)
        add(&functions, &a->functions[i].share);
    assert_memory_equal(&lines, &a->data[0].share, sizeof lines);
    assert_memory_equal(&functions, &a->data[0].share, sizeof functions);
    rd_profile_free(p);
}

static void the_parts_contradict_neither_each_other_nor_the_profile(void **state) {
    rd_profile *p = NULL, *again = NULL;
    char *text = NULL;
    size_t n = 0;
    (void)state;
    show(&p, true);
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(ctx, "again", text, n, &again), RD_OK);
    rd_text_free(ctx, text);
    rd_profile_free(again);
    rd_profile_free(p);
}

static void pairs_and_data_are_divided(void **state) {
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, true);
    uint64_t count = 0, misses = 0, by_data = 0;
    (void)state;
    for (size_t i = 0; i < a->n_pairs; i++) {
        const rd_code_line *reuse = &a->lines[a->pairs[i].reuse];
        assert_true(a->pairs[i].misses[0] <= reuse->share.misses[0]);
        count += a->pairs[i].count;
        misses += a->pairs[i].misses[0];
    }
    assert_int_equal(count, 58);
    assert_int_equal(misses, 28);
    for (size_t i = 0; i < a->n_line_data; i++)
        by_data += a->line_data[i].misses[0];
    assert_int_equal(a->n_line_data, 3);
    assert_int_equal(by_data, 30);
    rd_profile_free(p);
}

static void without_contexts_the_line_stays(void **state) {
    rd_profile *p = NULL;
    const rd_attribution *a = show(&p, false);
    (void)state;
    assert_counts(line_at(a, "strcmp.S", 9), 60, 30, 12);
    assert_counts(line_at(a, "/u/a.c", 5), 20, 6, 4);
    assert_int_equal(a->n_lines, 3);
    assert_int_equal(a->n_pairs, 2);
    rd_profile_free(p);
}

static void the_chosen_folder_decides_about_frames(void **state) {
    static const char *const own[] = {"rest.c"};
    char text[8192];
    rd_profile *p = NULL;
    int n = snprintf(text, sizeof text, "%s%s%s", head, contexts, tail);
    (void)state;
    assert_int_equal(rd_profile_parse(ctx, "test", text, (size_t)n, &p), RD_OK);
    assert_int_equal(rd_profile_show_own(p, own, 1), RD_OK);
    const rd_details *d = rd_profile_details(p);
    assert_counts(line_at(d->attribution, "rest.c", 3), 12, 2, 1);
    assert_false(d->contexts->frames[0].own);
    assert_true(d->contexts->frames[5].own);
    rd_profile_free(p);
}

static void a_second_call_changes_nothing(void **state) {
    rd_profile *p = NULL;
    char *once = NULL, *twice = NULL;
    size_t n = 0, m = 0;
    (void)state;
    show(&p, true);
    assert_int_equal(rd_profile_json(p, &once, &n), RD_OK);
    assert_int_equal(rd_profile_show_own(p, NULL, 0), RD_OK);
    assert_int_equal(rd_profile_json(p, &twice, &m), RD_OK);
    assert_string_equal(once, twice);
    rd_text_free(ctx, once);
    rd_text_free(ctx, twice);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_own_line_gets_its_own_calls, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(the_sums_stay_those_of_the_profile, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(the_parts_contradict_neither_each_other_nor_the_profile,
                                        new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(pairs_and_data_are_divided, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(without_contexts_the_line_stays, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(the_chosen_folder_decides_about_frames, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(a_second_call_changes_nothing, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
