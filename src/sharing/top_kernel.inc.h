/* Defines the operations on all lanes of the top of a stack with vector instructions. See
 * stack_top.h.
 *
 * The including file defines KERNEL (the name of the table of functions), KERNEL_TARGET (the
 * attribute of the functions) and ISA (2 for AVX2, 512 for AVX-512). */
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline)) KERNEL_TARGET
#include "order/lanes16.inc.h"

_Static_assert(LANES == RDI_TOP_LANES, "the top of a stack has all lanes of the vectors");

static KERNEL_TARGET unsigned later(const rdi_stack_top *t, int16_t time) {
    const lanes16 times = lanes_load((const uint16_t *)t->time);
    return (unsigned)__builtin_popcountll(found_set(lanes_later(&times, value_of((uint16_t)time))));
}

static KERNEL_TARGET unsigned oldest(const rdi_stack_top *t) {
    const lanes16 times = lanes_load((const uint16_t *)t->time);
    return (unsigned)__builtin_ctzll(found_set(lanes_equal(&times, lanes_least(&times))));
}

static KERNEL_TARGET uint64_t absent(const rdi_stack_top *t, const rdi_top_runs *runs, size_t i,
                                     size_t end) {
    const lanes16 tags = lanes_load(t->tag);
    uint64_t set = 0;
    for (; i < end; i++) {
        found tagged = lanes_equal(&tags, value_of(runs->tag[i]));
        set |= (uint64_t)!found_any(tagged) << i;
    }
    return set;
}

/* Tags and times stay in registers during a scan: after a narrow store to the times, a wide load
 * would have to wait. */
static KERNEL_TARGET size_t scan(rdi_stack_top *t, rdi_top_runs *runs, size_t i, size_t end,
                                 uint64_t near[RDI_TOP_LANES], uint32_t *copy) {
    rdi_top_room(t);
    uint16_t *time = (uint16_t *)t->time, now = (uint16_t)t->now;
    const lanes16 tags = lanes_load(t->tag);
    lanes16 times = lanes_load(time);
    const uint64_t holes = t->holes, loads = t->quiet_loads, stores = t->quiet_stores;
    const uint64_t *block = t->block;
    *copy = 0;
    for (; i < end; i++) {
        found tagged = lanes_equal(&tags, value_of(runs->tag[i]));
        if (!found_any(tagged))
            break;
        unsigned lane = lane_with(block, &tagged, runs->block[i]);
        if (lane == LANES)
            break;
        uint64_t quiet = runs->stores[i + 1] != runs->stores[i] ? stores : loads;
        uint64_t later_ones = found_set(lanes_later(&times, value_of(time[lane])));
        if (!(quiet >> lane & 1) || later_ones & holes) {
            *copy = t->copy[lane];
            break;
        }
        unsigned distance = (unsigned)__builtin_popcountll(later_ones);
        near[distance]++;
        runs->distance[i] = (uint8_t)distance;
        lanes_put(&times, tagged, lane, value_of(++now));
        time[lane] = now;
    }
    lanes_store(time, &times);
    t->now = (int16_t)now;
    return i;
}

const rdi_top_kernel KERNEL = {.absent = absent, .scan = scan, .later = later, .oldest = oldest};
