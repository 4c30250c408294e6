/* Defines the stream engine's front: the 64 most recent blocks (part of stream_kernel.inc.h).
 *
 * Blocks stay in their lane, and each lane has the time of its last reference. The distance of a
 * hit is the number of lanes with a later time. The lane of the hit then gets the latest time. This
 * changes one element of a register and no key, so the next reference hardly has to wait. A miss
 * takes the lane with the earliest time, and the block that was in this lane enters the axis. This
 * lane is determined in advance, whenever the lane with the earliest time gets a later time.
 */

/* The destination of misses. */
typedef struct misses {
    uint64_t *blk;
    uint32_t *where; /* positions in the step; NULL: not needed */
    uint8_t *lane;   /* the lane that the block enters */
    size_t n, room;
} misses;

#if ISA

#include "order/lanes16.inc.h"

/* Answers references i to n - 1, until there is no room for another miss. Returns the index of the
 * first reference that is not done. */
INLINE size_t scan_front(rdi_stream_front *front, misses *out, const rdi_stream_runs *r, size_t i,
                         size_t n, uint64_t *dist, uint64_t *hits) {
    lanes16 tags = lanes_load(front->tag), times = lanes_load(front->time);
    uint64_t *key = front->key;
    uint16_t now = front->now, *time = front->time;
    value16 all_now = value_of(now);
    next_lane oldest = lanes_oldest(&times);
    size_t c = out->n;
    for (; i < n && c < out->room; i++, now++, all_now = next_value(all_now)) {
        uint64_t x = r->blk[i];
        value16 tag = value_of(r->tag[i]);
        found tagged = lanes_equal(&tags, tag);
        unsigned lane = FRONT;
        if (RDI_LIKELY(found_any(tagged)) &&
            RDI_LIKELY((lane = lane_with(key, &tagged, x)) < FRONT)) {
            unsigned d = (unsigned)__builtin_popcountll(
                found_set(lanes_later(&times, value_of(time[lane]))));
            hits[d]++;
            if (dist)
                dist[r->at[i]] = d;
            lanes_put(&times, tagged, lane, all_now);
        } else {
            lane = oldest.number;
            lanes_put_next(&tags, &oldest, tag);
            lanes_put_next(&times, &oldest, all_now);
            key[lane] = x;
            out->blk[c] = x;
            if (out->where)
                out->where[c] = r->at[i];
            out->lane[c++] = (uint8_t)lane;
        }
        time[lane] = now;
        if (RDI_UNLIKELY(lane == oldest.number))
            oldest = lanes_oldest(&times);
    }
    lanes_store(front->tag, &tags);
    front->now = now;
    out->n = c;
    return i;
}

#else

/* Does the same as scan_front() above. Without vectors it is cheaper to keep the keys in recency
 * order and to move them, because most hits are at one of the first places. */
INLINE size_t scan_front(rdi_stream_front *front, misses *out, const rdi_stream_runs *r, size_t i,
                         size_t n, uint64_t *dist, uint64_t *hits) {
    uint64_t key[FRONT];
    uint8_t lane[FRONT];
    size_t c = out->n;
    for (unsigned k = 0; k < FRONT; k++) {
        unsigned place = rdi_stream_front_place(front, k);
        key[place] = front->key[k];
        lane[place] = (uint8_t)k;
    }
    for (; i < n && c < out->room; i++) {
        uint64_t x = r->blk[i];
        unsigned p = 0;
        while (p < FRONT && key[p] != x)
            p++;
        unsigned turn = p < FRONT ? p : FRONT - 1;
        uint8_t l = lane[turn];
        if (p == FRONT) {
            out->blk[c] = x;
            if (out->where)
                out->where[c] = r->at[i];
            out->lane[c++] = l;
        } else {
            hits[p]++;
            if (dist)
                dist[r->at[i]] = p;
        }
        memmove(key + 1, key, turn * sizeof *key);
        memmove(lane + 1, lane, turn * sizeof *lane);
        key[0] = x;
        lane[0] = l;
    }
    for (unsigned k = 0; k < FRONT; k++) {
        front->key[lane[k]] = key[k];
        front->tag[lane[k]] = rdi_stream_tag(key[k]);
        front->time[lane[k]] = (uint16_t)(FRONT - 1 - k);
    }
    front->now = FRONT;
    out->n = c;
    return i;
}

#endif

/* Copies blk[0] to blk[n - 1], and their positions, to `r` without immediate repeats, which have
 * distance 0 and do not change the order. `prev` is the block before blk[0]. Returns the number of
 * references that remain. */
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

/* Computes all tags in a loop without branches, which compilers vectorize. Code without vectors
 * uses no tags. */
INLINE void set_tags(rdi_stream_runs *r, size_t n) {
#if ISA
    for (size_t i = 0; i < n; i++)
        r->tag[i] = rdi_stream_tag(r->blk[i]);
#else
    (void)r, (void)n;
#endif
}

/* Adds n hits at `distance` to the statistics of the window and, if the engine counts now, to the
 * counts. */
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
    while (f->time[lane] != f->now - 1)
        lane++;
    return f->key[lane];
}

/* Begins a step with the front: drops and counts the immediate repeats, and returns the number of
 * references that remain. Sets all of `dist`, unless it is NULL, to 0, the distance of a repeat,
 * which is below any bound. */
INLINE size_t start_front(rdi_stream *e, rdi_stream_runs *r, const uint64_t *blk, size_t n,
                          uint64_t *dist) {
    rdi_stream_front_wind_back(&e->front);
    size_t m = drop_repeats(blk, n, newest_block(&e->front), r);
    set_tags(r, m);
    if (dist)
        memset(dist, 0, n * sizeof *dist);
    count_near(e, 0, n - m, dist);
    return m;
}

INLINE void fetch_homes(const rdi_stream *e, tile *b) {
    const rdi_slot_table t = e->table;
    for (unsigned k = 0; k < b->n; k++) {
        bucket *home = home_bucket(&t, b->blk[k]);
        RDI_PREFETCH(home);
        b->home[k] = home;
    }
}

/* Fills b with misses of the front. Returns the index of the first reference that is not done. */
PASS size_t fill_front(rdi_stream *e, tile *b, const rdi_stream_runs *r, size_t i, size_t n,
                       uint64_t *dist) {
    uint64_t hits[FRONT] = {0};
    misses out = {.blk = b->blk, .where = b->where, .lane = b->lane, .room = TILE};
    size_t end = dist ? scan_front(&e->front, &out, r, i, n, dist, hits)
                      : scan_front(&e->front, &out, r, i, n, NULL, hits);
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
    rdi_stream_front_wind_back(f);
    misses out = {.blk = packet->item, .lane = packet->lane, .n = packet->n, .room = STEP};
    size_t runs = drop_repeats(blk, n, newest_block(f), &r);
    set_tags(&r, runs);
    size_t end = scan_front(f, &out, &r, 0, runs, NULL, hits);
    size_t used = end < runs ? r.at[end] : n;
    packet->n = out.n;
    hits[0] += used - end;
    return used;
}

/* Fills b with the misses of another thread's front, from index i on. Returns the next index. */
PASS size_t fill_missed(const rdi_stream *e, tile *b, const rdi_stream_packet *in, size_t i) {
    const size_t m = in->n - i < TILE ? in->n - i : TILE;
    memcpy(b->blk, in->item + i, m * sizeof *b->blk);
    memcpy(b->lane, in->lane + i, m);
    b->n = (unsigned)m;
    fetch_homes(e, b);
    return i + m;
}
