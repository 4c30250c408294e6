/* The axis: one bit per slot, which is set while the slot holds the last reference to some block,
 * and counts that tell how many set bits are above a slot.
 *
 * Bits are counted per line, group and super. A line has 512 bits, a group has 32 lines, and a
 * super has 32 groups, so each count sums one cache line of the level below. slot_axis.inc.h counts
 * with the instruction set of the file that includes it.
 *
 * Invariants: every count of a line, group or super is the number of set bits in it; no bit at or
 * above `next` is set; slot 0 is never used, because it means "no slot".
 */
#ifndef RDI_SLOT_AXIS_H
#define RDI_SLOT_AXIS_H

#include "base/common.h"

#define RDI_SLOT_LINE  9  /* log2 of the number of slots per line */
#define RDI_SLOT_GROUP 14 /* log2 of the number of slots per group */
#define RDI_SLOT_SUPER 19 /* log2 of the number of slots per super */

enum {
    RDI_SLOT_BIT_ARRAY,
    RDI_SLOT_LINE_ARRAY,
    RDI_SLOT_GROUP_ARRAY,
    RDI_SLOT_SUPER_ARRAY,
    RDI_SLOT_ABOVE_ARRAY,
    RDI_SLOT_ARRAYS
};

typedef struct rdi_slot_axis {
    uint64_t *bits;                 /* one bit per slot */
    uint16_t *line;                 /* number of set bits per line */
    uint16_t *group;                /* number of set bits per group */
    uint32_t *super;                /* number of set bits per super */
    uint64_t *above;                /* number of set bits in all later supers, as of the last
                                       rdi_slot_axis_refresh() */
    uint64_t room[RDI_SLOT_ARRAYS]; /* number of allocated elements of each of these arrays */
    uint64_t capacity;              /* number of allocated slots, a multiple of the size of a
                                       super */
    uint64_t len;                   /* number of slots that may be used; next <= len <= capacity */
    uint64_t next;                  /* the next slot to be used */
} rdi_slot_axis;

/* Makes room for `slots` slots. The bits on the axis stay. */
rd_status rdi_slot_axis_reserve(rdi_slot_axis *a, rd_ctx *ctx, uint64_t slots);
void rdi_slot_axis_fini(rdi_slot_axis *a, rd_ctx *ctx); /* a zeroed axis is allowed */

/* Clears the axis, then sets the bits of slots 1 to `live`, and sets `next` to live + 1. */
void rdi_slot_axis_reset(rdi_slot_axis *a, uint64_t live);
/* Sets the bits of slots `first` to `first` + n - 1, which must be clear. */
void rdi_slot_axis_set(const rdi_slot_axis *a, uint64_t first, uint64_t n);
uint64_t rdi_slot_axis_live(const rdi_slot_axis *a); /* returns the number of set bits */
/* Returns the slot of the n-th newest block, for n from 1 to the number of set bits. */
uint64_t rdi_slot_axis_newest(const rdi_slot_axis *a, uint64_t n);
/* Clears the bits up to slot `last`, and moves the remaining bits, and `next`, down by the returned
 * number of slots. No slot above `last` becomes slot 0. */
uint64_t rdi_slot_axis_drop(rdi_slot_axis *a, uint64_t last);
/* Recomputes `above` for queries about slots up to `top`. No super after that of slot `top` may
 * have a set bit. */
void rdi_slot_axis_refresh(const rdi_slot_axis *a, uint64_t top);

static inline bool rdi_slot_axis_get(const rdi_slot_axis *a, uint64_t s) {
    return a->bits[s >> 6] >> (s & 63) & 1;
}

static inline void rdi_slot_axis_clear(const rdi_slot_axis *a, uint64_t s) {
    a->bits[s >> 6] &= ~((uint64_t)1 << (s & 63));
    a->line[s >> RDI_SLOT_LINE]--;
    a->group[s >> RDI_SLOT_GROUP]--;
    a->super[s >> RDI_SLOT_SUPER]--;
}

#endif
