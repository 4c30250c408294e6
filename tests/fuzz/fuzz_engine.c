/* Fuzz target for the engines: bytes become a trace, and every engine must agree with the oracle.
 *
 * The first byte chooses one engine with its options, so that fuzzing is quick; 0, which the corpus
 * uses, means all engines. The next 8 bytes are the seed of the settings of the run. Then every byte is
 * a reference: a byte below 0xf0 is itself the block id, any other byte is followed by a block id of 8
 * bytes. */
#include "fuzz/fuzz.h"

#include "verify/verifier.h"

#define REFERENCES_MAX 2000

static size_t decode(const uint8_t *data, size_t n, uint64_t *blocks) {
    size_t count = 0;
    for (size_t at = 0; at < n && count < REFERENCES_MAX; at++) {
        if (data[at] < 0xf0) {
            blocks[count++] = data[at];
        } else if (n - at > 8) {
            blocks[count++] = rdi_load_le64(data + at + 1);
            at += 8;
        }
    }
    return count;
}

static void check_engine(rd_ctx *ctx, const rd_engine_info *info, const char *spec, uint64_t seed,
                         const uint64_t *blocks, size_t n, const uint64_t *expected) {
    static uint64_t scratch[REFERENCES_MAX];
    uint64_t distinct = 0;
    for (size_t i = 0; i < n; i++)
        distinct += expected[i] == RD_COLD;
    rdi_verify_setup setup = rdi_verify_draw_setup(info, seed, n, distinct);
    rdi_verify_outcome outcome;
    rd_status status = rdi_verify_run(ctx, spec, &setup, blocks, n, expected, scratch, &outcome);
    if (status == RD_EUNSUPPORTED) /* a variant for other processors */
        return;
    FUZZ_CHECK(status == RD_OK, "engine %s: %s", spec, rd_last_error(ctx));
    char text[160];
    rdi_verify_describe_setup(&setup, text, sizeof text);
    FUZZ_CHECK(!outcome.different, "engine %s (%s): %s", spec, text, outcome.what);
}

/* If `chosen` is 0, checks every engine with its default options and with every variant. Otherwise
 * checks only the combination with the number `chosen`, counted from 1. */
static void check_engines(rd_ctx *ctx, unsigned chosen, uint64_t seed, const uint64_t *blocks,
                          size_t n, const uint64_t *expected) {
    unsigned number = 0;
    for (size_t i = 0; rd_engine_info_at(i); i++) {
        const rd_engine_info *info = rd_engine_info_at(i);
        const char *const *variant = info->variants;
        if (rdi_verify_unchecked(info))
            continue;
        if (!chosen || ++number == chosen)
            check_engine(ctx, info, info->name, seed + i, blocks, n, expected);
        for (; variant && *variant; variant++) {
            char spec[256];
            snprintf(spec, sizeof spec, "%s:%s", info->name, *variant);
            if (!chosen || ++number == chosen)
                check_engine(ctx, info, spec, seed + i, blocks, n, expected);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static uint64_t blocks[REFERENCES_MAX], expected[REFERENCES_MAX];
    if (n < 9)
        return 0;
    size_t count = decode(data + 9, n - 9, blocks);
    rd_ctx *ctx = fuzz_ctx_new();
    rd_ctx_set_limit(ctx,
                     0); /* no limit, because the input has no sizes that could make engines use
                            much memory */
    FUZZ_CHECK(rdi_verify_oracle(ctx, blocks, count, expected) == RD_OK, "the oracle fails");
    check_engines(ctx, data[0], rdi_load_le64(data + 1), blocks, count, expected);
    fuzz_ctx_free(ctx);
    return 0;
}
