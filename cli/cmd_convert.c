/* convert: traces from any format into another. */
#include "kinds.h"
#include "trace_copy.h"

#include <stddef.h>

typedef struct convert_options {
    copy_options copy;
    const char *format;
    const char *kinds;
} convert_options;

static const rd_opt convert_opts[] = {
    {.name = "format",
     .letter = 'f',
     .arg = "FORMAT",
     .type = RD_OPT_STRING,
     .offset = offsetof(convert_options, format),
     .help = "of the given traces, NAME[:key=value,...] [by content]"},
    {.name = "kinds",
     .arg = "LSI",
     .type = RD_OPT_STRING,
     .offset = offsetof(convert_options, kinds),
     .help = "keep only loads, stores, instruction fetches [all]"},
    COPY_OPTIONS(convert_options, copy),
    {.name = NULL},
};

static int convert_one(rd_ctx *ctx, const convert_options *o, trace_copy *copy, const char *path) {
    rd_trace *trace = NULL;
    rd_status opened = rd_trace_open(ctx, path, o->format, &trace);
    if (opened != RD_OK)
        return fail_status(ctx, opened);
    int status = trace_copy_add(copy, path, trace);
    rd_trace_close(trace);
    return status;
}

static int run_convert(rd_ctx *ctx, void *opts, int n, char **operands) {
    const convert_options *o = opts;
    uint32_t kinds = 0;
    if (!kinds_parse(o->kinds, &kinds))
        return EXIT_USAGE;
    int status = EXIT_OK;
    trace_copy *copy = trace_copy_new(ctx, &o->copy, kinds, progress_total(n, operands), &status);
    if (!copy)
        return status;
    for (int i = 0; i < n && status == EXIT_OK; i++)
        status = convert_one(ctx, o, copy, operands[i]);
    return trace_copy_finish(copy, status);
}

const command command_convert = {
    .name = "convert",
    .summary = "traces from any format into another",
    .operands = "TRACE...",
    .details = "Several traces are joined into one. '-' is standard input. Of a damaged trace the\n"
               "new one gets what comes before the damage, and the exit status is 1.\n"
               "\n"
               "  reusedist convert prog.lackey.gz -o prog.trace\n"
               "  reusedist convert prog.trace --to=din --kinds=LS | head\n",
    .opts = convert_opts,
    .opts_size = sizeof(convert_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_convert,
};
