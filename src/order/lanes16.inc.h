/* Defines 64 lanes of 16 bits in vector registers, for the most recent blocks of a stack.
 *
 * Each block has a lane, with a tag in one set of lanes and the time of its last reference in
 * another. A block is found by its tag, and its distance is the number of lanes with a later
 * time.
 *
 * The including file defines INLINE (the attributes of functions) and ISA (2 for AVX2, 512 for
 * AVX-512), and includes the header of the intrinsics. */
#define LANES 64

/* Types with 16 bits per lane: a value16 repeats one value in all lanes, and a lanes16 has a value
 * for each lane. */
#if ISA == 512
typedef __m512i value16;
typedef struct lanes16 {
    value16 v[2];
} lanes16;
/* The set of lanes that a comparison has found. */
typedef struct found {
    __mmask32 low, high;
} found;
#else
typedef __m256i value16;
typedef struct lanes16 {
    /* v[0] has lanes 0-7 and 16-23, v[1] has lanes 8-15 and 24-31, and v[2] and v[3] have lanes
     * 32-63 in the same way, because packing two vectors restores the order. */
    value16 v[4];
} lanes16;
typedef struct found {
    __m256i low, high;
} found;

static const uint16_t lane_number[LANES] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#endif

INLINE value16 value_of(uint16_t x) {
#if ISA == 512
    return _mm512_set1_epi16((short)x);
#else
    return _mm256_set1_epi16((short)x);
#endif
}

INLINE value16 next_value(value16 x) {
#if ISA == 512
    return _mm512_sub_epi16(x, _mm512_set1_epi16(-1));
#else
    return _mm256_sub_epi16(x, _mm256_set1_epi16(-1));
#endif
}

INLINE lanes16 lanes_load(const uint16_t *from) {
    lanes16 l;
#if ISA == 512
    for (unsigned i = 0; i < 2; i++)
        l.v[i] = _mm512_loadu_si512(from + 32 * i);
#else
    for (unsigned i = 0; i < 4; i += 2) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(from + 16 * i));
        __m256i b = _mm256_loadu_si256((const __m256i *)(from + 16 * i + 16));
        l.v[i] = _mm256_permute2x128_si256(a, b, 0x20);
        l.v[i + 1] = _mm256_permute2x128_si256(a, b, 0x31);
    }
#endif
    return l;
}

INLINE found lanes_equal(const lanes16 *l, value16 x) {
#if ISA == 512
    return (found){_mm512_cmpeq_epi16_mask(l->v[0], x), _mm512_cmpeq_epi16_mask(l->v[1], x)};
#else
    return (found){
        _mm256_packs_epi16(_mm256_cmpeq_epi16(l->v[0], x), _mm256_cmpeq_epi16(l->v[1], x)),
        _mm256_packs_epi16(_mm256_cmpeq_epi16(l->v[2], x), _mm256_cmpeq_epi16(l->v[3], x))};
#endif
}

INLINE found lanes_later(const lanes16 *l, value16 x) {
#if ISA == 512
    return (found){_mm512_cmpgt_epi16_mask(l->v[0], x), _mm512_cmpgt_epi16_mask(l->v[1], x)};
#else
    return (found){
        _mm256_packs_epi16(_mm256_cmpgt_epi16(l->v[0], x), _mm256_cmpgt_epi16(l->v[1], x)),
        _mm256_packs_epi16(_mm256_cmpgt_epi16(l->v[2], x), _mm256_cmpgt_epi16(l->v[3], x))};
#endif
}

/* Returns the set with one bit per lane. */
INLINE uint64_t found_set(found f) {
#if ISA == 512
    return (uint64_t)f.high << 32 | f.low;
#else
    return (uint64_t)(unsigned)_mm256_movemask_epi8(f.high) << 32 |
           (unsigned)_mm256_movemask_epi8(f.low);
#endif
}

/* Returns the same as found_set() != 0, but faster. */
INLINE bool found_any(found f) {
#if ISA == 512
    return !_kortestz_mask32_u8(f.low, f.high);
#else
    return _mm256_movemask_epi8(_mm256_or_si256(f.low, f.high)) != 0;
#endif
}

INLINE void lanes_store(uint16_t *to, const lanes16 *l) {
#if ISA == 512
    for (unsigned i = 0; i < 2; i++)
        _mm512_storeu_si512(to + 32 * i, l->v[i]);
#else
    for (unsigned i = 0; i < 4; i += 2) {
        __m256i a = _mm256_permute2x128_si256(l->v[i], l->v[i + 1], 0x20);
        __m256i b = _mm256_permute2x128_si256(l->v[i], l->v[i + 1], 0x31);
        _mm256_storeu_si256((__m256i *)(to + 16 * i), a);
        _mm256_storeu_si256((__m256i *)(to + 16 * i + 16), b);
    }
#endif
}

/* Returns the set that has only `lane`, for lanes_put(). With AVX2, returns an empty set. */
INLINE found found_one(unsigned lane) {
#if ISA == 512
    const uint64_t here = UINT64_C(1) << lane;
    return (found){(__mmask32)here, (__mmask32)(here >> 32)};
#else
    (void)lane;
    /* lanes_put() does not need the set, because it uses `lane`. */
    return (found){_mm256_setzero_si256(), _mm256_setzero_si256()};
#endif
}

/* Stores x in `lane`, which is the only lane of `f`. With AVX2, `f` is not used. */
INLINE void lanes_put(lanes16 *l, found f, unsigned lane, value16 x) {
#if ISA == 512
    (void)lane;
    l->v[0] = _mm512_mask_mov_epi16(l->v[0], f.low, x);
    l->v[1] = _mm512_mask_mov_epi16(l->v[1], f.high, x);
#else
    const value16 n = value_of((uint16_t)lane);
    const lanes16 numbers = lanes_load(lane_number);
    (void)f;
    for (unsigned i = 0; i < 4; i++)
        l->v[i] = _mm256_blendv_epi8(l->v[i], x, _mm256_cmpeq_epi16(numbers.v[i], n));
#endif
}

/* Returns the minimum of all lanes, repeated in all lanes. */
INLINE value16 lanes_least(const lanes16 *l) {
#if ISA == 512
    __m512i w = _mm512_min_epu16(l->v[0], l->v[1]);
    __m256i y = _mm256_min_epu16(_mm512_castsi512_si256(w), _mm512_extracti64x4_epi64(w, 1));
    __m128i x = _mm_min_epu16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return _mm512_broadcastw_epi16(_mm_minpos_epu16(x));
#else
    __m256i y =
        _mm256_min_epu16(_mm256_min_epu16(l->v[0], l->v[1]), _mm256_min_epu16(l->v[2], l->v[3]));
    __m128i x = _mm_min_epu16(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    return _mm256_broadcastw_epi16(_mm_minpos_epu16(x));
#endif
}

/* Returns the lane among `tagged`, which must not be empty, that holds block x, or LANES if there
 * is none. If several lanes are tagged and one of them holds x, *tagged becomes found_one() of this
 * lane, as lanes_put() needs it. */
INLINE unsigned lane_with(const uint64_t *key, found *tagged, uint64_t x) {
    uint64_t set = found_set(*tagged);
    unsigned lane = (unsigned)__builtin_ctzll(set);
    if (RDI_LIKELY(key[lane] == x && (set & (set - 1)) == 0))
        return lane;
    for (; set; set &= set - 1) {
        lane = (unsigned)__builtin_ctzll(set);
        if (key[lane] == x) {
            *tagged = found_one(lane);
            return lane;
        }
    }
    return LANES;
}

/* The lane that the next new block takes, as a mask and as a number. Storing the block by the mask
 * need not wait until the number is computed. */
typedef struct next_lane {
    lanes16 here; /* AVX2 only: all bits of the lane are set */
    found set;
    unsigned number;
} next_lane;

/* Returns the lane with the earliest time; all lanes must be in use. */
INLINE next_lane lanes_oldest(const lanes16 *times) {
    next_lane o;
    value16 least = lanes_least(times);
#if ISA != 512
    for (unsigned i = 0; i < 4; i++)
        o.here.v[i] = _mm256_cmpeq_epi16(times->v[i], least);
#endif
    o.set = lanes_equal(times, least);
    o.number = (unsigned)__builtin_ctzll(found_set(o.set));
    return o;
}

/* Stores x in the lane `o`. */
INLINE void lanes_put_next(lanes16 *l, const next_lane *o, value16 x) {
#if ISA == 512
    l->v[0] = _mm512_mask_mov_epi16(l->v[0], o->set.low, x);
    l->v[1] = _mm512_mask_mov_epi16(l->v[1], o->set.high, x);
#else
    for (unsigned i = 0; i < 4; i++)
        l->v[i] = _mm256_blendv_epi8(l->v[i], x, o->here.v[i]);
#endif
}
