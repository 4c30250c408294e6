/* A growing text: reports, CSV and JSON are built in it.
 *
 * Errors are sticky: after a failed allocation the functions do nothing, and rdi_text_take()
 * returns the error. Callers therefore print without checking every call.
 */
#ifndef RDI_TEXT_H
#define RDI_TEXT_H

#include "base/common.h"

typedef struct rdi_text {
    rd_ctx *ctx;
    char *data;       /* NUL-terminated once something was added */
    size_t n, room;   /* length without the NUL; capacity */
    rd_status status; /* first failure */
} rdi_text;

static inline rdi_text rdi_text_start(rd_ctx *ctx) {
    return (rdi_text){.ctx = ctx};
}

void rdi_text_add(rdi_text *t, const void *bytes, size_t n);
void rdi_text_puts(rdi_text *t, const char *text);
void rdi_text_putc(rdi_text *t, char c);
/* Adds the character `c` n times. */
void rdi_text_fill(rdi_text *t, char c, size_t n);
void rdi_text_u64(rdi_text *t, uint64_t x);           /* decimal, faster than printf */
void rdi_text_escaped(rdi_text *t, const char *text); /* escaped as by rd_text_escape() */
void rdi_text_printf(rdi_text *t, const char *format, ...) RDI_PRINTF(2, 3);

/* Hands the text over to the caller, who frees it with rd_text_free(), or returns the first
 * failure. `t` is empty afterwards. */
RD_CHECKED rd_status rdi_text_take(rdi_text *t, char **out, size_t *n);
/* Discards the text. */
void rdi_text_drop(rdi_text *t);

#endif
