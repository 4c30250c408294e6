/* Writes results to a file or to standard output. Commands check all their outputs before the work
 * and write after it. */
#ifndef RD_OUTPUT_FILE_H
#define RD_OUTPUT_FILE_H

#include "cli.h"

/* The destination of a result. */
typedef struct output_place {
    const char *option; /* option that named the destination, for messages: "-o" */
    const char *path;   /* NULL and "-": standard output */
} output_place;

/* Checks the outputs of a command before the command opens anything: each can be written, as far as
 * this is known, none overwrites an input ("-" is standard input; NULL is skipped), and no two
 * outputs are the same file. Devices and pipes may be both input and output. Reports a failure and
 * returns the exit status. */
int output_check(rd_ctx *ctx, const output_place *places, size_t n_places,
                 const char *const *inputs, size_t n_inputs);

/* Checks that an output does not overwrite a source file that the profile names, because reports
 * read these files. Reports a failure and returns the exit status. */
int output_check_sources(const output_place *place, const rd_profile *profile);

/* Writes a finished result with rd_text_write(). `path` NULL or "-" is standard output. Reports a
 * failure and returns the exit status. */
int output_text(rd_ctx *ctx, const char *path, const char *text, size_t n);

/* Writes a text that the library made, and frees the text. `made` is the status of the call that
 * made the text. Reports a failure, also of that call, and returns the exit status. */
int output_made(rd_ctx *ctx, const char *path, rd_status made, char *text, size_t n);

#endif
