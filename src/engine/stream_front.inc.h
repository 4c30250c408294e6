/* The stream engine's front: the 16 most recent blocks (part of stream_kernel.inc.h).
 *
 * Blocks stay in their lane; pos[lane] is the lane's place in recency order. A hit in a lane
 * at place p is a distance of p: places below p go up by one, the lane's becomes 0. A hit changes
 * no key, so the comparisons of the next references run ahead, and the chain from one reference to
 * the next is four one-cycle operations on one register (moving the keys instead makes that chain
 * five times as long). A miss takes the lane at the last place; the block that was there goes to
 * the big structures.
 */

/* Where misses go. */
typedef struct misses {
    uint64_t *blk;
    uint32_t *where; /* in the chunk; NULL: nobody asks */
    uint8_t *lane;   /* that the block takes */
    size_t n, room;
} misses;

#if ISA

/* [i] .. [i + 15] with i = 15 - lane: all ones in that lane only. */
static const uint8_t one_lane[31] = {[15] = 255};

/* Lanes are told apart by the low halves of their blocks, and the whole of the one found is looked
 * at: half as much to compare. */
typedef struct front_keys {
    uint64_t *key;
#if ISA == 512
    __m512i tag;
#else
    __m256i tag[2]; /* of lanes 0-3 and 8-11, 4-7 and 12-15: packing puts them in order */
#endif
} front_keys;

#if ISA != 512
INLINE __m256i four_and_four(const uint64_t *low, const uint64_t *high) {
    return _mm256_setr_epi32((int)low[0], (int)low[1], (int)low[2], (int)low[3], (int)high[0],
                             (int)high[1], (int)high[2], (int)high[3]);
}
#endif

INLINE void keys_load(front_keys *f, uint64_t *key) {
    f->key = key;
#if ISA == 512
    __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(key));
    __m256i high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(key + 8));
    f->tag = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#else
    f->tag[0] = four_and_four(key, key + 8);
    f->tag[1] = four_and_four(key + 4, key + 12);
#endif
}

/* Not 0 when a lane has the low half of x; lane_in() of that is the first. */
INLINE unsigned tags_match(const front_keys *f, uint64_t x) {
#if ISA == 512
    return _mm512_cmpeq_epi32_mask(f->tag, _mm512_set1_epi32((int)x));
#else
    __m256i v = _mm256_set1_epi32((int)x);
    __m256i q =
        _mm256_packs_epi32(_mm256_cmpeq_epi32(f->tag[0], v), _mm256_cmpeq_epi32(f->tag[1], v));
    return (unsigned)_mm256_movemask_epi8(q) & 0x55555555u;
#endif
}

INLINE unsigned lane_in(unsigned match) {
    return (unsigned)__builtin_ctz(match) >> (ISA == 512 ? 0 : 1);
}

/* Not 0 when a lane holds x; lane_in() of that is the one. */
INLINE unsigned keys_match(const front_keys *f, uint64_t x) {
    unsigned m = tags_match(f, x);
    while (RDI_UNLIKELY(m && f->key[lane_in(m)] != x))
        m &= m - 1;
    return m;
}

INLINE unsigned lane_of(__m128i here) {
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(here));
}

/* `here`: ones in the byte of the lane. The next comparisons wait for the tags, so the way there is
 * short: from mask to mask, not over the number of the lane. */
INLINE void keys_replace(front_keys *f, __m128i here, uint64_t x) {
    f->key[lane_of(here)] = x;
#if ISA == 512
    f->tag = _mm512_mask_mov_epi32(f->tag, _mm_movepi8_mask(here), _mm512_set1_epi32((int)x));
#else
    __m256i v = _mm256_set1_epi32((int)x);
    __m128i even = _mm_shuffle_epi32(here, 0xD8); /* bytes of lanes 0-3, 8-11, 4-7, 12-15 */
    __m256i low = _mm256_cvtepi8_epi32(even), high = _mm256_cvtepi8_epi32(_mm_srli_si128(even, 8));
    f->tag[0] = _mm256_blendv_epi8(f->tag[0], v, low);
    f->tag[1] = _mm256_blendv_epi8(f->tag[1], v, high);
#endif
}

/* Answers references i .. n - 1 until there is no room for another miss; returns where it stopped.
 */
INLINE size_t scan_front(rdi_stream_front *front, misses *out, const uint64_t *blk,
                         const uint16_t *at, size_t i, size_t n, uint64_t *dist, uint64_t *hits) {
    front_keys f;
    keys_load(&f, front->key);
    __m128i pos = _mm_loadu_si128((const __m128i *)front->pos);
    const __m128i one = _mm_set1_epi8(1), last = _mm_set1_epi8(FRONT - 1);
    size_t c = out->n;
    for (; i < n && c < out->room; i++) {
        unsigned m = keys_match(&f, blk[i]);
        if (RDI_LIKELY(m)) {
            unsigned lane = lane_in(m);
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
            out->blk[c] = blk[i];
            if (out->where)
                out->where[c] = at[i];
            out->lane[c++] = (uint8_t)lane_of(is_last);
        }
    }
    _mm_storeu_si128((__m128i *)front->pos, pos);
    out->n = c;
    return i;
}

#else

/* Without vectors it is cheaper to move the keys: most hits are at a low place. */
INLINE size_t scan_front(rdi_stream_front *front, misses *out, const uint64_t *blk,
                         const uint16_t *at, size_t i, size_t n, uint64_t *dist, uint64_t *hits) {
    uint64_t key[FRONT];
    uint8_t lane[FRONT];
    size_t c = out->n;
    for (unsigned k = 0; k < FRONT; k++) {
        key[front->pos[k]] = front->key[k];
        lane[front->pos[k]] = (uint8_t)k;
    }
    for (; i < n && c < out->room; i++) {
        uint64_t x = blk[i];
        unsigned p = 0;
        while (p < FRONT && key[p] != x)
            p++;
        unsigned turn = p < FRONT ? p : FRONT - 1;
        uint8_t l = lane[turn];
        if (p == FRONT) {
            out->blk[c] = x;
            if (out->where)
                out->where[c] = at[i];
            out->lane[c++] = l;
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
        front->pos[lane[k]] = (uint8_t)k;
        front->key[lane[k]] = key[k];
    }
    out->n = c;
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

INLINE uint64_t newest_block(const rdi_stream_front *f) {
    unsigned lane = 0;
    while (f->pos[lane])
        lane++;
    return f->key[lane];
}

/* Repeats need no look at the bound: it is at least 1. */
INLINE size_t start_front(rdi_stream *e, rdi_stream_runs *r, const uint64_t *blk, size_t n,
                          uint64_t *dist) {
    size_t m = drop_repeats(blk, n, newest_block(&e->front), r);
    if (dist)
        memset(dist, 0, n * sizeof *dist);
    count_near(e, 0, n - m, dist);
    return m;
}

INLINE void fetch_homes(const rdi_stream *e, batch *b) {
    const rdi_stream_table t = e->table;
    for (unsigned k = 0; k < b->n; k++) {
        bucket *home = home_bucket(&t, b->blk[k]);
        RDI_PREFETCH(home);
        b->home[k] = home;
    }
}

/* Fills b with misses of the front; returns the position reached. */
PASS size_t fill_front(rdi_stream *e, batch *b, const rdi_stream_runs *r, size_t i, size_t n,
                       uint64_t *dist) {
    uint64_t hits[FRONT] = {0};
    misses out = {.blk = b->blk, .where = b->where, .lane = b->lane, .room = BATCH};
    size_t end = dist ? scan_front(&e->front, &out, r->blk, r->at, i, n, dist, hits)
                      : scan_front(&e->front, &out, r->blk, r->at, i, n, NULL, hits);
    b->n = (unsigned)out.n;
    fetch_homes(e, b);
    for (unsigned p = 0; p < FRONT; p++)
        count_near(e, p, hits[p], dist);
    if (dist && e->bound < FRONT)
        for (; i < end; i++)
            if (dist[r->at[i]] >= e->bound)
                dist[r->at[i]] = RD_COLD;
    return end;
}

/* ---- on two threads ---- */

static KERNEL_TARGET size_t scan(rdi_stream_front *f, const uint64_t *blk, size_t n,
                                 rdi_stream_packet *packet, uint64_t *hits) {
    rdi_stream_runs r;
    misses out = {.blk = packet->item, .lane = packet->lane, .n = packet->n, .room = CHUNK};
    size_t runs = drop_repeats(blk, n, newest_block(f), &r);
    size_t end = scan_front(f, &out, r.blk, r.at, 0, runs, NULL, hits);
    size_t used = end < runs ? r.at[end] : n;
    packet->n = out.n;
    hits[0] += used - end;
    return used;
}

/* Fills b with what another thread's front missed. */
PASS size_t fill_missed(const rdi_stream *e, batch *b, const rdi_stream_packet *in, size_t i) {
    const size_t m = in->n - i < BATCH ? in->n - i : BATCH;
    memcpy(b->blk, in->item + i, m * sizeof *b->blk);
    memcpy(b->lane, in->lane + i, m);
    b->n = (unsigned)m;
    fetch_homes(e, b);
    return i + m;
}
