/* What every program here does: messages, and making sure that the output arrives. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- messages ---- */

/* Formats into memory from malloc; NULL when there is none. */
__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

/* The one place where lines with names of files leave. Those come from outside, and must not write
 * lines of their own or move the cursor. */
__attribute__((format(printf, 2, 0))) static void put_line(FILE *out, const char *format,
                                                           va_list args) {
    char *text = format_text(format, args), *shown = NULL;
    if (text) {
        size_t room = rd_text_escape(text, NULL, 0) + 1;
        shown = malloc(room);
        if (shown)
            rd_text_escape(text, shown, room);
    }
    if (out != stdout) {
        fflush(stdout); /* what was printed before comes first */
        fprintf(out, "%s: ", program_name);
    }
    fprintf(out, "%s\n", shown ? shown : "out of memory, even for a message");
    free(shown);
    free(text);
}

void show(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stdout, format, args);
    va_end(args);
}

void tell_user(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, format, args);
    va_end(args);
}

int fail_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, format, args);
    va_end(args);
    return EXIT_FAILED;
}

int fail_status(rd_ctx *ctx, rd_status status) {
    const char *text = rd_last_error(ctx);
    fail("%s", *text ? text : rd_status_name(status));
    return status == RD_EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

/* ---- standard streams and signals ---- */

/* A file opened later must not get the number of a closed standard stream, or results end up in
 * it. What takes the place fails like the closed stream: it cannot be read or written. */
static void occupy_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void program_begin(void) {
    occupy_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes an error message, not a silent death */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file that may not grow further */
}

int program_end(int status) {
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || failed) {
        tell_user("cannot write to standard output: %s", strerror(errno));
        return status == EXIT_OK ? EXIT_FAILED : status;
    }
    return status;
}
