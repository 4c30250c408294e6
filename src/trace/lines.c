/* Implements the functions that formats with one record per line share. See lines.h. */
#include "trace/lines.h"

#include <stdio.h>

const uint8_t rdi_hex_digit[256] = {
    ['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
    ['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['a'] = 0x1a, ['b'] = 0x1b,
    ['c'] = 0x1c, ['d'] = 0x1d, ['e'] = 0x1e, ['f'] = 0x1f, ['A'] = 0x1a, ['B'] = 0x1b,
    ['C'] = 0x1c, ['D'] = 0x1d, ['E'] = 0x1e, ['F'] = 0x1f,
};

static const char byte_order_mark[] = "\xef\xbb\xbf";
#define MARK_BYTES 3

/* If the head of a file has at least this many references for each invalid line, it counts as
 * damaged, not as a file of another format. */
#define DAMAGE_RATIO 8

void rdi_lines_open(rdi_lines *l, rdi_reader *r, const char *expected) {
    l->r = r;
    l->expected = expected;
    l->max = RDI_LINE_MAX;
}

void rdi_lines_separate(void *self) {
    (void)self;
}

/* Returns the byte after the last '\n' in [start, end), or NULL if there is none. */
static const char *behind_last_newline(const uint8_t *start, const uint8_t *end) {
    while (end > start && end[-1] != '\n')
        end--;
    return end > start ? (const char *)end : NULL;
}

static bool starts_with_mark(const uint8_t *data, size_t n) {
    return n >= MARK_BYTES && memcmp(data, byte_order_mark, MARK_BYTES) == 0;
}

/* Reads until the input buffer has a complete line, and sets l->complete, which stays 0 at the end
 * of the file. Skips a byte order mark at the beginning of the file. */
static rd_status find_lines(rdi_lines *l) {
    rdi_input *in = l->r->in;
    const char *end = NULL;
    size_t seen = 0;
    while (!(end = behind_last_newline(in->data + seen, in->data + in->avail)) && !in->eof) {
        seen = in->avail;
        /* No more is read once l->max bytes have no '\n', so whether a line is too long does not
         * depend on the sizes of the reads. */
        if (seen >= l->max) {
            in->line++;
            return rdi_input_fail_line(in, "the line is longer than %zu bytes", l->max - 1);
        }
        RD_TRY(rdi_input_fill(in, seen + 1, seen + 1));
    }
    if (in->offset == 0 && starts_with_mark(in->data, in->avail))
        rdi_input_consume(in, MARK_BYTES);
    if (in->avail > 0)
        l->complete = end ? (size_t)(end - (const char *)in->data) : in->avail + 1;
    return RD_OK;
}

rd_status rdi_lines_fill(rdi_lines *l, const char **p, const char **limit) {
    if (l->complete == 0)
        RD_TRY(find_lines(l));
    *p = (const char *)l->r->in->data;
    *limit = *p + l->complete;
    return RD_OK;
}

void rdi_lines_consume(rdi_lines *l, size_t n) {
    rdi_input *in = l->r->in;
    l->complete -= n;
    rdi_input_consume(in, n < in->avail ? n : in->avail);
}

void rdi_excerpt(char out[RDI_EXCERPT_MAX], const char *text, size_t n) {
    static const char more[] = "...";
    size_t used = 0, room = RDI_EXCERPT_MAX - sizeof more - sizeof "\\xff";
    size_t i = 0;
    for (; i < n && used <= room; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c <= '~')
            out[used++] = (char)c;
        else
            used += (size_t)snprintf(out + used, sizeof "\\xff", "\\x%02x", c);
    }
    strcpy(out + used, i < n ? more : "");
}

void rdi_found(char out[RDI_FOUND_MAX], const char *text, size_t n) {
    char excerpt[RDI_EXCERPT_MAX];
    rdi_excerpt(excerpt, text, n);
    snprintf(out, RDI_FOUND_MAX, n ? "'%s'" : "the end of the line", excerpt);
}

rd_status rdi_lines_fail(rdi_lines *l, const char *p, const char *limit) {
    rdi_input *in = l->r->in;
    in->line++;
    if (l->failed == RD_EFORMAT)
        return rdi_input_fail_line(in, "%s", rd_last_error(in->ctx));
    if (l->failed != RD_OK)
        return l->failed;
    const char *end = rdi_line_end(p, limit);
    while (end > p && rdi_is_blank(end[-1]))
        end--;
    char found[RDI_FOUND_MAX];
    rdi_found(found, p, (size_t)(end - p));
    return rdi_input_fail_line(in, "expected %s, found %s", l->expected, found);
}

const char *rdi_lines_in_head(const uint8_t *head, size_t n, bool whole, const char **limit) {
    const char *end = whole ? NULL : behind_last_newline(head, head + n);
    const char *p = (const char *)head + (starts_with_mark(head, n) ? MARK_BYTES : 0);
    if (whole)
        end = (const char *)head + n + (head[n - 1] != '\n');
    *limit = end && end > p ? end : p;
    return p;
}

int rdi_lines_probe(const uint8_t *head, size_t n, bool whole, rdi_line_parser *parse, int sure) {
    const char *limit;
    size_t references = 0, bad = 0;
    for (const char *p = rdi_lines_in_head(head, n, whole, &limit); p < limit;) {
        rdi_ref ref = {.size = 1, .kind = RD_LOAD};
        const char *next = parse(NULL, p, limit, &ref);
        references += next && ref.kind != 0;
        bad += !next;
        p = next ? next : rdi_line_end(p, limit) + 1;
    }
    if (bad * DAMAGE_RATIO > references)
        return RDI_PROBE_NO;
    return bad ? RDI_PROBE_WEAK / 2 : references ? sure : RDI_PROBE_NO;
}

void rdi_lines_set_size(rdi_lines *l, rd_refs *refs, uint64_t size) {
    if (size == 1)
        return;
    for (size_t i = 0; i < refs->n; i++)
        l->r->col->size[i] = (uint32_t)size;
    refs->size = l->r->col->size;
    refs->fields |= RD_FIELD_SIZE;
}

rd_status rdi_lines_writer_open(void *self, rdi_writer *w) {
    ((rdi_lines_writer *)self)->w = w;
    return RD_OK;
}

rd_status rdi_lines_write(rdi_lines_writer *l, const rd_refs *refs, rdi_line_formatter *format) {
    char text[64 * RDI_LINE_ROOM];
    char *p = text;
    for (size_t i = 0; i < refs->n; i++) {
        rdi_ref ref = {
            .addr = refs->addr[i],
            .size = refs->size ? refs->size[i] : 1,
            .kind = refs->kind ? refs->kind[i] : RD_LOAD,
        };
        p = format(l->w, &ref, p);
        if (p > text + sizeof text - RDI_LINE_ROOM) {
            RD_TRY(rdi_output_write(l->w->out, text, (size_t)(p - text)));
            p = text;
        }
    }
    return rdi_output_write(l->w->out, text, (size_t)(p - text));
}
