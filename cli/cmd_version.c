/* version: shows the version and the optional features of this build. */
#include "cli.h"

static int run_version(rd_ctx *ctx, void *opts, int n, char **operands) {
    (void)ctx;
    (void)opts;
    (void)n;
    (void)operands;
    printf("reusedist %s\n", rd_version());
    for (size_t i = 0; rd_build_feature(i); i++)
        printf("  %s\n", rd_build_feature(i));
    return EXIT_OK;
}

const command command_version = {
    .name = "version",
    .summary = "show the version and the optional features of this build",
    .run = run_version,
};
