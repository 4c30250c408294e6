/* Tests rd_model_json() and rd_model_parse(): written models can be read back, and invalid files
 * are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reusedist/predict.h"
#include "support/faults.h"
#include "support/profiles.h"

#include <stdio.h>
#include <string.h>

static rd_model *make_model(rd_ctx *ctx, rd_model_method method) {
    rd_training runs[2];
    rd_model *m = NULL;
    rd_model_config config = {.size = sizeof config, .method = method};
    for (uint64_t i = 0; i < 2; i++) {
        profiles_point points[] = {{5, 3000}, {1000 * (i + 1), 2000}, {RD_COLD, 1000 * (i + 1)}};
        runs[i] =
            (rd_training){profiles_make(ctx, NULL, (rd_binning){RD_BINS_LOGLINEAR, 0}, points, 3),
                          1000.0 * (double)(i + 1)};
    }
    assert_int_equal(rd_model_train(ctx, runs, 2, &config, &m), RD_OK);
    rd_profile_free(runs[0].profile);
    rd_profile_free(runs[1].profile);
    return m;
}

static void a_model_survives_its_file(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    for (int method = 0; method < 2; method++) {
        rd_model *m = make_model(ctx, (rd_model_method)method), *back = NULL;
        rd_profile *a = NULL, *b = NULL;
        char *text = NULL, *again = NULL, *json_a = NULL, *json_b = NULL;
        size_t n = 0, n_again = 0, n_a = 0, n_b = 0;
        assert_int_equal(rd_model_set_size_unit(m, "peak 2.1"), RD_OK);
        assert_int_equal(rd_model_json(m, &text, &n), RD_OK);
        if (rd_model_parse(ctx, "file", text, n, &back) != RD_OK)
            fail_msg("%s", rd_last_error(ctx));
        assert_int_equal(rd_model_json(back, &again, &n_again), RD_OK);
        assert_string_equal(text, again);
        assert_int_equal(rd_model_predict(m, 123456, &a), RD_OK);
        assert_int_equal(rd_model_predict(back, 123456, &b), RD_OK);
        assert_int_equal(rd_profile_json(a, &json_a, &n_a), RD_OK);
        assert_int_equal(rd_profile_json(b, &json_b, &n_b), RD_OK);
        assert_string_equal(json_a, json_b);
        char *texts[] = {text, again, json_a, json_b};
        for (size_t i = 0; i < RDI_COUNT(texts); i++)
            rd_text_free(ctx, texts[i]);
        rd_profile_free(a);
        rd_profile_free(b);
        rd_model_free(m);
        rd_model_free(back);
    }
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

#define HEAD                                                                                       \
    "{\"schema\": \"reusedist.model/1\", \"method\": \"single\", \"binning\": \"reference:2\", "   \
    "\"patterns\": \"constant,linear\", \"size_unit\": \"blocks\", \"exact\": true, "              \
    "\"block_bytes\": 64, "
#define TOTALS "\"sizes\": [1, 2], \"reuses\": [1, 1], \"blocks\": [1, 1], "
#define PIECES "\"pieces\": [[\"linear\", [1, 0, 1, 0, 1]]]}"

static void what_is_no_model_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"schema\": \"reusedist.profile/1\"}",
        "{\"schema\": \"reusedist.model/10\"}",
        HEAD TOTALS "\"pieces\": []}",
        HEAD TOTALS "\"pieces\": [[\"cubic\", [1, 0, 1, 0, 1]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [1, 0, 1, 0]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [1, 0, 1, 0, 1, 7]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [-1, 0, 1, 0, 1]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [1, 5, 1, 0, 1]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [1, 0, 1, 0, 1], 3]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [0.5, 0, 1, 0, 1]]]}",
        HEAD "\"sizes\": [2, 1], \"reuses\": [1, 1], \"blocks\": [1, 1], " PIECES,
        HEAD "\"sizes\": [1, 2], \"reuses\": [0, 1], \"blocks\": [1, 1], " PIECES,
        HEAD "\"sizes\": [1, 2], \"reuses\": [1, 1, 1], \"blocks\": [1, 1], " PIECES,
        HEAD "\"sizes\": [1, 2], \"blocks\": [1, 1], " PIECES,
        HEAD TOTALS "\"size_unit\": \"x\", " PIECES,
        HEAD TOTALS "\"patterns\": \"1/2,1/3\", " PIECES,
        HEAD TOTALS "\"method\": \"none\", " PIECES,
        HEAD TOTALS PIECES "x",
        HEAD TOTALS "\"schema\": \"reusedist.model/1\", " PIECES,
        HEAD TOTALS "\"exact\": true, " PIECES,
        HEAD TOTALS "\"thresholds\": [5, 6], " PIECES,
        HEAD TOTALS "\"thresholds\": [5, 6, 7, 8], " PIECES,
        HEAD TOTALS "\"thresholds\": [5, 0, 7], " PIECES,
        HEAD TOTALS "\"pieces\": [], " PIECES,
        HEAD "\"sizes\": [1], \"reuses\": [1, 1], \"blocks\": [1, 1], " PIECES,
        HEAD TOTALS "\"pieces\": [[\"1/2\", [1, 0, 1, 0, 1]]]}",
        HEAD TOTALS "\"pieces\": [[\"linear\", [1, 0, 1e999, 0, 1e999]]]}",
        "{\"schema\": \"reusedist.model/1\", \"method\": \"single\", \"binning\": \"full\", "
        "\"patterns\": \"linear\", \"size_unit\": \"blocks\", \"exact\": true, "
        "\"block_bytes\": 64, " TOTALS PIECES,
        "{\"schema\": \"reusedist.model/1\", \"method\": \"single\", \"binning\": \"log\", "
        "\"patterns\": \"linear\", \"size_unit\": \"blocks\", \"exact\": true, "
        "\"block_bytes\": 64, " TOTALS PIECES,
        "{\"schema\": \"reusedist.model/1\", \"method\": \"multi\", \"binning\": \"log\", "
        "\"patterns\": \"linear\", \"size_unit\": \"blocks\", \"exact\": true, "
        "\"block_bytes\": 63, " TOTALS PIECES,
        "{\"schema\": \"reusedist.model/1\", \"method\": \"multi\", \"binning\": \"log\", "
        "\"patterns\": \"linear\", \"size_unit\": \"blocks\", \"exact\": true, " TOTALS PIECES,
    };
    rd_ctx *ctx = NULL;
    rd_model *m = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    for (size_t i = 0; i < RDI_COUNT(bad); i++)
        if (rd_model_parse(ctx, "file", bad[i], strlen(bad[i]), &m) != RD_EFORMAT)
            fail_msg("this model is not refused with RD_EFORMAT: %s", bad[i]);
    const char *good = HEAD TOTALS "\"later\": [{}], \"thresholds\": [5, 6, 7], " PIECES;
    assert_int_equal(rd_model_parse(ctx, "file", good, strlen(good), &m), RD_OK);
    rd_model_free(m);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static rd_status write_and_read(rd_ctx *ctx, void *user) {
    rd_model *m = NULL, *back = NULL;
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_model_parse(ctx, "file", user, strlen(user), &m);
    if (status == RD_OK)
        status = rd_model_json(m, &text, &n);
    if (status == RD_OK)
        status = rd_model_parse(ctx, "again", text, n, &back);
    rd_text_free(ctx, text);
    rd_model_free(m);
    rd_model_free(back);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    static char model[] = HEAD TOTALS PIECES;
    faults_inject("model file", write_and_read, model, RD_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_survives_its_file),
        cmocka_unit_test(what_is_no_model_is_refused),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
