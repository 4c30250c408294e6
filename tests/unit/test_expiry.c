/* Tests rdi_expiry_queue, the queue of expirations, against a list of all objects and their times
 * of expiry. */
#include "objects/expiry.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OBJECTS 300
#define RUN     512 /* number of requests between two calls of rdi_expiry_room() */
#define TILE    (RDI_EXPIRY_AHEAD / 2)
#define RUNS    12

static uint64_t seeds = 60; /* number of random traces; an argument of the program sets it */

/* A queue, and the time at which each object must expire; 0: never. */
typedef struct bench {
    rd_ctx *ctx;
    rdi_object_table table;
    rdi_expiry_queue queue;
    rdi_rng rng;
    uint64_t now, expected[OBJECTS];
    size_t n_expired, n_announced;
    bool failed;
} bench;

static void expired(void *user, const uint32_t *number, unsigned n) {
    bench *b = user;
    for (unsigned i = 0; i < n; i++) {
        uint64_t end = b->expected[number[i]];
        b->failed = b->failed || end == 0 || end > b->now;
        b->expected[number[i]] = 0;
    }
    b->n_expired += n;
}

static void announced(void *user, const uint32_t *number, unsigned n) {
    bench *b = user;
    for (unsigned i = 0; i < n; i++)
        b->failed = b->failed || number[i] >= OBJECTS;
    b->n_announced += n;
}

static void open_bench(bench *b, rd_ctx *ctx, uint64_t seed) {
    *b = (bench){.ctx = ctx, .rng = {seed}};
    assert_int_equal(rdi_object_table_init(&b->table, ctx), RD_OK);
    assert_int_equal(rdi_object_table_room(&b->table, ctx, OBJECTS), RD_OK);
    for (uint64_t id = 0; id < OBJECTS; id++) {
        uint64_t hash = rdi_cached_hash(&b->table, id);
        rdi_cached_find(&b->table, id, hash, rdi_cached_probe(&b->table, hash));
    }
}

static void close_bench(bench *b) {
    rdi_expiry_fini(&b->queue, b->ctx);
    rdi_object_table_fini(&b->table, b->ctx);
}

/* Checks that the queue has at least one place for each object that will expire, and not too many
 * stale places. */
static void check_places(const bench *b) {
    size_t waiting = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        waiting += b->expected[i] != 0;
    assert_true(b->queue.places >= waiting);
    assert_true(b->queue.places <= 2 * b->queue.room + 3 * RDI_EXPIRY_STEP);
    assert_true(b->queue.fresh <= b->queue.array_room);
}

/* Lets a random object expire at most `far` after now, never, or at the largest possible time. */
static void set_random(bench *b, uint64_t far) {
    uint32_t number = (uint32_t)rdi_rng_below(&b->rng, OBJECTS);
    uint64_t end = b->now + 1 + rdi_rng_below(&b->rng, far);
    if (end <= b->now || rdi_rng_below(&b->rng, 8) == 0)
        end = b->now < UINT64_MAX && rdi_rng_below(&b->rng, 2) ? UINT64_MAX : 0;
    b->expected[number] = end;
    rdi_expiry_set(&b->queue, number, end);
}

/* Processes a run of requests with the given times, as rd_objects_feed() does: the queue looks one
 * tile of requests ahead. Checks after each request that the objects whose time has come have
 * expired, and gives `sets` random objects new times. */
static void process_run(bench *b, const uint64_t *time, uint64_t far, unsigned sets) {
    assert_int_equal(rdi_expiry_room(&b->queue, b->ctx, &b->table, RDI_EXPIRY_STEP, b->now), RD_OK);
    for (size_t at = 0; at < RUN + TILE; at += TILE) {
        rdi_expiry_announce(&b->queue, announced, b);
        if (at < RUN)
            rdi_expiry_advance(&b->queue, time, at, at + TILE);
        for (size_t i = at - TILE; at && i < at; i++) {
            if (time[i] > b->now) {
                b->now = time[i];
                rdi_expiry_reach(&b->queue, i, b->now, expired, b);
            }
            for (size_t k = 0; k < OBJECTS; k++)
                if (b->expected[k] && b->expected[k] <= b->now)
                    fail_msg("object %d does not expire", (int)k);
            for (unsigned k = 0; k < sets; k++)
                set_random(b, far);
        }
    }
    assert_false(b->failed);
    check_places(b);
}

/* Makes the times of a run, beginning at the present time. Most times are 0 to `most` times
 * `unit` later than the time before; one step in 200 is 1,000 times as long. */
static void make_times(bench *b, uint64_t unit, uint64_t most, uint64_t *time) {
    uint64_t now = b->now;
    for (size_t i = 0; i < RUN; i++) {
        uint64_t step = unit * rdi_rng_below(&b->rng, most + 1);
        step *= rdi_rng_below(&b->rng, 200) ? 1 : 1000;
        now = now + step < now ? UINT64_MAX : now + step;
        time[i] = rdi_rng_below(&b->rng, 50) ? now : now / 2; /* some times go backwards */
    }
}

static void objects_expire_at_their_times(void **state) {
    size_t n_expired = 0, n_announced = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        static const uint64_t units[] = {1, 1000, 1000000, 1000000000};
        bench b;
        uint64_t time[RUN];
        open_bench(&b, *state, seed);
        uint64_t unit = units[seed % RDI_COUNT(units)], most = 1 + rdi_rng_below(&b.rng, 5);
        b.now = seed % 5 == 0 ? UINT64_MAX - 100000 * unit : rdi_rng_below(&b.rng, 1000) * unit;
        for (unsigned run = 0; run < RUNS; run++) {
            make_times(&b, unit, most, time);
            process_run(&b, time, unit << rdi_rng_below(&b.rng, 20), run % 4);
        }
        n_expired += b.n_expired;
        n_announced += b.n_announced;
        close_bench(&b);
    }
    assert_true(n_expired > 1000 * seeds && n_announced > 300 * seeds);
}

/* Tests that stale places do not pile up: the objects get earlier and earlier times of expiry, and
 * their old places are never reached. */
static void stale_places_are_removed(void **state) {
    bench b;
    uint64_t time[RUN] = {0}, end = UINT64_C(1) << 50;
    open_bench(&b, *state, 1);
    for (unsigned run = 0; run < 200; run++) {
        assert_int_equal(rdi_expiry_room(&b.queue, b.ctx, &b.table, RDI_EXPIRY_STEP, 0), RD_OK);
        for (unsigned i = 0; i < RDI_EXPIRY_STEP; i++) {
            uint32_t number = i % OBJECTS;
            rdi_expiry_set(&b.queue, number, b.expected[number] = end--);
        }
        check_places(&b);
    }
    time[TILE - 1] = b.now = UINT64_C(1) << 51;
    assert_int_equal(rdi_expiry_room(&b.queue, b.ctx, &b.table, RDI_EXPIRY_STEP, 0), RD_OK);
    rdi_expiry_advance(&b.queue, time, 0, TILE);
    rdi_expiry_reach(&b.queue, TILE - 1, b.now, expired, &b);
    assert_int_equal(b.n_expired, OBJECTS);
    assert_int_equal(b.queue.places, 0);
    assert_false(b.failed);
    close_bench(&b);
}

int main(int argc, char **argv) {
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_expire_at_their_times),
        cmocka_unit_test(stale_places_are_removed),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
