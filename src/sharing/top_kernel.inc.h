/* Defines the operations on all lanes of the top of a stack with vector instructions. See
 * stack_top.h.
 *
 * The including file defines KERNEL (the name of the table of functions), KERNEL_TARGET (the
 * attribute of the functions) and ISA (2 for AVX2, 512 for AVX-512). */
#include "order/block_map.h"
#include "reusedist/trace.h"

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline)) KERNEL_TARGET
#include "order/lanes16.inc.h"

_Static_assert(LANES == RDI_TOP_LANES, "lanes16 must have as many lanes as the top of a stack");

static KERNEL_TARGET unsigned later(const rdi_stack_top *t, int16_t time) {
    const lanes16 times = lanes_load((const uint16_t *)t->time);
    return (unsigned)__builtin_popcountll(found_set(lanes_later(&times, value_of((uint16_t)time))));
}

static KERNEL_TARGET unsigned oldest(const rdi_stack_top *t) {
    const lanes16 times = lanes_load((const uint16_t *)t->time);
    return (unsigned)__builtin_ctzll(found_set(lanes_equal(&times, lanes_least(&times))));
}

#if ISA == 512
static KERNEL_TARGET uint64_t starts(const uint64_t *block, size_t n, uint16_t *tag) {
    __m512i before = _mm512_setzero_si512();
    uint64_t set = 0;
    if (n < RDI_TOP_TILE)
        return rdi_top_plain.starts(block, n, tag);
    for (unsigned i = 0; i < RDI_TOP_TILE; i++)
        tag[i] = rdi_top_tag(block[i]);
    for (unsigned i = 0; i < RDI_TOP_TILE; i += 8) {
        __m512i now = _mm512_loadu_si512(block + i);
        __m512i previous = _mm512_alignr_epi64(now, before, 7);
        set |= (uint64_t)_mm512_cmpneq_epi64_mask(now, previous) << i;
        before = now;
    }
    return set | 1;
}

static KERNEL_TARGET uint64_t stores(const uint8_t *kind, size_t n) {
    return n < RDI_TOP_TILE
               ? rdi_top_plain.stores(kind, n)
               : _mm512_test_epi8_mask(_mm512_loadu_si512(kind), _mm512_set1_epi8(RD_STORE));
}
#else
static KERNEL_TARGET uint64_t starts(const uint64_t *block, size_t n, uint16_t *tag) {
    uint64_t same = 0;
    if (n < RDI_TOP_TILE)
        return rdi_top_plain.starts(block, n, tag);
    for (unsigned i = 0; i < RDI_TOP_TILE; i++)
        tag[i] = rdi_top_tag(block[i]);
    for (unsigned i = 1; i < RDI_TOP_TILE - 3; i += 4) {
        __m256i now = _mm256_loadu_si256((const __m256i *)(block + i));
        __m256i previous = _mm256_loadu_si256((const __m256i *)(block + i - 1));
        __m256i equal = _mm256_cmpeq_epi64(now, previous);
        same |= (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << i;
    }
    for (unsigned i = RDI_TOP_TILE - 3; i < RDI_TOP_TILE; i++)
        same |= (uint64_t)(block[i] == block[i - 1]) << i;
    return ~same;
}

static KERNEL_TARGET uint64_t stores(const uint8_t *kind, size_t n) {
    _Static_assert(RD_STORE == 2, "a shift by 6 must make the bit of stores the sign of a byte");
    if (n < RDI_TOP_TILE)
        return rdi_top_plain.stores(kind, n);
    __m256i low = _mm256_loadu_si256((const __m256i *)kind);
    __m256i high = _mm256_loadu_si256((const __m256i *)(kind + 32));
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 6)) << 32 |
           (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, 6));
}
#endif

static KERNEL_TARGET uint64_t absent(const rdi_stack_top *t, const uint16_t *tag, uint64_t runs) {
    const lanes16 tags = lanes_load(t->tag);
    uint64_t set = 0;
    for (; runs; runs &= runs - 1) {
        size_t i = (size_t)__builtin_ctzll(runs);
        found tagged = lanes_equal(&tags, value_of(tag[i]));
        set |= (uint64_t)!found_any(tagged) << i;
    }
    return set;
}

/* Most blocks are in the same cache line as their home slot, so the four slots of this line are compared first,
 * together. */
static KERNEL_TARGET uint64_t find(const rdi_block_map *map, uint64_t block) {
    const rdi_block_slot *line = map->slot + (rdi_block_map_home(map, block) & ~(size_t)3);
#if ISA == 512
    unsigned set =
        _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(line), _mm512_set1_epi64((long long)block));
#else
    __m256i x = _mm256_set1_epi64x((long long)block);
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 2));
    low = _mm256_cmpeq_epi64(low, x);
    high = _mm256_cmpeq_epi64(high, x);
    unsigned set = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(high)) << 4 |
                   (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(low));
#endif
    set &= 0x55; /* the lanes that are blocks, not values */
    if (RDI_LIKELY(set) && line[__builtin_ctz(set) / 2].value != RDI_ABSENT)
        return line[__builtin_ctz(set) / 2].value;
    const uint64_t *known = rdi_block_map_find(map, block);
    return known ? *known : RDI_ABSENT;
}

/* The state of a scan. It is in registers, because after a narrow store to the tags or times, a wide load would have
 * to wait, and because a store of bytes to the tile could change any member of the top. */
typedef struct scanner {
    lanes16 tags, times;
    next_lane oldest; /* the lane that the next new block takes, if `full` is true */
    bool full;        /* true: new blocks may enter, because all lanes are in use, without holes */
    uint16_t now;
    value16 all_now;
    uint64_t quiet_loads, quiet_stores, noted; /* copies of the members of rdi_stack_top */
} scanner;

/* Makes the block of run i enter the top. Returns its lane. */
INLINE unsigned enter(rdi_stack_top *t, rdi_top_tile *tile, scanner *s, size_t i, value16 tag) {
    unsigned lane = s->oldest.number;
    uint64_t bit = UINT64_C(1) << lane;
    tile->last[i] = t->copy[lane];
    lanes_put_next(&s->tags, &s->oldest, tag);
    lanes_put_next(&s->times, &s->oldest, s->all_now);
    t->block[lane] = tile->block[i];
    t->copy[lane] = tile->copy[i];
    t->sets[lane] = tile->sets[i];
    s->quiet_loads |= bit;
    s->quiet_stores = (s->quiet_stores & ~bit) | (tile->ready_stores >> i & 1) << lane;
    s->noted = (s->noted & ~bit) | (tile->ready_noted >> i & 1) << lane;
    return lane;
}

static KERNEL_TARGET size_t scan(rdi_stack_top *t, rdi_top_tile *tile, size_t i, size_t end,
                                 uint64_t near[RDI_TOP_LANES], uint32_t *copy) {
    rdi_top_room(t);
    uint16_t *time = (uint16_t *)t->time;
    scanner s = {.tags = lanes_load(t->tag),
                 .times = lanes_load(time),
                 .now = (uint16_t)t->now,
                 .quiet_loads = t->quiet_loads,
                 .quiet_stores = t->quiet_stores,
                 .noted = t->noted};
    const uint64_t *block = tile->block;
    const uint64_t storing = tile->storing, holes = t->holes;
    const uint64_t runs = tile->starts & rdi_tile_range(i, end);
    uint64_t noted = 0, entered = 0, left = runs;
    s.full = left & tile->ready && !holes && t->n == LANES;
    if (s.full)
        s.oldest = lanes_oldest(&s.times);
    else
        s.oldest.number = LANES;
    s.all_now = value_of(s.now);
    *copy = 0;
    for (size_t r = i, next; left; r = next) {
        unsigned lane = LANES;
        uint64_t later_runs = left & (left - 1), id = block[r];
        next = later_runs ? (size_t)__builtin_ctzll(later_runs) : end;
        uint64_t is_storing = storing >> (next - 1) & 1;
        value16 tag = value_of(tile->tag[r]);
        found tagged = lanes_equal(&s.tags, tag);
        if (RDI_LIKELY(found_any(tagged)))
            lane = lane_with(t->block, &tagged, id);
        if (RDI_LIKELY(lane < LANES)) {
            uint64_t quiet = is_storing ? s.quiet_stores : s.quiet_loads;
            uint64_t later_ones = found_set(lanes_later(&s.times, value_of(time[lane])));
            if (RDI_UNLIKELY(!(quiet >> lane & 1) || later_ones & holes)) {
                *copy = t->copy[lane];
                break;
            }
            unsigned distance = (unsigned)__builtin_popcountll(later_ones);
            near[distance]++;
            tile->distance[r] = (uint8_t)distance;
            s.now++;
            s.all_now = next_value(s.all_now);
            lanes_put(&s.times, tagged, lane, s.all_now);
        } else {
            uint64_t ready = is_storing ? tile->ready_stores : tile->ready;
            if (!s.full || !(ready >> r & 1))
                break;
            s.now++;
            s.all_now = next_value(s.all_now);
            lane = enter(t, tile, &s, r, tag);
            entered |= UINT64_C(1) << r;
        }
        noted |= (s.noted >> lane & is_storing) << r;
        tile->lane[r] = (uint8_t)lane;
        time[lane] = s.now;
        left = later_runs;
        if (RDI_UNLIKELY(lane == s.oldest.number))
            s.oldest = lanes_oldest(&s.times);
    }
    lanes_store(t->tag, &s.tags);
    lanes_store(time, &s.times);
    t->now = (int16_t)s.now;
    t->quiet_loads = s.quiet_loads;
    t->quiet_stores = s.quiet_stores;
    t->noted = s.noted;
    tile->noted = noted;
    tile->entered = entered;
    tile->near = runs & ~left & ~entered;
    return left ? (size_t)__builtin_ctzll(left) : end;
}

const rdi_top_kernel KERNEL = {.starts = starts,
                               .stores = stores,
                               .absent = absent,
                               .find = find,
                               .scan = scan,
                               .later = later,
                               .oldest = oldest};
