/* Caches with many ways per set, whose blocks are found through a hash table. LRU keeps a list per
 * set, so that its time per reference does not depend on the number of ways. Tree-PLRU takes O(log
 * ways), and SRRIP O(ways) for each victim. See cache.h. */
#include "hierarchy/cache.h"

rd_status rdi_wide_init(rdi_cache *c) {
    return rdi_block_map_init(&c->where, c->ctx);
}

/* ---- LRU: a list from the newest way to the oldest one; elements are way numbers plus 1 ---- */

static void unlink_way(rdi_cache *c, uint64_t way) {
    uint64_t set = way / c->ways, newer = c->newer[way], older = c->older[way];
    *(newer ? &c->older[newer - 1] : &c->newest[set]) = older;
    *(older ? &c->newer[older - 1] : &c->oldest[set]) = newer;
    c->newer[way] = c->older[way] = 0;
}

static void link_newest(rdi_cache *c, uint64_t way) {
    uint64_t set = way / c->ways, before = c->newest[set];
    c->newer[way] = 0;
    c->older[way] = before;
    c->newest[set] = way + 1;
    *(before ? &c->newer[before - 1] : &c->oldest[set]) = way + 1;
}

/* ---- tree-PLRU: the bit of a node is stored at the way where its right side begins ---- */

static void point_away(uint8_t *bits, uint64_t ways, uint64_t way) {
    for (uint64_t from = 0, n = ways; n > 1;) {
        uint64_t left = (n + 1) / 2, right = from + left;
        bits[right] = way < right;
        n = way < right ? left : n - left;
        from = way < right ? from : right;
    }
}

static uint64_t follow(const uint8_t *bits, uint64_t ways) {
    uint64_t from = 0;
    for (uint64_t n = ways; n > 1;) {
        uint64_t left = (n + 1) / 2, right = from + left;
        n = bits[right] ? n - left : left;
        from = bits[right] ? right : from;
    }
    return from;
}

/* ---- the interface ---- */

void rdi_wide_use(rdi_cache *c, uint64_t way, unsigned rrip) {
    uint64_t set = way / c->ways;
    switch (c->policy) {
    case RD_POLICY_LRU:
        if (c->newest[set] == way + 1)
            return;
        if (c->flags[way] & RDI_WAY_USED)
            unlink_way(c, way);
        link_newest(c, way);
        return;
    case RD_POLICY_PLRU:
        point_away(c->values + set * c->ways, c->ways, way - set * c->ways);
        return;
    case RD_POLICY_RRIP:
        c->values[way] = (uint8_t)rrip;
        return;
    case RD_POLICY_RANDOM:
        return;
    }
}

/* Returns a way that was used and is empty now; the set must have one. It is the way with the
 * lowest number or, under LRU, any such way, because LRU does not depend on the numbers. Ways from
 * filled[set] on were never used. */
static uint64_t take_empty(rdi_cache *c, uint64_t set) {
    c->empty[set]--;
    if (c->policy == RD_POLICY_LRU) {
        uint64_t way = c->spare[set] - 1;
        c->spare[set] = c->older[way];
        return way;
    }
    uint64_t at = set * c->ways, end = at + c->filled[set];
    while (at < end && c->flags[at])
        at++;
    return at;
}

static uint64_t choose_victim(rdi_cache *c, uint64_t set) {
    uint64_t at = set * c->ways;
    switch (c->policy) {
    case RD_POLICY_PLRU:
        return at + follow(c->values + at, c->ways);
    case RD_POLICY_RRIP:
        return at + rdi_cache_farthest(c->values + at, c->ways);
    case RD_POLICY_RANDOM:
        return at + rdi_cache_draw(c);
    default:
        return c->oldest[set] - 1;
    }
}

uint64_t rdi_wide_way_for(rdi_cache *c, uint64_t set, rdi_victim *victim) {
    victim->flags = 0;
    if (c->empty[set])
        return take_empty(c, set);
    if (c->filled[set] < c->ways)
        return set * c->ways + c->filled[set]++;
    uint64_t way = choose_victim(c, set);
    *victim = (rdi_victim){c->tags[way], c->flags[way]};
    rdi_cache_remove(c, way);
    c->empty[set]--;
    if (c->policy == RD_POLICY_LRU)
        c->spare[set] = 0;
    return way; /* the only empty way of the set */
}

void rdi_wide_remove(rdi_cache *c, uint64_t way) {
    uint64_t set = way / c->ways;
    if (c->policy == RD_POLICY_LRU) {
        unlink_way(c, way);
        c->older[way] = c->spare[set];
        c->spare[set] = way + 1;
    }
    rdi_block_map_remove(&c->where, c->tags[way]);
    c->empty[set]++;
}
