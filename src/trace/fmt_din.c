/* din: reads and writes the traditional input of the Dinero cache simulators. */
#include "trace/lines.h"

typedef struct din_reader {
    rdi_lines lines;
    uint64_t size; /* option: number of bytes that every reference touches */
} din_reader;

/* The kind of reference for each label. An access of unknown type (label 3) counts as a load, and a
 * flush (label 4) is not a reference. */
static const uint8_t kind_of_label[] = {RD_LOAD, RD_STORE, RD_FETCH, RD_LOAD, 0};

/* Reads "2 430d70" and ignores the rest of the line. Skips empty lines. */
static inline const char *din_line(rdi_lines *l, const char *p, const char *limit, rdi_ref *ref) {
    (void)l;
    if (RDI_UNLIKELY(rdi_is_blank(*p)))
        p = rdi_scan_blanks(p);
    unsigned label = (unsigned)(uint8_t)*p - '0';
    if (RDI_UNLIKELY(label >= RDI_COUNT(kind_of_label) || !rdi_is_blank(p[1])))
        return *p == '\n' ? rdi_line_skip(p, limit, ref) : NULL;
    ref->kind = kind_of_label[label];
    p = rdi_scan_blanks(p + 2);
    p = rdi_scan_hex(rdi_has_0x(p) ? p + 2 : p, &ref->addr);
    if (RDI_LIKELY(p && *p == '\n'))
        return p + 1;
    return p && rdi_is_blank(*p) ? rdi_line_end(p, limit) + 1 : NULL;
}

static int din_probe(const uint8_t *head, size_t n, bool whole) {
    return rdi_lines_probe(head, n, whole, din_line, RDI_PROBE_LIKELY);
}

static rd_status din_open(void *self, rdi_reader *r) {
    rdi_lines_open(self, r, "'LABEL ADDR' (label 0 to 4, address in hexadecimal)");
    return RD_OK;
}

static rd_status din_read(void *self, rd_refs *refs) {
    din_reader *s = self;
    RD_TRY(rdi_lines_read(&s->lines, refs, RD_FIELD_KIND, din_line));
    rdi_lines_set_size(&s->lines, refs, s->size);
    return RD_OK;
}

/* Writes the label and the address. The format has no sizes. */
static char *din_format(const rdi_writer *w, const rdi_ref *ref, char *p) {
    (void)w;
    *p++ = ref->kind == RD_FETCH ? '2' : ref->kind == RD_STORE ? '1' : '0';
    *p++ = ' ';
    p = rdi_put_hex(p, ref->addr, 1);
    *p++ = '\n';
    return p;
}

static rd_status din_write(void *self, const rd_refs *refs) {
    return rdi_lines_write(self, refs, din_format);
}

static const rdi_writer_ops din_writer_ops = {
    .state_size = sizeof(rdi_lines_writer),
    .open = rdi_lines_writer_open,
    .write = din_write,
};

static const rd_opt din_opts[] = {
    RDI_LINES_SIZE_OPT(din_reader),
    {0},
};

const rdi_format_ops rdi_format_din = {
    .info =
        {
            .name = "din",
            .summary = "Dinero's din format: label and hexadecimal address",
            .card =
                "Each line has 'LABEL ADDR'; the rest of it is ignored. Labels: 0 read, 1 write, "
                "2 instruction\n"
                "fetch, 3 access of unknown type (counts as a load), 4 cache flush (skipped).\n"
                "ADDR is hexadecimal, with or without 0x. Empty lines are skipped.\n"
                "\n"
                "The format has no sizes. Dinero takes every reference as one aligned word, "
                "which touches\n"
                "one block; size=1, the default, does the same. Writing drops sizes.",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND,
            .writable = true,
            .opts = din_opts,
            .unwritten = RD_FIELD_SIZE,
        },
    .state_size = sizeof(din_reader),
    .probe = din_probe,
    .open = din_open,
    .read = din_read,
    .separate = rdi_lines_separate,
    .writer = &din_writer_ops,
};
