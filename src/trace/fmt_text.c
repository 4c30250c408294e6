/* text: reads and writes one id or address per line, as a decimal or hexadecimal number or as a
 * name. */
#include "trace/id_table.h"
#include "trace/lines.h"

typedef struct text_reader {
    rdi_lines lines;
    rdi_id_table ids;
} text_reader;

/* Returns the id on the line from p to `end` without the blanks around it, and sets *n to its
 * length. Returns NULL for an empty line or a comment. */
static const char *trim(const char *p, const char *end, size_t *n) {
    p = rdi_scan_blanks(p);
    while (end > p && rdi_is_blank(end[-1]))
        end--;
    *n = (size_t)(end - p);
    return end > p && *p != '#' ? p : NULL;
}

static const char *text_line(rdi_lines *l, const char *p, const char *limit, rdi_ref *ref) {
    const char *end = rdi_line_end(p, limit);
    size_t n = 0;
    const char *id = trim(p, end, &n);
    if (!id)
        ref->kind = 0;
    else
        l->failed = rdi_id_read(&((text_reader *)l)->ids, id, n, &ref->addr);
    return l->failed == RD_OK ? end + 1 : NULL;
}

/* Returns whether the text could be an id rather than a record or prose: one word without the usual
 * separators. */
static bool is_plain_word(const char *id, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)id[i] <= ' ' || id[i] == 0x7f || strchr(",;|\"{}", id[i]))
            return false;
    return true;
}

static bool is_plain_number(const char *id, size_t n) {
    uint64_t value;
    const char *end = rdi_has_0x(id) ? rdi_scan_0x(id, &value) : rdi_scan_dec(id, &value);
    return end == id + n;
}

static int text_probe(const uint8_t *head, size_t n, bool whole) {
    const char *limit, *end;
    size_t words = 0, numbers = 0;
    for (const char *p = rdi_lines_in_head(head, n, whole, &limit); p < limit; p = end + 1) {
        end = rdi_line_end(p, limit);
        size_t len = 0;
        const char *id = trim(p, end, &len);
        if (!id)
            continue;
        if (!is_plain_word(id, len))
            return RDI_PROBE_NO;
        words++;
        numbers += is_plain_number(id, len);
    }
    if (words == 0)
        return RDI_PROBE_NO;
    return numbers == words ? RDI_PROBE_LIKELY : RDI_PROBE_WEAK;
}

/* Returns whether the first id on the lines from p to `limit` is a hexadecimal number with 0x. */
static bool begins_with_hex(const char *p, const char *limit) {
    for (const char *end; p < limit; p = end + 1) {
        end = rdi_line_end(p, limit);
        size_t n = 0;
        const char *id = trim(p, end, &n);
        if (id)
            return rdi_has_0x(id) && is_plain_number(id, n);
    }
    return false;
}

static rd_status text_open(void *self, rdi_reader *r) {
    text_reader *t = self;
    const char *p = NULL, *limit = NULL;
    rdi_lines_open(&t->lines, r, NULL);
    rdi_id_table_init(&t->ids, r->ctx);
    RD_TRY(rdi_lines_fill(&t->lines, &p, &limit));
    r->hex_ids =
        t->ids.base == RDI_ID_HEX || (t->ids.base == RDI_ID_AUTO && begins_with_hex(p, limit));
    return RD_OK;
}

static rd_status text_read(void *self, rd_refs *refs) {
    return rdi_lines_read(self, refs, 0, text_line);
}

static void text_close(void *self) {
    rdi_id_table_fini(&((text_reader *)self)->ids);
}

/* Writes ids in decimal and addresses in hexadecimal. */
static char *text_format(const rdi_writer *w, const rdi_ref *ref, char *p) {
    if (w->ids) {
        p = rdi_put_dec(p, ref->addr);
    } else {
        memcpy(p, "0x", 2);
        p = rdi_put_hex(p + 2, ref->addr, 1);
    }
    *p++ = '\n';
    return p;
}

static rd_status text_write(void *self, const rd_refs *refs) {
    return rdi_lines_write(self, refs, text_format);
}

static const rdi_writer_ops text_writer_ops = {
    .state_size = sizeof(rdi_lines_writer),
    .open = rdi_lines_writer_open,
    .write = text_write,
};

static const rd_opt text_opts[] = {
    RDI_ID_OPTS(text_reader, ids),
    {0},
};

const rdi_format_ops rdi_format_text = {
    .info =
        {
            .name = "text",
            .summary = "one id or address per line: decimal, 0x hexadecimal, or any name",
            .card =
                "Blanks around an id are ignored; empty lines and lines that begin with '#' are "
                "skipped.\n" RDI_ID_CARD "\n"
                "Writing drops everything but the address, which is hexadecimal with 0x, or "
                "decimal\n"
                "for object ids.",
            .ids = true,
            .writable = true,
            .opts = text_opts,
        },
    .state_size = sizeof(text_reader),
    .probe = text_probe,
    .open = text_open,
    .read = text_read,
    .separate = rdi_lines_separate,
    .ids_at = offsetof(text_reader, ids),
    .close = text_close,
    .writer = &text_writer_ops,
};
