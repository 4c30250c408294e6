/* Where the bytes of an input come from: plain descriptor, memory, or an unpacking library. */
#ifndef RDI_SOURCE_H
#define RDI_SOURCE_H

#include "base/common.h"

typedef struct rdi_source {
    rd_ctx *ctx;
    const char *name;
    int fd;              /* -1: memory */
    const uint8_t *data; /* memory, or the first bytes already read from fd */
    size_t n;            /* of data still to be given */
    uint64_t stored;     /* bytes taken from the file so far */
    uint8_t head[64];    /* where `data` points for files: enough to see a compression magic */
} rdi_source;

/* Bytes as stored: up to `n` into `buf`; *got 0 at the end. */
rd_status rdi_source_read(rdi_source *s, void *buf, size_t n, size_t *got);

/* ---- unpacking (unpack.c) ---- */

/* Name of the compression ("gzip") that these first bytes show, or NULL. */
const char *rdi_unpack_detect(const uint8_t *head, size_t n);

/* An unpacker begins with this. */
typedef struct rdi_unpack rdi_unpack;
struct rdi_unpack {
    rd_status (*read)(rdi_unpack *u, void *buf, size_t n, size_t *got);
    void (*close)(rdi_unpack *u);
};

/* Reads from `s` (borrowed). RD_EUNSUPPORTED in builds without the library for it. */
rd_status rdi_unpack_open(rdi_source *s, const char *compression, rdi_unpack **out);
rd_status rdi_unpack_read(rdi_unpack *u, void *buf, size_t n, size_t *got);
void rdi_unpack_close(rdi_unpack *u);

/* The two that there are (unpack_gzip.c, unpack_archive.c), and what they say when they are not. */
rd_status rdi_gunzip_open(rdi_source *s, rdi_unpack **out);
rd_status rdi_unarchive_open(rdi_source *s, const char *compression, rdi_unpack **out);
rd_status rdi_unpack_missing(rdi_source *s, const char *compression, const char *library,
                             const char *package);

#endif
