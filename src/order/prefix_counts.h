/* Counts events per place, and returns how many happened at or before a place.
 *
 * Counts are kept as running totals inside groups of 16 places, per group inside groups of groups,
 * and so on. An event raises the totals after it in its own group on each level, with a few vector
 * additions; a query adds one number per level. Places after all events so far need no work: their
 * totals are correct when they come into use.
 *
 * Counts have 32 bits: at most 2^32 - 1 events between two calls of clear().
 */
#ifndef RDI_PREFIX_COUNTS_H
#define RDI_PREFIX_COUNTS_H

#include "base/common.h"

#include <string.h>

typedef struct rdi_prefix_counts {
    uint32_t *place; /* events at this place and at earlier ones of its group */
    uint32_t *group; /* per 16 places: events in earlier ones of its group of 16 */
    uint32_t *big;   /* per 256 places: likewise */
    uint32_t *top;   /* per 4096 places: events in all earlier ones */
    size_t tops;
} rdi_prefix_counts;

/* Length of a level's array, rounded so that whole groups of 16 can be accessed. */
static inline size_t rdi_prefix_level(size_t places, unsigned shift) {
    return ((places >> shift) + 16) & ~(size_t)15;
}

static inline size_t rdi_prefix_counts_bytes(size_t places) {
    return (rdi_prefix_level(places, 0) + rdi_prefix_level(places, 4) +
            rdi_prefix_level(places, 8) + rdi_prefix_level(places, 12)) *
           sizeof(uint32_t);
}

/* Uses `memory` of rdi_prefix_counts_bytes(places) bytes, which the caller owns. No events yet. */
static inline void rdi_prefix_counts_init(rdi_prefix_counts *c, size_t places, void *memory) {
    memset(memory, 0, rdi_prefix_counts_bytes(places));
    c->place = memory;
    c->group = c->place + rdi_prefix_level(places, 0);
    c->big = c->group + rdi_prefix_level(places, 4);
    c->top = c->big + rdi_prefix_level(places, 8);
    c->tops = (places >> 12) + 1;
}

/* Removes all events. None of them is at or after place `used`. */
static inline void rdi_prefix_counts_clear(rdi_prefix_counts *c, size_t used) {
    memset(c->place, 0, rdi_prefix_level(used, 0) * sizeof *c->place);
    memset(c->group, 0, rdi_prefix_level(used, 4) * sizeof *c->group);
    memset(c->big, 0, rdi_prefix_level(used, 8) * sizeof *c->big);
    memset(c->top, 0, c->tops * sizeof *c->top);
}

/* Sixteen numbers, in as many registers as the processor needs for them. */
typedef uint32_t rdi_u32x16 __attribute__((vector_size(64), aligned(4), may_alias));

extern const uint32_t rdi_prefix_steps[32]; /* 16 times 0, 16 times 1 */

/* Adds 1 to the numbers at index `from` and after, of 16; `from` is at most 16. */
static inline void rdi_prefix_lift(uint32_t *sixteen, size_t from) {
    *(rdi_u32x16 *)sixteen += *(const rdi_u32x16 *)(rdi_prefix_steps + 16 - from);
}

static inline void rdi_prefix_counts_add(rdi_prefix_counts *c, size_t place) {
    size_t group = place >> 4, big = place >> 8;
    rdi_prefix_lift(c->place + (group << 4), place & 15);
    rdi_prefix_lift(c->group + (big << 4), (group & 15) + 1);
    rdi_prefix_lift(c->big + (place >> 12 << 4), (big & 15) + 1);
    for (size_t i = (place >> 12) + 1; i < c->tops; i++)
        c->top[i]++;
}

/* Number of events at or before `place`. */
static inline uint64_t rdi_prefix_counts_upto(const rdi_prefix_counts *c, size_t place) {
    return (uint64_t)c->place[place] + c->group[place >> 4] + c->big[place >> 8] +
           c->top[place >> 12];
}

#endif
