/* merge: sums the profiles of independent runs. */
#include "cli.h"
#include "option_rows.h"
#include "output_file.h"
#include "profile_files.h"

#include <stddef.h>

typedef struct merge_options {
    const char *output;
} merge_options;

static const rd_opt merge_opts[] = {
    OPTION_OUTPUT(offsetof(merge_options, output), "PROFILE",
                  "write the sum to this file [standard output]"),
    {.name = NULL},
};

static int run_merge(rd_ctx *ctx, void *opts, int n, char **operands) {
    const merge_options *o = opts;
    output_place place = {.option = "-o", .path = o->output};
    /* The output may also be an input, so that users can keep a total up to date. */
    int exit_status = output_check(ctx, &place, 1, NULL, 0);
    if (exit_status != EXIT_OK)
        return exit_status;
    rd_profile **parts = NULL, *sum = NULL;
    exit_status = read_profiles(ctx, (size_t)n, operands, &parts);
    if (exit_status != EXIT_OK)
        return exit_status;
    rd_status status = rd_profile_merge(ctx, parts, (size_t)n, &sum);
    exit_status = status == RD_OK ? write_profile(ctx, sum, o->output) : fail_status(ctx, status);
    rd_profile_free(sum);
    free_profiles(parts, (size_t)n);
    return exit_status;
}

const command command_merge = {
    .name = "merge",
    .summary = "add the profiles of independent runs",
    .operands = "PROFILE...",
    .details =
        "The runs must have the same block size, bound and kinds of references. If their bins\n"
        "differ, the result has the finest bins that all of them have.\n"
        "The output may be one of the inputs, which keeps a total up to date: that file is\n"
        "replaced only when the sum is complete.\n"
        "\n"
        "  reusedist merge total.json today.json -o total.json\n",
    .opts = merge_opts,
    .opts_size = sizeof(merge_options),
    .min_operands = 1,
    .max_operands = -1,
    .run = run_merge,
};
