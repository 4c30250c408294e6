/* The weighted axis: one weight per slot, and sums that tell the weight above a slot.
 *
 * A slot is live, a hole or empty. A live slot has the weight of the object whose last request it
 * holds. A hole has the weight that a removed, moved or shrunk object has left behind. The weight
 * of a new object is subtracted from the holes, beginning with the topmost hole. The total weight
 * of the axis grows only by the part of the new weight that exceeds the holes. So the weight above
 * a slot, live or not, is the *largest* total weight that the live slots above it have had at any
 * moment since the slot was filled. This maximum is the byte distance of an object.
 *
 * Proof: for an object with the live weight D and the hole weight H above it, the maximum so far is
 * M = D + H. A new object of weight b makes it max(M, D + b) = D + b + max(0, H - b). This is the
 * weight above the object after b, or all of H if H is less, was subtracted from the holes. The
 * removal of an object of weight a above it subtracts a from D and adds a to H.
 *
 * The elements of a level form groups of 8. An element of level 0 is a slot, and an element of
 * level k + 1 is a group of level k. Level 0 stores, for each slot, the weight of the slots of its
 * group up to and including the slot. A higher level stores, for each element, the weight of the
 * elements of its group before the element. So the weight above a slot is computed from two sums
 * per level, and subtracting weight from a slot changes the rest of one group per level. The sums
 * of slots from `next` on, and of elements that begin after `next`, are not valid.
 *
 * Slot 0 is never used, because it means "no slot". No slot is above 2^32 - 1024, so the user of the
 * axis may give larger numbers other meanings. The owner of a slot is the object that last got
 * the slot. The slot is live if it is still the slot of its owner.
 */
#ifndef RDI_WEIGHT_AXIS_H
#define RDI_WEIGHT_AXIS_H

#include "order/hole_set.h"

#define RDI_WEIGHT_FAN    3  /* log2 of the number of elements per group */
#define RDI_WEIGHT_LEVELS 11 /* number of levels, enough for 2^32 slots */

typedef struct rdi_weight_axis rdi_weight_axis;
struct rdi_weight_axis {
    uint64_t *sum[RDI_WEIGHT_LEVELS]; /* sums of weights inside the groups of each level */
    uint64_t sum_room[RDI_WEIGHT_LEVELS];
    rdi_hole_set holes;
    uint32_t *owner; /* owner of each slot */
    uint64_t owner_room;
    uint64_t unit;         /* the capacity is a multiple of this number of slots */
    uint64_t capacity;     /* number of allocated slots; next < capacity */
    uint64_t next;         /* the next slot to be used */
    uint64_t open;         /* weight of the slots before `next` in the group of `next` */
    uint64_t used;         /* weight of all slots */
    bool has_empty;        /* true: a live slot may have the weight 0 */
    uint64_t renumberings; /* number of times that the slots were renumbered */
    uint64_t (*take)(rdi_weight_axis *a, uint64_t s,
                     uint64_t weight); /* take_weight() for the instruction set of this processor */
};

/* Makes an empty axis whose capacity is always a multiple of `unit` slots. */
rd_status rdi_weight_axis_init(rdi_weight_axis *a, rd_ctx *ctx, uint64_t unit);
void rdi_weight_axis_fini(rdi_weight_axis *a, rd_ctx *ctx); /* a zeroed axis is allowed */

#define RDI_WEIGHT_NONE UINT32_MAX /* the owner of a slot without an object */

/* Makes room for n more slots. If they do not fit, renumbers the slots in their order, without empty
 * slots and with neighboring holes joined. Then enlarges the axis if more than about a third of it is
 * still in use. */
rd_status rdi_weight_axis_room(rdi_weight_axis *a, rd_ctx *ctx, uint64_t n, rdi_slot_places slots);

/* Returns the weight above slot s. */
uint64_t rdi_weight_above(const rdi_weight_axis *a, uint64_t s);

/* Turns the live slot s into a hole, or into an empty slot if its weight is 0. */
void rdi_weight_remove(rdi_weight_axis *a, uint64_t s);

/* Gives the next slot, with the weight `weight`, to `owner`, subtracts this weight from the holes,
 * and returns the slot. The axis must have room. */
uint32_t rdi_weight_push(rdi_weight_axis *a, uint32_t owner, uint64_t weight);

/* Does the same as rdi_weight_above(), rdi_weight_remove() and rdi_weight_push() together, but
 * faster: sets *above to the weight above the live slot s, which has the weight `before`, moves
 * `owner` from s to the next slot with the weight `weight`, and returns that slot. */
uint32_t rdi_weight_move(rdi_weight_axis *a, uint64_t s, uint32_t owner, uint64_t before,
                         uint64_t weight, uint64_t *above);

static inline void rdi_weight_prefetch(const rdi_weight_axis *a, uint64_t s) {
    RDI_PREFETCH(a->sum[0] + s);
    RDI_PREFETCH(a->sum[1] + (s >> RDI_WEIGHT_FAN));
    RDI_PREFETCH(a->sum[2] + (s >> 2 * RDI_WEIGHT_FAN));
}

#endif
