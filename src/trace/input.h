/* The input buffer of a trace: bytes of a file, standard input or memory, unpacked if they are
 * compressed.
 *
 * A reader uses up to in->avail bytes at in->data and then calls rdi_input_consume(). The input
 * buffer is followed by one readable '\n' byte, so that text scanners need no end test per
 * character.
 */
#ifndef RDI_INPUT_H
#define RDI_INPUT_H

#include "base/common.h"

typedef struct rdi_input {
    rd_ctx *ctx;
    const char *name;    /* name of the input, for messages */
    const uint8_t *data; /* the input buffer */
    size_t avail;        /* number of bytes in the input buffer */
    uint64_t offset;     /* position of data[0] in the unpacked stream */
    uint64_t line;       /* number of the line that was read last, from 1, for messages; only line
                            readers count lines */
    bool eof;            /* true: the input buffer holds the last bytes of the input */
} rdi_input;

rd_status rdi_input_open(rd_ctx *ctx, const char *path, rdi_input **out);
/* Opens an input that reads from `fd`, which the caller closes. The caller has already read the `n`
 * bytes of `head` from it; they are copied. */
rd_status rdi_input_open_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                            rdi_input **out);
rd_status rdi_input_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                                rdi_input **out);

/* Reads until the input buffer holds at least `want` bytes, the file ends or a read error occurs.
 * The input buffer grows if necessary. At the end of the file, eof is set, and the input buffer may
 * hold fewer than `need` bytes. A read error is reported only if the input buffer holds fewer than
 * `need` bytes before the error. Pointers into the input buffer become invalid. */
rd_status rdi_input_fill(rdi_input *in, size_t need, size_t want);

static inline void rdi_input_consume(rdi_input *in, size_t n) {
    in->data += n;
    in->avail -= n;
    in->offset += n;
}

/* Returns the size in bytes of an uncompressed file that was opened by its name and in which
 * reading can begin anywhere. Returns 0 for any other input. */
uint64_t rdi_input_size(const rdi_input *in);
/* Empties the input buffer. Reading continues at `offset`. rdi_input_size() must not be 0. */
rd_status rdi_input_seek(rdi_input *in, uint64_t offset);
/* Reads n bytes at `offset` and leaves the input buffer unchanged. Returns false if the file does
 * not have these bytes or cannot be read. */
bool rdi_input_peek(const rdi_input *in, uint64_t offset, void *buf, size_t n);

/* These functions fail with RD_EFORMAT and messages of the form "NAME: line 12: ..." and "NAME:
 * byte 4096: ...". */
rd_status rdi_input_fail_line(rdi_input *in, const char *format, ...) RDI_PRINTF(2, 3);
rd_status rdi_input_fail_byte(rdi_input *in, uint64_t offset, const char *format, ...)
    RDI_PRINTF(3, 4);

/* Sets *done to the number of bytes read so far from the file or memory, before unpacking, and
 * *total to its size (0: unknown). */
void rdi_input_progress(const rdi_input *in, uint64_t *done, uint64_t *total);
void rdi_input_close(rdi_input *in);

#endif
