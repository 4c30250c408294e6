/* Tests private caches of threads (`private_caches`) on small examples with known counts, in an analysis and in
 * a profile. conformance/private_caches compares the counts of random examples with an oracle. */
#include "base/common.h"
#include "reusedist/reusedist.h"
#include "support/faults.h"
#include "support/fixture.h"
#include "support/profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- examples ---- */

static rd_level_counts counts[3][RD_CACHES_MAX]; /* by thread and cache */

/* Simulates references such as "1S5" (thread 1 stores to block 5), and sets `counts`. Threads count
 * from 0. */
static void simulate(const char *caches, const char *text) {
    rd_hierarchy h;
    rd_simulator *s = NULL;
    rd_simulator_config config = {.size = sizeof config, .private_caches = true};
    unsigned thread, block;
    char kind;
    ok(rd_hierarchy_parse(ctx, caches, &h));
    ok(rd_simulator_new(ctx, &h, &config, &s));
    for (int used; sscanf(text, " %u%c%u%n", &thread, &kind, &block, &used) == 3; text += used) {
        uint64_t b = block, t = thread;
        uint8_t k = kind == 'S' ? RD_STORE : kind == 'I' ? RD_FETCH : RD_LOAD;
        ok(rd_simulator_feed_threads(s, &b, &k, &t, 1));
    }
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < rd_simulator_threads(s); i++) {
        uint64_t number;
        rd_level_counts one[RD_CACHES_MAX];
        ok(rd_simulator_thread_counts(s, i, &number, one));
        memcpy(counts[number], one, h.n * sizeof *one);
    }
    rd_simulator_free(s);
}

static void a_store_to_a_shared_copy_is_an_upgrade(void **state) {
    (void)state;
    simulate("L1=4:2,L2=8:2:shared=yes", "0L1 1L1 0S1 0S1 1L1");
    assert_int_equal(counts[0][0].coherence.upgrades, 1); /* the second store finds no other copy */
    assert_int_equal(counts[1][0].coherence.removals, 1);
    assert_int_equal(counts[1][0].coherence.coherence, 1);
    assert_int_equal(counts[1][0].cache.cold, 1);
}

static void a_dirty_copy_is_transferred_and_written_back(void **state) {
    (void)state;
    simulate("L1=4:2,L2=8:2:shared=yes", "0S1 1L1");
    assert_int_equal(counts[1][0].coherence.transfers, 1);
    assert_int_equal(counts[1][0].coherence.dirty_transfers, 1);
    assert_int_equal(counts[0][0].cache.writebacks, 1);
    assert_int_equal(counts[1][1].coherence.transfers, 0); /* L2 holds the block, but its data are
                                                              old */
    simulate("L1=4:2,L2=8:2:shared=yes", "0S1 1S1"); /* the data move to the thread that stores */
    assert_int_equal(counts[1][0].coherence.dirty_transfers, 1);
    assert_int_equal(counts[0][0].cache.writebacks, 0);
}

static void a_clean_copy_is_transferred_if_no_shared_cache_has_it(void **state) {
    (void)state;
    simulate("L1=4:2,L2=8:2:shared=yes", "0L1 1L1");
    assert_int_equal(counts[1][0].coherence.transfers, 0);
    simulate("L1=4:2", "0L1 1L1");
    assert_int_equal(counts[1][0].coherence.transfers, 1);
    assert_int_equal(counts[1][0].coherence.dirty_transfers, 0);
}

static void an_inclusive_shared_cache_removes_the_copies_of_all_threads(void **state) {
    (void)state;
    simulate("L1=2,L2=2:shared=yes:fill=inclusive", "0L1 1L1 2L1 0L2 0L3");
    assert_int_equal(counts[0][1].cache.invalidations, 3);
    assert_int_equal(counts[1][0].coherence.removals, 0); /* no store has removed the copy */
}

static void a_removed_block_frees_room(void **state) {
    (void)state;
    simulate("L1=2", "0L1 0L2 1S2 0L3 0L1");
    assert_int_equal(counts[0][0].cache.misses, 3); /* block 3 takes the place of block 2 */
}

static void a_removed_prefetch_is_useless(void **state) {
    (void)state;
    simulate("L1=8:prefetch=next", "0L1 1S2 0L2");
    assert_int_equal(counts[0][0].cache.useless, 1);
    assert_int_equal(counts[0][0].coherence.removals, 1);
    assert_int_equal(counts[0][0].cache.cold, 2);
    assert_int_equal(counts[0][0].coherence.coherence, 0); /* the block was only prefetched */
}

static void a_store_removes_instructions_of_other_threads_only(void **state) {
    (void)state;
    simulate("L1I=4:2,L1D=4:2,L2=8:2:shared=yes", "0I1 1I1 0S1 0I1 1I1");
    assert_int_equal(counts[0][0].cache.misses, 1);
    assert_int_equal(counts[1][0].cache.misses, 2);
    assert_int_equal(counts[1][0].coherence.coherence, 1);
}

static void order_of_private_and_shared_caches(void **state) {
    (void)state;
    static const struct {
        const char *caches, *message;
    } cases[] = {
        {"L1=1K:shared=yes,L2=2K",
         "L2 is private to each thread, but L1, inside it, is shared by all "
         "threads; add shared=yes to L2, or omit it from L1"},
        {"L1I=1K:shared=yes,L1D=1K,L2=2K:shared=yes",
         "one of L1I and L1D is shared by all threads and the other one is private; add "
         "shared=yes to both or to neither"},
        {"L1=1K:shared=yes",
         "all caches are shared; private caches of threads need at least one cache "
         "without shared=yes"},
    };
    rd_hierarchy h;
    rd_simulator *s = NULL;
    rd_simulator_config config = {.size = sizeof config, .block_bytes = 64, .private_caches = true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ok(rd_hierarchy_parse(ctx, cases[i].caches, &h));
        assert_int_equal(rd_simulator_new(ctx, &h, &config, &s), RD_EINVAL);
        assert_string_equal(rd_last_error(ctx), cases[i].message);
        config.private_caches = false;
        ok(rd_simulator_new(ctx, &h, &config, &s));
        rd_simulator_free(s);
        config.private_caches = true;
    }
}

/* ---- in an analysis and in a profile ---- */

#define CACHES "L1=256:2,L2=1K:4:shared=yes"
#define LINES  400

/* Analyzes references of three threads that share a few blocks. */
static rd_profile *analyze(rd_stacks stacks, const char *engine, bool lockstep) {
    static char text[LINES * 32];
    rd_hierarchy h;
    rd_interleave order = {.size = sizeof order, .turn = 3};
    rd_analysis_config config = {.size = sizeof config,
                                 .engine = engine,
                                 .hierarchy = &h,
                                 .stacks = stacks,
                                 .interleave = lockstep ? &order : NULL,
                                 .private_caches = true,
                                 .threads = 2};
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    rd_profile *p = NULL;
    uint64_t random = 1;
    size_t n = 0;
    for (unsigned i = 0; i < LINES; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        n += (size_t)sprintf(text + n, "0x%x,8,%c,%u\n", (unsigned)(random >> 33) % 1500,
                             random >> 40 & 3 ? 'L' : 'S', (unsigned)(random >> 50) % 3);
    }
    ok(rd_hierarchy_parse(ctx, CACHES, &h));
    ok(rd_trace_open_memory(ctx, "memory", text, n, "csv:addr=1,size=2,kind=3,thread=4", &trace));
    ok(rd_analysis_open(ctx, &config, &a));
    ok(rd_analysis_add_trace(a, trace, "memory"));
    ok(rd_analysis_run(a));
    ok(rd_analysis_profile(a, &p));
    rd_analysis_close(a);
    rd_trace_close(trace);
    return p;
}

static void assert_same(const rd_private_simulation *a, const rd_private_simulation *b) {
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(a->n_threads, b->n_threads);
    assert_memory_equal(a->all, b->all, sizeof a->all);
    for (size_t i = 0; i < a->n_threads; i++) {
        assert_int_equal(a->threads[i].thread, b->threads[i].thread);
        assert_memory_equal(a->threads[i].levels, b->threads[i].levels, 2 * sizeof *counts[0]);
    }
}

/* Tests that the simulation does not depend on whether distances are measured, but depends on the
 * interleaving. */
static void an_analysis_simulates_private_caches(void **state) {
    (void)state;
    rd_profile *p = analyze(RD_STACKS_SHARED, "null", false);
    rd_profile *q = analyze(RD_STACKS_PRIVATE, NULL, false);
    rd_profile *r = analyze(RD_STACKS_SHARED, NULL, true);
    const rd_private_simulation *s = rd_profile_private_simulation(p);
    assert_same(s, rd_profile_private_simulation(q));
    assert_null(rd_profile_simulation(p));
    assert_int_equal(s->n_threads, 3);
    assert_int_equal(s->threads[2].thread, 2);
    assert_string_equal(s->interleave, "recorded");
    assert_int_equal(s->all[0].cache.references, rd_profile_facts_of(p)->references);
    assert_true(s->all[0].coherence.coherence && s->all[0].coherence.upgrades &&
                s->all[0].coherence.transfers);
    assert_string_equal(rd_profile_private_simulation(r)->interleave, "lockstep:3");
    assert_true(memcmp(rd_profile_private_simulation(r)->all, s->all, sizeof s->all) != 0);
    rd_profile_free(p);
    rd_profile_free(q);
    rd_profile_free(r);
}

static void the_section_is_read_back_and_merged(void **state) {
    (void)state;
    rd_profile *p = analyze(RD_STACKS_SHARED, "null", false), *again = profiles_read_back(ctx, p),
               *sum = NULL;
    rd_profile *other = analyze(RD_STACKS_SHARED, "null", true);
    const rd_private_simulation *a = rd_profile_private_simulation(p);
    assert_same(a, rd_profile_private_simulation(again));
    ok(rd_profile_merge(ctx, (rd_profile *const[]){p, again}, 2, &sum));
    const rd_private_simulation *both = rd_profile_private_simulation(sum);
    assert_non_null(both);
    assert_int_equal(both->n_threads, 3);
    assert_int_equal(both->all[1].cache.misses, 2 * a->all[1].cache.misses);
    assert_int_equal(both->threads[1].levels[0].coherence.upgrades,
                     2 * a->threads[1].levels[0].coherence.upgrades);
    rd_profile_free(sum);
    assert_int_equal(rd_profile_merge(ctx, (rd_profile *const[]){p, other}, 2, &sum), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "same --interleave"));
    rd_profile_free(other);
    rd_profile_free(again);
    rd_profile_free(p);
}

/* Expects that a profile is refused, with a message that contains `message`, if `to` replaces the
 * first `from` in the section "private_caches". */
static void expect_refused(const char *from, const char *to, const char *message) {
    rd_profile *p = analyze(RD_STACKS_SHARED, "null", false);
    profiles_assert_refused(ctx, p, "private_caches", from, to, message);
    rd_profile_free(p);
}

static void impossible_sections_are_refused(void **state) {
    (void)state;
    expect_refused("L1=256:2", "L1=25x:2", "does not describe private caches");
    expect_refused("\"name\": \"L2\"", "\"name\": \"L3\"",
                   "level 2 of thread 1 of the list is called L3, but the cache is called L2");
    expect_refused("\"thread\": 0", "\"thread\": 9", "ascending order");
    expect_refused("\"causes\": true,", "\"causes\":false,", "contradict");
    expect_refused("\"cold\": ", "\"cold\": 9", "contradict");
    expect_refused("\"dirty_transfers\": ", "\"dirty_transfers\":9", "contradict");
}

/* Analyzes `text` as a trace, and returns the status. */
static rd_status try_text(const char *text, const char *format, const rd_analysis_config *config) {
    rd_analysis *a = NULL;
    rd_trace *trace = NULL;
    ok(rd_trace_open_memory(ctx, "memory", text, strlen(text), format, &trace));
    rd_status status = rd_analysis_open(ctx, config, &a);
    if (status == RD_OK)
        status = rd_analysis_add_trace(a, trace, "memory");
    if (status == RD_OK)
        status = rd_analysis_run(a);
    rd_analysis_close(a);
    rd_trace_close(trace);
    return status;
}

static void private_caches_need_threads_and_kinds(void **state) {
    (void)state;
    rd_hierarchy h;
    rd_analysis_config config = {
        .size = sizeof config, .hierarchy = &h, .private_caches = true, .engine = "null"};
    ok(rd_hierarchy_parse(ctx, CACHES, &h));
    assert_int_equal(try_text("64,L\n", "csv:addr=1,kind=2", &config), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "no thread numbers"));
    assert_int_equal(try_text("64,1\n", "csv:addr=1,thread=2", &config), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "which references store"));
    assert_int_equal(try_text("a\n", "csv:id=1", &config), RD_EINVAL);
    config.kinds = RD_LOAD;
    assert_int_equal(try_text("64,L,1\n", "csv:addr=1,kind=2,thread=3", &config), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "need the stores"));
    config.kinds = 0;
    config.private_caches = false;
    config.stacks = RD_STACKS_PRIVATE;
    config.engine = NULL;
    assert_int_equal(try_text("64,L,1\n", "csv:addr=1,kind=2,thread=3", &config), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "simulated caches that all threads use"));
    config.private_caches = true;
    ok(try_text("64,L,1\n", "csv:addr=1,kind=2,thread=3", &config));
}

/* ---- failing allocations ---- */

#define FEW 900 /* number of references; their blocks are enough for the tables to grow */

static rd_status simulate_few(rd_ctx *faulty, void *user) {
    rd_hierarchy h;
    rd_simulator *s = NULL;
    rd_level_counts levels[RD_CACHES_MAX];
    rd_simulator_config config = {.size = sizeof config, .private_caches = true};
    uint64_t thread;
    (void)user;
    RD_TRY(rd_hierarchy_parse(faulty,
                              "L1=16:4:prefetch=stream,L2=100,L3=200:shared=yes:prefetch=stream:"
                              "fill=inclusive",
                              &h));
    rd_status status = rd_simulator_new(faulty, &h, &config, &s);
    for (uint64_t i = 0; i < FEW && status == RD_OK; i++) {
        uint64_t t = i % 7 ? i % 2 : 2, block = i * i % 700;
        uint8_t kind = i % 3 ? RD_LOAD : RD_STORE;
        status = rd_simulator_feed_threads(s, &block, &kind, &t, 1);
    }
    if (status == RD_OK)
        status = rd_simulator_thread_counts(s, 2, &thread, levels);
    rd_simulator_free(s);
    return status;
}

static rd_status handle_profile(rd_ctx *faulty, void *user) {
    rd_profile *p = NULL, *sum = NULL;
    char *text = NULL;
    size_t n = 0;
    RD_TRY(rd_profile_parse(faulty, "profile", user, strlen(user), &p));
    rd_status status = rd_profile_merge(faulty, (rd_profile *const[]){p, p}, 2, &sum);
    if (status == RD_OK)
        status = rd_report_simulation_json(sum, &text, &n);
    rd_text_free(faulty, text);
    text = NULL;
    if (status == RD_OK)
        status = rd_report_simulation_text(sum, NULL, &text, &n);
    rd_text_free(faulty, text);
    rd_profile_free(sum);
    rd_profile_free(p);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    rd_profile *p = analyze(RD_STACKS_SHARED, "null", false);
    char *text = NULL;
    size_t n = 0;
    ok(rd_profile_json(p, &text, &n));
    assert_true(faults_inject("private caches", simulate_few, NULL, RD_OK) > 20);
    assert_true(faults_inject("profile of private caches", handle_profile, text, RD_OK) > 20);
    rd_text_free(ctx, text);
    rd_profile_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_to_a_shared_copy_is_an_upgrade),
        cmocka_unit_test(a_dirty_copy_is_transferred_and_written_back),
        cmocka_unit_test(a_clean_copy_is_transferred_if_no_shared_cache_has_it),
        cmocka_unit_test(an_inclusive_shared_cache_removes_the_copies_of_all_threads),
        cmocka_unit_test(a_removed_block_frees_room),
        cmocka_unit_test(a_removed_prefetch_is_useless),
        cmocka_unit_test(a_store_removes_instructions_of_other_threads_only),
        cmocka_unit_test(order_of_private_and_shared_caches),
        cmocka_unit_test(an_analysis_simulates_private_caches),
        cmocka_unit_test(the_section_is_read_back_and_merged),
        cmocka_unit_test(impossible_sections_are_refused),
        cmocka_unit_test(private_caches_need_threads_and_kinds),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, new_ctx, free_ctx);
}
