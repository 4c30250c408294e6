/* Finds the command, parses its options, runs it, and makes sure that the output arrived. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND

static const command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

const command *command_at(size_t index) {
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const command *command_find(const char *name) {
    for (size_t i = 0; command_at(i); i++)
        if (strcmp(command_at(i)->name, name) == 0)
            return command_at(i);
    return NULL;
}

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
__attribute__((format(printf, 3, 0))) static void put_line(FILE *out, const char *prefix,
                                                           const char *format, va_list args) {
    char *text = format_text(format, args), *shown = NULL;
    if (text) {
        size_t room = rd_text_escape(text, NULL, 0) + 1;
        shown = malloc(room);
        if (shown)
            rd_text_escape(text, shown, room);
    }
    if (out != stdout)
        fflush(stdout); /* what was printed before comes first */
    fprintf(out, "%s%s\n", prefix, shown ? shown : "out of memory, even for a message");
    free(shown);
    free(text);
}

void show(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stdout, "", format, args);
    va_end(args);
}

void tell_user(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, "reusedist: ", format, args);
    va_end(args);
}

int fail_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, "reusedist: ", format, args);
    va_end(args);
    return EXIT_USAGE;
}

int fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line(stderr, "reusedist: ", format, args);
    va_end(args);
    return EXIT_FAILED;
}

int fail_status(rd_ctx *ctx, rd_status status) {
    const char *text = rd_last_error(ctx);
    fail("%s", *text ? text : rd_status_name(status));
    return status == RD_EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

static int run_command(rd_ctx *ctx, const command *cmd, int argc, char **argv) {
    void *opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
    if (!opts)
        return fail("out of memory");
    int status = EXIT_USAGE;
    if (parse_args(ctx, cmd, opts, &argc, argv)) {
        if (argc < cmd->min_operands || (cmd->max_operands >= 0 && argc > cmd->max_operands)) {
            fail_usage("%s: %s operands", cmd->name,
                       argc < cmd->min_operands ? "missing" : "too many");
            print_usage(stderr, cmd);
        } else {
            status = cmd->run(ctx, opts, argc, argv);
        }
    }
    free(opts);
    return status;
}

/* A result that did not reach its reader is a failure. */
static int close_stdout(int status) {
    bool failed = ferror(stdout) != 0;
    if (fclose(stdout) != 0 || failed) {
        tell_user("cannot write to standard output: %s", strerror(errno));
        return status == EXIT_OK ? EXIT_FAILED : status;
    }
    return status;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return true;
    return false;
}

static int dispatch(rd_ctx *ctx, int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const command *cmd = command_find(name);
    if (!cmd)
        return fail_usage("unknown command '%s': 'reusedist help' lists them", name);
    if (asks_for_help(argc - 2, argv + 2)) {
        print_command_help(stdout, cmd);
        return EXIT_OK;
    }
    return run_command(ctx, cmd, argc > 1 ? argc - 2 : 0, argv + (argc > 1 ? 2 : 1));
}

/* A file opened later must not get the number of a closed standard stream, or results end up in
 * it. What takes the place fails like the closed stream: it cannot be read or written. */
static void occupy_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Another rank than 0, in reusedist-mpi: does what that says. */
static int serve(rd_ctx *ctx, rd_cluster *cluster) {
    if (rd_analysis_serve(cluster) == RD_OK)
        return EXIT_OK;
    return fail("rank %u: %s", rd_cluster_rank(cluster), rd_last_error(ctx));
}

int main(int argc, char **argv) {
    occupy_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes an error message, not a silent death */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file that may not grow further */
    rd_ctx *ctx;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return fail("out of memory");
    rd_cluster *cluster = NULL;
    rd_status joined = rd_cluster_join(ctx, &cluster);
    if (joined != RD_OK)
        return fail_status(ctx, joined);
    int status = rd_cluster_rank(cluster) ? serve(ctx, cluster) : dispatch(ctx, argc, argv);
    status = close_stdout(status);
    rd_cluster_leave(cluster);
    rd_ctx_free(ctx);
    return status;
}
