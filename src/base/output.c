/* Buffered output to a file or standard output. See output.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES    (256 * 1024)

#define TEMPORARY_TRIES 100
#define FD_PATH_BYTES   32

struct rdi_output {
    rd_ctx *ctx;
    char *name;      /* path, or the name of standard output in messages */
    char *target;    /* plain files: the path of the finished file without symbolic links ... */
    char *temporary; /* ... and its name until then; else both NULL */
    bool named;      /* the temporary name is in the directory */
    bool kept;       /* the file has its own name already */
    int fd;          /* -1: closed, or never opened */
    bool owns_fd;    /* not standard output */
    int error;       /* errno of the first failure, after which nothing is written */
    bool finished;
    size_t used; /* bytes in buffer */
    uint8_t buffer[BUFFER_BYTES];
};

static rd_status fail_write(rdi_output *out, int error) {
    out->error = error;
    return rdi_fail(out->ctx, RD_EIO, "%s: cannot write: %s", out->name, strerror(error));
}

static rd_status fail_open(rdi_output *out) {
    return rdi_fail(out->ctx, RD_EIO, "%s: cannot open for writing: %s", out->name,
                    strerror(errno));
}

static size_t temporary_room(const rdi_output *out) {
    return strlen(out->target) + sizeof ".part00";
}

static void print_fd_path(const rdi_output *out, char path[FD_PATH_BYTES]) {
    snprintf(path, FD_PATH_BYTES, "/proc/self/fd/%d", out->fd);
}

/* Opens a file without a name, which disappears with the process, however that ends. Some file systems
 * do not support this, and without /proc the file cannot get a name later; then it opens none. */
static void open_unnamed(rdi_output *out) {
    const char *slash = strrchr(out->target, '/');
    size_t n = slash ? (size_t)(slash - out->target) + 1 : 0;
    char directory[PATH_MAX], fd_path[FD_PATH_BYTES];
    if (n >= sizeof directory)
        return;
    memcpy(directory, out->target, n);
    directory[n] = '\0';
    out->fd = open(n ? directory : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (out->fd < 0)
        return;
    print_fd_path(out, fd_path);
    if (access(fd_path, F_OK) != 0) {
        close(out->fd);
        out->fd = -1;
    }
}

/* Gives the temporary name to a new file or to the file without a name. */
static bool take_temporary_name(rdi_output *out) {
    char fd_path[FD_PATH_BYTES];
    print_fd_path(out, fd_path);
    for (int i = 0; i < TEMPORARY_TRIES && !out->named; i++) {
        snprintf(out->temporary, temporary_room(out), "%s.part%d", out->target, i);
        if (out->fd >= 0) {
            out->named =
                linkat(AT_FDCWD, fd_path, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0;
        } else {
            out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            out->named = out->fd >= 0;
        }
        if (!out->named && errno != EEXIST)
            break;
    }
    return out->named;
}

/* Opens a new file beside the target, with the permissions of the file that it will replace. */
static rd_status open_temporary(rdi_output *out, const struct stat *replaced) {
    out->temporary = rdi_alloc(out->ctx, temporary_room(out), 1);
    if (!out->temporary)
        return RD_ENOMEM;
    open_unnamed(out);
    if (out->fd < 0 && !take_temporary_name(out))
        return fail_open(out);
    if (replaced && fchmod(out->fd, replaced->st_mode & 07777) != 0)
        return fail_open(out);
    return RD_OK;
}

/* Opens the path. Devices, pipes and broken links are written directly. */
static rd_status open_path(rdi_output *out, const char *path) {
    struct stat st;
    bool exists = stat(path, &st) == 0;
    bool special = exists ? !S_ISREG(st.st_mode) : lstat(path, &st) == 0;
    if (special) {
        out->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        return out->fd < 0 ? fail_open(out) : RD_OK;
    }
    char resolved[PATH_MAX];
    if (exists && (!realpath(path, resolved) || access(resolved, W_OK) != 0))
        return fail_open(out);
    out->target = rdi_strdup(out->ctx, exists ? resolved : path);
    return out->target ? open_temporary(out, exists ? &st : NULL) : RD_ENOMEM;
}

rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **result) {
    rdi_output *out = rdi_alloc(ctx, 1, sizeof *out);
    if (!out)
        return RD_ENOMEM;
    memset(out, 0, offsetof(rdi_output, buffer));
    out->ctx = ctx;
    out->fd = -1;
    bool standard = strcmp(path, "-") == 0;
    out->owns_fd = !standard;
    out->name = rdi_strdup(ctx, standard ? "(standard output)" : path);
    rd_status status = out->name ? RD_OK : RD_ENOMEM;
    if (standard)
        out->fd = STDOUT_FILENO;
    else if (status == RD_OK)
        status = open_path(out, path);
    if (status != RD_OK) {
        rdi_output_close(out);
        return status;
    }
    *result = out;
    return RD_OK;
}

/* Writes all of `data` to the descriptor, in as many calls as it takes. */
static rd_status write_through(rdi_output *out, const uint8_t *data, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(out->fd, data, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return fail_write(out, errno);
        data += wrote;
        n -= (size_t)wrote;
    }
    return RD_OK;
}

static rd_status flush(rdi_output *out) {
    size_t n = out->used;
    out->used = 0;
    return write_through(out, out->buffer, n);
}

/* Fails if the output is closed or had a failure, which it reports again. */
static rd_status check_open(rdi_output *out) {
    if (out->error)
        return fail_write(out, out->error);
    if (out->finished)
        return rdi_fail(out->ctx, RD_ESTATE, "%s: written to after it was finished", out->name);
    return RD_OK;
}

rd_status rdi_output_write(rdi_output *out, const void *data, size_t n) {
    RD_TRY(check_open(out));
    if (n > BUFFER_BYTES - out->used)
        RD_TRY(flush(out));
    if (n >= BUFFER_BYTES)
        return write_through(out, data, n);
    if (n > 0)
        memcpy(out->buffer + out->used, data, n);
    out->used += n;
    return RD_OK;
}

rd_status rdi_output_keep(rdi_output *out) {
    RD_TRY(check_open(out));
    if (!out->temporary || out->kept)
        return RD_OK;
    if ((!out->named && !take_temporary_name(out)) || rename(out->temporary, out->target) != 0)
        return fail_write(out, errno);
    out->kept = true;
    return RD_OK;
}

rd_status rdi_output_finish(rdi_output *out) {
    RD_TRY(check_open(out));
    RD_TRY(flush(out));
    bool unnamed = out->temporary && !out->kept;
    if (unnamed && !out->named && !take_temporary_name(out))
        return fail_write(out, errno);
    if (out->owns_fd) {
        int fd = out->fd;
        out->fd = -1;
        /* Network file systems and quotas report failed writes here. After EINTR the file is closed. */
        if (close(fd) != 0 && errno != EINTR)
            return fail_write(out, errno);
    }
    if (unnamed && rename(out->temporary, out->target) != 0)
        return fail_write(out, errno);
    out->finished = true;
    return RD_OK;
}

void rdi_output_close(rdi_output *out) {
    if (!out)
        return;
    if (out->named && !out->finished && !out->kept)
        unlink(out->temporary);
    if (out->owns_fd && out->fd >= 0)
        close(out->fd);
    rdi_free(out->ctx, out->temporary);
    rdi_free(out->ctx, out->target);
    rdi_free(out->ctx, out->name);
    rdi_free(out->ctx, out);
}

rd_status rd_text_write(rd_ctx *ctx, const char *path, const char *text, size_t n) {
    RDI_NEED(ctx, ctx, path);
    if (n)
        RDI_NEED(ctx, text);
    rdi_output *out = NULL;
    RD_TRY(rdi_output_open(ctx, path, &out));
    rd_status status = rdi_output_write(out, text, n);
    if (status == RD_OK)
        status = rdi_output_finish(out);
    rdi_output_close(out);
    return status;
}
