/* Reads source files. See source_file.h. */
#include "base/source_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reads the bytes of the file and terminates them by NUL. If the file cannot be opened, is not
 * regular or has more than `max` bytes, *text becomes NULL, and the function returns RD_OK. */
static rd_status read_bytes(rd_ctx *ctx, const char *path, size_t max, char **text, size_t *n) {
    struct stat info;
    *text = NULL;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rbe") : NULL;
    if (!file)
        return RD_OK;
    size_t bytes = info.st_size > 0 ? (size_t)info.st_size : 0;
    rd_status status = RD_OK;
    if (bytes <= max && !(*text = rdi_alloc(ctx, bytes + 1, 1)))
        status = RD_ENOMEM;
    if (*text) {
        *n = fread(*text, 1, bytes, file);
        (*text)[*n] = '\0';
    }
    fclose(file);
    return status;
}

/* Returns the number of lines. The last one need not end with a newline. */
static size_t count_lines(const char *text, size_t n) {
    size_t lines = n > 0 && text[n - 1] != '\n';
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Sets the beginnings of the lines, and replaces the ends of lines with NUL. */
static void split(rdi_source_file *s, size_t n) {
    char *at = s->text, *end = s->text + n;
    for (size_t i = 0; i < s->n; i++) {
        s->lines[i] = at;
        char *newline = memchr(at, '\n', (size_t)(end - at));
        newline = newline ? newline : end;
        *newline = '\0';
        if (newline > at && newline[-1] == '\r')
            newline[-1] = '\0';
        at = newline + 1;
    }
}

rd_status rdi_source_file_read(rd_ctx *ctx, const char *path, size_t max, rdi_source_file *out) {
    size_t n = 0;
    *out = (rdi_source_file){0};
    RD_TRY(read_bytes(ctx, path, max, &out->text, &n));
    if (!out->text || memchr(out->text, '\0', n))
        return RD_OK;
    out->n = count_lines(out->text, n);
    out->lines = rdi_alloc(ctx, out->n ? out->n : 1, sizeof *out->lines);
    if (!out->lines) {
        rdi_source_file_fini(ctx, out);
        return RD_ENOMEM;
    }
    split(out, n);
    return RD_OK;
}

void rdi_source_file_fini(rd_ctx *ctx, rdi_source_file *s) {
    rdi_free(ctx, s->text);
    rdi_free(ctx, s->lines);
    *s = (rdi_source_file){0};
}
