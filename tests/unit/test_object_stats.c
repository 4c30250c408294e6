/* Tests the statistics of objects against an oracle that follows the definitions: sizes,
 * popularity, and live bytes with and without expiry. */
#include "base/common.h"
#include "reusedist/objects.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define OBJECTS  300
#define REQUESTS 3000
#define SECOND   UINT64_C(1000000000)

static uint64_t id[REQUESTS], bytes[REQUESTS], times[REQUESTS], lifetime[REQUESTS],
    operation[REQUESTS];

/* An object after some requests, by the definitions. `end` is 0 if it never expires. */
typedef struct object {
    uint64_t bytes, end, lifetime, uses;
    bool known, deleted; /* known: true if the object was used at least once */
} object;

static object all[OBJECTS];

/* Makes requests, most of which ask for a few of the objects. */
static void make_trace(uint64_t seed) {
    static const uint64_t operations[] = {
        RD_OPERATION_READ,  RD_OPERATION_READ,   RD_OPERATION_READ, RD_OPERATION_READ_TOUCH,
        RD_OPERATION_WRITE, RD_OPERATION_DELETE, RD_OPERATION_TOUCH};
    rdi_rng rng = {seed};
    uint64_t now = 0;
    for (size_t i = 0; i < REQUESTS; i++) {
        uint64_t below = 1 + rdi_rng_below(&rng, 1 + rdi_rng_below(&rng, OBJECTS));
        now += rdi_rng_below(&rng, 3) * SECOND;
        id[i] = rdi_rng_below(&rng, below);
        bytes[i] = rdi_rng_below(&rng, UINT64_C(1) << rdi_rng_below(&rng, 40));
        times[i] = now;
        lifetime[i] = seed % 2 ? rdi_rng_below(&rng, 200) * SECOND : 0;
        operation[i] = operations[rdi_rng_below(&rng, RDI_COUNT(operations))];
    }
}

static bool is_present(const object *x, uint64_t now) {
    return x->known && !x->deleted && !(x->end && x->end <= now);
}

static void apply(size_t i) {
    object *x = &all[id[i]];
    bool present = is_present(x, times[i]);
    bool touch = operation[i] == RD_OPERATION_TOUCH;
    if (operation[i] == RD_OPERATION_DELETE) {
        x->deleted = x->known;
        return;
    }
    if (touch && !present)
        return;
    if (operation[i] == RD_OPERATION_WRITE)
        x->lifetime = lifetime[i];
    bool begins = !present || touch || operation[i] == RD_OPERATION_READ_TOUCH;
    if (begins && lifetime[i])
        x->lifetime = lifetime[i];
    if (begins || operation[i] == RD_OPERATION_WRITE)
        x->end = x->lifetime ? times[i] + x->lifetime : 0;
    if (!touch)
        x->bytes = bytes[i];
    x->known = true;
    x->deleted = false;
    x->uses++;
}

static void apply_all(size_t n) {
    memset(all, 0, sizeof all);
    for (size_t i = 0; i < n; i++)
        apply(i);
}

/* Makes the profile of the first `n` requests. */
static rd_profile *profile_of_first(rd_ctx *ctx, uint64_t seed, size_t n) {
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    make_trace(seed);
    rd_requests q = {n, id, bytes, times, lifetime, operation};
    assert_int_equal(rd_objects_new(ctx, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &q, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    rd_objects_free(o);
    return p;
}

static rd_profile *profile_of(rd_ctx *ctx, uint64_t seed) {
    return profile_of_first(ctx, seed, REQUESTS);
}

static void sizes_are_those_of_the_last_requests(void **state) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        rd_profile *p = profile_of(*state, seed);
        const rd_objects_facts *f = rd_profile_objects(p);
        apply_all(REQUESTS);
        for (unsigned k = 0; k < RD_SIZE_CLASSES; k++) {
            uint64_t objects = 0, sum = 0;
            uint64_t low = k ? UINT64_C(1) << (k - 1) : 0, high = k ? 2 * low - 1 : 0;
            for (size_t x = 0; x < OBJECTS; x++)
                if (all[x].known && all[x].bytes >= low && all[x].bytes <= high) {
                    objects++;
                    sum += all[x].bytes;
                }
            assert_int_equal(f->size_class[k].objects, objects);
            assert_int_equal(f->size_class[k].bytes.low, sum);
            assert_int_equal(f->size_class[k].bytes.high, 0);
        }
        rd_profile_free(p);
    }
}

/* Checks that every row of `f` counts exactly the objects whose numbers of requests are in the range of the row, each
 * object `copies` times. Returns the sum of these counts. */
static uint64_t check_rows(const rd_objects_facts *f, uint64_t copies) {
    uint64_t sum = 0;
    assert_true(f->has_popularity);
    for (size_t i = 0; i < f->n_popularity; i++) {
        const rd_popularity *row = &f->popularity[i];
        uint64_t objects = 0, requests = 0, least = UINT64_MAX, most = 0;
        for (size_t x = 0; x < OBJECTS; x++) {
            uint64_t n = all[x].uses;
            if (n < row->low || n > row->high)
                continue;
            objects += copies;
            requests += copies * n;
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
        assert_int_equal(row->objects, objects);
        assert_int_equal(row->requests, requests);
        assert_int_equal(row->low, least);
        assert_int_equal(row->high, most);
        assert_true(16 * row->high <= 17 * row->low);
        assert_true(i == 0 || row->low > row[-1].high);
        sum += objects;
    }
    return sum;
}

static uint64_t used_objects(void) {
    uint64_t n = 0;
    for (size_t x = 0; x < OBJECTS; x++)
        n += all[x].uses > 0;
    return n;
}

static void popularity_counts_the_requests_of_each_object(void **state) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        rd_profile *p = profile_of(*state, seed);
        apply_all(REQUESTS);
        assert_int_equal(check_rows(rd_profile_objects(p), 1), used_objects());
        assert_int_equal(rd_profile_objects(p)->objects, used_objects());
        rd_profile_free(p);
    }
}

static void ids_that_are_only_removed_or_touched_are_not_objects(void **state) {
    static const uint64_t ids[] = {1, 2, 3, 4, 5};
    static const uint64_t operations[] = {RD_OPERATION_READ, RD_OPERATION_DELETE,
                                          RD_OPERATION_DELETE, RD_OPERATION_TOUCH,
                                          RD_OPERATION_DELETE};
    const rd_requests q = {.n = RDI_COUNT(ids), .id = ids, .operation = operations};
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    assert_int_equal(rd_objects_new(*state, NULL, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &q, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    assert_int_equal(rd_profile_objects(p)->objects, 1);
    rd_profile_free(p);
    rd_objects_free(o);
}

static void popularity_is_added_up(void **state) {
    rd_profile *p = profile_of(*state, 1), *sum = NULL, *again = NULL;
    rd_profile *both[] = {p, p};
    char *text = NULL;
    size_t n = 0;
    apply_all(REQUESTS);
    assert_int_equal(rd_profile_merge(*state, both, 2, &sum), RD_OK);
    assert_int_equal(rd_profile_json(sum, &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(*state, "file", text, n, &again), RD_OK);
    assert_int_equal(check_rows(rd_profile_objects(again), 2), 2 * used_objects());
    const rd_size_class *one = rd_profile_objects(p)->size_class;
    const rd_size_class *two = rd_profile_objects(again)->size_class;
    for (size_t k = 0; k < RD_SIZE_CLASSES; k++)
        assert_int_equal(two[k].bytes.low, 2 * one[k].bytes.low);
    rd_text_free(*state, text);
    rd_profile_free(again);
    rd_profile_free(sum);
    rd_profile_free(p);
}

/* Renames a key in place, so that readers do not know it. */
static void forget_key(char *text, const char *key) {
    char *at = strstr(text, key);
    assert_non_null(at);
    at[0] = 'x';
}

static void older_profiles_have_no_popularity(void **state) {
    rd_profile *p = profile_of(*state, 1), *old = NULL, *sum = NULL;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    forget_key(text, "popularity\"");
    forget_key(text, "size_class_bytes\"");
    assert_int_equal(rd_profile_parse(*state, "file", text, n, &old), RD_OK);
    assert_false(rd_profile_objects(old)->has_popularity);
    for (int first = 0; first < 2; first++) {
        rd_profile *both[] = {first ? old : p, first ? p : old};
        assert_int_equal(rd_profile_merge(*state, both, 2, &sum), RD_OK);
        const rd_objects_facts *f = rd_profile_objects(sum);
        assert_false(f->has_popularity);
        assert_int_equal(f->n_popularity, 0);
        for (size_t k = 0; k < RD_SIZE_CLASSES; k++)
            assert_int_equal(f->size_class[k].bytes.low, 0);
        rd_profile_free(sum);
    }
    rd_text_free(*state, text);
    rd_profile_free(old);
    rd_profile_free(p);
}

static void impossible_popularity_is_refused(void **state) {
    static const char *const wrong[][2] = {
        {"\"popularity\": [\n      [1,", "\"popularity\": [\n      [0,"},
        {"\"popularity\": [\n      [1, 1,", "\"popularity\": [\n      [1, 9,"},
        {"\"size_class_bytes\": [0", "\"size_class_bytes\": [7"},
    };
    rd_profile *p = profile_of(*state, 0), *again = NULL;
    for (size_t i = 0; i < RDI_COUNT(wrong); i++) {
        char *text = NULL, *at;
        size_t n = 0;
        assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
        at = strstr(text, wrong[i][0]);
        assert_non_null(at);
        memcpy(at, wrong[i][1], strlen(wrong[i][1]));
        assert_int_equal(rd_profile_parse(*state, "file", text, n, &again), RD_EFORMAT);
        rd_text_free(*state, text);
    }
    rd_profile_free(p);
}

/* The live bytes after each request, by the definition, with and without expiry. */
static uint64_t live_after[REQUESTS], no_expiry_after[REQUESTS];

static void find_live_bytes(void) {
    memset(all, 0, sizeof all);
    memset(live_after, 0, sizeof live_after);
    memset(no_expiry_after, 0, sizeof no_expiry_after);
    for (size_t i = 0; i < REQUESTS; i++) {
        apply(i);
        for (size_t x = 0; x < OBJECTS; x++) {
            live_after[i] += is_present(&all[x], times[i]) ? all[x].bytes : 0;
            no_expiry_after[i] += all[x].known && !all[x].deleted ? all[x].bytes : 0;
        }
    }
}

/* Returns the largest of the elements from..to - 1. */
static uint64_t most_of(const uint64_t *list, size_t from, size_t to) {
    uint64_t most = 0;
    for (size_t i = from; i < to; i++)
        most = list[i] > most ? list[i] : most;
    return most;
}

/* Tests that each entry of the timeline has the most live bytes since the previous entry, and that the last
 * entry is at the last request, so that the peak is exact. At some of the lengths, entries are joined. */
static void live_bytes_follow_the_definition(void **state) {
    static const size_t lengths[] = {1,   2,    511,  512,  513,  514,
                                     515, 1023, 1024, 1025, 2999, REQUESTS};
    for (uint64_t seed = 0; seed < 4; seed++) {
        make_trace(seed);
        find_live_bytes();
        for (size_t k = 0; k < RDI_COUNT(lengths); k++) {
            rd_profile *p = profile_of_first(*state, seed, lengths[k]);
            const rd_objects_facts *f = rd_profile_objects(p);
            uint64_t before = 0;
            assert_true(f->n_live <= RD_LIVE_POINTS && f->n_live >= lengths[k] / 12);
            assert_true(lengths[k] < RD_LIVE_POINTS || f->n_live > RD_LIVE_POINTS / 2);
            for (size_t i = 0; i < f->n_live; before = f->live[i++].request) {
                const rd_live_bytes *l = &f->live[i];
                assert_true(l->request > before && l->request <= lengths[k]);
                assert_int_equal(l->time, times[l->request - 1]);
                assert_int_equal(l->bytes, most_of(live_after, before, l->request));
                assert_int_equal(l->no_expiry, most_of(no_expiry_after, before, l->request));
            }
            assert_int_equal(before, lengths[k]);
            rd_profile_free(p);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_last_requests),
        cmocka_unit_test(popularity_counts_the_requests_of_each_object),
        cmocka_unit_test(ids_that_are_only_removed_or_touched_are_not_objects),
        cmocka_unit_test(popularity_is_added_up),
        cmocka_unit_test(older_profiles_have_no_popularity),
        cmocka_unit_test(impossible_popularity_is_refused),
        cmocka_unit_test(live_bytes_follow_the_definition),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
