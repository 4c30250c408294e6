/* The unit axis: the weighted axis (order/weight_axis.h) for objects that all have the weight 1.
 *
 * A slot is live, a hole or empty. A slot in use, live or a hole, is one set bit. The number of slots
 * in use above a slot, live or not, is the *largest* number of live slots above it at any moment since
 * the slot was filled; weight_axis.h has the proof. With a bit instead of a sum of 8 bytes per slot,
 * the bits and sums of a million blocks fit into a second-level cache.
 *
 * The 64 slots of a word are an element of level 0. The elements of a level form groups of 16, and a
 * group is an element of the next level. A level stores, for each element, the number of slots in use
 * in the elements of its group before the element. So the number of slots in use above a slot is
 * computed from two words and two sums per level, and ending the use of a slot changes the rest of one group
 * per level. The sums of elements that begin after `next` are not valid.
 *
 * Slot 0 is never used, because it means "no slot". No slot is above 2^32 - 1024, so the user of the
 * axis may give larger numbers other meanings. The owner of a live slot is the object that got the
 * slot.
 */
#ifndef RDI_UNIT_AXIS_H
#define RDI_UNIT_AXIS_H

#include "order/hole_set.h"

#define RDI_UNIT_WORD   6 /* log2 of the number of slots per element of level 0 */
#define RDI_UNIT_FAN    4 /* log2 of the number of elements per group */
#define RDI_UNIT_LEVELS 7 /* number of levels, enough for 2^32 slots */

typedef struct rdi_unit_axis rdi_unit_axis;
struct rdi_unit_axis {
    uint64_t
        *used; /* one bit per slot, set for live slots and holes, and for no slot from `next` on */
    uint64_t used_room;
    /* per level and element: number of slots in use before the element in its group */
    uint32_t *sum[RDI_UNIT_LEVELS];
    uint64_t sum_room[RDI_UNIT_LEVELS];
    rdi_hole_set holes;
    uint32_t *owner; /* owner of each slot */
    uint64_t owner_room;
    uint64_t unit;         /* the capacity is a multiple of this number of slots */
    uint64_t capacity;     /* number of allocated slots; next < capacity */
    uint64_t next;         /* the next slot to be used */
    uint64_t renumberings; /* number of times that the slots were renumbered */
    /* above() and take() of unit_axis.c, compiled for the instruction set of this processor */
    uint64_t (*above)(const rdi_unit_axis *a, uint64_t s);
    uint64_t (*take)(rdi_unit_axis *a, uint64_t s);
};

/* Makes an empty axis whose capacity is always a multiple of `unit` slots. */
rd_status rdi_unit_axis_init(rdi_unit_axis *a, rd_ctx *ctx, uint64_t unit);
void rdi_unit_axis_fini(rdi_unit_axis *a, rd_ctx *ctx); /* a zeroed axis is allowed */

/* Makes room for n more slots. If they do not fit, renumbers the slots in use in their order. Then
 * enlarges the axis if more than about a third of it is still in use. */
rd_status rdi_unit_axis_room(rdi_unit_axis *a, rd_ctx *ctx, uint64_t n, rdi_slot_places slots);

/* Returns the number of slots in use above slot s, which must be in use. */
static inline uint64_t rdi_unit_above(const rdi_unit_axis *a, uint64_t s) {
    return a->above(a, s);
}

/* Turns the live slot s into a hole. */
void rdi_unit_remove(rdi_unit_axis *a, uint64_t s);

/* Gives the next slot to `owner`, ends the use of the topmost hole, if there is one, and returns the
 * slot. The axis must have room. */
uint32_t rdi_unit_push(rdi_unit_axis *a, uint32_t owner);

/* Does the same as rdi_unit_above(), rdi_unit_remove() and rdi_unit_push() together, but faster: sets
 * *above to the number of slots in use above the live slot s, gives the next slot to `owner`, and
 * returns that slot. */
uint32_t rdi_unit_move(rdi_unit_axis *a, uint64_t s, uint32_t owner, uint64_t *above);

static inline void rdi_unit_prefetch(const rdi_unit_axis *a, uint64_t s) {
    RDI_PREFETCH(a->used + (s >> RDI_UNIT_WORD));
    RDI_PREFETCH(a->sum[0] + (s >> RDI_UNIT_WORD));
}

#endif
