/* Analyzes a file in ten lines: how often does a cache of 512 blocks, 32 KiB, miss? */
#include <reusedist/reusedist.h>
#include <stdio.h>

int main(int argc, char **argv) {
    rd_ctx *ctx;
    rd_analysis *analysis;
    rd_profile *profile;
    double misses;
    if (argc != 2 || rd_ctx_new(NULL, &ctx))
        return 2;
    if (rd_analysis_open(ctx, NULL, &analysis) || rd_analysis_add_file(analysis, argv[1]) ||
        rd_analysis_run(analysis) || rd_analysis_profile(analysis, &profile) ||
        rd_mrc_at(ctx, profile, 512, &misses, NULL))
        return fprintf(stderr, "%s\n", rd_last_error(ctx)), 1;
    printf("misses: %.2f %%\n", 100 * misses);
    rd_profile_free(profile);
    rd_analysis_close(analysis);
    rd_ctx_free(ctx);
}
