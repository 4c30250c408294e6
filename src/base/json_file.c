/* Reads whole JSON files into memory: implements rdi_json_read(). See json.h. */
#include "base/json.h"
#include "base/retry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_START ((size_t)64 << 10)
/* Maximum length of the text in bytes, so that an endless stream does not exhaust the memory. */
#define FILE_BYTES_MAX ((size_t)1 << (sizeof(size_t) > 4 ? 32 : 30))

static rd_status read_part(rd_ctx *ctx, int fd, const char *name, char *to, size_t n, size_t *got) {
    ssize_t result;
    do
        result = read(fd, to, n);
    while (result < 0 && rdi_may_retry(fd, POLLIN));
    if (result < 0)
        return rdi_fail(ctx, RD_EIO, "%s: cannot read: %s", name, strerror(errno));
    *got = (size_t)result;
    return RD_OK;
}

/* Returns whether the text begins, after white space, with a character other than '{', so that it
 * cannot be a JSON object. The caller then stops reading, because the user may have given a huge
 * trace by mistake. */
static bool is_hopeless(const char *text, size_t n) {
    size_t at = 0;
    while (at < n && memchr(" \t\r\n", text[at], 4))
        at++;
    return at < n && text[at] != '{';
}

/* Appends all bytes of fd to the *n bytes of *text, whose capacity is FILE_BYTES_START at first and
 * grows as needed. Stops early if the text cannot be a JSON object. */
static rd_status read_all(rd_ctx *ctx, int fd, const char *name, char **text, size_t *n) {
    size_t room = FILE_BYTES_START, got = 0;
    do {
        if (*n == room) {
            room *= 2;
            if (room > FILE_BYTES_MAX)
                return rdi_fail(ctx, RD_EFORMAT,
                                "%s: the file is longer than %zu bytes, the limit for JSON files",
                                name, FILE_BYTES_MAX);
            char *grown = rdi_resize(ctx, *text, room, 1);
            if (!grown)
                return RD_ENOMEM;
            *text = grown;
        }
        RD_TRY(read_part(ctx, fd, name, *text + *n, room - *n, &got));
        *n += got;
    } while (got > 0 && !is_hopeless(*text, *n < 4096 ? *n : 4096));
    return RD_OK;
}

rd_status rdi_json_read_fd(rd_ctx *ctx, int fd, const char *name, const void *head, char **out,
                           size_t *n) {
    if (*n > FILE_BYTES_START)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: %zu bytes were already read from the file; at most %zu are allowed",
                        name, *n, FILE_BYTES_START);
    char *text = rdi_alloc(ctx, FILE_BYTES_START, 1);
    if (!text)
        return RD_ENOMEM;
    if (*n)
        memcpy(text, head, *n);
    rd_status status = read_all(ctx, fd, name, &text, n);
    if (status == RD_OK)
        *out = text;
    else
        rdi_free(ctx, text);
    return status;
}

const char *rdi_json_file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

rd_status rdi_json_read(rd_ctx *ctx, const char *path, char **out, size_t *n) {
    *n = 0;
    if (!*path)
        return rdi_fail(ctx, RD_EINVAL, "the file name is empty");
    if (strcmp(path, "-") == 0)
        return rdi_json_read_fd(ctx, STDIN_FILENO, rdi_json_file_name(path), NULL, out, n);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rdi_fail(ctx, RD_EIO, "%s: cannot open: %s", path, strerror(errno));
    rd_status status = rdi_json_read_fd(ctx, fd, path, NULL, out, n);
    close(fd);
    return status;
}
