/* simulate: simulates a hierarchy of caches exactly. */
#include "option_rows.h"
#include "output_file.h"
#include "pipeline.h"
#include "terminal.h"

#include <stddef.h>

typedef struct simulate_options {
    pipeline_options pipe;
    const char *caches;
    bool no_causes;
    uint32_t out;
    const char *output;
    bool ascii;
} simulate_options;

#define FIELD(member) offsetof(simulate_options, member)

static const rd_opt simulate_opts[] = {
    {.name = "caches",
     .arg = "L1=SIZE:WAYS,...",
     .type = RD_OPT_STRING,
     .offset = FIELD(caches),
     .help = "the caches from the inside out, NAME=SIZE[:WAYS][:KEY=VALUE...]"},
    {.name = "no-causes",
     .type = RD_OPT_BOOL,
     .offset = FIELD(no_causes),
     .help = "count misses without their causes, which is faster"},
    OPTION_OUT(FIELD(out), "text: print tables; csv, json: only the numbers"),
    OPTION_OUTPUT(FIELD(output), "FILE", "write the result to this file [standard output]"),
    OPTION_ASCII(FIELD(ascii), "draw the tables with ASCII characters only"),
    OPTION_FORMAT(FIELD(pipe.format),
                  "format of the trace, NAME[:key=value,...]; see 'reusedist formats' [detected]"),
    OPTION_BLOCK(FIELD(pipe.block)),
    OPTION_KINDS(FIELD(pipe.kinds), NULL,
                 "simulate only loads (L), stores (S), instruction fetches (I) [all]"),
    OPTION_MEM(FIELD(pipe.mem_bytes)),
    OPTION_PARTIAL(FIELD(pipe.partial)),
    OPTION_PROGRESS(FIELD(pipe.progress)),
    OPTION_QUIET(FIELD(pipe.quiet), "show no progress bar and no notes"),
    OPTION_VERBOSE(FIELD(pipe.verbose)),
    {.name = NULL},
};

/* Simulates the caches with all traces. Reports failures and returns the exit status. */
static int simulate(rd_ctx *ctx, const simulate_options *o, const rd_hierarchy *h, int n,
                    char **paths, rd_profile **out) {
    pipeline p;
    pipeline_options pipe = o->pipe;
    pipe.engine = "null"; /* the simulation needs no distances of the whole trace */
    pipe.hist = "log";
    pipeline_extras extras = {.hierarchy = h, .without_causes = o->no_causes};
    int status = pipeline_open(&p, ctx, &pipe, &extras);
    for (int i = 0; i < n && status == EXIT_OK; i++)
        if (rd_analysis_add_file(p.analysis, paths[i]) != RD_OK)
            status = fail_status(ctx, RD_ENOMEM);
    if (status == EXIT_OK)
        status = pipeline_run(&p, out);
    pipeline_close(&p);
    return status;
}

static int print_result(rd_ctx *ctx, const simulate_options *o, rd_profile *profile) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV    ? rd_report_simulation_csv(profile, &text, &n)
                       : o->out == OUT_JSON ? rd_report_simulation_json(profile, &text, &n)
                                            : rd_report_simulation_text(profile, &style, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

static int run_simulate(rd_ctx *ctx, void *opts, int n, char **operands) {
    const simulate_options *o = opts;
    rd_hierarchy h;
    rd_profile *profile = NULL;
    if (!o->caches)
        return fail_usage("simulate: no caches are given; use --caches=L1=48K:12,L2=2M:16");
    if (rd_hierarchy_parse(ctx, o->caches, &h) != RD_OK)
        return fail_usage("--caches: %s", rd_last_error(ctx));
    output_place place = {.option = "-o", .path = o->output};
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    status = simulate(ctx, o, &h, n, operands, &profile);
    if (profile) {
        int printed = print_result(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    return status;
}

const command command_simulate = {
    .name = "simulate",
    .summary = "simulate caches with sets and levels",
    .operands = "TRACE...",
    .details =
        "A cache is written NAME=SIZE[:WAYS][:KEY=VALUE...]. Without WAYS it is fully\n"
        "associative. The keys are:\n"
        "  policy=lru|plru|rrip|random     which block is evicted; seed=N for random\n"
        "  write=back|through              when a store leaves the cache\n"
        "  fill=nine|inclusive|exclusive   which blocks of inner caches the cache holds\n"
        "  prefetch=none|next|stream       which blocks are loaded before they are needed\n"
        "  index=mod|hash                  how blocks are distributed over the sets\n"
        "  latency=CYCLES, shared=no|yes   kept with the result\n"
        "If the first two caches are called L1I and L1D, instruction fetches go to L1I and\n"
        "loads and stores to L1D. docs/hierarchies.md defines every rule.\n"
        "\n"
        "Misses have three causes: cold misses are the first references to a block, capacity\n"
        "misses occur in a fully associative LRU cache of the same size as well, and conflict\n"
        "misses are all others. Distances are measured within the references that arrive at\n"
        "each cache. CSV columns: level, bytes, ways, references, misses, cold, capacity,\n"
        "conflict, writebacks, far_hits (hits that a fully associative LRU cache would miss),\n"
        "prefetches, useful, useless, invalidations.\n",
    .opts = simulate_opts,
    .opts_size = sizeof(simulate_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_simulate,
};
