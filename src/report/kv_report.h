/* Functions that the reports about prefix caches share: kv_text.c for people, kv_data.c for tools
 * (CSV, JSON), kv_page.c for browsers. */
#ifndef RDI_KV_REPORT_H
#define RDI_KV_REPORT_H

#include "base/json_write.h"
#include "reusedist/prefix.h"

/* The contents of a report about one size. */
typedef struct rdi_kv_report_row {
    size_t index; /* index of the size in the configuration */
    uint64_t blocks;
    double block_ratio, token_ratio;
    double p10, median, p99;                 /* quantiles of the served share of a prompt */
    double best_blocks, best_low, best_high; /* best possible shares (Belady's bound); NAN:
                                                not requested */
} rdi_kv_report_row;

/* Checks a view and copies it. */
rd_status rdi_kv_view_check(const rd_kv_view *view, rd_kv_view *out);

/* Makes the rows of the sizes that a report shows. The caller frees them with rdi_free(). */
rd_status rdi_kv_rows(const rd_kv_view *view, rdi_kv_report_row **out, size_t *n);

double rdi_kv_ratio(uint64_t part, uint64_t whole); /* returns 0 if `whole` is 0 */

/* Returns the length of the log in seconds, or 0 if it is unknown. */
double rdi_kv_seconds(const rd_kv_totals *totals);

/* Returns the name of a router. */
const char *rdi_kv_router_name(rd_kv_router router);

/* Writes the report as JSON. With `curve`, the report also has the curve for the charts of the page. */
rd_status rdi_kv_json(const rd_kv_view *view, bool curve, char **text, size_t *n);

#endif
