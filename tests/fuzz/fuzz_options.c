/* Fuzz target for the text of options: engine, format and generator specs, sizes, bins. */
#include "fuzz/fuzz.h"

#include <string.h>

static void try_engine(rd_ctx *ctx, const char *text) {
    rd_engine *e = NULL;
    fuzz_check_failure(ctx, rd_engine_open(ctx, text, NULL, &e));
    rd_engine_close(e);
}

static void try_format(rd_ctx *ctx, const char *text) {
    static const char trace[] = "0x1000 1 2 3\n0x2000 1 2 3\n";
    rd_trace *t = NULL;
    fuzz_check_failure(ctx, rd_trace_open_memory(ctx, "input", trace, sizeof trace - 1, text, &t));
    rd_trace_close(t);
}

static void try_generator(rd_ctx *ctx, const char *text) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    rd_status status = rd_trace_generate(ctx, text, &t);
    if (status == RD_OK)
        status = rd_trace_read(t, &refs);
    fuzz_check_failure(ctx, status);
    rd_trace_close(t);
}

static void try_bins(rd_ctx *ctx, const char *text) {
    rd_binning binning = {RD_BINS_FULL, 0}, again = {RD_BINS_FULL, 0};
    rd_status status = rd_binning_parse(ctx, text, &binning);
    fuzz_check_failure(ctx, status);
    if (status != RD_OK)
        return;
    char name[32];
    rd_binning_name(binning, name);
    FUZZ_CHECK(rd_binning_parse(ctx, name, &again) == RD_OK && again.kind == binning.kind &&
                   again.param == binning.param,
               "the bins '%s' become '%s' after they were printed and parsed", text, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char text[512];
    if (n >= sizeof text || memchr(data, 0, n))
        return 0;
    memcpy(text, data, n);
    text[n] = '\0';
    rd_ctx *ctx = fuzz_ctx_new();
    uint64_t size;
    try_engine(ctx, text);
    try_format(ctx, text);
    try_generator(ctx, text);
    try_bins(ctx, text);
    fuzz_check_failure(ctx, rd_parse_size(ctx, text, &size));
    fuzz_ctx_free(ctx);
    return 0;
}
