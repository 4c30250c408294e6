/* Simulates a hierarchy of caches in LRU order. See lru_levels.h.
 *
 * No level changes what an inner level does. So each level handles all references and writes of a
 * tile before the next outer level begins. */
#include "hierarchy/lru_levels.h"

#include "reusedist/trace.h"

#include <inttypes.h>

typedef struct lru_level {
    rdi_lru cache;
    rdi_causes *causes; /* NULL: not requested */
    uint64_t references;
    rdi_arrivals out; /* the arrivals at the next level */
} lru_level;

struct rdi_lru_levels {
    rd_ctx *ctx;
    const rdi_lru_kernels *kernels;
    size_t n, outer; /* number of levels, and index of the first level that is not innermost */
    size_t first[2];
    lru_level level[RD_CACHES_MAX];
    rdi_gathering gathering;
    /* Kernels write whole vectors, so `refs` and `at` have room for one more vector. */
    uint64_t refs[RDI_LRU_TILE + 8], blocks[RDI_LRU_TILE];
    uint32_t at[RDI_LRU_TILE + 8], missed[RDI_LRU_TILE];
};

static bool suits(const rd_cache *c, uint64_t block_bytes) {
    return c->policy == RD_POLICY_LRU && c->fill == RD_FILL_NINE &&
           c->prefetch == RD_PREFETCH_NONE && rd_cache_ways(c, block_bytes) <= RDI_LRU_WAYS;
}

bool rdi_lru_levels_suit(const rd_hierarchy *h, uint64_t block_bytes) {
    bool good = block_bytes >= UINT64_MAX / RDI_LRU_BLOCKS; /* block numbers leave bits free */
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
                   .through = is->write == RD_WRITE_THROUGH};
    c->stride = (c->ways + 7) / 8 * 8;
    uint64_t lanes;
    if (__builtin_mul_overflow(c->index.sets, c->stride * sizeof *c->lanes, &lanes) ||
        lanes > SIZE_MAX / 2)
        return rdi_fail(l->ctx, RD_ENOMEM,
                        "a cache of %" PRIu64 " sets is too large to simulate; give a smaller one",
                        c->index.sets);
    if (!(c->lanes = rdi_pages_alloc(l->ctx, lanes)))
        return RD_ENOMEM;
    v->out.what = rdi_alloc(l->ctx, most_arrivals(k + 1), sizeof *v->out.what);
    return v->out.what ? RD_OK : RD_ENOMEM;
}

rd_status rdi_lru_levels_new(rd_ctx *ctx, const rd_hierarchy *h, uint64_t block_bytes,
                             const size_t first[2], rdi_causes *const *causes,
                             rdi_lru_levels **out) {
    rdi_lru_levels *l = rdi_calloc(ctx, 1, sizeof *l);
    if (!l)
        return RD_ENOMEM;
    l->ctx = ctx;
    l->n = h->n;
    l->first[0] = first[0];
    l->first[1] = first[1];
    l->outer = first[0] == first[1] ? 1 : 2;
    l->gathering.split = l->outer == 2;
    l->gathering.every_store = h->cache[first[0]].write == RD_WRITE_THROUGH;
    rd_status status = rdi_lru_kernels_choose(ctx, RDI_ISA_AUTO, &l->kernels);
    for (size_t k = 0; k < l->n && status == RD_OK; k++) {
        l->level[k].causes = causes[k];
        status = init_level(l, k, &h->cache[k], block_bytes);
    }
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
        rdi_free(l->ctx, l->level[k].out.what);
    }
    rdi_free(l->ctx, l);
}

/* ---- causes ---- */

/* Adds the references among the arrivals `in`, without the writes, to the causes of their level.
 * l->missed has the indices of the `misses` references that miss. */
static rd_status add_causes(rdi_lru_levels *l, rdi_causes *causes, const rdi_arrivals *in,
                            size_t misses) {
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++) {
        l->blocks[n] = in->what[i] - 1;
        n += !(in->what[i] & RDI_LRU_DIRTY);
    }
    return rdi_causes_add_mixed(causes, l->blocks, n, l->missed, misses);
}

/* Adds the references that arrive at innermost level k to its causes. l->refs has the n references
 * to all innermost levels, and l->missed the indices of the `misses` references that miss. */
static rd_status add_first_causes(rdi_lru_levels *l, size_t k, size_t n, size_t misses) {
    const uint64_t bits = RDI_LRU_DIRTY | RDI_LRU_FETCH;
    rdi_causes *causes = l->level[k].causes;
    if (!causes)
        return RD_OK;
    if (l->outer == 1) {
        for (size_t i = 0; i < n; i++)
            l->blocks[i] = (l->refs[i] & ~bits) - 1;
        return rdi_causes_add_mixed(causes, l->blocks, n, l->missed, misses);
    }
    uint32_t own[RDI_LRU_TILE];
    size_t kept = 0, m = 0, next = 0;
    for (size_t i = 0; i < n; i++) {
        bool miss = next < misses && l->missed[next] == i;
        next += miss;
        if (l->first[(l->refs[i] & RDI_LRU_FETCH) != 0] != k)
            continue;
        if (miss)
            own[m++] = (uint32_t)kept;
        l->blocks[kept++] = (l->refs[i] & ~bits) - 1;
    }
    return rdi_causes_add_mixed(causes, l->blocks, kept, own, m);
}

/* ---- a tile ---- */

static void count_references(rdi_lru_levels *l, const uint8_t *kinds, size_t n) {
    size_t fetches = 0;
    for (size_t i = 0; kinds && i < n; i++)
        fetches += kinds[i] == RD_FETCH;
    l->level[l->first[1]].references += fetches;
    l->level[l->first[0]].references += n - fetches;
}

static rd_status feed_first(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                            const uint64_t *distances, size_t n) {
    rdi_lru *first[2] = {&l->level[l->first[0]].cache, &l->level[l->first[1]].cache};
    rdi_arrivals *out = &l->level[l->outer - 1].out;
    size_t kept = l->kernels->gather(&l->gathering, blocks, kinds, n, l->refs, l->at);
    if (l->gathering.bits & ~(RDI_LRU_BLOCKS - 1))
        return rdi_fail(l->ctx, RD_EINVAL,
                        "rd_simulator_feed: a block number is larger than 2^64 divided by the "
                        "size of a block");
    out->n = 0;
    size_t misses = l->kernels->first(first, l->refs, kept, out, l->missed);
    count_references(l, kinds, n);
    if (distances && l->level[0].causes) {
        for (size_t i = 0; i < misses; i++)
            l->missed[i] = l->at[l->missed[i]];
        rdi_causes_take(l->level[0].causes, distances, n, l->missed, misses);
        return RD_OK;
    }
    for (size_t k = 0; k < l->outer; k++)
        RD_TRY(add_first_causes(l, k, kept, misses));
    return RD_OK;
}

static rd_status feed_tile(rdi_lru_levels *l, const uint64_t *blocks, const uint8_t *kinds,
                           const uint64_t *distances, size_t n) {
    RD_TRY(feed_first(l, blocks, kinds, distances, n));
    for (size_t k = l->outer; k < l->n; k++) {
        lru_level *v = &l->level[k];
        const rdi_arrivals *in = &l->level[k - 1].out;
        size_t references;
        v->out.n = 0;
        size_t misses = l->kernels->outer(&v->cache, in, &v->out, l->missed, &references);
        v->references += references;
        if (v->causes)
            RD_TRY(add_causes(l, v->causes, in, misses));
    }
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
        counts[k].references = l->level[k].references;
        counts[k].misses = l->level[k].cache.misses;
        counts[k].writebacks = l->level[k].cache.writebacks;
    }
}
