/* Writes results to a file or to standard output. Commands check the destination before the work
 * and write after it. */
#ifndef RD_OUTPUT_FILE_H
#define RD_OUTPUT_FILE_H

#include "cli.h"

/* The destination of a result. */
typedef struct output_place {
    const char *option; /* for messages: "-o" */
    const char *path;   /* NULL and "-": standard output */
    bool in_place;      /* an existing file is overwritten, not replaced by a new one */
} output_place;

/* Checks that the place can be written, as far as that is possible without opening it. Reports a
 * mistake and returns the exit status. */
int output_check(const output_place *place);

/* Checks that the place is none of the input files ("-" is standard input), which the result would
 * overwrite. Returns like output_check(). Devices and pipes may be both input and output. */
int output_check_inputs(const output_place *place, int n, char **inputs);

/* Checks that two results go to different files. Returns like output_check(). */
int output_check_distinct(const output_place *a, const output_place *b);

/* Writes a finished result with rd_text_write(); NULL and "-" are standard output. Reports a
 * failure and returns the exit status. */
int output_text(rd_ctx *ctx, const char *path, const char *text, size_t n);

/* Writes a text that the library made, and frees it. `made` is the status of the call that made it;
 * a failure is reported. */
int output_made(rd_ctx *ctx, const char *path, rd_status made, char *text, size_t n);

#endif
