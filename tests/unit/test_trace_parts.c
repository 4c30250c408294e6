/* Tests rdi_trace_parts, the readers of parts: the blocks of each part, and the progress of all
 * readers together. */
#include "analysis/trace_parts.h"
#include "base/common.h"
#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define N       300000
#define READERS 3

static rd_ctx *ctx;
static char *path, *what;
static rdi_parts_watch watch;
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
    what = rdi_trace_parts_describe(ctx, path, "u64",
                                    &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64});
    rdi_parts_watch_init(&watch);
    told = tellings = 0;
    return what ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    rdi_parts_watch_fini(&watch);
    files_remove(path);
    rdi_free(ctx, what);
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

static rd_status note(void *user, uint64_t references, uint64_t block_references) {
    assert_ptr_equal(user, &told);
    assert_true(references >= told);
    assert_int_equal(block_references, references);
    told = references;
    tellings++;
    return RD_OK;
}

static rd_status stop_half_way(void *user, uint64_t references, uint64_t block_references) {
    (void)user;
    (void)block_references;
    return references < N / 2 ? RD_OK : RD_ECANCELED;
}

/* Reads all parts. Stops at the first failure. */
static rd_status read_all_parts(rdi_parts_watch *w, uint64_t *next) {
    rd_status status = RD_OK;
    *next = 0;
    for (uint64_t i = 0; i < READERS && status == RD_OK; i++) {
        void *reader = NULL;
        assert_int_equal(rdi_trace_parts.open(ctx, what, w, &reader), RD_OK);
        status = rdi_trace_parts.read(reader, i * (N / READERS), N / READERS, expect_blocks, next);
        rdi_trace_parts.close(reader);
    }
    return status;
}

static void assert_all_read(rdi_parts_watch *w) {
    uint64_t next;
    assert_int_equal(read_all_parts(w, &next), RD_OK);
    assert_int_equal(next, N);
}

static void all_references_are_told(void **state) {
    (void)state;
    rdi_parts_watch_start(&watch, note, &told, 1);
    assert_all_read(&watch);
    assert_int_equal(told, N);
    assert_true(tellings > READERS); /* progress is also reported during the run */
}

static void nothing_is_told_to_who_has_gone(void **state) {
    (void)state;
    rdi_parts_watch_start(&watch, note, &told, 1);
    rdi_parts_watch_end(&watch);
    assert_all_read(&watch);
    assert_int_equal(tellings, 0);
}

static void other_processes_have_no_watch(void **state) {
    (void)state;
    assert_all_read(NULL);
}

static void other_processes_are_taken_to_be_as_far(void **state) {
    (void)state;
    rdi_parts_watch_start(&watch, note, &told, 4);
    assert_all_read(&watch);
    assert_int_equal(told, 4 * N);
}

static void a_watcher_can_end_the_reading(void **state) {
    (void)state;
    uint64_t next;
    rdi_parts_watch_start(&watch, stop_half_way, NULL, 1);
    assert_int_equal(read_all_parts(&watch, &next), RD_ECANCELED);
    assert_true(next >= N / 2 && next < N);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(all_references_are_told),       TEST(nothing_is_told_to_who_has_gone),
        TEST(other_processes_have_no_watch), TEST(other_processes_are_taken_to_be_as_far),
        TEST(a_watcher_can_end_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
