/* Results of an analysis. See analysis_result.h. */
#include "analysis_result.h"

#include "output_file.h"
#include "page_file.h"
#include "terminal.h"

#include <string.h>

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static rd_status make_text(const analysis_options *o, rd_profile *profile, char **text, size_t *n) {
    if (o->out == OUT_CSV)
        return rd_report_csv(profile, text, n);
    if (o->out == OUT_JSON)
        return rd_profile_json(profile, text, n);
    rd_report_style style = terminal_style(o->output, o->ascii);
    return rd_report_text(profile, &style, text, n);
}

static int write_page(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    cache_list caches = {0};
    const char *given = o->pipe.attribute.caches;
    int status = given ? caches_parse(ctx, given, &caches) : EXIT_OK;
    if (status != EXIT_OK)
        return status;
    const rd_source *sources;
    size_t n = rd_profile_sources(profile, &sources);
    const char *name = n && sources[0].path ? sources[0].path : "profile";
    rd_page page = {.size = sizeof page, .profiles = &profile, .names = &name, .n = 1};
    return page_write(ctx, &page, given ? &caches : NULL, o->report);
}

int analysis_print(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = make_text(o, profile, &text, &n);
    int exit_status = output_made(ctx, o->output, status, text, n);
    if (exit_status == EXIT_OK && o->report)
        exit_status = write_page(ctx, o, profile);
    return exit_status;
}

/* Reports options that need --attribute. */
static int check_attribute(const analysis_options *o) {
    const attribute_options *a = &o->pipe.attribute;
    if (!a->on && ((a->caches && !o->report) || a->windows || a->spatial || a->objects.n))
        return fail_usage("--caches, --windows, --spatial and --object need --attribute");
    return EXIT_OK;
}

/* Checks that a result can be written, and to another file than the inputs and the other results.
 */
static int check_place(const output_place *place, const output_place *others, size_t n_others,
                       int n, char **inputs) {
    int status = output_check(place);
    if (status == EXIT_OK)
        status = output_check_inputs(place, n, inputs);
    for (size_t i = 0; i < n_others && status == EXIT_OK; i++) {
        if (is_standard(place->path) && is_standard(others[i].path))
            return fail_usage("%s=-: write the result to another file with -o FILE", place->option);
        status = output_check_distinct(place, &others[i]);
    }
    return status;
}

int analysis_check(const analysis_options *o, int n, char **inputs) {
    output_place places[3] = {{.option = "-o", .path = o->output}};
    size_t n_places = 1;
    if (o->distances)
        places[n_places++] =
            (output_place){.option = "--distances", .path = o->distances, .in_place = true};
    if (o->report)
        places[n_places++] = (output_place){.option = "--report", .path = o->report};
    int status = check_attribute(o);
    for (size_t i = 0; i < n_places && status == EXIT_OK; i++)
        status = check_place(&places[i], places, i, n, inputs);
    return status;
}
