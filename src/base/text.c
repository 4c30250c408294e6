/* Implements growing text. See text.h. */
#include "base/text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for n more bytes and the NUL. Returns false after a failure. */
static bool grow(rdi_text *t, size_t n) {
    if (t->status != RD_OK)
        return false;
    if (t->room - t->n > n)
        return true;
    size_t need = t->n + n + 1, room = t->room ? t->room * 2 : 256;
    room = room < need ? need : room;
    char *data = need > n ? rdi_resize(t->ctx, t->data, room, 1) : NULL;
    if (!data) {
        t->status = RD_ENOMEM;
        return false;
    }
    t->data = data;
    t->room = room;
    return true;
}

void rdi_text_add(rdi_text *t, const void *bytes, size_t n) {
    if (n == 0 || !grow(t, n))
        return;
    memcpy(t->data + t->n, bytes, n);
    t->n += n;
    t->data[t->n] = '\0';
}

void rdi_text_puts(rdi_text *t, const char *text) {
    rdi_text_add(t, text, strlen(text));
}

void rdi_text_putc(rdi_text *t, char c) {
    if (!grow(t, 1))
        return;
    t->data[t->n++] = c;
    t->data[t->n] = '\0';
}

void rdi_text_escaped(rdi_text *t, const char *text) {
    size_t n = rd_text_escape(text, NULL, 0);
    if (!grow(t, n))
        return;
    rd_text_escape(text, t->data + t->n, n + 1);
    t->n += n;
}

void rdi_text_fill(rdi_text *t, char c, size_t n) {
    if (n == 0 || !grow(t, n))
        return;
    memset(t->data + t->n, c, n);
    t->n += n;
    t->data[t->n] = '\0';
}

void rdi_text_u64(rdi_text *t, uint64_t x) {
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + x % 10);
    while (x /= 10);
    rdi_text_add(t, at, (size_t)(digits + sizeof digits - at));
}

void rdi_text_u128(rdi_text *t, rdi_u128 x) {
    char digits[40], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + (unsigned)(x % 10));
    while (x /= 10);
    rdi_text_add(t, at, (size_t)(digits + sizeof digits - at));
}

/* Adds `number`, which is x as text, or "null" if x is not finite. */
static void add_finite(rdi_text *t, double x, const char *number) {
    rdi_text_puts(t, isfinite(x) ? number : "null");
}

void rdi_text_double(rdi_text *t, double x) {
    char number[64];
    int digits = 15;
    do
        rdi_snprintf(number, sizeof number, "%.*g", digits, x);
    while (rdi_strtod(number, NULL) != x && ++digits <= 17);
    add_finite(t, x, number);
}

void rdi_text_fixed(rdi_text *t, double x, int decimals) {
    char number[512]; /* the largest double has 309 digits before the point */
    rdi_snprintf(number, sizeof number, "%.*f", decimals, x);
    add_finite(t, x, number);
}

void rdi_text_rounded(rdi_text *t, double x, int digits) {
    char number[64];
    rdi_snprintf(number, sizeof number, "%.*g", digits, x);
    add_finite(t, x, number);
}

/* Adds a CSV field, quoted if RFC 4180 requires it. */
static void add_quoted(rdi_text *t, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        rdi_text_puts(t, text);
        return;
    }
    rdi_text_putc(t, '"');
    for (; *text; text++) {
        rdi_text_putc(t, *text);
        if (*text == '"')
            rdi_text_putc(t, '"');
    }
    rdi_text_putc(t, '"');
}

void rdi_text_csv(rdi_text *t, const char *text) {
    rdi_text safe = rdi_text_start(t->ctx);
    rdi_text_escaped(&safe, text);
    if (safe.status == RD_OK && safe.data)
        add_quoted(t, safe.data);
    if (t->status == RD_OK)
        t->status = safe.status;
    rdi_text_drop(&safe);
}

void rdi_text_printf(rdi_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[256];
    int n = rdi_vsnprintf(small, sizeof small, format, args);
    if (n > 0 && (size_t)n < sizeof small) {
        rdi_text_add(t, small, (size_t)n);
    } else if (n > 0 && grow(t, (size_t)n)) {
        rdi_vsnprintf(t->data + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

rd_status rdi_text_take(rdi_text *t, char **out, size_t *n) {
    if (!t->data && grow(t, 0))
        t->data[0] = '\0';
    rd_status status = t->status;
    if (status != RD_OK) {
        rdi_text_drop(t);
        return status;
    }
    *out = t->data;
    if (n)
        *n = t->n;
    *t = rdi_text_start(t->ctx);
    return RD_OK;
}

void rdi_text_drop(rdi_text *t) {
    rdi_free(t->ctx, t->data);
    *t = rdi_text_start(t->ctx);
}

void rd_text_free(rd_ctx *ctx, char *text) {
    if (ctx)
        rdi_free(ctx, text);
}
