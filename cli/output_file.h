/* Results to a file or standard output: checked before the work, written after it. */
#ifndef RD_OUTPUT_FILE_H
#define RD_OUTPUT_FILE_H

#include "cli.h"

/* Where a result will go. NULL and "-" are standard output. */
typedef struct output_place {
    const char *option; /* "-o", for messages */
    const char *path;
    bool in_place; /* an old file is written over, not replaced by a new one */
} output_place;

/* Whether the place can be written, as far as that can be told without touching it. Returns the
 * exit status, a mistake having been reported. */
int output_check(const output_place *place);

/* Whether the place is one of the files that are read ("-" is standard input), which would then
 * change or be lost. Returns like output_check(). Devices and pipes are never the same. */
int output_check_inputs(const output_place *place, int n, char **inputs);

/* Whether two results would go to the same file. Returns like output_check(). */
int output_check_distinct(const output_place *a, const output_place *b);

/* Writes a finished result as rd_text_write() does; NULL and "-" are standard output. Returns the
 * exit status, a failure having been reported. */
int output_text(rd_ctx *ctx, const char *path, const char *text, size_t n);

/* The same with a text that the library made, or failed to make (`made`); frees it. */
int output_made(rd_ctx *ctx, const char *path, rd_status made, char *text, size_t n);

#endif
