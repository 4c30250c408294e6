/* The input buffer of a trace: bytes of a file, standard input or memory, unpacked if they are
 * compressed.
 *
 * A reader looks at in->data .. in->data + in->avail and calls rdi_input_consume(). The input buffer is
 * followed by one readable '\n' byte, so that text scanners need no end test per character.
 */
#ifndef RDI_INPUT_H
#define RDI_INPUT_H

#include "base/common.h"

typedef struct rdi_input {
    rd_ctx *ctx;
    const char *name;    /* path for messages */
    const uint8_t *data; /* the input buffer */
    size_t avail;        /* bytes in the input buffer */
    uint64_t offset;     /* position of data[0] in the unpacked stream */
    uint64_t line;       /* the line that a message names, from 1; line readers count it */
    bool eof;            /* the input buffer holds the last bytes */
} rdi_input;

rd_status rdi_input_open(rd_ctx *ctx, const char *path, rdi_input **out);
/* The caller keeps `fd`, from which it has already read the `n` bytes of `head`, which are copied. */
rd_status rdi_input_open_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                            rdi_input **out);
rd_status rdi_input_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                                rdi_input **out);

/* Reads until the input buffer holds `want` bytes if possible (it grows if it must) and at least
 * `need`. It holds fewer only at the end of the file, and then eof is set. A read error is reported
 * when the bytes before it no longer satisfy `need`. Pointers into the input buffer become invalid. */
rd_status rdi_input_fill(rdi_input *in, size_t need, size_t want);

static inline void rdi_input_consume(rdi_input *in, size_t n) {
    in->data += n;
    in->avail -= n;
    in->offset += n;
}

/* The size of an uncompressed file that was opened by its name, in which reading can begin anywhere; 0
 * for any other input. */
uint64_t rdi_input_size(const rdi_input *in);
/* Empties the input buffer; reading continues at `offset`. */
rd_status rdi_input_seek(rdi_input *in, uint64_t offset);
/* Reads n bytes at `offset` and leaves the input buffer unchanged. Returns false if the file does not
 * have them. */
bool rdi_input_peek(const rdi_input *in, uint64_t offset, void *buf, size_t n);

/* "NAME: line 12: ..." and "NAME: byte 4096: ..." */
rd_status rdi_input_fail_line(rdi_input *in, const char *format, ...) RDI_PRINTF(2, 3);
rd_status rdi_input_fail_byte(rdi_input *in, uint64_t offset, const char *format, ...)
    RDI_PRINTF(3, 4);

/* The bytes of the stored file: those read so far, and the total (0: unknown). */
void rdi_input_progress(const rdi_input *in, uint64_t *done, uint64_t *total);
void rdi_input_close(rdi_input *in);

#endif
