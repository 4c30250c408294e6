/* Defines the stream engine's inner loops, which are compiled once per instruction set and once
 * with 64-bit slots.
 *
 * The including file defines KERNEL (the name of the table of functions), KERNEL_TARGET (the
 * attribute of the functions), ISA (0, 2 or 512), SLOT (the type of a slot) and WAYS (the number of
 * entries per bucket).
 *
 * References run in tiles of 16 to 64 through four passes. While one tile is filled, the previous
 * one is resolved, and the one before it is measured and applied, so that cache misses overlap:
 *   fill     search the front; hash and prefetch the bucket of each miss
 *   resolve  find the block's slot s, store the new slot t, prefetch the axis at s
 *   measure  compute distances, with the axis as it was before this tile
 *   apply    set the bits of new slots, clear the bits of old slots
 * Measuring with a frozen axis keeps narrow stores away from the wide loads that follow (failed
 * store-to-load forwarding costs more than the whole sum) and makes the sums of a tile independent.
 * The changes that the tile itself makes are added by counting inversions among its old slots.
 *
 * Functions marked PASS are not inlined, because in one function their loops would have to share
 * the registers. Passes work on copies of the axis and, unless they add entries, of the table.
 * Otherwise the compiler would have to assume that stores through uint64_t pointers change the
 * fields of axis and table, and it would reload the fields for every reference.
 */
#include <string.h>

#if ISA
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline)) KERNEL_TARGET
#define PASS   static __attribute__((noinline)) KERNEL_TARGET
#define TILE   RDI_STREAM_TILE
#define STEP   RDI_STREAM_STEP
#define FRONT  RDI_STREAM_FRONT
#define DENSE  RDI_STREAM_DENSE

#include "order/slot_axis.inc.h"
#include "order/slot_table.inc.h"

/* References that go through the passes together. */
typedef struct tile {
    _Alignas(64) SLOT old[TILE]; /* previous slot of the block; 0: first reference */
    uint64_t blk[TILE];
    bucket *home[TILE];
    uint32_t where[TILE]; /* position in the step */
    uint8_t lane[TILE];   /* the lane of the front that the block enters */
    unsigned n;
    uint64_t first; /* new slot of entry 0 */
} tile;

/* Returns a mask with one bit for each entry of the tile. */
INLINE uint64_t all_of(const tile *b) {
    return b->n < TILE ? (UINT64_C(1) << b->n) - 1 : ~UINT64_C(0);
}

/* Returns the number of entries before j whose old slot is above s. Their blocks have left these
 * slots since the tile began. */
INLINE uint64_t left_since(const SLOT *old, unsigned j, SLOT s) {
#if ISA == 512
    const __m512i x = _mm512_set1_epi32((int)s);
    uint64_t all = 0;
    for (unsigned i = 0; i < j; i += 16)
        all |= (uint64_t)_mm512_cmpgt_epu32_mask(_mm512_load_si512(old + i), x) << i;
    return (uint64_t)__builtin_popcountll(_bzhi_u64(all, j));
#elif ISA == 2
    const __m256i flip = _mm256_set1_epi32(INT32_MIN);
    const __m256i x = _mm256_xor_si256(_mm256_set1_epi32((int)s), flip);
    uint64_t all = 0;
    for (unsigned i = 0; i < j; i += 8) {
        __m256i v = _mm256_xor_si256(_mm256_load_si256((const __m256i *)(old + i)), flip);
        __m256 greater = _mm256_castsi256_ps(_mm256_cmpgt_epi32(v, x));
        all |= (uint64_t)(unsigned)_mm256_movemask_ps(greater) << i;
    }
    return (uint64_t)__builtin_popcountll(_bzhi_u64(all, j));
#else
    unsigned sum = 0;
    for (unsigned i = 0; i < j; i++)
        sum += old[i] > s;
    return sum;
#endif
}

/* Returns the set of entries whose old slot is above s. */
INLINE uint64_t slots_above(const tile *b, SLOT s) {
    uint64_t all = 0;
#if ISA == 512
    for (unsigned i = 0; i < TILE; i += 16)
        all |= (uint64_t)_mm512_cmpgt_epu32_mask(_mm512_load_si512(b->old + i),
                                                 _mm512_set1_epi32((int)s))
               << i;
#else
    for (unsigned i = 0; i < b->n; i++)
        all |= (uint64_t)(b->old[i] > s) << i;
#endif
    return all & all_of(b);
}

/* ---- passes ---- */

#include "engine/fast/stream_front.inc.h"
#if ISA == 512
#include "engine/fast/stream_near.inc.h"
#endif

/* Fills a tile with references from index i on. The front is off, so every reference goes to the
 * table. Returns the next index. */
INLINE size_t fill_plain(const rdi_stream *e, tile *b, const uint64_t *blk, size_t i, size_t n) {
    const rdi_slot_table t = e->table;
    const size_t m = n - i < e->tile ? n - i : e->tile;
    for (size_t k = 0; k < m; k++) {
        uint64_t x = blk[i + k];
        bucket *home = home_bucket(&t, x);
        RDI_PREFETCH(home);
        b->blk[k] = x;
        b->where[k] = (uint32_t)(i + k);
        b->home[k] = home;
    }
    b->n = (unsigned)m;
    return i + m;
}

/* Prefetches the bucket of entry j + AHEAD or, if that bucket is full, the next one, because the
 * search continues there. */
INLINE void prefetch_overflow(const tile *b, unsigned j, unsigned n) {
    if (j + AHEAD < n)
        RDI_PREFETCH(b->home[j + AHEAD] + (b->home[j + AHEAD]->n == WAYS));
}

PASS void resolve(rdi_stream *e, tile *b, bool front) {
    const rdi_slot_axis a = e->axis;
    const unsigned n = b->n;
    for (unsigned j = 0; j < n; j++) {
        SLOT t = (SLOT)(a.next + j);
        prefetch_overflow(b, j, n);
        SLOT *field = find_or_add(&e->table, b->home[j], b->blk[j]);
        SLOT s = *field;
        if (front) { /* the block enters the front, and the block that it replaces gets slot t */
            *(SLOT *)e->front_entry[b->lane[j]] = t;
            e->front_entry[b->lane[j]] = field;
        } else {
            *field = t;
        }
        b->old[j] = s;
        prefetch_slot(&a, s);
    }
    b->first = a.next;
    e->axis.next = a.next + n;
}

/* Counts the n distances d[] of the tile. Appends blocks with infinite distances to counts.first,
 * if they are collected. */
INLINE void count_far(rdi_stream *e, const tile *b, const uint64_t *d) {
    const rdi_stream_counts c = e->counts;
    const uint64_t bound = e->bound;
    const unsigned n = b->n;
    uint64_t infinite = 0;
    size_t n_first = c.n_first;
    for (unsigned j = 0; j < n; j++) {
        uint64_t x = d[j];
        if (RDI_UNLIKELY(x >= bound)) { /* true also for RD_COLD, because no bound is above it */
            infinite++;
            if (c.first)
                c.first[n_first++] = b->blk[j];
        } else {
            c.count[x < DENSE ? x : DENSE + x / DENSE]++;
            c.rest[x / DENSE] += x % DENSE;
        }
    }
    e->counts.infinite += infinite;
    e->counts.n_first = n_first;
}

/* Adds the distances d[] of the tile to the statistics of the window. Writes them to `dist` unless
 * it is NULL, and counts them if the engine counts now. */
INLINE void record(rdi_stream *e, const tile *b, const uint64_t *d, uint64_t *dist) {
    const uint64_t bound = e->bound;
    const unsigned n = b->n;
    uint64_t near = 0;
    for (unsigned j = 0; j < n; j++)
        near += d[j] < FRONT;
    for (unsigned j = 0; j < n && dist; j++)
        dist[b->where[j]] = d[j] >= bound ? RD_COLD : d[j];
    if (rdi_stream_counts_now(e, dist))
        count_far(e, b, d);
    e->window_near += near;
}

PASS void measure(rdi_stream *e, const rdi_slot_axis *axis, const tile *b, uint64_t *dist,
                  uint64_t in_front) {
    uint64_t d[TILE];
    const rdi_slot_axis a = *axis;
    const uint64_t first = b->first;
    uint64_t left = all_of(b);
#if ISA == 512
    if (in_front)
        left = measure_near(&a, b, in_front, d);
#endif
    const uint64_t finite = slots_above(b, (SLOT)e->cutoff);
    for (uint64_t rest = left & ~finite; rest; rest &= rest - 1)
        d[__builtin_ctzll(rest)] = RD_COLD;
    left &= finite;
    if (left)
        rdi_slot_axis_refresh(&a, first + b->n);
    for (; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        uint64_t s = b->old[j];
        /* Number of blocks that entered slots above s since the tile began: slots first to first +
         * j - 1, except the slots up to s. */
        uint64_t entered = first + j - (s >= first ? s + 1 : first);
        d[j] = in_front + newer(&a, s) + entered - left_since(b->old, j, (SLOT)s);
    }
    record(e, b, d, dist);
}

/* Clears the bits of the tile's old slots. */
INLINE void clear_old(const rdi_slot_axis *a, const tile *b) {
    const unsigned n = b->n;
    for (unsigned j = 0; j < n; j++) {
        uint64_t s = b->old[j];
        if (RDI_LIKELY(s))
            rdi_slot_axis_clear(a, s);
    }
}

PASS void apply(const rdi_slot_axis *axis, const tile *b) {
    const rdi_slot_axis a = *axis;
    rdi_slot_axis_set(&a, b->first, b->n);
    clear_old(&a, b);
}

/* Runs the passes over n references. If `missed` is set, the front of another thread has answered
 * already, and only its misses remain. */
INLINE void run(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *dist, bool front,
                const rdi_stream_packet *missed) {
    tile ring[4];
    rdi_stream_runs refs;
    size_t i = 0;
    if (front && !missed)
        n = start_front(e, &refs, blk, n, dist);
    unsigned filled = 0, resolved = 0, done = 0;
    while (done < filled || i < n) {
        if (i < n) {
            tile *b = &ring[filled++ & 3];
            i = missed  ? fill_missed(e, b, missed, i)
                : front ? fill_front(e, b, &refs, i, n, dist)
                        : fill_plain(e, b, blk, i, n);
        }
        if (resolved < filled && (resolved + 1 < filled || i == n))
            resolve(e, &ring[resolved++ & 3], front);
        if (done < resolved && (done + 1 < resolved || i == n)) {
            tile *b = &ring[done++ & 3];
            measure(e, &e->axis, b, dist, front ? FRONT : 0);
            apply(&e->axis, b);
        }
    }
}

static KERNEL_TARGET void step(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *dist) {
    if (e->front_on)
        run(e, blk, n, dist, true, NULL);
    else
        run(e, blk, n, dist, false, NULL);
}

static KERNEL_TARGET void missed(rdi_stream *e, const rdi_stream_packet *in) {
    run(e, NULL, in->n, NULL, true, in);
}

/* Fills a tile with the old slots of a packet from index i on, and prefetches the axis at these
 * slots. Returns the next index. */
INLINE size_t fill_slots(const rdi_stream *e, const rdi_slot_axis *a, tile *b,
                         const rdi_stream_packet *in, size_t i) {
    const size_t m = in->n - i < e->tile ? in->n - i : e->tile;
    for (size_t k = 0; k < m; k++) {
        b->old[k] = (SLOT)in->item[i + k];
        prefetch_slot(a, b->old[k]);
    }
    b->n = (unsigned)m;
    b->first = in->first + i;
    return i + m;
}

static KERNEL_TARGET void measured(rdi_stream *e, const rdi_slot_axis *a,
                                   const rdi_stream_packet *in) {
    tile ring[2];
    size_t i = fill_slots(e, a, &ring[0], in, 0);
    for (unsigned turn = 0;; turn ^= 1) {
        bool more = i < in->n;
        if (more)
            i = fill_slots(e, a, &ring[turn ^ 1], in, i);
        measure(e, a, &ring[turn], NULL, 0);
        apply(a, &ring[turn]);
        if (!more)
            break;
    }
}

/* ---- taking blocks out ---- */

/* Does the same as fill_plain() for take(), but leaves out blocks whose marks are clear, and sets
 * their elements of `out` to RD_COLD. There is no branch on the marks, so that the accesses
 * overlap. */
PASS size_t fill_marked(const rdi_stream *e, tile *b, const uint64_t *blk, size_t i, size_t n,
                        uint64_t *out) {
    const rdi_slot_table t = e->table;
    const uint64_t *marks = e->marks;
    unsigned m = 0;
    for (; i < n && m < e->tile; i++) {
        uint64_t x = blk[i], mark = rdi_slot_mark(&t, x);
        b->blk[m] = x;
        b->where[m] = (uint32_t)i;
        b->home[m] = (bucket *)t.bucket + mark / RDI_SLOT_MARKS;
        out[i] = RD_COLD;
        m += marks[mark / 64] >> (mark % 64) & 1;
    }
    for (unsigned k = 0; k < m; k++)
        RDI_PREFETCH(b->home[k]);
    b->n = m;
    return i;
}

static KERNEL_TARGET void mark(rdi_stream *e) {
    const rdi_slot_table *t = &e->table;
    const bucket *b = t->bucket;
    for (uint64_t i = 0; i < t->homes + RDI_SLOT_TAIL; i++)
        for (unsigned k = 0; k < b[i].n; k++) {
            uint64_t m = rdi_slot_mark(t, b[i].key[k]);
            e->marks[m / 64] |= UINT64_C(1) << (m % 64);
        }
}

/* Looks up the blocks of a tile, and takes the slots out of their entries. */
PASS void take_out(rdi_stream *e, tile *b) {
    const rdi_slot_axis a = e->axis;
    const unsigned n = b->n;
    for (unsigned j = 0; j < n; j++) {
        prefetch_overflow(b, j, n);
        SLOT *field = find_from(b->home[j], b->blk[j]);
        SLOT s = field ? *field : 0;
        if (s)
            *field = 0;
        b->old[j] = s;
        prefetch_slot(&a, s);
    }
}

/* Counts the blocks newer than each block of the tile, and removes the blocks of the tile from the
 * axis. Measures with the axis as it was before the tile, and subtracts the newer blocks that come
 * earlier in the tile. */
PASS void measure_taken(const rdi_slot_axis *axis, const tile *b, uint64_t *out) {
    const rdi_slot_axis a = *axis;
    const unsigned n = b->n;
    rdi_slot_axis_refresh(&a, a.next);
    for (unsigned j = 0; j < n; j++) {
        SLOT s = b->old[j];
        out[b->where[j]] = s ? newer(&a, s) - left_since(b->old, j, s) : RD_COLD;
    }
    clear_old(&a, b);
}

static KERNEL_TARGET void take(rdi_stream *e, const uint64_t *blk, size_t n, uint64_t *out) {
    tile ring[4];
    size_t i = 0;
    unsigned filled = 0, looked = 0, done = 0;
    while (done < filled || i < n) {
        if (i < n)
            i = e->marked ? fill_marked(e, &ring[filled++ & 3], blk, i, n, out)
                          : fill_plain(e, &ring[filled++ & 3], blk, i, n);
        if (looked < filled && (looked + 1 < filled || i == n))
            take_out(e, &ring[looked++ & 3]);
        if (done < looked && (done + 1 < looked || i == n)) {
            measure_taken(&e->axis, &ring[done++ & 3], out);
        }
    }
}

/* ---- the table alone ---- */

INLINE void touch(rdi_stream *e, const tile *b) {
    uint64_t t = e->axis.next;
    const unsigned n = b->n;
    for (unsigned j = 0; j < n; j++) {
        prefetch_overflow(b, j, n);
        *find_or_add(&e->table, b->home[j], b->blk[j]) = (SLOT)t++;
    }
    e->axis.next = t;
}

INLINE void exchange(rdi_stream *e, const tile *b, uint64_t *old) {
    uint64_t t = e->axis.next;
    const unsigned n = b->n;
    for (unsigned j = 0; j < n; j++) {
        prefetch_overflow(b, j, n);
        SLOT *field = find_or_add(&e->table, b->home[j], b->blk[j]);
        old[j] = *field;
        *field = (SLOT)t++;
    }
    e->axis.next = t;
}

static KERNEL_TARGET void slots(rdi_stream *e, const uint64_t *blk, size_t n,
                                rdi_stream_packet *out) {
    tile ring[2];
    uint64_t *old = out->item + out->n;
    unsigned filled = 0;
    out->first = out->n ? out->first : e->axis.next;
    out->n += n;
    for (size_t i = 0; i < n; filled++) {
        i = fill_plain(e, &ring[filled & 1], blk, i, n);
        if (filled) {
            exchange(e, &ring[(filled - 1) & 1], old);
            old += ring[(filled - 1) & 1].n;
        }
    }
    if (filled)
        exchange(e, &ring[(filled - 1) & 1], old);
}

static KERNEL_TARGET void lookup(rdi_stream *e, const uint64_t *blk, size_t n) {
    tile ring[2];
    unsigned filled = 0;
    for (size_t i = 0; i < n; filled++) {
        i = fill_plain(e, &ring[filled & 1], blk, i, n);
        if (filled)
            touch(e, &ring[(filled - 1) & 1]);
    }
    if (filled)
        touch(e, &ring[(filled - 1) & 1]);
}

/* Looks up the blocks of a tile of runs, updates their entries, and stores the gap of each run: the
 * number of references from the last use of the block to the beginning of the run, or 0 if there
 * was no last use. The end of the run becomes the block's last use. Unlike touch(), this function
 * leaves it to the caller to advance axis.next. */
INLINE void touch_runs(rdi_stream *e, const tile *b, rdi_stream_runs *r) {
    const unsigned n = b->n;
    const SLOT now = (SLOT)e->axis.next;
    const uint16_t *at = r->at + b->where[0];
    uint64_t *gap = r->gap + b->where[0];
    for (unsigned j = 0; j < n; j++) {
        prefetch_overflow(b, j, n);
        SLOT *field = find_or_add(&e->table, b->home[j], b->blk[j]);
        SLOT last = *field;
        SLOT since = now + at[j] - last;
        *field = now + at[j + 1] - 1;
        gap[j] = last ? since : 0;
    }
}

static KERNEL_TARGET void gaps(rdi_stream *e, const uint64_t *blk, size_t n, rdi_stream_runs *r) {
    tile ring[2];
    r->n = drop_repeats(blk, n, ~blk[0], r);
    r->at[r->n] = (uint16_t)n;
    size_t i = fill_plain(e, &ring[0], r->blk, 0, r->n);
    for (unsigned turn = 0;; turn ^= 1) {
        bool more = i < r->n;
        if (more)
            i = fill_plain(e, &ring[turn ^ 1], r->blk, i, r->n);
        touch_runs(e, &ring[turn], r);
        if (!more)
            break;
    }
    e->axis.next += n;
}

/* ---- between steps ---- */

static KERNEL_TARGET uint64_t count_newer(const rdi_slot_axis *a, uint64_t s) {
    return newer(a, s);
}

static KERNEL_TARGET void renumber(rdi_stream *e) {
    const rdi_slot_table *t = &e->table;
    bucket *b = t->bucket;
    const uint64_t end = t->homes + RDI_SLOT_TAIL, ahead = 8;
    rdi_slot_axis_refresh(&e->axis, e->axis.next);
    const uint64_t live = rdi_slot_axis_live(&e->axis);
    for (uint64_t i = 0; i < end; i++) {
        if (i + ahead < end)
            for (unsigned k = 0; k < b[i + ahead].n; k++)
                prefetch_slot(&e->axis, b[i + ahead].slot[k]);
        for (unsigned k = 0; k < b[i].n; k++)
            if (RDI_LIKELY(b[i].slot[k]))
                b[i].slot[k] = (SLOT)(live - newer(&e->axis, b[i].slot[k]));
    }
}

/* Removes the entries of b with slots up to `last`, and subtracts `down` from the slots of the
 * remaining entries. There is no branch on the slots, because a branch would be mispredicted too
 * often. */
INLINE void sift(bucket *b, uint64_t last, uint64_t down) {
    const unsigned n = b->n;
#if ISA == 512
    /* A bucket has 5 keys of 64 bits, 5 slots of 32 bits and n, in this order. */
    const __m512i slots_at = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5);
    __m256i slot = _mm256_maskz_loadu_epi32(0x1F, b->slot);
    __mmask8 kept =
        _mm256_mask_cmpgt_epu32_mask((__mmask8)((1u << n) - 1), slot, _mm256_set1_epi32((int)last));
    __m512i key = _mm512_maskz_compress_epi64(kept, _mm512_load_si512(b));
    slot = _mm256_sub_epi32(slot, _mm256_set1_epi32((int)down));
    slot = _mm256_mask_set1_epi32(_mm256_maskz_compress_epi32(kept, slot), 1u << WAYS,
                                  __builtin_popcount(kept));
    __m512i moved = _mm512_permutexvar_epi32(slots_at, _mm512_castsi256_si512(slot));
    _mm512_store_si512(b, _mm512_mask_mov_epi32(key, 0xFC00, moved));
#else
    unsigned m = 0;
    for (unsigned k = 0; k < n; k++) {
        const SLOT s = b->slot[k];
        b->key[m] = b->key[k];
        b->slot[m] = (SLOT)(s - down);
        m += s > last;
    }
    b->n = m;
#endif
}

/* Implements rdi_stream_kernel.drop. If the bucket before bucket i was not full, all entries of
 * bucket i are in their home bucket and stay in it. Otherwise they are inserted again, each into
 * the first bucket from its home on that has room, because a search ends at the first bucket that
 * is not full. */
static KERNEL_TARGET void drop(rdi_stream *e, uint64_t last, uint64_t down) {
    rdi_slot_table *t = &e->table;
    bucket *b = t->bucket;
    const uint64_t end = t->homes + RDI_SLOT_TAIL;
    uint64_t count = 0;
    bool full = false;
    t->disp = 0;
    for (uint64_t i = 0; i < end; i++) {
        const bool sent_on = full;
        full = b[i].n == WAYS;
        sift(&b[i], last, down);
        count += b[i].n;
        if (!sent_on)
            continue;
        const bucket c = b[i];
        b[i].n = 0;
        for (unsigned k = 0; k < c.n; k++)
            append(t, home_bucket(t, c.key[k]), c.key[k], c.slot[k]);
    }
    t->count = count;
}

static KERNEL_TARGET void front_flush(rdi_stream *e) {
    for (int i = 0; i < FRONT; i++)
        *(SLOT *)e->front_entry[i] =
            (SLOT)(e->axis.next + FRONT - 1 - rdi_stream_front_place(&e->front, (unsigned)i));
    rdi_slot_axis_set(&e->axis, e->axis.next, FRONT);
    e->axis.next += FRONT;
    e->front_on = false;
}

static KERNEL_TARGET void front_load(rdi_stream *e) {
    for (int i = 0; i < FRONT; i++) {
        SLOT *field = find(&e->table, e->front.key[i]);
        rdi_slot_axis_clear(&e->axis, *field);
        e->front_entry[i] = field;
    }
    e->front_on = true;
}

const rdi_stream_kernel KERNEL = {
    .table = {.ways = WAYS,
              .read = read_bucket,
              .insert = insert,
              .contains = contains,
              .respread = respread},
    .step = step,
    .scan = scan,
    .missed = missed,
    .slots = slots,
    .measured = measured,
    .take = take,
    .mark = mark,
    .lookup = lookup,
    .gaps = gaps,
    .newer = count_newer,
    .renumber = renumber,
    .drop = drop,
    .front_load = front_load,
    .front_flush = front_flush,
};
