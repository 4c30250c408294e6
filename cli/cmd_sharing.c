/* sharing: finds the data that threads share, and false sharing. */
#include "mrc_input.h"
#include "option_rows.h"
#include "output_file.h"
#include "terminal.h"

#include <stddef.h>

typedef struct sharing_options {
    pipeline_options pipe;
    uint32_t out;
    const char *output;
    bool ascii;
} sharing_options;

#define FIELD(member) offsetof(sharing_options, member)

static const rd_opt sharing_opts[] = {
    OPTION_OUT(FIELD(out), "text: print tables; csv: one row per block; json: everything"),
    OPTION_OUTPUT(FIELD(output), "FILE", "write the result to this file [standard output]"),
    OPTION_ASCII(FIELD(ascii), "draw the tables with ASCII characters only"),
    OPTION_FORMAT(FIELD(pipe.format),
                  "format of the trace, NAME[:key=value,...]; see 'reusedist formats' [detected]"),
    OPTION_BLOCK(FIELD(pipe.block)),
    OPTION_KINDS(FIELD(pipe.kinds), NULL,
                 "analyze only loads (L), stores (S) or instruction fetches (I) [all]"),
    {.name = "interleave",
     .arg = "recorded|lockstep[:N]",
     .type = RD_OPT_STRING,
     .def = "lockstep",
     .offset = FIELD(pipe.interleave),
     .help = INTERLEAVE_HELP},
    OPTION_REORDER(FIELD(pipe.reorder)),
    OPTION_MEM(FIELD(pipe.mem_bytes)),
    OPTION_PARTIAL(FIELD(pipe.partial)),
    OPTION_PROGRESS(FIELD(pipe.progress)),
    OPTION_QUIET(FIELD(pipe.quiet), "show no progress bar and no notes"),
    OPTION_VERBOSE(FIELD(pipe.verbose)),
    {.name = NULL},
};

static int print_sharing(rd_ctx *ctx, const sharing_options *o, rd_profile *profile) {
    rd_report_style style = terminal_style(o->output, o->ascii);
    char *text = NULL;
    size_t n = 0;
    rd_status status = o->out == OUT_CSV    ? rd_report_sharing_csv(profile, &text, &n)
                       : o->out == OUT_JSON ? rd_report_sharing_json(profile, &text, &n)
                                            : rd_report_sharing_text(profile, &style, &text, &n);
    return output_made(ctx, o->output, status, text, n);
}

static int run_sharing(rd_ctx *ctx, void *opts, int n, char **operands) {
    sharing_options *o = opts;
    const object_options no_objects = {0};
    output_place place = {.option = "-o", .path = o->output};
    mrc_input in = {
        .command = "sharing", .pipe = &o->pipe, .objects = &no_objects, .sharing = true};
    rd_profile *profile = NULL;
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    o->pipe.hist = "log";
    o->pipe.threads = "1";
    status = mrc_read(ctx, &in, n, operands, &profile);
    if (profile) {
        int printed = print_sharing(ctx, o, profile);
        status = status != EXIT_OK ? status : printed;
        rd_profile_free(profile);
    }
    return status;
}

const command command_sharing = {
    .name = "sharing",
    .summary = "find the data that threads share, and false sharing",
    .operands = "TRACE...|PROFILE",
    .details =
        "Every thread has a cache of its own, and a store removes the block from the caches of\n"
        "all other threads. A reference to a block that its thread has lost this way is a\n"
        "coherence miss: true sharing if the thread uses bytes that another thread stored, false\n"
        "sharing if it does not. docs/threads.md defines both, and shows how to find and fix\n"
        "false sharing in five minutes.\n"
        "\n"
        "  reusedist record --attribute --thread -o prog.trace -- ./prog\n"
        "  reusedist sharing prog.trace\n"
        "\n"
        "The trace must have thread numbers and kinds; program counters and events give the names "
        "of\n"
        "code and data. Several traces, such as one file per thread, are analyzed as one trace.\n"
        "'run --attribute' stores the same result in the profile of a program with\n"
        "several threads. Blocks, data and lines are ranked by their coherence misses.\n"
        "\n"
        "Recorders run one thread at a time, or collect many references of a thread before they\n"
        "write them, so the recorded order shows few of the misses that happen when threads run\n"
        "at the same time. Therefore the default is lockstep, which respects the synchronization\n"
        "of the threads.\n"
        "\n"
        "CSV columns: block (its first address), threads (how many reference it), stores,\n"
        "coherence, true_sharing, false_sharing, data, lines (source lines with the most misses\n"
        "and removals), loads, readers, writers (thread numbers), first, second (the data whose\n"
        "separation helps most), padding (bytes to insert between them), removes (the coherence\n"
        "misses that disappear if all such data are in different blocks).\n",
    .opts = sharing_opts,
    .opts_size = sizeof(sharing_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_sharing,
};
