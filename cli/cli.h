/* The command line: one table entry per command, one file per command. Uses the public API only.
 * bench/papers uses program.c, args.c and the machinery of bench.h as well. */
#ifndef RD_CLI_H
#define RD_CLI_H

#include "reusedist/reusedist.h"

#include <stdio.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One command. Options are parsed into a zeroed struct of `opts_size` bytes before run() is called.
 */
typedef struct command {
    const char *name;
    const char *summary;  /* one line for `reusedist help` */
    const char *operands; /* "TRACE...", for the usage line */
    const char *details;  /* paragraphs for `reusedist help NAME` */
    const rd_opt *opts;   /* may be NULL */
    size_t opts_size;
    int min_operands, max_operands;                              /* max -1: any number */
    int (*run)(rd_ctx *ctx, void *opts, int n, char **operands); /* returns the exit status */
} command;

const command *command_at(size_t index); /* NULL past the last one */
const command *command_find(const char *name);

/* ---- every program that is built of these files (program.c) ---- */

/* "reusedist"; each program defines its own. */
extern const char program_name[];
/* First in main(): standard streams and signals. */
void program_begin(void);
/* Last in main(): a result that did not reach standard output is a failure. */
int program_end(int status);

/* A line on stdout, control characters escaped: results that name files. */
void show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "PROGRAM: ..." on stderr, control characters escaped: every message for people. */
void tell_user(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a mistake or a failure; the exit status for it. */
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports rd_last_error(): usage mistakes (RD_EINVAL) exit 2, everything else 1. */
int fail_status(rd_ctx *ctx, rd_status status);

/* ---- option tables (args.c) ---- */

/* Splits argv into options (stored in `opts`) and operands (moved to the front of argv). "--" ends
 * the options. Returns false after having reported a mistake. */
bool parse_args(rd_ctx *ctx, const command *cmd, void *opts, int *argc, char **argv);

/* Whether -h or --help is among the options. */
bool asks_for_help(int argc, char **argv);
void print_usage(FILE *out, const command *cmd);
void print_command_help(FILE *out, const command *cmd);
/* Options of an engine, format or generator, as "key=VALUE" lines; nothing when there are none. */
void print_opts_table(FILE *out, const rd_opt *opts);

#endif
