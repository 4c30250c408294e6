/* The source of the bytes of an input, which is a file descriptor or memory, and the unpackers of
 * compressed bytes. */
#ifndef RDI_SOURCE_H
#define RDI_SOURCE_H

#include "base/common.h"

typedef struct rdi_source {
    rd_ctx *ctx;
    const char *name;
    int fd;              /* file descriptor; -1: the source is memory */
    const uint8_t *data; /* memory, or the first bytes already read from fd */
    size_t n;            /* number of bytes at `data` that were not yet read */
    uint64_t stored;     /* number of bytes read from the file so far */
    uint8_t head[64];    /* first bytes of a file, enough for the magic number of a compression;
                            unused if the caller has already read that many */
} rdi_source;

/* Reads up to `n` bytes of the source, without unpacking them, into `buf`, and sets *got to their
 * number, which is 0 at the end. */
rd_status rdi_source_read(rdi_source *s, void *buf, size_t n, size_t *got);

/* ---- unpacking (unpack.c) ---- */

/* Returns the name of the compression ("gzip") whose magic number the n bytes begin with, or NULL
 * if there is none. */
const char *rdi_unpack_detect(const uint8_t *head, size_t n);

/* The first member of every unpacker. */
typedef struct rdi_unpack rdi_unpack;
struct rdi_unpack {
    rd_status (*read)(rdi_unpack *u, void *buf, size_t n, size_t *got);
    void (*close)(rdi_unpack *u);
};

/* Opens an unpacker that reads from `s` (borrowed). Returns RD_EUNSUPPORTED in builds without the
 * library for the compression. */
rd_status rdi_unpack_open(rdi_source *s, const char *compression, rdi_unpack **out);
rd_status rdi_unpack_read(rdi_unpack *u, void *buf, size_t n, size_t *got);
void rdi_unpack_close(rdi_unpack *u);

/* The first two functions open the two unpackers (unpack_gzip.c, unpack_archive.c).
 * rdi_unpack_missing() fails with a message that this build lacks `library`, which the user gets by
 * installing `package`. */
rd_status rdi_gunzip_open(rdi_source *s, rdi_unpack **out);
rd_status rdi_unarchive_open(rdi_source *s, const char *compression, rdi_unpack **out);
rd_status rdi_unpack_missing(rdi_source *s, const char *compression, const char *library,
                             const char *package);

#endif
