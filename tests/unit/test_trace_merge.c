/* Tests rd_trace_merge() against a stable sort by time, written from the definition: the time of a
 * reference is the largest time in its trace up to this reference, and references with equal times
 * keep the order of the traces. */
#include "base/common.h"
#include "reusedist/trace.h"
#include "support/context.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TRACES_MAX 5
#define LINES_MAX  40
#define SECOND     UINT64_C(1000000000)

typedef struct line {
    uint64_t time, latest, id, bytes;
    size_t trace, at;
} line;

typedef struct scene {
    size_t traces, n;
    line lines[TRACES_MAX * LINES_MAX];
    char text[TRACES_MAX][LINES_MAX * 64];
} scene;

static int by_time(const void *a, const void *b) {
    const line *x = a, *y = b;
    if (x->latest != y->latest)
        return x->latest < y->latest ? -1 : 1;
    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

static void make_scene(uint64_t seed, scene *s) {
    rdi_rng rng = {seed};
    *s = (scene){.traces = 1 + rdi_rng_below(&rng, TRACES_MAX)};
    for (size_t k = 0; k < s->traces; k++) {
        uint64_t now = rdi_rng_below(&rng, 5), latest = 0;
        size_t n = rdi_rng_below(&rng, LINES_MAX);
        char *to = s->text[k];
        to += sprintf(to, "time,id,size\n");
        for (size_t i = 0; i < n; i++) {
            line l = {.id = rdi_rng_below(&rng, 9), .bytes = 1 + rdi_rng_below(&rng, 9)};
            now += rdi_rng_below(&rng, 3);
            l.time = rdi_rng_below(&rng, 6) ? now : now / 2;
            latest = l.time > latest ? l.time : latest;
            l.latest = latest;
            l.trace = k;
            l.at = i;
            to += sprintf(to, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", l.time, l.id, l.bytes);
            s->lines[s->n++] = l;
        }
    }
    qsort(s->lines, s->n, sizeof *s->lines, by_time);
}

static void open_scene(rd_ctx *ctx, const scene *s, rd_trace **traces, rd_trace **merged) {
    static const char *const names[TRACES_MAX] = {"a", "b", "c", "d", "e"};
    for (size_t k = 0; k < s->traces; k++)
        assert_int_equal(
            rd_trace_open_memory(ctx, names[k], s->text[k], strlen(s->text[k]), "csv", &traces[k]),
            RD_OK);
    assert_int_equal(rd_trace_merge(ctx, traces, names, s->traces, merged), RD_OK);
}

static void close_scene(const scene *s, rd_trace **traces, rd_trace *merged) {
    rd_trace_close(merged);
    for (size_t k = 0; k < s->traces; k++)
        rd_trace_close(traces[k]);
}

static void check_facts(const scene *s, const rd_trace *merged) {
    for (size_t k = 0; k < s->traces; k++) {
        uint64_t references = 0, backwards = 0;
        for (size_t i = 0; i < s->n; i++) {
            references += s->lines[i].trace == k;
            backwards += s->lines[i].trace == k && s->lines[i].time < s->lines[i].latest;
        }
        assert_int_equal(rd_trace_merged(merged, k).references, references);
        assert_int_equal(rd_trace_merged(merged, k).backwards, backwards);
    }
    assert_int_equal(rd_trace_merged(merged, s->traces).references, 0);
}

/* Reads a merged trace with these columns and compares it with the sorted lines. */
static void check_scene(rd_ctx *ctx, uint64_t seed, uint32_t fields) {
    scene *s = malloc(sizeof *s);
    rd_trace *traces[TRACES_MAX], *merged = NULL;
    const rd_refs *refs;
    make_scene(seed, s);
    open_scene(ctx, s, traces, &merged);
    if (fields)
        assert_int_equal(rd_trace_select(merged, fields), RD_OK);
    size_t at = 0;
    do {
        assert_int_equal(rd_trace_read(merged, &refs), RD_OK);
        assert_true(at + refs->n <= s->n);
        for (size_t i = 0; i < refs->n; i++, at++) {
            const line *l = &s->lines[at];
            assert_int_equal(refs->addr[i], l->id);
            assert_int_equal(fields & RD_FIELD_BYTES ? refs->more[RD_MORE_BYTES][i] : refs->size[i],
                             l->bytes);
            if (fields & RD_FIELD_TIME)
                assert_int_equal(refs->more[RD_MORE_TIME][i], l->time * SECOND);
            else
                assert_null(refs->more[RD_MORE_TIME]);
        }
    } while (refs->n);
    assert_int_equal(at, s->n);
    check_facts(s, merged);
    close_scene(s, traces, merged);
    free(s);
}

static uint64_t scenes = 300; /* number of random scenes; an argument of the program sets it */

static void merges_like_a_stable_sort(void **state) {
    for (uint64_t seed = 0; seed < scenes; seed++)
        check_scene(*state, seed,
                    seed % 3 == 0   ? 0
                    : seed % 3 == 1 ? RD_REQUEST_FIELDS
                                    : RD_FIELD_BYTES);
}

/* Tests long traces, each of which has several batches that end at different times. */
static void merges_across_batches(void **state) {
    enum { N = 20000 };
    rd_ctx *ctx = *state;
    rd_trace *traces[2], *merged = NULL;
    static const char *const names[] = {"even", "odd"};
    char *text[2];
    for (uint64_t k = 0; k < 2; k++) {
        char *to = text[k] = malloc(N * 32 + 32);
        to += sprintf(to, "time,id\n");
        for (uint64_t i = 0; i < N; i++)
            to += sprintf(to, "%" PRIu64 ",%" PRIu64 "\n", 2 * i + k, 2 * i + k);
        assert_int_equal(
            rd_trace_open_memory(ctx, names[k], text[k], strlen(text[k]), "csv", &traces[k]),
            RD_OK);
    }
    assert_int_equal(rd_trace_merge(ctx, traces, names, 2, &merged), RD_OK);
    uint64_t at = 0;
    const rd_refs *refs;
    do {
        assert_int_equal(rd_trace_read(merged, &refs), RD_OK);
        for (size_t i = 0; i < refs->n; i++)
            assert_int_equal(refs->addr[i], at++);
    } while (refs->n);
    assert_int_equal(at, 2 * N);
    free(text[0]);
    free(text[1]);
    rd_trace_close(merged);
    rd_trace_close(traces[0]);
    rd_trace_close(traces[1]);
}

/* Opens two CSV traces, and merges and reads them to the end or to the first failure. Returns the
 * status, and sets *n to the number of references. */
static rd_status read_two(rd_ctx *ctx, const char *first, const char *second, uint64_t *n) {
    static const char *const names[] = {"first", "second"};
    rd_trace *traces[2], *merged = NULL;
    const rd_refs *refs;
    assert_int_equal(rd_trace_open_memory(ctx, "first", first, strlen(first), "csv", &traces[0]),
                     RD_OK);
    assert_int_equal(rd_trace_open_memory(ctx, "second", second, strlen(second), "csv", &traces[1]),
                     RD_OK);
    rd_status status = rd_trace_merge(ctx, traces, names, 2, &merged);
    *n = 0;
    while (status == RD_OK && (status = rd_trace_read(merged, &refs)) == RD_OK && refs->n)
        *n += refs->n;
    rd_trace_close(merged);
    rd_trace_close(traces[0]);
    rd_trace_close(traces[1]);
    return status;
}

static void refuses_traces_by_name(void **state) {
    rd_ctx *ctx = *state;
    uint64_t n;
    assert_int_equal(read_two(ctx, "time,id\n1,1\n", "id,key\n1,2\n", &n), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "second: this trace has no times"));
    assert_int_equal(read_two(ctx, "time,id\n1,1\n", "time,id,size\n1,1,2\n", &n), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "second: this trace has the column 'size'"));
    assert_int_equal(read_two(ctx, "time,id\n1,1\n", "time,addr\n1,64\n", &n), RD_EINVAL);
    assert_non_null(strstr(rd_last_error(ctx), "second: this trace has addresses"));
    assert_int_equal(rd_trace_merge(ctx, NULL, NULL, 0, NULL), RD_EINVAL);
}

static void delivers_everything_before_damage(void **state) {
    uint64_t n;
    assert_int_equal(
        read_two(*state, "time,id\n1,1\n5,2\n9,3\n", "time,id\n2,4\n3,5\nnoon,6\n", &n),
        RD_EFORMAT);
    assert_int_equal(n, 3); /* the references at times 1, 2 and 3, before the damage */
}

int main(int argc, char **argv) {
    if (argc > 1)
        scenes = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merges_like_a_stable_sort, context_new, context_free),
        cmocka_unit_test_setup_teardown(merges_across_batches, context_new, context_free),
        cmocka_unit_test_setup_teardown(refuses_traces_by_name, context_new, context_free),
        cmocka_unit_test_setup_teardown(delivers_everything_before_damage, context_new,
                                        context_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
