/* pinatrace: reads the file pinatrace.out, which Pin's example tool of this name writes. */
#include "trace/lines.h"

typedef struct pinatrace_reader {
    rdi_lines lines;
    uint64_t size; /* option: number of bytes that every reference touches */
} pinatrace_reader;

/* Reads "0x7f3d01c2a0d3: R 0x7ffe2a4c1b58". Skips empty lines and lines that begin with '#', such
 * as "#eof" at the end. */
static inline const char *pinatrace_line(rdi_lines *l, const char *p, const char *limit,
                                         rdi_ref *ref) {
    (void)l;
    if (RDI_UNLIKELY(*p == '#' || rdi_scan_line_end(p)))
        return rdi_line_skip(p, limit, ref);
    p = rdi_scan_0x(p, &ref->pc);
    if (!p || p[0] != ':' || p[1] != ' ')
        return NULL;
    p = rdi_scan_blanks(p + 2);
    ref->kind = *p == 'W' ? RD_STORE : RD_LOAD;
    if ((*p != 'R' && *p != 'W') || !rdi_is_blank(p[1]))
        return NULL;
    p = rdi_scan_0x(rdi_scan_blanks(p + 2), &ref->addr);
    return p ? rdi_scan_line_end(p) : NULL;
}

static int pinatrace_probe(const uint8_t *head, size_t n, bool whole) {
    return rdi_lines_probe(head, n, whole, pinatrace_line, RDI_PROBE_SURE);
}

static rd_status pinatrace_open(void *self, rdi_reader *r) {
    rdi_lines_open(self, r, "'0xPC: R 0xADDR' or '0xPC: W 0xADDR'");
    return RD_OK;
}

static rd_status pinatrace_read(void *self, rd_refs *refs) {
    pinatrace_reader *s = self;
    RD_TRY(rdi_lines_read(&s->lines, refs, RD_FIELD_KIND | RD_FIELD_PC, pinatrace_line));
    rdi_lines_set_size(&s->lines, refs, s->size);
    return RD_OK;
}

static const rd_opt pinatrace_opts[] = {
    RDI_LINES_SIZE_OPT(pinatrace_reader),
    {0},
};

const rdi_format_ops rdi_format_pinatrace = {
    .info =
        {
            .name = "pinatrace",
            .summary = "Pin pinatrace.out: program counter, R or W, address",
            .card =
                "Each line has '0xPC: R 0xADDR' or '0xPC: W 0xADDR'. Lines that begin with '#' "
                "(the final\n"
                "'#eof') and empty lines are skipped. The format has only data references, without "
                "sizes: every "
                "reference\n"
                "touches one byte unless size= is given.",
            .fields = RD_FIELD_SIZE | RD_FIELD_KIND | RD_FIELD_PC,
            .opts = pinatrace_opts,
        },
    .state_size = sizeof(pinatrace_reader),
    .probe = pinatrace_probe,
    .open = pinatrace_open,
    .read = pinatrace_read,
    .separate = rdi_lines_separate,
};
