/* Implements the checks of functions with NULL. See arguments.h. */
#include "support/arguments.h"

#include "reusedist/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const uint64_t blocks[N_BLOCKS] = {1, 2, 3, 1, 2, 3, 4, 1};
rd_profile *profile;

int new_profile(void **state) {
    rd_engine *e = NULL;
    if (new_ctx(state) != 0)
        return -1;
    bool good = rd_engine_open(ctx, "stack", NULL, &e) == RD_OK &&
                rd_engine_feed(e, blocks, N_BLOCKS, NULL) == RD_OK &&
                rd_engine_finish(e) == RD_OK && rd_engine_profile(e, &profile) == RD_OK;
    rd_engine_close(e);
    return good ? 0 : -1;
}

int free_profile(void **state) {
    rd_profile_free(profile);
    return free_ctx(state);
}

void expect_refused(const char *call, const char *argument, rd_status status) {
    char expected[128];
    if (status != RD_EINVAL)
        fail_msg("%s returns %s instead of RD_EINVAL", call, rd_status_name(status));
    if (!argument)
        return;
    snprintf(expected, sizeof expected, "%.*s: %s must not be NULL", (int)strcspn(call, "("), call,
             argument);
    if (strcmp(rd_last_error(ctx), expected) != 0)
        fail_msg("%s says '%s' instead of '%s'", call, rd_last_error(ctx), expected);
}

void expect_saying(rd_status status, const char *text) {
    assert_int_equal(status, RD_EINVAL);
    if (!strstr(rd_last_error(ctx), text))
        fail_msg("the message '%s' does not contain '%s'", rd_last_error(ctx), text);
}
