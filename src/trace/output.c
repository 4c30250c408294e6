/* Buffered bytes to a file or standard output. See output.h. */
#include "trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (256 * 1024)

struct rdi_output {
    rd_ctx *ctx;
    char *name; /* path, or what stands for standard output in messages */
    int fd;     /* -1: closed, or never opened */
    bool owns_fd;
    int error; /* errno of the first failure: nothing more is written behind it */
    bool finished;
    size_t used; /* bytes in buffer */
    uint8_t buffer[BUFFER_BYTES];
};

static rd_status fail_write(rdi_output *out, int error) {
    out->error = error;
    return rdi_fail(out->ctx, RD_EIO, "%s: cannot write: %s", out->name, strerror(error));
}

rd_status rdi_output_open(rd_ctx *ctx, const char *path, rdi_output **result) {
    rdi_output *out = rdi_alloc(ctx, 1, sizeof *out);
    if (!out)
        return RD_ENOMEM;
    memset(out, 0, offsetof(rdi_output, buffer));
    out->ctx = ctx;
    bool standard = strcmp(path, "-") == 0;
    out->fd = -1;
    out->name = rdi_strdup(ctx, standard ? "(standard output)" : path);
    if (!out->name) {
        rdi_output_close(out);
        return RD_ENOMEM;
    }
    out->owns_fd = !standard;
    out->fd = standard ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out->fd < 0) {
        rd_status status =
            rdi_fail(ctx, RD_EIO, "%s: cannot open for writing: %s", path, strerror(errno));
        rdi_output_close(out);
        return status;
    }
    *result = out;
    return RD_OK;
}

/* All of `data` to the descriptor, however many calls it takes. */
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

/* Whether bytes can still be taken; repeats the first failure, so that none is lost. */
static rd_status check_open(rdi_output *out) {
    if (out->error)
        return fail_write(out, out->error);
    if (out->finished)
        return rdi_fail(out->ctx, RD_ESTATE, "%s: written to after its end", out->name);
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

rd_status rdi_output_printf(rdi_output *out, const char *format, ...) {
    RD_TRY(check_open(out));
    for (int attempt = 0;; attempt++) {
        size_t room = BUFFER_BYTES - out->used;
        va_list args;
        va_start(args, format);
        int n = vsnprintf((char *)out->buffer + out->used, room, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < room) {
            out->used += (size_t)n;
            return RD_OK;
        }
        if (n < 0 || attempt > 0)
            return fail_write(out, n < 0 ? errno : EOVERFLOW);
        RD_TRY(flush(out));
    }
}

rd_status rdi_output_finish(rdi_output *out) {
    RD_TRY(check_open(out));
    RD_TRY(flush(out));
    out->finished = true;
    if (!out->owns_fd)
        return RD_OK;
    int fd = out->fd;
    out->fd = -1;
    /* Network file systems and quotas report here what did not fit. EINTR: the file is closed. */
    if (close(fd) != 0 && errno != EINTR)
        return fail_write(out, errno);
    return RD_OK;
}

/* Half a file must not pass for a whole one. Only plain files: never a device or a link to one. */
static void remove_unfinished(const rdi_output *out) {
    struct stat st;
    if (lstat(out->name, &st) == 0 && S_ISREG(st.st_mode))
        unlink(out->name);
}

void rdi_output_close(rdi_output *out) {
    if (!out)
        return;
    bool opened = out->owns_fd && (out->fd >= 0 || out->finished);
    if (opened && (!out->finished || out->error))
        remove_unfinished(out);
    if (out->owns_fd && out->fd >= 0)
        close(out->fd);
    rdi_free(out->ctx, out->name);
    rdi_free(out->ctx, out);
}
