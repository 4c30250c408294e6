/* Makes the page for browsers: one file with the files of src/report/html and the data.
 *
 * frame.html is the frame of all pages. It has a mark "<!--#NAME-->" where the content of another file
 * is inserted. NAME is "title" for the title of the page, "scripts" for its scripts, "data" for its
 * data as JSON, or else the name of a file. Names, paths and source text of a profile are untrusted. They
 * are in the JSON and nowhere else, and characters that could end its element are written as escapes.
 */
#include "base/asset.h"
#include "base/sized.h"
#include "report/html_data.h"
#include "reusedist/objects.h"

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

/* Adds a file, unless this build does not have it. */
static void add_asset(rdi_text *t, const char *name, size_t n) {
    const rdi_asset *asset = find_asset(name, n);
    if (asset)
        rdi_text_add(t, asset->data, asset->n);
}

/* Adds the content that replaces the mark with this name. */
static void add_part(rdi_text *t, const rdi_html_page *page, const char *name, size_t n) {
    if (n == strlen("title") && memcmp(name, "title", n) == 0)
        rdi_text_puts(t, page->title);
    else if (n == strlen("scripts") && memcmp(name, "scripts", n) == 0)
        for (const char *const *script = page->scripts; *script; script++)
            add_asset(t, *script, strlen(*script));
    else if (n == strlen("data") && memcmp(name, "data", n) == 0)
        add_harmless(t, page->json, page->n);
    else
        add_asset(t, name, n);
}

rd_status rdi_html_assemble(rd_ctx *ctx, const rdi_html_page *page, char **text, size_t *n) {
    static const char frame[] = "frame.html";
    rdi_text t = rdi_text_start(ctx);
    const char *at = (const char *)find_asset(frame, strlen(frame))->data, *mark;
    while ((mark = strstr(at, mark_begin))) {
        rdi_text_add(&t, at, (size_t)(mark - at));
        const char *name = mark + strlen(mark_begin), *end = strstr(name, mark_end);
        add_part(&t, page, name, (size_t)(end - name));
        at = end + strlen(mark_end);
    }
    rdi_text_puts(&t, at);
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

/* Sets *objects to whether the profiles are of object caches. A page with profiles of both kinds is
 * refused, because their sizes and misses do not mean the same. */
static rd_status check_kind(rd_ctx *ctx, const rd_page *page, bool *objects) {
    *objects = rd_profile_objects(page->profiles[0]);
    for (size_t i = 1; i < page->n; i++) {
        bool other = rd_profile_objects(page->profiles[i]);
        if (other != *objects)
            return rdi_fail(ctx, RD_EINVAL,
                            "%s has requests of an object cache, but %s has references to blocks; "
                            "make a page of each kind",
                            page->names[other ? i : 0], page->names[other ? 0 : i]);
    }
    if (*objects && page->n_machines)
        return rdi_fail(ctx, RD_EINVAL,
                        "%s: this profile is of object caches, but a machine describes caches of a "
                        "processor; make the page without machines",
                        page->names[0]);
    return RD_OK;
}

rd_status rd_report_html(rd_ctx *ctx, const rd_page *page, char **text, size_t *n) {
    RDI_NEED(ctx, ctx, page, text, n);
    static const char *const scripts[] = {
        "util.js",           "details.js",        "words.js", "export.js", "charts.js",
        "curves.js",         "frame.js",          "heat.js",  "tables.js", "panels.js",
        "panels_code.js",    "source.js",         "calls.js", "flame.js",  "panels_machine.js",
        "panels_threads.js", "panels_sharing.js", "tabs.js",  "page.js",   NULL};
    rd_page known;
    bool objects = false;
    char *json = NULL;
    size_t json_n = 0;
    RD_TRY(rdi_sized_copy(ctx, "rd_page", page, &known, sizeof known));
    RD_TRY(check_page(ctx, &known));
    RD_TRY(check_kind(ctx, &known, &objects));
    if (objects)
        return rdi_html_objects(ctx, &known, text, n);
    RD_TRY(rdi_html_data(ctx, &known, &json, &json_n));
    rdi_html_page made = {"Reuse distance report", scripts, json, json_n};
    rd_status status = rdi_html_assemble(ctx, &made, text, n);
    rd_text_free(ctx, json);
    return status;
}
