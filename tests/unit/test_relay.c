/* Tests the engine `relay`: packets through a short ring, switching the front on and off, calls of
 * rd_engine_feed() with and without distances, and a second thread that fails. */
#include "base/common.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCES 400000
#define SHORT_RING (2 << 20) /* memory limit that leaves room for six packets */

static uint64_t blocks[REFERENCES], distance[4096];

/* Makes n references: on average one in `far` goes to any of 5000 blocks, all others to 12 blocks,
 * so that they have short distances. */
static void make_near(uint64_t *at, size_t n, unsigned far, rdi_rng *rng) {
    for (size_t i = 0; i < n; i++)
        at[i] = rdi_rng_next(rng) % far == 0 ? rdi_rng_next(rng) % 5000 : rdi_rng_next(rng) % 12;
}

static rd_engine *open_engine(const char *spec, uint64_t bound, uint64_t mem_bytes) {
    rd_engine *e = NULL;
    rd_engine_config config = {
        .size = sizeof config, .bound = bound, .threads = 2, .mem_bytes = mem_bytes};
    assert_int_equal(rd_engine_open(ctx, spec, &config, &e), RD_OK);
    return e;
}

static rd_profile *finish(rd_engine *e) {
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    return profile;
}

static void assert_as_stream(rd_engine *e, uint64_t bound) {
    rd_engine_config config = {.size = sizeof config, .bound = bound};
    rd_profile *expected = profiles_measure(ctx, "stream", &config, blocks, REFERENCES, REFERENCES);
    rd_profile *got = finish(e);
    assert_int_equal(rd_profile_facts_of(got)->infinite, rd_profile_facts_of(expected)->infinite);
    profiles_assert_same_bins(got, expected);
    rd_profile_free(expected);
    rd_profile_free(got);
}

typedef struct packets {
    uint64_t by_front, by_table;
} packets;

static packets packets_of(const rd_engine *e) {
    packets p = {0};
    assert_int_equal(sscanf(rd_engine_note(e),
                            "the first thread sent %" SCNu64
                            " packets with the front on, and %" SCNu64,
                            &p.by_front, &p.by_table),
                     2);
    return p;
}

static void many_packets_go_through_a_short_ring(void **state) {
    (void)state;
    static const uint64_t bounds[] = {0, 1, 15, 16, 17, 1000};
    rdi_rng rng = {1};
    make_near(blocks, REFERENCES, 4, &rng);
    for (size_t b = 0; b < RDI_COUNT(bounds); b++) {
        rd_engine *e = open_engine("relay", bounds[b], SHORT_RING);
        for (size_t i = 0; i < REFERENCES; i += 1000)
            assert_int_equal(rd_engine_feed(e, blocks + i, 1000, NULL), RD_OK);
        assert_as_stream(e, bounds[b]);
        assert_true(packets_of(e).by_front > 40);
        rd_engine_close(e);
    }
}

static void without_a_front_the_table_is_ahead(void **state) {
    (void)state;
    static const uint64_t bounds[] = {0, 1, 16, 1000};
    static const char *const specs[] = {"relay", "relay:front=off", "relay:compact=6K"};
    rdi_rng rng = {5};
    for (size_t i = 0; i < REFERENCES; i++) /* the number of blocks grows */
        blocks[i] = rdi_rng_next(&rng) % (1000 + i / 4);
    for (size_t k = 0; k < RDI_COUNT(bounds) * RDI_COUNT(specs); k++) {
        uint64_t bound = bounds[k % RDI_COUNT(bounds)];
        rd_engine *e = open_engine(specs[k / RDI_COUNT(bounds)], bound, SHORT_RING * 16);
        for (size_t i = 0; i < REFERENCES; i += 1000)
            assert_int_equal(rd_engine_feed(e, blocks + i, 1000, NULL), RD_OK);
        assert_as_stream(e, bound);
        assert_true(packets_of(e).by_table > 150);
        rd_engine_close(e);
    }
}

/* Tests that the engine sends packets with the front and without it if stretches with and without
 * near reuse alternate. */
static void the_front_goes_and_comes_back(void **state) {
    (void)state;
    rdi_rng rng = {2};
    for (size_t i = 0; i < REFERENCES; i += 50000)
        make_near(blocks + i, 50000, i / 50000 % 2 ? 1 : 10, &rng);
    rd_engine *e = open_engine("relay", 0, SHORT_RING);
    assert_int_equal(rd_engine_feed(e, blocks, REFERENCES, NULL), RD_OK);
    assert_as_stream(e, 0);
    packets p = packets_of(e); /* the number of packets depends on how far behind the second thread
                                  is */
    assert_true(p.by_front > 0 && p.by_table > 0);
    rd_engine_close(e);
}

static void distances_may_be_asked_for_in_between(void **state) {
    (void)state;
    rdi_rng rng = {3};
    make_near(blocks, REFERENCES, 4, &rng);
    rd_engine *e = open_engine("relay", 0, SHORT_RING), *stream = open_engine("stream", 0, 0);
    uint64_t expected[RDI_COUNT(distance)];
    for (size_t i = 0; i < REFERENCES; i += 4000) {
        bool asked = i / 4000 % 3 == 0;
        assert_int_equal(rd_engine_feed(stream, blocks + i, 4000, expected), RD_OK);
        assert_int_equal(rd_engine_feed(e, blocks + i, 4000, asked ? distance : NULL), RD_OK);
        if (asked)
            assert_memory_equal(distance, expected, 4000 * sizeof *expected);
    }
    rd_engine_close(stream);
    assert_as_stream(e, 0);
    rd_engine_close(e);
}

/* Tests that the feeding thread reports that the second thread has reached the memory limit. */
static void memory_that_runs_out_behind_is_reported(void **state) {
    (void)state;
    rd_status status = RD_OK;
    rd_engine *e = open_engine("relay:front=on", 0, SHORT_RING);
    rd_ctx_set_limit(ctx, SHORT_RING);
    for (size_t i = 0; i < 1000 && status == RD_OK; i++) {
        for (size_t k = 0; k < 1000; k++)
            blocks[k] = i * 1000 + k;
        status = rd_engine_feed(e, blocks, 1000, NULL);
    }
    if (status == RD_OK)
        status = rd_engine_finish(e);
    assert_int_equal(status, RD_ENOMEM);
    rd_engine_close(e);
    rd_ctx_set_limit(ctx, 0);
}

static void one_may_close_it_in_the_middle(void **state) {
    (void)state;
    rdi_rng rng = {4};
    make_near(blocks, REFERENCES, 3, &rng);
    for (size_t n = 1; n < REFERENCES; n *= 5) {
        rd_engine *e = open_engine("relay", 0, 0);
        assert_int_equal(rd_engine_feed(e, blocks, n, NULL), RD_OK);
        rd_engine_close(e);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(many_packets_go_through_a_short_ring),    TEST(without_a_front_the_table_is_ahead),
        TEST(the_front_goes_and_comes_back),           TEST(distances_may_be_asked_for_in_between),
        TEST(memory_that_runs_out_behind_is_reported), TEST(one_may_close_it_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
