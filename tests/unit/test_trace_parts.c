/* Readers of parts: the blocks of each part, and how far all of them together are. */
#include "base/common.h"
#include "support/files.h"
#include "trace_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define N       300000
#define READERS 3

static rd_ctx *ctx;
static char *path, *what;
static uint64_t told, tellings;

static int setup(void **state) {
    (void)state;
    path = files_path();
    uint64_t *refs = malloc(N * sizeof *refs);
    if (!refs || rd_ctx_new(NULL, &ctx) != RD_OK)
        return -1;
    for (size_t i = 0; i < N; i++)
        refs[i] = i * 64;
    files_write(path, refs, N * sizeof *refs);
    free(refs);
    what = trace_parts_describe(path, "u64", &(rd_mapping){.block_bytes = 64});
    told = tellings = 0;
    return what ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    trace_parts_watch(NULL, NULL);
    trace_parts_set_processes(1);
    files_remove(path);
    free(what);
    size_t live = rd_ctx_live_bytes(ctx);
    rd_ctx_free(ctx);
    return live == 0 ? 0 : -1;
}

static rd_status expect_blocks(void *user, const uint64_t *blocks, size_t n) {
    uint64_t *next = user;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(blocks[i], (*next)++);
    return RD_OK;
}

static void note(void *user, uint64_t references) {
    assert_ptr_equal(user, &told);
    assert_true(references >= told);
    told = references;
    tellings++;
}

static void read_all_parts(void) {
    uint64_t next = 0;
    for (uint64_t i = 0; i < READERS; i++) {
        void *reader = NULL;
        assert_int_equal(trace_parts.open(ctx, what, &reader), RD_OK);
        assert_int_equal(
            trace_parts.read(reader, i * (N / READERS), N / READERS, expect_blocks, &next), RD_OK);
        trace_parts.close(reader);
    }
    assert_int_equal(next, N);
}

static void all_references_are_told(void **state) {
    (void)state;
    trace_parts_watch(note, &told);
    read_all_parts();
    assert_int_equal(told, N);
    assert_true(tellings > READERS); /* also on the way */
}

static void nothing_is_told_to_who_has_gone(void **state) {
    (void)state;
    trace_parts_watch(note, &told);
    trace_parts_watch(NULL, NULL);
    read_all_parts();
    assert_int_equal(tellings, 0);
    trace_parts_watch(note, &told); /* and counting begins anew */
    read_all_parts();
    assert_int_equal(told, N);
}

static void other_processes_are_taken_to_be_as_far(void **state) {
    (void)state;
    trace_parts_set_processes(4);
    trace_parts_watch(note, &told);
    read_all_parts();
    assert_int_equal(told, 4 * N);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(all_references_are_told),
        TEST(nothing_is_told_to_who_has_gone),
        TEST(other_processes_are_taken_to_be_as_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
