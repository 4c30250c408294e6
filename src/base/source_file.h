/* The text of a source file of the program, split into lines. */
#ifndef RDI_SOURCE_FILE_H
#define RDI_SOURCE_FILE_H

#include "base/common.h"

#define RDI_SOURCE_LINE_MAX 200 /* maximum number of bytes of a line that a profile keeps */

typedef struct rdi_source_file {
    char *text;         /* every line is terminated by NUL */
    const char **lines; /* NULL: the file could not be read, or is not text */
    size_t n;           /* number of lines */
} rdi_source_file;

/* Reads a whole source file. *out has no lines if the file cannot be opened, is not a regular file,
 * has more than `max` bytes, or contains a NUL and is therefore not text. The caller frees the contents
 * of *out with rdi_source_file_fini(). */
RD_CHECKED rd_status rdi_source_file_read(rd_ctx *ctx, const char *path, size_t max,
                                          rdi_source_file *out);
void rdi_source_file_fini(rd_ctx *ctx, rdi_source_file *s);

/* Returns line `number`, counted from 1, or NULL if the file does not have it. */
static inline const char *rdi_source_file_line(const rdi_source_file *s, uint64_t number) {
    return s->lines && number >= 1 && number <= s->n ? s->lines[number - 1] : NULL;
}

#endif
