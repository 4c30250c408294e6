/* Counts marks at numbered places, and tells how many marks there are at or before a place.
 *
 * Counts are running totals inside groups of 16 places, inside groups of 16 groups, and so on. On
 * each of the lower three levels, a mark raises the later totals of its own group with one vector
 * addition. On the top level, it raises all later totals. A query adds up four totals, one from
 * each level.
 *
 * Counts have 32 bits, so at most 2^32 - 1 marks may be added between two calls of
 * rdi_prefix_counts_clear().
 */
#ifndef RDI_PREFIX_COUNTS_H
#define RDI_PREFIX_COUNTS_H

#include "base/common.h"

#include <string.h>

typedef struct rdi_prefix_counts {
    uint32_t *place; /* number of marks at this place and at earlier places of its group */
    uint32_t *group; /* per 16 places: number of marks in earlier entries of its group of 16 */
    uint32_t *big;   /* per 256 places: number of marks in earlier entries of its group of 16 */
    uint32_t *top;   /* per 4096 places: number of marks in all earlier entries */
    size_t tops;
} rdi_prefix_counts;

/* Returns the length of the array of a level whose entries cover 2^shift places each: enough entries
 * for the places 0 to `places`, rounded up to whole groups of 16 entries. */
static inline size_t rdi_prefix_level(size_t places, unsigned shift) {
    return ((places >> shift) + 16) & ~(size_t)15;
}

static inline size_t rdi_prefix_counts_bytes(size_t places) {
    return (rdi_prefix_level(places, 0) + rdi_prefix_level(places, 4) +
            rdi_prefix_level(places, 8) + rdi_prefix_level(places, 12)) *
           sizeof(uint32_t);
}

/* Initializes c for the places up to `places`, without marks. `memory` must have
 * rdi_prefix_counts_bytes(places) bytes and outlive c; the caller owns it. */
static inline void rdi_prefix_counts_init(rdi_prefix_counts *c, size_t places, void *memory) {
    memset(memory, 0, rdi_prefix_counts_bytes(places));
    c->place = memory;
    c->group = c->place + rdi_prefix_level(places, 0);
    c->big = c->group + rdi_prefix_level(places, 4);
    c->top = c->big + rdi_prefix_level(places, 8);
    c->tops = (places >> 12) + 1;
}

/* Removes all marks. No mark may be at or after place `used`. */
static inline void rdi_prefix_counts_clear(rdi_prefix_counts *c, size_t used) {
    memset(c->place, 0, rdi_prefix_level(used, 0) * sizeof *c->place);
    memset(c->group, 0, rdi_prefix_level(used, 4) * sizeof *c->group);
    memset(c->big, 0, rdi_prefix_level(used, 8) * sizeof *c->big);
    memset(c->top, 0, c->tops * sizeof *c->top);
}

/* A vector of sixteen numbers, in one or more registers. */
typedef uint32_t rdi_u32x16 __attribute__((vector_size(64), aligned(4), may_alias));

extern const uint32_t rdi_prefix_steps[32]; /* 16 zeros, then 16 ones */

/* Adds 1 to each of the numbers sixteen[from] to sixteen[15]. `from` is at most 16, and 16 changes
 * nothing. */
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

/* Returns the number of marks at or before `place`. */
static inline uint64_t rdi_prefix_counts_upto(const rdi_prefix_counts *c, size_t place) {
    return (uint64_t)c->place[place] + c->group[place >> 4] + c->big[place >> 8] +
           c->top[place >> 12];
}

#endif
