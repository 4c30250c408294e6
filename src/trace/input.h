/* Bytes of a trace: a file, standard input or memory, unpacked if compressed, behind one window.
 *
 * A reader looks at in->data .. in->data + in->avail and calls rdi_input_consume(). The window is
 * followed by one readable '\n' byte, so that text scanners need no end test per character.
 */
#ifndef RDI_INPUT_H
#define RDI_INPUT_H

#include "base/common.h"

typedef struct rdi_input {
    rd_ctx *ctx;
    const char *name;    /* path for messages */
    const uint8_t *data; /* the window */
    size_t avail;        /* bytes in it */
    uint64_t offset;     /* of data[0] in the unpacked stream */
    uint64_t line;       /* line readers count here: the line a message is about, from 1 */
    bool eof;            /* nothing comes behind the window */
} rdi_input;

rd_status rdi_input_open(rd_ctx *ctx, const char *path, rdi_input **out);
/* `fd` stays the caller's, who has read `n` bytes from it already (copied). */
rd_status rdi_input_open_fd(rd_ctx *ctx, int fd, const char *name, const void *head, size_t n,
                            rdi_input **out);
rd_status rdi_input_open_memory(rd_ctx *ctx, const char *name, const void *data, size_t n,
                                rdi_input **out);

/* Makes the window hold `want` bytes if it can (growing the buffer), and at least `need` of them:
 * only at the end of the file there are fewer, and then eof is set. A read error is reported once
 * the bytes before it no longer satisfy `need`. Moves the window: pointers into it die. */
rd_status rdi_input_fill(rdi_input *in, size_t need, size_t want);

static inline void rdi_input_consume(rdi_input *in, size_t n) {
    in->data += n;
    in->avail -= n;
    in->offset += n;
}

/* Bytes of a plain file that was opened by its name, where reading can begin anywhere; 0: of
 * anything else. */
uint64_t rdi_input_size(const rdi_input *in);
/* Empties the window; reading goes on at `offset`. */
rd_status rdi_input_seek(rdi_input *in, uint64_t offset);
/* n bytes from `offset` on, past the window, which stays; false when they are not there. */
bool rdi_input_peek(const rdi_input *in, uint64_t offset, void *buf, size_t n);

/* "NAME: line 12: ..." and "NAME: byte 4096: ..." */
rd_status rdi_input_fail_line(rdi_input *in, const char *format, ...) RDI_PRINTF(2, 3);
rd_status rdi_input_fail_byte(rdi_input *in, uint64_t offset, const char *format, ...)
    RDI_PRINTF(3, 4);

/* Bytes of the file as stored: read so far, and in all (0 unknown). */
void rdi_input_progress(const rdi_input *in, uint64_t *done, uint64_t *total);
void rdi_input_close(rdi_input *in);

#endif
