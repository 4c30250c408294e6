/* Feeds blocks and kinds to the simulation of caches. See hierarchy_feed.h. */
#include "analysis/hierarchy_feed.h"

#define BATCH 4096

struct rdi_hierarchy_feed {
    rd_ctx *ctx;
    rd_simulator *simulator;
    rd_simulation result; /* its counts are filled at the end */
    uint8_t kinds[BATCH];
};

rd_status rdi_hierarchy_feed_new(rd_ctx *ctx, const rd_analysis_config *config,
                                 uint64_t block_bytes, rd_miss_sink misses, void *misses_user,
                                 rdi_hierarchy_feed **out) {
    rdi_hierarchy_feed *f = rdi_calloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    f->result = (rd_simulation){.size = sizeof f->result,
                                .hierarchy = *config->hierarchy,
                                .causes = !config->without_causes};
    rd_simulator_config simulation = {.size = sizeof simulation,
                                      .block_bytes = block_bytes,
                                      .without_causes = config->without_causes,
                                      .misses = misses,
                                      .misses_user = misses_user};
    rd_status status = rd_simulator_new(ctx, config->hierarchy, &simulation, &f->simulator);
    if (status != RD_OK) {
        rdi_hierarchy_feed_free(f);
        return status;
    }
    *out = f;
    return RD_OK;
}

static rd_status feed(rdi_hierarchy_feed *f, const uint64_t *blocks, const uint8_t *kinds,
                      const uint64_t *tags, size_t n) {
    return tags ? rd_simulator_feed_tagged(f->simulator, blocks, kinds, tags, n)
                : rd_simulator_feed(f->simulator, blocks, kinds, n);
}

rd_status rdi_hierarchy_feed_blocks(rdi_hierarchy_feed *f, const rd_refs *refs,
                                    const uint32_t *origins, const uint64_t *blocks,
                                    const uint64_t *tags, size_t n) {
    if (!refs->kind)
        return feed(f, blocks, NULL, tags, n);
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < BATCH ? n - at : BATCH;
        for (size_t i = 0; i < some; i++)
            f->kinds[i] = refs->kind[origins[at + i]];
        RD_TRY(feed(f, blocks + at, f->kinds, tags ? tags + at : NULL, some));
    }
    return RD_OK;
}

rd_status rdi_hierarchy_feed_finish(rdi_hierarchy_feed *f, uint64_t repeats, rd_profile *profile) {
    RD_TRY(rd_simulator_counts(f->simulator, f->result.counts));
    f->result.counts[0].references += repeats;
    return rd_profile_set_simulation(profile, &f->result);
}

void rdi_hierarchy_feed_free(rdi_hierarchy_feed *f) {
    if (!f)
        return;
    rd_simulator_free(f->simulator);
    rdi_free(f->ctx, f);
}
