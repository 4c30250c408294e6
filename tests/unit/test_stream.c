/* Tests the internals of the engine `stream`. Compares its code paths with each other on traces that are long enough to
 * enlarge its table, to renumber its slots and to make them 64 bits wide. Also tests the front, and ids that collide.
 * The conformance tests compare the engine with the oracle on short traces. */
#include "engine/fast/stream.h"
#include "support/faults.h"
#include "support/fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 120000

extern const rdi_engine_ops rdi_engine_stream;

static uint64_t block[MOST], expected[MOST], distance[MOST];

/* ---- an engine whose internals are accessible ---- */

typedef struct opened {
    rdi_stream stream;
    rdi_request request;
    rdi_run run;
    char options[64];
} opened;

/* Opens the engine. Returns false if this processor lacks the instruction set. */
static bool open_stream(opened *o, const char *options, uint64_t bound) {
    memset(o, 0, sizeof *o);
    snprintf(o->options, sizeof o->options, "%s", options);
    o->request.bound = o->run.out.bound = bound ? bound : UINT64_MAX;
    o->run.ctx = ctx;
    o->run.in = &o->request;
    assert_int_equal(rdi_hist_new(ctx, (rd_binning){RD_BINS_LOGLINEAR, 0}, &o->run.out.hist),
                     RD_OK);
    assert_int_equal(
        rdi_opts_parse(ctx, "test", rdi_engine_stream.info.opts, &o->stream, o->options), RD_OK);
    rd_status status = rdi_engine_stream.open(&o->stream, &o->run);
    if (status == RD_EUNSUPPORTED) {
        rdi_engine_stream.close(&o->stream);
        rdi_hist_free(o->run.out.hist);
        return false;
    }
    assert_int_equal(status, RD_OK);
    return true;
}

static void close_stream(opened *o) {
    rdi_engine_stream.close(&o->stream);
    rdi_hist_free(o->run.out.hist);
}

static void assert_sound(opened *o) {
    const char *why = "";
    if (rdi_engine_stream.check(&o->stream, &why) != RD_OK)
        fail_msg("%s", why);
}

/* Feeds n blocks in batches of `split` references; 0 means random sizes. */
static void feed(opened *o, size_t n, size_t split, uint64_t *dist) {
    rdi_rng rng = {split + n};
    for (size_t at = 0; at < n;) {
        size_t part = split ? split : 1 + rdi_rng_below(&rng, rdi_rng_below(&rng, 8) ? 200 : 20000);
        part = part < n - at ? part : n - at;
        assert_int_equal(
            rdi_engine_stream.feed(&o->stream, block + at, part, dist ? dist + at : NULL), RD_OK);
        at += part;
    }
}

/* Computes the expected distances with plain C and without the front. All other code paths are compared
 * with them. */
static void expect_from_plain(size_t n) {
    opened o;
    assert_true(open_stream(&o, "isa=plain,front=off", 0));
    feed(&o, n, MOST, expected);
    close_stream(&o);
}

static void assert_distances(const char *what, size_t n, uint64_t bound) {
    for (size_t i = 0; i < n; i++) {
        uint64_t want = bound && expected[i] >= bound ? RD_COLD : expected[i];
        if (distance[i] != want)
            fail_msg("%s, bound %" PRIu64 ": reference %zu has distance %" PRIu64
                     " instead of %" PRIu64,
                     what, bound, i, distance[i], want);
    }
}

/* ---- traces ---- */

typedef enum pattern { UNIFORM, CYCLE, DISTINCT, NEAR, WALK, PHASES, PATTERNS } pattern;

static void make_trace(pattern kind, size_t n, uint64_t m) {
    rdi_rng rng = {kind * 1000 + m};
    for (size_t i = 0; i < n; i++) {
        uint64_t r = rdi_rng_next(&rng), back = i < 20 ? i : 20;
        switch (kind) {
        case UNIFORM:
            block[i] = r % m;
            break;
        case CYCLE:
            block[i] = i % m;
            break;
        case DISTINCT:
            block[i] = i;
            break;
        case NEAR: /* mostly references one of the last blocks again */
            block[i] = r % 4 && i ? block[i - 1 - (r >> 8) % back] : UINT64_MAX - (r >> 8) % m;
            break;
        case WALK: /* every second reference is to one block for a while; the rest walk, and sometimes go far away */
            block[i] = i % 2 ? m + i / 5000 : r % 64 ? i / 2 % 1200 : (r >> 8) % m;
            break;
        default: /* alternates between stretches with near reuse, where the front pays off, and
                    stretches without */
            block[i] = i / 25000 & 1 ? r % m : (r >> 8) % (RDI_STREAM_FRONT + 2);
        }
    }
}

/* ---- all paths ---- */

static const char *const paths[] = {
    "isa=plain,front=on",   "isa=plain,compact=64K", "isa=avx2,front=off",   "isa=avx2,front=on",
    "isa=avx512,front=off", "isa=avx512,front=on",   "isa=auto,compact=64K", "compact=64K,front=on",
    "compact=6K",           "compact=6K,front=on",   "isa=avx2,compact=64K", "front=auto",
};

static void all_paths_and_pieces_give_the_same_distances(void **state) {
    (void)state;
    static const size_t splits[] = {0, 2049, MOST, 64, 4096, 3};
    uint64_t growths = 0, renumberings = 0, wide = 0, front = 0;
    unsigned turn = 0;
    for (pattern kind = UNIFORM; kind < PATTERNS; kind++) {
        make_trace(kind, MOST, 30000);
        expect_from_plain(MOST);
        for (size_t i = 0; i < RDI_COUNT(paths); i++, turn++) {
            opened o;
            if (!open_stream(&o, paths[i], 0))
                continue;
            feed(&o, MOST, splits[turn % RDI_COUNT(splits)], distance);
            assert_distances(paths[i], MOST, 0);
            assert_sound(&o);
            growths += o.stream.table.growths;
            renumberings += o.stream.renumberings;
            wide += o.stream.wide;
            front += o.stream.front_on;
            close_stream(&o);
        }
    }
    assert_true(growths > 0 && renumberings > 0 && wide > 0 && front > 0);
}

static void single_references_at_a_time_give_the_same_distances(void **state) {
    (void)state;
    make_trace(NEAR, 40000, 3000);
    expect_from_plain(40000);
    for (size_t i = 0; i < RDI_COUNT(paths); i++) {
        opened o;
        if (!open_stream(&o, paths[i], 0))
            continue;
        feed(&o, 40000, 1, distance);
        assert_distances(paths[i], 40000, 0);
        assert_sound(&o);
        close_stream(&o);
    }
}

static void a_bound_only_hides_what_is_beyond_it(void **state) {
    (void)state;
    enum { N = 60000, M = 5000 };
    static const uint64_t bounds[] = {1, 2, 63, 64, 65, 1000, M - 1, M, M + 1, UINT64_C(1) << 40};
    static const pattern kinds[] = {UNIFORM, NEAR, PHASES};
    uint64_t evictions = 0;
    for (size_t k = 0; k < RDI_COUNT(kinds); k++) {
        make_trace(kinds[k], N, M);
        expect_from_plain(N);
        for (size_t i = 0; i < RDI_COUNT(paths) * RDI_COUNT(bounds); i++) {
            const char *path = paths[i % RDI_COUNT(paths)];
            uint64_t bound = bounds[i / RDI_COUNT(paths)];
            opened o;
            if (!open_stream(&o, path, bound))
                continue;
            feed(&o, N, i % 3 ? 0 : N, distance);
            assert_distances(path, N, bound);
            assert_sound(&o);
            assert_true(bound > M || o.stream.table.count <= 2 * bound + 2 * RDI_STREAM_STEP);
            evictions += o.stream.evictions;
            close_stream(&o);
        }
    }
    assert_true(evictions > 0);
}

/* ---- counting ---- */

static void assert_same_bins(const rdi_hist *a, const rdi_hist *b) {
    rd_bin *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(rdi_hist_bins(a, &x, &n), RD_OK);
    assert_int_equal(rdi_hist_bins(b, &y, &m), RD_OK);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(x[i].low, y[i].low);
        assert_int_equal(x[i].high, y[i].high);
        assert_int_equal(x[i].count, y[i].count);
        assert_int_equal(x[i].sum.low, y[i].sum.low);
        assert_int_equal(x[i].sum.high, y[i].sum.high);
    }
    assert_int_equal(rdi_hist_infinite(a), rdi_hist_infinite(b));
    rdi_free(ctx, x);
    rdi_free(ctx, y);
}

static void what_it_counts_itself_is_what_the_distances_say(void **state) {
    (void)state;
    for (pattern kind = UNIFORM; kind < PATTERNS; kind++) {
        make_trace(kind, MOST, 30000);
        expect_from_plain(MOST);
        for (size_t i = 0; i < RDI_COUNT(paths); i++) {
            opened o;
            rdi_hist *hist = NULL;
            if (!open_stream(&o, paths[i], 0))
                continue;
            assert_int_equal(o.run.out.counter, RDI_ENGINE_COUNTS);
            feed(&o, MOST, 0, NULL);
            assert_int_equal(rdi_engine_stream.finish(&o.stream), RD_OK);
            assert_int_equal(rdi_hist_new(ctx, (rd_binning){RD_BINS_LOGLINEAR, 0}, &hist), RD_OK);
            assert_int_equal(rdi_hist_add(hist, expected, MOST), RD_OK);
            assert_same_bins(o.run.out.hist, hist);
            rdi_hist_free(hist);
            close_stream(&o);
        }
    }
}

/* Tests that every reference is counted once even if a caller requests distances only in some
 * feeds. */
static void feeds_with_and_without_distances_add_up(void **state) {
    (void)state;
    make_trace(PHASES, MOST, 3000);
    for (unsigned kind = RD_BINS_LOGLINEAR; kind <= RD_BINS_REFERENCE; kind++) {
        rd_engine_config config = {.size = sizeof config, .binning = {(rd_binning_kind)kind, 128}};
        rd_profile *p = NULL;
        rd_engine *e = NULL;
        assert_int_equal(rd_engine_open(ctx, "stream", &config, &e), RD_OK);
        for (size_t at = 0; at < MOST; at += 5000)
            assert_int_equal(rd_engine_feed(e, block + at, 5000, at / 5000 % 3 ? distance : NULL),
                             RD_OK);
        assert_int_equal(rd_engine_finish(e), RD_OK);
        assert_int_equal(rd_engine_profile(e, &p), RD_OK);
        const rd_bin *bins = NULL;
        uint64_t sum = rd_profile_facts_of(p)->infinite;
        for (size_t i = rd_profile_bins(p, &bins); i-- > 0;)
            sum += bins[i].count;
        assert_int_equal(sum, MOST);
        rd_profile_free(p);
        rd_engine_close(e);
    }
}

/* ---- front ---- */

static void the_front_comes_and_goes_with_near_reuse_for_any_size_of_feed(void **state) {
    (void)state;
    static const size_t splits[] = {1, 5, 4096, 25000};
    for (size_t i = 0; i < RDI_COUNT(splits); i++) {
        opened o;
        assert_true(open_stream(&o, "", 0));
        make_trace(PHASES, 25000, 3000);
        feed(&o, 25000, splits[i], NULL);
        assert_true(o.stream.front_on);
        make_trace(UNIFORM, 50000, 3000);
        feed(&o, 50000, splits[i], NULL);
        assert_false(o.stream.front_on);
        assert_sound(&o);
        close_stream(&o);
    }
}

static void few_blocks_need_no_front(void **state) {
    (void)state;
    opened o;
    make_trace(CYCLE, 50000, RDI_STREAM_FRONT - 1);
    assert_true(open_stream(&o, "front=on", 0));
    feed(&o, 50000, 0, distance);
    assert_false(o.stream.front_on);
    assert_int_equal(distance[40000], RDI_STREAM_FRONT - 2);
    assert_sound(&o);
    close_stream(&o);
}

/* ---- ids ---- */

/* Finds n ids whose homes are in the first 1/2048 of the table, by trial. */
static void collide(const rdi_slot_table *like, uint64_t *id, size_t n) {
    rdi_slot_table t = *like;
    t.homes = 2048;
    uint64_t candidate = 1;
    for (size_t i = 0; i < n; i++) {
        while (rdi_slot_home(&t, candidate) != 0)
            candidate++;
        id[i] = candidate++;
    }
}

static void ids_that_collide_get_another_hash(void **state) {
    (void)state;
    enum { M = 6000, N = 4 * M };
    static uint64_t id[M];
    static const char *const options[] = {"", "isa=plain", "front=on", "compact=6K"};
    for (size_t k = 0; k < RDI_COUNT(options); k++) {
        opened o;
        assert_true(open_stream(&o, options[k], 0));
        collide(&o.stream.table, id, M);
        for (size_t i = 0; i < N; i++)
            block[i] = id[i % M];
        feed(&o, N, 0, distance);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(distance[i], i < M ? RD_COLD : M - 1);
        assert_true(o.stream.table.reseedings > 0);
        assert_true(o.stream.table.disp <= RDI_SLOT_DISP_MAX);
        assert_true(o.stream.table.homes < 16 * M);
        assert_sound(&o);
        close_stream(&o);
    }
}

static void strided_ids_spread(void **state) {
    (void)state;
    for (unsigned shift = 0; shift < 50; shift += 3) {
        opened o;
        for (size_t i = 0; i < 60000; i++)
            block[i] = shift % 2 ? ~((uint64_t)i << shift) : (uint64_t)i << shift;
        assert_true(open_stream(&o, "", 0));
        feed(&o, shift < 48 ? 60000 : 1u << 14, 0, NULL);
        assert_int_equal(o.stream.table.reseedings, 0);
        close_stream(&o);
    }
}

/* ---- memory ---- */

typedef struct work {
    const char *spec;
    size_t n;
} work;

static rd_status run_engine(rd_ctx *own, void *user) {
    const work *w = user;
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(own, w->spec, NULL, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, block, w->n, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    rd_engine_close(e);
    return status;
}

static void growth_switch_over_and_new_hash_survive_failing_allocations(void **state) {
    (void)state;
    opened o;
    assert_true(open_stream(&o, "", 0));
    collide(&o.stream.table, block, 3000);
    close_stream(&o);
    for (size_t i = 3000; i < 30000; i++)
        block[i] = i;
    faults_inject("growth", run_engine, &(work){"stream", 30000}, RD_OK);
    faults_inject("switch-over", run_engine, &(work){"stream:compact=6K", 30000}, RD_OK);
}

static void a_memory_limit_ends_the_run_in_good_order(void **state) {
    (void)state;
    make_trace(DISTINCT, MOST, 0);
    rd_ctx_set_limit(ctx, 2000000);
    assert_int_equal(run_engine(ctx, &(work){"stream", MOST}), RD_ENOMEM);
    assert_non_null(strstr(rd_last_error(ctx), "limit"));
    rd_ctx_set_limit(ctx, 0);
}

/* ---- the table alone ---- */

static void looking_up_enters_every_block_once(void **state) {
    (void)state;
    make_trace(UNIFORM, MOST, 30000);
    for (size_t i = 0; i < RDI_COUNT(paths); i++) {
        opened o;
        if (!open_stream(&o, paths[i], 0))
            continue;
        for (size_t at = 0; at < MOST; at += 2000) {
            assert_int_equal(rdi_stream_table_room(&o.stream), RD_OK);
            o.stream.kernel->lookup(&o.stream, block + at, 2000);
        }
        assert_in_range(o.stream.table.count, 29000, 30000);
        for (size_t k = 0; k < MOST; k++)
            assert_true(o.stream.table.ops->contains(&o.stream.table, block[k]));
        assert_false(o.stream.table.ops->contains(&o.stream.table, 30000));
        close_stream(&o);
    }
}

/* Tests that blocks can be taken in random order. The homes of some are so close together that buckets
 * overflow. */
static void blocks_leave_overflowing_buckets_in_good_order(void **state) {
    (void)state;
    enum { COLLIDING = 200, M = 6000 };
    static uint64_t id[COLLIDING];
    for (size_t k = 0; k < RDI_COUNT(paths); k++) {
        opened o;
        rdi_rng rng = {k};
        if (!open_stream(&o, paths[k], 0))
            continue;
        collide(&o.stream.table, id, COLLIDING);
        for (size_t i = 0; i < M; i++)
            block[i] = i < COLLIDING ? id[i] : (UINT64_C(1) << 32) + i;
        feed(&o, M, 0, NULL);
        for (size_t i = M;
             i-- > 1;) { /* shuffles the blocks, so that they are taken in random order */
            size_t other = (size_t)rdi_rng_below(&rng, i + 1);
            uint64_t swap = block[i];
            block[i] = block[other];
            block[other] = swap;
        }
        for (size_t at = 0; at < M; at += 100) {
            assert_int_equal(rdi_engine_stream.chunk->take(&o.stream, block + at, 100, distance),
                             RD_OK);
            for (size_t i = 0; i < 100; i++)
                assert_true(distance[i] < M);
            assert_int_equal(rdi_slot_axis_live(&o.stream.axis), M - at - 100);
            assert_sound(&o);
        }
        close_stream(&o);
    }
}

/* Tests that take() finds the present blocks among many absent blocks, before and after it begins to
 * look into the marks first, and that all blocks are absent afterwards. */
static void absent_blocks_are_told_apart_with_and_without_marks(void **state) {
    (void)state;
    enum { M = 12000, EVERY = 5, ALL = M * EVERY };
    for (size_t k = 0; k < RDI_COUNT(paths); k++) {
        opened o;
        if (!open_stream(&o, paths[k], 0))
            continue;
        for (size_t i = 0; i < M; i++)
            block[i] = i * EVERY;
        feed(&o, M, 0, NULL);
        assert_false(o.stream.marked);
        for (size_t i = 0; i < ALL; i++) /* one block in EVERY is present, oldest first */
            block[i] = i;
        for (size_t at = 0; at < ALL; at += 1000)
            assert_int_equal(
                rdi_engine_stream.chunk->take(&o.stream, block + at, 1000, distance + at), RD_OK);
        assert_true(o.stream.marked);
        for (size_t i = 0; i < ALL; i++)
            assert_int_equal(distance[i], i % EVERY ? RD_COLD : M - 1 - i / EVERY);
        assert_int_equal(rdi_slot_axis_live(&o.stream.axis), 0);
        assert_sound(&o);
        feed(&o, ALL, 0, distance);
        assert_false(o.stream.marked);
        for (size_t i = 0; i < ALL; i++)
            assert_int_equal(distance[i], RD_COLD);
        assert_sound(&o);
        close_stream(&o);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_paths_and_pieces_give_the_same_distances),
        TEST(single_references_at_a_time_give_the_same_distances),
        TEST(a_bound_only_hides_what_is_beyond_it),
        TEST(what_it_counts_itself_is_what_the_distances_say),
        TEST(feeds_with_and_without_distances_add_up),
        TEST(the_front_comes_and_goes_with_near_reuse_for_any_size_of_feed),
        TEST(few_blocks_need_no_front),
        TEST(ids_that_collide_get_another_hash),
        TEST(strided_ids_spread),
        TEST(growth_switch_over_and_new_hash_survive_failing_allocations),
        TEST(a_memory_limit_ends_the_run_in_good_order),
        TEST(blocks_leave_overflowing_buckets_in_good_order),
        TEST(absent_blocks_are_told_apart_with_and_without_marks),
        TEST(looking_up_enters_every_block_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
