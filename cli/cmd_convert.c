/* convert: converts traces from one format to another, and histograms of time distances to
 * profiles. */
#include "kinds.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"
#include "trace_copy.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct convert_options {
    copy_options copy;
    const char *format;
    const char *kinds;
    uint32_t merge;
    bool times;
    bool from_zero;
    uint64_t blocks;
    const char *hist;
} convert_options;

static const rd_opt convert_opts[] = {
    OPTION_FORMAT(offsetof(convert_options, format),
                  "format of the input, NAME[:key=value,...] [detected]"),
    OPTION_KINDS(offsetof(convert_options, kinds), NULL,
                 "keep only these kinds: loads (L), stores (S) or instruction fetches (I) [all]"),
    OPTION_MERGE(offsetof(convert_options, merge)),
    COPY_OPTIONS(convert_options, copy),
    {.name = "time-histogram",
     .type = RD_OPT_BOOL,
     .offset = offsetof(convert_options, times),
     .help = "convert a histogram of time distances into a profile"},
    {.name = "from-zero",
     .type = RD_OPT_BOOL,
     .offset = offsetof(convert_options, from_zero),
     .help = "time distances in the histogram start at 0 for immediate reuse, not at 1"},
    {.name = "blocks",
     .arg = "N",
     .type = RD_OPT_SIZE,
     .min = 1,
     .max = 0x1p64,
     .offset = offsetof(convert_options, blocks),
     .help = "number of distinct blocks [the count in the line 'inf' of the histogram]"},
    OPTION_HIST(offsetof(convert_options, hist), NULL,
                "bins of the profile made from a histogram [loglinear]"),
    {.name = NULL},
};

/* Returns an option that was given but does not apply: with --time-histogram an option for traces,
 * otherwise an option for histograms. Returns NULL if there is none. */
static const char *misplaced(const convert_options *o) {
    if (o->times)
        return o->format    ? "--format"
               : o->kinds   ? "--kinds"
               : o->copy.to ? "--to"
               : o->merge   ? "--merge"
                            : NULL;
    return o->from_zero ? "--from-zero" : o->blocks ? "--blocks" : o->hist ? "--hist" : NULL;
}

static int convert_one(rd_ctx *ctx, const convert_options *o, trace_copy *copy, const char *path) {
    rd_trace *trace = NULL;
    rd_status opened = rd_trace_open(ctx, path, o->format, &trace);
    if (opened != RD_OK)
        return fail_status(ctx, opened);
    int status = trace_copy_add(copy, path, trace);
    rd_trace_close(trace);
    return status;
}

static void close_all(rd_trace **traces, int n) {
    for (int i = 0; i < n; i++)
        rd_trace_close(traces[i]);
    free(traces);
}

/* Copies the traces merged by time. */
static int convert_merged(rd_ctx *ctx, const convert_options *o, trace_copy *copy, int n,
                          char **paths) {
    rd_trace *merged = NULL, **traces = calloc((size_t)n, sizeof *traces);
    if (!traces)
        return fail("out of memory");
    rd_status opened = RD_OK;
    for (int i = 0; i < n && opened == RD_OK; i++) {
        opened = rd_trace_open(ctx, paths[i], o->format, &traces[i]);
        if (opened == RD_OK && rd_trace_note(traces[i]) && !o->copy.quiet)
            tell_user("%s: %s", paths[i], rd_trace_note(traces[i]));
    }
    if (opened == RD_OK)
        opened = rd_trace_merge(ctx, traces, (const char *const *)paths, (size_t)n, &merged);
    int status =
        opened == RD_OK ? trace_copy_add(copy, "merged traces", merged) : fail_status(ctx, opened);
    rd_trace_close(merged);
    close_all(traces, n);
    return status;
}

static int convert_times(rd_ctx *ctx, const convert_options *o, int n, char **operands) {
    rd_times_config config = {
        .size = sizeof config, .blocks = o->blocks, .from_zero = o->from_zero};
    output_place place = {.option = "-o", .path = o->copy.output};
    if (n > 1)
        return fail_usage("--time-histogram takes one file; convert the files one by one");
    if (rd_binning_parse(ctx, o->hist ? o->hist : "loglinear", &config.binning) != RD_OK)
        return fail_usage("--hist: %s", rd_last_error(ctx));
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    rd_profile *profile = NULL;
    rd_status converted = rd_profile_from_times(ctx, operands[0], &config, &profile);
    if (converted != RD_OK)
        return fail_status(ctx, converted);
    status = write_profile(ctx, profile, o->copy.output);
    rd_profile_free(profile);
    return status;
}

static int run_convert(rd_ctx *ctx, void *opts, int n, char **operands) {
    const convert_options *o = opts;
    const char *other = misplaced(o);
    uint32_t kinds = 0;
    if (other)
        return fail_usage(o->times
                              ? "%s applies only to traces; omit it with --time-histogram"
                              : "%s applies only to histograms; omit it, or add --time-histogram",
                          other);
    if (o->times)
        return convert_times(ctx, o, n, operands);
    if (!kinds_parse(o->kinds, &kinds))
        return EXIT_USAGE;
    output_place place = {.option = "-o", .path = o->copy.output};
    int status = output_check(ctx, &place, 1, (const char *const *)operands, (size_t)n);
    if (status != EXIT_OK)
        return status;
    trace_copy *copy = trace_copy_new(ctx, &o->copy, kinds, progress_total(n, operands), &status);
    if (!copy)
        return status;
    if (o->merge)
        return trace_copy_finish(copy, convert_merged(ctx, o, copy, n, operands));
    for (int i = 0; i < n && status == EXIT_OK; i++)
        status = convert_one(ctx, o, copy, operands[i]);
    return trace_copy_finish(copy, status);
}

const command command_convert = {
    .name = "convert",
    .summary = "convert traces to another format, and time histograms to profiles",
    .operands = "TRACE...",
    .details =
        "Several traces are joined into one, or merged by time with --merge=time: equal times\n"
        "keep the order of the files. '-' is standard input. A damaged trace is converted\n"
        "up to the damage, and the exit status is 1.\n"
        "\n"
        "With --time-histogram the input has lines 'time count' or 'low high count [mean]',\n"
        "and a line 'inf count' with the number of distinct blocks. The result is the profile\n"
        "that engine time infers. --from-zero, --blocks and --hist apply only to histograms;\n"
        "-f, --kinds and --to apply only to traces.\n"
        "\n"
        "  reusedist convert prog.lackey.gz -o prog.trace\n"
        "  reusedist convert prog.trace --to=din --kinds=LS | head\n",
    .opts = convert_opts,
    .opts_size = sizeof(convert_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_convert,
};
