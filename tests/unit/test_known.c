/* Tests rd_engine_feed_known(), where the caller passes the time of the previous reference to each block, so that
 * an engine does not use its table of blocks: the distances are right within the error bound of the engine, and the
 * histogram is the same as after rd_engine_feed(). */
#include "profile/error_bound.h"
#include "support/faults.h"
#include "verify/verifier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 3000

static uint64_t blocks[REFERENCES], exact[REFERENCES], last[REFERENCES], number[REFERENCES];
static const rd_known known = {last, number};

/* Makes a trace with all kinds of distances, and finds the previous reference to each block. */
static int make_trace(void **state) {
    rd_ctx *ctx = NULL;
    rdi_rng rng = {5};
    uint64_t seen = 0;
    for (size_t i = 0; i < REFERENCES; i++) {
        blocks[i] = rdi_rng_below(&rng, 1 + i / 3) * rdi_rng_below(&rng, 4);
        last[i] = RD_COLD;
        for (size_t k = i; k-- > 0 && last[i] == RD_COLD;)
            if (blocks[k] == blocks[i]) {
                last[i] = k;
                number[i] = number[k];
            }
        if (last[i] == RD_COLD)
            number[i] = seen++;
    }
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return -1;
    *state = ctx;
    return rdi_verify_oracle(ctx, blocks, REFERENCES, exact) == RD_OK ? 0 : -1;
}

static int free_ctx(void **state) {
    size_t live = rd_ctx_live_bytes(*state);
    rd_ctx_free(*state);
    return live == 0 ? 0 : -1;
}

static rd_status feed_in_parts(rd_engine *e, uint64_t *distances) {
    for (size_t at = 0; at < REFERENCES; at += 700) {
        rd_known part = {last + at, number + at};
        size_t n = REFERENCES - at < 700 ? REFERENCES - at : 700;
        RD_TRY(rd_engine_feed_known(e, &part, n, distances + at));
    }
    return RD_OK;
}

static void check_distances(rd_ctx *ctx, const char *spec) {
    static uint64_t got[REFERENCES];
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_engine_config config = {.size = sizeof config, .references = REFERENCES};
    assert_int_equal(rd_engine_open(ctx, spec, &config, &e), RD_OK);
    assert_int_equal(feed_in_parts(e, got), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    const rd_profile_facts *f = rd_profile_facts_of(p);
    rdi_error_bound error = rdi_error_bound_of(f->error_kind, f->error_bound);
    for (size_t i = 0; i < REFERENCES; i++)
        assert_true(rdi_error_allows(error, exact[i], exact[i], got[i], got[i]));
    rd_profile_free(p);
    rd_engine_close(e);
}

/* Checks an engine that cannot deliver distances: the histogram is the same after rd_engine_feed_known() as
 * after rd_engine_feed(). */
static void check_counts(rd_ctx *ctx, const char *spec) {
    static uint64_t untouched[REFERENCES];
    rd_engine *e[2] = {NULL, NULL};
    rd_profile *p[2] = {NULL, NULL};
    const rd_bin *bins[2];
    size_t n[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(rd_engine_open(ctx, spec, NULL, &e[i]), RD_OK);
    assert_int_equal(feed_in_parts(e[0], untouched), RD_OK);
    assert_int_equal(rd_engine_feed(e[1], blocks, REFERENCES, NULL), RD_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rd_engine_finish(e[i]), RD_OK);
        assert_int_equal(rd_engine_profile(e[i], &p[i]), RD_OK);
        n[i] = rd_profile_bins(p[i], &bins[i]);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bins[0], bins[1], n[0] * sizeof *bins[0]);
    for (int i = 0; i < 2; i++) {
        rd_profile_free(p[i]);
        rd_engine_close(e[i]);
    }
}

static void answers_are_those_with_the_table(void **state) {
    size_t checked = 0;
    for (size_t i = 0; rdi_engine_ops_at(i); i++) {
        const rdi_engine_ops *ops = rdi_engine_ops_at(i);
        if (!ops->alone)
            continue;
        void (*check)(rd_ctx *, const char *) =
            ops->info.caps & RD_CAP_DISTANCES ? check_distances : check_counts;
        check(*state, ops->info.name);
        for (const char *const *v = ops->info.variants; v && *v; v++) {
            char spec[256];
            snprintf(spec, sizeof spec, "%s:%s", ops->info.name, *v);
            check(*state, spec);
        }
        checked++;
    }
    assert_true(checked >= 5);
}

static rd_status run_known(rd_ctx *ctx, void *user) {
    uint64_t distances[REFERENCES];
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .references = REFERENCES};
    rd_status status = rd_engine_open(ctx, user, &config, &e);
    if (status == RD_OK)
        status = feed_in_parts(e, distances);
    rd_engine_close(e);
    return status;
}

static void failing_allocations_are_survived(void **state) {
    (void)state;
    for (size_t i = 0; rdi_engine_ops_at(i); i++)
        if (rdi_engine_ops_at(i)->alone) {
            char name[32];
            snprintf(name, sizeof name, "%s", rdi_engine_ops_at(i)->info.name);
            assert_true(faults_inject(name, run_known, name, RD_OK) > 3);
        }
}

static void a_prefilled_engine_goes_on_from_there(void **state) {
    const uint64_t elements = UINT64_C(1) << 40, stretch = 1000000;
    rd_engine *e = NULL;
    uint64_t from[16], numbers[16], distances[16];
    assert_int_equal(rd_engine_open(*state, "scale:error=0.1", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_prefill(e, elements), RD_OK);
    for (size_t i = 0; i < 16; i++) {
        from[i] = elements - stretch + i;
        numbers[i] = i;
    }
    rd_known refs = {from, numbers};
    assert_int_equal(rd_engine_feed_known(e, &refs, 16, distances), RD_OK);
    for (size_t i = 0; i < 16; i++)
        assert_in_range(distances[i], stretch - 1 - stretch / 10, stretch - 1);
    assert_true(rd_engine_nodes(e).most > 0);
    assert_int_equal(rd_engine_prefill(e, elements), RD_ESTATE);
    rd_engine_close(e);
}

/* Tests that unsupported requests are refused, and that bk refuses more references than were announced. */
static void refusals_are_explained(void **state) {
    rd_engine *e = NULL;
    uint64_t distances[REFERENCES];
    assert_int_equal(rd_engine_open(*state, "stack", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed_known(e, &known, 1, distances), RD_EUNSUPPORTED);
    assert_int_equal(rd_engine_prefill(e, 1), RD_EUNSUPPORTED);
    assert_int_equal(rd_engine_nodes(e).most, 0);
    rd_engine_close(e);
    assert_int_equal(
        rd_engine_open(*state, "olken",
                       &(rd_engine_config){.size = sizeof(rd_engine_config), .bound = 5}, &e),
        RD_OK);
    assert_int_equal(rd_engine_feed_known(e, &known, 1, distances), RD_EUNSUPPORTED);
    rd_engine_close(e);
    rd_engine_config few = {.size = sizeof few, .references = 10};
    assert_int_equal(rd_engine_open(*state, "bk", &few, &e), RD_OK);
    assert_int_equal(rd_engine_feed_known(e, &known, REFERENCES, distances), RD_ERANGE);
    assert_non_null(strstr(rd_last_error(*state), "more references than config.references, 10"));
    assert_int_equal(rd_engine_feed_known(e, &known, 1, distances), RD_ESTATE);
    rd_engine_close(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_with_the_table),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(a_prefilled_engine_goes_on_from_there),
        cmocka_unit_test(refusals_are_explained),
    };
    return cmocka_run_group_tests(tests, make_trace, free_ctx);
}
