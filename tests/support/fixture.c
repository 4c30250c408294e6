/* Implements the context of a test program. See fixture.h. */
#include "support/fixture.h"

#include "support/context.h"

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
