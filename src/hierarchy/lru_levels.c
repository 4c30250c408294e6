/* Simulates a hierarchy of LRU caches. See lru_levels.h.
 *
 * No level changes what an inner level does. So each level handles all references and writes of a
 * tile before the next outer level begins, and then finds the causes of its misses.
 *
 * The first reference to a block misses everywhere, and is the first reference to this block at
 * every level that it reaches. So all levels have the same number of cold misses, which the last
 * level counts, because it has the fewest misses. The exception is two first levels side by side, for
 * instruction fetches and for data: each of them counts its own cold misses. */
#include "hierarchy/lru_levels.h"

#include "hierarchy/lru_sets.h"
#include "hierarchy/recency.h"
#include "order/block_map.h"
#include "reusedist/engine.h"
#include "reusedist/trace.h"

#include <inttypes.h>

typedef struct lru_level {
    rdi_lru cache;
    rdi_recency recency; /* used only if causes are computed */
    bool finds_cold;
    uint64_t references, cold;
    rdi_arrivals out; /* the arrivals at the next level */
} lru_level;

struct rdi_lru_levels {
    rd_ctx *ctx;
    const rdi_lru_kernels *kernels;
    bool causes;
    size_t n, outer; /* number of levels, and index of the first level that is not innermost */
    size_t first[2];
    lru_level level[RD_CACHES_MAX];
    rdi_gathering gathering;
    rdi_block_map
        seen; /* for each block, a mask of the levels that already counted its cold miss */
    uint64_t refs[RDI_LRU_TILE + RDI_LRU_SPARE], far[RDI_LRU_TILE];
    uint32_t at[RDI_LRU_TILE + RDI_LRU_SPARE], before[RDI_LRU_TILE];
    rdi_lru_miss misses[RDI_LRU_TILE + 1];
    /* Like `before` and `misses`, for the references to one of two innermost levels. */
    uint32_t own_before[RDI_LRU_TILE];
    rdi_lru_miss own_misses[RDI_LRU_TILE];
};

static bool suits(const rd_cache *c, uint64_t block_bytes) {
    return c->policy == RD_POLICY_LRU && c->fill == RD_FILL_NINE &&
           c->prefetch == RD_PREFETCH_NONE && rd_cache_ways(c, block_bytes) <= RDI_LRU_WAYS &&
           rd_cache_blocks(c, block_bytes) <= RDI_RECENCY_BLOCKS;
}

bool rdi_lru_levels_suit(const rd_hierarchy *h, uint64_t block_bytes) {
    bool good = block_bytes >= UINT64_MAX / RDI_LRU_BLOCKS; /* so block numbers are below
                                                               RDI_LRU_BLOCKS */
    for (size_t k = 0; k < h->n; k++)
        good = good && suits(&h->cache[k], block_bytes);
    return good;
}

/* Returns the maximum number of arrivals that one tile causes at the level after the first `levels`
 * levels. At the first level, a reference causes at most three: a miss, a write-back of a dirty
 * victim and a store that is written through. At every further level, it adds at most one
 * write-back. */
static size_t most_arrivals(size_t levels) {
    return (levels + 2) * RDI_LRU_TILE;
}

static rd_status init_level(rdi_lru_levels *l, size_t k, const rd_cache *is, uint64_t block_bytes) {
    lru_level *v = &l->level[k];
    rdi_lru *c = &v->cache;
    *c = (rdi_lru){.index = rdi_set_index_of(is, block_bytes),
                   .ways = rd_cache_ways(is, block_bytes),
                   .now = RDI_LRU_BEGIN,
                   .through = is->write == RD_WRITE_THROUGH};
    c->stride = (c->ways + 7) / 8 * 8;
    uint64_t lanes;
    if (__builtin_mul_overflow(c->index.sets, c->stride * sizeof *c->lanes, &lanes) ||
        lanes > SIZE_MAX / 2)
        return rdi_fail(l->ctx, RD_ENOMEM,
                        "a cache of %" PRIu64
                        " blocks is too large to simulate; give a smaller one",
                        c->index.sets * c->ways);
    c->lanes = rdi_pages_alloc(l->ctx, lanes);
    c->times = rdi_pages_alloc(l->ctx, c->index.sets * c->stride * sizeof *c->times);
    c->dirty = rdi_pages_alloc(l->ctx, c->index.sets * sizeof *c->dirty);
    v->out.what = rdi_alloc(l->ctx, most_arrivals(k + 1) + 1, sizeof *v->out.what);
    if (!c->lanes || !c->times || !c->dirty || !v->out.what)
        return RD_ENOMEM;
    v->finds_cold = k + 1 == l->n || (l->outer == 2 && k < 2);
    return l->causes ? rdi_recency_init(&v->recency, l->ctx, c, rd_cache_blocks(is, block_bytes))
                     : RD_OK;
}

rd_status rdi_lru_levels_new(rd_ctx *ctx, const rd_hierarchy *h, uint64_t block_bytes,
                             const size_t first[2], bool causes, rdi_lru_levels **out) {
    rdi_lru_levels *l = rdi_calloc(ctx, 1, sizeof *l);
    if (!l)
        return RD_ENOMEM;
    l->ctx = ctx;
    l->causes = causes;
    l->n = h->n;
    l->first[0] = first[0];
    l->first[1] = first[1];
    l->outer = first[0] == first[1] ? 1 : 2;
    l->gathering.split = l->outer == 2;
    l->gathering.every_store = h->cache[first[0]].write == RD_WRITE_THROUGH;
    l->gathering.pairs = !l->gathering.every_store;
    for (size_t k = 0; k < l->outer; k++)
        l->gathering.pairs = l->gathering.pairs && rd_cache_ways(&h->cache[k], block_bytes) > 1;
    rd_status status = rdi_lru_kernels_choose(ctx, RDI_ISA_AUTO, &l->kernels);
    if (status == RD_OK && causes)
        status = rdi_block_map_init(&l->seen, ctx);
    for (size_t k = 0; k < l->n && status == RD_OK; k++)
        status = init_level(l, k, &h->cache[k], block_bytes);
    if (status != RD_OK) {
        rdi_lru_levels_free(l);
        return status;
    }
    *out = l;
    return RD_OK;
}

void rdi_lru_levels_free(rdi_lru_levels *l) {
    if (!l)
        return;
    for (size_t k = 0; k < l->n; k++) {
        rdi_lru *c = &l->level[k].cache;
        rdi_pages_free(l->ctx, c->lanes, c->index.sets * c->stride * sizeof *c->lanes);
        rdi_pages_free(l->ctx, c->times, c->index.sets * c->stride * sizeof *c->times);
        rdi_pages_free(l->ctx, c->dirty, c->index.sets * sizeof *c->dirty);
        rdi_recency_fini(&l->level[k].recency);
        rdi_free(l->ctx, l->level[k].out.what);
    }
    rdi_block_map_fini(&l->seen);
    rdi_free(l->ctx, l);
}

/* ---- causes ---- */

/* Counts the cold misses among the n misses of level k in l->far. The slots of the table are
 * prefetched, because they can be anywhere in memory. */
static rd_status find_cold(rdi_lru_levels *l, size_t k, size_t n) {
    const uint64_t bit = UINT64_C(1) << k;
    for (size_t i = 0; i < n; i++)
        RDI_PREFETCH(&l->seen.slot[rdi_block_map_home(&l->seen, l->far[i])]);
    for (size_t i = 0; i < n; i++) {
        uint64_t *mask = rdi_block_map_find(&l->seen, l->far[i]), old;
        if (mask && *mask & bit)
            continue;
        l->level[k].cold++;
        if (mask)
            *mask |= bit;
        else
            RD_TRY(rdi_block_map_exchange(&l->seen, l->far[i], bit, &old));
    }
    return RD_OK;
}

/* Makes room for the times of n references to level k. */
static void reserve(rdi_lru_levels *l, size_t k, size_t n, bool causes) {
    lru_level *v = &l->level[k];
    if (causes)
        rdi_recency_reserve(&v->recency, &v->cache, n);
    else if (v->cache.now >= UINT32_MAX - RDI_LRU_TILE) {
        rdi_lru_renumber(&v->cache, UINT32_MAX, NULL);
        v->cache.now = RDI_LRU_BEGIN;
    }
}

/* Finds the causes of the misses of level k among n references. */
static rd_status classify(rdi_lru_levels *l, size_t k, const uint32_t *before, size_t n,
                          const rdi_lru_miss *misses) {
    size_t far;
    RD_TRY(rdi_recency_classify(&l->level[k].recency, &l->level[k].cache, before, n, misses, l->far,
                                &far));
    return l->level[k].finds_cold ? find_cold(l, k, far) : RD_OK;
}

/* Finds the causes of the misses of level k, which is one of two innermost levels. l->refs has the
 * n references to both levels. */
static rd_status classify_own(rdi_lru_levels *l, size_t k, size_t n) {
    size_t kept = 0, misses = 0, next = 0;
    for (size_t i = 0; i < n; i++) {
        bool miss = l->before[i] == RDI_LRU_MISSED;
        next += miss;
        if (l->first[(l->refs[i] & RDI_LRU_FETCH) != 0] != k)
            continue;
        l->own_before[kept++] = l->before[i];
        if (miss)
            l->own_misses[misses++] = l->misses[next - 1];
    }
    return classify(l, k, l->own_before, kept, l->own_misses);
}

/* Finds the causes of the misses of the innermost level from the distances of all n references of a
 * tile. */
static void classify_known(rdi_lru_levels *l, const uint64_t *distances, size_t n, size_t misses) {
    lru_level *v = &l->level[0];
    uint64_t far = 0, far_misses = 0, cold = 0;
    for (size_t i = 0; i < n; i++)
        far += distances[i] >= v->recency.blocks;
    for (size_t i = 0; i < misses; i++) {
        uint64_t distance = distances[l->at[l->misses[i].index]];
        far_misses += distance >= v->recency.blocks;
        cold += distance == RD_COLD;
    }
    v->cold += cold;
    v->recency.conflict += misses - far_misses;
    v->recency.far_hits += far - far_misses;
}

/* ---- a tile ---- */

static void count_references(rdi_lru_levels *l, const uint8_t *kinds, size_t n) {
    size_t fetches = 0;
    for (size_t i = 0; l->outer == 2 && kinds && i < n; i++)
        fetches += kinds[i] == RD_FETCH;
    l->level[l->first[1]].references += fetches;
    l->level[l->first[0]].references += n - fetches;
}

static rd_status feed_first(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                            const uint64_t *distances, size_t n) {
    rdi_lru *first[2] = {&l->level[l->first[0]].cache, &l->level[l->first[1]].cache};
    rdi_arrivals *out = &l->level[l->outer - 1].out;
    size_t kept =
        l->kernels->gather(&l->gathering, blocks, kinds, n, l->refs, distances ? l->at : NULL);
    if (l->gathering.bits & ~(RDI_LRU_BLOCKS - 1))
        return rdi_fail(l->ctx, RD_EINVAL,
                        "rd_simulator_feed: a block number is not below 2^64 divided by the block "
                        "size; pass addresses divided by the block size");
    for (size_t k = 0; k < l->outer; k++)
        reserve(l, k, kept, l->causes && !distances);
    out->n = 0;
    size_t misses = l->kernels->first(first, l->refs, kept, out, l->misses,
                                      l->causes && !distances ? l->before : NULL);
    count_references(l, kinds, n);
    if (!l->causes)
        return RD_OK;
    if (distances) {
        classify_known(l, distances, n, misses);
        return RD_OK;
    }
    if (l->outer == 1)
        return classify(l, 0, l->before, kept, l->misses);
    for (size_t k = 0; k < 2; k++)
        RD_TRY(classify_own(l, k, kept));
    return RD_OK;
}

static rd_status feed_outer(rdi_lru_levels *l, size_t k) {
    lru_level *v = &l->level[k];
    const rdi_arrivals *in = &l->level[k - 1].out;
    v->out.n = 0;
    reserve(l, k, in->n < RDI_LRU_TILE ? in->n : RDI_LRU_TILE, l->causes);
    size_t n = l->kernels->outer(&v->cache, in, &v->out, l->misses, l->causes ? l->before : NULL);
    v->references += n;
    return l->causes ? classify(l, k, l->before, n, l->misses) : RD_OK;
}

static rd_status feed_tile(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                           const uint64_t *distances, size_t n) {
    RD_TRY(feed_first(l, blocks, kinds, distances, n));
    for (size_t k = l->outer; k < l->n; k++)
        RD_TRY(feed_outer(l, k));
    return RD_OK;
}

rd_status rdi_lru_levels_feed(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                              const uint64_t *distances, size_t n) {
    for (size_t at = 0, some; at < n; at += some) {
        some = n - at < RDI_LRU_TILE ? n - at : RDI_LRU_TILE;
        RD_TRY(feed_tile(l, blocks + at, kinds ? kinds + at : NULL,
                         distances ? distances + at : NULL, some));
    }
    return RD_OK;
}

void rdi_lru_levels_count(const rdi_lru_levels *l, rd_cache_counts *counts) {
    for (size_t k = 0; k < l->n; k++) {
        const lru_level *v = &l->level[k];
        counts[k].references = v->references;
        counts[k].misses = v->cache.misses;
        counts[k].writebacks = v->cache.writebacks;
        if (!l->causes)
            continue;
        counts[k].cold = v->finds_cold ? v->cold : l->level[l->n - 1].cold;
        counts[k].conflict = v->recency.conflict;
        counts[k].capacity = counts[k].misses - counts[k].cold - counts[k].conflict;
        counts[k].far_hits = v->recency.far_hits;
    }
}
