/* Inner loops of the data-parallel engines for x86 with AVX-512. */
#include "engine/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Every point against all sixteen at once: its place is the number of smaller ones, its rank the
 * number of larger ones behind it. */
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

/* The references to one symbol among n <= 16, from the last one back. */
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
    uint32_t copied = 0, whole = n / 16 * 16; /* 0: none to the right */
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

const rdi_lanes rdi_lanes_avx512 = {
    .name = "avx512",
    .make_run = make_run,
    .scan_symbol = scan_symbol,
};
#else
const rdi_lanes rdi_lanes_avx512 = {0};
#endif
