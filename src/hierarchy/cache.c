/* Implements what both layouts of caches share: memory, look-ups, insertions and removals. See
 * cache.h. */
#include "hierarchy/cache.h"

#include <inttypes.h>

/* Sets *array, which points to an array pointer of any type, to a zeroed array of n elements. An
 * empty cache needs no other initial values, and memory that is never touched costs nothing. */
static rd_status allocate(rdi_cache *c, void *array, uint64_t n, size_t size) {
    uint64_t bytes;
    if (__builtin_mul_overflow(n, (uint64_t)size, &bytes) || bytes > SIZE_MAX / 2)
        return rdi_fail(c->ctx, RD_ENOMEM,
                        "a cache of %" PRIu64
                        " blocks is too large to simulate; give a smaller one",
                        c->sets * c->ways);
    void *p = rdi_pages_alloc(c->ctx, bytes);
    if (!p)
        return RD_ENOMEM;
    *(void **)array = p;
    return RD_OK;
}

static rd_status allocate_ways(rdi_cache *c) {
    uint64_t n;
    if (__builtin_mul_overflow(c->sets, c->stride, &n))
        n = UINT64_MAX;
    bool narrow = rdi_cache_is_narrow(c);
    RD_TRY(allocate(c, &c->tags, n, sizeof *c->tags));
    RD_TRY(allocate(c, &c->flags, n, sizeof *c->flags));
    if (c->policy == RD_POLICY_RRIP || (c->policy == RD_POLICY_PLRU && !narrow))
        RD_TRY(allocate(c, &c->values, n, sizeof *c->values));
    if (c->policy == RD_POLICY_LRU && narrow)
        RD_TRY(allocate(c, &c->stamps, n, sizeof *c->stamps));
    if (c->policy == RD_POLICY_LRU && !narrow) {
        RD_TRY(allocate(c, &c->newer, n, sizeof *c->newer));
        RD_TRY(allocate(c, &c->older, n, sizeof *c->older));
    }
    return RD_OK;
}

static rd_status allocate_sets(rdi_cache *c) {
    if (rdi_cache_is_narrow(c)) {
        RD_TRY(allocate(c, &c->used, c->sets, sizeof *c->used));
        RD_TRY(allocate(c, &c->recent, c->sets, sizeof *c->recent));
        if (c->policy == RD_POLICY_PLRU)
            RD_TRY(allocate(c, &c->bits, c->sets, sizeof *c->bits));
        return RD_OK;
    }
    RD_TRY(allocate(c, &c->empty, c->sets, sizeof *c->empty));
    RD_TRY(allocate(c, &c->filled, c->sets, sizeof *c->filled));
    if (c->policy == RD_POLICY_LRU) {
        RD_TRY(allocate(c, &c->newest, c->sets, sizeof *c->newest));
        RD_TRY(allocate(c, &c->oldest, c->sets, sizeof *c->oldest));
        RD_TRY(allocate(c, &c->spare, c->sets, sizeof *c->spare));
    }
    return RD_OK;
}

rd_status rdi_cache_init(rdi_cache *c, rd_ctx *ctx, const rdi_cache_kernels *kernels,
                         const rd_cache *is, uint64_t block_bytes) {
    *c = (rdi_cache){.ctx = ctx,
                     .kernels = kernels,
                     .policy = is->policy,
                     .index = rdi_set_index_of(is, block_bytes),
                     .through = is->write == RD_WRITE_THROUGH,
                     .sets = rd_cache_sets(is, block_bytes),
                     .ways = rd_cache_ways(is, block_bytes),
                     .generator = is->seed};
    c->stride = rdi_cache_is_narrow(c) ? (c->ways + 7) / 8 * 8 : c->ways;
    RD_TRY(allocate_ways(c));
    RD_TRY(allocate_sets(c));
    return rdi_cache_is_narrow(c) ? rdi_narrow_init(c) : rdi_wide_init(c);
}

void rdi_cache_fini(rdi_cache *c) {
    if (!c->ctx)
        return;
    uint64_t n = c->sets * c->stride;
    rdi_pages_free(c->ctx, c->tags, n * sizeof *c->tags);
    rdi_pages_free(c->ctx, c->flags, n * sizeof *c->flags);
    rdi_pages_free(c->ctx, c->values, n * sizeof *c->values);
    rdi_pages_free(c->ctx, c->stamps, n * sizeof *c->stamps);
    rdi_pages_free(c->ctx, c->newer, n * sizeof *c->newer);
    rdi_pages_free(c->ctx, c->older, n * sizeof *c->older);
    rdi_pages_free(c->ctx, c->used, c->sets * sizeof *c->used);
    rdi_pages_free(c->ctx, c->recent, c->sets * sizeof *c->recent);
    rdi_pages_free(c->ctx, c->bits, c->sets * sizeof *c->bits);
    rdi_pages_free(c->ctx, c->empty, c->sets * sizeof *c->empty);
    rdi_pages_free(c->ctx, c->filled, c->sets * sizeof *c->filled);
    rdi_pages_free(c->ctx, c->newest, c->sets * sizeof *c->newest);
    rdi_pages_free(c->ctx, c->oldest, c->sets * sizeof *c->oldest);
    rdi_pages_free(c->ctx, c->spare, c->sets * sizeof *c->spare);
    rdi_block_map_fini(&c->where);
}

uint64_t rdi_cache_farthest(uint8_t *values, uint64_t ways) {
    uint8_t most = 0;
    for (uint64_t i = 0; i < ways; i++)
        most = values[i] > most ? values[i] : most;
    uint64_t victim = RDI_NO_WAY;
    for (uint64_t i = ways; i-- > 0;) {
        values[i] = (uint8_t)(values[i] + (3 - most));
        victim = values[i] == 3 ? i : victim;
    }
    return victim;
}

uint64_t rdi_cache_find(const rdi_cache *c, uint64_t block) {
    if (!rdi_cache_is_narrow(c)) {
        const uint64_t *way = rdi_block_map_find(&c->where, block);
        return way ? *way : RDI_NO_WAY;
    }
    uint64_t set = rdi_cache_set(c, block), at = set * c->stride;
    uint64_t found = c->kernels->match(c->tags + at, c->stride, block) & c->used[set];
    return found ? at + (uint64_t)__builtin_ctzll(found) : RDI_NO_WAY;
}

void rdi_cache_touch(rdi_cache *c, uint64_t way) {
    if (rdi_cache_is_narrow(c))
        rdi_narrow_use(c, way / c->stride, (unsigned)(way % c->stride), RDI_RRIP_TOUCHED);
    else
        rdi_wide_use(c, way, RDI_RRIP_TOUCHED);
}

rd_status rdi_cache_insert(rdi_cache *c, uint64_t block, rdi_victim *victim) {
    uint64_t set = rdi_cache_set(c, block), way, old;
    if (rdi_cache_is_narrow(c)) {
        way = rdi_narrow_way_for(c, set, victim);
        rdi_narrow_use(c, set, (unsigned)(way - set * c->stride), RDI_RRIP_INSERTED);
    } else {
        way = rdi_wide_way_for(c, set, victim);
        RD_TRY(rdi_block_map_exchange(&c->where, block, way, &old));
        rdi_wide_use(c, way, RDI_RRIP_INSERTED);
    }
    c->tags[way] = block;
    c->flags[way] = RDI_WAY_USED;
    return RD_OK;
}

void rdi_cache_remove(rdi_cache *c, uint64_t way) {
    c->flags[way] = 0;
    if (rdi_cache_is_narrow(c))
        c->used[way / c->stride] &= ~(UINT64_C(1) << way % c->stride);
    else
        rdi_wide_remove(c, way);
}
