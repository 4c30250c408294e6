/* Finds the place of an output. See output_place.h.
 *
 * Names of open descriptors, such as /dev/stdout, are recognized by their text and not opened. The
 * kernel would open the file behind the descriptor again, with a position of its own, and a regular
 * file would be replaced: a command with `>> log` would delete the earlier contents of the log.
 */
#define _GNU_SOURCE /* O_PATH */
#include "base/output_place.h"

#include "reusedist/experimental.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* maximum number of links to follow, the same as in the kernel */

rd_status rdi_output_fail_open(rd_ctx *ctx, const char *path) {
    return rdi_fail(ctx, RD_EIO, "%s: cannot open for writing: %s", path, strerror(errno));
}

/* ---- the file or descriptor that a path names ---- */

/* Returns the descriptor that `path` names, or -1 if it names none. `standard` is the descriptor
 * for "-". */
static int descriptor_of(const char *path, int standard) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0)
        return standard;
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < RDI_COUNT(folders); i++) {
        size_t n = strlen(folders[i]);
        const char *digits = path + n;
        if (strncmp(path, folders[i], n) == 0 && *digits && strlen(digits) <= 6 &&
            digits[strspn(digits, "0123456789")] == '\0')
            return atoi(digits);
    }
    return -1;
}

/* Replaces the last component of the path, which must be a symbolic link, with the target of the
 * link. Returns false and sets errno if this fails. */
static bool follow_link(char path[PATH_MAX]) {
    char link[PATH_MAX];
    ssize_t n = readlink(path, link, sizeof link - 1);
    if (n < 0)
        return false;
    link[n] = '\0';
    char *slash = strrchr(path, '/');
    size_t folder = *link != '/' && slash ? (size_t)(slash - path) + 1 : 0;
    if (folder + (size_t)n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path + folder, link, (size_t)n + 1);
    return true;
}

/* Follows the symbolic links at the end of the path, even if the last one names no file. Returns
 * false and sets errno if this fails. The caller has called stat() before, so that the kernel
 * refuses links that somebody else put into a shared folder. */
static bool follow_links(char path[PATH_MAX]) {
    struct stat st;
    for (int i = 0; i < LINKS_MAX; i++) {
        if (lstat(path, &st) != 0)
            return errno == ENOENT;
        if (!S_ISLNK(st.st_mode))
            return true;
        if (!follow_link(path))
            return false;
    }
    errno = ELOOP;
    return false;
}

int rdi_output_folder(const rdi_output_place *place) {
    char folder[PATH_MAX];
    size_t n = (size_t)(place->base - place->resolved);
    memcpy(folder, place->resolved, n);
    folder[n] = '\0';
    return open(n ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Returns whether a new file can be created at `place`. If not, errno has the reason. */
static bool takes_new_file(const rdi_output_place *place) {
    int folder = rdi_output_folder(place);
    if (folder < 0)
        return false;
    bool good = faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
    int error = errno;
    close(folder);
    errno = !good ? error : EISDIR;
    return good && *place->base;
}

static bool locate_file(rdi_output_place *place) {
    struct stat st;
    bool exists = stat(place->resolved, &st) == 0;
    if (!exists && errno != ENOENT)
        return false;
    if (exists && !S_ISREG(st.st_mode)) {
        place->kind = RDI_PLACE_SPECIAL;
        errno = EISDIR;
        return !S_ISDIR(st.st_mode) && faccessat(AT_FDCWD, place->resolved, W_OK, AT_EACCESS) == 0;
    }
    if (!follow_links(place->resolved))
        return false;
    const char *slash = strrchr(place->resolved, '/');
    place->base = slash ? slash + 1 : place->resolved;
    place->kind = exists ? RDI_PLACE_EXISTING : RDI_PLACE_NEW;
    return exists ? faccessat(AT_FDCWD, place->resolved, W_OK, AT_EACCESS) == 0
                  : takes_new_file(place);
}

rd_status rdi_output_locate(rd_ctx *ctx, const char *path, rdi_output_place *out) {
    *out = (rdi_output_place){.kind = RDI_PLACE_STREAM, .fd = descriptor_of(path, STDOUT_FILENO)};
    if (!*path)
        return rdi_fail(ctx, RD_EINVAL, "the file name is empty");
    if (out->fd >= 0)
        return fcntl(out->fd, F_GETFD) < 0 ? rdi_output_fail_open(ctx, path) : RD_OK;
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof out->resolved)
        return rdi_output_fail_open(ctx, path);
    memcpy(out->resolved, path, strlen(path) + 1);
    return locate_file(out) ? RD_OK : rdi_output_fail_open(ctx, path);
}

rd_status rd_output_check(rd_ctx *ctx, const char *path) {
    RDI_NEED(ctx, ctx, path);
    rdi_output_place place;
    return rdi_output_locate(ctx, path, &place);
}

/* ---- comparing files ---- */

static bool stat_place(const char *path, int standard, struct stat *st) {
    int fd = descriptor_of(path, standard);
    return (fd >= 0 ? fstat(fd, st) : stat(path, st)) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool rd_output_is_input(const char *output, const char *input) {
    struct stat out, in;
    return output && input && stat_place(output, STDOUT_FILENO, &out) &&
           stat_place(input, STDIN_FILENO, &in) && is_same(&out, &in);
}

/* Returns whether both paths name the same file, and this file does not exist yet. */
static bool is_same_new(const char *a, const char *b) {
    rdi_output_place place[2] = {{.kind = RDI_PLACE_NEW}, {.kind = RDI_PLACE_NEW}};
    const char *path[2] = {a, b};
    struct stat folder[2];
    for (int i = 0; i < 2; i++) {
        if (strlen(path[i]) >= PATH_MAX)
            return false;
        memcpy(place[i].resolved, path[i], strlen(path[i]) + 1);
        if (!locate_file(&place[i]) || place[i].kind != RDI_PLACE_NEW)
            return false;
        int fd = rdi_output_folder(&place[i]);
        bool known = fd >= 0 && fstat(fd, &folder[i]) == 0;
        if (fd >= 0)
            close(fd);
        if (!known)
            return false;
    }
    return folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino &&
           strcmp(place[0].base, place[1].base) == 0;
}

bool rd_output_is_same(const char *a, const char *b) {
    struct stat st_a, st_b;
    if (!a || !b)
        return false;
    bool there_a = stat_place(a, STDOUT_FILENO, &st_a);
    bool there_b = stat_place(b, STDOUT_FILENO, &st_b);
    if (there_a && there_b)
        return is_same(&st_a, &st_b);
    return !there_a && !there_b && is_same_new(a, b);
}
