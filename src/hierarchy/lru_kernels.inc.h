/* The loops of caches in LRU order, for one instruction set. The including file defines NAME (the
 * names of functions) and TARGET (attributes), and these functions:
 *
 * NAME(touch)   makes a reference to a set: if the set holds the block, its lane moves to the
 *               front; otherwise a new lane is inserted at the front, and *victim becomes the last
 *               lane, which is dropped; it is 0 if it was empty. RDI_LRU_DIRTY in the reference
 *               makes the lane dirty. Returns whether the set held the block.
 * NAME(find)    returns a pointer to the lane of a block, or NULL.
 * NAME(gather)  see lru_sets.h.
 * NAME(first_masked)  handles references like NAME(first), for one write-back cache whose sets are
 *               found with a mask, and returns the number of misses. Most innermost caches are of
 *               this kind. It may be NAME(first_loop). */

TARGET static inline uint64_t *NAME(set_of)(const rdi_lru *c, uint64_t ref) {
    uint64_t block = (ref & ~(RDI_LRU_DIRTY | RDI_LRU_FETCH)) - 1;
    return c->lanes + rdi_set_of(&c->index, block) * c->stride;
}

/* Handles one reference, appends its arrivals at the next level to `out`, and returns whether it
 * misses. */
TARGET static inline bool NAME(refer)(rdi_lru *c, uint64_t *set, uint64_t ref, rdi_arrivals *out) {
    uint64_t victim, store = ref & RDI_LRU_DIRTY;
    ref &= ~RDI_LRU_FETCH;
    bool hit = NAME(touch)(set, c->ways, c->through ? ref & ~RDI_LRU_DIRTY : ref, &victim);
    if (RDI_UNLIKELY(!hit)) {
        out->what[out->n++] = ref & ~RDI_LRU_DIRTY;
        c->misses++;
        if (victim & RDI_LRU_DIRTY) {
            out->what[out->n++] = victim;
            c->writebacks++;
        }
    }
    if (RDI_UNLIKELY(c->through && store)) {
        out->what[out->n++] = ref;
        c->writebacks++;
    }
    return !hit;
}

/* Does the work of NAME(first_masked) for any number of ways. Everything that the loop needs stays
 * in registers. */
TARGET static size_t NAME(first_loop)(rdi_lru *c, const uint64_t *restrict refs, size_t n,
                                      rdi_arrivals *restrict out, uint32_t *restrict missed) {
    uint64_t *const lanes = c->lanes, *restrict what = out->what;
    const uint64_t mask = c->index.mask, stride = c->stride, ways = c->ways;
    size_t misses = 0, arrivals = out->n;
    for (size_t i = 0; i < n; i++) {
        uint64_t ref = refs[i], *set = lanes + ((ref - 1) & mask) * stride, victim;
        if (set[0] == ref || set[0] == (ref | RDI_LRU_DIRTY))
            continue; /* the set does not change */
        if (RDI_LIKELY(NAME(touch)(set, ways, ref, &victim)))
            continue;
        missed[misses++] = (uint32_t)i;
        what[arrivals++] = ref & ~RDI_LRU_DIRTY;
        what[arrivals] = victim;
        arrivals += victim >> 63;
    }
    c->misses += misses;
    c->writebacks += arrivals - out->n - misses;
    out->n = arrivals;
    return misses;
}

TARGET static size_t NAME(first)(rdi_lru *const first[2], const uint64_t *refs, size_t n,
                                 rdi_arrivals *out, uint32_t *missed) {
    rdi_lru *one = first[0];
    size_t misses = 0;
    if (one == first[1] && !one->through && rdi_set_index_is_masked(&one->index))
        return NAME(first_masked)(one, refs, n, out, missed);
    for (size_t i = 0; i < n; i++) {
        rdi_lru *c = first[(refs[i] & RDI_LRU_FETCH) != 0];
        if (NAME(refer)(c, NAME(set_of)(c, refs[i]), refs[i], out))
            missed[misses++] = (uint32_t)i;
    }
    return misses;
}

/* Handles a write that arrives: makes its block dirty, or passes the write on to the next level if
 * the cache does not hold the block or writes through. */
TARGET static inline void NAME(write)(rdi_lru *c, uint64_t *set, uint64_t write,
                                      rdi_arrivals *out) {
    uint64_t *lane = NAME(find)(set, c->ways, write);
    if (lane && !c->through) {
        *lane |= RDI_LRU_DIRTY;
        return;
    }
    c->writebacks += lane != NULL;
    out->what[out->n++] = write;
}

#define AHEAD 8 /* number of arrivals between the prefetch of a set and its use */

TARGET static inline void NAME(fetch)(const rdi_lru *c, uint64_t what) {
    const uint64_t *set = NAME(set_of)(c, what);
    for (uint64_t i = 0; i < c->stride; i += 8)
        RDI_PREFETCH(set + i);
}

TARGET static size_t NAME(outer)(rdi_lru *c, const rdi_arrivals *in, rdi_arrivals *out,
                                 uint32_t *missed, size_t *references) {
    size_t misses = 0, refs = 0;
    for (size_t i = 0; i < in->n; i++) {
        if (i + AHEAD < in->n)
            NAME(fetch)(c, in->what[i + AHEAD]);
        uint64_t what = in->what[i], *set = NAME(set_of)(c, what);
        if (what & RDI_LRU_DIRTY)
            NAME(write)(c, set, what, out);
        else if (NAME(refer)(c, set, what, out))
            missed[misses++] = (uint32_t)refs++;
        else
            refs++;
    }
    *references = refs;
    return misses;
}

static const rdi_lru_kernels NAME(kernels) = {NAME(gather), NAME(first), NAME(outer)};

#undef AHEAD
#undef NAME
#undef TARGET
