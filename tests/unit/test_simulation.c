/* Tests simulated caches in an analysis and in a profile: an analysis has the same counts as a
 * simulator, and the section "hierarchy" is written, read, merged and checked. */
#include "reusedist/reusedist.h"

#include "live/channel.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/hierarchies.h"
#include "support/profiles.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CACHES "L1I=128:1,L1D=256:2,L2=1K:4:policy=plru"

/* Analyzes the same few references of all kinds, some of which span two blocks. */
static rd_profile *analyze(const char *caches, const char *engine) {
    static const char text[] = "I  1000,4\n L 103e,8\n S 2000,8\nI  1100,4\n L 3000,8\n L 4000,8\n"
                               " L 2000,8\n S 1000,1\n L 1040,1\nI  1000,4\n S 2080,8\n L 2000,1\n";
    rd_hierarchy h;
    ok(rd_hierarchy_parse(ctx, caches, &h));
    rd_analysis_config config = {.size = sizeof config, .engine = engine, .hierarchy = &h};
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    rd_profile *p = NULL;
    ok(rd_trace_open_memory(ctx, "memory", text, sizeof text - 1, "lackey", &trace));
    ok(rd_analysis_open(ctx, &config, &a));
    ok(rd_analysis_add_trace(a, trace, "memory"));
    ok(rd_analysis_run(a));
    ok(rd_analysis_profile(a, &p));
    rd_analysis_close(a);
    rd_trace_close(trace);
    return p;
}

static void analysis_counts_like_a_simulator(void **state) {
    (void)state;
    static const uint64_t blocks[] = {0x40, 0x40, 0x41, 0x80, 0x44, 0xc0, 0x100,
                                      0x80, 0x40, 0x41, 0x40, 0x82, 0x80};
    static const uint8_t kinds[] = {4, 1, 1, 2, 4, 1, 1, 1, 2, 1, 4, 2, 1};
    static const char *const engines[] = {NULL, "null", "stack", "shards:rate=1"};
    rd_hierarchy h;
    rd_simulator *s = NULL;
    rd_cache_counts expected[RD_CACHES_MAX];
    ok(rd_hierarchy_parse(ctx, CACHES, &h));
    ok(rd_simulator_new(
        ctx, &h, &(rd_simulator_config){.size = sizeof(rd_simulator_config), .block_bytes = 64},
        &s));
    ok(rd_simulator_feed(s, blocks, kinds, 13));
    ok(rd_simulator_counts(s, expected));
    rd_simulator_free(s);
    for (size_t i = 0; i < 4; i++) {
        rd_profile *p = analyze(CACHES, engines[i]);
        assert_int_equal(rd_profile_facts_of(p)->references, 13);
        assert_non_null(rd_profile_simulation(p));
        assert_memory_equal(rd_profile_simulation(p)->counts, expected, 3 * sizeof *expected);
        rd_profile_free(p);
    }
}

#define LONG 200000 /* more references than all buffers of the thread that simulates hold */

/* Analyzes the loads and stores in `text` with the caches `h`, on `threads` threads and with a bound (0: none).
 * With `live`, the simulation uses the distances even on a thread of its own. */
static rd_profile *analyze_long(const char *text, size_t n, const rd_hierarchy *h, uint32_t threads,
                                uint64_t bound, bool live) {
    rd_analysis_config config = {
        .size = sizeof config, .hierarchy = h, .threads = threads, .bound = bound, .live = live};
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    rd_profile *p = NULL;
    ok(rd_trace_open_memory(ctx, "memory", text, n, "lackey", &trace));
    ok(rd_analysis_open(ctx, &config, &a));
    ok(rd_analysis_add_trace(a, trace, "memory"));
    ok(rd_analysis_run(a));
    ok(rd_analysis_profile(a, &p));
    rd_analysis_close(a);
    rd_trace_close(trace);
    return p;
}

/* Tests that counters stay the same if the simulation takes its distances from the analysis, which is possible
 * only without a bound, and if it runs on another thread. */
static void threads_and_distances_change_nothing(void **state) {
    (void)state;
    static uint64_t blocks[LONG];
    static uint8_t kinds[LONG];
    char *text = malloc(LONG * 20 + 1);
    size_t n = 0;
    rd_hierarchy h;
    rd_simulator *s = NULL;
    rd_cache_counts expected[RD_CACHES_MAX];
    uint64_t random = 1;
    assert_non_null(text);
    for (size_t i = 0; i < LONG; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        blocks[i] = 64 + (random >> 33) % (random >> 60 ? 50 : 900);
        kinds[i] = random >> 40 & 1 ? RD_STORE : RD_LOAD;
        n += (size_t)sprintf(text + n, " %c %x,8\n", kinds[i] == RD_STORE ? 'S' : 'L',
                             (unsigned)blocks[i] * 64);
    }
    ok(rd_hierarchy_parse(ctx, "L1=4K:8,L2=24K:12", &h));
    rd_simulator_config config = {.size = sizeof config, .block_bytes = 64};
    ok(rd_simulator_new(ctx, &h, &config, &s));
    ok(rd_simulator_feed(s, blocks, kinds, LONG));
    ok(rd_simulator_counts(s, expected));
    assert_true(expected[0].conflict && expected[0].capacity && expected[0].far_hits);
    rd_simulator_free(s);
    for (uint32_t i = 0; i < 8; i++) {
        rd_profile *p = analyze_long(text, n, &h, 1 + i % 2, i / 2 % 2 * 100, i / 4);
        assert_memory_equal(rd_profile_simulation(p)->counts, expected, 2 * sizeof *expected);
        rd_profile_free(p);
    }
    free(text);
}

#define AHEAD 2400000 /* more references than the buffers of two threads that decode ahead hold */

/* Analyzes a short and a long file, one after the other. */
static rd_profile *analyze_files(const char *shorter, const char *longer, const rd_hierarchy *h,
                                 uint32_t threads, bool causes) {
    rd_analysis_config config = {
        .size = sizeof config, .hierarchy = h, .threads = threads, .without_causes = !causes};
    rd_analysis *a = NULL;
    rd_profile *p = NULL;
    ok(rd_analysis_open(ctx, &config, &a));
    ok(rd_analysis_add_file(a, shorter));
    ok(rd_analysis_add_file(a, longer));
    ok(rd_analysis_run(a));
    ok(rd_analysis_profile(a, &p));
    rd_analysis_close(a);
    return p;
}

/* Tests that counters stay the same if several threads decode a long file ahead of the simulation. Some
 * references span two blocks. */
static void decoding_ahead_changes_nothing(void **state) {
    (void)state;
    static uint64_t addr[AHEAD];
    static uint32_t size[AHEAD];
    static uint8_t kind[AHEAD];
    static const char *const caches[] = {"L1=4K:8,L2=24K:12", "L1I=2K:4,L1D=4K:8,L2=24K:12"};
    uint64_t random = 3;
    for (size_t i = 0; i < AHEAD; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        addr[i] = 4096 + (random >> 33) % (random >> 60 ? 3000 : 60000);
        size[i] = 8;
        kind[i] = (uint8_t)(1u << (random >> 40) % 3);
    }
    rd_refs refs = {.n = AHEAD,
                    .fields = RD_FIELD_SIZE | RD_FIELD_KIND,
                    .addr = addr,
                    .size = size,
                    .kind = kind};
    char *longer = files_path(), *shorter = files_path();
    traces_write_file(longer, "native", &refs);
    refs.n = 100;
    traces_write_file(shorter, "native", &refs);
    for (unsigned i = 0; i < 4; i++) {
        rd_hierarchy h;
        ok(rd_hierarchy_parse(ctx, caches[i % 2], &h));
        rd_profile *p = analyze_files(shorter, longer, &h, 1, i / 2);
        rd_profile *q = analyze_files(shorter, longer, &h, 2, i / 2);
        assert_true(rd_profile_simulation(p)->counts[0].references > 100);
        assert_memory_equal(rd_profile_simulation(p)->counts, rd_profile_simulation(q)->counts,
                            h.n * sizeof(rd_cache_counts));
        rd_profile_free(p);
        rd_profile_free(q);
    }
    files_remove(longer);
    files_remove(shorter);
}

#define RUNS 3000

/* Simulates `n` references, given by records of the channel. */
static void simulate_records(const rd_hierarchy *h, const uint64_t *words, size_t n,
                             rd_cache_counts *counts) {
    static uint64_t blocks[RUNS];
    static uint8_t kinds[RUNS];
    rd_simulator *s = NULL;
    rd_simulator_config config = {.size = sizeof config, .block_bytes = 64};
    for (size_t i = 0; i < n; i++) {
        blocks[i] = words[i] >> RDI_RECORD_SHIFT >> 6;
        kinds[i] = (uint8_t)(1u << (words[i] & 3));
    }
    ok(rd_simulator_new(ctx, h, &config, &s));
    ok(rd_simulator_feed(s, blocks, kinds, n));
    ok(rd_simulator_counts(s, counts));
    rd_simulator_free(s);
}

/* Tests that counters stay the same without repeated references if rd_hierarchy_takes_repeats() returns true,
 * and that this function does not return false for all hierarchies whose counters stay the same. */
static void repeats_change_nothing_in_caches_that_take_them(void **state) {
    (void)state;
    rdi_rng rng = {7};
    unsigned taken = 0, differ = 0;
    for (unsigned round = 0; round < 300; round++) {
        static uint64_t words[RUNS];
        static rdi_channel channel = {.collapse = 7 | RDI_COLLAPSE_LOADS, .record_words = 1};
        rd_cache_counts all[RD_CACHES_MAX] = {{0}}, some[RD_CACHES_MAX] = {{0}};
        rd_hierarchy h;
        uint64_t block = 0;
        hierarchies_random(&rng, 64, &h);
        for (size_t i = 0; i < RUNS; i++) {
            block = rdi_rng_below(&rng, 2) ? block : 64 + rdi_rng_below(&rng, 300);
            words[i] = block << 6 << RDI_RECORD_SHIFT | RDI_RECORD_LOW(8, rdi_rng_below(&rng, 3));
        }
        simulate_records(&h, words, RUNS, all);
        size_t n = (size_t)rdi_channel_collapse(&channel, words, RUNS);
        assert_in_range(n, RUNS / 4, RUNS - RUNS / 4);
        simulate_records(&h, words, n, some);
        some[0].references += RUNS - n;
        bool same = memcmp(all, some, sizeof all) == 0;
        bool takes = rd_hierarchy_takes_repeats(&h);
        if (takes && !same)
            fail_msg("counters differ in round %u", round);
        taken += takes;
        differ += !same;
    }
    assert_in_range(taken, 50, 250);
    assert_in_range(differ, 50, 250);
    assert_false(rd_hierarchy_takes_repeats(NULL));
}

static void section_is_read_back_and_merged(void **state) {
    (void)state;
    rd_profile *p[2] = {analyze(CACHES, NULL), analyze("L1=256:2", NULL)}, *sum = NULL;
    rd_profile *again = profiles_read_back(ctx, p[0]);
    const rd_simulation *a = rd_profile_simulation(p[0]), *b = rd_profile_simulation(again);
    assert_non_null(b);
    assert_int_equal(b->hierarchy.n, 3);
    assert_string_equal(b->hierarchy.cache[1].name, "L1D");
    assert_int_equal(b->hierarchy.cache[2].policy, RD_POLICY_PLRU);
    assert_true(b->causes);
    assert_memory_equal(a->counts, b->counts, 3 * sizeof *a->counts);
    ok(rd_profile_merge(ctx, (rd_profile *const[]){p[0], again}, 2, &sum));
    const rd_simulation *both = rd_profile_simulation(sum);
    assert_non_null(both);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(both->counts[k].references, 2 * a->counts[k].references);
        assert_int_equal(both->counts[k].cold, 2 * a->counts[k].cold);
        assert_int_equal(both->counts[k].writebacks, 2 * a->counts[k].writebacks);
    }
    rd_profile_free(sum);
    ok(rd_profile_merge(ctx, p, 2, &sum)); /* different caches cannot be added */
    assert_null(rd_profile_simulation(sum));
    rd_profile_free(sum);
    rd_profile_free(again);
    rd_profile_free(p[0]);
    rd_profile_free(p[1]);
}

/* Expects a refusal with `message` if `to` replaces the first `from` in the text of the profile. */
static void expect_refused(const char *from, const char *to, const char *message) {
    rd_profile *p = analyze(CACHES, NULL);
    profiles_assert_refused(ctx, p, "", from, to, message);
    rd_profile_free(p);
}

/* Tests that a profile keeps the machine whose caches were simulated, and that a merged profile keeps it if
 * all profiles have the same machine. */
static void the_machine_is_kept(void **state) {
    (void)state;
    rd_machine zen4, back;
    ok(rd_machine_find(ctx, "zen4", &zen4));
    for (int fetches = 0; fetches < 2; fetches++) {
        rd_profile *p = analyze("L1=256:2", NULL), *sum = NULL, *other = NULL;
        rd_simulation s = {.size = sizeof s, .causes = true};
        rd_machine_hierarchy(&zen4, fetches, &s.hierarchy);
        ok(rd_profile_set_simulation(p, &s));
        rd_profile *again = profiles_read_back(ctx, p);
        const rd_hierarchy *h = &rd_profile_simulation(again)->hierarchy;
        assert_string_equal(h->machine, "zen4");
        assert_true(rd_machine_of_hierarchy(h, 64, &back));
        assert_string_equal(back.name, "zen4");
        assert_true(back.clock_ghz == zen4.clock_ghz && back.memory_ns == zen4.memory_ns &&
                    back.parallel == zen4.parallel && back.caches.n == zen4.caches.n);
        assert_memory_equal(back.caches.cache, zen4.caches.cache, zen4.caches.n * sizeof(rd_cache));
        ok(rd_profile_merge(ctx, (rd_profile *const[]){p, again}, 2, &sum));
        assert_string_equal(rd_profile_simulation(sum)->hierarchy.machine, "zen4");
        rd_profile_free(sum);
        s.hierarchy.memory_ns += 1;
        other = analyze("L1=256:2", NULL);
        ok(rd_profile_set_simulation(other, &s));
        ok(rd_profile_merge(ctx, (rd_profile *const[]){p, other}, 2, &sum));
        assert_false(rd_machine_of_hierarchy(&rd_profile_simulation(sum)->hierarchy, 64, &back));
        rd_profile_free(sum);
        rd_profile_free(other);
        rd_profile_free(again);
        rd_profile_free(p);
    }
}

static void impossible_sections_are_refused(void **state) {
    (void)state;
    expect_refused("L1I=128", "L1I=12x", "does not describe a hierarchy");
    expect_refused("L2=1K:4", "L3=1K:4", "is called L2, but the cache is called L3");
    expect_refused("\"causes\": true,\n", "\"causes\": false,", "contradict");
    expect_refused("\"name\": \"L1I\", \"references\": 3", "\"name\": \"L1I\", \"references\": 4",
                   "more references than can arrive");
    expect_refused("\"name\": \"L1I\", \"references\": 3", "\"name\": \"L1I\", \"references\": 1",
                   "contradict");
}

static void caches_that_do_not_suit_the_analysis(void **state) {
    (void)state;
    rd_hierarchy h;
    rd_analysis *a = NULL;
    ok(rd_hierarchy_parse(ctx, "L1=1K:2", &h));
    rd_analysis_config config = {.size = sizeof config, .hierarchy = &h, .block = 1024};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_EINVAL);
    config.block = RD_BLOCK_ADDRESS;
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_EINVAL);
    config = (rd_analysis_config){.size = sizeof config, .hierarchy = &h, .checkpoint = "file"};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "checkpoint"));
    ok(rd_hierarchy_parse(ctx, "L1=192:2", &h));
    config = (rd_analysis_config){.size = sizeof config, .hierarchy = &h, .live = true};
    assert_int_equal(rd_analysis_open(ctx, &config, &a), RD_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analysis_counts_like_a_simulator),
        cmocka_unit_test(threads_and_distances_change_nothing),
        cmocka_unit_test(decoding_ahead_changes_nothing),
        cmocka_unit_test(repeats_change_nothing_in_caches_that_take_them),
        cmocka_unit_test(section_is_read_back_and_merged),
        cmocka_unit_test(the_machine_is_kept),
        cmocka_unit_test(impossible_sections_are_refused),
        cmocka_unit_test(caches_that_do_not_suit_the_analysis),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
