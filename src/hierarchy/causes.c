/* Finds the causes of misses. See causes.h. */
#include "hierarchy/causes.h"

#include <string.h>

/* The engine is bounded, so its memory and time depend on the size of the cache, not of the trace.
 * A bounded engine does not know which infinite distances are cold. The table `seen` tells this,
 * and is searched only for references with infinite distances. */
rd_status rdi_causes_new(rd_ctx *ctx, uint64_t cache_blocks, rdi_block_map *seen, uint64_t bit,
                         rd_cache_counts *count, rdi_causes **out) {
    rdi_causes *c = rdi_calloc(ctx, 1, sizeof *c);
    if (!c)
        return RD_ENOMEM;
    *c = (rdi_causes){.cache_blocks = cache_blocks, .seen = seen, .bit = bit, .count = count};
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
    rdi_block_map_fini(&c->evictors.numbers);
    rdi_free(ctx, c->evictors.by);
    rdi_free(ctx, c->misses);
    rdi_free(ctx, c);
}

/* ---- evictors ---- */

rd_status rdi_causes_watch(rd_ctx *ctx, rdi_causes *c, rd_miss_sink sink, void *user,
                           uint32_t cache) {
    RD_TRY(rdi_block_map_init(&c->evictors.numbers, ctx));
    c->evictors.sink = sink;
    c->evictors.user = user;
    c->evictors.cache = cache;
    c->misses = rdi_alloc(ctx, RDI_CAUSES_BATCH, sizeof *c->misses);
    return c->misses ? RD_OK : RD_ENOMEM;
}

rd_status rdi_causes_lose(rd_ctx *ctx, rdi_causes *c, uint64_t lost, uint64_t block, uint64_t tag) {
    rdi_evictors *e = &c->evictors;
    if (!e->sink)
        return RD_OK;
    uint64_t *known = rdi_block_map_find(&e->numbers, lost), old;
    size_t at = known ? (size_t)*known : e->n;
    if (!known) {
        if (e->n == e->room) {
            size_t room = e->room ? 2 * e->room : 64;
            void *grown = rdi_resize(ctx, e->by, room, sizeof *e->by);
            if (!grown)
                return RD_ENOMEM;
            e->by = grown;
            e->room = room;
        }
        RD_TRY(rdi_block_map_exchange(&e->numbers, lost, at, &old));
        e->n++;
    }
    e->by[at].block = block;
    e->by[at].tag = tag;
    return RD_OK;
}

rd_status rdi_causes_add_miss(rdi_causes *c, uint64_t block, uint64_t tag) {
    RD_TRY(rdi_causes_add(c, &block, 1, true));
    if (!c->misses)
        return RD_OK;
    const rdi_evictors *e = &c->evictors;
    const uint64_t *at = rdi_block_map_find(&e->numbers, block);
    c->misses[c->n_misses++] = (rd_miss){.block = block,
                                         .tag = tag,
                                         .evictor_block = at ? e->by[*at].block : 0,
                                         .evictor_tag = at ? e->by[*at].tag : 0,
                                         .cache = e->cache,
                                         .was_evicted = at != NULL};
    return RD_OK;
}

/* ---- causes ---- */

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

/* Counts the reference with index i, whose distance is infinite, as a far hit or as a miss. Sets
 * *cause to the cause that a miss of this reference has. */
static rd_status classify_far(rdi_causes *c, size_t i, rd_miss_cause *cause) {
    bool first;
    RD_TRY(see(c, c->blocks[i], &first));
    c->count->cold += c->miss[i] && first;
    c->count->capacity += c->miss[i] && !first;
    c->count->far_hits += !c->miss[i];
    *cause = first ? RD_CAUSE_COLD : RD_CAUSE_CAPACITY;
    return RD_OK;
}

/* Classifies the references and hands all misses to their receiver. */
static rd_status classify_and_report(rdi_causes *c) {
    size_t reported = 0;
    for (size_t i = 0; i < c->n; i++) {
        rd_miss_cause cause = RD_CAUSE_CONFLICT;
        if (c->distances[i] == RD_COLD)
            RD_TRY(classify_far(c, i, &cause));
        c->count->conflict += c->miss[i] && cause == RD_CAUSE_CONFLICT;
        if (c->miss[i])
            c->misses[reported++].cause = cause;
    }
    return reported ? c->evictors.sink(c->evictors.user, c->misses, reported) : RD_OK;
}

/* Classifies the references if nobody receives their misses. Few references of an inner cache have
 * infinite distances. The first loop finds them without branches, so the other references cost
 * little. */
static rd_status classify(rdi_causes *c) {
    uint16_t far[RDI_CAUSES_BATCH];
    size_t n = 0;
    uint64_t misses = 0, before = c->count->cold + c->count->capacity;
    rd_miss_cause cause;
    _Static_assert(RDI_CAUSES_BATCH <= UINT16_MAX, "an index must fit in uint16_t");
    for (size_t i = 0; i < c->n; i++) {
        far[n] = (uint16_t)i;
        n += c->distances[i] == RD_COLD;
    }
    for (size_t i = 0; i < c->n; i++)
        misses += c->miss[i];
    for (size_t i = 0; i < n; i++)
        RD_TRY(classify_far(c, far[i], &cause));
    c->count->conflict += misses - (c->count->cold + c->count->capacity - before);
    return RD_OK;
}

rd_status rdi_causes_flush(rdi_causes *c) {
    if (c->n == 0)
        return RD_OK;
    RD_TRY(rd_engine_feed(c->engine, c->blocks, c->n, c->distances));
    rd_status status = c->misses ? classify_and_report(c) : classify(c);
    c->n = c->n_misses = 0;
    return status;
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
