/* Measures reuse distances inside a program: ten passes over 1000 blocks. */
#include <reusedist/reusedist.h>

#include <stdio.h>

enum { BLOCKS = 1000, PASSES = 10 };

static rd_status measure(rd_engine *engine, rd_profile **out) {
    uint64_t blocks[BLOCKS]; /* any 64-bit numbers: cache lines, pages, objects, keys ... */
    for (uint64_t i = 0; i < BLOCKS; i++)
        blocks[i] = i;
    rd_status status = RD_OK;
    for (int pass = 0; pass < PASSES && status == RD_OK; pass++)
        status = rd_engine_feed(engine, blocks, BLOCKS, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(engine);
    if (status == RD_OK)
        status = rd_engine_profile(engine, out);
    return status;
}

static rd_status report(rd_ctx *ctx, const rd_profile *profile) {
    printf("%d references\n", (int)rd_profile_facts_of(profile)->references);
    for (uint64_t size = BLOCKS - 1; size <= BLOCKS; size++) {
        double miss_ratio = 0;
        rd_status status = rd_mrc_at(ctx, profile, size, &miss_ratio, NULL);
        if (status != RD_OK)
            return status;
        printf("a cache of %d blocks misses %.0f %%\n", (int)size, 100 * miss_ratio);
    }
    return RD_OK;
}

int main(void) {
    const rd_engine_config config = {.size = sizeof config,
                                     .binning = {.kind = RD_BINS_FULL}}; /* a bin per distance */
    rd_ctx *ctx = NULL;
    rd_engine *engine = NULL;
    rd_profile *profile = NULL;
    rd_status status = rd_ctx_new(NULL, &ctx);
    if (status == RD_OK)
        status = rd_engine_open(ctx, "auto", &config, &engine);
    if (status == RD_OK)
        status = measure(engine, &profile);
    if (status == RD_OK)
        status = report(ctx, profile);
    if (status != RD_OK)
        fprintf(stderr, "measure: %s\n", ctx ? rd_last_error(ctx) : rd_status_name(status));
    rd_profile_free(profile);
    rd_engine_close(engine);
    rd_ctx_free(ctx);
    return status != RD_OK;
}
