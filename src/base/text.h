/* A growing text, in which reports, CSV and JSON are built.
 *
 * A failure is sticky: after a failed allocation the functions do nothing, and rdi_text_take()
 * returns the failure. So callers need not check every call.
 */
#ifndef RDI_TEXT_H
#define RDI_TEXT_H

#include "base/common.h"

typedef struct rdi_text {
    rd_ctx *ctx;
    char *data;       /* the text; terminated by NUL as soon as something was added */
    size_t n, room;   /* length without the NUL, and capacity */
    rd_status status; /* status of the first failure */
} rdi_text;

static inline rdi_text rdi_text_start(rd_ctx *ctx) {
    return (rdi_text){.ctx = ctx};
}

void rdi_text_add(rdi_text *t, const void *bytes, size_t n);
void rdi_text_puts(rdi_text *t, const char *text);
void rdi_text_putc(rdi_text *t, char c);
/* Adds the character `c` n times. */
void rdi_text_fill(rdi_text *t, char c, size_t n);
void rdi_text_escaped(rdi_text *t, const char *text); /* adds `text`, escaped by rd_text_escape() */
/* Adds a CSV field: escapes the text like rd_text_escape(), and adds quotes if RFC 4180 requires
 * them. */
void rdi_text_csv(rdi_text *t, const char *text);
/* Returns whether rd_text_escape() leaves `text` as it is. */
bool rdi_text_is_printable(const char *text);
void rdi_text_printf(rdi_text *t, const char *format, ...) RDI_PRINTF(2, 3);

/* ---- decimal numbers, with a dot in every locale; "null" if a number is not finite ---- */

void rdi_text_u64(rdi_text *t, uint64_t x); /* faster than printf */
void rdi_text_u128(rdi_text *t, rdi_u128 x);
/* Adds a number with up to 15 significant digits, or up to 17 if fewer do not read back as the same
 * number. */
void rdi_text_double(rdi_text *t, double x);
void rdi_text_fixed(rdi_text *t, double x, int decimals); /* like printf's %.*f */
void rdi_text_rounded(rdi_text *t, double x, int digits); /* like printf's %.*g */

/* Hands the text over to the caller, who frees it with rd_text_free(), or returns the first
 * failure. `t` is empty afterwards. */
RD_CHECKED rd_status rdi_text_take(rdi_text *t, char **out, size_t *n);
/* Frees the text and leaves `t` empty. */
void rdi_text_drop(rdi_text *t);

/* Returns the number of bytes of the UTF-8 character at the beginning of the n bytes of `text`, or
 * 0 if there is no valid one. */
static inline size_t rdi_utf8_length(const char *text, size_t n) {
    const uint8_t *p = (const uint8_t *)text;
    if (n == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool surrogate = p[0] == 0xed && p[1] > 0x9f;
    bool beyond = p[0] == 0xf4 && p[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

#endif
