/* Exports a table of source lines as CSV, for spreadsheets and scripts. */
#include "report/export.h"

static void put_text(rdi_text *out, const char *text) {
    rdi_text_csv(out, text ? text : "");
    rdi_text_putc(out, ',');
}

static void put_line(const rdi_export *e, const rd_code_line *line, rdi_text *out) {
    const rd_attribution *a = e->d->attribution;
    const rd_code_function *f =
        line->function == RD_NO_INDEX ? NULL : &a->functions[line->function];
    put_text(out, line->source == RD_NO_INDEX ? NULL : a->sources[line->source]);
    rdi_text_u64(out, line->line);
    rdi_text_putc(out, ',');
    put_text(out, f ? f->name : "(others)");
    put_text(out, line->library);
    put_text(out, f ? f->module : NULL);
    rdi_text_u64(out, line->share.references);
    rdi_text_putc(out, ',');
    rdi_text_u64(out, line->share.infinite);
    for (size_t k = 0; k < e->d->n_levels; k++) {
        rdi_text_putc(out, ',');
        rdi_text_u64(out, line->share.misses[k]);
    }
    rdi_text_putc(out, '\n');
}

static rd_status csv_write(const rdi_export *e, rdi_text *out) {
    const rd_attribution *a = e->d->attribution;
    rdi_text_puts(out, "file,line,function,library,module,references,infinite");
    for (size_t k = 1; k < e->n_values; k++) {
        rdi_text_putc(out, ',');
        rdi_text_csv(out, e->names[k]);
    }
    rdi_text_putc(out, '\n');
    for (size_t i = 0; a && i < a->n_lines; i++)
        put_line(e, &a->lines[i], out);
    return RD_OK;
}

const rdi_exporter rdi_exporter_csv = {"csv", "a table of the lines, own code first", csv_write};
