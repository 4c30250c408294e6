/* simulate: simulates a hierarchy of caches exactly. */
#include "kinds.h"
#include "option_rows.h"
#include "output_file.h"
#include "pipeline.h"
#include "terminal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct simulate_options {
    pipeline_options pipe;
    uint64_t threads;
    const char *caches, *machine;
    rd_sizes sets;
    const char *ways;
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
     .help = "simulate these caches, innermost first: NAME=SIZE[:WAYS][:KEY=VALUE...]"},
    {.name = "machine",
     .arg = "MACHINE|host|FILE",
     .type = RD_OPT_STRING,
     .offset = FIELD(machine),
     .help = "simulate the caches of this machine; see 'reusedist machines'"},
    {.name = "sets",
     .arg = "N,...",
     .type = RD_OPT_SIZES,
     .min = 1,
     .max = (double)RD_WAYS_SETS_MAX,
     .offset = FIELD(sets),
     .help = "with --ways=all: count the misses of single LRU caches with these numbers of sets"},
    {.name = "ways",
     .arg = "all",
     .type = RD_OPT_STRING,
     .offset = FIELD(ways),
     .help = "with --sets: count the misses for every number of ways"},
    OPTION_STACKS(FIELD(pipe.stacks),
                  "one hierarchy for all threads, or private caches for each thread, except those "
                  "with shared=yes"),
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
                 "simulate only loads (L), stores (S) or instruction fetches (I) [all]"),
    {.name = "threads",
     .letter = 't',
     .arg = "N",
     .type = RD_OPT_U64,
     .min = 1,
     .max = RD_WAYS_THREADS_MAX,
     .def = "1",
     .offset = FIELD(threads),
     .help = "use N threads to read the trace, and to count the misses of --sets"},
    OPTION_INTERLEAVE(FIELD(pipe.interleave)),
    OPTION_REORDER(FIELD(pipe.reorder)),
    OPTION_MEM(FIELD(pipe.mem_bytes)),
    OPTION_PARTIAL(FIELD(pipe.partial)),
    OPTION_PROGRESS(FIELD(pipe.progress)),
    OPTION_QUIET(FIELD(pipe.quiet), "show no progress bar and no notes"),
    OPTION_VERBOSE(FIELD(pipe.verbose)),
    {.name = NULL},
};

/* Reads the `n` traces, simulates extras->hierarchy if it is not NULL, and passes the block ids to
 * extras->blocks if it is not NULL. *out becomes the profile. Reports failures and returns the exit
 * status. */
static int read_traces(rd_ctx *ctx, const simulate_options *o, const pipeline_extras *extras, int n,
                       char **paths, rd_profile **out) {
    pipeline p;
    pipeline_options pipe = o->pipe;
    pipe.engine = "null"; /* simulations do not need the distances of the trace */
    pipe.hist = "log";
    char threads[24];
    snprintf(threads, sizeof threads, "%" PRIu64, o->threads);
    pipe.threads = threads;
    int status = pipeline_open(&p, ctx, &pipe, extras);
    for (int i = 0; i < n && status == EXIT_OK; i++)
        if (rd_analysis_add_file(p.analysis, paths[i]) != RD_OK)
            status = fail_status(ctx, RD_ENOMEM);
    if (status == EXIT_OK)
        status = pipeline_run(&p, out);
    pipeline_close(&p);
    return status;
}

/* ---- levels ---- */

/* Sets *h to the caches, and *line_bytes to the line size of --machine, or to 0 without --machine.
 * Reports a mistake and returns the exit status. */
static int choose_caches(rd_ctx *ctx, const simulate_options *o, rd_hierarchy *h,
                         uint64_t *line_bytes) {
    uint32_t kinds = 0;
    rd_machine machine;
    *line_bytes = 0;
    if (o->caches) {
        rd_status parsed = rd_hierarchy_parse(ctx, o->caches, h);
        return parsed == RD_OK ? EXIT_OK : fail_usage("--caches: %s", rd_last_error(ctx));
    }
    if (!kinds_parse(o->pipe.kinds, &kinds))
        return EXIT_USAGE;
    if (rd_machine_find(ctx, o->machine, &machine) != RD_OK)
        return fail_usage("--machine: %s", rd_last_error(ctx));
    /* Without --kinds, a trace may have fetches; L1I stays unused if it has none. */
    *line_bytes = machine.line_bytes;
    rd_machine_hierarchy(&machine, kinds == 0 || (kinds & RD_FETCH), h);
    return EXIT_OK;
}

static int print_levels(rd_ctx *ctx, const simulate_options *o, rd_profile *profile) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV    ? rd_report_simulation_csv(profile, &text, &n)
                       : o->out == OUT_JSON ? rd_report_simulation_json(profile, &text, &n)
                                            : rd_report_simulation_text(profile, &style, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

static int simulate_levels(rd_ctx *ctx, const simulate_options *o, int n, char **operands) {
    rd_hierarchy h;
    rd_profile *profile = NULL;
    uint64_t line = 0;
    int status = choose_caches(ctx, o, &h, &line);
    if (status != EXIT_OK)
        return status;
    pipeline_extras extras = {.hierarchy = &h, .without_causes = o->no_causes};
    status = read_traces(ctx, o, &extras, n, operands, &profile);
    if (profile) {
        uint64_t block = rd_profile_facts_of(profile)->block_bytes;
        if (line && block != line && !o->pipe.quiet)
            tell_user("the simulated caches have lines of %" PRIu64 " bytes (-b), but those of "
                      "%s have %" PRIu64 "; use -b %" PRIu64 " to simulate this machine",
                      block, o->machine, line, line);
        int printed = print_levels(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    return status;
}

/* ---- every number of ways ---- */

static rd_status feed_ways(void *user, const uint64_t *blocks, size_t n) {
    return rd_ways_feed(user, blocks, n);
}

static int print_ways(rd_ctx *ctx, const simulate_options *o, rd_ways *w, rd_profile *profile) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = rd_ways_finish(w);
    if (status == RD_OK)
        status = o->out == OUT_CSV    ? rd_report_all_ways_csv(profile, w, &text, &n)
                 : o->out == OUT_JSON ? rd_report_all_ways_json(profile, w, &text, &n)
                                      : rd_report_all_ways_text(profile, w, &style, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

static int simulate_ways(rd_ctx *ctx, const simulate_options *o, int n, char **operands) {
    rd_ways *w = NULL;
    rd_profile *profile = NULL;
    if (o->pipe.mem_bytes)
        rd_ctx_set_limit(ctx, (size_t)o->pipe.mem_bytes);
    rd_status made = rd_ways_new(ctx, o->sets.value, o->sets.n, (uint32_t)o->threads, &w);
    if (made != RD_OK)
        return made == RD_EINVAL ? fail_usage("--sets: %s", rd_last_error(ctx))
                                 : fail_status(ctx, made);
    pipeline_extras extras = {.blocks = feed_ways, .blocks_user = w};
    int status = read_traces(ctx, o, &extras, n, operands, &profile);
    if (profile) {
        int printed = print_ways(ctx, o, w, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    rd_ways_free(w);
    return status;
}

/* ---- the command ---- */

/* Reports options that do not fit together, and returns the exit status. */
static int check_options(const simulate_options *o) {
    bool ways = o->sets.n || o->ways;
    if (!ways && !o->caches && !o->machine)
        return fail_usage("simulate: no caches are given; use --caches=L1=48K:12,L2=2M:16 or "
                          "--machine=NAME");
    if ((o->caches != NULL) + (o->machine != NULL) + ways > 1)
        return fail_usage("simulate: --caches, --machine, and --sets with --ways=all cannot be "
                          "combined; give only one of the three");
    if (ways && (!o->sets.n || !o->ways || strcmp(o->ways, "all") != 0))
        return fail_usage(
            "simulate: --sets=N[,N...] and --ways=all must be given together; write a "
            "single cache as --caches=NAME=SIZE:WAYS");
    if (ways && o->pipe.stacks)
        return fail_usage("simulate: --ways=all counts the misses of caches that all threads use; "
                          "omit --stacks=private");
    return EXIT_OK;
}

static int run_simulate(rd_ctx *ctx, void *opts, int n, char **operands) {
    const simulate_options *o = opts;
    output_place place = {.option = "-o", .path = o->output};
    int status = check_options(o);
    if (status == EXIT_OK)
        status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status == EXIT_OK) /* --machine may name a file */
        status = output_check(ctx, &place, 1, &o->machine, 1);
    if (status != EXIT_OK)
        return status;
    return o->sets.n ? simulate_ways(ctx, o, n, operands) : simulate_levels(ctx, o, n, operands);
}

const command command_simulate = {
    .name = "simulate",
    .summary = "simulate caches with sets and levels",
    .operands = "TRACE...",
    .details =
        "A cache is written NAME=SIZE[:WAYS][:KEY=VALUE...]. Without WAYS it is fully\n"
        "associative. The keys are:\n"
        "  policy=lru|plru|rrip|random     which block is evicted; seed=N sets the seed of random\n"
        "  write=back|through              when a store is written to the next level\n"
        "  fill=nine|inclusive|exclusive   which blocks of inner caches the cache holds\n"
        "  prefetch=none|next|stream       which blocks are loaded before they are needed\n"
        "  index=mod|hash                  how blocks are distributed over the sets\n"
        "  latency=CYCLES                  stored with the result; no effect on the counts\n"
        "  shared=no|yes                   with --stacks=private: whether threads share it\n"
        "If the first two caches are called L1I and L1D, instruction fetches go to L1I and\n"
        "loads and stores to L1D. docs/hierarchies.md defines every rule.\n"
        "\n"
        "Misses have three causes: cold misses are the first references to a block, capacity\n"
        "misses occur in a fully associative LRU cache of the same size as well, and conflict\n"
        "misses are all other misses. At each cache, only the references that arrive there count.\n"
        "CSV columns: level, bytes, ways, references, misses, cold, capacity, conflict,\n"
        "writebacks, far_hits (hits that a fully associative LRU cache would miss), prefetches,\n"
        "useful, useless, invalidations.\n"
        "\n"
        "--stacks=private gives every thread caches of its own, except those with shared=yes, "
        "which\n"
        "come last. A store removes its block from the private caches of all other threads. The\n"
        "trace must have thread numbers and kinds. A coherence miss is a reference to a block\n"
        "that the thread's cache has lost because another thread stored to it. CSV also has the\n"
        "columns coherence, removals, upgrades, transfers, dirty_transfers, process and thread.\n"
        "The first rows, one per level, have the sums of all threads; the following rows have the\n"
        "levels of each thread.\n"
        "\n"
        "--sets=64,128 --ways=all counts the misses of single LRU caches with 64 and with 128\n"
        "sets and every number of ways, in one pass. CSV columns: sets, ways, misses. Beyond\n"
        "the last row for a number of sets, more ways do not change the misses.\n",
    .opts = simulate_opts,
    .opts_size = sizeof(simulate_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_simulate,
};
