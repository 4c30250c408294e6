/* Makes, writes and compares profiles in tests. See profiles.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/profiles.h"

#include <string.h>

rd_profile_facts profiles_facts(void) {
    return (rd_profile_facts){
        .block_bytes = 64,
        .kinds = "LS",
        .engine = "stack",
        .engine_options = "depth=7,text=\"quoted\"",
        .exact = true,
        .error_kind = "exact",
        .sums_known = true,
        .seconds = 1.0 / 3,
    };
}

rd_profile *profiles_make(rd_ctx *ctx, const rd_profile_facts *facts, rd_binning binning,
                          const profiles_point *points, size_t n) {
    rdi_hist *hist = NULL;
    rd_bin *bins = NULL;
    size_t n_bins = 0;
    rd_profile *p = NULL;
    assert_int_equal(rdi_hist_new(ctx, binning, &hist), RD_OK);
    rd_profile_facts f = facts ? *facts : profiles_facts();
    f.references = 0;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rdi_hist_add_many(hist, points[i].distance, points[i].count), RD_OK);
        f.references += points[i].count;
    }
    assert_int_equal(rdi_hist_bins(hist, &bins, &n_bins), RD_OK);
    f.infinite = rdi_hist_infinite(hist);
    f.blocks = f.cold = f.bound ? RD_UNKNOWN : f.infinite;
    f.binning = binning;
    assert_int_equal(rdi_profile_new(ctx, &f, bins, n_bins, &p), RD_OK);
    rdi_free(ctx, bins);
    rdi_hist_free(hist);
    return p;
}

void profiles_random(rdi_rng *rng, uint64_t max_distance, uint64_t max_count, profiles_point *out,
                     size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t limit = max_distance >> rdi_rng_below(rng, rdi_bit_width(max_distance));
        out[i].distance = rdi_rng_below(rng, limit ? limit : 1);
        out[i].count = 1 + rdi_rng_below(rng, max_count);
        if (rdi_rng_below(rng, 16) == 0)
            out[i].distance = RD_COLD;
    }
}

char *profiles_json(rd_ctx *ctx, rd_profile *p) {
    char *text = NULL;
    size_t n = 0;
    (void)ctx;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_int_equal(n, strlen(text));
    return text;
}

rd_profile *profiles_read_back(rd_ctx *ctx, rd_profile *p) {
    char *text = profiles_json(ctx, p);
    rd_profile *again = NULL;
    if (rd_profile_parse(ctx, "profile", text, strlen(text), &again) != RD_OK)
        fail_msg("%s", rd_last_error(ctx));
    rd_text_free(ctx, text);
    return again;
}

void profiles_assert_refused(rd_ctx *ctx, rd_profile *p, const char *after, const char *from,
                             const char *to, const char *message) {
    char *text = NULL;
    size_t n = 0;
    rd_profile *again = NULL;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    char *at = strstr(text, after);
    assert_non_null(at);
    at = strstr(at, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    if (rd_profile_parse(ctx, "profile", text, n, &again) != RD_EFORMAT)
        fail_msg("the profile is accepted with '%s'", to);
    if (!strstr(rd_last_error(ctx), message))
        fail_msg("the message '%s' does not contain '%s'", rd_last_error(ctx), message);
    rd_text_free(ctx, text);
}

rd_profile *profiles_measure(rd_ctx *ctx, const char *spec, const rd_engine_config *config,
                             const uint64_t *blocks, size_t n, size_t feed) {
    rd_engine *e = NULL;
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    for (size_t at = 0; at < n; at += feed) {
        size_t part = n - at < feed ? n - at : feed;
        assert_int_equal(rd_engine_feed(e, blocks + at, part, NULL), RD_OK);
    }
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    rd_engine_close(e);
    return profile;
}

void profiles_assert_same_bins(const rd_profile *a, const rd_profile *b) {
    const rd_bin *x, *y;
    size_t n = rd_profile_bins(a, &x);
    assert_int_equal(rd_profile_bins(b, &y), n);
    for (size_t i = 0; i < n; i++) {
        assert_true(x[i].low == y[i].low && x[i].high == y[i].high);
        assert_true(x[i].count == y[i].count);
        assert_true(x[i].sum.low == y[i].sum.low && x[i].sum.high == y[i].sum.high);
    }
}

static void assert_same_text(const char *a, const char *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

void profiles_assert_equal(const rd_profile *a, const rd_profile *b) {
    const rd_profile_facts *x = rd_profile_facts_of(a), *y = rd_profile_facts_of(b);
    assert_true(x->references == y->references && x->blocks == y->blocks);
    assert_true(x->cold == y->cold && x->infinite == y->infinite);
    assert_true(x->block_bytes == y->block_bytes && x->bound == y->bound);
    assert_same_text(x->kinds, y->kinds);
    assert_same_text(x->engine, y->engine);
    assert_same_text(x->engine_options, y->engine_options);
    assert_same_text(x->error_kind, y->error_kind);
    assert_int_equal(x->exact, y->exact);
    assert_true(x->error_bound == y->error_bound);
    assert_true(x->binning.kind == y->binning.kind && x->binning.param == y->binning.param);
    assert_int_equal(x->sums_known, y->sums_known);
    assert_int_equal(x->partial, y->partial);
    assert_true(x->seconds == y->seconds);
    profiles_assert_same_bins(a, b);
    const rd_source *s, *t;
    size_t n = rd_profile_sources(a, &s);
    assert_int_equal(rd_profile_sources(b, &t), n);
    for (size_t i = 0; i < n; i++) {
        assert_same_text(s[i].path, t[i].path);
        assert_same_text(s[i].format, t[i].format);
        assert_true(s[i].bytes == t[i].bytes && s[i].references == t[i].references);
    }
}
