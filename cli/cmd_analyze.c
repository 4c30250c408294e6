/* analyze: measures the reuse distances of traces and prints a report, a table or a profile. */
#include "analysis_result.h"

#include <stddef.h>

static const rd_opt analyze_opts[] = {
#define ANALYSIS_FIELD(member) offsetof(analysis_options, member)
#include "analysis_options.def"
#define OBJECT_FIELD(member) ANALYSIS_FIELD(objects.member)
#include "object_options.def"
    OPTION_MERGE(ANALYSIS_FIELD(pipe.merge)),
    {.name = "checkpoint",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = ANALYSIS_FIELD(pipe.checkpoint),
     .help = "engine parda: resume from this file if it exists, and update it after each round"},
    {.name = NULL},
};

static int analyze(rd_ctx *ctx, const analysis_options *o, int n, char **paths, rd_profile **out) {
    pipeline p;
    rd_objects_config config;
    pipeline_extras extras = {.distances = o->distances,
                              .objects = objects_config(&o->objects, NULL, &config)};
    int status = pipeline_open(&p, ctx, &o->pipe, &extras);
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
    int status = objects_check(&o->objects);
    if (status == EXIT_OK)
        status = analysis_check(ctx, o, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    status = analyze(ctx, o, n, operands, &profile);
    if (profile) {
        int printed = analysis_print(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    /* The analysis is complete, so the checkpoint is not needed any more. */
    if (status == EXIT_OK && o->pipe.checkpoint)
        remove(o->pipe.checkpoint);
    return status;
}

const command command_analyze = {
    .name = "analyze",
    .summary = "measure the reuse distances of traces",
    .operands = "TRACE...",
    .details = "Several traces are analyzed as one, in the given order, or merged by time with\n"
               "--merge=time: equal times keep the order of the files. '-' is standard input.\n"
               "Traces may be compressed (gz, bz2, xz, zst, lz4).\n",
    .opts = analyze_opts,
    .opts_size = sizeof(analysis_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_analyze,
};
