/* analyze: reuse distances of traces, as a report, a table or a profile. */
#include "analysis_result.h"
#include "output_file.h"

#include <stddef.h>
#include <string.h>

static const rd_opt analyze_opts[] = {
#define ANALYSIS_FIELD(member) offsetof(analysis_options, member)
#include "analysis_options.def"
    {.name = "checkpoint",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = ANALYSIS_FIELD(pipe.checkpoint),
     .help = "resume from this file if it exists; write it at the end of each round (parda)"},
    {.name = NULL},
};

/* Checks the checkpoint file, which may exist already and is replaced during the analysis. */
static int check_checkpoint(const analysis_options *o, int n, char **inputs) {
    output_place place = {.option = "--checkpoint", .path = o->pipe.checkpoint};
    output_place result = {.option = "-o", .path = o->output};
    if (!place.path)
        return EXIT_OK;
    if (strcmp(place.path, "-") == 0)
        return fail_usage("--checkpoint: needs a file, not standard output");
    int status = output_check(&place);
    if (status == EXIT_OK)
        status = output_check_inputs(&place, n, inputs);
    return status == EXIT_OK && o->output ? output_check_distinct(&place, &result) : status;
}

static int analyze(rd_ctx *ctx, const analysis_options *o, int n, char **paths, rd_profile **out) {
    pipeline p;
    int status = pipeline_open(&p, ctx, &o->pipe, &(pipeline_extras){.distances = o->distances});
    for (int i = 0; i < n && status == EXIT_OK; i++)
        if (rd_analysis_add_file(p.analysis, paths[i]) != RD_OK)
            status = fail_status(ctx, RD_ENOMEM);
    if (status == EXIT_OK)
        status = pipeline_run(&p, out);
    pipeline_close(&p);
    return status;
}

static int run_analyze(rd_ctx *ctx, void *opts, int n, char **operands) {
    const analysis_options *o = opts;
    int status = analysis_check(o, n, operands);
    if (status == EXIT_OK)
        status = check_checkpoint(o, n, operands);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    status = analyze(ctx, o, n, operands, &profile);
    if (profile) {
        int printed = analysis_print(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    if (status == EXIT_OK && o->pipe.checkpoint) /* the work is done */
        remove(o->pipe.checkpoint);
    return status;
}

const command command_analyze = {
    .name = "analyze",
    .summary = "measure the reuse distances of traces",
    .operands = "TRACE...",
    .details = "Several traces are analyzed as one, in the given order. '-' is standard input.\n"
               "Traces may be compressed (gz, bz2, xz, zst, lz4).\n",
    .opts = analyze_opts,
    .opts_size = sizeof(analysis_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_analyze,
};
