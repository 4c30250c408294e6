/* Finds the causes of misses. See causes.h. */
#include "hierarchy/causes.h"

#include <string.h>

/* The engine is bounded, so its memory and time depend on the size of the cache. It therefore does
 * not know which infinite distances are cold; the table of seen blocks does, and only references
 * with infinite distances need it. */
rd_status rdi_causes_new(rd_ctx *ctx, uint64_t cache_blocks, rdi_block_map *seen, uint64_t bit,
                         rd_cache_counts *count, rdi_causes **out) {
    rdi_causes *c = rdi_calloc(ctx, 1, sizeof *c);
    if (!c)
        return RD_ENOMEM;
    *c = (rdi_causes){.seen = seen, .bit = bit, .count = count};
    rd_engine_config config = {.size = sizeof config, .bound = cache_blocks};
    rd_status status = rd_engine_open(ctx, "stream", &config, &c->engine);
    if (status != RD_OK) {
        rdi_free(ctx, c);
        return status;
    }
    *out = c;
    return RD_OK;
}

void rdi_causes_free(rd_ctx *ctx, rdi_causes *c) {
    if (!c)
        return;
    rd_engine_close(c->engine);
    rdi_free(ctx, c);
}

/* Sets *first to whether the block arrives at this cache for the first time. */
static rd_status see(rdi_causes *c, uint64_t block, bool *first) {
    uint64_t *mask = rdi_block_map_find(c->seen, block), old;
    *first = !mask || !(*mask & c->bit);
    if (mask) {
        *mask |= c->bit;
        return RD_OK;
    }
    return rdi_block_map_exchange(c->seen, block, c->bit, &old);
}

rd_status rdi_causes_flush(rdi_causes *c) {
    uint64_t conflict = 0;
    if (c->n == 0)
        return RD_OK;
    RD_TRY(rd_engine_feed(c->engine, c->blocks, c->n, c->distances));
    for (size_t i = 0; i < c->n; i++) {
        bool first;
        if (RDI_LIKELY(c->distances[i] != RD_COLD)) {
            conflict += c->miss[i];
            continue;
        }
        RD_TRY(see(c, c->blocks[i], &first));
        c->count->cold += c->miss[i] && first;
        c->count->capacity += c->miss[i] && !first;
        c->count->far_hits += !c->miss[i];
    }
    c->count->conflict += conflict;
    c->n = 0;
    return RD_OK;
}

rd_status rdi_causes_add(rdi_causes *c, const uint64_t *blocks, size_t n, bool miss) {
    while (n > 0) {
        if (c->n == RDI_CAUSES_BATCH)
            RD_TRY(rdi_causes_flush(c));
        size_t some = RDI_CAUSES_BATCH - c->n < n ? RDI_CAUSES_BATCH - c->n : n;
        memcpy(c->blocks + c->n, blocks, some * sizeof *blocks);
        memset(c->miss + c->n, miss, some);
        c->n += some;
        blocks += some;
        n -= some;
    }
    return RD_OK;
}
