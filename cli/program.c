/* Messages, standard streams and signals of a program. See cli.h. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_KIB 256u

/* ---- messages ---- */

/* Formats a text into memory from malloc(). Returns NULL if memory is exhausted. */
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

char *escaped_copy(const char *text) {
    size_t room = rd_text_escape(text, NULL, 0) + 1;
    char *copy = malloc(room);
    if (copy)
        rd_text_escape(text, copy, room);
    return copy;
}

/* Prints a line with control characters escaped, after the name of the program if `out` is not
 * stdout. The escapes keep a file name from starting a new line or moving the cursor. */
__attribute__((format(printf, 2, 0))) static void put_line(FILE *out, const char *format,
                                                           va_list args) {
    char *text = format_text(format, args), *shown = text ? escaped_copy(text) : NULL;
    if (out != stdout) {
        fflush(stdout); /* keeps the order of the output */
        fprintf(out, "%s: ", program_name);
    }
    fprintf(out, "%s\n", shown ? shown : "out of memory; a message could not be shown");
    free(shown);
    free(text);
}

/* Returns whether a character of a UTF-8 text begins at `c`. */
static bool is_first_byte(const char *c) {
    return ((unsigned char)*c & 0xc0) != 0x80;
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

void print_name(FILE *out, int columns, size_t most, const char *name) {
    char *safe = escaped_copy(name);
    const char *shown = safe ? safe : "out of memory";
    size_t length = 0;
    for (const char *c = shown; *c; c++)
        length += is_first_byte(c);
    for (; most && length > most; length--)
        do
            shown++;
        while (!is_first_byte(shown));
    int padding = abs(columns) - (int)length;
    padding = padding > 0 ? padding : 0;
    fprintf(out, "%*s%s%*s", columns < 0 ? padding : 0, "", shown, columns < 0 ? 0 : padding, "");
    free(safe);
}

void print_csv_field(FILE *out, const char *text) {
    char *safe = escaped_copy(text);
    const char *shown = safe ? safe : "out of memory", *quote = strpbrk(shown, ",\"") ? "\"" : "";
    fputs(quote, out);
    for (; *shown; shown++)
        fprintf(out, "%s%c", *shown == '"' ? "\"" : "", *shown);
    fputs(quote, out);
    free(safe);
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

/* Opens /dev/null in place of closed standard streams. Otherwise a file that is opened later could
 * get the number of a standard stream, and results would end up in that file. Reading and writing
 * still fail, because the mode is the opposite of the stream's. */
static void occupy_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Ends the program if its stack is too small for the arrays of engines. The limit is not raised,
 * because recorded programs would inherit it. */
static void check_stack(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_KIB * 1024)
        exit(fail(
            "the stack is limited to %llu KiB, but %u KiB are needed; run 'ulimit -s %u' first",
            (unsigned long long)limit.rlim_cur / 1024, STACK_KIB, STACK_KIB));
}

/* Selects the C locale, in which the decimal point is a dot, whatever the environment says. */
static void choose_locale(void) {
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void program_begin(void) {
    choose_locale();
    occupy_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe causes an error message, not a silent exit */
    signal(SIGXFSZ, SIG_IGN); /* a file above its size limit also causes a message */
    check_stack();
}

int program_end(int status) {
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || failed) {
        tell_user("cannot write to standard output: %s", strerror(errno));
        return status == EXIT_OK ? EXIT_FAILED : status;
    }
    return status;
}
