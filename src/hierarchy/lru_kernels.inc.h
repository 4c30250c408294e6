/* The loops of caches in LRU order, for one instruction set. The including file defines NAME (the
 * names of functions) and TARGET (attributes), and these functions:
 *
 * NAME(find)    returns a mask of the ways of a set whose lane equals `lane`.
 * NAME(oldest)  returns the way with the smallest time among the `ways` ways of a set.
 * NAME(put)     stores `lane` in way `way` of a set.
 * NAME(gather)  see lru_sets.h. */

TARGET static inline uint64_t NAME(set_of)(const rdi_lru *c, uint64_t ref) {
    return rdi_set_of(&c->index, (ref & ~(RDI_LRU_DIRTY | RDI_LRU_FETCH)) - 1);
}

/* Handles a miss and returns the way of the new lane, but does not set the time of this lane. The
 * function is not inlined, so that the loops over references, most of which hit, keep their
 * variables in registers. */
TARGET static __attribute__((noinline)) uint64_t NAME(miss)(rdi_lru *c, uint64_t set, uint64_t lane,
                                                            size_t index, rdi_arrivals *out,
                                                            rdi_lru_miss *miss) {
    uint64_t at = set * c->stride, way = NAME(oldest)(c->times + at, c->ways);
    uint64_t dirty = c->dirty[set] >> way & 1, victim = c->lanes[at + way] | dirty << 63;
    *miss = (rdi_lru_miss){lane, victim, c->times[at + way], (uint32_t)index};
    NAME(put)(c->lanes + at, way, lane);
    c->dirty[set] &= ~(UINT64_C(1) << way);
    out->what[out->n] = lane;
    out->what[out->n + 1] = victim;
    out->n += 1 + dirty;
    c->misses++;
    c->writebacks += dirty;
    return way;
}

/* Handles reference `index`, and returns whether it misses. If it misses, sets *miss. If `before`
 * is not NULL, sets *before as rdi_lru_kernels.first sets before[i]. */
TARGET static inline bool NAME(refer)(rdi_lru *c, uint64_t set, uint64_t ref, size_t index,
                                      rdi_arrivals *out, rdi_lru_miss *miss, uint32_t *before) {
    uint64_t at = set * c->stride, lane = ref & ~(RDI_LRU_DIRTY | RDI_LRU_FETCH), store = ref >> 63;
    uint64_t found = NAME(find)(c->lanes + at, c->stride, lane);
    uint64_t way =
        found ? (uint64_t)__builtin_ctzll(found) : NAME(miss)(c, set, lane, index, out, miss);
    if (before)
        *before = found ? c->times[at + way] : RDI_LRU_MISSED;
    c->times[at + way] = ++c->now;
    if (!c->through)
        c->dirty[set] |= store << way;
    else if (store) {
        out->what[out->n++] = lane | RDI_LRU_DIRTY;
        c->writebacks++;
    }
    return !found;
}

/* Handles references like NAME(first), for one write-back cache with sets of `stride` lanes that are
 * found with a mask. Most innermost caches are of this kind. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(first_masked)(rdi_lru *c, uint64_t stride, const uint64_t *restrict refs, size_t n,
                   rdi_arrivals *out, rdi_lru_miss *misses, uint32_t *restrict before) {
    const uint64_t *lanes = c->lanes, mask = c->index.mask;
    uint64_t *dirty = c->dirty;
    uint32_t *times = c->times, now = c->now + 1;
    rdi_lru_miss *miss = misses;
    for (size_t i = 0; i < n; i++) {
        uint64_t ref = refs[i], lane = ref & ~RDI_LRU_DIRTY, set = (lane - 1) & mask;
        uint64_t found = NAME(find)(lanes + set * stride, stride, lane), way;
        uint32_t time = RDI_LRU_MISSED;
        if (RDI_LIKELY(found)) {
            way = (uint64_t)__builtin_ctzll(found);
            time = times[set * stride + way];
        } else
            way = NAME(miss)(c, set, lane, i, out, miss++);
        times[set * stride + way] = now + (uint32_t)i;
        dirty[set] |= ref >> 63 << way;
        if (before)
            before[i] = time;
    }
    c->now += (uint32_t)n;
    return (size_t)(miss - misses);
}

TARGET static size_t NAME(first)(rdi_lru *const first[2], const uint64_t *refs, size_t n,
                                 rdi_arrivals *out, rdi_lru_miss *misses, uint32_t *before) {
    rdi_lru *one = first[0];
    size_t missed = 0;
    if (one == first[1] && !one->through && rdi_set_index_is_masked(&one->index))
        switch (before ? one->stride : one->stride + 1) {
        case 8:
            return NAME(first_masked)(one, 8, refs, n, out, misses, before);
        case 16:
            return NAME(first_masked)(one, 16, refs, n, out, misses, before);
        case 8 + 1:
            return NAME(first_masked)(one, 8, refs, n, out, misses, NULL);
        case 16 + 1:
            return NAME(first_masked)(one, 16, refs, n, out, misses, NULL);
        default:
            break;
        }
    for (size_t i = 0; i < n; i++) {
        rdi_lru *c = first[(refs[i] & RDI_LRU_FETCH) != 0];
        missed += NAME(refer)(c, NAME(set_of)(c, refs[i]), refs[i], i, out, &misses[missed],
                              before ? before + i : NULL);
    }
    return missed;
}

/* Handles a write that arrives: makes its block dirty, or passes the write on to the next level if
 * the cache does not hold the block or writes through. */
TARGET static inline void NAME(write)(rdi_lru *c, uint64_t set, uint64_t write, rdi_arrivals *out) {
    uint64_t found = NAME(find)(c->lanes + set * c->stride, c->stride, write & ~RDI_LRU_DIRTY);
    if (found && !c->through) {
        c->dirty[set] |= found;
        return;
    }
    c->writebacks += found != 0;
    out->what[out->n++] = write;
}

#define AHEAD 8 /* number of arrivals between the prefetch of a set and its use */

TARGET static inline void NAME(fetch)(const rdi_lru *c, uint64_t what) {
    uint64_t set = NAME(set_of)(c, what), at = set * c->stride;
    for (uint64_t i = 0; i < c->stride; i += 8)
        RDI_PREFETCH(c->lanes + at + i);
    for (uint64_t i = 0; i < c->stride; i += 16)
        RDI_PREFETCH(c->times + at + i);
    RDI_PREFETCH(c->dirty + set);
}

TARGET static size_t NAME(outer)(rdi_lru *c, const rdi_arrivals *in, rdi_arrivals *out,
                                 rdi_lru_miss *misses, uint32_t *before) {
    size_t missed = 0, refs = 0;
    for (size_t i = 0; i < in->n; i++) {
        if (i + AHEAD < in->n)
            NAME(fetch)(c, in->what[i + AHEAD]);
        uint64_t what = in->what[i], set = NAME(set_of)(c, what);
        if (what & RDI_LRU_DIRTY) {
            NAME(write)(c, set, what, out);
            continue;
        }
        missed +=
            NAME(refer)(c, set, what, refs, out, &misses[missed], before ? before + refs : NULL);
        refs++;
    }
    return refs;
}

static const rdi_lru_kernels NAME(kernels) = {NAME(gather), NAME(first), NAME(outer)};

#undef AHEAD
#undef NAME
#undef TARGET
