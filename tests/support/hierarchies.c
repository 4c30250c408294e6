/* Makes random hierarchies of caches. See hierarchies.h. */
#include "support/hierarchies.h"

#include <stdio.h>
#include <string.h>

static uint64_t some_ways(rdi_rng *rng) {
    switch (rdi_rng_below(rng, 8)) {
    case 0:
        return 1;
    case 1:
        return 65 + rdi_rng_below(rng, 40); /* more than a narrow cache has (cache_narrow.c) */
    case 2:
        return 1 + rdi_rng_below(rng, 64);
    default:
        return 1 + rdi_rng_below(rng, 12);
    }
}

/* Makes a cache of at least `least` blocks. */
static rd_cache some_cache(rdi_rng *rng, uint64_t least, bool innermost, uint64_t block_bytes) {
    uint64_t ways = some_ways(rng), sets = 1 + rdi_rng_below(rng, 17);
    if (ways * sets < least)
        sets = (least + ways - 1) / ways;
    rd_cache c = {.bytes = ways * sets * (block_bytes ? block_bytes : 1),
                  .ways = rdi_rng_below(rng, 10) ? ways : 0,
                  .policy = (rd_cache_policy)(rdi_rng_below(rng, 2) ? 0 : rdi_rng_below(rng, 4)),
                  .write = (rd_cache_write)(rdi_rng_below(rng, 4) == 0),
                  .index = (rd_cache_index)(rdi_rng_below(rng, 4) == 0),
                  .seed = rdi_rng_below(rng, 3) ? rdi_rng_next(rng) : 0};
    c.fill = (rd_cache_fill)(rdi_rng_below(rng, 2) ? 0 : rdi_rng_below(rng, innermost ? 2 : 3));
    if (c.fill != RD_FILL_EXCLUSIVE && rdi_rng_below(rng, 2))
        c.prefetch = (rd_cache_prefetch)rdi_rng_below(rng, 3);
    return c;
}

/* Gives a cache the default policy, fill and prefetch rules, and mostly at most 64 ways. The
 * library has separate code for hierarchies in which all caches are like this (lru_levels.c). */
static void simplify(rdi_rng *rng, rd_cache *c) {
    c->policy = RD_POLICY_LRU;
    c->fill = RD_FILL_NINE;
    c->prefetch = RD_PREFETCH_NONE;
    if (!c->ways || (c->ways > 64 && rdi_rng_below(rng, 8)))
        c->ways = 1;
}

void hierarchies_random(rdi_rng *rng, uint64_t block_bytes, rd_hierarchy *h) {
    bool simple = rdi_rng_below(rng, 3) == 0;
    bool split = rdi_rng_below(rng, 4) == 0, swapped = rdi_rng_below(rng, 2);
    *h = (rd_hierarchy){.size = sizeof *h, .n = 1 + split + rdi_rng_below(rng, 4)};
    uint64_t least = 1, unit = block_bytes ? block_bytes : 1;
    for (size_t i = 0; i < h->n; i++) {
        bool innermost = i < 1u + split;
        h->cache[i] = some_cache(rng, innermost ? 1 : least, innermost, block_bytes);
        if (simple)
            simplify(rng, &h->cache[i]);
        snprintf(h->cache[i].name, sizeof h->cache[i].name, "C%u", (unsigned)(i + 1));
        least = h->cache[i].bytes / unit > least ? h->cache[i].bytes / unit : least;
    }
    if (split) {
        strcpy(h->cache[0].name, swapped ? "L1D" : "L1I");
        strcpy(h->cache[1].name, swapped ? "L1I" : "L1D");
    }
}
