/* Tests the causes of simulated misses by code and data: all counts equal those of the cache oracle, profiles that are
 * made under any limit can be read back (reading checks that counts add up), and damaged profiles and foreign tags are
 * refused. */
#include "base/common.h"
#include "reusedist/reusedist.h"
#include "support/cache_oracle.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFS    4000
#define PCS     7
#define REGIONS 5
#define CACHES  3
#define BYTES   (UINT64_C(1) << 14) /* bytes of a region */

static uint64_t addr[REFS], pc[REFS], blocks[REFS], distances[REFS], tags[REFS];
static uint32_t size[REFS], origin[REFS], site[REFS], region[REFS];
static uint8_t kind[REFS];
static const char caches[] = "L1=1K:2,L2=4K:4:fill=inclusive:prefetch=next,L3=12K:3:policy=plru";

/* Makes random references to the regions. Region r begins at address (r + 1) * BYTES. */
static void make_trace(uint64_t seed) {
    rdi_rng rng = {seed};
    for (size_t i = 0; i < REFS; i++) {
        site[i] = (uint32_t)rdi_rng_below(&rng, PCS);
        region[i] = (uint32_t)rdi_rng_below(&rng, rdi_rng_below(&rng, 3) ? 2 : REGIONS);
        pc[i] = 0x400000 + 16 * site[i];
        addr[i] =
            (region[i] + 1) * BYTES + 64 * rdi_rng_below(&rng, rdi_rng_below(&rng, 3) ? 20 : 250);
        size[i] = 1;
        kind[i] = rdi_rng_below(&rng, 4) ? RD_LOAD : RD_STORE;
        origin[i] = (uint32_t)i;
        blocks[i] = addr[i] / 64;
    }
}

static rd_profile *attribute(const rd_attributor_config *limits, const rd_hierarchy *h) {
    rd_attributor_config config = *limits;
    rd_attributor *a = NULL;
    rd_simulator *s = NULL;
    rd_engine *e = NULL;
    rd_profile *p = NULL;
    rd_simulation result = {.size = sizeof result, .hierarchy = *h, .causes = true};
    config.size = sizeof config;
    config.block_bytes = 64;
    config.caches = h->n;
    ok(rd_attributor_new(ctx, &config, &a));
    ok(rd_simulator_new(ctx, h,
                        &(rd_simulator_config){.size = sizeof(rd_simulator_config),
                                               .block_bytes = 64,
                                               .misses = rd_attributor_misses,
                                               .misses_user = a},
                        &s));
    ok(rd_engine_open(ctx, "stack", NULL, &e));
    for (uint64_t r = 0; r < REGIONS; r++)
        ok(rd_attributor_event(a, &(rd_event){.kind = RD_EVENT_ALLOCATE,
                                              .address = (r + 1) * BYTES,
                                              .size = BYTES,
                                              .pc = 0x500000 + 16 * r}));
    rd_refs refs = {.n = REFS, .addr = addr, .pc = pc, .size = size, .kind = kind};
    for (size_t at = 0, n; at < REFS; at += n) {
        n = REFS - at < 700 ? REFS - at : 700;
        ok(rd_engine_feed(e, blocks + at, n, distances + at));
        ok(rd_attributor_feed(
            a, &(rd_attributed){&refs, origin + at, blocks + at, distances + at, n, tags + at}));
        ok(rd_simulator_feed_tagged(s, blocks + at, kind + at, tags + at, n));
    }
    ok(rd_engine_finish(e));
    ok(rd_engine_profile(e, &p));
    ok(rd_profile_set_block_bytes(p, 64));
    ok(rd_simulator_counts(s, result.counts));
    ok(rd_profile_set_simulation(p, &result));
    ok(rd_attributor_finish(a, p));
    rd_engine_close(e);
    rd_simulator_free(s);
    rd_attributor_free(a);
    return p;
}

/* ---- against the oracle ---- */

typedef struct expectation {
    uint64_t by_site[PCS][CACHES][3], by_region[REGIONS][CACHES][3];
    /* Conflict misses by the region that misses, the region that evicted the block (REGIONS: none), and the cache. */
    uint64_t pairs[REGIONS][REGIONS + 1][CACHES];
} expectation;

static void expect(const rd_hierarchy *h, expectation *e) {
    static cache_oracle_miss misses[REFS * CACHES];
    rd_cache_counts counts[CACHES];
    memset(e, 0, sizeof *e);
    size_t n = cache_oracle_run(h, 64, blocks, kind, REFS, counts, misses);
    for (size_t i = 0; i < n; i++) {
        const cache_oracle_miss *m = &misses[i];
        e->by_site[site[m->reference]][m->cache][m->cause]++;
        e->by_region[region[m->reference]][m->cache][m->cause]++;
        size_t evictor = m->evictor == CACHE_ORACLE_NOBODY ? REGIONS : region[m->evictor];
        e->pairs[region[m->reference]][evictor][m->cache] += m->cause == RD_CAUSE_CONFLICT;
    }
}

/* Returns the index of the site or region with this name, which is `base` + 16 * index in hexadecimal digits. */
static size_t number_of(const char *name, uint64_t base) {
    return (size_t)((strtoull(name, NULL, 16) - base) / 16);
}

static void check_causes(const uint64_t expected[3], const rd_causes *got) {
    assert_int_equal(got->cold, expected[RD_CAUSE_COLD]);
    assert_int_equal(got->capacity, expected[RD_CAUSE_CAPACITY]);
    assert_int_equal(got->conflict, expected[RD_CAUSE_CONFLICT]);
}

static size_t region_of(const rd_details *d, size_t index) {
    return index == RD_NO_INDEX ? REGIONS : number_of(d->attribution->data[index].name, 0x500000);
}

static void counts_are_those_of_the_oracle(void **state) {
    (void)state;
    static expectation e;
    rd_hierarchy h;
    ok(rd_hierarchy_parse(ctx, caches, &h));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_trace(seed);
        expect(&h, &e);
        rd_profile *p = attribute(&(rd_attributor_config){0}, &h);
        const rd_details *d = rd_profile_details(p);
        assert_non_null(d->causes);
        assert_int_equal(d->attribution->n_functions, PCS);
        assert_int_equal(d->attribution->n_data, REGIONS);
        for (size_t k = 0; k < CACHES; k++) {
            for (size_t i = 0; i < PCS; i++)
                check_causes(e.by_site[number_of(d->attribution->functions[i].name, 0x400000)][k],
                             &d->causes->functions[i * CACHES + k]);
            for (size_t i = 0; i < REGIONS; i++)
                check_causes(e.by_region[region_of(d, i)][k], &d->causes->data[i * CACHES + k]);
        }
        for (size_t i = 0; i < d->causes->n_conflicts; i++) {
            const rd_conflict *c = &d->causes->conflicts[i];
            uint64_t *expected =
                &e.pairs[region_of(d, c->data)][region_of(d, c->evictor)][c->cache];
            assert_int_equal(c->count, *expected);
            *expected = 0;
        }
        for (size_t i = 0; i < sizeof e.pairs / sizeof(uint64_t); i++)
            assert_int_equal(((uint64_t *)e.pairs)[i], 0); /* all pairs were listed */
        rd_profile_free(p);
    }
}

/* ---- limits, files ---- */

static void sums_hold_under_any_limit(void **state) {
    (void)state;
    static const rd_attributor_config limits[] = {
        {.max_tuples = 8},  {.max_sites = 2},   {.max_regions = 2},
        {.max_entries = 2}, {.max_entries = 1}, {.max_tuples = 9, .max_entries = 3},
    };
    rd_hierarchy h;
    ok(rd_hierarchy_parse(ctx, caches, &h));
    make_trace(99);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        rd_profile *p = attribute(&limits[i], &h), *again = profiles_read_back(ctx, p);
        const rd_miss_causes *a = rd_profile_details(p)->causes;
        const rd_miss_causes *b = rd_profile_details(again)->causes;
        assert_int_equal(a->n_conflicts, b->n_conflicts);
        assert_memory_equal(a->conflicts, b->conflicts, a->n_conflicts * sizeof *a->conflicts);
        assert_int_equal(a->n_line_conflicts, b->n_line_conflicts);
        assert_memory_equal(a->functions, b->functions,
                            a->n_functions * CACHES * sizeof *a->functions);
        rd_profile_free(p);
        rd_profile_free(again);
    }
}

/* Expects a refusal with `message` if `to` replaces the first `from` in the section "causes" of the profile. */
static void expect_refused(rd_profile *p, const char *from, const char *to, const char *message) {
    profiles_assert_refused(ctx, p, "\"causes\": {", from, to, message);
}

static void damaged_sections_are_refused(void **state) {
    (void)state;
    rd_hierarchy h;
    char conflict[64], wrong[64];
    ok(rd_hierarchy_parse(ctx, caches, &h));
    make_trace(3);
    rd_profile *p = attribute(&(rd_attributor_config){0}, &h);
    const rd_miss_causes *c = rd_profile_details(p)->causes;
    snprintf(conflict, sizeof conflict, "\"count\": %" PRIu64, c->conflicts[0].count);
    snprintf(wrong, sizeof wrong, "\"count\": %" PRIu64, c->conflicts[0].count ^ 1);
    expect_refused(p, conflict, wrong, "do not add up");
    expect_refused(p, "\"caches\": 3", "\"caches\": 2", "three numbers for each of 2 caches");
    expect_refused(p, "\"caches\": 3", "\"caches\": 0", "1 to 16 caches");
    expect_refused(p, "\"cache\": 0", "\"cache\": 7", "out of range");
    expect_refused(p, "\"functions\"", "\"functionz\"", "functions");
    rd_profile_free(p);
}

/* Tests that the attributor refuses tags that it did not give out and caches that it does not have, because they
 * would point outside its tables. */
static void foreign_tags_are_refused(void **state) {
    (void)state;
    rd_attributor *a = NULL;
    rd_attributor_config config = {.size = sizeof config, .block_bytes = 64, .caches = 1};
    ok(rd_attributor_new(ctx, &config, &a));
    static const rd_miss misses[] = {{.tag = 0}, {.tag = 1}, {.tag = UINT64_MAX}, {.cache = 1}};
    for (size_t i = 0; i < sizeof misses / sizeof *misses; i++)
        assert_int_equal(rd_attributor_misses(a, &misses[i], 1), RD_EINVAL);
    rd_attributor_free(a);
    config.caches = RD_CACHES_MAX + 1;
    assert_int_equal(rd_attributor_new(ctx, &config, &a), RD_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_oracle),
        cmocka_unit_test(sums_hold_under_any_limit),
        cmocka_unit_test(damaged_sections_are_refused),
        cmocka_unit_test(foreign_tags_are_refused),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
