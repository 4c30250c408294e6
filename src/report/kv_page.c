/* Makes the page about prefix caches for browsers from src/report/html/kv.html and the data. */
#include "report/html_data.h"
#include "report/kv_report.h"

rd_status rd_kv_report_html(const rd_kv_view *view, char **text, size_t *n) {
    RDI_NEED(view ? rd_kv_ctx(view->kv) : NULL, view, text, n);
    rd_kv_view known;
    char *json = NULL;
    size_t length = 0;
    RD_TRY(rdi_kv_view_check(view, &known));
    RD_TRY(rdi_kv_json(&known, true, &json, &length));
    rd_ctx *ctx = rd_kv_ctx(known.kv);
    rd_status status = rdi_html_assemble(ctx, "kv.html", json, length, text, n);
    rd_text_free(ctx, json);
    return status;
}
