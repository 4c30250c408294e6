/* Kernels of LRU caches, for each instruction set. See lru_sets.h. */
#include "hierarchy/lru_sets.h"

#include "reusedist/trace.h"

#include <string.h>

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

/* Appends references `from` to n - 1 of a tile to the `kept` references that are gathered already,
 * and returns the number of all gathered references. A reference to the same block as the reference
 * before it is merged with that reference. Exceptions: with g->every_store, a store is not merged;
 * with g->split, an instruction fetch is not merged with a load or store. */
static inline size_t gather_from(rdi_gathering *g, const uint64_t *restrict blocks,
                                 const uint8_t *restrict kinds, size_t from, size_t n, size_t kept,
                                 uint64_t *restrict refs, uint32_t *restrict at) {
    uint64_t last = kept ? refs[kept - 1] : 0, bits = g->bits;
    for (size_t i = from; i < n; i++) {
        uint64_t ref = as_ref(blocks[i], kinds ? kinds[i] : RD_LOAD, g->split);
        bool repeats = kept && same_block(ref, last) && !(g->every_store && ref & RDI_LRU_DIRTY);
        last = repeats ? last | ref : ref;
        kept += !repeats;
        refs[kept - 1] = last;
        if (at && !repeats)
            at[kept - 1] = (uint32_t)i;
        bits |= blocks[i];
    }
    g->bits = bits;
    return kept;
}

/* Returns whether a reference is to the same block of the same cache as the reference two positions
 * before it, and is not a store if that earlier reference is a load. */
static inline bool is_second(uint64_t ref, uint64_t two_before) {
    return ref == two_before || (ref | RDI_LRU_DIRTY) == two_before;
}

/* Leaves out each reference for which is_second() is true, if it is also true for the next
 * reference. Returns the number of references that are left. */
static size_t drop_pairs(uint64_t *refs, uint32_t *at, size_t n) {
    size_t kept = n < 2 ? n : 2;
    uint64_t before[2] = {n < 2 ? 0 : refs[0], n < 2 ? 0 : refs[1]};
    for (size_t i = 2; i < n; i++) {
        uint64_t ref = refs[i];
        bool drop = i + 1 < n && is_second(ref, before[0]) && is_second(refs[i + 1], before[1]);
        before[0] = before[1];
        before[1] = refs[kept] = ref;
        if (at)
            at[kept] = at[i];
        kept += !drop;
    }
    return kept;
}

/* ---- plain C ---- */

static size_t plain_gather(rdi_gathering *g, const uint64_t *blocks, const uint8_t *kinds, size_t n,
                           uint64_t *refs, uint32_t *at) {
    size_t kept = gather_from(g, blocks, kinds, 0, n, 0, refs, at);
    return g->pairs ? drop_pairs(refs, at, kept) : kept;
}

static inline uint64_t plain_find(const uint64_t *set, uint64_t stride, uint64_t lane) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i++)
        found |= (uint64_t)(set[i] == lane) << i;
    return found;
}

static inline uint64_t plain_oldest(const uint32_t *times, uint64_t ways) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < ways; i++)
        best = times[i] < times[best] ? i : best;
    return best;
}

static inline void plain_put(uint64_t *set, uint64_t way, uint64_t lane) {
    set[way] = lane;
}

#define NAME(name) plain_##name
#define TARGET     /* none */
#include "hierarchy/lru_kernels.inc.h"

#if defined(__x86_64__)

/* ---- AVX2 ---- */

RDI_TARGET_AVX2 static inline uint64_t avx2_find(const uint64_t *set, uint64_t stride,
                                                 uint64_t lane) {
    const __m256i wanted = _mm256_set1_epi64x((long long)lane);
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i += 4) {
        __m256i some = _mm256_loadu_si256((const __m256i *)(const void *)(set + i));
        __m256i same = _mm256_cmpeq_epi64(some, wanted);
        found |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) << i;
    }
    return found;
}

#define avx2_gather plain_gather
#define avx2_oldest plain_oldest
#define avx2_put    plain_put
#define NAME(name)  avx2_##name
#define TARGET      RDI_TARGET_AVX2
#include "hierarchy/lru_kernels.inc.h"

/* ---- AVX-512 ---- */

/* Gathers like gather_from() up to the end of the last group of 64 references that is not at the
 * end of the tile. Returns the number of references in these groups, and sets *kept to the number
 * of gathered references. */
RDI_TARGET_AVX512 static size_t gather_groups(rdi_gathering *g, const uint64_t *blocks,
                                              const uint8_t *kinds, size_t n, uint64_t *refs,
                                              uint32_t *at, size_t *kept) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i bits = _mm512_setzero_si512();
    uint64_t begins = 1, stored = 0; /* begins: reference i begins a run of references to one block;
                                        stored: reference i continues a run that has a store
                                        already */
    size_t i = 0, n_refs = 0, n_at = 0;
    for (; i + 64 < n; i += 64) {
        uint64_t ends = 0, stores = 0, fetches = 0;
        for (unsigned k = 0; k < 64; k += 8) {
            __m512i block = _mm512_loadu_si512(blocks + i + k);
            __m512i next = _mm512_loadu_si512(blocks + i + k + 1);
            ends |= (uint64_t)_mm512_cmpneq_epi64_mask(block, next) << k;
            bits = _mm512_or_si512(bits, block);
        }
        if (kinds) {
            __m512i kind = _mm512_loadu_si512(kinds + i);
            stores = _mm512_test_epi8_mask(kind, _mm512_set1_epi8(RD_STORE));
            fetches = g->split ? _mm512_test_epi8_mask(kind, _mm512_set1_epi8(RD_FETCH)) : 0;
            ends |=
                fetches ^ (fetches >> 1 | (uint64_t)(g->split && kinds[i + 64] == RD_FETCH) << 63);
        }
        /* Adding carries the stores of a run up to its end. */
        uint64_t inside = ~ends, sum;
        stores |= stored;
        stored = __builtin_add_overflow(stores & inside, inside, &sum);
        stores = (stores | sum) & ends;
        uint64_t starts = ends << 1 | begins;
        begins = ends >> 63;
        for (unsigned k = 0; k < 64; k += 8) {
            __m512i ref = _mm512_add_epi64(_mm512_loadu_si512(blocks + i + k), one);
            ref = _mm512_mask_or_epi64(ref, (__mmask8)(stores >> k), ref,
                                       _mm512_set1_epi64((long long)RDI_LRU_DIRTY));
            ref = _mm512_mask_or_epi64(ref, (__mmask8)(fetches >> k), ref,
                                       _mm512_set1_epi64((long long)RDI_LRU_FETCH));
            __mmask8 end = (__mmask8)(ends >> k), start = (__mmask8)(starts >> k);
            _mm512_storeu_si512(refs + n_refs, _mm512_maskz_compress_epi64(end, ref));
            n_refs += (size_t)__builtin_popcount(end);
            if (at) {
                __m256i index = _mm256_add_epi32(_mm256_set1_epi32((int)(i + k)),
                                                 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
                _mm256_storeu_si256((__m256i *)(void *)(at + n_at),
                                    _mm256_maskz_compress_epi32(start, index));
                n_at += (size_t)__builtin_popcount(start);
            }
        }
    }
    if (!begins) /* the last run continues */
        refs[n_refs++] = (blocks[i - 1] + 1) | stored << 63 |
                         (uint64_t)(kinds && g->split && kinds[i - 1] == RD_FETCH) << 62;
    g->bits |= (uint64_t)_mm512_reduce_or_epi64(bits);
    *kept = n_refs;
    return i;
}

/* Returns a mask of the references in `refs` for which is_second() is true. `before` has the
 * references before them. */
RDI_TARGET_AVX512 static inline unsigned are_second(__m512i refs, __m512i before, __m512i dirty) {
    __m512i old = _mm512_alignr_epi64(refs, before, 6);
    return (unsigned)_mm512_cmpeq_epi64_mask(refs, old) |
           _mm512_cmpeq_epi64_mask(_mm512_or_si512(refs, dirty), old);
}

/* Does the work of drop_pairs(). */
RDI_TARGET_AVX512 static size_t drop_pairs_512(uint64_t *refs, uint32_t *at, size_t n) {
    const __m512i dirty = _mm512_set1_epi64((long long)RDI_LRU_DIRTY);
    __m512i now = _mm512_setzero_si512(), next = _mm512_loadu_si512(refs);
    unsigned second = are_second(next, now, dirty) << 8; /* bit k: is_second() is true for reference
                                                            i + k */
    size_t kept = 0;
    for (size_t i = 0; i < n; i += 8) {
        unsigned known = n - i < 16 ? (1u << (n - i)) - 1 : 0xffff;
        now = next;
        next = _mm512_loadu_si512(refs + i + 8);
        second = (second >> 8 | are_second(next, now, dirty) << 8) & known;
        __mmask8 keep = (__mmask8)(~(second & second >> 1) & known);
        _mm512_storeu_si512(refs + kept, _mm512_maskz_compress_epi64(keep, now));
        if (at) {
            __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(at + i));
            _mm256_storeu_si256((__m256i *)(void *)(at + kept),
                                _mm256_maskz_compress_epi32(keep, index));
        }
        kept += (size_t)__builtin_popcount(keep);
    }
    return kept;
}

RDI_TARGET_AVX512 static size_t avx512_gather(rdi_gathering *g, const uint64_t *blocks,
                                              const uint8_t *kinds, size_t n, uint64_t *refs,
                                              uint32_t *at) {
    size_t kept = 0, done = 0;
    _Static_assert(RD_STORE == 2 && RD_FETCH == 4,
                   "the code below needs these bits for stores and fetches");
    if (!g->every_store)
        done = gather_groups(g, blocks, kinds, n, refs, at, &kept);
    kept = gather_from(g, blocks, kinds, done, n, kept, refs, at);
    return g->pairs ? drop_pairs_512(refs, at, kept) : kept;
}

RDI_TARGET_AVX512 static inline uint64_t avx512_find(const uint64_t *set, uint64_t stride,
                                                     uint64_t lane) {
    const __m512i wanted = _mm512_set1_epi64((long long)lane);
    uint64_t found = 0;
    for (uint64_t i = 0; i < stride; i += 8)
        found |= (uint64_t)_mm512_cmpeq_epi64_mask(_mm512_loadu_si512(set + i), wanted) << i;
    return found;
}

RDI_TARGET_AVX512 static inline uint64_t avx512_oldest(const uint32_t *times, uint64_t ways) {
    uint64_t best = 0;
    uint32_t least = UINT32_MAX;
    for (uint64_t i = 0; i < ways; i += 16) {
        __mmask16 known = (__mmask16)(ways - i >= 16 ? 0xffff : (1u << (ways - i)) - 1);
        __m512i some = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), known, times + i);
        uint32_t smallest = _mm512_reduce_min_epu32(some);
        unsigned where = _mm512_cmpeq_epi32_mask(some, _mm512_set1_epi32((int)smallest));
        best = smallest < least ? i + (unsigned)__builtin_ctz(where) : best;
        least = smallest < least ? smallest : least;
    }
    return best;
}

/* Stores a whole vector, because it is slow to load a vector soon after a smaller store to it. */
RDI_TARGET_AVX512 static inline void avx512_put(uint64_t *set, uint64_t way, uint64_t lane) {
    uint64_t *some = set + way / 8 * 8;
    __m512i lanes = _mm512_loadu_si512(some);
    __mmask8 one = (__mmask8)(1u << way % 8);
    _mm512_storeu_si512(some, _mm512_mask_set1_epi64(lanes, one, (long long)lane));
}

#define NAME(name) avx512_##name
#define TARGET     RDI_TARGET_AVX512
#include "hierarchy/lru_kernels.inc.h"
#endif

void rdi_lru_renumber(rdi_lru *c, uint32_t limit, const uint32_t *renumbered) {
    for (uint64_t at = 0; at < c->index.sets * c->stride; at += c->stride) {
        uint32_t old[RDI_LRU_WAYS], *times = c->times + at;
        memcpy(old, times, c->ways * sizeof *old);
        for (uint64_t i = 0; i < c->ways; i++) {
            uint32_t rank = c->lanes[at + i] != 0;
            for (uint64_t k = 0; k < c->ways && old[i] < limit; k++)
                rank += c->lanes[at + k] && old[k] < old[i];
            times[i] = old[i] < limit ? rank : renumbered[old[i]];
        }
    }
}

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
