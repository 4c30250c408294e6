/* Makes the page about prefix caches for browsers. */
#include "report/html_data.h"
#include "report/kv_report.h"

rd_status rd_kv_report_html(const rd_kv_view *view, char **text, size_t *n) {
    RDI_NEED(view ? rd_kv_ctx(view->kv) : NULL, view, text, n);
    static const char *const scripts[] = {"util.js",   "export.js",    "charts.js", "frame.js",
                                          "tables.js", "kv_charts.js", "kv.js",     NULL};
    rd_kv_view known;
    char *json = NULL;
    size_t length = 0;
    RD_TRY(rdi_kv_view_check(view, &known));
    RD_TRY(rdi_kv_json(&known, true, &json, &length));
    rd_ctx *ctx = rd_kv_ctx(known.kv);
    rdi_html_page page = {"Prefix cache report", scripts, json, length};
    rd_status status = rdi_html_assemble(ctx, &page, text, n);
    rd_text_free(ctx, json);
    return status;
}
