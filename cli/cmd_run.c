/* run: measures the reuse distances of a program while it runs. */
#include "analysis_result.h"
#include "kinds.h"
#include "recorder_command.h"
#include "twin.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of --collapse, in the order of the option's choices. */
typedef enum collapse_when { COLLAPSE_AUTO, COLLAPSE_ON, COLLAPSE_OFF } collapse_when;

typedef struct run_options {
    analysis_options analysis;
    recorder_options what;
    uint32_t collapse; /* a collapse_when */
    const char *predict;
    bool simulates; /* true: `hierarchy` is simulated together with the analysis */
    rd_hierarchy hierarchy;
    bool no_causes;
} run_options;

static const rd_opt run_opts[] = {
#define ANALYSIS_FIELD(member) offsetof(run_options, analysis.member)
#define ANALYSIS_OUTPUT        "standard error"
#define ANALYSIS_CACHES        "simulate caches with ways"
#define ANALYSIS_MACHINE       "simulate this machine's caches, and estimate the time their misses cost"
#define PIPELINE_KINDS         "LS"
#define PIPELINE_FORMAT        "not for 'run', because a running program has no format"
#define PIPELINE_THREADS                                                                           \
    "2" /* the recorded program leaves enough processor time for two
                                      threads */
#include "analysis_options.def"
#define RECORDER_FIELD(member) offsetof(run_options, what.member)
#include "recorder_options.def"
    {.name = "collapse",
     .arg = "WHEN",
     .type = RD_OPT_CHOICE,
     .choices = "auto|on|off",
     .def = "auto",
     .offset = offsetof(run_options, collapse),
     .help = "count consecutive references to one block without recording each of them "
             "(faster, same result)"},
    {.name = "predict",
     .arg = "MODEL",
     .type = RD_OPT_STRING,
     .offset = offsetof(run_options, predict),
     .help = "run without a recorder, and predict the profile from the start of a recorded twin"},
    {.name = "no-causes",
     .type = RD_OPT_BOOL,
     .offset = offsetof(run_options, no_causes),
     .help = "count misses of simulated caches without their causes, which is faster"},
    {.name = NULL},
};

/* Joins the words of the command with blanks. Returns NULL if memory is exhausted. */
static char *join(int n, char **words) {
    size_t bytes = 1;
    for (int i = 0; i < n; i++)
        bytes += strlen(words[i]) + 1;
    char *text = malloc(bytes), *at = text;
    for (int i = 0; i < n && text; i++)
        at += sprintf(at, "%s%s", i ? " " : "", words[i]);
    return text;
}

/* Chooses the kinds to record. Instruction fetches are recorded only on request. Returns false
 * after reporting a mistake. */
static bool choose_kinds(run_options *o) {
    uint32_t kinds = 0;
    if (!kinds_parse(o->analysis.pipe.kinds, &kinds))
        return false;
    o->what.kinds = kinds ? kinds : RD_LOAD | RD_STORE;
    return true;
}

/* Returns whether the result of the engine stays the same if only the first of several consecutive
 * references to one block reaches the engine, and the other ones are counted as distance 0 later. This is
 * true of exact engines, but not of engines that measure time or sample the trace. If caches are simulated,
 * it is also true of `null`, which otherwise shows the cost of reading all references. */
static bool engine_takes_repeats(const run_options *o) {
    const char *spec = o->analysis.pipe.engine;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec ? spec : "auto", ":"),
             spec ? spec : "auto");
    const rd_engine_info *info = rd_engine_info_find(name);
    return info &&
           (strcmp(info->error_kind, "exact") == 0 || (o->simulates && strcmp(name, "null") == 0));
}

/* Returns the words of a message that name what prevents collapsing, or NULL if the recorder may
 * collapse repeated references. The recorder must know the block size, and nothing may depend on
 * the individual references that it only counts. */
static const char *why_all(const run_options *o) {
    const pipeline_options *pipe = &o->analysis.pipe;
    return o->analysis.distances                                        ? "--distances"
           : pipe->block && strcmp(pipe->block, "addr") == 0            ? "-b addr"
           : strncmp(pipe->hist, "reference", 9) == 0                   ? "--hist=reference"
           : pipe->peaks                                                ? "--peaks"
           : pipe->attribute.on                                         ? "--attribute"
           : o->what.burst                                              ? "--burst"
           : o->simulates && !rd_hierarchy_takes_repeats(&o->hierarchy) ? "these simulated caches"
           : pipe->stacks                                               ? "--stacks=private"
           : pipeline_is_lockstep(pipe)                                 ? "--interleave=lockstep"
           : o->predict                                                 ? "--predict"
           : o->what.tool == RECORDER_CLANG && pipe->kinds ? "--kinds with --tool=clang"
           : !engine_takes_repeats(o)                      ? "this engine"
                                                           : NULL;
}

static int choose_collapse(rd_ctx *ctx, run_options *o) {
    const char *block = o->analysis.pipe.block, *why = why_all(o);
    if (why && o->collapse == COLLAPSE_ON)
        return fail_usage("run: --collapse=on does not work with %s; omit --collapse", why);
    if (why || o->collapse == COLLAPSE_OFF)
        return EXIT_OK;
    uint64_t bytes = 64;
    if (block && rd_parse_size(ctx, block, &bytes) != RD_OK)
        return fail_usage("--block: '%.80s' is neither a size in bytes nor 'addr'", block);
    /* The recorder records everything if the block size is invalid, which pipeline_open() reports,
     * or above RD_COLLAPSE_MAX, which rd_live_new() refuses. */
    o->what.collapse_bytes = bytes & (bytes - 1) || bytes > RD_COLLAPSE_MAX ? 0 : bytes;
    o->what.collapse_loads = o->simulates && o->what.collapse_bytes;
    return EXIT_OK;
}

/* Parses the caches to simulate: the caches of --machine, or of --caches with ways. Reports a
 * mistake and returns the exit status. */
static int choose_caches(rd_ctx *ctx, run_options *o) {
    const attribute_options *a = &o->analysis.pipe.attribute;
    cache_list caches = {0};
    if ((!a->caches && !a->machine) || o->predict)
        return EXIT_OK;
    int status = caches_choose(ctx, a->caches, a->machine, &caches);
    if (status != EXIT_OK || !caches.has_machine)
        return status;
    o->simulates = true;
    rd_machine_hierarchy(&caches.machine, (o->what.kinds & RD_FETCH) != 0, &o->hierarchy);
    return EXIT_OK;
}

/* Returns whether the analysis also finds the data that threads share: with --attribute if stores are
 * recorded, but not with --bound, --burst or --predict. */
static bool finds_sharing(const run_options *o) {
    const pipeline_options *pipe = &o->analysis.pipe;
    return pipe->attribute.on && !pipe->bound && !o->what.burst && !o->predict &&
           (o->what.kinds & RD_STORE);
}

static int check_options(rd_ctx *ctx, run_options *o, char **words) {
    pipeline_options *pipe = &o->analysis.pipe;
    if (!choose_kinds(o))
        return EXIT_USAGE;
    int status = choose_caches(ctx, o);
    if (status == EXIT_OK && o->no_causes && !o->simulates)
        return fail_usage("run: --no-causes needs simulated caches; add --machine, or --caches "
                          "with ways");
    if (status == EXIT_OK)
        status = choose_collapse(ctx, o);
    if (status != EXIT_OK)
        return status;
    if (pipe->format)
        return fail_usage("run: a running program has no format; omit -f");
    if (pipeline_is_lockstep(pipe) && o->predict)
        return fail_usage("run: --predict uses the recorded order of the twin; omit --interleave");
    if (pipe->stacks && o->predict)
        return fail_usage("run: --predict models one cache for all threads; omit --stacks=private");
    o->what.events = pipe->attribute.on;
    o->what.thread = pipe->stacks == RD_STACKS_PRIVATE || finds_sharing(o);
    o->what.sync = o->what.thread || pipeline_is_lockstep(pipe);
    o->what.contexts = pipe->attribute.on && pipe->attribute.contexts == CONTEXTS_ON;
    o->what.quiet = pipe->quiet;
    o->analysis.on_stderr = true; /* standard output belongs to the program */
    char found[PATH_MAX];
    const char *inputs[] = {recorder_program_file(words, found), o->predict};
    return analysis_check(ctx, &o->analysis, inputs, 2);
}

/* Analyzes the program until it ends. Returns the exit status of the program, or of the first
 * failure of the analysis. */
static int analyze(run_options *o, pipeline *p, recorder *r, const char *name) {
    rd_ctx *ctx = p->ctx;
    rd_profile *profile = NULL;
    rd_trace *trace = NULL;
    bool cut_short;
    rd_status added = rd_trace_open_live(ctx, recorder_live(r), &trace);
    if (added == RD_OK)
        added = rd_analysis_add_trace(p->analysis, trace, name);
    int status = added == RD_OK ? pipeline_run(p, &profile) : fail_status(ctx, added);
    rd_trace_close(trace);
    const rd_live *live = recorder_live(r);
    rd_profile_set_unrecorded(profile, rd_live_children(live) + rd_live_replaced(live));
    int of_program = recorder_finish(r, &cut_short);
    if (profile) { /* the program began to run */
        if (cut_short)
            rd_profile_set_partial(profile, true);
        int printed = analysis_print(ctx, &o->analysis, profile);
        status = status != EXIT_OK ? status : printed;
    }
    rd_profile_free(profile);
    return status != EXIT_OK ? status : of_program;
}

/* Records and analyzes the program. The engine is opened before the program starts, so that a
 * mistake in the options is reported first. */
static int record_and_analyze(rd_ctx *ctx, run_options *o, const char *name, int n, char **words) {
    pipeline p;
    uint64_t burst;
    if (!recorder_burst(ctx, &o->what, &burst))
        return EXIT_USAGE;
    pipeline_extras extras = {.distances = o->analysis.distances,
                              .live = true,
                              .burst = burst,
                              .kinds_chosen = o->what.tool == RECORDER_VALGRIND,
                              .hierarchy = o->simulates ? &o->hierarchy : NULL,
                              .without_causes = o->no_causes,
                              .sharing = finds_sharing(o)};
    int status = pipeline_open(&p, ctx, &o->analysis.pipe, &extras);
    if (status == EXIT_OK) {
        recorder *r = recorder_start(ctx, &o->what, n, words, &status);
        if (r)
            status = analyze(o, &p, r, name);
    }
    pipeline_close(&p);
    return status;
}

static int run_run(rd_ctx *ctx, void *opts, int n, char **operands) {
    run_options *o = opts;
    int status = check_options(ctx, o, operands);
    if (status != EXIT_OK)
        return status;
    if (o->predict)
        return twin_run(ctx, &o->analysis, &o->what, o->predict, n, operands);
    char *name = join(n, operands);
    if (!name)
        return fail("out of memory");
    status = record_and_analyze(ctx, o, name, n, operands);
    free(name);
    return status;
}

const command command_run = {
    .name = "run",
    .summary = "run a program and analyze it at the same time",
    .operands = "-- COMMAND...",
    .details = RECORDER_DETAILS
    "\n"
    "Results appear when the command exits. If it is killed, they cover what ran. Standard\n"
    "output belongs to the command: results go to standard error, or with -o to a file; '-o -'\n"
    "is standard output. Without --kinds, loads and stores are recorded. SIGINT, SIGTERM, SIGHUP\n"
    "and SIGQUIT are forwarded to the command; after it has exited, they end reusedist without\n"
    "results.\n"
    "\n"
    "The caches of --machine, or of --caches with ways, are simulated exactly while the command\n"
    "runs; see 'reusedist help simulate'. With -e null, only the caches are simulated, and with\n"
    "--no-causes only their misses are counted.\n"
    "\n"
    "With --predict the command runs without a recorder. A second instance of it, the twin, runs\n"
    "under the recorder, with /dev/null as standard input and output. As soon as the twin reveals\n"
    "the size of the input, it is stopped, and MODEL predicts the profile. Use --predict only for\n"
    "commands that can run twice at the same time: both instances write the same files.\n"
    "\n"
    "  reusedist run -- gzip -c README.md > README.md.gz\n"
    "  reusedist run -o gzip.json --out=json -- gzip -c README.md > README.md.gz\n",
    .opts = run_opts,
    .opts_size = sizeof(run_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_run,
};
