/* Counts hits and moves per tier of a hierarchy.
 *
 * All tiers together are one LRU list. Exclusive tiers divide it into ranges: a block that is used
 * moves to the first tier, and each full tier moves its least recently used block to the next tier.
 * Inclusive tiers each hold the beginning of the list. */
#include "prefix/kv_state.h"

/* Counts each hit for the tier that holds the block. A block is a hit only if it and all blocks
 * before it in the request are in some tier. */
static void count_hits(rd_kv *kv, const rdi_kv_seen *seen, size_t window) {
    size_t n_tiers = kv->config.n_tiers;
    uint64_t end = kv->config.tiers[n_tiers - 1];
    for (size_t i = 0; i < seen->row->n && seen->rank[i] < end; i++) {
        size_t tier = 0;
        while (seen->rank[i] >= kv->config.tiers[tier])
            tier++;
        kv->tiers[tier].block_hits++;
        kv->tiers[tier].token_hits += rdi_kv_block_tokens(seen, i);
        if (window < RD_KV_WINDOWS)
            kv->details.tier_hits[tier][window]++;
    }
}

void rdi_kv_tiers_request(rd_kv *kv, const rdi_kv_seen *seen, size_t window) {
    if (seen->row->counted)
        count_hits(kv, seen, window);
    for (size_t i = 0; i < seen->row->n; i++)
        for (size_t tier = 0; tier < kv->config.n_tiers; tier++)
            kv->tiers[tier].arrivals += seen->distance[i] >= kv->config.tiers[tier];
}

void rdi_kv_tiers_finish(rd_kv *kv) {
    for (size_t i = 0; i < kv->config.n_tiers; i++) {
        rd_kv_tier *t = &kv->tiers[i];
        uint64_t held = t->end_blocks < kv->blocks.n ? t->end_blocks : kv->blocks.n;
        t->departures = t->arrivals - held;
        for (size_t w = 0; w < kv->details.n_windows; w++)
            if (kv->details.tier_hits[i][w] > t->busiest_hits)
                t->busiest_hits = kv->details.tier_hits[i][w];
    }
}

rd_status rd_kv_tier_at(const rd_kv *kv, size_t index, rd_kv_tier *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, out);
    if (!kv->finished)
        return rdi_fail(kv->ctx, RD_ESTATE,
                        "the analysis is not finished; call rd_kv_finish() first");
    if (index >= kv->config.n_tiers)
        return rdi_fail(kv->ctx, RD_EINVAL, "the analysis has no tier with the index %zu", index);
    *out = kv->tiers[index];
    return RD_OK;
}
