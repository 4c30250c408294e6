/* lackey: reads and writes the output of Valgrind's lackey tool with --trace-mem=yes. */
#include "trace/lines.h"

#define FIELDS (RD_FIELD_SIZE | RD_FIELD_KIND)

static const uint8_t kind_of_letter[256] = {
    ['I'] = RD_FETCH, ['L'] = RD_LOAD, ['S'] = RD_STORE, ['M'] = RDI_MODIFY};

/* Skips Valgrind's own messages, superblocks (--trace-superblocks=yes) and empty lines. Returns
 * NULL for any other line. */
static const char *skip_other(const char *p, const char *limit, rdi_ref *ref) {
    bool log = (p[0] == '=' && p[1] == '=') || (p[0] == '-' && p[1] == '-');
    bool superblock = p[0] == 'S' && p[1] == 'B' && p[2] == ' ';
    if (log || superblock || rdi_scan_line_end(p))
        return rdi_line_skip(p, limit, ref);
    return NULL;
}

/* Reads "I  04001000,3" or " L 1ffeffe7e0,8". The tests are ordered such that none of them reads
 * past the '\n' of a shorter line. */
static inline const char *lackey_line(rdi_lines *l, const char *p, const char *limit,
                                      rdi_ref *ref) {
    (void)l;
    uint8_t letter = (uint8_t)p[p[0] == ' '];
    ref->kind = kind_of_letter[letter];
    bool record = ref->kind && p[letter == 'I'] == ' ' && p[2] == ' ';
    if (RDI_UNLIKELY(!record))
        return skip_other(p, limit, ref);
    p = rdi_scan_hex(p + 3, &ref->addr);
    if (RDI_UNLIKELY(!p || *p != ','))
        return NULL;
    p = rdi_scan_size(p + 1, &ref->size);
    return RDI_LIKELY(p) ? rdi_scan_line_end(p) : NULL;
}

static int lackey_probe(const uint8_t *head, size_t n, bool whole) {
    return rdi_lines_probe(head, n, whole, lackey_line, RDI_PROBE_SURE);
}

static rd_status lackey_open(void *self, rdi_reader *r) {
    rdi_lines_open(self, r,
                   "'I  ADDR,SIZE', ' L ADDR,SIZE', ' S ADDR,SIZE' or ' M ADDR,SIZE' (address in "
                   "hexadecimal)");
    return RD_OK;
}

static rd_status lackey_read(void *self, rd_refs *refs) {
    return rdi_lines_read(self, refs, FIELDS, lackey_line);
}

static char *lackey_format(const rdi_writer *w, const rdi_ref *ref, char *p) {
    (void)w;
    memcpy(p, ref->kind == RD_FETCH ? "I  " : ref->kind == RD_STORE ? " S " : " L ", 3);
    p = rdi_put_hex(p + 3, ref->addr, 8);
    *p++ = ',';
    p = rdi_put_dec(p, ref->size);
    *p++ = '\n';
    return p;
}

static rd_status lackey_write(void *self, const rd_refs *refs) {
    return rdi_lines_write(self, refs, lackey_format);
}

static const rdi_writer_ops lackey_writer_ops = {
    .state_size = sizeof(rdi_lines_writer),
    .open = rdi_lines_writer_open,
    .write = lackey_write,
};

const rdi_format_ops rdi_format_lackey = {
    .info =
        {
            .name = "lackey",
            .summary = "output of Valgrind's lackey with --trace-mem=yes",
            .card =
                "Lines have the form 'I  ADDR,SIZE' for an instruction fetch, and ' L', ' S' and "
                "' M ADDR,SIZE'\n"
                "for loads, stores and modifies. ADDR is hexadecimal. A modify counts as a load "
                "and a store. "
                "Valgrind's log\n"
                "lines ('==' and '--'), superblock lines ('SB') and empty lines are skipped.\n"
                "\n"
                "  valgrind --tool=lackey --trace-mem=yes --log-file=prog.lackey prog",
            .fields = FIELDS,
            .writable = true,
        },
    .state_size = sizeof(rdi_lines),
    .probe = lackey_probe,
    .open = lackey_open,
    .read = lackey_read,
    .separate = rdi_lines_separate,
    .writer = &lackey_writer_ops,
};
