/* Tests every format with the samples of all formats and a collection of unusual files: a reader
 * must read or refuse each file, and its message must name the file and, where possible, the line
 * or byte.
 *
 * usage: test_sweep FILE...
 */
#include "reusedist/reusedist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *failure(rd_ctx *ctx, const char *format, const char *path, rd_status *status) {
    rd_trace *t = NULL;
    const rd_refs *refs = NULL;
    *status = rd_trace_open(ctx, path, format, &t);
    while (*status == RD_OK && (*status = rd_trace_read(t, &refs)) == RD_OK && refs->n > 0) {
    }
    rd_trace_close(t);
    return rd_last_error(ctx);
}

/* Returns whether the message has a number after "line " or "byte ", or is about the whole file. */
static bool says_where(const char *text) {
    static const char *const whole[] = {"the file is empty", "the column of the ids is unknown",
                                        "cannot detect the trace format"};
    static const char *const places[] = {": line ", ": byte "};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strstr(text, whole[i]))
            return true;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *at = strstr(text, places[i]);
        if (at && at[strlen(places[i])] >= '0' && at[strlen(places[i])] <= '9')
            return true;
    }
    return false;
}

static bool check(const char *format, const char *path) {
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return false;
    rd_status status;
    const char *text = failure(ctx, format, path, &status);
    size_t n = strlen(path);
    bool good = status == RD_OK ||
                status == RD_EINVAL || /* options are missing, so nothing is read */
                (status == RD_EFORMAT && strncmp(text, path, n) == 0 && says_where(text + n));
    if (!good)
        fprintf(stderr, "%s as %s: %s: %s\n", path, format, rd_status_name(status), text);
    rd_ctx_free(ctx);
    return good;
}

int main(int argc, char **argv) {
    bool good = argc > 1;
    unsigned long runs = 0;
    for (int i = 1; i < argc; i++) {
        good = check("auto", argv[i]) && good;
        for (size_t f = 0; rd_format_info_at(f); f++, runs++)
            good = check(rd_format_info_at(f)->name, argv[i]) && good;
    }
    printf("%lu runs\n", runs);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
