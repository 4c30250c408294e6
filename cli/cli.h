/* The command line: one table entry and one file per command. The command line uses only the public
 * API. bench/papers also uses program.c, args.c, output_file.c and the functions of bench.h. */
#ifndef RD_CLI_H
#define RD_CLI_H

#include "reusedist/reusedist.h"

#include <stdio.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A command. Its options are parsed into a zeroed struct of `opts_size` bytes before run() is
 * called. */
typedef struct command {
    const char *name;
    const char *summary;  /* one line that `reusedist help` shows */
    const char *operands; /* operands in the usage line, for example "TRACE..." */
    const char *details;  /* paragraphs that `reusedist help NAME` shows */
    const rd_opt *opts;   /* option table; NULL: no options */
    size_t opts_size;
    int min_operands, max_operands;                              /* max_operands -1: any number */
    int (*run)(rd_ctx *ctx, void *opts, int n, char **operands); /* returns the exit status */
} command;

const command *command_at(size_t index); /* returns NULL past the last command */
const command *command_find(const char *name);
/* Reports that there is no command `name`, suggests a similar one if there is one, and returns the
 * exit status. */
int fail_unknown_command(const char *name);

/* ---- messages, standard streams and signals (program.c) ---- */

/* The name of the program in messages, for example "reusedist". Each program that is built from
 * these files defines its own name. */
extern const char program_name[];
/* Sets up standard streams and signals. main() calls this function first. */
void program_begin(void);
/* Closes standard output and returns `status`, or EXIT_FAILED if `status` is EXIT_OK but a result
 * could not be written. main() calls this function after the command. */
int program_end(int status);

/* Prints a line on stdout with control characters escaped, for results that contain file names. */
void show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a name with control characters escaped and padded to `columns` columns: left-aligned, or
 * right-aligned when `columns` is negative. If the name has more than `most` columns, only its end
 * appears, because the end of a path says more than its beginning. `most` 0 means no limit. */
void print_name(FILE *out, int columns, size_t most, const char *name);
/* Prints a text as a CSV field: with control characters escaped, and with quotes if it needs them. */
void print_csv_field(FILE *out, const char *text);
/* Returns a copy from malloc() of a text with control characters escaped, or NULL if memory is
 * exhausted. */
char *escaped_copy(const char *text);
/* Prints "PROGRAM: ..." on stderr with control characters escaped. */
void tell_user(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* These functions print a message like tell_user(). fail_usage() returns the exit status for a
 * usage mistake, and fail() the one for a failure. */
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports rd_last_error() and returns the exit status: 2 for a usage mistake (RD_EINVAL), 1 for
 * everything else. */
int fail_status(rd_ctx *ctx, rd_status status);

/* ---- option tables (args.c) ---- */

/* Splits argv into options, which are stored in `opts`, and operands, which are moved to the front
 * of argv. *argc becomes the number of operands. "--" ends the options. Returns false after reporting a
 * mistake. */
bool parse_args(rd_ctx *ctx, const command *cmd, void *opts, int *argc, char **argv);

/* Returns whether one of the words before "--" is -h or --help. */
bool asks_for_help(int argc, char **argv);
void print_usage(FILE *out, const command *cmd);
void print_command_help(FILE *out, const command *cmd);
/* Prints a table of the options of an engine, format or generator, or nothing if there are none. */
void print_opts_table(FILE *out, const rd_opt *opts);

#endif
