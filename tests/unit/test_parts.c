/* Tests rd_engine_feed_parts(), with which engines read a trace themselves, in parts. */
#include "reusedist/reusedist.h"

#include "base/common.h"

#include "support/fixture.h"
#include "support/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 200000

static uint64_t trace[REFERENCES];

static int set_up(void **state) {
    rdi_rng rng = {5};
    for (size_t i = 0; i < REFERENCES; i++)
        trace[i] = rdi_rng_below(&rng, rdi_rng_below(&rng, 2) ? 100 : 30000);
    return new_ctx(state);
}

/* Opens a reader, which is a pointer to the number of references that can be read before it fails; SIZE_MAX: it never
 * fails. `what` is the number as text. */
static rd_status open_reader(rd_ctx *c, const char *what, void *user, void **reader) {
    (void)user;
    size_t *bad = malloc(sizeof *bad);
    (void)c;
    assert_non_null(bad);
    *bad = strtoull(what, NULL, 10);
    *reader = bad;
    return RD_OK;
}

static rd_status read_part(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                           void *user) {
    assert_true(first + n <= REFERENCES);
    for (uint64_t at = first, part; at < first + n; at += part) {
        part = first + n - at < 777 ? first + n - at : 777;
        if (at + part > *(size_t *)reader)
            return RD_EIO;
        rd_status status = sink(user, trace + at, part);
        if (status != RD_OK)
            return status;
    }
    return RD_OK;
}

static rd_parts parts_of(uint64_t n, const char *bad) {
    return (rd_parts){n, bad, open_reader, read_part, free, NULL};
}

#define NEVER_BAD "18446744073709551615"

static rd_profile *analyze(const char *spec, const rd_engine_config *config, uint64_t n) {
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_parts parts = parts_of(n, NEVER_BAD);
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    if (rd_engine_takes_parts(e))
        assert_int_equal(rd_engine_feed_parts(e, &parts), RD_OK);
    else
        assert_int_equal(rd_engine_feed(e, trace, n, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &p), RD_OK);
    rd_engine_close(e);
    return p;
}

static void assert_same(const rd_profile *p, const rd_profile *q) {
    profiles_assert_same_bins(p, q);
    assert_int_equal(rd_profile_facts_of(p)->infinite, rd_profile_facts_of(q)->infinite);
    assert_int_equal(rd_profile_facts_of(p)->references, rd_profile_facts_of(q)->references);
}

static void engines_that_read_in_parts_give_the_same(void **state) {
    (void)state;
    static const char *const specs[] = {"auto", "auto:trial=1000", "chunks"};
    static const uint64_t bounds[] = {0, 90, 5000}, lengths[] = {1, 7, 3000, REFERENCES};
    for (size_t b = 0; b < RDI_COUNT(bounds); b++)
        for (size_t l = 0; l < RDI_COUNT(lengths); l++) {
            rd_engine_config config = {.size = sizeof config, .bound = bounds[b]};
            rd_profile *expected = analyze("bk", &config, lengths[l]);
            for (size_t s = 0; s < RDI_COUNT(specs); s++)
                for (config.threads = 1; config.threads <= 9; config.threads += 4) {
                    rd_profile *p = analyze(specs[s], &config, lengths[l]);
                    assert_same(p, expected);
                    rd_profile_free(p);
                }
            rd_profile_free(expected);
        }
}

static void a_reader_that_fails_ends_the_run(void **state) {
    (void)state;
    static const char *const specs[] = {"auto", "auto:trial=1000", "chunks"};
    for (size_t s = 0; s < RDI_COUNT(specs); s++) {
        rd_engine *e = NULL;
        rd_parts parts = parts_of(REFERENCES, "100000");
        rd_engine_config config = {.size = sizeof config, .threads = 3};
        assert_int_equal(rd_engine_open(ctx, specs[s], &config, &e), RD_OK);
        rd_status status = rd_engine_feed_parts(e, &parts);
        if (status == RD_OK)
            status = rd_engine_finish(e);
        assert_int_equal(status, RD_EIO);
        rd_engine_close(e);
    }
}

static rd_status ignore(void *user, const uint64_t *distances, size_t n) {
    (void)user, (void)distances, (void)n;
    return RD_OK;
}

static void whoever_wants_distances_has_to_feed(void **state) {
    (void)state;
    rd_engine *e = NULL;
    rd_parts parts = parts_of(REFERENCES, NEVER_BAD);
    rd_engine_config config = {.size = sizeof config, .threads = 3, .sink = ignore};
    assert_int_equal(rd_engine_open(ctx, "chunks", &config, &e), RD_OK);
    assert_false(rd_engine_takes_parts(e));
    assert_int_equal(rd_engine_feed_parts(e, &parts), RD_EUNSUPPORTED);
    rd_engine_close(e);
}

static void parts_replace_all_other_feeding(void **state) {
    (void)state;
    static const char *const specs[] = {"auto", "auto:trial=1000", "chunks"};
    for (size_t s = 0; s < RDI_COUNT(specs); s++)
        for (unsigned twice = 0; twice < 2; twice++) {
            rd_engine *e = NULL;
            rd_parts parts = parts_of(REFERENCES, NEVER_BAD);
            rd_engine_config config = {.size = sizeof config, .threads = 3};
            assert_int_equal(rd_engine_open(ctx, specs[s], &config, &e), RD_OK);
            assert_int_equal(rd_engine_feed_parts(e, &parts), RD_OK);
            assert_int_equal(twice ? rd_engine_feed_parts(e, &parts)
                                   : rd_engine_feed(e, trace, 10, NULL),
                             RD_ESTATE);
            assert_non_null(strstr(rd_last_error(ctx), "which reads the whole trace"));
            assert_int_equal(rd_engine_finish(e), RD_OK);
            rd_engine_close(e);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_that_read_in_parts_give_the_same),
        cmocka_unit_test(a_reader_that_fails_ends_the_run),
        cmocka_unit_test(parts_replace_all_other_feeding),
        cmocka_unit_test(whoever_wants_distances_has_to_feed),
    };
    return cmocka_run_group_tests(tests, set_up, free_ctx);
}
