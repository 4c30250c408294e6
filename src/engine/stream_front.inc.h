/* The stream engine's front: the 16 most recent blocks (part of stream_kernel.inc.h).
 *
 * Blocks stay in their lane; front_pos[lane] is the lane's place in recency order. A hit in a lane
 * at place p is a distance of p: places below p go up by one, the lane's becomes 0. A hit changes
 * no key, so the comparisons of the next references run ahead, and the chain from one reference to
 * the next is four one-cycle operations on one register (moving the keys instead makes that chain
 * five times as long). A miss takes the lane at the last place; the block that was there goes to
 * the big structures.
 */
#if ISA

/* [i] .. [i + 15] with i = 15 - lane: all ones in that lane only. */
static const uint8_t one_lane[31] = {[15] = 255};

typedef struct front_keys {
#if ISA == 512
    __m512i low, high;
#else
    __m256i k[FRONT / 4];
#endif
} front_keys;

INLINE void keys_load(front_keys *f, const uint64_t *key) {
#if ISA == 512
    f->low = _mm512_loadu_si512(key);
    f->high = _mm512_loadu_si512(key + 8);
#else
    for (int i = 0; i < FRONT / 4; i++)
        f->k[i] = _mm256_loadu_si256((const __m256i *)key + i);
#endif
}

INLINE void keys_store(const front_keys *f, uint64_t *key) {
#if ISA == 512
    _mm512_storeu_si512(key, f->low);
    _mm512_storeu_si512(key + 8, f->high);
#else
    for (int i = 0; i < FRONT / 4; i++)
        _mm256_storeu_si256((__m256i *)key + i, f->k[i]);
#endif
}

/* Bit i set when lane i holds x. */
INLINE unsigned keys_match(const front_keys *f, uint64_t x) {
#if ISA == 512
    __m512i v = _mm512_set1_epi64((long long)x);
    return _mm512_kunpackb(_mm512_cmpeq_epi64_mask(f->high, v), _mm512_cmpeq_epi64_mask(f->low, v));
#else
    unsigned m = 0;
    __m256i v = _mm256_set1_epi64x((long long)x);
    for (int i = 0; i < FRONT / 4; i++) {
        __m256i q = _mm256_cmpeq_epi64(f->k[i], v);
        m |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(q)) << 4 * i;
    }
    return m;
#endif
}

INLINE unsigned lane_of(__m128i here) {
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(here));
}

/* `here`: ones in the byte of the lane. The next comparisons wait for the keys, so the way there is
 * short: from mask to mask, not over the number of the lane. */
INLINE void keys_replace(front_keys *f, __m128i here, uint64_t x) {
#if ISA == 512
    __m512i v = _mm512_set1_epi64((long long)x);
    __mmask16 k = _mm_movepi8_mask(here);
    f->low = _mm512_mask_mov_epi64(f->low, (__mmask8)k, v);
    f->high = _mm512_mask_mov_epi64(f->high, (__mmask8)(k >> 8), v);
#else
    unsigned lane = lane_of(here);
    __m256i v = _mm256_set1_epi64x((long long)x), at = _mm256_set1_epi64x((long long)lane);
    for (int i = 0; i < FRONT / 4; i++) {
        __m256i number = _mm256_setr_epi64x(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
        f->k[i] = _mm256_blendv_epi8(f->k[i], v, _mm256_cmpeq_epi64(at, number));
    }
#endif
}

/* Answers references i .. n - 1 until the batch is full of misses; returns where it stopped. */
INLINE size_t scan_front(rdi_stream *e, batch *b, const uint64_t *blk, const uint16_t *at, size_t i,
                         size_t n, uint64_t *dist, uint64_t *hits) {
    front_keys f;
    keys_load(&f, e->front_key);
    __m128i pos = _mm_loadu_si128((const __m128i *)e->front_pos);
    const __m128i one = _mm_set1_epi8(1), last = _mm_set1_epi8(FRONT - 1);
    unsigned c = 0;
    for (; i < n && c < BATCH; i++) {
        unsigned m = keys_match(&f, blk[i]);
        if (RDI_LIKELY(m)) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            __m128i p = _mm_shuffle_epi8(pos, _mm_set1_epi8((char)lane));
            __m128i here = _mm_loadu_si128((const __m128i *)(one_lane + 15 - lane));
            unsigned d = (unsigned)_mm_cvtsi128_si32(p) & 255;
            pos = _mm_andnot_si128(here, _mm_sub_epi8(pos, _mm_cmpgt_epi8(p, pos)));
            hits[d]++;
            if (dist)
                dist[at[i]] = d;
        } else {
            __m128i is_last = _mm_cmpeq_epi8(pos, last);
            pos = _mm_andnot_si128(is_last, _mm_add_epi8(pos, one));
            keys_replace(&f, is_last, blk[i]);
            b->blk[c] = blk[i];
            b->where[c] = at[i];
            b->lane[c++] = (uint8_t)lane_of(is_last);
        }
    }
    keys_store(&f, e->front_key);
    _mm_storeu_si128((__m128i *)e->front_pos, pos);
    b->n = c;
    return i;
}

#else

/* Without vectors it is cheaper to move the keys: most hits are at a low place. */
INLINE size_t scan_front(rdi_stream *e, batch *b, const uint64_t *blk, const uint16_t *at, size_t i,
                         size_t n, uint64_t *dist, uint64_t *hits) {
    uint64_t key[FRONT];
    uint8_t lane[FRONT];
    unsigned c = 0;
    for (unsigned k = 0; k < FRONT; k++) {
        key[e->front_pos[k]] = e->front_key[k];
        lane[e->front_pos[k]] = (uint8_t)k;
    }
    for (; i < n && c < BATCH; i++) {
        uint64_t x = blk[i];
        unsigned p = 0;
        while (p < FRONT && key[p] != x)
            p++;
        unsigned turn = p < FRONT ? p : FRONT - 1;
        uint8_t l = lane[turn];
        if (p == FRONT) {
            b->blk[c] = x;
            b->where[c] = at[i];
            b->lane[c++] = l;
        } else {
            hits[p]++;
            if (dist)
                dist[at[i]] = p;
        }
        for (unsigned k = turn; k > 0; k--) {
            key[k] = key[k - 1];
            lane[k] = lane[k - 1];
        }
        key[0] = x;
        lane[0] = l;
    }
    for (unsigned k = 0; k < FRONT; k++) {
        e->front_pos[lane[k]] = (uint8_t)k;
        e->front_key[lane[k]] = key[k];
    }
    b->n = c;
    return i;
}

#endif

/* Takes over blk[0 .. n - 1] without immediate repeats, which are distances of 0 and change no
 * order; returns how many are left. */
INLINE size_t drop_repeats(const uint64_t *blk, size_t n, uint64_t prev, rdi_stream_runs *r) {
    size_t m = 0, i = 0;
#if ISA == 512
    __m128i pos = _mm_setr_epi16(1, 2, 3, 4, 5, 6, 7, 8);
    r->blk[0] = blk[0];
    r->at[0] = 0;
    m = blk[0] != prev;
    for (i = 1; i + 8 <= n; i += 8) {
        __m512i x = _mm512_loadu_si512(blk + i);
        __mmask8 k = _mm512_cmpneq_epi64_mask(x, _mm512_loadu_si512(blk + i - 1));
        __m512i p = _mm512_maskz_compress_epi64(k, _mm512_cvtepu16_epi64(pos));
        _mm512_storeu_si512(r->blk + m, _mm512_maskz_compress_epi64(k, x));
        _mm_storeu_si128((__m128i *)(r->at + m), _mm512_cvtepi64_epi16(p));
        pos = _mm_add_epi16(pos, _mm_set1_epi16(8));
        m += (unsigned)__builtin_popcount(k);
    }
    prev = blk[i - 1];
#endif
    for (; i < n; i++) {
        r->blk[m] = blk[i];
        r->at[m] = (uint16_t)i;
        m += blk[i] != prev;
        prev = blk[i];
    }
    return m;
}

/* `n` hits at one place. */
INLINE void count_near(rdi_stream *e, unsigned distance, uint64_t n, const uint64_t *dist) {
    e->window_near += n;
    if (!rdi_stream_counts_now(e, dist))
        return;
    if (distance >= e->bound)
        e->counts.infinite += n;
    else
        e->counts.count[distance] += n;
}

/* Repeats need no look at the bound: it is at least 1. */
INLINE size_t start_front(rdi_stream *e, rdi_stream_runs *r, const uint64_t *blk, size_t n,
                          uint64_t *dist) {
    unsigned newest = 0;
    while (e->front_pos[newest])
        newest++;
    size_t m = drop_repeats(blk, n, e->front_key[newest], r);
    if (dist)
        memset(dist, 0, n * sizeof *dist);
    count_near(e, 0, n - m, dist);
    return m;
}

/* Fills b with misses of the front; returns the position reached. */
PASS size_t fill_front(rdi_stream *e, batch *b, const rdi_stream_runs *r, size_t i, size_t n,
                       uint64_t *dist) {
    uint64_t hits[FRONT] = {0};
    size_t end = dist ? scan_front(e, b, r->blk, r->at, i, n, dist, hits)
                      : scan_front(e, b, r->blk, r->at, i, n, NULL, hits);
    const rdi_stream_table t = e->table;
    for (unsigned k = 0; k < b->n; k++) {
        bucket *home = home_bucket(&t, b->blk[k]);
        RDI_PREFETCH(home);
        b->home[k] = home;
    }
    for (unsigned p = 0; p < FRONT; p++)
        count_near(e, p, hits[p], dist);
    if (dist && e->bound < FRONT)
        for (; i < end; i++)
            if (dist[r->at[i]] >= e->bound)
                dist[r->at[i]] = RD_COLD;
    return end;
}
