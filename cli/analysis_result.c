/* Checks the outputs of an analysis and writes its results. See analysis_result.h. */
#include "analysis_result.h"

#include "output_file.h"
#include "page_file.h"
#include "profile_files.h"
#include "terminal.h"

#include <string.h>

/* Returns whether the result goes to standard error, as the result of `run` does by default. */
static bool is_on_stderr(const analysis_options *o) {
    return o->on_stderr && !o->output;
}

/* Parses --caches or --machine into `out`, and sets *given to whether one of them was given. Reports a
 * failure and returns the exit status. */
static int choose_caches(rd_ctx *ctx, const analysis_options *o, cache_list *out, bool *given) {
    const attribute_options *a = &o->pipe.attribute;
    *given = a->caches || a->machine;
    return *given ? caches_choose(ctx, a->caches, a->machine, out) : EXIT_OK;
}

/* Makes the report. If --machine or caches with ways were given, the report ends with a table of their
 * estimated misses, unless the profile has simulated caches but no distances. */
static rd_status make_report(rd_ctx *ctx, const analysis_options *o, rd_profile *profile,
                             char **text, size_t *n) {
    rd_report_style style =
        is_on_stderr(o) ? terminal_style_on_stderr(o->ascii) : terminal_style(o->output, o->ascii);
    cache_list caches = {0};
    bool given;
    rd_status status = rd_profile_show_own(profile, NULL, 0);
    if (status != RD_OK)
        return status;
    bool distances = strcmp(rd_profile_facts_of(profile)->error_kind, "none") != 0;
    if (choose_caches(ctx, o, &caches, &given) != EXIT_OK || !caches.has_machine ||
        (!distances && (rd_profile_simulation(profile) || rd_profile_private_simulation(profile))))
        return rd_report_text(profile, &style, text, n);
    if (!o->pipe.attribute.machine) /* caches of --caches have lines as large as blocks */
        caches.machine.line_bytes = rd_profile_facts_of(profile)->block_bytes;
    return rd_report_machine_text(profile, &style, &caches.machine, text, n);
}

static rd_status make_text(rd_ctx *ctx, const analysis_options *o, rd_profile *profile, char **text,
                           size_t *n) {
    if (o->out == OUT_CSV)
        return rd_report_csv(profile, text, n);
    if (o->out == OUT_JSON)
        return rd_profile_json(profile, text, n);
    return make_report(ctx, o, profile, text, n);
}

static int write_page(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    cache_list caches = {0};
    bool given;
    rd_status shown = rd_profile_show_own(profile, NULL, 0);
    int status = shown == RD_OK ? choose_caches(ctx, o, &caches, &given) : fail_status(ctx, shown);
    if (status != EXIT_OK)
        return status;
    const rd_source *sources;
    size_t n = rd_profile_sources(profile, &sources);
    const char *name = n && sources[0].path ? sources[0].path : "profile";
    rd_page page = {
        .size = sizeof page, .profiles = &profile, .names = &name, .n = 1, .source_text = true};
    return page_write(ctx, &page, given ? &caches : NULL, o->report);
}

/* Writes the result to standard error. An empty line separates a report from what the program
 * printed. */
static int print_on_stderr(const analysis_options *o, const char *text, size_t n) {
    fflush(stdout); /* keeps the order of the output */
    if (o->out == OUT_TEXT)
        fputc('\n', stderr);
    bool written = fwrite(text, 1, n, stderr) == n && fflush(stderr) == 0;
    return written ? EXIT_OK : EXIT_FAILED;
}

static int print_result(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    char *text = NULL;
    size_t n = 0;
    rd_status made = make_text(ctx, o, profile, &text, &n);
    if (made != RD_OK || !is_on_stderr(o))
        return output_made(ctx, o->output, made, text, n);
    int status = print_on_stderr(o, text, n);
    rd_text_free(ctx, text);
    return status;
}

/* Lists the outputs of the analysis except standard error in `places`, and returns their number. */
static size_t list_outputs(const analysis_options *o, output_place places[4]) {
    size_t n = 0;
    if (!is_on_stderr(o))
        places[n++] = (output_place){.option = "-o", .path = o->output};
    if (o->distances)
        places[n++] = (output_place){.option = "--distances", .path = o->distances};
    if (o->report)
        places[n++] = (output_place){.option = "--report", .path = o->report};
    if (o->pipe.checkpoint)
        places[n++] = (output_place){.option = "--checkpoint", .path = o->pipe.checkpoint};
    return n;
}

int analysis_print(rd_ctx *ctx, const analysis_options *o, rd_profile *profile) {
    output_place places[4];
    size_t n_places = list_outputs(o, places);
    int exit_status = EXIT_OK;
    for (size_t i = 0; i < n_places && exit_status == EXIT_OK; i++)
        exit_status = output_check_sources(&places[i], profile);
    if (exit_status == EXIT_OK)
        warn_no_own(profile, &o->pipe.attribute.own);
    if (exit_status == EXIT_OK)
        exit_status = print_result(ctx, o, profile);
    if (exit_status == EXIT_OK && o->report)
        exit_status = write_page(ctx, o, profile);
    return exit_status;
}

/* Reports a mistake if an option that needs --attribute was given without it. Returns the exit
 * status. */
static int check_attribute(const analysis_options *o) {
    const attribute_options *a = &o->pipe.attribute;
    bool ways = a->caches && strchr(a->caches, ':');
    const char *option = a->windows     ? "--windows"
                         : a->spatial   ? "--spatial"
                         : a->own.n     ? "--own"
                         : a->objects.n ? "--object"
                                        : NULL;
    if (!a->on && a->caches && !ways && !o->report)
        return fail_usage(
            "--caches without ways needs --attribute or --report; add one of them, or "
            "give the ways, such as L1=32K:8");
    if (!a->on && option)
        return fail_usage("%s needs --attribute; add --attribute, or omit %s", option, option);
    return EXIT_OK;
}

/* Checks the options of attribution, and that no output overwrites a program file. Reports a
 * failure and returns the exit status. */
static int check_objects(rd_ctx *ctx, const attribute_options *a, const output_place *places,
                         size_t n_places) {
    attribute_choice choice;
    int status = attribute_parse(ctx, a, &choice);
    if (status == EXIT_OK)
        status =
            output_check(ctx, places, n_places, (const char *const *)choice.paths, a->objects.n);
    attribute_free(&choice);
    return status;
}

int analysis_check(rd_ctx *ctx, const analysis_options *o, const char *const *inputs, size_t n) {
    output_place places[4];
    size_t n_places = list_outputs(o, places);
    int status = check_attribute(o);
    if (status == EXIT_OK && o->pipe.checkpoint && strcmp(o->pipe.checkpoint, "-") == 0)
        status = fail_usage("--checkpoint: '-' is standard output; name a file");
    if (status == EXIT_OK)
        status = output_check(ctx, places, n_places, inputs, n);
    if (status == EXIT_OK) /* --machine may name a file */
        status = output_check(ctx, places, n_places, &o->pipe.attribute.machine, 1);
    if (status == EXIT_OK) /* --own may name files, too */
        status = output_check(ctx, places, n_places, o->pipe.attribute.own.value,
                              o->pipe.attribute.own.n);
    if (status == EXIT_OK)
        status = check_objects(ctx, &o->pipe.attribute, places, n_places);
    return status;
}
