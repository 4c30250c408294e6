/* Fuzz target for logs of requests, in all formats, and for the analysis of these requests. */
#include "fuzz/fuzz.h"

/* Checks that a larger cache never has fewer token hits, that LRU never has more block hits than
 * Belady's bound, and that Belady's bound is at most the block hits of an infinite cache. */
static void check_results(const rd_kv *kv) {
    rd_kv_totals totals = rd_kv_totals_of(kv);
    uint64_t before = 0;
    for (size_t i = 0; i < rd_kv_config_of(kv)->n_sizes; i++) {
        rd_kv_bound bound;
        rd_kv_point point;
        FUZZ_CHECK(rd_kv_bound_at(kv, i, &bound) == RD_OK,
                   "there is no Belady bound for this size");
        FUZZ_CHECK(rd_kv_at(kv, bound.size_blocks, &point) == RD_OK,
                   "the curve has no point for this size");
        FUZZ_CHECK(point.token_hits >= before, "a larger cache has fewer hits");
        FUZZ_CHECK(point.block_hits <= bound.block_hits, "LRU has more hits than Belady's bound");
        FUZZ_CHECK(bound.block_hits <= totals.block_hits,
                   "Belady's bound has more hits than an infinite cache");
        before = point.token_hits;
    }
    FUZZ_CHECK(totals.token_hits <= totals.tokens, "there are more token hits than tokens");
}

static void check_reports(rd_ctx *ctx, const rd_kv *kv, const rd_kv_log *log) {
    rd_kv_view view = {.size = sizeof view,
                       .kv = kv,
                       .name = "log",
                       .format = rd_kv_log_format(log),
                       .token_bytes = rd_kv_log_token_bytes(log)};
    rd_report_style style = {.size = sizeof style};
    char *text = NULL;
    size_t n = 0;
    if (rd_kv_report_text(&view, &style, &text, &n) == RD_OK)
        rd_text_free(ctx, text);
    if (rd_kv_report_json(&view, &text, &n) == RD_OK)
        rd_text_free(ctx, text);
}

static void analyze(rd_ctx *ctx, rd_kv_log *log, const rd_kv_request *request, unsigned variant) {
    rd_kv_config config = {.size = sizeof config,
                           .block_tokens = rd_kv_log_block_tokens(log),
                           .order = variant & 1 ? RD_KV_TAIL : RD_KV_FRONT,
                           .full_only = variant >> 1 & 1,
                           .opt = true,
                           .sizes = {1, 2, 5, 100},
                           .n_sizes = 4,
                           .tiers = {1, 4},
                           .n_tiers = 2};
    rd_kv *kv = NULL;
    rd_status status = rd_kv_new(ctx, &config, &kv);
    while (status == RD_OK && request) {
        status = rd_kv_feed(kv, request);
        if (status == RD_OK)
            status = rd_kv_log_read(log, &request);
    }
    if (status == RD_OK)
        status = rd_kv_finish(kv);
    fuzz_check_failure(ctx, status);
    if (status == RD_OK) {
        check_results(kv);
        check_reports(ctx, kv, log);
    }
    rd_kv_free(kv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *const formats[] = {
        NULL,      "mooncake", "bailian",
        "lmcache", "tokens",   "jsonl:blocks=h,tokens=n,chat=c,parent=p,time=t,unit=s"};
    for (unsigned i = 0; i < 2 * sizeof formats / sizeof *formats; i++) {
        rd_ctx *ctx = fuzz_ctx_new();
        rd_kv_log_config config = {.size = sizeof config,
                                   .format = formats[i / 2],
                                   .block_tokens = i & 1 ? 1 : 0,
                                   .content_ids = i & 1};
        rd_kv_log *log = NULL;
        const rd_kv_request *request = NULL;
        rd_status status = rd_kv_log_open_memory(ctx, "log", data, n, &config, &log);
        if (status == RD_OK)
            status = rd_kv_log_read(log, &request);
        fuzz_check_failure(ctx, status);
        if (status == RD_OK)
            analyze(ctx, log, request, i);
        rd_kv_log_close(log);
        fuzz_ctx_free(ctx);
    }
    return 0;
}
