/* Fuzz target for the model file, and for all functions that use a model from a file. */
#include "fuzz/fuzz.h"

#include <string.h>

/* Checks that a model that is written, read back and written again is the same text both times. */
static void check_round_trip(rd_ctx *ctx, const rd_model *m) {
    char *first = NULL, *second = NULL;
    size_t n = 0, n_second = 0;
    rd_model *again = NULL;
    FUZZ_CHECK(rd_model_json(m, &first, &n) == RD_OK, "cannot write: %s", rd_last_error(ctx));
    FUZZ_CHECK(rd_model_parse(ctx, "again", first, n, &again) == RD_OK, "cannot read back: %s",
               rd_last_error(ctx));
    FUZZ_CHECK(rd_model_json(again, &second, &n_second) == RD_OK, "cannot write again");
    FUZZ_CHECK(n == n_second && memcmp(first, second, n) == 0,
               "the text differs after it was read and written again:\n%s\n%s", first, second);
    rd_text_free(ctx, first);
    rd_text_free(ctx, second);
    rd_model_free(again);
}

#define MANY 20000 /* maximum number of bins; longer profiles take time and find nothing new */

/* Checks that the predicted profile can be written and read. */
static void check_profile(rd_ctx *ctx, rd_profile *p) {
    char *text = NULL;
    size_t n = 0;
    rd_profile *again = NULL;
    const rd_bin *bins;
    if (rd_profile_bins(p, &bins) > MANY)
        return;
    FUZZ_CHECK(rd_profile_json(p, &text, &n) == RD_OK, "cannot write: %s", rd_last_error(ctx));
    FUZZ_CHECK(rd_profile_parse(ctx, "predicted", text, n, &again) == RD_OK,
               "cannot read back: %s\n%s", rd_last_error(ctx), text);
    rd_text_free(ctx, text);
    rd_profile_free(again);
}

static void check_predictions(rd_ctx *ctx, const rd_model *m) {
    const rd_model_facts *f = rd_model_facts_of(m);
    const double sizes[] = {
        f->sizes[0], f->sizes[f->n_sizes - 1], 100 * f->sizes[f->n_sizes - 1], 1e-300, 1, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rd_profile *p = NULL;
        double size = 0;
        rd_status status = rd_model_predict(m, sizes[i], &p);
        fuzz_check_failure(ctx, status);
        if (status != RD_OK)
            continue;
        check_profile(ctx, p);
        fuzz_check_failure(ctx, rd_model_size_of(m, p, &size));
        rd_profile_free(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    rd_ctx *ctx = fuzz_ctx_new();
    rd_model *m = NULL;
    rd_status status = rd_model_parse(ctx, "input", (const char *)data, n, &m);
    fuzz_check_failure(ctx, status);
    if (status == RD_OK) {
        check_round_trip(ctx, m);
        check_predictions(ctx, m);
    }
    rd_model_free(m);
    fuzz_ctx_free(ctx);
    return 0;
}
