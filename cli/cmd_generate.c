/* generate: makes synthetic traces. */
#include "output_file.h"
#include "trace_copy.h"

#include <stddef.h>

typedef struct generate_options {
    copy_options copy;
} generate_options;

static const rd_opt generate_opts[] = {
    COPY_OPTIONS(generate_options, copy),
    {.name = NULL},
};

static void list_kinds(void) {
    for (size_t i = 0; rd_generator_info_at(i); i++) {
        const rd_format_info *info = rd_generator_info_at(i);
        printf("%s%s: %s\n\n%s\n", i ? "\n" : "", info->name, info->summary, info->card);
        print_opts_table(stdout, info->opts);
    }
}

static int run_generate(rd_ctx *ctx, void *opts, int n, char **operands) {
    const generate_options *o = opts;
    if (n == 0) {
        list_kinds();
        return EXIT_OK;
    }
    rd_trace *trace = NULL;
    rd_status opened = rd_trace_generate(ctx, operands[0], &trace);
    if (opened != RD_OK)
        return fail_status(ctx, opened);
    uint64_t done = 0, total = 0;
    rd_trace_progress(trace, &done, &total);
    output_place place = {.option = "-o", .path = o->copy.output};
    int status = output_check(ctx, &place, 1, NULL, 0);
    trace_copy *copy = status == EXIT_OK ? trace_copy_new(ctx, &o->copy, 0, total, &status) : NULL;
    if (copy) {
        status = trace_copy_add(copy, operands[0], trace);
        status = trace_copy_finish(copy, status);
    }
    rd_trace_close(trace);
    return status;
}

const command command_generate = {
    .name = "generate",
    .summary = "make a synthetic trace",
    .operands = "[KIND[:key=value,...]]",
    .details =
        "Without KIND, the command lists all kinds and their options. The same KIND, options and\n"
        "seed give the same trace on every machine. Numbers may have the suffixes K, M, G, T\n"
        "(powers of 1024).\n"
        "\n"
        "  reusedist generate zipf:blocks=4M,refs=50M -o zipf.trace\n"
        "  reusedist generate cycle:blocks=1000 --to=text | head\n",
    .opts = generate_opts,
    .opts_size = sizeof(generate_options),
    .max_operands = 1,
    .run = run_generate,
};
