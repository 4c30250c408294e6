/* The place of an output: the file or descriptor that a path names, and whether it can be written to. */
#ifndef RDI_OUTPUT_PLACE_H
#define RDI_OUTPUT_PLACE_H

#include "base/common.h"

#include <limits.h>

typedef enum rdi_place_kind {
    RDI_PLACE_STREAM,   /* an open descriptor: "-", /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N
                           or /proc/self/fd/N */
    RDI_PLACE_SPECIAL,  /* a device, a pipe or another file that is not regular */
    RDI_PLACE_EXISTING, /* a regular file */
    RDI_PLACE_NEW       /* a regular file that does not exist yet */
} rdi_place_kind;

typedef struct rdi_output_place {
    rdi_place_kind kind;
    int fd;                  /* descriptor of RDI_PLACE_STREAM, which the caller does not close */
    char resolved[PATH_MAX]; /* the path; regular files: the path after following symbolic links at
                                its end */
    const char *base;        /* regular files: the component of `resolved` after the last slash */
} rdi_output_place;

/* Stores the place that `path` names in *out. Fails with RD_EIO if the place cannot be written to, as
 * far as this is known without opening it, and with RD_EINVAL if `path` is empty. The function changes no file.
 * The caller must not copy *out, because out->base points into out->resolved. */
rd_status rdi_output_locate(rd_ctx *ctx, const char *path, rdi_output_place *out);

/* Opens the folder of a regular file and returns a descriptor for openat(), or -1 with errno
 * set. */
int rdi_output_folder(const rdi_output_place *place);

/* Returns RD_EIO with the message that `path` cannot be opened for writing. errno has the
 * reason. */
rd_status rdi_output_fail_open(rd_ctx *ctx, const char *path);

#endif
