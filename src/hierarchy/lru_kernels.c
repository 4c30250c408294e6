/* Kernels of caches in LRU order, for each instruction set. See lru_sets.h. */
#include "hierarchy/lru_sets.h"

#include "reusedist/trace.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static inline bool same_block(uint64_t a, uint64_t b) {
    return a << 1 == b << 1; /* the shift drops RDI_LRU_DIRTY */
}

/* ---- gather ---- */

static inline uint64_t as_ref(uint64_t block, uint8_t kind, bool split) {
    return (block + 1) | (uint64_t)(kind == RD_STORE) << 63 |
           (uint64_t)(split && kind == RD_FETCH) << 62;
}

/* Gathers references `from` to n - 1 of a tile, after `kept` references that are gathered already,
 * and returns the new number of gathered references. Leaves out a reference if it repeats the
 * reference before it: a load repeats a load or store to the same block; a store repeats a store to
 * the same block, unless every store must be written through. */
static inline size_t gather_from(rdi_gathering *g, const uint64_t *restrict blocks,
                                 const uint8_t *restrict kinds, size_t from, size_t n, size_t kept,
                                 uint64_t *restrict refs, uint32_t *restrict at) {
    uint64_t last = g->last, bits = g->bits;
    for (size_t i = from; i < n; i++) {
        uint64_t ref = as_ref(blocks[i], kinds ? kinds[i] : RD_LOAD, g->split);
        bool repeats = g->every_store ? !(ref & RDI_LRU_DIRTY) && same_block(ref, last)
                                      : ref == last || (ref | RDI_LRU_DIRTY) == last;
        refs[kept] = ref;
        at[kept] = (uint32_t)i;
        kept += !repeats;
        last = ref;
        bits |= blocks[i];
    }
    g->last = last;
    g->bits = bits;
    return kept;
}

/* ---- plain C ---- */

static size_t plain_gather(rdi_gathering *g, const uint64_t *blocks, const uint8_t *kinds, size_t n,
                           uint64_t *refs, uint32_t *at) {
    return gather_from(g, blocks, kinds, 0, n, 0, refs, at);
}

static inline bool plain_touch(uint64_t *set, uint64_t ways, uint64_t ref, uint64_t *victim) {
    uint64_t carried = ref;
    for (uint64_t i = 0; i < ways; i++) {
        uint64_t lane = set[i];
        set[i] = carried;
        if (same_block(lane, ref)) {
            set[0] = lane | ref;
            return true;
        }
        carried = lane;
    }
    *victim = carried;
    return false;
}

static inline uint64_t *plain_find(uint64_t *set, uint64_t ways, uint64_t ref) {
    for (uint64_t i = 0; i < ways; i++)
        if (same_block(set[i], ref))
            return set + i;
    return NULL;
}

#define plain_first_masked plain_first_loop
#define NAME(name)         plain_##name
#define TARGET             /* none */
#include "hierarchy/lru_kernels.inc.h"

#if defined(__x86_64__)

/* ---- AVX2 ---- */

#define avx2_gather plain_gather

/* Row i moves lane i of four to the front, and lanes 0 to i - 1 back by one. A lane is two
 * consecutive 32-bit elements, because AVX2 can permute 64-bit elements by constants only. */
static const uint32_t to_front4[4][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {2, 3, 0, 1, 4, 5, 6, 7},
    {4, 5, 0, 1, 2, 3, 6, 7},
    {6, 7, 0, 1, 2, 3, 4, 5},
};

/* Row i is a mask of the first i + 1 of four lanes. */
static const int64_t up_to4[4][4] = {
    {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}, {-1, -1, -1, -1}};

RDI_TARGET_AVX2 static inline __m256i load4(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}

RDI_TARGET_AVX2 static inline unsigned match4(__m256i lanes, uint64_t ref) {
    const __m256i wanted = _mm256_set1_epi64x((long long)(ref << 1));
    __m256i same = _mm256_cmpeq_epi64(_mm256_slli_epi64(lanes, 1), wanted);
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same));
}

/* Stores `lanes` at `at` with `carried` in lane 0, lanes 0 to `end` - 1 moved back by one, and lane
 * `end` dropped. */
RDI_TARGET_AVX2 static inline void shift4(uint64_t *at, __m256i lanes, __m256i carried,
                                          uint64_t end) {
    __m256i moved = _mm256_blend_epi32(_mm256_permute4x64_epi64(lanes, 0x90), carried, 3);
    __m256i mixed = _mm256_blendv_epi8(lanes, moved, load4(up_to4[end]));
    _mm256_storeu_si256((__m256i *)(void *)at, mixed);
}

RDI_TARGET_AVX2 static inline bool avx2_touch(uint64_t *set, uint64_t ways, uint64_t ref,
                                              uint64_t *victim) {
    __m256i carried = _mm256_set1_epi64x((long long)ref), lanes = load4(set);
    unsigned found = match4(lanes, ref);
    if (RDI_LIKELY(found)) {
        __m256i moved = _mm256_permutevar8x32_epi32(lanes, load4(to_front4[__builtin_ctz(found)]));
        __m128i dirty = _mm_cvtsi64_si128((long long)(ref & RDI_LRU_DIRTY));
        moved = _mm256_or_si256(moved, _mm256_zextsi128_si256(dirty));
        _mm256_storeu_si256((__m256i *)(void *)set, moved);
        return true;
    }
    uint64_t out = set[ways - 1];
    for (uint64_t i = 0; i < ways; i += 4) {
        lanes = load4(set + i);
        found = match4(lanes, ref);
        if (found) {
            uint64_t way = (uint64_t)__builtin_ctz(found), lane = set[i + way];
            shift4(set + i, lanes, carried, way);
            set[0] |= lane;
            return true;
        }
        shift4(set + i, lanes, carried, ways - i > 4 ? 3 : ways - i - 1);
        carried = _mm256_permute4x64_epi64(lanes, 0xff);
    }
    *victim = out;
    return false;
}

RDI_TARGET_AVX2 static inline uint64_t *avx2_find(uint64_t *set, uint64_t ways, uint64_t ref) {
    for (uint64_t i = 0; i < ways; i += 4) {
        unsigned found = match4(load4(set + i), ref);
        if (found)
            return set + i + __builtin_ctz(found);
    }
    return NULL;
}

#define avx2_first_masked avx2_first_loop
#define NAME(name)        avx2_##name
#define TARGET            RDI_TARGET_AVX2
#include "hierarchy/lru_kernels.inc.h"

/* ---- AVX-512 ---- */

/* Row i moves lane i of eight to the front, and lanes 0 to i - 1 back by one. */
static const uint64_t to_front8[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 3, 4, 5, 6, 7}, {2, 0, 1, 3, 4, 5, 6, 7},
    {3, 0, 1, 2, 4, 5, 6, 7}, {4, 0, 1, 2, 3, 5, 6, 7}, {5, 0, 1, 2, 3, 4, 6, 7},
    {6, 0, 1, 2, 3, 4, 5, 7}, {7, 0, 1, 2, 3, 4, 5, 6},
};

RDI_TARGET_AVX512 static size_t avx512_gather(rdi_gathering *g, const uint64_t *blocks,
                                              const uint8_t *kinds, size_t n, uint64_t *refs,
                                              uint32_t *at) {
    const __m512i dirty = _mm512_set1_epi64((long long)RDI_LRU_DIRTY);
    const __m512i fetch = _mm512_set1_epi64(g->split ? (long long)RDI_LRU_FETCH : 0);
    __m512i before = _mm512_set1_epi64((long long)g->last), bits = _mm512_setzero_si512();
    __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    size_t i = 0, kept = 0;
    _Static_assert(RD_STORE == 2 && RD_FETCH == 4, "the bits of kinds move to the top");
    for (; i + 8 <= n; i += 8) {
        __m512i block = _mm512_loadu_si512(blocks + i);
        __m512i ref = _mm512_add_epi64(block, _mm512_set1_epi64(1));
        bits = _mm512_or_si512(bits, block);
        if (kinds) {
            __m512i kind =
                _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(kinds + i)));
            ref = _mm512_or_si512(ref, _mm512_and_si512(_mm512_slli_epi64(kind, 62), dirty));
            ref = _mm512_or_si512(ref, _mm512_and_si512(_mm512_slli_epi64(kind, 60), fetch));
        }
        __m512i previous = _mm512_alignr_epi64(ref, before, 7), with = _mm512_or_si512(ref, dirty);
        unsigned keep = g->every_store
                            ? _mm512_movepi64_mask(ref) |
                                  _mm512_cmpneq_epi64_mask(with, _mm512_or_si512(previous, dirty))
                            : _mm512_mask_cmpneq_epi64_mask(_mm512_cmpneq_epi64_mask(ref, previous),
                                                            with, previous);
        _mm512_storeu_si512(refs + kept, _mm512_maskz_compress_epi64((__mmask8)keep, ref));
        _mm256_storeu_si256((__m256i *)(void *)(at + kept),
                            _mm256_maskz_compress_epi32((__mmask8)keep, index));
        kept += (size_t)__builtin_popcount(keep);
        index = _mm256_add_epi32(index, _mm256_set1_epi32(8));
        before = ref;
    }
    uint64_t lasts[8];
    _mm512_storeu_si512(lasts, before);
    g->last = lasts[7];
    g->bits |= (uint64_t)_mm512_reduce_or_epi64(bits);
    return gather_from(g, blocks, kinds, i, n, kept, refs, at);
}

RDI_TARGET_AVX512 static inline __mmask8 match8(__m512i lanes, uint64_t ref) {
    const __m512i wanted = _mm512_set1_epi64((long long)(ref << 1));
    return _mm512_cmpeq_epi64_mask(_mm512_slli_epi64(lanes, 1), wanted);
}

RDI_TARGET_AVX512 static inline bool avx512_touch(uint64_t *set, uint64_t ways, uint64_t ref,
                                                  uint64_t *victim) {
    __m512i carried = _mm512_set1_epi64((long long)ref), lanes = _mm512_loadu_si512(set);
    unsigned found = match8(lanes, ref);
    if (RDI_LIKELY(found)) {
        const __m512i order = _mm512_loadu_si512(to_front8[__builtin_ctz(found)]);
        __m128i dirty = _mm_cvtsi64_si128((long long)(ref & RDI_LRU_DIRTY));
        __m512i moved =
            _mm512_or_si512(_mm512_permutexvar_epi64(order, lanes), _mm512_zextsi128_si512(dirty));
        _mm512_storeu_si512(set, moved);
        return true;
    }
    uint64_t out = set[ways - 1];
    for (uint64_t i = 0; i < ways; i += 8) {
        lanes = _mm512_loadu_si512(set + i);
        found = match8(lanes, ref);
        uint64_t lane = found ? set[i + (unsigned)__builtin_ctz(found)] : 0;
        __mmask8 move = (__mmask8)(found           ? found ^ (found - 1)
                                   : ways - i >= 8 ? 0xff
                                                   : (1u << (ways - i)) - 1);
        _mm512_storeu_si512(set + i, _mm512_mask_alignr_epi64(lanes, move, lanes, carried, 7));
        if (found) {
            if (lane & ~ref & RDI_LRU_DIRTY)
                set[0] |= RDI_LRU_DIRTY;
            return true;
        }
        carried = lanes;
    }
    *victim = out;
    return false;
}

RDI_TARGET_AVX512 static inline uint64_t *avx512_find(uint64_t *set, uint64_t ways, uint64_t ref) {
    for (uint64_t i = 0; i < ways; i += 8) {
        unsigned found = match8(_mm512_loadu_si512(set + i), ref);
        if (found)
            return set + i + __builtin_ctz(found);
    }
    return NULL;
}

/* Does the work of avx512_first_masked() for sets of 8 or, if `two` is set, 16 lanes. The loop has
 * one branch that depends on the references: whether they change their set. Most of them do not, so
 * processors predict this branch well. It is hard to predict in which lanes all other references
 * find their blocks, so the code for these references has no branches. */
RDI_TARGET_AVX512 static inline __attribute__((always_inline)) size_t
first_vectors(rdi_lru *c, const uint64_t *restrict refs, size_t n, rdi_arrivals *restrict out,
              uint32_t *restrict missed, bool two) {
    uint64_t *const lanes = c->lanes, *restrict what = out->what;
    const uint64_t mask = c->index.mask, last = c->ways - 1;
    const unsigned stride = two ? 16 : 8;
    size_t misses = 0, arrivals = out->n;
    for (size_t i = 0; i < n; i++) {
        uint64_t ref = refs[i], *set = lanes + ((ref - 1) & mask) * stride, victim = set[last];
        if (set[0] == ref || set[0] == (ref | RDI_LRU_DIRTY))
            continue; /* the set does not change */
        const __m512i clean = _mm512_set1_epi64((long long)(ref & ~RDI_LRU_DIRTY));
        const __m512i dirty = _mm512_set1_epi64((long long)(ref | RDI_LRU_DIRTY));
        __m512i a = _mm512_loadu_si512(set), b = two ? _mm512_loadu_si512(set + 8) : a;
        unsigned is_clean = _mm512_cmpeq_epi64_mask(a, clean);
        unsigned is_dirty = _mm512_cmpeq_epi64_mask(a, dirty);
        if (two) {
            is_clean |= (unsigned)_mm512_cmpeq_epi64_mask(b, clean) << 8;
            is_dirty |= (unsigned)_mm512_cmpeq_epi64_mask(b, dirty) << 8;
        }
        unsigned found = is_clean | is_dirty, end = found | 1u << last, move = end ^ (end - 1);
        const __m512i front = _mm512_set1_epi64((long long)(ref | (uint64_t)(is_dirty != 0) << 63));
        _mm512_storeu_si512(set, _mm512_mask_alignr_epi64(a, (__mmask8)move, a, front, 7));
        if (two)
            _mm512_storeu_si512(set + 8,
                                _mm512_mask_alignr_epi64(b, (__mmask8)(move >> 8), b, a, 7));
        missed[misses] = (uint32_t)i;
        what[arrivals] = ref & ~RDI_LRU_DIRTY;
        what[arrivals + 1] = victim;
        size_t miss = found == 0;
        misses += miss;
        arrivals += miss + (miss & victim >> 63);
    }
    c->misses += misses;
    c->writebacks += arrivals - out->n - misses;
    out->n = arrivals;
    return misses;
}

static size_t avx512_first_loop(rdi_lru *c, const uint64_t *restrict refs, size_t n,
                                rdi_arrivals *restrict out, uint32_t *restrict missed);

RDI_TARGET_AVX512 static size_t avx512_first_masked(rdi_lru *c, const uint64_t *restrict refs,
                                                    size_t n, rdi_arrivals *restrict out,
                                                    uint32_t *restrict missed) {
    return c->stride == 8    ? first_vectors(c, refs, n, out, missed, false)
           : c->stride == 16 ? first_vectors(c, refs, n, out, missed, true)
                             : avx512_first_loop(c, refs, n, out, missed);
}

#define NAME(name) avx512_##name
#define TARGET     RDI_TARGET_AVX512
#include "hierarchy/lru_kernels.inc.h"
#endif

rd_status rdi_lru_kernels_choose(rd_ctx *ctx, uint32_t isa, const rdi_lru_kernels **out) {
    static const rdi_lru_kernels *const all[] = {
        [RDI_ISA_PLAIN] = &plain_kernels,
#if defined(__x86_64__)
        [RDI_ISA_AVX2] = &avx2_kernels,
        [RDI_ISA_AVX512] = &avx512_kernels,
#endif
    };
    rdi_isa chosen;
    RD_TRY(rdi_isa_choose(ctx, "simulator", isa, &chosen));
    *out = all[chosen];
    return RD_OK;
}
