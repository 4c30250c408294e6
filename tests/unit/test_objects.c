/* Tests object caches against two oracles that follow the definitions: one finds the most bytes
 * above an object since its last request, the other simulates LRU caches of every size. */
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

#define OBJECTS  7
#define REQUESTS 60
#define SECOND   UINT64_C(1000000000)

typedef struct trace {
    size_t n;
    uint64_t id[REQUESTS], bytes[REQUESTS], time[REQUESTS], lifetime[REQUESTS], operation[REQUESTS];
    rd_expiry expiry;
} trace;

/* ---- random traces ---- */

/* Properties that a random trace may have, as bits of a mask. KINDS is the number of masks. */
enum { RESIZE = 1, DELETE = 2, EXPIRE = 4, OPERATE = 8, EMPTY = 16, BACKWARDS = 32, KINDS = 64 };

static void make_trace(uint64_t seed, trace *t) {
    rdi_rng rng = {seed};
    unsigned may = (unsigned)(seed % KINDS);
    uint64_t size[OBJECTS], now = 0, objects = 1 + rdi_rng_below(&rng, OBJECTS);
    t->n = 1 + rdi_rng_below(&rng, REQUESTS);
    t->expiry = seed / KINDS % 2 ? RD_EXPIRY_LAZY : RD_EXPIRY_EAGER;
    for (size_t i = 0; i < OBJECTS; i++)
        size[i] = 1 + rdi_rng_below(&rng, 9);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t x = rdi_rng_below(&rng, objects), dice = rdi_rng_below(&rng, 12);
        if (may & RESIZE && rdi_rng_below(&rng, 3) == 0)
            size[x] = 1 + rdi_rng_below(&rng, 9);
        if (may & EMPTY && rdi_rng_below(&rng, 8) == 0)
            size[x] = 0;
        now += rdi_rng_below(&rng, 3) * SECOND;
        t->id[i] = x * UINT64_C(0x123456789abcdef1);
        t->bytes[i] = size[x];
        t->time[i] = now;
        if (may & BACKWARDS && rdi_rng_below(&rng, 5) == 0)
            t->time[i] = now / 2;
        t->lifetime[i] = may & EXPIRE ? rdi_rng_below(&rng, 8) * SECOND : 0;
        t->operation[i] = RD_OPERATION_READ;
        if (may & OPERATE)
            t->operation[i] = dice < 4    ? RD_OPERATION_WRITE
                              : dice == 4 ? RD_OPERATION_TOUCH
                              : dice == 5 ? RD_OPERATION_READ_TOUCH
                                          : RD_OPERATION_READ;
        if (may & DELETE && dice >= 11)
            t->operation[i] = RD_OPERATION_DELETE;
    }
}

/* ---- the infinite cache: its objects, and the times at which they expire ---- */

typedef struct object {
    bool known, present, deleted, expired;
    uint64_t bytes, end, lifetime; /* end: time of expiry; 0: never */
    size_t last;                   /* number of the last request that used the object, from 1; 0:
                                      never used */
    uint64_t most;                 /* the most bytes above the object since that request */
} object;

static size_t number_of(uint64_t id) {
    size_t x = 0;
    while (x * UINT64_C(0x123456789abcdef1) != id)
        x++;
    return x;
}

static uint64_t bytes_above(const object *all, size_t x, bool lazy) {
    uint64_t sum = 0;
    for (size_t y = 0; y < OBJECTS; y++) {
        bool there = all[y].present || (lazy && all[y].expired);
        if (y != x && there && all[y].last > all[x].last)
            sum += all[y].bytes;
    }
    return sum;
}

/* Updates the most bytes above each object after a change of the cache. */
static void look(object *all, bool lazy) {
    for (size_t x = 0; x < OBJECTS; x++) {
        uint64_t now = bytes_above(all, x, lazy);
        all[x].most = now > all[x].most ? now : all[x].most;
    }
}

static void expire_at(object *all, uint64_t now, bool lazy, bool gone[OBJECTS]) {
    for (size_t x = 0; x < OBJECTS; x++) {
        gone[x] = all[x].present && all[x].end && all[x].end <= now;
        if (gone[x]) {
            all[x].present = false;
            all[x].expired = true;
        }
    }
    look(all, lazy);
}

/* Applies request i to the infinite cache, and returns the distance of the request. */
static uint64_t apply(object *all, const trace *t, size_t i, uint64_t now) {
    object *x = &all[number_of(t->id[i])];
    uint64_t operation = t->operation[i];
    if (operation == RD_OPERATION_DELETE) {
        if (x->known)
            x->deleted = true;
        x->present = x->expired = false;
        return RD_NO_DISTANCE;
    }
    if (operation == RD_OPERATION_TOUCH && !x->present)
        return RD_NO_DISTANCE;
    uint64_t distance = x->present   ? x->most
                        : x->expired ? RD_MISS_EXPIRED
                        : x->deleted ? RD_MISS_DELETED
                                     : RD_MISS_COLD;
    bool renewed = operation == RD_OPERATION_TOUCH || operation == RD_OPERATION_READ_TOUCH;
    if (operation == RD_OPERATION_WRITE)
        x->lifetime = t->lifetime[i];
    else if ((!x->present || renewed) && t->lifetime[i])
        x->lifetime = t->lifetime[i];
    if (operation == RD_OPERATION_WRITE || !x->present || renewed)
        x->end = x->lifetime ? now + x->lifetime : 0;
    if (operation != RD_OPERATION_TOUCH)
        x->bytes = t->bytes[i];
    x->known = x->present = true;
    x->deleted = x->expired = false;
    x->last = i + 1;
    x->most = 0;
    return distance;
}

static void oracle(const trace *t, uint64_t *distances, uint64_t *before) {
    object all[OBJECTS] = {0};
    bool gone[OBJECTS], lazy = t->expiry == RD_EXPIRY_LAZY;
    uint64_t now = 0;
    for (size_t i = 0; i < t->n; i++) {
        now = t->time[i] > now ? t->time[i] : now;
        expire_at(all, now, lazy, gone);
        before[i] = all[number_of(t->id[i])].bytes;
        distances[i] = apply(all, t, i, now);
        look(all, lazy);
    }
}

/* ---- a simulated LRU cache of `room` bytes ---- */

typedef struct lru {
    size_t order[OBJECTS]; /* most recent first */
    uint64_t bytes[OBJECTS];
    size_t n;
} lru;

static bool take_out(lru *c, size_t x) {
    for (size_t i = 0; i < c->n; i++)
        if (c->order[i] == x) {
            memmove(&c->order[i], &c->order[i + 1], (c->n - i - 1) * sizeof *c->order);
            c->n--;
            return true;
        }
    return false;
}

static void put_in(lru *c, size_t x, uint64_t bytes, uint64_t room) {
    memmove(&c->order[1], &c->order[0], c->n++ * sizeof *c->order);
    c->order[0] = x;
    c->bytes[x] = bytes;
    uint64_t used = 0;
    for (size_t i = 0; i < c->n; i++) {
        used += c->bytes[c->order[i]];
        if (used > room)
            c->n = i; /* all less recent objects are evicted, too */
    }
}

/* Sets hits[i] to whether request i hits in a cache of `room` bytes. */
static void simulate(const trace *t, uint64_t room, bool *hits) {
    object all[OBJECTS] = {0};
    bool gone[OBJECTS], lazy = t->expiry == RD_EXPIRY_LAZY;
    lru cache = {0};
    uint64_t now = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t x = number_of(t->id[i]);
        now = t->time[i] > now ? t->time[i] : now;
        expire_at(all, now, lazy, gone);
        for (size_t y = 0; y < OBJECTS && !lazy; y++)
            if (gone[y])
                take_out(&cache, y);
        bool valid = all[x].present;
        uint64_t distance = apply(all, t, i, now);
        bool used = distance != RD_NO_DISTANCE;
        bool left = (used || t->operation[i] == RD_OPERATION_DELETE) && take_out(&cache, x);
        hits[i] = valid && left && used;
        if (used)
            put_in(&cache, x, all[x].bytes, room);
    }
}

/* ---- comparisons ---- */

static uint64_t largest_of(const trace *t) {
    uint64_t largest = 0;
    for (size_t i = 0; i < t->n; i++)
        largest = t->bytes[i] > largest ? t->bytes[i] : largest;
    return largest;
}

static rd_objects *feed(rd_ctx *ctx, const trace *t, size_t step, uint64_t *distances) {
    rd_objects *o = NULL;
    rd_objects_config config = {.size = sizeof config, .expiry = t->expiry, .count = RD_COUNT_ALL};
    assert_int_equal(rd_objects_new(ctx, &config, &o), RD_OK);
    for (size_t at = 0; at < t->n; at += step) {
        rd_requests q = {.n = t->n - at < step ? t->n - at : step,
                         .id = t->id + at,
                         .bytes = t->bytes + at,
                         .time = t->time + at,
                         .lifetime = t->lifetime + at,
                         .operation = t->operation + at};
        assert_int_equal(rd_objects_feed(o, &q, distances + at), RD_OK);
    }
    return o;
}

/* The number of random traces, which an argument of the program overrides. */
#ifdef __SANITIZE_ADDRESS__
static uint64_t seeds = 1600; /* this is enough to reach all code */
#else
static uint64_t seeds = 6400;
#endif

static void distances_follow_the_definition(void **state) {
    for (uint64_t seed = 0; seed < seeds; seed++) {
        trace t;
        uint64_t expected[REQUESTS], got[REQUESTS], before[REQUESTS];
        make_trace(seed, &t);
        oracle(&t, expected, before);
        rd_objects_free(feed(*state, &t, 1 + seed % 9, got));
        for (size_t i = 0; i < t.n; i++)
            if (got[i] != expected[i])
                fail_msg("seed %d, request %d: distance %lld, expected %lld", (int)seed, (int)i,
                         (long long)got[i], (long long)expected[i]);
    }
}

/* Tests that the hits of simulated caches are exactly the requests that hit according to the analysis. In the
 * simulated caches, a touch of an evicted object brings the object back, as in the definition. */
static void simulated_caches_hit_the_same_requests(void **state) {
    for (uint64_t seed = 0; seed < seeds / 4; seed++) {
        trace t;
        uint64_t got[REQUESTS], expected[REQUESTS], before[REQUESTS];
        bool hits[REQUESTS];
        make_trace(seed, &t);
        oracle(&t, expected, before);
        rd_objects_free(feed(*state, &t, REQUESTS, got));
        for (uint64_t room = largest_of(&t); room < 10 * OBJECTS; room++) {
            simulate(&t, room, hits);
            for (size_t i = 0; i < t.n; i++)
                if (hits[i] != (got[i] < RD_NO_DISTANCE && got[i] + before[i] <= room))
                    fail_msg("seed %d, request %d, cache of %d bytes: only the simulated cache %s",
                             (int)seed, (int)i, (int)room, hits[i] ? "hits" : "misses");
        }
    }
}

static void the_profile_counts_what_caches_miss(void **state) {
    for (uint64_t seed = 0; seed < seeds / 8; seed++) {
        trace t;
        uint64_t got[REQUESTS];
        bool hits[REQUESTS];
        rd_profile *p = NULL;
        make_trace(seed, &t);
        rd_objects *o = feed(*state, &t, REQUESTS, got);
        assert_int_equal(rd_objects_profile(o, &p), RD_OK);
        uint64_t least = largest_of(&t);
        for (uint64_t room = least ? least : 1; room < 10 * OBJECTS; room++) {
            double requests = 0, bytes = 0, missed = 0, bytes_missed = 0, ratio, byte_ratio;
            bool interpolated;
            simulate(&t, room, hits);
            object all[OBJECTS] = {0};
            for (size_t i = 0; i < t.n; i++) {
                if (t.operation[i] != RD_OPERATION_TOUCH)
                    all[number_of(t.id[i])].bytes = t.bytes[i];
                if (got[i] == RD_NO_DISTANCE)
                    continue;
                double size = (double)all[number_of(t.id[i])].bytes;
                requests++;
                bytes += size;
                missed += !hits[i];
                bytes_missed += hits[i] ? 0 : size;
            }
            assert_int_equal(rd_objects_at(*state, p, room, &ratio, &byte_ratio, &interpolated),
                             RD_OK);
            assert_false(interpolated);
            assert_true(ratio == (requests > 0 ? missed / requests : 1));
            assert_true(byte_ratio == (bytes > 0 ? bytes_missed / bytes : 1));
        }
        rd_profile_free(p);
        rd_objects_free(o);
    }
}

static void reads_count_where_operations_are_known(void **state) {
    static const uint64_t id[] = {1, 1, 1, 1}, bytes[] = {5, 5, 5, 5};
    static const uint64_t operation[] = {RD_OPERATION_WRITE, RD_OPERATION_READ, RD_OPERATION_DELETE,
                                         RD_OPERATION_READ};
    rd_requests q = {.n = 4, .id = id, .bytes = bytes, .operation = operation};
    for (int all = 0; all < 2; all++) {
        rd_objects_config config = {.size = sizeof config,
                                    .count = all ? RD_COUNT_ALL : RD_COUNT_AUTO};
        rd_objects *o = NULL;
        rd_profile *p = NULL;
        assert_int_equal(rd_objects_new(*state, &config, &o), RD_OK);
        assert_int_equal(rd_objects_feed(o, &q, NULL), RD_OK);
        assert_int_equal(rd_objects_profile(o, &p), RD_OK);
        const rd_objects_facts *f = rd_profile_objects(p);
        assert_int_equal(f->counted.requests, all ? 3 : 2);
        assert_int_equal(f->cold.requests, all);
        assert_int_equal(f->deleted.requests, 1);
        assert_int_equal(f->reads.requests, 2);
        assert_int_equal(f->count, all ? RD_COUNT_ALL : RD_COUNT_READS);
        rd_profile_free(p);
        rd_objects_free(o);
    }
}

/* Tests objects of equal size without removals: byte distances are reuse distances times the size.
 * The trace is long enough to renumber the slots of the axis several times. */
static void equal_sizes_give_reuse_distances(void **state) {
    enum { N = 300000, SIZE = 4096 };
    static uint64_t id[N], bytes[N], got[N], expected[N];
    rdi_rng rng = {7};
    for (size_t i = 0; i < N; i++) {
        id[i] = rdi_rng_below(&rng, 1 + rdi_rng_below(&rng, 50000));
        bytes[i] = SIZE;
    }
    rd_engine *engine = NULL;
    rd_objects *o = NULL;
    assert_int_equal(rd_engine_open(*state, "stream", NULL, &engine), RD_OK);
    assert_int_equal(rd_engine_feed(engine, id, N, expected), RD_OK);
    assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
    rd_requests q = {.n = N, .id = id, .bytes = bytes};
    assert_int_equal(rd_objects_feed(o, &q, got), RD_OK);
    for (size_t i = 0; i < N; i++)
        assert_true(got[i] == (expected[i] == RD_COLD ? RD_MISS_COLD : SIZE * expected[i]));
    rd_objects_free(o);
    rd_engine_close(engine);
}

static void a_warm_up_does_not_count(void **state) {
    static const uint64_t id[] = {1, 2, 1, 2};
    rd_objects_config config = {.size = sizeof config, .warmup = 2};
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_objects_new(*state, &config, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &(rd_requests){.n = 4, .id = id}, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    assert_int_equal(rd_profile_facts_of(p)->references, 2);
    assert_int_equal(rd_profile_facts_of(p)->infinite, 0);
    rd_profile_free(p);
    rd_objects_free(o);
}

static void given_sizes_are_exact(void **state) {
    enum { N = 2000 };
    static uint64_t id[N], bytes[N], got[N];
    const uint64_t sizes[] = {1234567, 1000003, 3000001, 1000003};
    rdi_rng rng = {3};
    for (size_t i = 0; i < N; i++) {
        id[i] = rdi_rng_below(&rng, 100);
        bytes[i] = id[i] * 997 + 30000;
    }
    rd_objects_config config = {.size = sizeof config, .sizes = sizes, .n_sizes = 4};
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_objects_new(*state, &config, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &(rd_requests){.n = N, .id = id, .bytes = bytes}, got),
                     RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    for (size_t k = 0; k < RDI_COUNT(sizes); k++) {
        double ratio, byte_ratio, misses = 0;
        bool interpolated;
        for (size_t i = 0; i < N; i++)
            misses += got[i] >= RD_NO_DISTANCE || got[i] + bytes[i] > sizes[k];
        assert_int_equal(rd_objects_at(*state, p, sizes[k], &ratio, &byte_ratio, &interpolated),
                         RD_OK);
        assert_true(!interpolated && ratio == misses / N);
    }
    rd_profile_free(p);
    rd_objects_free(o);
}

static void impossible_requests_are_refused(void **state) {
    static const uint64_t id[] = {1, 2, 3}, huge[] = {UINT64_C(1) << 62, UINT64_C(1) << 62, 1};
    static const uint64_t larger[] = {UINT64_C(1) << 63, 1, 1}, unknown[] = {0, 99, 0};
    const rd_requests bad[] = {
        {.n = 3, .id = id, .bytes = huge},
        {.n = 3, .id = id, .bytes = larger},
        {.n = 3, .id = id, .operation = unknown},
        {.n = 3},
    };
    const rd_status expected[] = {RD_ERANGE, RD_EINVAL, RD_EINVAL, RD_EINVAL};
    for (size_t i = 0; i < RDI_COUNT(bad); i++) {
        rd_objects *o = NULL;
        assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
        assert_int_equal(rd_objects_feed(o, &bad[i], NULL), expected[i]);
        rd_objects_free(o);
    }
}

/* Tests the limit on the sum of all sizes, which counts neither deleted objects nor the previous
 * sizes of an object. */
static void objects_that_left_do_not_count_for_the_largest_sum(void **state) {
    enum { N = 7 };
    const uint64_t half = UINT64_C(1) << 62, most = 2 * half - 1;
    const uint64_t id[N] = {1, 1, 1, 2, 2, 1, 3};
    const uint64_t bytes[N] = {half, most, most, most, most, 0, 1};
    const uint64_t operation[N] = {RD_OPERATION_WRITE, RD_OPERATION_READ, RD_OPERATION_DELETE,
                                   RD_OPERATION_READ,  RD_OPERATION_READ, RD_OPERATION_READ,
                                   RD_OPERATION_READ};
    uint64_t got[N];
    rd_objects *o = NULL;
    rd_requests q = {.n = N - 1, .id = id, .bytes = bytes, .operation = operation};
    assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &q, got), RD_OK);
    assert_true(got[1] == 0 && got[3] == RD_MISS_COLD && got[4] == 0 && got[5] == RD_MISS_DELETED);
    q = (rd_requests){.n = 1, .id = id + 6, .bytes = bytes + 6, .operation = operation + 6};
    assert_int_equal(rd_objects_feed(o, &q, NULL), RD_ERANGE);
    assert_int_equal(rd_objects_requests(o), N - 1);
    rd_objects_free(o);
    /* The limit also holds if all requests are reads. */
    const uint64_t one[] = {1, 1, 2, 2}, grows[] = {half, most - 1, 1, 2};
    assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &(rd_requests){.n = 3, .id = one, .bytes = grows}, NULL),
                     RD_OK);
    assert_int_equal(
        rd_objects_feed(o, &(rd_requests){.n = 1, .id = one + 3, .bytes = grows + 3}, NULL),
        RD_ERANGE);
    assert_int_equal(rd_objects_requests(o), 3);
    rd_objects_free(o);
}

/* Tests the last times that fit in 64 bits. An object whose lifetime ends after the last time never expires. */
static void times_may_be_the_largest_numbers(void **state) {
    enum { N = 7 };
    const uint64_t id[N] = {1, 2, 3, 1, 2, 3, 3}, last = UINT64_MAX;
    const uint64_t time[N] = {last - 2, last - 2, last - 2, last, last, last, last};
    const uint64_t lifetime[N] = {1, 0, 5, 0, 0, 0, 0};
    const uint64_t operation[N] = {RD_OPERATION_WRITE, RD_OPERATION_WRITE, RD_OPERATION_WRITE};
    for (uint64_t every = 0; every < 3; every++) {
        uint64_t got[N];
        rd_objects *o = NULL;
        rd_profile *p = NULL;
        rd_objects_config config = {
            .size = sizeof config, .count = RD_COUNT_ALL, .every = every * SECOND};
        rd_requests q = {
            .n = N, .id = id, .time = time, .lifetime = lifetime, .operation = operation};
        assert_int_equal(rd_objects_new(*state, &config, &o), RD_OK);
        assert_int_equal(rd_objects_feed(o, &q, got), RD_OK);
        assert_true(got[3] == RD_MISS_EXPIRED && got[4] == 2 && got[5] == 2 && got[6] == 0);
        assert_int_equal(rd_objects_profile(o, &p), RD_OK);
        if (every) { /* the last stretch contains the last time */
            assert_int_equal(rd_profile_stretches(p)->n, 1);
            assert_int_equal(rd_profile_stretches(p)->rows[0].counted.requests, N);
        }
        rd_profile_free(p);
        rd_objects_free(o);
    }
}

static void profiles_survive_a_file_and_merge(void **state) {
    for (uint64_t seed = 60; seed < 64; seed++) {
        trace t;
        uint64_t distances[REQUESTS];
        rd_profile *p = NULL, *again = NULL, *sum = NULL;
        char *text = NULL, *second = NULL;
        size_t n = 0, n_second = 0;
        make_trace(seed, &t);
        rd_objects *o = feed(*state, &t, REQUESTS, distances);
        assert_int_equal(rd_objects_profile(o, &p), RD_OK);
        assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
        assert_int_equal(rd_profile_parse(*state, "file", text, n, &again), RD_OK);
        assert_int_equal(rd_profile_json(again, &second, &n_second), RD_OK);
        assert_string_equal(text, second);
        rd_profile *both[] = {p, again};
        assert_int_equal(rd_profile_merge(*state, both, 2, &sum), RD_OK);
        const rd_objects_facts *one = rd_profile_objects(p), *two = rd_profile_objects(sum);
        assert_int_equal(two->counted.requests, 2 * one->counted.requests);
        assert_int_equal(two->counted.bytes.low, 2 * one->counted.bytes.low);
        assert_int_equal(two->n_bins, one->n_bins);
        for (size_t i = 0; i < one->n_bins; i++)
            assert_int_equal(two->bins[i].bytes.low, 2 * one->bins[i].bytes.low);
        rd_text_free(*state, text);
        rd_text_free(*state, second);
        rd_profile_free(sum);
        rd_profile_free(again);
        rd_profile_free(p);
        rd_objects_free(o);
    }
}

/* Tests that requests for deleted and expired objects do not count as hits that a larger cache could have. */
static void unavoidable_misses_are_not_achievable_hits(void **state) {
    static const uint64_t ids[] = {1, 1, 1, 1, 1, 1}, sizes[] = {10, 10, 10, 10, 10, 10},
                          seconds[] = {0, 1, 2, 3, 20, 21}, lifetimes[] = {9, 9, 9, 9, 9, 9},
                          operations[] = {RD_OPERATION_READ, RD_OPERATION_READ, RD_OPERATION_DELETE,
                                          RD_OPERATION_READ, RD_OPERATION_READ, RD_OPERATION_READ};
    uint64_t times[RDI_COUNT(ids)], ends[RDI_COUNT(ids)];
    for (size_t i = 0; i < RDI_COUNT(ids); i++) {
        times[i] = seconds[i] * 1000000000;
        ends[i] = lifetimes[i] * 1000000000;
    }
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    rd_requests q = {RDI_COUNT(ids), ids, sizes, times, ends, operations};
    assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &q, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    /* One of the five reads is cold, one is for a deleted object and one for an expired object. The other two
     * hit in a cache of 10 bytes. */
    assert_int_equal(rd_smallest_cache(p, 1), 10);
    assert_int_equal(rd_smallest_cache(p, 0.5), 10);
    rd_hits_answer answer;
    assert_int_equal(rd_cache_for_hits(*state, p, 0.9, &answer), RD_OK);
    assert_false(answer.reachable);
    assert_int_equal(answer.blocks, 10);
    assert_true(answer.hit_ratio == 0.4 && answer.cold == 0.6);
    rd_profile_free(p);
    rd_objects_free(o);
}

int main(int argc, char **argv) {
    if (argc > 1)
        seeds = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_follow_the_definition),
        cmocka_unit_test(simulated_caches_hit_the_same_requests),
        cmocka_unit_test(the_profile_counts_what_caches_miss),
        cmocka_unit_test(reads_count_where_operations_are_known),
        cmocka_unit_test(equal_sizes_give_reuse_distances),
        cmocka_unit_test(a_warm_up_does_not_count),
        cmocka_unit_test(given_sizes_are_exact),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(objects_that_left_do_not_count_for_the_largest_sum),
        cmocka_unit_test(times_may_be_the_largest_numbers),
        cmocka_unit_test(profiles_survive_a_file_and_merge),
        cmocka_unit_test(unavoidable_misses_are_not_achievable_hits),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
