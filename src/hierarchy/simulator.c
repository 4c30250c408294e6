/* Simulates a hierarchy of caches, reference by reference. docs/hierarchies.md defines every step;
 * the headings below follow its sections.
 *
 * lru_levels.c simulates hierarchies of LRU caches that are neither inclusive nor exclusive and do
 * not prefetch; see suits_lru(). In all other hierarchies, most references hit in the innermost
 * level and change nothing else. A kernel handles runs of such references (cache.h); the functions
 * here handle all other references. */
#include "hierarchy/simulator.h"
#include "base/sized.h"
#include "hierarchy/cores.h"
#include "hierarchy/simulator_state.h"
#include "reusedist/trace.h"

#include <string.h>

static inline size_t next_level(const rd_simulator *s, size_t k) {
    return k < s->outer ? s->outer : k + 1;
}

/* ---- a write arrives ---- */

static void write_arrives(rd_simulator *s, size_t k, uint64_t block) {
    for (; k < s->n; k = next_level(s, k)) {
        rdi_level *l = &s->level[k];
        uint64_t way = rdi_cache_find(l->cache, block);
        if (way == RDI_NO_WAY)
            continue;
        if (!l->cache->through) {
            l->cache->flags[way] |= RDI_WAY_DIRTY;
            return;
        }
        l->count.writebacks++;
    }
}

void rdi_write_arrives(rd_simulator *s, size_t k, uint64_t block) {
    write_arrives(s, k, block);
}

/* ---- inserting a block ---- */

static rd_status insert(rd_simulator *s, size_t k, uint64_t block);

/* Notes that level k lost a block because of the current reference, if somebody receives misses. */
static rd_status lose(rd_simulator *s, size_t k, uint64_t block) {
    return s->sink ? rdi_causes_lose(s->ctx, s->level[k].causes, block, s->block, s->tag) : RD_OK;
}

rd_status rdi_remove_victim(rd_simulator *s, size_t k, rdi_level *l, size_t i, rdi_victim *v) {
    uint64_t way = rdi_cache_find(l->cache, v->block);
    if (way == RDI_NO_WAY)
        return RD_OK;
    uint8_t flags = l->cache->flags[way];
    s->level[k].count.invalidations++;
    l->count.useless += (flags & RDI_WAY_MARKED) != 0;
    l->count.writebacks += (flags & RDI_WAY_DIRTY) != 0;
    v->flags |= flags & RDI_WAY_DIRTY;
    rdi_cache_remove(l->cache, way);
    return lose(s, i, v->block);
}

/* Removes the victim of inclusive level k from all caches inside it. */
static rd_status remove_inside(rd_simulator *s, size_t k, rdi_victim *v) {
    for (size_t i = 0; i < k; i++)
        RD_TRY(s->threads ? rdi_cores_remove_inside(s, k, i, v)
                          : rdi_remove_victim(s, k, &s->level[i], i, v));
    return RD_OK;
}

static rd_status dispose(rd_simulator *s, size_t k, rdi_victim v) {
    rdi_level *l = &s->level[k];
    size_t next = next_level(s, k);
    l->count.useless += (v.flags & RDI_WAY_MARKED) != 0;
    RD_TRY(lose(s, k, v.block));
    if (l->is.fill == RD_FILL_INCLUSIVE)
        RD_TRY(remove_inside(s, k, &v));
    bool dirty = v.flags & RDI_WAY_DIRTY;
    l->count.writebacks += dirty;
    if (next < s->n && s->level[next].is.fill == RD_FILL_EXCLUSIVE &&
        rdi_cache_find(s->level[next].cache, v.block) == RDI_NO_WAY)
        RD_TRY(insert(s, next, v.block));
    if (dirty)
        write_arrives(s, next, v.block);
    return RD_OK;
}

static rd_status insert(rd_simulator *s, size_t k, uint64_t block) {
    rdi_victim victim;
    RD_TRY(rdi_cache_insert(s->level[k].cache, block, &victim));
    return victim.flags ? dispose(s, k, victim) : RD_OK;
}

/* ---- steps 1 to 3 of a reference or prefetch ---- */

static rdi_search search_from(rd_simulator *s, size_t k, uint64_t block) {
    rdi_search found = {.way = RDI_NO_WAY};
    for (; k < s->n; k = next_level(s, k)) {
        found.way = rdi_cache_find(s->level[k].cache, block);
        if (found.way != RDI_NO_WAY)
            break;
        found.missed[found.n++] = k;
    }
    found.hit = k;
    return found;
}

/* Touches the block where it was found, removes it from there if that level is exclusive, and fills
 * the levels that missed, except exclusive ones. */
static rd_status load(rd_simulator *s, const rdi_search *found, uint64_t block) {
    bool dirty = false;
    if (found->hit < s->n) {
        rdi_level *l = &s->level[found->hit];
        rdi_cache_touch(l->cache, found->way);
        if (l->is.fill == RD_FILL_EXCLUSIVE) {
            dirty = l->cache->flags[found->way] & RDI_WAY_DIRTY;
            rdi_cache_remove(l->cache, found->way);
        }
    }
    for (size_t i = found->n; i-- > 0;) {
        size_t k = found->missed[i];
        if (s->level[k].is.fill == RD_FILL_EXCLUSIVE)
            continue;
        RD_TRY(insert(s, k, block));
        if (dirty)
            write_arrives(s, k, block);
        dirty = false;
    }
    return RD_OK;
}

/* ---- prefetchers ---- */

static rd_status prefetch(rd_simulator *s, size_t k, uint64_t block) {
    rdi_level *l = &s->level[k];
    rdi_search found = search_from(s, k, block);
    if (found.hit == k)
        return RD_OK;
    l->count.prefetches++;
    if (s->threads)
        RD_TRY(rdi_cores_prefetch(s, k, &found, block));
    RD_TRY(load(s, &found, block));
    l->cache->flags[rdi_cache_find(l->cache, block)] |= RDI_WAY_MARKED;
    return RD_OK;
}

/* Prefetches the n blocks after `block` (direction 1) or before it (direction -1), but none beyond
 * the first or last block number. */
static rd_status prefetch_ahead(rd_simulator *s, size_t k, uint64_t block, int direction,
                                unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (block == (direction > 0 ? UINT64_MAX : 0))
            return RD_OK;
        block = direction > 0 ? block + 1 : block - 1;
        RD_TRY(prefetch(s, k, block));
    }
    return RD_OK;
}

static rd_status train(rd_simulator *s, size_t k, uint64_t block) {
    const rdi_level *l = &s->level[k];
    if (l->is.prefetch == RD_PREFETCH_NEXT)
        return prefetch_ahead(s, k, block, 1, 1);
    if (!l->streams)
        return RD_OK;
    int direction = rdi_streams_train(l->streams, block);
    return direction ? prefetch_ahead(s, k, block, direction, RDI_STREAM_AHEAD) : RD_OK;
}

/* ---- one reference ---- */

static rd_status count_arrivals(rd_simulator *s, const rdi_search *found, uint64_t block) {
    for (size_t i = 0; i < found->n; i++) {
        rdi_level *l = &s->level[found->missed[i]];
        l->count.references++;
        l->count.misses++;
        if (l->causes)
            RD_TRY(rdi_causes_add_miss(l->causes, block, s->tag));
    }
    if (found->hit == s->n)
        return RD_OK;
    rdi_level *l = &s->level[found->hit];
    l->count.references++;
    return l->causes ? rdi_causes_add(l->causes, &block, 1, false) : RD_OK;
}

/* Removes the mark of the block that hit, and returns whether it had one. */
static bool use_prefetched(rd_simulator *s, const rdi_search *found) {
    if (found->hit == s->n)
        return false;
    rdi_level *l = &s->level[found->hit];
    bool marked = l->cache->flags[found->way] & RDI_WAY_MARKED;
    l->cache->flags[found->way] &= (uint8_t)~RDI_WAY_MARKED;
    l->count.useful += marked;
    return marked;
}

static rd_status reference(rd_simulator *s, uint64_t block, uint8_t kind) {
    size_t first = s->first[kind == RD_FETCH];
    rdi_search found = search_from(s, first, block);
    RD_TRY(s->threads ? rdi_cores_arrive(s, &found, block, kind)
                      : count_arrivals(s, &found, block));
    bool marked = use_prefetched(s, &found);
    RD_TRY(load(s, &found, block));
    if (kind == RD_STORE)
        write_arrives(s, first, block);
    for (size_t i = 0; i < found.n; i++)
        RD_TRY(train(s, found.missed[i], block));
    return marked ? train(s, found.hit, block) : RD_OK;
}

/* Counts n references that hit in an innermost level and that the kernel has processed. */
static rd_status count_hits(rd_simulator *s, const uint64_t *blocks, const uint8_t *kinds,
                            size_t n) {
    rdi_level *data = &s->level[s->first[0]], *fetches = &s->level[s->first[1]];
    if (data == fetches || !kinds) {
        data->count.references += n;
        return data->causes && n ? rdi_causes_add(data->causes, blocks, n, false) : RD_OK;
    }
    for (size_t i = 0; i < n; i++) {
        rdi_level *l = kinds[i] == RD_FETCH ? fetches : data;
        l->count.references++;
        if (l->causes)
            RD_TRY(rdi_causes_add(l->causes, blocks + i, 1, false));
    }
    return RD_OK;
}

static rd_status feed(rd_simulator *s, const uint64_t *blocks, const uint8_t *kinds,
                      const uint64_t *threads, const uint64_t *tags, size_t n) {
    if (s->lru)
        return rdi_lru_levels_feed(s->lru, blocks, kinds, NULL, n);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *more = kinds ? kinds + i : NULL;
        if (s->is_fast) {
            size_t hits = s->kernels->run(s->fast, blocks + i, more, n - i);
            RD_TRY(count_hits(s, blocks + i, more, hits));
            i += hits;
        }
        if (i == n)
            break;
        if (s->threads)
            RD_TRY(rdi_cores_choose(s, threads ? threads[i] : 0));
        s->block = blocks[i];
        s->tag = tags ? tags[i] : 0;
        RD_TRY(reference(s, blocks[i], kinds ? kinds[i] : RD_LOAD));
    }
    return RD_OK;
}

bool rdi_simulator_takes_distances(const rd_simulator *s) {
    return s->lru && s->lru_causes && s->first[0] == s->first[1];
}

rd_status rdi_simulator_feed_distances(rd_simulator *s, const uint64_t *blocks,
                                       const uint8_t *kinds, const uint64_t *distances, size_t n) {
    return rdi_lru_levels_feed(s->lru, blocks, kinds, distances, n);
}

rd_status rd_simulator_feed(rd_simulator *s, const uint64_t *blocks, const uint8_t *kinds,
                            size_t n) {
    RDI_NEED(s ? s->ctx : NULL, s);
    if (n)
        RDI_NEED(s->ctx, blocks);
    return feed(s, blocks, kinds, NULL, NULL, n);
}

rd_status rd_simulator_feed_tagged(rd_simulator *s, const uint64_t *blocks, const uint8_t *kinds,
                                   const uint64_t *tags, size_t n) {
    RDI_NEED(s ? s->ctx : NULL, s);
    if (n)
        RDI_NEED(s->ctx, blocks, tags);
    return feed(s, blocks, kinds, NULL, tags, n);
}

rd_status rd_simulator_feed_threads(rd_simulator *s, const uint64_t *blocks, const uint8_t *kinds,
                                    const uint64_t *threads, size_t n) {
    RDI_NEED(s ? s->ctx : NULL, s);
    if (n)
        RDI_NEED(s->ctx, blocks, threads);
    return feed(s, blocks, kinds, threads, NULL, n);
}

/* ---- opening, closing and counts ---- */

rd_status rd_simulator_counts(rd_simulator *s, rd_cache_counts *out) {
    RDI_NEED(s ? s->ctx : NULL, s, out);
    if (s->threads) {
        rdi_cores_count(s, out);
        return RD_OK;
    }
    for (size_t k = 0; k < s->n; k++)
        if (s->level[k].causes)
            RD_TRY(rdi_causes_flush(s->level[k].causes));
    for (size_t k = 0; k < s->n; k++)
        out[k] = s->level[k].count;
    if (s->lru)
        rdi_lru_levels_count(s->lru, out);
    return RD_OK;
}

/* Returns whether lru_levels.c can simulate the caches. It cannot if somebody receives misses,
 * because it does not know which reference evicted a block, or if threads have private caches. */
static bool suits_lru(const rd_simulator *s, const rd_simulator_config *config) {
    return !config->misses && !config->private_caches &&
           rdi_lru_levels_suit(&s->hierarchy, config->block_bytes);
}

static rd_status init_level(rd_simulator *s, size_t k, const rd_simulator_config *config) {
    rdi_level *l = &s->own[k];
    l->is = s->hierarchy.cache[k];
    l->cache = &s->caches[k];
    if (config->private_caches && !l->is.shared)
        return RD_OK; /* each thread has a level of its own */
    RD_TRY(rdi_cache_init(l->cache, s->ctx, s->kernels, &l->is, config->block_bytes));
    if (l->is.prefetch == RD_PREFETCH_STREAM) {
        l->streams = rdi_calloc(s->ctx, 1, sizeof *l->streams);
        if (!l->streams)
            return RD_ENOMEM;
    }
    if (config->without_causes || config->private_caches)
        return RD_OK;
    RD_TRY(rdi_causes_new(s->ctx, rd_cache_blocks(&l->is, config->block_bytes), &s->seen,
                          UINT64_C(1) << k, &l->count, &l->causes));
    return config->misses ? rdi_causes_watch(s->ctx, l->causes, config->misses, config->misses_user,
                                             (uint32_t)k)
                          : RD_OK;
}

static rd_status init(rd_simulator *s, const rd_simulator_config *config) {
    RD_TRY(rd_hierarchy_check(s->ctx, &s->hierarchy, config->block_bytes));
    RD_TRY(rdi_cache_kernels_choose(s->ctx, RDI_ISA_AUTO, &s->kernels));
    RD_TRY(rdi_block_map_init(&s->seen, s->ctx));
    s->sink = config->misses;
    if (s->sink && (config->without_causes || config->private_caches))
        return rdi_fail(s->ctx, RD_EINVAL,
                        "rd_simulator_config.misses needs causes and no private caches; set "
                        "without_causes and private_caches to false");
    if (config->private_caches)
        RD_TRY(rd_hierarchy_check_private(s->ctx, &s->hierarchy));
    s->n = s->hierarchy.n;
    bool split = rd_hierarchy_is_split(&s->hierarchy);
    bool fetches_first = strcmp(s->hierarchy.cache[0].name, "L1I") == 0;
    s->first[0] = split && fetches_first;
    s->first[1] = split && !fetches_first;
    s->outer = split ? 2 : 1;
    if (suits_lru(s, config)) {
        s->lru_causes = !config->without_causes;
        return rdi_lru_levels_new(s->ctx, &s->hierarchy, config->block_bytes, s->first,
                                  s->lru_causes, &s->lru);
    }
    for (size_t k = 0; k < s->n; k++)
        RD_TRY(init_level(s, k, config));
    if (config->private_caches)
        return rdi_cores_new(s, config);
    s->is_fast = true;
    for (size_t i = 0; i < 2; i++) {
        s->fast[i] = s->level[s->first[i]].cache;
        s->is_fast = s->is_fast && rdi_cache_is_narrow(s->fast[i]);
    }
    return RD_OK;
}

rd_status rd_simulator_new(rd_ctx *ctx, const rd_hierarchy *h, const rd_simulator_config *config,
                           rd_simulator **out) {
    RDI_NEED(ctx, ctx, h, out);
    rd_simulator_config own;
    rd_hierarchy copy;
    RD_TRY(rdi_sized_copy(ctx, "rd_simulator_config", config, &own, sizeof own));
    RD_TRY(rdi_sized_copy(ctx, "rd_hierarchy", h, &copy, sizeof copy));
    copy.size = sizeof copy;
    rd_simulator *s = rdi_calloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    s->ctx = ctx;
    s->level = s->own;
    s->hierarchy = copy;
    rd_status status = init(s, &own);
    if (status != RD_OK) {
        rd_simulator_free(s);
        return status;
    }
    *out = s;
    return RD_OK;
}

void rd_simulator_free(rd_simulator *s) {
    if (!s)
        return;
    for (size_t k = 0; k < RD_CACHES_MAX; k++) {
        rdi_causes_free(s->ctx, s->own[k].causes);
        rdi_free(s->ctx, s->own[k].streams);
        rdi_cache_fini(&s->caches[k]);
    }
    rdi_cores_free(s);
    rdi_lru_levels_free(s->lru);
    rdi_block_map_fini(&s->seen);
    rdi_free(s->ctx, s);
}
