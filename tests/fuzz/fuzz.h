/* Declares what all fuzz targets share: the entry point, a context with a memory limit, and checks. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include "reusedist/reusedist.h"

#include <stdio.h>
#include <stdlib.h>

/* Runs the target on one input. libFuzzer calls this function, or replay.c calls it for every file
 * of the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* If the condition does not hold, prints a message and ends the program like a crash, so that fuzzers
 * keep the input. */
#define FUZZ_CHECK(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Makes a context with a memory limit, so that absurd sizes in the input fail with RD_ENOMEM and do not
 * exhaust the machine. */
static inline rd_ctx *fuzz_ctx_new(void) {
    rd_ctx *ctx = NULL;
    FUZZ_CHECK(rd_ctx_new(NULL, &ctx) == RD_OK, "no context");
    rd_ctx_set_limit(ctx, (size_t)128 << 20);
    return ctx;
}

static inline void fuzz_ctx_free(rd_ctx *ctx) {
    FUZZ_CHECK(rd_ctx_live_bytes(ctx) == 0, "%zu bytes were not freed", rd_ctx_live_bytes(ctx));
    rd_ctx_free(ctx);
}

/* Checks that `status` is RD_OK or one that an input can cause: invalid content or options, a number out of range,
 * something unsupported, or lack of memory. Also checks that a failure has a message. */
static inline void fuzz_check_failure(const rd_ctx *ctx, rd_status status) {
    bool expected = status == RD_OK || status == RD_EFORMAT || status == RD_EINVAL ||
                    status == RD_ERANGE || status == RD_ENOMEM || status == RD_EUNSUPPORTED;
    FUZZ_CHECK(expected, "unexpected status %s", rd_status_name(status));
    FUZZ_CHECK(status == RD_OK || *rd_last_error(ctx), "failure without a message");
}

#endif
