/* Writes JSON. See reusedist/experimental.h and json_write.h. */
#include "base/json_write.h"

#include <stdio.h>
#include <string.h>

rd_status rd_json_writer_new(rd_ctx *ctx, rd_json_style style, rd_json_writer **out) {
    RDI_NEED(ctx, ctx, out);
    rd_json_writer *w = rdi_alloc(ctx, 1, sizeof *w);
    if (!w)
        return RD_ENOMEM;
    *w = rdi_json_writer_start(ctx, style);
    *out = w;
    return RD_OK;
}

void rd_json_writer_free(rd_json_writer *w) {
    if (!w)
        return;
    rdi_json_writer_drop(w);
    rdi_free(w->text.ctx, w);
}

void rdi_json_writer_drop(rd_json_writer *w) {
    rdi_text_drop(&w->text);
    w->depth = 0;
    w->level[0].any = false;
}

static void fail(rd_json_writer *w, const char *why) {
    if (w->text.status == RD_OK)
        w->text.status = rdi_fail(w->text.ctx, RD_ESTATE, "JSON writer: %s", why);
}

rd_status rd_json_writer_take(rd_json_writer *w, char **text, size_t *n) {
    RDI_NEED(w ? w->text.ctx : NULL, w, text, n);
    if (w->depth > 0)
        fail(w, "an object or array is still open");
    rdi_text_putc(&w->text, '\n');
    rd_status status = rdi_text_take(&w->text, text, n);
    rdi_json_writer_drop(w);
    return status;
}

/* ---- strings ---- */

static void add_escaped(rdi_text *t, unsigned char c) {
    static const char special[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
    const char *found = strchr(special, c);
    if (found)
        rdi_text_printf(t, "\\%c", letters[found - special]);
    else
        rdi_text_printf(t, "\\u%04x", c);
}

/* Returns the number of bytes at the beginning of `text` that are ASCII and need no escape. */
static size_t plain_length(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && text[i] >= ' ' && text[i] < 0x7f && text[i] != '"' && text[i] != '\\')
        i++;
    return i;
}

static void add_quoted(rdi_text *t, const char *text, size_t n, const char *end) {
    rdi_text_putc(t, '"');
    while (n > 0) {
        size_t plain = plain_length(text, n);
        rdi_text_add(t, text, plain);
        text += plain;
        n -= plain;
        if (n == 0)
            break;
        size_t length = rdi_utf8_length(text, n);
        if (length == 0)
            rdi_text_puts(t, "\xef\xbf\xbd");
        else if (length == 1)
            add_escaped(t, (unsigned char)*text);
        else
            rdi_text_add(t, text, length);
        text += length ? length : 1;
        n -= length ? length : 1;
    }
    rdi_text_puts(t, end);
}

/* Writes a string. A string that is too long is cut between two characters and gets an ellipsis. */
static void add_string(rd_json_writer *w, const char *text) {
    size_t n = strlen(text);
    bool cut = w->max_string && n > w->max_string;
    if (cut)
        for (n = w->max_string; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--;
    add_quoted(&w->text, text, n, cut ? "\xe2\x80\xa6\"" : "\"");
}

/* ---- structure ---- */

static void begin_line(rd_json_writer *w) {
    rdi_text_putc(&w->text, '\n');
    rdi_text_fill(&w->text, ' ', 2 * (size_t)w->depth);
}

/* Writes the separator, the line break and the key before a value. */
static void begin_value(rd_json_writer *w, const char *key) {
    bool compact = w->style == RD_JSON_COMPACT, any = w->level[w->depth].any;
    w->level[w->depth].any = true;
    if (any)
        rdi_text_putc(&w->text, ',');
    if (w->level[w->depth].lines)
        begin_line(w);
    else if (any && !compact)
        rdi_text_putc(&w->text, ' ');
    if (key) {
        add_quoted(&w->text, key, strlen(key), "\"");
        rdi_text_puts(&w->text, compact ? ":" : ": ");
    }
}

static void begin(rd_json_writer *w, const char *key, char bracket, rd_json_layout layout) {
    if (!w)
        return;
    if (w->depth == RDI_JSON_WRITER_DEPTH) {
        _Static_assert(RDI_JSON_WRITER_DEPTH == 16, "the message states the limit");
        fail(w, "objects and arrays are nested more than 16 levels deep");
        return;
    }
    begin_value(w, key);
    rdi_text_putc(&w->text, bracket);
    w->depth++;
    w->level[w->depth].lines = layout == RD_JSON_LINES && w->style != RD_JSON_COMPACT;
    w->level[w->depth].any = false;
}

static void end(rd_json_writer *w, char bracket) {
    if (!w)
        return;
    if (w->depth == 0) {
        fail(w, "no object or array is open");
        return;
    }
    bool lines = w->level[w->depth].lines && w->level[w->depth].any;
    w->depth--;
    if (lines)
        begin_line(w);
    rdi_text_putc(&w->text, bracket);
}

void rd_json_begin_object(rd_json_writer *w, const char *key, rd_json_layout layout) {
    begin(w, key, '{', layout);
}

void rd_json_end_object(rd_json_writer *w) {
    end(w, '}');
}

void rd_json_begin_array(rd_json_writer *w, const char *key, rd_json_layout layout) {
    begin(w, key, '[', layout);
}

void rd_json_end_array(rd_json_writer *w) {
    end(w, ']');
}

/* ---- values ---- */

void rd_json_put_null(rd_json_writer *w, const char *key) {
    if (!w)
        return;
    begin_value(w, key);
    rdi_text_puts(&w->text, "null");
}

void rd_json_put_bool(rd_json_writer *w, const char *key, bool value) {
    if (!w)
        return;
    begin_value(w, key);
    rdi_text_puts(&w->text, value ? "true" : "false");
}

void rd_json_put_u64(rd_json_writer *w, const char *key, uint64_t value) {
    if (!w)
        return;
    begin_value(w, key);
    rdi_text_u64(&w->text, value);
}

void rdi_json_put_u64_or_null(rd_json_writer *w, const char *key, uint64_t value, uint64_t none) {
    if (value == none)
        rd_json_put_null(w, key);
    else
        rd_json_put_u64(w, key, value);
}

void rdi_json_put_u128(rd_json_writer *w, const char *key, rdi_u128 value) {
    begin_value(w, key);
    rdi_text_u128(&w->text, value);
}

void rd_json_put_double(rd_json_writer *w, const char *key, double value) {
    if (!w)
        return;
    begin_value(w, key);
    rdi_text_double(&w->text, value);
}

void rd_json_put_fixed(rd_json_writer *w, const char *key, double value, int decimals) {
    if (!w)
        return;
    begin_value(w, key);
    rdi_text_fixed(&w->text, value, decimals);
}

void rdi_json_put_rounded(rd_json_writer *w, const char *key, double value, int digits) {
    begin_value(w, key);
    rdi_text_rounded(&w->text, value, digits);
}

void rd_json_put_string(rd_json_writer *w, const char *key, const char *value) {
    if (!w || !value) {
        rd_json_put_null(w, key);
        return;
    }
    begin_value(w, key);
    add_string(w, value);
}

void rdi_json_put_tool(rd_json_writer *w) {
    char tool[64];
    snprintf(tool, sizeof tool, "reusedist %s", rd_version());
    rd_json_put_string(w, "tool", tool);
}

/* ---- arrays on one line ---- */

void rdi_json_put_u64s(rd_json_writer *w, const char *key, const uint64_t *values, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_u64(w, NULL, values[i]);
    rd_json_end_array(w);
}

void rdi_json_put_doubles(rd_json_writer *w, const char *key, const double *values, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_double(w, NULL, values[i]);
    rd_json_end_array(w);
}

void rdi_json_put_strings(rd_json_writer *w, const char *key, const char *const *values, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rd_json_put_string(w, NULL, values[i]);
    rd_json_end_array(w);
}
