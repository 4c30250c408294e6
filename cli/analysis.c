/* Results of an analysis. See analysis.h. */
#include "analysis.h"

#include "output_file.h"
#include "terminal.h"

#include <string.h>

enum { OUT_TEXT, OUT_CSV, OUT_JSON };

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

int analysis_print(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = make_text(o, profile, &text, &n);
    if (status != RD_OK)
        return fail_status(ctx, status);
    int exit_status = output_text(ctx, o->output, text, n);
    rd_text_free(ctx, text);
    return exit_status;
}

/* Options that say how to attribute, without being asked to. */
static int check_attribute(const attribute_options *o) {
    if (!o->on && (o->caches || o->windows || o->spatial))
        return fail_usage("--caches, --windows and --spatial go with --attribute");
    return EXIT_OK;
}

int analysis_check(const analysis_options *o, int n, char **inputs) {
    output_place result = {.option = "-o", .path = o->output};
    output_place distances = {.option = "--distances", .path = o->distances, .in_place = true};
    int status = check_attribute(&o->pipe.attribute);
    if (status == EXIT_OK)
        status = output_check(&result);
    if (status == EXIT_OK)
        status = output_check_inputs(&result, n, inputs);
    if (!o->distances || status != EXIT_OK)
        return status;
    if (is_standard(o->distances) && is_standard(o->output))
        return fail_usage("--distances=-: the result needs another place: -o FILE");
    status = output_check(&distances);
    if (status == EXIT_OK)
        status = output_check_inputs(&distances, n, inputs);
    return status == EXIT_OK ? output_check_distinct(&distances, &result) : status;
}
