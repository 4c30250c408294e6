/* Tests rdi_output: all data arrives, every failure is reported, files are replaced safely, and links are followed. */
#include "base/output.h"
#include "reusedist/experimental.h"
#include "support/files.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static rd_ctx *ctx;

static int setup(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return rd_ctx_new(NULL, &ctx) == RD_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    assert_int_equal(rd_ctx_live_bytes(ctx), 0);
    rd_ctx_free(ctx);
    return 0;
}

/* Tests that writes of 0 to 700,000 bytes arrive complete. The buffer has 262,144 bytes. */
static void all_bytes_reach_the_file(void **state) {
    (void)state;
    static const size_t pieces[] = {0, 1, 1000, 262143, 1, 262144, 3, 700000, 17};
    char *path = files_path();
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
    static uint8_t pattern[700000];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 7 + i / 256);
    size_t total = 0;
    for (size_t i = 0; i < RDI_COUNT(pieces); i++) {
        assert_int_equal(rdi_output_write(out, pattern, pieces[i]), RD_OK);
        total += pieces[i];
    }
    assert_int_equal(rdi_output_finish(out), RD_OK);
    rdi_output_close(out);
    size_t n = 0, at = 0;
    uint8_t *data = files_read(path, &n);
    assert_int_equal(n, total);
    for (size_t i = 0; i < RDI_COUNT(pieces); at += pieces[i++])
        assert_memory_equal(data + at, pattern, pieces[i]);
    free(data);
    files_remove(path);
}

static void full_disk_is_reported_with_the_name(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, "/dev/full", &out), RD_OK);
    assert_int_equal(rdi_output_write(out, "x", 1), RD_OK);
    assert_int_equal(rdi_output_finish(out), RD_EIO);
    assert_non_null(strstr(rd_last_error(ctx), "/dev/full: cannot write: No space left"));
    assert_int_equal(rdi_output_write(out, "x", 1), RD_EIO);
    assert_non_null(strstr(rd_last_error(ctx), "No space left"));
    assert_int_equal(rdi_output_finish(out), RD_EIO);
    rdi_output_close(out);
    assert_int_equal(access("/dev/full", W_OK), 0);
}

/* Tests that rdi_output_finish() fails if standard output is a pipe whose reader is gone. */
static void closed_pipe_is_reported(void **state) {
    (void)state;
    int ends[2], saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    rdi_output *out = NULL;
    rd_status opened = rdi_output_open(ctx, "-", &out);
    rd_status written = opened == RD_OK ? rdi_output_write(out, "x", 1) : opened;
    rd_status finished = opened == RD_OK ? rdi_output_finish(out) : opened;
    rdi_output_close(out);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(written, RD_OK);
    assert_int_equal(finished, RD_EIO);
    assert_non_null(strstr(rd_last_error(ctx), "(standard output): cannot write: Broken pipe"));
}

static void unfinished_file_does_not_appear(void **state) {
    (void)state;
    char *path = files_path();
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
    assert_int_equal(rdi_output_write(out, "half", 4), RD_OK);
    rdi_output_close(out);
    assert_false(files_exist(path));
    files_remove(path); /* no file remains in the directory */
}

static void assert_content(const char *path, const char *text) {
    size_t n = 0;
    uint8_t *data = files_read(path, &n);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(data, text, n);
    free(data);
}

static void old_file_stays_until_the_new_one_is_finished(void **state) {
    (void)state;
    char *path = files_path();
    files_write(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    for (int finish = 0; finish < 2; finish++) {
        rdi_output *out = NULL;
        assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
        assert_int_equal(rdi_output_write(out, "newer", 5), RD_OK);
        assert_content(path, "old");
        if (finish)
            assert_int_equal(rdi_output_finish(out), RD_OK);
        rdi_output_close(out);
        assert_content(path, finish ? "newer" : "old");
    }
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    files_remove(path);
}

static void replace(const char *path, const char *text) {
    assert_int_equal(rd_text_write(ctx, path, text, strlen(text)), RD_OK);
    assert_content(path, text);
}

static mode_t mode_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

/* Tests that the new file has no set-user-ID, set-group-ID or sticky bit, even if the old file had them. Otherwise the
 * new file could be a program that runs as the user who replaced the file. */
static void set_user_id_is_never_kept(void **state) {
    (void)state;
    char *path = files_path();
    files_write(path, "old", 3);
    assert_int_equal(chmod(path, 07755), 0);
    replace(path, "new");
    assert_int_equal(mode_of(path), 0755);
    files_remove(path);
}

/* Tests that a file that replaces one of another owner gets at most the permissions of a new file, and that a file that
 * replaces one of another group keeps its group and permissions. Only root can make such files. */
static void permissions_of_another_owner_are_not_kept(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    char *path = files_path();
    mode_t mask = umask(022);
    files_write(path, "old", 3);
    assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
    assert_int_equal(chmod(path, 0777), 0);
    replace(path, "new");
    assert_int_equal(mode_of(path), 0644);
    assert_int_equal(chown(path, (uid_t)-1, 65534), 0);
    assert_int_equal(chmod(path, 0660), 0);
    replace(path, "newer");
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0660); /* same permissions as before for the same group */
    assert_int_equal(st.st_gid, 65534);
    umask(mask);
    files_remove(path);
}

/* Replaces a file of user 65534 with this group and these permissions, and returns the permissions of
 * the new file. */
static mode_t mode_after(const char *path, gid_t group, mode_t mode) {
    assert_int_equal(chown(path, 65534, group), 0);
    assert_int_equal(chmod(path, mode), 0);
    replace(path, "new");
    return mode_of(path);
}

/* Tests that only the new owner gets rights that the permissions of the old file denied. */
static void nobody_gets_rights_to_the_file_of_another_owner(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    char *path = files_path();
    mode_t mask = umask(022);
    gid_t group = getegid();
    files_write(path, "old", 3);
    assert_int_equal(mode_after(path, group, 0600), 0600);
    assert_int_equal(mode_after(path, group, 0640), 0640);
    assert_int_equal(mode_after(path, 65534, 0640), 0600); /* another group */
    assert_int_equal(mode_after(path, 65534, 0604), 0600);
    assert_int_equal(mode_after(path, 65534, 0444), 0644);
    assert_int_equal(mode_after(path, group, 0044), 0600); /* the old owner had no rights */
    umask(mask);
    files_remove(path);
}

/* Tests that names of up to 255 bytes can be written, although the file may have a temporary name until
 * it is finished, and that a name of 256 bytes is refused. */
static void long_names_are_written(void **state) {
    (void)state;
    for (size_t bytes = 250; bytes <= 255; bytes++) {
        char *path = files_path();
        char *slash = strrchr(path, '/');
        path = realloc(path, (size_t)(slash - path) + 1 + bytes + 1);
        assert_non_null(path);
        slash = strrchr(path, '/');
        memset(slash + 1, 'n', bytes);
        slash[1 + bytes] = '\0';
        replace(path, "old");
        replace(path, "new");
        files_remove(path);
    }
    char path[300] = "/tmp/";
    memset(path + 5, 'n', 256);
    assert_int_equal(rd_output_check(ctx, path), RD_EIO);
    assert_non_null(strstr(rd_last_error(ctx), "File name too long"));
}

/* Tests that the target of a dangling link appears only when the file is finished. */
static void file_behind_a_link_appears_when_it_is_finished(void **state) {
    (void)state;
    char *path = files_path(), *target = files_path();
    assert_int_equal(symlink(target, path), 0);
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
    assert_int_equal(rdi_output_write(out, "new", 3), RD_OK);
    assert_false(files_exist(target));
    assert_int_equal(rdi_output_finish(out), RD_OK);
    rdi_output_close(out);
    assert_content(target, "new");
    files_remove(path);
    files_remove(target);
}

static void same_files_are_recognized(void **state) {
    (void)state;
    char *a = files_path(), *b = files_path(), *c = files_path();
    assert_int_equal(symlink(a, b), 0);
    assert_true(rd_output_is_same(a, b)); /* a file that does not exist yet */
    assert_false(rd_output_is_same(a, c));
    files_write(a, "x", 1);
    assert_int_equal(link(a, c), 0);
    assert_true(rd_output_is_same(a, b));
    assert_true(rd_output_is_input(a, c));
    assert_true(rd_output_is_input(b, c));
    assert_false(rd_output_is_input("/dev/null", "/dev/null"));
    assert_false(rd_output_is_same("/dev/null", "/dev/null"));
    files_remove(b);
    files_remove(c);
    files_remove(a);
}

/* Tests that /dev/fd/N is the open descriptor, so that earlier output stays. */
static void descriptors_are_not_opened_again(void **state) {
    (void)state;
    char *path = files_path(), name[32];
    files_write(path, "old ", 4);
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_int_equal(rd_text_write(ctx, name, "new", 3), RD_OK);
    close(fd);
    assert_content(path, "old new");
    files_remove(path);
    assert_int_equal(rd_output_check(ctx, "/dev/fd/999999"), RD_EIO);
}

static void links_are_followed_and_stay(void **state) {
    (void)state;
    char *path = files_path(), *target = files_path();
    files_write(target, "old", 3);
    assert_int_equal(symlink(target, path), 0);
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
    assert_int_equal(rdi_output_write(out, "new", 3), RD_OK);
    assert_int_equal(rdi_output_finish(out), RD_OK);
    rdi_output_close(out);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_content(target, "new");
    files_remove(path);
    files_remove(target);
}

/* Opens `path`, writes "new" and calls rdi_output_keep(). Returns the output, which is still open. */
static rdi_output *keep_new(const char *path) {
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, path, &out), RD_OK);
    assert_int_equal(rdi_output_write(out, "new", 3), RD_OK);
    assert_int_equal(rdi_output_keep(out), RD_OK);
    return out;
}

static void kept_file_has_its_own_name_if_that_is_free(void **state) {
    (void)state;
    char *path = files_path();
    rdi_output *out = keep_new(path);
    assert_null(rdi_output_kept(out));
    rdi_output_close(out);
    assert_content(path, "new");
    files_remove(path);
}

/* Tests that a kept file replaces the old file only when the output is finished, and stays beside the old file if the
 * output is closed before. */
static void kept_file_waits_beside_the_old_one(void **state) {
    (void)state;
    char *path = files_path(), expected[2][256];
    snprintf(expected[0], sizeof expected[0], "%s.partial", path);
    snprintf(expected[1], sizeof expected[1], "%s.partial-2", path);
    files_write(path, "old", 3);
    rdi_output *dropped = keep_new(path), *finished = keep_new(path);
    assert_string_equal(rdi_output_kept(dropped), expected[0]);
    assert_string_equal(rdi_output_kept(finished), expected[1]);
    assert_content(path, "old");
    rdi_output_close(dropped);
    assert_content(path, "old");
    assert_content(expected[0], "new");
    assert_int_equal(rdi_output_write(finished, "est", 3), RD_OK);
    assert_int_equal(rdi_output_finish(finished), RD_OK);
    assert_null(rdi_output_kept(finished));
    rdi_output_close(finished);
    assert_content(path, "newest");
    assert_false(files_exist(expected[1]));
    assert_int_equal(unlink(expected[0]), 0);
    files_remove(path);
}

static void bad_path_is_reported(void **state) {
    (void)state;
    rdi_output *out = NULL;
    assert_int_equal(rdi_output_open(ctx, "/nonexistent/x", &out), RD_EIO);
    assert_non_null(strstr(rd_last_error(ctx), "/nonexistent/x"));
    assert_int_equal(rdi_output_open(ctx, "/", &out), RD_EIO);
    assert_null(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_bytes_reach_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(full_disk_is_reported_with_the_name, setup, teardown),
        cmocka_unit_test_setup_teardown(closed_pipe_is_reported, setup, teardown),
        cmocka_unit_test_setup_teardown(unfinished_file_does_not_appear, setup, teardown),
        cmocka_unit_test_setup_teardown(old_file_stays_until_the_new_one_is_finished, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(set_user_id_is_never_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(permissions_of_another_owner_are_not_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_gets_rights_to_the_file_of_another_owner, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(long_names_are_written, setup, teardown),
        cmocka_unit_test_setup_teardown(file_behind_a_link_appears_when_it_is_finished, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(same_files_are_recognized, setup, teardown),
        cmocka_unit_test_setup_teardown(descriptors_are_not_opened_again, setup, teardown),
        cmocka_unit_test_setup_teardown(links_are_followed_and_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(kept_file_has_its_own_name_if_that_is_free, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(kept_file_waits_beside_the_old_one, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_path_is_reported, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
