/* Tests input structs that begin with their size: callers with older and newer headers, and
 * mistakes. */
#include "base/sized.h"
#include "reusedist/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static rd_status open_with(const rd_engine_config *config, char *message, size_t room) {
    rd_ctx *ctx = NULL;
    rd_engine *e = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    rd_status status = rd_engine_open(ctx, "stack", config, &e);
    strncpy(message, rd_last_error(ctx), room - 1);
    rd_engine_close(e);
    rd_ctx_free(ctx);
    return status;
}

static void a_missing_size_is_a_mistake_with_its_cure(void **state) {
    (void)state;
    char message[200] = "";
    assert_int_equal(open_with(&(rd_engine_config){.bound = 5}, message, sizeof message),
                     RD_EINVAL);
    assert_non_null(strstr(message, "sizeof(rd_engine_config)"));
    assert_int_equal(open_with(&(rd_engine_config){.size = SIZE_MAX}, message, sizeof message),
                     RD_EINVAL); /* a size that was never set */
    assert_non_null(strstr(message, "sizeof(rd_engine_config)"));
}

static void no_struct_means_defaults(void **state) {
    (void)state;
    char message[200] = "";
    assert_int_equal(open_with(NULL, message, sizeof message), RD_OK);
}

/* Tests a caller whose header ended before the member `threads`: the library must not read the
 * bytes from there on. */
static void an_older_callers_fields_are_taken(void **state) {
    (void)state;
    rd_engine_config mine, old;
    memset(&old, 0xff, sizeof old);
    old.size = offsetof(rd_engine_config, threads);
    old.bound = 7;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    assert_int_equal(rdi_sized_copy(ctx, "rd_engine_config", &old, &mine, sizeof mine), RD_OK);
    assert_int_equal(mine.bound, 7);
    assert_int_equal(mine.threads, 0);
    assert_null(mine.sink);
    rd_ctx_free(ctx);
}

static void a_newer_callers_fields_must_be_unused(void **state) {
    (void)state;
    char message[200] = "";
    struct {
        rd_engine_config known;
        uint64_t added;
    } newer = {.known = {.size = sizeof newer}};
    assert_int_equal(open_with(&newer.known, message, sizeof message), RD_OK);
    newer.added = 1;
    assert_int_equal(open_with(&newer.known, message, sizeof message), RD_EINVAL);
    assert_non_null(strstr(message, rd_version()));
}

/* Tests that unknown bins are refused, because a histogram with them could be written but not
 * read. */
static void an_unknown_kind_of_bins_is_refused(void **state) {
    (void)state;
    char message[200] = "";
    rd_engine_config config = {.size = sizeof config, .binning = {(rd_binning_kind)99, 0}};
    assert_int_equal(open_with(&config, message, sizeof message), RD_EINVAL);
    assert_non_null(strstr(message, "99"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_size_is_a_mistake_with_its_cure),
        cmocka_unit_test(no_struct_means_defaults),
        cmocka_unit_test(an_older_callers_fields_are_taken),
        cmocka_unit_test(a_newer_callers_fields_must_be_unused),
        cmocka_unit_test(an_unknown_kind_of_bins_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
