/* Counts bits on the axis with the instruction set of the including file, which defines ISA (0, 2
 * or 512) and INLINE. See slot_axis.h. */
#include "order/slot_axis.h"

#if ISA != 512
#define ALL16 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535
/* The 32 lanes that begin at index 31 - i are a mask of the lanes above i. */
static const uint16_t lanes_above[64] = {[32] = ALL16, ALL16, ALL16, ALL16};
#undef ALL16
#endif

/* Returns the number of set bits in the words of `bits` above index q, plus the counts in the lanes
 * above li of `line` and above gi of `group`. */
INLINE uint64_t sum_above(const uint64_t *bits, unsigned q, const uint16_t *line, unsigned li,
                          const uint16_t *group, unsigned gi) {
#if ISA == 512
    /* No sum of three lanes exceeds 64 + 512 + 16384, so the three vectors can be added as 16-bit
     * numbers before a single reduction. */
    __m512i v = _mm512_popcnt_epi64(_mm512_maskz_load_epi64((__mmask8)(0xFEu << q), bits));
    v = _mm512_add_epi16(v, _mm512_maskz_loadu_epi16(0xFFFFFFFEu << li, line));
    v = _mm512_add_epi16(v, _mm512_maskz_loadu_epi16(0xFFFFFFFEu << gi, group));
    v = _mm512_madd_epi16(v, _mm512_set1_epi16(1));
    return (unsigned)_mm512_reduce_add_epi32(v);
#else
    const uint16_t *ml = lanes_above + 31 - li, *mg = lanes_above + 31 - gi;
    uint64_t sum = 0;
    for (unsigned i = 1; i < 8; i++)
        sum += (uint64_t)__builtin_popcountll(i > q ? bits[i] : 0);
#if ISA == 2
    __m256i v = _mm256_setzero_si256();
    for (int i = 0; i < 32; i += 16) {
        __m256i x = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(line + i)),
                                     _mm256_loadu_si256((const __m256i *)(ml + i)));
        __m256i y = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(group + i)),
                                     _mm256_loadu_si256((const __m256i *)(mg + i)));
        __m256i pairs = _mm256_madd_epi16(_mm256_add_epi16(x, y), _mm256_set1_epi16(1));
        v = _mm256_add_epi32(v, pairs);
    }
    __m128i w = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    w = _mm_add_epi32(w, _mm_shuffle_epi32(w, 0x4E));
    w = _mm_add_epi32(w, _mm_shuffle_epi32(w, 0xB1));
    return sum + (unsigned)_mm_cvtsi128_si32(w);
#else
    unsigned lanes = 0;
    for (unsigned i = 0; i < 32; i++)
        lanes += (unsigned)(line[i] & ml[i]) + (unsigned)(group[i] & mg[i]);
    return sum + lanes;
#endif
#endif
}

/* Returns the number of set bits above slot s. a->above must be up to date. */
INLINE uint64_t newer(const rdi_slot_axis *a, uint64_t s) {
    uint64_t l = s >> RDI_SLOT_LINE, g = s >> RDI_SLOT_GROUP, u = s >> RDI_SLOT_SUPER;
    unsigned q = s >> 6 & 7;
    const uint64_t *bits = a->bits + l * 8;
    uint64_t rest = (uint64_t)__builtin_popcountll(bits[q] >> (s & 63) >> 1) + a->above[u];
    return rest + sum_above(bits, q, a->line + g * 32, l & 31, a->group + u * 32, g & 31);
}

INLINE void prefetch_slot(const rdi_slot_axis *a, uint64_t s) {
    RDI_PREFETCH(a->bits + (s >> RDI_SLOT_LINE) * 8);
    RDI_PREFETCH(a->line + (s >> RDI_SLOT_GROUP) * 32);
}
