/* Tests that a section of a later release needs only a file and a line in sections.def to be read,
 * written and merged. The test is built with the list of this folder instead of the one in src/profile.
 */
#include "profile/sections.h"
#include "support/faults.h"

#include "reusedist/attribution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PROFILE(schema, more)                                                                      \
    "{\"schema\": \"reusedist.profile/" schema "\", \"references\": 2, \"infinite\": 2, "          \
    "\"exact\": true, \"error\": {\"kind\": \"exact\"}, \"binning\": \"log\", " more               \
    "\"histogram\": []}"

static const char with_fields[] = PROFILE("1.2", "\"fields\": {\"touched\": 2}, ");
static const char without[] = PROFILE("1", "");

static rd_profile *parse(rd_ctx *ctx, const char *text) {
    rd_profile *p = NULL;
    assert_int_equal(rd_profile_parse(ctx, "t", text, strlen(text), &p), RD_OK);
    assert_null(rd_profile_note(p));
    return p;
}

static rd_ctx *new_ctx(void) {
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    return ctx;
}

static void free_ctx(rd_ctx *ctx) {
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static void assert_json(rd_profile *p, const char *part, bool there) {
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_true((strstr(text, part) != NULL) == there);
    rd_text_free(rdi_profile_ctx(p), text);
}

static void a_section_is_read_and_written(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rd_profile *p = parse(ctx, with_fields), *plain = parse(ctx, without);
    assert_json(p, "\"schema\": \"reusedist.profile/1.2\"", true);
    assert_json(p, ",\n  \"fields\": {\"touched\": 2},\n  \"histogram\"", true);
    assert_json(plain, "\"schema\": \"reusedist.profile/1\"", true);
    assert_json(plain, "fields", false);
    rd_profile_free(p);
    rd_profile_free(plain);
    free_ctx(ctx);
}

static void a_sum_has_what_its_rule_says(void **state) {
    (void)state;
    rd_ctx *ctx = new_ctx();
    rd_profile *parts[] = {parse(ctx, without), parse(ctx, with_fields), parse(ctx, with_fields)};
    rd_profile *sum = NULL;
    assert_int_equal(rd_profile_merge(ctx, parts, 3, &sum), RD_OK);
    assert_json(sum, "\"fields\": {\"touched\": 4}", true);
    rd_profile_free(sum);
    assert_int_equal(rd_profile_merge(ctx, parts, 1, &sum), RD_OK);
    assert_null(rdi_profile_section(sum, &rdi_section_fields));
    rd_profile_free(sum);
    for (size_t i = 0; i < 3; i++)
        rd_profile_free(parts[i]);
    free_ctx(ctx);
}

static void a_section_is_checked_like_the_others(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {PROFILE("1.2", "\"fields\": {\"touched\": 3}, "), "t: more fields than references"},
        {PROFILE("1.2", "\"fields\": {}, "), "has no \"touched\""},
        {PROFILE("1.2", "\"fields\": {\"touched\": 1}, \"fields\": {\"touched\": 1}, "),
         "\"fields\" occurs twice"},
    };
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        rd_ctx *ctx = new_ctx();
        rd_profile *p = NULL;
        assert_int_equal(rd_profile_parse(ctx, "t", bad[i].text, strlen(bad[i].text), &p),
                         RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), bad[i].message));
        free_ctx(ctx);
    }
}

static rd_status read_and_merge(rd_ctx *ctx, void *user) {
    (void)user;
    rd_profile *parts[2] = {NULL}, *sum = NULL;
    rd_status status = RD_OK;
    for (size_t i = 0; i < 2 && status == RD_OK; i++)
        status = rd_profile_parse(ctx, "t", with_fields, sizeof with_fields - 1, &parts[i]);
    if (status == RD_OK)
        status = rd_profile_merge(ctx, parts, 2, &sum);
    rd_profile_free(parts[0]);
    rd_profile_free(parts[1]);
    rd_profile_free(sum);
    return status;
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    assert_true(faults_inject("profile", read_and_merge, NULL, RD_OK) > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_is_read_and_written),
        cmocka_unit_test(a_sum_has_what_its_rule_says),
        cmocka_unit_test(a_section_is_checked_like_the_others),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
