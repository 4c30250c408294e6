/* Implements the context of a test program. See fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/context.h"
#include "support/fixture.h"

rd_ctx *ctx;

int new_ctx(void **state) {
    void *made = NULL;
    (void)state;
    int result = context_new(&made);
    ctx = made;
    return result;
}

int free_ctx(void **state) {
    void *made = ctx;
    (void)state;
    return context_free(&made);
}

void ok(rd_status status) {
    if (status != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
}
