/* drmemtrace: reads DynamoRIO's memory traces as text, which its view tool prints.
 *
 *   <record> <instr>: <thread> ifetch       3 byte(s) @ 0x00007fb7dd6ad090 48 89 e7   mov ...
 *   <record> <instr>: <thread> write        8 byte(s) @ 0x00007ffd12345678 by PC 0x00007fb7dd6ad093
 *   <record> <instr>: <thread> <marker: timestamp 13312410768060146>
 *
 * Column widths differ between releases, and so does the thread column: "3264182", "T3264182" or
 * "W0.T3264182" (workload and thread). The text begins with a header and ends with a summary.
 * Output of the traced program may precede the header.
 */
#include "trace/lines.h"

#define FIELDS (RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC | RD_FIELD_THREAD)

typedef struct drmemtrace_reader {
    rdi_lines lines;
    bool started; /* true: a record was read, so no more header lines follow */
    bool ended;   /* true: the summary was read */
} drmemtrace_reader;

static bool starts(const char *p, const char *limit, const char *word) {
    size_t n = strlen(word);
    return (size_t)(limit - p) > n && memcmp(p, word, n) == 0;
}

/* Reads "<record> <instr>: <thread> ", with which every record begins. */
static const char *scan_prefix(const char *p, rdi_ref *ref) {
    uint64_t number = 0;
    p = rdi_scan_dec(rdi_scan_blanks(p), &number);
    if (!p || !rdi_is_blank(*p))
        return NULL;
    p = rdi_scan_dec(rdi_scan_blanks(p), &number);
    if (!p || *p != ':')
        return NULL;
    p = rdi_scan_blanks(p + 1);
    if (*p == 'W') {
        p = rdi_scan_dec(p + 1, &number);
        if (!p || p[0] != '.' || p[1] != 'T')
            return NULL;
        p++;
    }
    p = rdi_scan_dec(*p == 'T' ? p + 1 : p, &number);
    if (!p || !rdi_is_blank(*p) || number > UINT32_MAX)
        return NULL;
    ref->thread = (uint32_t)number;
    return rdi_scan_blanks(p);
}

/* Reads "3 byte(s) @ 0x00007fb7dd6ad090". */
static const char *scan_access(const char *p, const char *limit, rdi_ref *ref) {
    p = rdi_scan_size(rdi_scan_blanks(p), &ref->size);
    if (!p || !starts(p, limit, " byte(s) @ "))
        return NULL;
    return rdi_scan_0x(p + strlen(" byte(s) @ "), &ref->addr);
}

/* Reads the text after "ifetch". The trace also lists the repetitions of a string instruction,
 * which are not fetched again; they are skipped. */
static const char *scan_fetch(const char *p, const char *limit, rdi_ref *ref) {
    ref->kind = RD_FETCH;
    p = scan_access(p, limit, ref);
    if (!p || !(rdi_is_blank(*p) || *p == '\n'))
        return NULL;
    ref->pc = ref->addr;
    if (starts(p, limit, " non-fetched"))
        ref->kind = 0;
    return rdi_line_end(p, limit) + 1;
}

/* Reads the text after "read" or "write". */
static const char *scan_data(const char *p, const char *limit, uint8_t kind, rdi_ref *ref) {
    ref->kind = kind;
    p = scan_access(p, limit, ref);
    if (!p || !starts(p, limit, " by PC "))
        return NULL;
    p = rdi_scan_0x(p + strlen(" by PC "), &ref->pc);
    return p ? rdi_scan_line_end(p) : NULL;
}

/* Returns whether the text at p continues the bytes of a long instruction: it begins with two
 * hexadecimal digits and a blank or the end of the line. */
static bool continues_bytes(const char *p) {
    return rdi_hex_digit[(uint8_t)p[0]] && rdi_hex_digit[(uint8_t)p[1]] &&
           (rdi_is_blank(p[2]) || p[2] == '\n');
}

static const char *scan_record(const char *p, const char *limit, rdi_ref *ref) {
    if (starts(p, limit, "ifetch "))
        return scan_fetch(p + strlen("ifetch "), limit, ref);
    if (starts(p, limit, "read "))
        return scan_data(p + strlen("read "), limit, RD_LOAD, ref);
    if (starts(p, limit, "write "))
        return scan_data(p + strlen("write "), limit, RD_STORE, ref);
    /* Markers, prefetches, flushes and further bytes of an instruction are not references of the
     * program. */
    if (*p == '<' || starts(p, limit, "pref") || starts(p, limit, "iflush ") ||
        starts(p, limit, "dflush ") || continues_bytes(p))
        return rdi_line_skip(p, limit, ref);
    return NULL;
}

static const char *record_line(const char *p, const char *limit, rdi_ref *ref) {
    p = scan_prefix(p, ref);
    return p ? scan_record(p, limit, ref) : NULL;
}

/* Returns whether the line only separates records: it begins with six dashes, or is empty. */
static bool is_divider(const char *p, const char *limit) {
    return starts(p, limit, "------") || rdi_scan_line_end(p);
}

static const char *drmemtrace_line(rdi_lines *l, const char *p, const char *limit, rdi_ref *ref) {
    drmemtrace_reader *d = (drmemtrace_reader *)l;
    const char *next = d->ended ? NULL : record_line(p, limit, ref);
    if (next) {
        d->started = true;
        return next;
    }
    d->ended |= starts(p, limit, "View tool results:");
    if (!d->started || d->ended || is_divider(p, limit))
        return rdi_line_skip(p, limit, ref);
    return NULL;
}

static int drmemtrace_probe(const uint8_t *head, size_t n, bool whole) {
    const char *limit;
    for (const char *p = rdi_lines_in_head(head, n, whole, &limit); p < limit;) {
        rdi_ref ref = {0};
        if (record_line(p, limit, &ref))
            return RDI_PROBE_SURE;
        p = rdi_line_end(p, limit) + 1;
    }
    return RDI_PROBE_NO;
}

static rd_status drmemtrace_open(void *self, rdi_reader *r) {
    rdi_lines_open(self, r,
                   "'RECORD INSTR: THREAD ifetch|read|write SIZE byte(s) @ 0xADDR [by PC 0xPC]'");
    return RD_OK;
}

static rd_status drmemtrace_read(void *self, rd_refs *refs) {
    drmemtrace_reader *d = self;
    RD_TRY(rdi_lines_read(self, refs, FIELDS, drmemtrace_line));
    if (refs->n == 0 && !d->started && d->lines.r->in->line > 0)
        return rdi_input_fail_line(d->lines.r->in, "the file has no record: expected %s",
                                   d->lines.expected);
    return RD_OK;
}

const rdi_format_ops rdi_format_drmemtrace = {
    .info =
        {
            .name = "drmemtrace",
            .summary = "DynamoRIO drmemtrace: text output of the view tool",
            .card =
                "Lines have the form '... THREAD read|write SIZE byte(s) @ 0xADDR by PC 0xPC' or "
                "'... THREAD ifetch SIZE\n"
                "byte(s) @ 0xADDR ...'; the program counter of a fetch is its address. Markers "
                "('<...>'), "
                "prefetches,\n"
                "flushes, instructions that were not fetched, everything before the first "
                "record and the\n"
                "final summary are skipped. The workload number in W0.T123 is not kept.\n"
                "\n"
                "  drrun -t drmemtrace -tool view -indir DIR 2> prog.view",
            .fields = FIELDS,
        },
    .state_size = sizeof(drmemtrace_reader),
    .probe = drmemtrace_probe,
    .open = drmemtrace_open,
    .read = drmemtrace_read,
};
