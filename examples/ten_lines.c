/* Uses the library in ten lines: how often does a cache of four blocks miss? */
#include <reusedist/reusedist.h>
#include <stdio.h>

int main(void) {
    uint64_t trace[] = {1, 2, 3, 1, 2, 3, 9, 1};
    rd_ctx *ctx;
    rd_engine *engine;
    rd_profile *profile;
    double misses;
    if (rd_ctx_new(NULL, &ctx) || rd_engine_open(ctx, "auto", NULL, &engine) ||
        rd_engine_feed(engine, trace, 8, NULL) || rd_engine_finish(engine) ||
        rd_engine_profile(engine, &profile) || rd_mrc_at(ctx, profile, 4, &misses, NULL))
        return 1;
    printf("misses: %.1f %%\n", 100 * misses);
}
