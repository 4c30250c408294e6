/* Chunks: the analysis of one chunk alone, its resolution, and the engine that does both on
 * threads. */
#include "engine/fast/chunk.h"

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

static rd_engine *open_engine(const char *option, uint64_t bound) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .bound = bound};
    assert_int_equal(rdi_chunk_engine_open(ctx, option, &config, &e), RD_OK);
    return e;
}

/* ---- one chunk after the other ---- */

static void assert_letters(const rdi_u64_list *list, const char *letters) {
    assert_int_equal(list->n, strlen(letters));
    for (size_t i = 0; i < list->n; i++)
        assert_int_equal(list->at[i], letters[i]);
}

/* The text of a chunk and the expected results. */
typedef struct example {
    const char *letters;
    const char *first;     /* local infinities */
    const char *forwarded; /* local infinities that the previous chunk cannot resolve */
    const char *order;     /* blocks left when everything is resolved */
    uint64_t resolved[8];
} example;

static void feed_letters(rdi_chunk *c, rd_engine *local, const char *letters) {
    for (; *letters; letters++) {
        uint64_t block = (uint64_t)*letters, dist = 0;
        assert_int_equal(rdi_chunk_feed(c, 0, local, &block, 1, &dist), RD_OK);
    }
}

/* Parda's Figure 2: three ranks on Table III. */
static void parda_figure_2_three_ranks_on_table_3(void **state) {
    (void)state;
    static const example ranks[3] = {
        {"dacbccge", "dacbge", "", "ge", {COLD, COLD, COLD, COLD, COLD, COLD}},
        {"fafbcmtm", "fabcmt", "fmt", "tm", {COLD, 5, 5, 5, COLD, COLD}},
        {"acfbdcac", "acfbd", "d", "fbdac", {5, 3, 5, 5, 8}},
    };
    static const char *const engines[] = {"stack", "bk", "olken", "olken/tree=avl", "stream"};
    for (size_t i = 0; i < RDI_COUNT(engines); i++) {
        rd_engine *engine[3];
        rdi_chunk c[3];
        for (size_t r = 0; r < 3; r++) {
            engine[r] = open_engine(engines[i], 0);
            rdi_chunk_init(&c[r], ctx, UINT64_MAX);
            feed_letters(&c[r], engine[r], ranks[r].letters);
            assert_letters(&c[r].slice[0].open, ranks[r].first);
        }
        for (size_t r = 1; r < 3; r++) {
            assert_int_equal(rdi_chunk_resolve(&c[r], 0, &c[r - 1], engine[r - 1], true), RD_OK);
            assert_letters(&c[r].slice[0].open, ranks[r].forwarded);
        }
        assert_int_equal(rdi_chunk_resolve(&c[2], 0, &c[0], engine[0], true), RD_OK);
        assert_int_equal(c[2].slice[0].open.n, 0);
        for (size_t r = 0; r < 3; r++) {
            size_t n = r ? strlen(ranks[r].first) : 0; /* no chunk is before rank 0 */
            const rdi_u64_list *resolved = &c[r].slice[0].resolved;
            assert_int_equal(resolved->n, n);
            if (n)
                assert_memory_equal(resolved->at, ranks[r].resolved, n * sizeof(uint64_t));
            assert_int_equal(rdi_chunk_end(&c[r], engine[r]), RD_OK);
            assert_letters(&c[r].order, ranks[r].order);
            rdi_chunk_fini(&c[r]);
            rd_engine_close(engine[r]);
        }
    }
}

#define MOST_CHUNKS 6

/* A chunk of the trace from begin[0] on, in slices of random lengths. Slice s begins at begin[s];
 * the last one ends with the chunk. */
static void cut_slices(size_t begin[RDI_CHUNK_SLICES + 1], size_t len, rdi_rng *rng) {
    size_t end = begin[0] + len;
    for (size_t s = 1; s < RDI_CHUNK_SLICES; s++)
        begin[s] = begin[s - 1] + (size_t)rdi_rng_below(rng, end - begin[s - 1] + 1) / (s % 3 + 1);
    begin[RDI_CHUNK_SLICES] = end;
}

static void resolve_slices(rdi_chunk *c, rdi_chunk *earlier, rd_engine *engine) {
    for (size_t s = 0; s < RDI_CHUNK_SLICES; s++)
        assert_int_equal(rdi_chunk_resolve(c, s, earlier, engine, true), RD_OK);
}

/* Runs a round: chunks of random lengths, resolved against each other and the past, which is
 * updated to their end. Returns the number of references. */
static size_t run_round(const uint64_t *trace, size_t n, uint64_t *dist, rdi_chunk *past,
                        rd_engine *past_engine, rdi_rng *rng) {
    rdi_chunk c[MOST_CHUNKS];
    rd_engine *engine[MOST_CHUNKS];
    size_t begin[MOST_CHUNKS][RDI_CHUNK_SLICES + 1], end = 0;
    size_t chunks = 1 + (size_t)rdi_rng_below(rng, MOST_CHUNKS);
    uint64_t bound = past->bound == UINT64_MAX ? 0 : past->bound;
    for (size_t i = 0; i < chunks; i++) {
        begin[i][0] = end;
        cut_slices(begin[i], (size_t)rdi_rng_below(rng, n - end + 1), rng);
        engine[i] = open_engine(i % 2 ? "stream" : "bk", bound);
        rdi_chunk_init(&c[i], ctx, past->bound);
        for (size_t s = 0; s < RDI_CHUNK_SLICES; s++, end = begin[i][s])
            assert_int_equal(
                rdi_chunk_feed(&c[i], s, engine[i], trace + end, begin[i][s + 1] - end, dist + end),
                RD_OK);
        assert_true(c[i].met <= past->bound);
    }
    for (size_t i = 0; i < chunks; i++) {
        for (size_t before = i; before-- > 0;)
            resolve_slices(&c[i], &c[before], engine[before]);
        resolve_slices(&c[i], past, past_engine);
        for (size_t s = 0; s < RDI_CHUNK_SLICES; s++)
            rdi_chunk_complete(&c[i], s, dist + begin[i][s], begin[i][s + 1] - begin[i][s]);
    }
    for (size_t i = 0; i < chunks; i++) {
        assert_int_equal(rdi_chunk_end(&c[i], engine[i]), RD_OK);
        assert_int_equal(rdi_chunk_pass(&c[i], past, past_engine), RD_OK);
        rdi_chunk_fini(&c[i]);
        rd_engine_close(engine[i]);
    }
    return end;
}

/* Distances of the whole trace by one engine, and again in rounds of chunks. */
static void run_chunked(const uint64_t *trace, size_t n, uint64_t bound, rdi_rng *rng) {
    static uint64_t expected[MOST_REFERENCES], dist[MOST_REFERENCES];
    rd_engine *whole = open_engine("stack", bound), *past_engine = open_engine("bk", bound);
    assert_int_equal(rdi_engine_measure(whole, trace, n, expected), RD_OK);
    rdi_chunk past;
    rdi_chunk_init(&past, ctx, bound ? bound : UINT64_MAX);
    for (size_t at = 0; at < n;)
        at += run_round(trace + at, n - at, dist + at, &past, past_engine, rng);
    assert_memory_equal(dist, expected, n * sizeof *dist);
    rdi_chunk_fini(&past);
    rd_engine_close(past_engine);
    rd_engine_close(whole);
}

static void chunks_of_any_length_give_the_distances_of_the_whole_for_any_bound(void **state) {
    (void)state;
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

#define LONG_TRACE 700000

static uint64_t long_trace[LONG_TRACE];

/* Far and near reuse: 1/20 of the references of a chunk of 2^16 or more are first touches. */
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

/* stream keeps the most recent blocks apart as soon as it has met enough of them, which here
 * happens while it resolves. The blocks that it remembers must be those that it was fed. */
static void first_touches_that_fill_the_front_of_the_chunk_before_are_counted_right(void **state) {
    (void)state;
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

/* Feeds until it fails. */
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
        rd_ctx_set_limit(ctx, 2000000); /* enough for some buffers, not for 40000 blocks */
        assert_int_equal(rd_engine_open(ctx, "chunks:chunk=20K", &config, &e), RD_OK);
        assert_int_equal(feed_all(e, feed), RD_ENOMEM);
        assert_non_null(strstr(rd_last_error(ctx), "memory"));
        rd_engine_close(e);
        rd_ctx_set_limit(ctx, 0);
    }
}

/* Checks that every distance is delivered, in order. */
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
    rd_engine *whole = open_engine("stream", 0);
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
    assert_string_equal(rd_engine_note(e), "chunks: 2 threads, 40.0 % first touches");
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
