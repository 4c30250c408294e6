/* The place of an output: what a path names, whether it can be written, and whether it is also
 * read. */
#ifndef RDI_OUTPUT_PLACE_H
#define RDI_OUTPUT_PLACE_H

#include "base/common.h"

#include <limits.h>

typedef enum rdi_place_kind {
    RDI_PLACE_STREAM,   /* an open descriptor: "-", /dev/stdout, /dev/stderr, /dev/fd/N */
    RDI_PLACE_SPECIAL,  /* a device, a pipe or another file that cannot be replaced */
    RDI_PLACE_EXISTING, /* a regular file */
    RDI_PLACE_NEW       /* a regular file that does not exist yet */
} rdi_place_kind;

typedef struct rdi_output_place {
    rdi_place_kind kind;
    int fd;                  /* descriptor of RDI_PLACE_STREAM, which the caller does not close */
    char resolved[PATH_MAX]; /* the path, for regular files without a symbolic link at the end */
    const char *base;        /* regular files: the component of `resolved` after the last slash */
} rdi_output_place;

/* Finds what `path` names. Fails with RD_EIO if it cannot be written, as far as this is known
 * without opening it, and with RD_EINVAL if it is empty. The function changes no file. `out` must
 * not be moved. */
rd_status rdi_output_locate(rd_ctx *ctx, const char *path, rdi_output_place *out);

/* Opens the folder of a regular file for openat(). Returns -1 and sets errno if this is
 * impossible. */
int rdi_output_folder(const rdi_output_place *place);

/* Makes the message that `path` cannot be opened, from errno. */
rd_status rdi_output_fail_open(rd_ctx *ctx, const char *path);

#endif
