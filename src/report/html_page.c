/* Makes the page for browsers: one file with the files of src/report/html and the data.
 *
 * page.html (for prefix caches kv.html) has a mark "<!--#NAME-->" where the content of another file
 * is inserted. NAME is "data" for the profiles as JSON. Names, paths and source text of a profile are untrusted. They are in
 * that JSON and nowhere else, and characters that could end the element of the JSON are written as
 * escapes.
 */
#include "base/asset.h"
#include "base/sized.h"
#include "report/html_data.h"

#include <string.h>

static const char mark_begin[] = "<!--#", mark_end[] = "-->";

/* Returns the file with this name, or NULL if this build does not have it. */
static const rdi_asset *find_asset(const char *name, size_t n) {
    for (const rdi_asset *a = rdi_html_assets; a->name; a++)
        if (strlen(a->name) == n && memcmp(a->name, name, n) == 0)
            return a;
    return NULL;
}

/* Escapes the characters that are special in HTML. JSON has them only in strings, where an escape
 * means the same. U+2028 and U+2029 (E2 80 A8 and A9 in UTF-8) end lines in old versions of
 * JavaScript. */
static void add_harmless(rdi_text *t, const char *json, size_t n) {
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *at = (const unsigned char *)json + i;
        bool separator = n - i >= 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] | 1) == 0xa9;
        if (!separator && !(*at && strchr("<>&", *at)))
            continue;
        rdi_text_add(t, json + done, i - done);
        rdi_text_printf(t, "\\u%04x", separator ? 0x2028u + (at[2] & 1u) : *at);
        i += separator ? 2 : 0;
        done = i + 1;
    }
    rdi_text_add(t, json + done, n - done);
}

/* Adds the file `page` of src/report/html, with the files that it names and the data. */
static void add_page(rdi_text *t, const char *page, const char *json, size_t n) {
    const char *at = (const char *)find_asset(page, strlen(page))->data, *mark;
    while ((mark = strstr(at, mark_begin))) {
        rdi_text_add(t, at, (size_t)(mark - at));
        const char *name = mark + strlen(mark_begin), *end = strstr(name, mark_end);
        const rdi_asset *asset = find_asset(name, (size_t)(end - name));
        if (strncmp(name, "data-->", strlen("data-->")) == 0)
            add_harmless(t, json, n);
        else if (asset)
            rdi_text_add(t, asset->data, asset->n);
        at = end + strlen(mark_end);
    }
    rdi_text_puts(t, at);
}

rd_status rdi_html_assemble(rd_ctx *ctx, const char *page, const char *json, size_t json_n,
                            char **text, size_t *n) {
    rdi_text t = rdi_text_start(ctx);
    add_page(&t, page, json, json_n);
    return rdi_text_take(&t, text, n);
}

static rd_status check_page(rd_ctx *ctx, const rd_page *page) {
    if (page->n == 0)
        return rdi_fail(ctx, RD_EINVAL, "a page needs at least one profile");
    RDI_NEED(ctx, page->profiles, page->names);
    for (size_t i = 0; i < page->n; i++)
        RDI_NEED(ctx, page->profiles[i], page->names[i]);
    if (page->n_levels)
        RDI_NEED(ctx, page->levels);
    return RD_OK;
}

rd_status rd_report_html(rd_ctx *ctx, const rd_page *page, char **text, size_t *n) {
    RDI_NEED(ctx, ctx, page, text, n);
    rd_page known;
    char *json = NULL;
    size_t json_n = 0;
    RD_TRY(rdi_sized_copy(ctx, "rd_page", page, &known, sizeof known));
    RD_TRY(check_page(ctx, &known));
    RD_TRY(rdi_html_data(ctx, &known, &json, &json_n));
    rd_status status = rdi_html_assemble(ctx, "page.html", json, json_n, text, n);
    rd_text_free(ctx, json);
    return status;
}
