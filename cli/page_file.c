/* Pages from profiles. See page_file.h. */
#include "page_file.h"

#include "output_file.h"

int page_write(rd_ctx *ctx, rd_page *page, const cache_list *caches, const char *path) {
    cache_list machine;
    page->levels_from = "as given";
    if (!caches) {
        page->levels_from = caches_of_machine(ctx, &machine) ? "of the machine that made this page"
                                                             : "of a typical machine";
        caches = &machine;
    }
    page->levels = caches->level;
    page->n_levels = caches->n;
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_report_html(ctx, page, &text, &n);
    if (status != RD_OK)
        return fail_status(ctx, status);
    int exit_status = output_text(ctx, path, text, n);
    rd_text_free(ctx, text);
    return exit_status;
}
