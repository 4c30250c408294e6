/* The loops over hits in the innermost level, for one instruction set. The including file defines
 * NAME (the names of functions) and TARGET (attributes), and the function NAME(match). */

/* Processes one reference and returns true. Returns false and changes nothing if the reference
 * misses, hits a marked block, or is a store that must be written through. */
TARGET static inline bool NAME(hit)(rdi_cache *c, uint64_t block, bool store) {
    uint64_t set = rdi_cache_set(c, block), at = set * c->stride;
    uint64_t found = NAME(match)(c->tags + at, c->stride, block) & c->used[set];
    if (!found)
        return false;
    unsigned way = (unsigned)__builtin_ctzll(found);
    if ((c->flags[at + way] & RDI_WAY_MARKED) || (store && c->through))
        return false;
    rdi_narrow_use(c, set, way, RDI_RRIP_TOUCHED);
    if (store)
        c->flags[at + way] |= RDI_WAY_DIRTY;
    return true;
}

/* Processes references like rdi_cache_kernels.run, and returns their number, for one LRU cache
 * whose sets are found with a mask. Most innermost caches are of this kind. Everything that the
 * loop needs stays in registers. The loop first tries the way that was used last in the set,
 * because this way holds the block of most references, and a hit in it does not change the LRU
 * order. */
TARGET static size_t NAME(run_lru)(rdi_cache *c, const uint64_t *restrict blocks,
                                   const uint8_t *restrict kinds, size_t n) {
    const uint64_t set_mask = c->index.mask, stride = c->stride;
    const uint64_t *restrict tags = c->tags, *restrict used = c->used;
    uint64_t *restrict stamps = c->stamps, clock = c->clock;
    uint8_t *restrict flags = c->flags, *restrict recent = c->recent;
    const bool through = c->through;
    size_t i = 0;
    for (; i < n; i++) {
        uint64_t block = blocks[i], set = block & set_mask, at = set * stride;
        uint64_t way = recent[set];
        bool store = kinds && kinds[i] == RD_STORE;
        if (RDI_UNLIKELY(tags[at + way] != block || !(flags[at + way] & RDI_WAY_USED))) {
            uint64_t found = NAME(match)(tags + at, stride, block) & used[set];
            if (!found)
                break;
            way = (uint64_t)__builtin_ctzll(found);
            if (flags[at + way] & RDI_WAY_MARKED || (store && through))
                break;
            stamps[at + way] = ++clock;
            recent[set] = (uint8_t)way;
        } else if (flags[at + way] & RDI_WAY_MARKED || (store && through))
            break;
        if (store)
            flags[at + way] |= RDI_WAY_DIRTY;
    }
    c->clock = clock;
    return i;
}

TARGET static size_t NAME(run)(rdi_cache *const first[2], const uint64_t *blocks,
                               const uint8_t *kinds, size_t n) {
    rdi_cache *c = first[0];
    size_t i = 0;
    if (rdi_set_index_is_masked(&c->index) && c->policy == RD_POLICY_LRU &&
        (!kinds || c == first[1]))
        return NAME(run_lru)(c, blocks, kinds, n);
    if (!kinds)
        while (i < n && NAME(hit)(c, blocks[i], false))
            i++;
    else
        while (i < n && NAME(hit)(first[kinds[i] == RD_FETCH], blocks[i], kinds[i] == RD_STORE))
            i++;
    return i;
}

static const rdi_cache_kernels NAME(kernels) = {.match = NAME(match), .run = NAME(run)};

#undef NAME
#undef TARGET
