/* analyze: measures the reuse distances of traces and prints a report, a table or a profile. */
#include "analysis_result.h"
#include "kinds.h"

#include <stddef.h>

static const rd_opt analyze_opts[] = {
#define ANALYSIS_FIELD(member) offsetof(analysis_options, member)
#include "analysis_options.def"
#define OBJECT_FIELD(member) ANALYSIS_FIELD(objects.member)
#include "object_options.def"
    OPTION_MERGE(ANALYSIS_FIELD(pipe.merge)),
    {.name = "simulate",
     .type = RD_OPT_BOOL,
     .offset = ANALYSIS_FIELD(simulate),
     .help = "also simulate the caches of --caches (with ways) or --machine exactly; with "
             "--attribute, find the causes of misses by code and data"},
    {.name = "checkpoint",
     .arg = "FILE",
     .type = RD_OPT_STRING,
     .offset = ANALYSIS_FIELD(pipe.checkpoint),
     .help = "engine parda: resume from this file if it exists, and update it after each round"},
    {.name = NULL},
};

/* Takes the caches to simulate. Reports a mistake and returns the exit status. */
static int choose_hierarchy(rd_ctx *ctx, const analysis_options *o, rd_hierarchy *out) {
    const attribute_options *a = &o->pipe.attribute;
    cache_list caches = {0};
    uint32_t kinds = 0;
    int status = EXIT_OK;
    if (a->caches || a->machine)
        status = caches_choose(ctx, a->caches, a->machine, &caches);
    if (status == EXIT_OK && !caches.has_machine)
        status = fail_usage("--simulate needs --machine or --caches with ways, such as L1=32K:8");
    if (status == EXIT_OK && !kinds_parse(o->pipe.kinds, &kinds))
        status = EXIT_USAGE;
    if (status == EXIT_OK) /* without --kinds, a trace may have fetches */
        rd_machine_hierarchy(&caches.machine, kinds == 0 || (kinds & RD_FETCH), out);
    return status;
}

static int analyze(rd_ctx *ctx, const analysis_options *o, int n, char **paths, rd_profile **out) {
    pipeline p;
    rd_objects_config config;
    rd_hierarchy hierarchy;
    pipeline_extras extras = {.distances = o->distances,
                              .hierarchy = o->simulate ? &hierarchy : NULL,
                              .objects = objects_config(&o->objects, NULL, &config)};
    pipeline_options options = o->pipe;
    int status = o->simulate ? choose_hierarchy(ctx, o, &hierarchy) : EXIT_OK;
    if (status == EXIT_OK)
        status = objects_take_engine(ctx, &o->objects, &options.engine, &config);
    if (status != EXIT_OK)
        return status;
    status = pipeline_open(&p, ctx, &options, &extras);
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
    const attribute_options *a = &o->pipe.attribute;
    int status = objects_check(&o->objects);
    if (status == EXIT_OK)
        status = objects_check_trace(&o->objects, o->pipe.hist, PIPELINE_HIST);
    if (status == EXIT_OK && o->objects.weight == WEIGHT_BYTES &&
        (a->caches || a->machine || o->simulate))
        status = fail_usage("analyze: --caches, --machine and --simulate are for blocks of memory, "
                            "not for bytes of objects; for the miss ratios of object caches of "
                            "given sizes, use mrc --weight=bytes --sizes=SIZE,...");
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
