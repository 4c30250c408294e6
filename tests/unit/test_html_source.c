/* Tests the source files on the HTML page: a file is shown, with the sums of its lines, only if it is the file
 * that the profile describes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/html_data.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/fixture.h"

#include <stdio.h>
#include <string.h>

/* Makes a profile with one source file: line 2 in two functions, and line 3. `text` is the text of line
 * 2 as JSON. */
static rd_profile *profile_of(rd_ctx *in, const char *path, const char *text) {
    static const char share[] = "\"references\":2,\"infinite\":0,\"distance_sum\":2,\"misses\":[1],"
                                "\"bins\":[[1,1,2]]";
    char json[4000];
    snprintf(json, sizeof json,
             "{\"schema\":\"reusedist.profile/1.1\",\"references\":6,\"blocks\":0,\"cold\":0,"
             "\"infinite\":0,\"block_bytes\":64,\"exact\":true,\"error\":{\"kind\":\"exact\"},"
             "\"binning\":\"log\",\"levels\":[{\"name\":\"L1\",\"bytes\":64}],\"attribution\":"
             "{\"cost\":{\"seconds\":0,\"bytes\":0,\"dropped_pairs\":0},\"sources\":[\"%s\"],"
             "\"functions\":[{\"name\":\"f\",\"source\":0,\"line\":1,\"module\":null,"
             "\"references\":6,\"infinite\":0,\"distance_sum\":6,\"misses\":[3],"
             "\"bins\":[[1,1,6]]}],\"lines\":["
             "{\"source\":0,\"line\":3,\"function\":0,\"text\":null,%s},"
             "{\"source\":0,\"line\":2,\"function\":0,\"text\":%s,%s},"
             "{\"source\":0,\"line\":2,\"function\":0,\"text\":%s,%s}],\"pairs\":[],"
             "\"data\":[{\"kind\":\"global\",\"name\":\"x\",\"line\":null,\"bytes\":8,"
             "\"blocks\":0,\"words_used\":null,\"references\":6,\"infinite\":0,"
             "\"distance_sum\":6,\"misses\":[3],\"bins\":[[1,1,6]]}],\"line_data\":[],\"snippets\":"
             "[]},\"histogram\":[[1,1,6,6]]}",
             path, share, text, share, text, share);
    rd_profile *p = NULL;
    if (rd_profile_parse(in, "p", json, strlen(json), &p) != RD_OK)
        fail_msg("%s", rd_last_error(in));
    return p;
}

static rd_status make_page(rd_ctx *in, rd_profile *p, bool source_text, char **text) {
    static const rd_level level = {.name = "L1", .bytes = 64};
    const char *name = "p.json";
    rd_page page = {.size = sizeof page,
                    .profiles = &p,
                    .names = &name,
                    .n = 1,
                    .levels = &level,
                    .n_levels = 1,
                    .source_text = source_text};
    size_t n = 0;
    return rd_report_html(in, &page, text, &n);
}

/* Makes the page of a profile with the source file `path`, whose line 2 is `text`. Checks that the member
 * "files" of the page is `expected`. If `expected` is NULL, makes the page without source files, and checks
 * that it has no such member. */
static void check_files(const char *path, const char *text, const char *expected) {
    rd_profile *p = profile_of(ctx, path, text);
    char *page = NULL;
    assert_int_equal(make_page(ctx, p, expected != NULL, &page), RD_OK);
    char *found = strstr(page, "\"files\":");
    if (expected) {
        assert_non_null(found);
        found[strlen("\"files\":") + strlen(expected)] = '\0';
        assert_string_equal(found + strlen("\"files\":"), expected);
    } else {
        assert_null(found);
    }
    rd_text_free(ctx, page);
    rd_profile_free(p);
}

static const char content[] = "int x;\r\n  x = 1;\nx++;";

static void a_file_is_shown_with_the_sums_of_its_lines(void **state) {
    (void)state;
    char *path = files_named("shown.c");
    files_write(path, content, strlen(content));
    check_files(path, "\"  x = 1;\"",
                "[{\"source\":0,\"counts\":[[2,4,2],[3,2,1]],"
                "\"text\":[\"int x;\",\"  x = 1;\",\"x++;\"]}]");
    check_files(path, "\"  x = 1;\"", NULL);
    files_remove(path);
    check_files("/nowhere/shown.c", "\"  x = 1;\"", "[{\"source\":0,\"reason\":\"missing\"}]");
}

static void other_files_are_never_shown(void **state) {
    (void)state;
    char *path = files_named("hidden.c");
    files_write(path, content, strlen(content));
#define CHANGED "[{\"source\":0,\"reason\":\"changed\",\"counts\":[[2,4,2],[3,2,1]],\"text\":[null,"
    check_files(path, "\"  x = 2;\"", CHANGED "\"  x = 2;\"]}]"); /* the line of the profile */
    check_files(path, "\"  x = 1\"", CHANGED "\"  x = 1\"]}]");
    check_files(path, "\"\"", CHANGED "\"\"]}]");
    check_files(path, "null", "[{\"source\":0,\"reason\":\"unknown\"}]");
    files_remove(path);
    path = files_named("private.key");
    files_write(path, content, strlen(content));
    check_files(path, "\"  x = 1;\"", "[{\"source\":0,\"reason\":\"missing\"}]");
    files_remove(path);
    path = files_named("binary.c");
    files_write(path, "a\n  x = 1;\n\0", 12);
    check_files(path, "\"  x = 1;\"", "[{\"source\":0,\"reason\":\"missing\"}]");
    files_remove(path);
    check_files("/dev/zero", "\"  x = 1;\"", "[{\"source\":0,\"reason\":\"missing\"}]");
}

static rd_status page_with_source(rd_ctx *in, void *user) {
    char *text = NULL;
    rd_profile *p = profile_of(ctx, user, "\"  x = 1;\"");
    rd_status status = make_page(in, p, true, &text);
    rd_text_free(in, text);
    rd_profile_free(p);
    return status;
}

static void lack_of_memory_is_survived(void **state) {
    (void)state;
    char *path = files_named("memory.c");
    files_write(path, content, strlen(content));
    assert_true(faults_inject("a page with source", page_with_source, path, RD_OK) > 10);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_shown_with_the_sums_of_its_lines, new_ctx,
                                        free_ctx),
        cmocka_unit_test_setup_teardown(other_files_are_never_shown, new_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(lack_of_memory_is_survived, new_ctx, free_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
