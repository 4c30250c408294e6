/* Tests Parda: the messages between ranks, the states of the ranks, and correct results in every
 * configuration. */
#include "engine/papers/parda_rank.h"
#include "support/files.h"
#include "support/fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MOST_REFERENCES 600
#define MOST_RANKS      16
#define COLD            RD_COLD

/* ---- a transport by threads that also copies all open first touches ---- */

typedef struct listener {
    rdi_ranks ranks;
    rdi_ranks *inner;
    rdi_u64_list sent[MOST_RANKS]; /* open first touches of one round, by sender */
} listener;

static rd_status listen_send(rdi_ranks *r, unsigned from, unsigned to, rdi_message_kind kind,
                             rdi_u64_list *list) {
    listener *l = (listener *)r;
    if (kind == RDI_MESSAGE_OPEN)
        assert_int_equal(rdi_u64_list_append(ctx, &l->sent[from], list->at, list->n), RD_OK);
    return rdi_ranks_send(l->inner, from, to, kind, list);
}

static rd_status listen_receive(rdi_ranks *r, unsigned me, unsigned from, rdi_message_kind kind,
                                rdi_u64_list *list) {
    return rdi_ranks_receive(((listener *)r)->inner, me, from, kind, list);
}

static const rdi_ranks_ops listen_ops = {.send = listen_send, .receive = listen_receive};

static void listener_open(listener *l, unsigned n) {
    *l = (listener){.ranks = {.ops = &listen_ops, .n = n}};
    assert_int_equal(rdi_ranks_threads(ctx, n, &l->inner), RD_OK);
}

static void listener_close(listener *l) {
    for (unsigned i = 0; i < MOST_RANKS; i++)
        rdi_u64_list_free(ctx, &l->sent[i]);
    rdi_ranks_close(l->inner);
}

/* ---- all ranks of an analysis, run by this one thread ---- */

typedef struct party {
    rdi_parda_plan plan;
    listener listener;
    unsigned n;
    rdi_parda_rank rank[MOST_RANKS];
} party;

static void party_open(party *p, unsigned n, rdi_parda_plan plan) {
    p->n = n;
    p->plan = plan;
    p->plan.chunk.ctx = ctx;
    p->plan.chunk.bound = plan.chunk.bound ? plan.chunk.bound : UINT64_MAX;
    listener_open(&p->listener, n);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(rdi_parda_rank_open(&p->rank[i], &p->plan, &p->listener.ranks, i), RD_OK);
}

static void party_close(party *p) {
    for (unsigned i = 0; i < p->n; i++)
        rdi_parda_rank_close(&p->rank[i]);
    listener_close(&p->listener);
}

static rdi_parda_rank *at_place(party *p, uint64_t round, unsigned place) {
    return &p->rank[rdi_parda_place(&p->plan, p->n, round, place)];
}

/* Runs one round, in which the chunk at place i begins at cut[i]. The rank that collects the state
 * begins last, and the fix-up goes from the last place to the first. */
static void party_round(party *p, uint64_t round, const uint64_t *trace, const size_t *cut) {
    for (unsigned i = 0; i < p->n; i++)
        p->listener.sent[i].n = 0;
    for (unsigned place = p->n; place-- > 0;)
        assert_int_equal(rdi_parda_rank_begin(at_place(p, round, place)), RD_OK);
    for (unsigned place = 0; place < p->n; place++)
        assert_int_equal(rdi_parda_rank_feed(at_place(p, round, place), trace + cut[place],
                                             cut[place + 1] - cut[place]),
                         RD_OK);
    for (unsigned place = p->n; place-- > 0;)
        assert_int_equal(rdi_parda_rank_end(at_place(p, round, place)), RD_OK);
}

static rd_status note(void *user, const uint64_t *blocks, size_t n) {
    return rdi_u64_list_append(ctx, user, blocks, n);
}

/* Returns the number of blocks that a rank holds, and sets *list to the blocks unless `list` is
 * NULL. */
static size_t held(rdi_parda_rank *r, rdi_u64_list *list) {
    rdi_u64_list blocks = {0};
    assert_int_equal(rdi_engine_order(r->chunk.engine, note, &blocks), RD_OK);
    size_t n = blocks.n;
    if (list)
        *list = blocks;
    else
        rdi_u64_list_free(ctx, &blocks);
    return n;
}

/* ---- expected results by definition ---- */

static bool contains(const uint64_t *list, size_t n, uint64_t block) {
    while (n > 0)
        if (list[--n] == block)
            return true;
    return false;
}

/* Finds the distinct blocks in the order of their first references, and returns their number. */
static size_t first_touches(const uint64_t *trace, size_t n, uint64_t *first) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++)
        if (!contains(first, m, trace[i]))
            first[m++] = trace[i];
    return m;
}

static void draw_trace(rdi_rng *rng, uint64_t *trace, size_t n) {
    uint64_t blocks = 1 + rdi_rng_below(rng, UINT64_C(1) << rdi_rng_below(rng, 9));
    for (size_t i = 0; i < n; i++)
        trace[i] = rdi_rng_below(rng, blocks) - blocks / 2; /* some ids are near 2^64 */
}

static void draw_cuts(rdi_rng *rng, size_t *cut, unsigned n, size_t references) {
    cut[0] = 0;
    cut[n] = references;
    for (unsigned i = 1; i < n; i++) { /* each cut is that of equal chunks, or random */
        size_t share = references / n * i;
        cut[i] = rdi_rng_below(rng, 2)
                     ? share
                     : cut[i - 1] + (size_t)rdi_rng_below(rng, references - cut[i - 1] + 1);
        cut[i] = cut[i] < cut[i - 1] ? cut[i - 1] : cut[i];
    }
}

/* ---- the paper's example ---- */

static void assert_letters(const rdi_u64_list *list, const char *letters) {
    assert_int_equal(list->n, strlen(letters));
    for (size_t i = 0; i < list->n; i++)
        assert_int_equal(list->at[i], letters[i]);
}

static void assert_holds(rdi_parda_rank *r, const char *letters) {
    rdi_u64_list list = {0};
    held(r, &list);
    assert_letters(&list, letters);
    rdi_u64_list_free(ctx, &list);
}

static void figure_2_on_table_3(void **state) {
    (void)state;
    static const char text[] = "dacbccgefafbcmtmacfbdcac";
    static const size_t cut[] = {0, 8, 16, 24};
    static const char *const engines[] = {"stack", "bk", "olken", "olken/tree=interval", "stream"};
    uint64_t trace[24];
    for (size_t i = 0; i < 24; i++)
        trace[i] = (uint64_t)text[i];
    for (size_t i = 0; i < RDI_COUNT(engines); i++) {
        static party p;
        party_open(&p, 3,
                   (rdi_parda_plan){.chunk = {.engine = engines[i], .resolving = RDI_RESOLVE_TAKE},
                                    .rename = true});
        party_round(&p, 0, trace, cut);
        assert_letters(&p.listener.sent[2], "acfbd");
        assert_letters(&p.listener.sent[1], "fabcmt"
                                            /* rank 1's own first touches come before
                                             * the first touch that it forwards */
                                            "d");
        assert_letters(&p.listener.sent[0], "");
        assert_int_equal(p.rank[1].chunk.received, 5);
        assert_int_equal(p.rank[0].chunk.received, 6 + 1);
        assert_holds(&p.rank[0], "ge");
        assert_holds(&p.rank[1], "tm");
        assert_holds(&p.rank[2], "fbdac");
        party_close(&p);
    }
}

/* ---- invariants ---- */

/* Checks the paper's properties 4.2 and 4.3: each rank sends the distinct blocks of its own chunk,
 * and then the other distinct blocks of later chunks, in the order of their first references. Also
 * checks how many blocks all ranks together hold after the fix-up. */
static void check_one_round(rdi_rng *rng, rdi_resolving resolving, const char *engine) {
    static uint64_t trace[MOST_REFERENCES], first[MOST_REFERENCES], all[MOST_REFERENCES];
    static party p;
    size_t cut[MOST_RANKS + 1], n = (size_t)rdi_rng_below(rng, MOST_REFERENCES + 1);
    unsigned ranks = 1 + (unsigned)rdi_rng_below(rng, MOST_RANKS);
    draw_trace(rng, trace, n);
    draw_cuts(rng, cut, ranks, n);
    party_open(&p, ranks, (rdi_parda_plan){.chunk = {.engine = engine, .resolving = resolving}});
    party_round(&p, 0, trace, cut);
    for (unsigned i = 1; i < ranks; i++) {
        size_t of_chunk = first_touches(trace + cut[i], cut[i + 1] - cut[i], first);
        size_t of_rest = first_touches(trace + cut[i], n - cut[i], all);
        assert_int_equal(p.listener.sent[i].n, of_rest);
        if (of_rest == 0)
            continue;
        assert_memory_equal(p.listener.sent[i].at, first, of_chunk * sizeof *first);
        assert_memory_equal(p.listener.sent[i].at, all, of_rest * sizeof *all);
    }
    size_t blocks = first_touches(trace, n, all), together = 0;
    for (unsigned i = 0; i < ranks; i++)
        together += held(&p.rank[i], NULL);
    if (resolving == RDI_RESOLVE_TAKE)
        assert_int_equal(together, blocks);
    else
        assert_true(together >= blocks && together <= ranks * blocks);
    party_close(&p);
}

static void open_first_touches_are_the_distinct_blocks_from_the_chunk_on(void **state) {
    (void)state;
    SKIP_WITHOUT_THREADS();
    static const char *const engines[] = {"stack", "bk", "olken", "stream"};
    rdi_rng rng = {31};
    for (unsigned round = 0; round < 60; round++) {
        check_one_round(&rng, RDI_RESOLVE_TAKE, engines[round % RDI_COUNT(engines)]);
        check_one_round(&rng, RDI_RESOLVE_INSERT, engines[round % RDI_COUNT(engines)]);
    }
}

/* Runs several rounds with a bound, and checks after each round that each rank holds at most
 * `bound` blocks and met at most `bound` new ones. With RDI_RESOLVE_TAKE and RDI_RESOLVE_INSERT,
 * each rank also sends at most `bound` blocks. */
static void check_bounded(rdi_rng *rng, rdi_parda_plan plan) {
    static uint64_t trace[MOST_REFERENCES];
    static party p;
    unsigned ranks = 1 + (unsigned)rdi_rng_below(rng, MOST_RANKS);
    plan.chunk.bound = 1 + rdi_rng_below(rng, 40);
    party_open(&p, ranks, plan);
    for (uint64_t round = 0; round < 4; round++) {
        size_t cut[MOST_RANKS + 1];
        draw_trace(rng, trace, MOST_REFERENCES);
        draw_cuts(rng, cut, ranks, MOST_REFERENCES);
        party_round(&p, round, trace, cut);
        for (unsigned i = 0; i < ranks; i++) {
            assert_true(held(&p.rank[i], NULL) <= plan.chunk.bound);
            assert_true(p.rank[i].chunk.met <= plan.chunk.bound);
            if (plan.chunk.resolving != RDI_RESOLVE_REPLICATED)
                assert_true(p.listener.sent[i].n <= plan.chunk.bound);
        }
    }
    party_close(&p);
}

static void no_rank_holds_or_sends_more_than_the_bound(void **state) {
    (void)state;
    SKIP_WITHOUT_THREADS();
    rdi_rng rng = {32};
    for (unsigned round = 0; round < 30; round++)
        for (unsigned how = 0; how < 6; how++)
            check_bounded(&rng, (rdi_parda_plan){.chunk = {.engine = round % 2 ? "olken" : "stream",
                                                           .resolving = (rdi_resolving)(how % 3)},
                                                 .rename = how / 3});
}

/* ---- the engine ---- */

static rd_profile *measure(const char *spec, const rd_engine_config *config, const uint64_t *trace,
                           size_t n) {
    rd_engine *e = NULL;
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, n, NULL), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    rd_engine_close(e);
    return profile;
}

static void assert_same(const rd_profile *a, const rd_profile *b, const char *spec) {
    const rd_bin *bins[2];
    size_t n = rd_profile_bins(a, &bins[0]), m = rd_profile_bins(b, &bins[1]);
    const rd_profile_facts *x = rd_profile_facts_of(a), *y = rd_profile_facts_of(b);
    if (n != m || (n && memcmp(bins[0], bins[1], n * sizeof **bins) != 0) ||
        x->infinite != y->infinite || x->references != y->references || x->blocks != y->blocks)
        fail_msg("the histogram of %s differs", spec);
}

static void every_number_of_ranks_phase_and_bound_gives_the_same_histogram(void **state) {
    (void)state;
    static const unsigned ranks[] = {1, 2, 3, 4, 5, 7, 8, 16};
    static const char *const ways[] = {"engine=stream", "engine=olken,rename=off",
                                       "space=plain",   "space=plain,rename=off,engine=stack",
                                       "fixup=postfix", "fixup=postfix,rename=off,engine=olken"};
    static uint64_t trace[MOST_REFERENCES];
    rdi_rng rng = {33};
    for (unsigned round = 0; round < 48; round++) {
        size_t n = round % 12 == 0 ? round / 12 : (size_t)rdi_rng_below(&rng, MOST_REFERENCES + 1);
        const uint64_t phases[] = {1, 5, 100, n ? n : 1, 2 * n + 1, 0};
        draw_trace(&rng, trace, n);
        const uint64_t bounds[] = {0, 1, 2, 1 + rdi_rng_below(&rng, 50), 1000};
        rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
        config.bound = bounds[rdi_rng_below(&rng, RDI_COUNT(bounds))];
        rd_profile *right = measure("stack", &config, trace, n);
        for (size_t i = 0; i < RDI_COUNT(ways); i++) {
            char spec[128];
            uint64_t phase = phases[rdi_rng_below(&rng, RDI_COUNT(phases))];
            snprintf(spec, sizeof spec, "parda:ranks=%u,phase=%" PRIu64 ",%s",
                     ranks[round % RDI_COUNT(ranks)], phase, ways[i]);
            rd_profile *got = measure(spec, &config, trace, n);
            assert_same(got, right, spec);
            rd_profile_free(got);
        }
        rd_profile_free(right);
    }
}

/* ---- ranks that read the trace themselves ---- */

static uint64_t shared_trace[MOST_REFERENCES];

static rd_status open_memory(rd_ctx *own, const char *what, void *user, void **reader) {
    (void)user;
    (void)own;
    assert_string_equal(what, "shared_trace");
    *reader = shared_trace;
    return RD_OK;
}

/* Feeds a few references at a time, as a mapper might. */
static rd_status read_memory(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                             void *user) {
    const uint64_t *trace = reader;
    for (uint64_t at = first; at < first + n; at += 7)
        RD_TRY(sink(user, trace + at, (size_t)(first + n - at < 7 ? first + n - at : 7)));
    return RD_OK;
}

static rd_status fail_to_read(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                              void *user) {
    RD_TRY(read_memory(reader, first, n / 2, sink, user));
    return first == 0 ? RD_OK : rdi_fail(ctx, RD_EFORMAT, "a bad record");
}

static void close_memory(void *reader) {
    assert_ptr_equal(reader, shared_trace);
}

static rd_profile *measure_parts(const char *spec, const rd_engine_config *config, size_t n) {
    rd_parts parts = {n, "shared_trace", open_memory, read_memory, close_memory, NULL};
    rd_engine *e = NULL;
    rd_profile *profile = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    assert_int_equal(rd_engine_feed_parts(e, &parts), RD_OK);
    assert_int_equal(rd_engine_finish(e), RD_OK);
    assert_int_equal(rd_engine_profile(e, &profile), RD_OK);
    rd_engine_close(e);
    return profile;
}

static void ranks_that_read_their_parts_give_the_same_histogram(void **state) {
    (void)state;
    static const char *const ways[] = {"phase=0", "phase=1", "phase=100,rename=off",
                                       "phase=50,fixup=postfix", "phase=9999,space=plain"};
    rdi_rng rng = {34};
    for (unsigned round = 0; round < 32; round++) {
        size_t n = 1 + (size_t)rdi_rng_below(&rng, MOST_REFERENCES);
        draw_trace(&rng, shared_trace, n);
        rd_engine_config config = {
            .size = sizeof config, .binning = {RD_BINS_FULL, 0}, .bound = round % 4};
        rd_profile *right = measure("stack", &config, shared_trace, n);
        char spec[128];
        snprintf(spec, sizeof spec, "parda:ranks=%u,%s", 1 + round % 16,
                 ways[round % RDI_COUNT(ways)]);
        rd_profile *got = measure_parts(spec, &config, n);
        assert_same(got, right, spec);
        rd_profile_free(got);
        rd_profile_free(right);
    }
}

static void a_reader_that_fails_ends_the_analysis(void **state) {
    (void)state;
    rd_parts parts = {MOST_REFERENCES, "shared_trace", open_memory,
                      fail_to_read,    close_memory,   NULL};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "parda:ranks=5,phase=100", NULL, &e), RD_OK);
    rd_status status = rd_engine_feed_parts(e, &parts);
    assert_int_equal(status == RD_OK ? rd_engine_finish(e) : status, RD_EFORMAT);
    assert_string_equal(rd_last_error(ctx), "a bad record");
    rd_engine_close(e);
}

static void parts_are_for_engines_that_take_them_and_for_the_beginning(void **state) {
    (void)state;
    rd_parts parts = {MOST_REFERENCES, "shared_trace", open_memory,
                      read_memory,     close_memory,   NULL};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "stream", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed_parts(e, &parts), RD_EUNSUPPORTED);
    rd_engine_close(e);
    assert_int_equal(rd_engine_open(ctx, "parda", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, shared_trace, 1, NULL), RD_OK);
    assert_int_equal(rd_engine_feed_parts(e, &parts), RD_ESTATE);
    rd_engine_close(e);
}

/* ---- checkpoints ---- */

static char *checkpoint;

static int new_checkpoint(void **state) {
    checkpoint = files_path();
    return new_ctx(state);
}

static int free_checkpoint(void **state) {
    files_remove(checkpoint);
    return free_ctx(state);
}

/* Reads the trace correctly, but fails if the read begins in the last third of the trace. */
static rd_status read_and_fail(void *reader, uint64_t first, uint64_t n, rd_block_sink sink,
                               void *user) {
    if (first > MOST_REFERENCES / 3 * 2)
        return rdi_fail(ctx, RD_EIO, "the power fails");
    return read_memory(reader, first, n, sink, user);
}

static void break_off_parts(const char *spec, const rd_engine_config *config) {
    rd_parts parts = {MOST_REFERENCES, "shared_trace", open_memory,
                      read_and_fail,   close_memory,   NULL};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    rd_status status = rd_engine_feed_parts(e, &parts);
    assert_int_equal(status == RD_OK ? rd_engine_finish(e) : status, RD_EIO);
    rd_engine_close(e);
    assert_true(files_exist(checkpoint));
}

static void break_off_feeding(const char *spec, const rd_engine_config *config) {
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, spec, config, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, shared_trace, MOST_REFERENCES / 3 * 2, NULL), RD_OK);
    while (!files_exist(checkpoint)) /* the ranks write the checkpoint while they run */
        usleep(1000);
    rd_engine_close(e);
}

/* Checks that an analysis with the options `before`, interrupted and resumed with the options
 * `after`, has the right result. */
static void assert_resumed(const char *before, const char *after, uint64_t bound) {
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}, .bound = bound};
    rd_profile *right = measure("stack", &config, shared_trace, MOST_REFERENCES);
    config.checkpoint = checkpoint;
    config.checkpoint_of = "the shared trace";
    break_off_parts(before, &config);
    rd_profile *got = measure_parts(after, &config, MOST_REFERENCES);
    assert_same(got, right, after);
    rd_profile_free(got);
    unlink(checkpoint);
    break_off_feeding(before, &config);
    got = measure(after, &config, shared_trace, MOST_REFERENCES);
    assert_same(got, right, after);
    rd_profile_free(got);
    unlink(checkpoint);
    rd_profile_free(right);
}

static void an_interrupted_analysis_goes_on_from_its_checkpoint(void **state) {
    (void)state;
    rdi_rng rng = {35};
    for (unsigned round = 0; round < 3; round++) {
        draw_trace(&rng, shared_trace, MOST_REFERENCES);
        assert_resumed("parda:ranks=3,phase=30", "parda:ranks=3,phase=30", round);
        assert_resumed("parda:ranks=4,phase=20,rename=off", "parda:ranks=7,phase=50", round);
        assert_resumed("parda:ranks=1,phase=40", "parda:ranks=5,phase=33,fixup=postfix", round);
        assert_resumed("parda:ranks=5,phase=40,fixup=postfix", "parda:ranks=1", round);
    }
}

static rd_status open_and_finish(const rd_engine_config *config, size_t n) {
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "parda:ranks=2,phase=30", config, &e), RD_OK);
    rd_status status = n ? rd_engine_feed(e, shared_trace, n, NULL) : RD_OK;
    if (status == RD_OK)
        status = rd_engine_finish(e);
    rd_engine_close(e);
    return status;
}

static void a_checkpoint_of_something_else_is_refused(void **state) {
    (void)state;
    rdi_rng rng = {36};
    draw_trace(&rng, shared_trace, MOST_REFERENCES);
    rd_engine_config config = {
        .size = sizeof config, .checkpoint = checkpoint, .checkpoint_of = "this"};
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_OK);
    assert_true(files_exist(checkpoint));
    rd_engine_config other = config;
    other.checkpoint_of = "that";
    assert_int_equal(open_and_finish(&other, MOST_REFERENCES), RD_EINVAL);
    other = config;
    other.bound = 7;
    assert_int_equal(open_and_finish(&other, MOST_REFERENCES), RD_EINVAL);
    assert_int_equal(open_and_finish(&config, 5), RD_EINVAL); /* the trace is too short */
    assert_int_equal(open_and_finish(&config, 0), RD_EINVAL);
    shared_trace[0]++; /* this is another trace, although only one reference differs */
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_EINVAL);
    shared_trace[0]--;
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_OK);
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "stream", &config, &e), RD_EINVAL);
}

static void a_checkpoint_beyond_the_end_of_the_parts_is_refused(void **state) {
    (void)state;
    rdi_rng rng = {38};
    draw_trace(&rng, shared_trace, MOST_REFERENCES);
    rd_engine_config config = {
        .size = sizeof config, .checkpoint = checkpoint, .checkpoint_of = "this"};
    break_off_parts("parda:ranks=2,phase=30", &config);
    rd_parts shorter = {20, "shared_trace", open_memory, read_memory, close_memory, NULL};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "parda:ranks=2", &config, &e), RD_OK);
    assert_int_equal(rd_engine_feed_parts(e, &shorter), RD_EINVAL);
    rd_engine_close(e);
}

static void a_damaged_checkpoint_is_refused(void **state) {
    (void)state;
    rdi_rng rng = {37};
    draw_trace(&rng, shared_trace, MOST_REFERENCES);
    rd_engine_config config = {
        .size = sizeof config, .checkpoint = checkpoint, .checkpoint_of = "this"};
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_OK);
    size_t n = 0;
    uint8_t *bytes = files_read(checkpoint, &n);
    for (size_t at = 0; at < n; at += 1 + n / 50) {
        bytes[at] ^= 0x40;
        files_write(checkpoint, bytes, n);
        rd_status status = open_and_finish(&config, MOST_REFERENCES);
        assert_true(status == RD_EFORMAT || (status == RD_EINVAL && at >= 8 && at < 16));
        bytes[at] ^= 0x40;
    }
    files_write(checkpoint, bytes, n - 1);
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_EFORMAT);
    files_write(checkpoint, bytes, 0);
    assert_int_equal(open_and_finish(&config, MOST_REFERENCES), RD_EFORMAT);
    free(bytes);
}

static void options_that_do_not_go_together_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"parda:space=opt,fixup=postfix", "parda:engine=khw",
                                        "parda:engine=parda", "parda:engine=", "parda:ranks=9999"};
    rd_engine *e = NULL;
    for (size_t i = 0; i < RDI_COUNT(wrong); i++)
        assert_int_equal(rd_engine_open(ctx, wrong[i], NULL, &e), RD_EINVAL);
    assert_int_equal(rd_engine_open(ctx, "parda:space=opt,engine=olken/tree=avl", NULL, &e), RD_OK);
    rd_engine_close(e);
}

/* Tests that the engine can be closed in the middle of a round, while the ranks wait for messages
 * that never come. */
static void an_analysis_can_be_given_up(void **state) {
    (void)state;
    static const uint64_t trace[] = {1, 2, 3, 1, 2, 3};
    rd_engine *e = NULL;
    assert_int_equal(rd_engine_open(ctx, "parda:ranks=4,phase=8", NULL, &e), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, 6, NULL), RD_OK);
    assert_int_equal(rd_engine_feed(e, trace, 3, NULL), RD_OK);
    rd_engine_close(e);
}

int main(void) {
#define TEST(name)         cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
#define KEEPING_TEST(name) cmocka_unit_test_setup_teardown(name, new_checkpoint, free_checkpoint)
    const struct CMUnitTest tests[] = {
        TEST(figure_2_on_table_3),
        TEST(open_first_touches_are_the_distinct_blocks_from_the_chunk_on),
        TEST(no_rank_holds_or_sends_more_than_the_bound),
        TEST(every_number_of_ranks_phase_and_bound_gives_the_same_histogram),
        TEST(ranks_that_read_their_parts_give_the_same_histogram),
        TEST(a_reader_that_fails_ends_the_analysis),
        TEST(parts_are_for_engines_that_take_them_and_for_the_beginning),
        KEEPING_TEST(an_interrupted_analysis_goes_on_from_its_checkpoint),
        KEEPING_TEST(a_checkpoint_of_something_else_is_refused),
        KEEPING_TEST(a_checkpoint_beyond_the_end_of_the_parts_is_refused),
        KEEPING_TEST(a_damaged_checkpoint_is_refused),
        TEST(options_that_do_not_go_together_are_refused),
        TEST(an_analysis_can_be_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
