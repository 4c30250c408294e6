/* The loop over hits in the innermost level, for one instruction set. The including file defines
 * NAME (the names of functions) and TARGET (attributes), and the function NAME(match). */

/* Lets one reference hit, or returns false and changes nothing. The way that was used last is tried
 * first: it is the right one for most references of a program, and its recency does not change. */
TARGET static inline bool NAME(hit)(rdi_cache *c, uint64_t block, bool store) {
    uint64_t set = rdi_cache_set(c, block), at = set * c->stride;
    unsigned way = c->recent[set];
    if (c->tags[at + way] != block || !(c->flags[at + way] & RDI_WAY_USED)) {
        uint64_t found = NAME(match)(c->tags + at, c->stride, block) & c->used[set];
        if (!found)
            return false;
        way = (unsigned)__builtin_ctzll(found);
    } else if (c->policy != RD_POLICY_RRIP && !(c->flags[at + way] & RDI_WAY_MARKED) && !store)
        return true;
    if ((c->flags[at + way] & RDI_WAY_MARKED) || (store && c->through))
        return false;
    rdi_narrow_use(c, set, way, RDI_RRIP_TOUCHED);
    if (store)
        c->flags[at + way] |= RDI_WAY_DIRTY;
    return true;
}

TARGET static size_t NAME(run)(rdi_cache *const first[2], const uint64_t *blocks,
                               const uint8_t *kinds, size_t n) {
    size_t i = 0;
    if (!kinds)
        while (i < n && NAME(hit)(first[0], blocks[i], false))
            i++;
    else if (first[0] == first[1])
        while (i < n && NAME(hit)(first[0], blocks[i], kinds[i] == RD_STORE))
            i++;
    else
        while (i < n && NAME(hit)(first[kinds[i] == RD_FETCH], blocks[i], kinds[i] == RD_STORE))
            i++;
    return i;
}

static const rdi_cache_kernels NAME(kernels) = {.match = NAME(match), .run = NAME(run)};

#undef NAME
#undef TARGET
