/* Implements a context as the state of a test. See context.h. */
#include "support/context.h"

#include "reusedist/base.h"

int context_new(void **state) {
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return -1;
    *state = ctx;
    return 0;
}

int context_free(void **state) {
    rd_ctx *ctx = *state;
    size_t live = rd_ctx_live_bytes(ctx);
    rd_ctx_free(ctx);
    return live == 0 ? 0 : -1;
}
