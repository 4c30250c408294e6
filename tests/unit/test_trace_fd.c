/* Tests rd_trace_open_fd() and rd_profile_read_fd(), which read from an open descriptor whose
 * beginning the caller has already read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/common.h"
#include "reusedist/profile.h"
#include "reusedist/trace.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/profiles.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WORDS 5000

static const size_t heads[] = {0, 1, 7, 63, 64, 65, 4096, 8 * WORDS};

/* Opens the file and reads its first n bytes. */
static int open_behind(const char *path, uint8_t *head, size_t n) {
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, head, n), n);
    return fd;
}

static void a_trace_is_whole_however_much_was_read_ahead(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    static uint8_t data[8 * WORDS], head[8 * WORDS];
    for (uint64_t i = 0; i < WORDS; i++)
        rdi_store_le64(data + 8 * i, i * 3);
    char *path = files_path();
    files_write(path, data, sizeof data);
    for (size_t i = 0; i < RDI_COUNT(heads); i++) {
        int fd = open_behind(path, head, heads[i]);
        rd_trace *t = NULL;
        const rd_refs *refs = NULL;
        assert_int_equal(rd_trace_open_fd(ctx, fd, "t", head, heads[i], NULL, &t), RD_OK);
        uint64_t next = 0, done = 0, total = 0;
        while (rd_trace_read(t, &refs) == RD_OK && refs->n > 0)
            for (size_t k = 0; k < refs->n; k++)
                assert_true(refs->addr[k] == 3 * next++);
        assert_int_equal(next, WORDS);
        rd_trace_progress(t, &done, &total);
        assert_int_equal(done, sizeof data);
        assert_int_equal(total, sizeof data);
        rd_trace_close(t);
        assert_int_equal(close(fd), 0); /* the descriptor still belongs to the caller */
    }
    files_remove(path);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static void a_profile_is_whole_however_much_was_read_ahead(void **state) {
    (void)state;
    rd_ctx *ctx = NULL;
    assert_int_equal(rd_ctx_new(NULL, &ctx), RD_OK);
    profiles_point points[300];
    rdi_rng rng = {1};
    profiles_random(&rng, 100000, 100, points, RDI_COUNT(points));
    rd_profile *p =
        profiles_make(ctx, NULL, (rd_binning){RD_BINS_FULL, 0}, points, RDI_COUNT(points));
    char *text = profiles_json(ctx, p), *path = files_path();
    size_t n = strlen(text);
    files_write(path, text, n);
    static uint8_t head[65536];
    const size_t lengths[] = {0, 1, 100, n};
    for (size_t i = 0; i < RDI_COUNT(lengths); i++) {
        int fd = open_behind(path, head, lengths[i]);
        rd_profile *again = NULL;
        assert_int_equal(rd_profile_read_fd(ctx, fd, "p", head, lengths[i], &again), RD_OK);
        profiles_assert_equal(p, again);
        rd_profile_free(again);
        assert_int_equal(close(fd), 0);
    }
    files_remove(path);
    rd_text_free(ctx, text);
    rd_profile_free(p);
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
}

static rd_status open_and_close(rd_ctx *ctx, void *user) {
    rd_trace *t = NULL;
    int fd = open(user, O_RDONLY);
    rd_status status = rd_trace_open_fd(ctx, fd, "t", "12345678", 8, "u64", &t);
    rd_trace_close(t);
    close(fd);
    return status;
}

static void every_refused_allocation_is_survived(void **state) {
    (void)state;
    char *path = files_path();
    files_write(path, "abcdefgh", 8);
    assert_true(faults_inject("open_fd", open_and_close, path, RD_OK) > 3);
    files_remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_whole_however_much_was_read_ahead),
        cmocka_unit_test(a_profile_is_whole_however_much_was_read_ahead),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
