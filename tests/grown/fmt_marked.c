/* marked: a trace format of a later release. A line "@1f40" is one address, in hexadecimal. */
#include "trace/lines.h"

static inline const char *marked_line(rdi_lines *l, const char *p, const char *limit,
                                      rdi_ref *ref) {
    (void)l;
    (void)limit;
    if (*p != '@')
        return NULL;
    p = rdi_scan_hex(p + 1, &ref->addr);
    return p && *p == '\n' ? p + 1 : NULL;
}

static int marked_probe(const uint8_t *head, size_t n, bool whole) {
    return rdi_lines_probe(head, n, whole, marked_line, RDI_PROBE_LIKELY);
}

static rd_status marked_open(void *self, rdi_reader *r) {
    rdi_lines_open(self, r, "'@ADDR' (address in hexadecimal)");
    return RD_OK;
}

static rd_status marked_read(void *self, rd_refs *refs) {
    return rdi_lines_read(self, refs, 0, marked_line);
}

const rdi_format_ops rdi_format_marked = {
    .info =
        {
            .name = "marked",
            .summary = "an at sign and a hexadecimal address per line",
            .card = "'@ADDR', one reference per line.",
        },
    .state_size = sizeof(rdi_lines),
    .probe = marked_probe,
    .open = marked_open,
    .read = marked_read,
};
