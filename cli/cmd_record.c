/* record: records the references of a program as a trace. */
#include "attribute.h"
#include "kinds.h"
#include "option_rows.h"
#include "output_file.h"
#include "recorder.h"
#include "trace_copy.h"

#include <stddef.h>
#include <string.h>

typedef struct record_options {
    recorder_options what;
    const char *output, *to, *kinds;
    bool quiet;
    uint32_t contexts; /* a contexts_when */
} record_options;

static const rd_opt record_opts[] = {
    OPTION_OUTPUT(offsetof(record_options, output), "TRACE", "write the new trace to this file"),
    OPTION_TO(offsetof(record_options, to)),
    OPTION_QUIET(offsetof(record_options, quiet), "show no progress bar and no notes"),
    OPTION_KINDS(offsetof(record_options, kinds), "LS",
                 "record loads (L), stores (S) or instruction fetches (I)"),
    {.name = "pc",
     .type = RD_OPT_BOOL,
     .offset = offsetof(record_options, what.pc),
     .help = "also record the instruction address of each reference"},
    {.name = "attribute",
     .type = RD_OPT_BOOL,
     .offset = offsetof(record_options, what.events),
     .help = "record the data for attribution: instructions, modules, allocations, stacks"},
    OPTION_CONTEXTS(offsetof(record_options, contexts),
                    "with --attribute: also record calling contexts"),
    {.name = "thread",
     .type = RD_OPT_BOOL,
     .offset = offsetof(record_options, what.thread),
     .help = "also record the thread number of each reference, and where threads wait for each "
             "other"},
#define RECORDER_FIELD(member) offsetof(record_options, what.member)
#include "recorder_options.def"
    {.name = NULL},
};

/* Copies the references of the program into the new trace. Reports a failure and returns the exit
 * status. */
static int copy_references(rd_ctx *ctx, recorder *r, trace_copy *copy, const char *name) {
    rd_trace *trace = NULL;
    rd_status opened = rd_trace_open_live(ctx, recorder_live(r), &trace);
    if (opened != RD_OK)
        return fail_status(ctx, opened);
    int status = trace_copy_add(copy, name, trace);
    rd_trace_close(trace);
    return status;
}

/* Checks the format before the program starts, because recording may take long. Reports a failure
 * and returns the exit status. */
static int check_format(rd_ctx *ctx, const char *spec) {
    rd_trace_writer *writer = NULL;
    rd_status status = rd_trace_writer_open(ctx, "/dev/null", spec, 0, false, &writer);
    rd_trace_writer_close(writer);
    return status == RD_OK ? EXIT_OK : fail_status(ctx, status);
}

static bool is_standard_output(const char *path) {
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

static int run_record(rd_ctx *ctx, void *opts, int n, char **operands) {
    record_options *o = opts;
    if (!kinds_parse(o->kinds, &o->what.kinds))
        return EXIT_USAGE;
    if (!o->output || is_standard_output(o->output))
        return fail_usage("record: name a file with -o: standard output belongs to the program");
    o->what.quiet = o->quiet;
    o->what.sync = o->what.thread;
    o->what.contexts = o->what.events && o->contexts == CONTEXTS_ON;
    copy_options where = {.output = o->output,
                          .to = o->to,
                          .progress = PROGRESS_AUTO,
                          .quiet = o->quiet,
                          .sampled = recorder_is_sampling(&o->what),
                          .keep = true};
    output_place place = {.option = "-o", .path = o->output};
    char found[PATH_MAX];
    const char *program = recorder_program_file(operands, found);
    int status = output_check(ctx, &place, 1, &program, 1);
    if (status == EXIT_OK)
        status = check_format(ctx, o->to);
    if (status != EXIT_OK)
        return status;
    /* A compiled-in recorder records all kinds, so this command filters them. */
    uint32_t kinds = o->what.tool == RECORDER_CLANG ? o->what.kinds : 0;
    trace_copy *copy = trace_copy_new(ctx, &where, kinds, 0, &status);
    if (!copy)
        return status;
    recorder *r = recorder_start(ctx, &o->what, n, operands, &status);
    int of_program = EXIT_OK;
    if (r) {
        bool cut_short;
        status = copy_references(ctx, r, copy, operands[0]);
        of_program = recorder_finish(r, &cut_short);
    }
    status = trace_copy_finish(copy, status);
    return status != EXIT_OK ? status : of_program;
}

const command command_record = {
    .name = "record",
    .summary = "run a program and record its references as a trace",
    .operands = "-- COMMAND...",
    .details = RECORDER_DETAILS
    "\n"
    "If TRACE exists, it stays until the new trace is complete, and the new trace is in\n"
    "TRACE.partial until then. A partial trace stays if the disk is full or reusedist is\n"
    "killed; analyze it with --partial.\n"
    "\n"
    "  reusedist record -o gzip.trace -- gzip -c README.md > README.md.gz\n"
    "  reusedist analyze gzip.trace\n",
    .opts = record_opts,
    .opts_size = sizeof(record_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_record,
};
