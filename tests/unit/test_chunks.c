/* Tests chunks: the analysis of one chunk alone, resolving the first touches of a chunk, and engine
 * chunks, which does both on threads. */
#include "engine/core/chunk.h"

#include "support/fixture.h"
#include "support/profiles.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST_REFERENCES 3000
#define COLD            RD_COLD

static rdi_chunk_plan make_plan(const char *engine, uint64_t bound) {
    return (rdi_chunk_plan){.ctx = ctx, .engine = engine, .bound = bound ? bound : UINT64_MAX};
}

/* ---- one chunk after the other ---- */

/* The open first touches of a chunk, and the index of each of them in the array of distances. */
typedef struct touches {
    rdi_u64_list open;
    size_t place[MOST_REFERENCES];
} touches;

static void analyze_chunk(rdi_chunk *c, const uint64_t *trace, size_t n, uint64_t *dist,
                          touches *t) {
    size_t noted = t->open.n;
    assert_int_equal(rdi_chunk_analyze(c, trace, n, dist, &t->open), RD_OK);
    for (size_t i = 0; noted < t->open.n; i++)
        if (dist[i] == COLD)
            t->place[noted++] = i;
}

static void resolve_chunk(touches *t, uint64_t *dist, rdi_chunk *earlier) {
    static uint64_t found[MOST_REFERENCES];
    size_t n = t->open.n, kept = 0;
    rdi_u64_list open = {t->open.at, 0, t->open.room};
    assert_int_equal(rdi_chunk_resolve(earlier, t->open.at, n, found, &open), RD_OK);
    for (size_t i = 0; i < n; i++)
        if (found[i] != COLD)
            dist[t->place[i]] = found[i];
        else if (kept < open.n)
            t->place[kept++] = t->place[i];
    assert_int_equal(kept, open.n);
    t->open.n = open.n;
}

static void assert_text(const rdi_u64_list *list, const char *text) {
    assert_int_equal(list->n, strlen(text));
    for (size_t i = 0; i < list->n; i++)
        assert_int_equal(list->at[i], text[i]);
}

/* A chunk, with a letter for each reference, and the expected results. */
typedef struct example {
    const char *text;
    const char *open;      /* open first touches */
    const char *forwarded; /* open first touches that the previous chunk cannot resolve */
    const char *state;     /* blocks that remain when all first touches are resolved */
    uint64_t dist[8];
} example;

/* Checks Figure 2 of the Parda paper: three ranks analyze the trace of Table III. */
static void parda_figure_2_three_ranks_on_table_3(void **state) {
    (void)state;
    static const example ranks[3] = {
        {"dacbccge", "dacbge", "", "ge", {COLD, COLD, COLD, COLD, 1, 0, COLD, COLD}},
        {"fafbcmtm", "fabcmt", "fmt", "tm", {COLD, 5, 1, 5, 5, COLD, COLD, 1}},
        {"acfbdcac", "acfbd", "d", "fbdac", {5, 3, 5, 5, 8, 3, 4, 1}},
    };
    static const char *const engines[] = {"stack", "bk", "olken", "olken/tree=avl", "stream"};
    static touches t[3];
    for (size_t i = 0; i < RDI_COUNT(engines); i++) {
        rdi_chunk_plan plan = make_plan(engines[i], 0);
        rdi_chunk c[3] = {{0}};
        uint64_t dist[3][8];
        for (size_t r = 0; r < 3; r++) {
            uint64_t trace[8];
            for (size_t k = 0; k < 8; k++)
                trace[k] = (uint64_t)ranks[r].text[k];
            assert_int_equal(rdi_chunk_open(&c[r], &plan, 0), RD_OK);
            t[r].open.n = 0;
            analyze_chunk(&c[r], trace, 8, dist[r], &t[r]);
            assert_text(&t[r].open, ranks[r].open);
        }
        for (size_t r = 1; r < 3; r++) {
            resolve_chunk(&t[r], dist[r], &c[r - 1]);
            assert_text(&t[r].open, ranks[r].forwarded);
        }
        resolve_chunk(&t[2], dist[2], &c[0]);
        assert_int_equal(t[2].open.n, 0);
        for (size_t r = 0; r < 3; r++) {
            assert_memory_equal(dist[r], ranks[r].dist, sizeof dist[r]);
            assert_int_equal(rdi_chunk_state(&c[r], &t[r].open), RD_OK);
            assert_text(&t[r].open, ranks[r].state);
            rdi_u64_list_free(ctx, &t[r].open);
            rdi_chunk_close(&c[r]);
        }
    }
}

#define MOST_CHUNKS 6

/* Runs a round. Its chunks have random lengths and are resolved against each other and against the
 * past, to which their states are then appended. Returns the number of references. */
static size_t run_round(const uint64_t *trace, size_t n, uint64_t *dist, rdi_chunk *past,
                        rdi_rng *rng) {
    static touches t[MOST_CHUNKS];
    rdi_chunk c[MOST_CHUNKS] = {{0}};
    rdi_chunk_plan plan[2] = {*past->plan, *past->plan};
    size_t begin[MOST_CHUNKS + 1] = {0}, chunks = 1 + (size_t)rdi_rng_below(rng, MOST_CHUNKS);
    plan[0].engine = "stream";
    for (size_t i = 0; i < chunks; i++) {
        begin[i + 1] = begin[i] + (size_t)rdi_rng_below(rng, n - begin[i] + 1);
        assert_int_equal(rdi_chunk_open(&c[i], &plan[i % 2], 0), RD_OK);
        analyze_chunk(&c[i], trace + begin[i], begin[i + 1] - begin[i], dist + begin[i], &t[i]);
        assert_true(c[i].met <= plan->bound);
    }
    for (size_t i = 0; i < chunks; i++) {
        for (size_t before = i; before-- > 0;)
            resolve_chunk(&t[i], dist + begin[i], &c[before]);
        resolve_chunk(&t[i], dist + begin[i], past);
    }
    for (size_t i = 0; i < chunks; i++) {
        assert_int_equal(rdi_chunk_state(&c[i], &t[i].open), RD_OK);
        assert_int_equal(rdi_chunk_append(past, t[i].open.at, t[i].open.n), RD_OK);
        rdi_u64_list_free(ctx, &t[i].open);
        rdi_chunk_close(&c[i]);
    }
    return begin[chunks];
}

/* Checks that an analysis in rounds of chunks gives the same distances as one engine for the whole
 * trace. */
static void run_chunked(const uint64_t *trace, size_t n, uint64_t bound, rdi_rng *rng) {
    static uint64_t expected[MOST_REFERENCES], dist[MOST_REFERENCES];
    rdi_chunk_plan plan = make_plan("bk", bound);
    rdi_chunk whole = {0}, past = {.first = true};
    assert_int_equal(rdi_chunk_open(&whole, &plan, 0), RD_OK);
    assert_int_equal(rdi_chunk_open(&past, &plan, 0), RD_OK);
    assert_int_equal(rdi_engine_measure(whole.engine, trace, n, expected), RD_OK);
    for (size_t at = 0; at < n;)
        at += run_round(trace + at, n - at, dist + at, &past, rng);
    assert_memory_equal(dist, expected, n * sizeof *dist);
    rdi_chunk_close(&past);
    rdi_chunk_close(&whole);
}

static void chunks_of_any_length_give_the_distances_of_the_whole_for_any_bound(void **state) {
    (void)state;
    SKIP_WITHOUT_THREADS();
    static uint64_t trace[MOST_REFERENCES];
    rdi_rng rng = {21};
    for (unsigned round = 0; round < 100; round++) {
        size_t n = 1 + (size_t)rdi_rng_below(&rng, MOST_REFERENCES);
        uint64_t blocks = 1 + rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 11));
        for (size_t i = 0; i < n; i++)
            trace[i] = rdi_rng_below(&rng, blocks) - blocks / 2;
        const uint64_t bounds[] = {0, 1, 2, 1 + rdi_rng_below(&rng, blocks), blocks};
        for (size_t i = 0; i < RDI_COUNT(bounds); i++)
            run_chunked(trace, n, bounds[i], &rng);
    }
}

static void only_exact_immediate_engines_with_an_order_are_taken(void **state) {
    (void)state;
    static const char *const wrong[] = {"khw",     "null",           "geometric", "chunks",
                                        "no such", "olken/tree=oak", ""};
    rd_engine *e = NULL;
    for (size_t i = 0; i < RDI_COUNT(wrong); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "chunks:engine=%s", wrong[i]);
        assert_int_equal(rd_engine_open(ctx, spec, NULL, &e), RD_EINVAL);
        assert_null(e);
    }
    assert_int_equal(rd_engine_open(ctx, "chunks:engine=olken/tree=avl", NULL, &e), RD_OK);
    rd_engine_close(e);
}

/* ---- the engine ---- */

#define LONG_TRACE 400000

static uint64_t long_trace[LONG_TRACE];

/* Makes a trace with long and short distances. In a chunk of 2^16 references, one reference in five
 * is a first touch. */
static int make_long_trace(void **state) {
    (void)state;
    rdi_rng rng = {31};
    for (size_t i = 0; i < LONG_TRACE; i++)
        long_trace[i] = rdi_rng_below(&rng, rdi_rng_below(&rng, 4) ? 200 : 40000);
    return 0;
}

static rd_profile *analyze(const char *spec, const rd_engine_config *config, size_t feed) {
    return profiles_measure(ctx, spec, config, long_trace, LONG_TRACE, feed);
}

static void assert_same(const rd_profile *p, const rd_profile *q) {
    profiles_assert_same_bins(p, q);
    assert_int_equal(rd_profile_facts_of(p)->infinite, rd_profile_facts_of(q)->infinite);
    assert_int_equal(rd_profile_facts_of(p)->blocks, rd_profile_facts_of(q)->blocks);
}

static void copied_and_borrowed_references_give_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
    rd_profile *expected = analyze("bk", &config, LONG_TRACE);
    static const size_t feeds[] = {LONG_TRACE, 100000, 4096};
    for (uint32_t threads = 1; threads <= 4; threads++)
        for (size_t i = 0; i < RDI_COUNT(feeds); i++) {
            config.threads = threads;
            config.references = i ? LONG_TRACE : 0;
            rd_profile *p = analyze(i ? "chunks" : "chunks:chunk=20K", &config, feeds[i]);
            assert_same(p, expected);
            rd_profile_free(p);
        }
    rd_profile_free(expected);
}

/* Tests that the front of `stream` has the right blocks. `stream` begins to use its front as soon
 * as it has met enough blocks, which happens here while it resolves first touches. */
static void first_touches_that_fill_the_front_of_the_chunk_before_are_counted_right(void **state) {
    (void)state;
    SKIP_WITHOUT_THREADS();
    rd_engine_config config = {.size = sizeof config};
    rdi_rng rng = {41};
    for (unsigned round = 0; round < 300; round++) {
        uint64_t trace[400], blocks = 17 + rdi_rng_below(&rng, 10);
        for (size_t i = 0; i < RDI_COUNT(trace); i++)
            trace[i] = rdi_rng_below(&rng, blocks);
        size_t n = RDI_COUNT(trace);
        rd_profile *expected = profiles_measure(ctx, "stack", &config, trace, n, n);
        rd_profile *p = profiles_measure(ctx, "chunks:chunk=20,engine=stream/front=on", &config,
                                         trace, n, n / 3);
        assert_same(p, expected);
        rd_profile_free(p);
        rd_profile_free(expected);
    }
}

typedef struct listener {
    pthread_t thread;
    uint64_t n, fail_at;
} listener;

static rd_status listen(void *user, const uint64_t *distances, size_t n) {
    listener *l = user;
    (void)distances;
    assert_true(pthread_equal(pthread_self(), l->thread));
    l->n += n;
    return l->n >= l->fail_at ? RD_EIO : RD_OK;
}

static void distances_are_delivered_by_the_thread_that_feeds(void **state) {
    (void)state;
    listener l = {pthread_self(), 0, UINT64_MAX};
    rd_engine_config config = {
        .size = sizeof config, .threads = 3, .sink = listen, .sink_user = &l};
    rd_profile_free(analyze("chunks:chunk=10K", &config, 5000));
    assert_int_equal(l.n, LONG_TRACE);
    l.n = 0;
    rd_profile_free(analyze("chunks:chunk=10K", &config, LONG_TRACE));
    assert_int_equal(l.n, LONG_TRACE);
}

/* Feeds the trace, `feed` references at a time, until feeding fails. Returns the status. */
static rd_status feed_all(rd_engine *e, size_t feed) {
    for (size_t at = 0; at + feed <= LONG_TRACE; at += feed) {
        rd_status status = rd_engine_feed(e, long_trace + at, feed, NULL);
        if (status != RD_OK)
            return status;
    }
    return rd_engine_finish(e);
}

static void a_failing_sink_ends_the_run(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        listener l = {pthread_self(), 0, 123456};
        rd_engine_config config = {
            .size = sizeof config, .threads = threads, .sink = listen, .sink_user = &l};
        rd_engine *e = NULL;
        assert_int_equal(rd_engine_open(ctx, "chunks:chunk=3K", &config, &e), RD_OK);
        assert_int_equal(feed_all(e, LONG_TRACE / 7), RD_EIO);
        rd_engine_close(e);
    }
}

static void memory_that_runs_out_in_a_worker_ends_the_run(void **state) {
    (void)state;
    for (size_t feed = LONG_TRACE / 100; feed <= LONG_TRACE; feed *= 10) {
        rd_engine *e = NULL;
        rd_engine_config config = {.size = sizeof config, .threads = 4};
        rd_ctx_set_limit(ctx, 2000000); /* too little for the state of 40,000 blocks */
        assert_int_equal(rd_engine_open(ctx, "chunks:chunk=20K", &config, &e), RD_OK);
        assert_int_equal(feed_all(e, feed), RD_ENOMEM);
        assert_non_null(strstr(rd_last_error(ctx), "memory"));
        rd_engine_close(e);
        rd_ctx_set_limit(ctx, 0);
    }
}

/* The state of keep(), a sink that keeps all distances in the order in which they are delivered. */
typedef struct keeper {
    uint64_t *distances;
    size_t n;
} keeper;

static rd_status keep(void *user, const uint64_t *distances, size_t n) {
    keeper *k = user;
    assert_true(k->n + n <= LONG_TRACE);
    memcpy(k->distances + k->n, distances, n * sizeof *distances);
    k->n += n;
    return RD_OK;
}

static void what_was_delivered_before_a_failure_is_right(void **state) {
    (void)state;
    static uint64_t expected[LONG_TRACE], got[LONG_TRACE];
    rd_engine *whole = NULL;
    assert_int_equal(rd_engine_open(ctx, "stream", NULL, &whole), RD_OK);
    assert_int_equal(rdi_engine_measure(whole, long_trace, LONG_TRACE, expected), RD_OK);
    rd_engine_close(whole);
    for (size_t limit = 1000000; limit < 4000000; limit += 250000) {
        keeper k = {got, 0};
        rd_engine_config config = {
            .size = sizeof config, .threads = 3, .sink = keep, .sink_user = &k};
        rd_engine *e = NULL;
        rd_ctx_set_limit(ctx, limit);
        rd_status status = rd_engine_open(ctx, "chunks:chunk=5K,engine=olken", &config, &e);
        if (status == RD_OK)
            status = feed_all(e, LONG_TRACE / 100);
        rd_engine_close(e);
        rd_ctx_set_limit(ctx, 0);
        assert_true(status == RD_ENOMEM || (status == RD_OK && k.n == LONG_TRACE));
        assert_memory_equal(got, expected, k.n * sizeof *got);
    }
}

static void the_note_tells_threads_and_first_touches(void **state) {
    (void)state;
    static const uint64_t trace[] = {1, 2, 1, 2, 1, 1, 2, 1, 2, 1};
    rd_engine_config config = {.size = sizeof config, .threads = 2};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "chunks:chunk=5", &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, RDI_COUNT(trace), NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_string_equal(rd_engine_note(e), "2 threads, 40.0 % first touches");
    rd_engine_close(e);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
    const struct CMUnitTest tests[] = {
        TEST(parda_figure_2_three_ranks_on_table_3),
        TEST(chunks_of_any_length_give_the_distances_of_the_whole_for_any_bound),
        TEST(only_exact_immediate_engines_with_an_order_are_taken),
        TEST(copied_and_borrowed_references_give_the_same_for_any_number_of_threads),
        TEST(first_touches_that_fill_the_front_of_the_chunk_before_are_counted_right),
        TEST(distances_are_delivered_by_the_thread_that_feeds),
        TEST(a_failing_sink_ends_the_run),
        TEST(memory_that_runs_out_in_a_worker_ends_the_run),
        TEST(what_was_delivered_before_a_failure_is_right),
        TEST(the_note_tells_threads_and_first_touches),
    };
    return cmocka_run_group_tests(tests, make_long_trace, NULL);
}
