/* Checks where results go, and writes them. See output_file.h. */
#include "output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static const char *name_of(const char *path) {
    return is_standard(path) ? "(standard output)" : path;
}

/* ---- can it be written? ---- */

/* Whether files can be created in the directory of `path`; if not, errno has the reason. */
static bool directory_takes_files(const char *path) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof directory) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(directory, path, n);
    directory[n] = '\0';
    return access(n ? directory : ".", W_OK | X_OK) == 0;
}

static bool can_replace(const char *path) {
    char resolved[PATH_MAX];
    return realpath(path, resolved) && directory_takes_files(resolved);
}

static bool can_write(const output_place *place) {
    struct stat st;
    if (stat(place->path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            errno = EISDIR;
            return false;
        }
        bool replaced = S_ISREG(st.st_mode) && !place->in_place;
        return access(place->path, W_OK) == 0 && (!replaced || can_replace(place->path));
    }
    if (errno != ENOENT)
        return false;
    bool link_to_nothing = lstat(place->path, &st) == 0;
    return link_to_nothing || directory_takes_files(place->path);
}

int output_check(const output_place *place) {
    if (is_standard(place->path))
        return EXIT_OK;
    if (!*place->path)
        return fail_usage("%s: the file name is empty", place->option);
    if (!can_write(place))
        return fail("%s: cannot open for writing: %s", place->path, strerror(errno));
    return EXIT_OK;
}

/* ---- is it another file? ---- */

static bool stat_file(const char *path, int standard_fd, struct stat *st) {
    return (is_standard(path) ? fstat(standard_fd, st) : stat(path, st)) == 0;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Resolves the links in a path. For a file that does not exist, realpath() fails but stores the
 * resolved name in the GNU C library; with another C library, the path may stay unresolved. */
static void resolve(const char *path, char resolved[PATH_MAX]) {
    snprintf(resolved, PATH_MAX, "%s", path);
    (void)!realpath(path, resolved);
}

int output_check_inputs(const output_place *place, int n, char **inputs) {
    struct stat out, in;
    if (!stat_file(place->path, STDOUT_FILENO, &out))
        return EXIT_OK;
    for (int i = 0; i < n; i++)
        if (stat_file(inputs[i], STDIN_FILENO, &in) && same_file(&out, &in))
            return fail_usage("%s: %s is also an input; write the result to another file",
                              place->option, name_of(place->path));
    return EXIT_OK;
}

int output_check_distinct(const output_place *a, const output_place *b) {
    struct stat st_a, st_b;
    bool there_a = stat_file(a->path, STDOUT_FILENO, &st_a);
    bool there_b = stat_file(b->path, STDOUT_FILENO, &st_b);
    bool same = there_a && there_b && same_file(&st_a, &st_b);
    if (!there_a && !there_b) {
        char name_a[PATH_MAX], name_b[PATH_MAX];
        resolve(a->path, name_a);
        resolve(b->path, name_b);
        same = strcmp(name_a, name_b) == 0;
    }
    if (same)
        return fail_usage("%s and %s name the same file: %s", a->option, b->option,
                          name_of(a->path));
    return EXIT_OK;
}

/* ---- writing ---- */

int output_text(rd_ctx *ctx, const char *path, const char *text, size_t n) {
    fflush(stdout); /* keeps the order of the output */
    rd_status status = rd_text_write(ctx, path ? path : "-", text, n);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

int output_made(rd_ctx *ctx, const char *path, rd_status made, char *text, size_t n) {
    if (made != RD_OK)
        return fail_status(ctx, made);
    int status = output_text(ctx, path, text, n);
    rd_text_free(ctx, text);
    return status;
}
