/* Tests rd_trace_seek(): reading from the middle of a trace gives the same references as reading
 * from its beginning. */
#include "base/common.h"
#include "reusedist/trace.h"
#include "support/files.h"
#include "support/fixture.h"
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define N 20000

static uint64_t addr[N], got[N];
static uint32_t size[N];
static uint8_t kind[N];
static char *path;

static int setup(void **state) {
    rdi_rng rng = {41};
    for (size_t i = 0; i < N; i++) {
        addr[i] = 4096 + 8 * rdi_rng_below(&rng, i % 7 ? 100 : 100000);
        size[i] = 1 + (uint32_t)rdi_rng_below(&rng, 16);
        kind[i] = (uint8_t)(1u << rdi_rng_below(&rng, 3));
    }
    path = files_path();
    return new_ctx(state);
}

static int teardown(void **state) {
    files_remove(path);
    return free_ctx(state);
}

static void write_trace(const char *spec) {
    rd_refs refs = {
        .n = N, .fields = RD_FIELD_SIZE | RD_FIELD_KIND, .addr = addr, .size = size, .kind = kind};
    traces_write_file(path, spec, &refs);
}

static size_t read_rest(rd_trace *t) {
    const rd_refs *refs = NULL;
    size_t n = 0;
    while (true) {
        assert_int_equal(rd_trace_read(t, &refs), RD_OK);
        if (refs->n == 0)
            return n;
        assert_true(n + refs->n <= N);
        memcpy(got + n, refs->addr, refs->n * sizeof *got);
        n += refs->n;
    }
}

static void assert_part(rd_trace *t, size_t first, size_t n) {
    assert_int_equal(rd_trace_seek(t, first, n), RD_OK);
    assert_int_equal(read_rest(t), n);
    if (n)
        assert_memory_equal(got, addr + first, n * sizeof *got);
}

static void run_format(const char *writer, const char *reader) {
    rd_trace *t = NULL;
    rdi_rng rng = {42};
    write_trace(writer);
    assert_int_equal(rd_trace_open(ctx, path, reader, &t), RD_OK);
    assert_int_equal(rd_trace_count(t), N);
    assert_part(t, 0, N);
    assert_part(t, N - 1, 1);
    assert_part(t, N, 0);
    for (unsigned i = 0; i < 100; i++) {
        size_t first = (size_t)rdi_rng_below(&rng, N);
        assert_part(t, first, (size_t)rdi_rng_below(&rng, N - first + 1));
    }
    assert_int_equal(rd_trace_seek(t, N, 1), RD_EINVAL);
    assert_int_equal(rd_trace_seek(t, UINT64_MAX, 2), RD_EINVAL);
    rd_trace_close(t);
}

static void any_part_of_a_file_can_be_read(void **state) {
    (void)state;
    run_format("u64", "u64");
    run_format("u32", "u32");
    run_format("u64", "binary:format=<Q,addr=1");
    run_format("native", NULL);
    run_format("native:frame=1", NULL);
    run_format("native:frame=777", NULL);
}

static void assert_no_count(const char *reader) {
    rd_trace *t = NULL;
    assert_int_equal(rd_trace_open(ctx, path, reader, &t), RD_OK);
    assert_int_equal(rd_trace_count(t), 0);
    assert_int_equal(rd_trace_seek(t, 0, 1), RD_EINVAL);
    assert_int_equal(rd_trace_seek(t, 0, 0), RD_EINVAL);
    rd_trace_close(t);
}

/* Tests traces whose number of references is unknown, so that they can be read only from the
 * beginning: a text trace, a binary trace with an incomplete record, a truncated native trace, a
 * trace in memory and a generated trace. */
static void other_traces_are_read_from_the_beginning(void **state) {
    (void)state;
    write_trace("din");
    assert_no_count("din");
    write_trace("u64");
    assert_int_equal(truncate(path, N * 8 - 3), 0);
    assert_no_count("u64");
    write_trace("native");
    assert_int_equal(truncate(path, 20000), 0);
    assert_no_count(NULL);
    rd_trace *t = NULL;
    assert_int_equal(rd_trace_open_memory(ctx, "m", addr, sizeof addr, "u64", &t), RD_OK);
    assert_int_equal(rd_trace_count(t), 0);
    rd_trace_close(t);
    assert_int_equal(rd_trace_generate(ctx, "cycle:blocks=5,refs=10", &t), RD_OK);
    assert_int_equal(rd_trace_count(t), 0);
    rd_trace_close(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_part_of_a_file_can_be_read, setup, teardown),
        cmocka_unit_test_setup_teardown(other_traces_are_read_from_the_beginning, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
