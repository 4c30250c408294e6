/* Writes a page about profiles. See page_file.h. */
#include "page_file.h"

#include "output_file.h"

/* Takes the caches from the first profile whose details count misses of caches. Returns false if there is
 * no such profile. */
static bool caches_of_profiles(rd_page *page) {
    for (size_t i = 0; i < page->n; i++) {
        const rd_details *details = rd_profile_details(page->profiles[i]);
        if (!details || !details->n_levels)
            continue;
        page->levels = details->levels;
        page->n_levels = details->n_levels;
        page->levels_from = "that the analysis was made for";
        return true;
    }
    return false;
}

static void choose_caches(rd_page *page, const cache_list *given, cache_list *machine) {
    if (!given && caches_of_profiles(page))
        return;
    page->levels_from = "given by --caches";
    if (!given) {
        bool known;
        machine->n = rd_machine_caches(machine->level, &known);
        page->levels_from = known ? "of the machine that made this page" : "of a typical machine";
        given = machine;
    }
    page->levels = given->level;
    page->n_levels = given->n;
}

int page_write(rd_ctx *ctx, rd_page *page, const cache_list *caches, const char *path) {
    cache_list machine;
    rd_machine given;
    bool objects = rd_profile_objects(page->profiles[0]);
    if (objects && (caches || page->n_machines))
        return fail_usage(
            "%s: this profile is of object caches, but --caches and --machine describe "
            "caches of a processor; omit these options",
            page->names[0]);
    if (!objects)
        choose_caches(page, caches, &machine);
    if (caches && caches->has_machine && page->n_machines == 0) {
        given = caches->machine;
        if (!given.name[0]) /* caches of --caches have lines as large as blocks */
            given.line_bytes = rd_profile_facts_of(page->profiles[0])->block_bytes;
        page->machines = &given;
        page->n_machines = 1;
    }
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_report_html(ctx, page, &text, &n);
    return output_made(ctx, path, status, text, n);
}
