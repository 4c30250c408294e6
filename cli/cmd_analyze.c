/* analyze: reuse distances of traces, as a report, a table or a profile. */
#include "analysis.h"

#include <stddef.h>

static const rd_opt analyze_opts[] = {
#define ANALYSIS_FIELD(member) offsetof(analysis_options, member)
#include "analysis_options.def"
    {.name = NULL},
};

static int run_analyze(rd_ctx *ctx, void *opts, int n, char **operands) {
    const analysis_options *o = opts;
    int status = analysis_check(o, n, operands);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    pipeline_input input = {.n = n, .paths = operands};
    status = pipeline_run(ctx, &o->pipe, &input, o->distances, &profile);
    if (profile) {
        int printed = analysis_print(ctx, o, profile);
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
    .opts_size = sizeof(analysis_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_analyze,
};
