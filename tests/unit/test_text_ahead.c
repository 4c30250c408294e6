/* Tests rd_trace_read_ahead(): several threads that read the lines of a trace ahead deliver the
 * same as one reader, that is, the same references in the same order, and the same failure after
 * them. */
#include "base/common.h"
#include "reusedist/trace.h"
#include "support/fixture.h"
#include "trace/id_table.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM ((size_t)8 << 20)

static char *text;
static size_t used;

static int setup(void **state) {
    text = malloc(ROOM);
    used = 0;
    return new_ctx(state);
}

static int teardown(void **state) {
    free(text);
    return free_ctx(state);
}

static RDI_PRINTF(1, 2) void put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(text + used, ROOM - used, format, args);
    va_end(args);
    assert_true(used < ROOM);
}

/* A hash of all references, their number, and the status and message at the end. */
typedef struct outcome {
    uint64_t hash, n;
    rd_status status;
    char message[1024];
} outcome;

static void add(outcome *o, uint64_t value) {
    o->hash = rdi_mix64(o->hash ^ value);
}

static void add_batch(outcome *o, const rd_refs *refs) {
    for (size_t i = 0; i < refs->n; i++) {
        add(o, refs->addr[i]);
        add(o, refs->size ? refs->size[i] : 1);
        add(o, refs->kind ? refs->kind[i] : RD_LOAD);
        for (unsigned j = 0; j <= RD_MORE_BYTES; j++)
            add(o, refs->more[j] ? refs->more[j][i] : 0);
    }
    o->n += refs->n;
}

static outcome read_all(const char *spec, unsigned threads) {
    outcome o = {0};
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_open_memory(ctx, "text", text, used, spec, &t), RD_OK);
    assert_int_equal(rd_trace_select(t, RD_REQUEST_FIELDS), RD_OK);
    rd_trace_read_ahead(t, threads);
    while ((o.status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0)
        add_batch(&o, refs);
    if (o.status != RD_OK)
        snprintf(o.message, sizeof o.message, "%s", rd_last_error(ctx));
    rd_trace_close(t);
    return o;
}

/* Compares three reading threads with one reader, which must end with a message that contains
 * `message`, or without a failure if `message` is NULL. */
static void check(const char *spec, const char *message) {
    outcome alone = read_all(spec, 1);
    assert_int_equal(alone.status == RD_OK, message == NULL);
    if (message && !strstr(alone.message, message))
        fail_msg("'%s' does not contain '%s'", alone.message, message);
    outcome ahead = read_all(spec, 3);
    assert_int_equal(ahead.n, alone.n);
    assert_int_equal(ahead.hash, alone.hash);
    assert_int_equal(ahead.status, alone.status);
    assert_string_equal(ahead.message, alone.message);
}

static void put_names(size_t n) {
    rdi_rng rng = {n};
    for (size_t i = 0; i < n; i++)
        put(i % 3 ? "name-%" PRIu64 "\n" : "%" PRIu64 "\n", rdi_rng_below(&rng, 30000));
}

static void names(void **state) {
    (void)state;
    put_names(150000);
    used--; /* the last line lacks its end */
    check("text", NULL);
}

static void colliding_id(void **state) {
    (void)state;
    put_names(90000);
    put("first\n");
    put_names(60000);
    put("%" PRIu64 "\n", rdi_id_hash(0, "first", 5));
    put_names(30000);
    check("text", "line 150002: ids 'first' and");
}

static void name_after_many_numbers(void **state) {
    (void)state;
    for (unsigned i = 0; i < 140000; i++)
        put("%u\n", i * 7919u);
    put("late\n");
    for (unsigned i = 0; i < 100000; i++)
        put("%u\n", i);
    check("text", "line 140001: 'late' is not a number");
}

static void name_among_the_first_numbers(void **state) {
    (void)state;
    for (unsigned i = 0; i < 200000; i++)
        put(i == 60000 ? "early\n" : "%u\n", i);
    check("text", NULL);
}

static void arrays_of_any_length(void **state) {
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        put("{\"t\": %u, \"hash_ids\": [", i);
        unsigned n = i == 9000 ? 400000 : i % 20;
        for (unsigned j = 0; j < n; j++)
            put(j ? ",%u" : "%u", (i + j) % 1000);
        put(i == 19000 ? "], oops}\n" : "]}\n");
    }
    check("jsonl", "line 19001: expected");
}

static void requests_that_are_made_many_times(void **state) {
    (void)state;
    put("key,size,op,n\n");
    for (unsigned i = 0; i < 90000; i++)
        put("k%u,%u,%s,%u\n", i % 5000, i % 777, i % 9 ? "GET" : "SET", i % 30000 ? i % 4 : 300000);
    check("csv:count=n", NULL);
}

static void damaged_lines(void **state) {
    (void)state;
    for (unsigned i = 0; i < 150000; i++)
        put(i == 149000 ? "9 %x\n" : "0 %x\n", i * 64);
    check("din", "line 149001: expected");
}

static void line_that_is_too_long(void **state) {
    (void)state;
    for (unsigned i = 0; i < 100000; i++)
        put("%u\n", i);
    memset(text + used, '7', (size_t)3 << 20);
    used += (size_t)3 << 20;
    put("\n5\n");
    check("text", "line 100001: the line is longer");
}

static void trace_that_is_closed_early(void **state) {
    (void)state;
    put_names(150000);
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    assert_int_equal(rd_trace_open_memory(ctx, "text", text, used, "text", &t), RD_OK);
    rd_trace_read_ahead(t, 3);
    assert_int_equal(rd_trace_read(t, &refs), RD_OK);
    rd_trace_close(t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(names),
        TEST(colliding_id),
        TEST(name_after_many_numbers),
        TEST(name_among_the_first_numbers),
        TEST(arrays_of_any_length),
        TEST(requests_that_are_made_many_times),
        TEST(damaged_lines),
        TEST(line_that_is_too_long),
        TEST(trace_that_is_closed_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
