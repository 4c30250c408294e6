/* analyze: reuse distances of traces, as a report, a table or a profile. */
#include "cli.h"
#include "output_file.h"
#include "pipeline.h"
#include "terminal.h"

#include <stddef.h>
#include <string.h>

enum { OUT_TEXT, OUT_CSV, OUT_JSON };

typedef struct analyze_options {
    pipeline_options pipe;
    uint32_t out;
    const char *output;
    const char *distances;
    bool ascii;
} analyze_options;

static const rd_opt analyze_opts[] = {
#define PIPELINE_FIELD(member) offsetof(analyze_options, pipe.member)
#define PIPELINE_HIST          "loglinear"
#include "pipeline_options.def"
    {.name = "out",
     .arg = "AS",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(analyze_options, out),
     .choices = "text|csv|json",
     .def = "text",
     .help = "a report, the histogram, or a profile"},
    {.name = "output",
     .letter = 'o',
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = offsetof(analyze_options, output),
     .help = "result to this file [standard output]"},
    {.name = "distances",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = offsetof(analyze_options, distances),
     .help = "also write every distance, one per line"},
    {.name = "ascii",
     .type = RD_OPT_BOOL,
     .offset = offsetof(analyze_options, ascii),
     .help = "draw the report with plain characters"},
    {.name = NULL},
};

static bool is_standard(const char *path) {
    return !path || strcmp(path, "-") == 0;
}

static rd_status make_text(const analyze_options *o, rd_profile *profile, char **text, size_t *n) {
    if (o->out == OUT_CSV)
        return rd_report_csv(profile, text, n);
    if (o->out == OUT_JSON)
        return rd_profile_json(profile, text, n);
    rd_report_style style = terminal_style(o->output, o->ascii);
    return rd_report_text(profile, &style, text, n);
}

static int print_result(rd_ctx *ctx, const analyze_options *o, rd_profile *profile) {
    char *text = NULL;
    size_t n = 0;
    rd_status status = make_text(o, profile, &text, &n);
    if (status != RD_OK)
        return fail_status(ctx, status);
    int exit_status = output_text(ctx, o->output, text, n);
    rd_text_free(ctx, text);
    return exit_status;
}

/* Before the work, which may be long, and before anything is opened. */
static int check_places(const analyze_options *o, int n, char **inputs) {
    output_place result = {.option = "-o", .path = o->output};
    output_place distances = {.option = "--distances", .path = o->distances, .in_place = true};
    int status = output_check(&result);
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

static int run_analyze(rd_ctx *ctx, void *opts, int n, char **operands) {
    const analyze_options *o = opts;
    int status = check_places(o, n, operands);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    pipeline_input input = {.n = n, .paths = operands};
    status = pipeline_run(ctx, &o->pipe, &input, o->distances, &profile);
    if (profile) {
        int printed = print_result(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    return status;
}

const command command_analyze = {
    .name = "analyze",
    .summary = "reuse distances of traces: histogram, miss ratios, working sets",
    .operands = "TRACE...",
    .details = "Several traces are read one after the other, as one. '-' is standard input.\n"
               "Compressed traces (gz, bz2, xz, zst, lz4) are unpacked on the way.\n",
    .opts = analyze_opts,
    .opts_size = sizeof(analyze_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_analyze,
};
