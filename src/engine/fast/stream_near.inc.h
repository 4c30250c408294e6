/* Defines the stream engine's shortcut to the distances of recent slots, for AVX-512 (part of
 * stream_kernel.inc.h).
 *
 * Most blocks that miss in the front have a slot among the last few thousand. For the last 64 lines
 * of the axis, the number of set bits after each line is computed once per tile. With these
 * numbers, the distance of a slot needs one line of bits instead of three levels of counts.
 * Moreover, 16-bit numbers are enough, so the old slots of a whole tile fit into two registers and
 * can be compared at once.
 */
#define NEAR_LINES 64

/* 16-bit numbers, one for each entry of a tile or for each line. */
typedef struct pair16 {
    __m512i v[2];
} pair16;

INLINE __m512i all16(uint64_t x) {
    return _mm512_set1_epi16((short)x);
}

/* Returns the numbers 0, 1, 2 ... 31. */
INLINE __m512i iota16(void) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_or_si512(even,
                           _mm512_slli_epi32(_mm512_add_epi32(even, _mm512_set1_epi32(1)), 16));
}

/* Returns, for each lane, the sum of its value and of the values of all higher lanes. */
INLINE __m512i sum_up(__m512i v) {
    for (unsigned by = 1; by < 32; by *= 2) {
        __m512i from = _mm512_add_epi16(iota16(), all16(by));
        v = _mm512_add_epi16(v, _mm512_maskz_permutexvar_epi16(UINT32_MAX >> by, from, v));
    }
    return v;
}

/* Returns, for each of NEAR_LINES lines, the number of set bits in the lines after it. `line` has
 * the number of set bits of each line. */
INLINE pair16 bits_behind(const uint16_t *line) {
    const __m512i low = _mm512_loadu_si512(line), high = _mm512_loadu_si512(line + 32);
    const __m512i from_low = sum_up(low), from_high = sum_up(high);
    const __m512i all_high = _mm512_broadcastw_epi16(_mm512_castsi512_si128(from_high));
    return (pair16){{_mm512_add_epi16(_mm512_sub_epi16(from_low, low), all_high),
                     _mm512_sub_epi16(from_high, high)}};
}

/* Writes the old slots relative to `low` to *out. Returns the set of entries that have no old slot
 * or an old slot below `low`; their relative slot is 0. */
INLINE uint64_t slots_from(uint64_t low, const SLOT *old, pair16 *out) {
    const __m512i from = _mm512_set1_epi32((int)low), least = _mm512_set1_epi32(low ? (int)low : 1);
    uint64_t before = 0;
    for (unsigned i = 0; i < 2; i++) {
        __m256i half[2];
        for (unsigned k = 0; k < 2; k++) {
            __m512i s = _mm512_load_si512(old + 32 * i + 16 * k);
            before |= (uint64_t)_mm512_cmplt_epu32_mask(s, least) << (32 * i + 16 * k);
            half[k] = _mm512_cvtepi32_epi16(_mm512_sub_epi32(_mm512_max_epu32(s, from), from));
        }
        out->v[i] = _mm512_inserti64x4(_mm512_castsi256_si512(half[0]), half[1], 1);
    }
    return before;
}

/* Returns the number of set bits in a line from bit `from` on. All lanes of `from` have the same
 * value. */
INLINE unsigned bits_from(const uint64_t *line, __m512i from) {
    /* For each word: the number of bits before it, in the lowest 16 bits. */
    const __m512i before = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);
    const __m512i ignored = _mm512_set1_epi64(-65536);
    __m512i shift = _mm512_subs_epu16(from, _mm512_or_si512(before, ignored));
    __m512i counts = _mm512_popcnt_epi64(_mm512_srlv_epi64(_mm512_load_si512(line), shift));
    __m128i sum = _mm_sad_epu8(_mm512_cvtepi64_epi8(counts), _mm_setzero_si128());
    return (unsigned)_mm_cvtsi128_si32(sum);
}

/* Computes the first terms of the distances of the entries: blocks in the front, set bits in later
 * lines, and blocks that entered since the tile began. The set bits in the slot's own line, and the
 * blocks that left since the tile began, are still missing. `slot` has the old slots and `first` is
 * the new slot of entry 0, both relative to the first slot of the last NEAR_LINES lines. */
INLINE void count_behind(const pair16 *slot, const pair16 *behind, uint64_t first,
                         uint64_t in_front, uint16_t out[TILE]) {
    for (unsigned i = 0; i < 2; i++) {
        __m512i s = slot->v[i], line = _mm512_srli_epi16(s, RDI_SLOT_LINE);
        __m512i newer = _mm512_permutex2var_epi16(behind->v[0], line, behind->v[1]);
        __m512i above = _mm512_max_epu16(all16(first), _mm512_add_epi16(s, all16(1)));
        __m512i entered =
            _mm512_sub_epi16(_mm512_add_epi16(iota16(), all16(first + 32 * i)), above);
        _mm512_store_si512(out + 32 * i,
                           _mm512_add_epi16(_mm512_add_epi16(newer, entered), all16(in_front)));
    }
}

/* Computes the distances of the entries with a slot in the last NEAR_LINES lines, unless fewer than
 * half of the entries have a slot there. Returns the set of entries whose distances remain to be
 * computed. */
INLINE uint64_t measure_near(const rdi_slot_axis *a, const tile *b, uint64_t in_front,
                             uint64_t *d) {
    const unsigned n = b->n;
    const uint64_t top = (b->first + n - 1) >> RDI_SLOT_LINE;
    const uint64_t line = top < NEAR_LINES ? 0 : top - (NEAR_LINES - 1);
    const uint64_t low = line << RDI_SLOT_LINE;
    const uint64_t *bits = a->bits + line * 8;
    pair16 slot;
    const uint64_t far = slots_from(low, b->old, &slot) & all_of(b);
    if ((unsigned)__builtin_popcountll(far) > n / 2)
        return all_of(b);
    _Alignas(64) uint16_t s[TILE], known[TILE];
    const pair16 behind = bits_behind(a->line + line);
    count_behind(&slot, &behind, b->first - low, in_front, known);
    for (unsigned i = 0; i < 2; i++)
        _mm512_store_si512(s + 32 * i, slot.v[i]);
    for (unsigned j = 0; j < n; j++) {
        const __m512i x = all16(s[j]);
        uint64_t above = (uint64_t)_mm512_cmpgt_epu16_mask(slot.v[1], x) << 32 |
                         _mm512_cmpgt_epu16_mask(slot.v[0], x);
        uint64_t left = (uint64_t)__builtin_popcountll(_bzhi_u64(above, j));
        __m512i next = _mm512_add_epi16(_mm512_and_si512(x, all16(511)), all16(1));
        d[j] = known[j] + bits_from(bits + (s[j] >> RDI_SLOT_LINE) * 8, next) - left;
    }
    return far;
}
