/* Tests that an object cache whose objects all have S bytes, and are never removed, is an ordinary
 * cache: the profile files of both analyses have the same numbers.
 *
 * These numbers are equal: requests and references; objects and blocks; cold misses and first
 * references; the requests with each distance d, whose row ends at S * (d + 1) - 1 in the profile
 * of the objects; and the miss ratios of a cache of k blocks and of a cache of S * k bytes, for
 * every k. The profile of the objects has another form: its rows end at sizes in bytes, it has no
 * sums of distances, and it has the section "objects". */
#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/model.h"
#include "reusedist/objects.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUESTS 4000
#define OBJECTS  700

static uint64_t seeds = 40; /* number of random traces; an argument of the program sets it */

static uint64_t id[REQUESTS], bytes[REQUESTS];

/* Makes requests for random objects. In every other trace, some objects are requested much more
 * often than others. Returns the size of each object, which is small, random, or so large that the
 * sizes of OBJECTS objects add up to almost 2^63. */
static uint64_t make_trace(uint64_t seed) {
    rdi_rng rng = {seed};
    uint64_t objects = 1 + rdi_rng_below(&rng, OBJECTS), most = (UINT64_C(1) << 63) / (OBJECTS + 1);
    uint64_t size = seed % 3 == 0   ? 1 + rdi_rng_below(&rng, 9)
                    : seed % 3 == 1 ? 1 + rdi_rng_below(&rng, most)
                                    : most;
    for (size_t i = 0; i < REQUESTS; i++) {
        uint64_t below = 1 + rdi_rng_below(&rng, objects);
        id[i] = rdi_mix64(rdi_rng_below(&rng, seed % 2 ? below : objects));
        bytes[i] = size;
    }
    return size;
}

/* Writes the profile, frees it, and returns the profile that is read from the text. */
static rd_profile *from_file(rd_ctx *ctx, rd_profile *p) {
    char *text = NULL;
    size_t n = 0;
    rd_profile *again = NULL;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(ctx, "file", text, n, &again), RD_OK);
    rd_text_free(ctx, text);
    rd_profile_free(p);
    return again;
}

static rd_profile *profile_of_blocks(rd_ctx *ctx) {
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
    rd_engine *engine = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_engine_open(ctx, "auto", &config, &engine), RD_OK);
    assert_int_equal(rd_engine_feed(engine, id, REQUESTS, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(engine), RD_OK);
    assert_int_equal(rd_engine_profile(engine, &p), RD_OK);
    rd_engine_close(engine);
    return from_file(ctx, p);
}

/* Analyzes the requests as an object cache. The rows of the profile end before multiples of `size`,
 * so that each row has the requests with one distance in objects. */
static rd_profile *profile_of_bytes(rd_ctx *ctx, uint64_t size) {
    static uint64_t sizes[OBJECTS];
    rd_objects_config config = {.size = sizeof config, .sizes = sizes, .n_sizes = OBJECTS};
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    for (size_t k = 0; k < OBJECTS; k++)
        sizes[k] = (k + 1) * size;
    assert_int_equal(rd_objects_new(ctx, &config, &o), RD_OK);
    assert_int_equal(
        rd_objects_feed(o, &(rd_requests){.n = REQUESTS, .id = id, .bytes = bytes}, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    rd_objects_free(o);
    return from_file(ctx, p);
}

static void check_totals(const rd_profile *blocks, const rd_profile *objects, uint64_t size) {
    const rd_profile_facts *a = rd_profile_facts_of(blocks), *b = rd_profile_facts_of(objects);
    const rd_objects_facts *f = rd_profile_objects(objects);
    assert_int_equal(a->references, REQUESTS);
    assert_int_equal(b->references, REQUESTS);
    assert_int_equal(b->infinite, a->infinite);
    assert_int_equal(f->objects, a->blocks);
    assert_int_equal(f->counted.requests, a->references);
    assert_int_equal(f->cold.requests, a->blocks);
    assert_int_equal(f->deleted.requests + f->expired.requests, 0);
    rdi_u128 asked = (rdi_u128)size * REQUESTS, cold = (rdi_u128)size * a->blocks;
    assert_true(f->counted.bytes.low == (uint64_t)asked && f->counted.bytes.high == asked >> 64);
    assert_true(f->cold.bytes.low == (uint64_t)cold && f->cold.bytes.high == cold >> 64);
}

/* Adds the count of each row to count[d]. d is the distance in objects: the end of the row divided
 * by `size`, rounded down. */
static void count_distances(const rd_profile *p, uint64_t size, uint64_t count[OBJECTS]) {
    const rd_bin *row = NULL;
    size_t n = rd_profile_bins(p, &row);
    for (size_t i = 0; i < n; i++) {
        assert_true(row[i].high / size < OBJECTS);
        assert_int_equal(row[i].high % size, size - 1);
        count[row[i].high / size] += row[i].count;
    }
}

static void profiles_of_equal_objects_have_the_numbers_of_blocks(void **state) {
    for (uint64_t seed = 0; seed < seeds; seed++) {
        uint64_t size = make_trace(seed), expected[OBJECTS] = {0}, got[OBJECTS] = {0};
        rd_profile *blocks = profile_of_blocks(*state), *objects = profile_of_bytes(*state, size);
        check_totals(blocks, objects, size);
        count_distances(blocks, 1, expected);
        count_distances(objects, size, got);
        assert_memory_equal(got, expected, sizeof got);
        for (uint64_t k = 1; k <= OBJECTS; k++) {
            double misses, ratio, byte_ratio;
            bool interpolated;
            assert_int_equal(rd_mrc_at(*state, blocks, k, &misses, NULL), RD_OK);
            assert_int_equal(
                rd_objects_at(*state, objects, k * size, &ratio, &byte_ratio, &interpolated),
                RD_OK);
            assert_true(!interpolated && ratio == misses);
            assert_float_equal(byte_ratio, misses, 1e-15);
        }
        rd_profile_free(objects);
        rd_profile_free(blocks);
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_of_equal_objects_have_the_numbers_of_blocks),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
