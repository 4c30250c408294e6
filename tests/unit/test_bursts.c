/* Tests rdi_bursts, which makes confidence bands of miss ratios for runs recorded in bursts: the
 * bands contain the exact miss ratios, a run of few bursts has no band, and the profile file keeps
 * the band. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/bursts.h"
#include "reusedist/engine.h"
#include "reusedist/model.h"
#include "support/context.h"
#include "support/distances.h"

#include <string.h>

#define REFS 40000

/* Analyzes n blocks and hands the distances to `bursts`, which may be NULL. */
static rd_profile *measure(rd_ctx *ctx, const uint64_t *blocks, size_t n, rdi_bursts *bursts) {
    static uint64_t distances[REFS];
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_engine_open(ctx, "stream", &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, blocks, n, distances), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    rd_engine_close(e);
    uint32_t origins[100];
    for (size_t i = 0; i < n && bursts; i += 100) {
        size_t k = n - i < 100 ? n - i : 100;
        for (size_t j = 0; j < k; j++)
            origins[j] = (uint32_t)j;
        rdi_bursts_feed(bursts, i, origins, distances + i, k);
    }
    return p;
}

/* Returns the profile of the references that a recorder keeps if it alternately records `length`
 * references and skips `gap`. */
static rd_profile *sample(rd_ctx *ctx, const uint64_t *blocks, size_t length, size_t gap) {
    static uint64_t kept[REFS];
    size_t n = 0;
    for (size_t i = 0; i < REFS; i++)
        if (i % (length + gap) < length)
            kept[n++] = blocks[i];
    rdi_bursts *bursts = NULL;
    assert_int_equal(rdi_bursts_new(ctx, length, &bursts), RD_OK);
    rd_profile *p = measure(ctx, kept, n, bursts);
    rd_source source = {.path = "t", .format = "live", .references = n};
    assert_int_equal(rd_profile_add_source(p, &source), RD_OK);
    assert_int_equal(rd_profile_set_skipped(p, REFS - n), RD_OK);
    assert_false(rd_profile_facts_of(p)->exact);
    assert_int_equal(rdi_bursts_finish(bursts, p), RD_OK);
    rdi_bursts_free(bursts);
    return p;
}

static void bands_contain_the_exact_curve(void **state) {
    static uint64_t blocks[REFS];
    rd_ctx *ctx = *state;
    unsigned inside = 0, sizes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        distances_make(seed, 3000, blocks, REFS);
        rd_profile *exact = measure(ctx, blocks, REFS, NULL);
        rd_profile *sampled = sample(ctx, blocks, 300, 700);
        assert_true(rd_mrc_has_band(sampled));
        for (uint64_t size = 1; size < 5000; size = size + size / 3 + 1, sizes++) {
            double miss = 0, shown = 0, low = 1, high = 0;
            assert_int_equal(rd_mrc_at(ctx, exact, size, &miss, NULL), RD_OK);
            assert_int_equal(rd_mrc_at(ctx, sampled, size, &shown, NULL), RD_OK);
            assert_int_equal(rd_mrc_band(ctx, sampled, size, &low, &high), RD_OK);
            assert_true(shown >= low && shown <= high);
            inside += miss >= low && miss <= high;
        }
        rd_comparison c;
        assert_int_equal(rd_compare(ctx, exact, sampled, (rd_binning){RD_BINS_LOG, 0}, &c), RD_OK);
        assert_true(c.bound_checked);
        rd_profile_free(exact);
        rd_profile_free(sampled);
    }
    assert_true(inside >= 0.95 * sizes);
}

/* Tests that the band is wide for a loop that is longer than a burst, because the recorder sees no
 * reuse. */
static void unseen_reuses_are_undecided(void **state) {
    static uint64_t blocks[REFS];
    rd_ctx *ctx = *state;
    for (size_t i = 0; i < REFS; i++)
        blocks[i] = i % 700;
    rd_profile *p = sample(ctx, blocks, 500, 500);
    double low = 0, high = 0;
    assert_int_equal(rd_mrc_band(ctx, p, 256, &low, &high), RD_OK);
    assert_true(low > 0.48 && low < 0.49 && high == 1); /* about half of each burst is undecided */
    assert_int_equal(rd_mrc_band(ctx, p, 1024, &low, &high), RD_OK);
    assert_true(low == 0 && high == 1);
    rd_profile_free(p);
}

static void few_bursts_have_no_band(void **state) {
    static uint64_t blocks[REFS];
    rd_ctx *ctx = *state;
    rd_profile *p = sample(ctx, blocks, REFS / 10, REFS / 4);
    assert_false(rd_mrc_has_band(p));
    assert_string_equal(rd_profile_facts_of(p)->error_kind, "parts");
    rd_profile_free(p);
}

static void the_file_keeps_the_band(void **state) {
    static uint64_t blocks[REFS];
    rd_ctx *ctx = *state;
    distances_make(1, 3000, blocks, REFS);
    rd_profile *p = sample(ctx, blocks, 300, 700), *read = NULL;
    char *text = NULL, *again = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_non_null(strstr(text, "\"exact\": false"));
    assert_int_equal(rd_profile_parse(ctx, "p", text, n, &read), RD_OK);
    assert_int_equal(rd_profile_json(read, &again, &m), RD_OK);
    assert_string_equal(text, again);
    rd_text_free(ctx, text);
    rd_text_free(ctx, again);
    rd_profile_free(read);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bands_contain_the_exact_curve, context_new, context_free),
        cmocka_unit_test_setup_teardown(unseen_reuses_are_undecided, context_new, context_free),
        cmocka_unit_test_setup_teardown(few_bursts_have_no_band, context_new, context_free),
        cmocka_unit_test_setup_teardown(the_file_keeps_the_band, context_new, context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
