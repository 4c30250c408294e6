/* Defines the inner loops of the data-parallel engines for x86 with AVX-512. */
#include "engine/papers/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Makes a run of at most sixteen points: compares each point with all points at once. The place of
 * a point is the number of points with smaller next times, and its rank is the number of later
 * points with larger next times. */
RDI_TARGET_AVX512 static void make_run(const uint32_t *next, uint32_t time, uint32_t n,
                                       rdi_point *out) {
    __mmask16 all = (__mmask16)((1u << n) - 1);
    __m512i run = _mm512_maskz_loadu_epi32(all, next);
    for (uint32_t i = 0; i < n; i++) {
        __m512i one = _mm512_set1_epi32((int)next[i]);
        unsigned below = _mm512_mask_cmplt_epu32_mask(all, run, one);
        unsigned above = _mm512_mask_cmpgt_epu32_mask(all, run, one) >> i;
        out[__builtin_popcount(below)] =
            (rdi_point){next[i], time + i, (uint32_t)__builtin_popcount(above)};
    }
}

/* Links the references to one symbol among the 16 references from `at` on, from the last one
 * backward. Bit i of `found` is set if reference `at` + i is to the symbol. `n` is the number of
 * references in the round. `copied` is the time of the next reference to the symbol, 0 if there is
 * none; the function returns its new value. */
static inline uint32_t link_references(unsigned found, uint32_t at, uint32_t n, uint32_t copied,
                                       uint32_t *next) {
    while (found) {
        uint32_t lane = 31u - (uint32_t)__builtin_clz(found), t = at + lane;
        next[t] = copied ? copied : n + t;
        copied = t;
        found ^= 1u << lane;
    }
    return copied;
}

RDI_TARGET_AVX512 static void scan_symbol(const uint32_t *symbol, uint32_t n, uint32_t wanted,
                                          uint32_t *next) {
    __m512i one = _mm512_set1_epi32((int)wanted);
    /* `copied` is 0 as long as no later reference to the symbol was found. */
    uint32_t copied = 0, whole = n / 16 * 16;
    __mmask16 rest = (__mmask16)((1u << (n - whole)) - 1);
    unsigned found =
        _mm512_mask_cmpeq_epi32_mask(rest, _mm512_maskz_loadu_epi32(rest, symbol + whole), one);
    copied = link_references(found, whole, n, copied, next);
    for (uint32_t at = whole; at > 0;) {
        at -= 16;
        found = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(symbol + at), one);
        copied = link_references(found, at, n, copied, next);
    }
}

/* Returns, for each of eight references, one per lane, the block in `above` at the last miss before
 * it, or *copied if there is none. If any of the references is a miss, sets *copied to the block in
 * `above` at the last miss. The blocks at misses are packed behind the copied block, and lane i
 * selects the entry whose index is the number of misses before i. */
RDI_TARGET_AVX512 static inline __m512i copy_scan(__m512i above, __mmask8 miss, __m512i *copied) {
    const __m512i before = _mm512_set_epi64(0x7f, 0x3f, 0x1f, 0xf, 7, 3, 1, 0);
    __m512i packed = _mm512_maskz_compress_epi64(miss, above);
    __m512i choice = _mm512_alignr_epi64(packed, *copied, 7);
    __m512i marks = _mm512_and_si512(_mm512_set1_epi64(miss), before);
    __m512i last = _mm512_set1_epi64(__builtin_popcount(miss) - 1);
    *copied = _mm512_mask_permutexvar_epi64(*copied, (__mmask8) - (miss != 0), last, packed);
    return _mm512_permutexvar_epi64(_mm512_popcnt_epi64(marks), choice);
}

RDI_TARGET_AVX512 static uint64_t scan_level(const uint64_t *block, uint64_t *above, uint8_t *miss,
                                             size_t n, uint64_t copied, uint64_t level,
                                             uint64_t *dist) {
    __m512i all = _mm512_set1_epi64((long long)copied);
    size_t whole = n / 8 * 8;
    for (size_t at = 0; at < whole; at += 8) {
        __mmask8 marks = miss[at / 8];
        __m512i here = copy_scan(_mm512_loadu_si512(above + at), marks, &all);
        __mmask8 hit = _mm512_mask_cmpeq_epi64_mask(marks, here, _mm512_loadu_si512(block + at));
        _mm512_storeu_si512(above + at, here);
        if (hit) {
            _mm512_mask_storeu_epi64(dist + at, hit, _mm512_set1_epi64((long long)level));
            miss[at / 8] = marks & (uint8_t)~hit;
        }
    }
    copied = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(all));
    if (whole < n)
        copied = rdi_levels_scan_group(block + whole, above + whole, miss + whole / 8,
                                       (uint32_t)(n - whole), copied, level, dist + whole);
    return copied;
}

const rdi_lanes rdi_lanes_avx512 = {
    .name = "avx512",
    .make_run = make_run,
    .scan_symbol = scan_symbol,
    .scan_level = scan_level,
};
#else
const rdi_lanes rdi_lanes_avx512 = {0};
#endif
