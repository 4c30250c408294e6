/* The weighted axis: one weight per slot, and sums that tell the weight above a slot.
 *
 * A slot is live, a hole or empty. A live slot has the weight of the object whose last request it
 * holds. A hole has the weight that a removed, moved or shrunk object has left behind. Later
 * objects fill holes, the topmost hole first, and only what does not fit into holes lengthens the
 * stack. So the weight above a slot, live or not, is the *largest* weight that live slots above it
 * have had together since the slot was filled: the distance of the running maximum.
 *
 * Proof: for an object with the live weight D and the hole weight H above it, the maximum so far is
 * M = D + H. A new object of weight b makes it max(M, D + b) = D + b + max(0, H - b), which is the
 * weight above after holes of up to b were filled. A removal of weight a above moves a from D to H.
 *
 * Elements are in groups of 8, and an element of level k + 1 is a group of level k. Level 0 has, for
 * each slot, the weight of the slots of its group up to and including it; a higher level has, for
 * each element, the weight of the elements of its group before it. So the weight above a slot takes
 * one number per level, and taking weight out of a slot changes the rest of one group per level.
 * Only slots below `next` and the elements that begin at or below `next` have such numbers.
 *
 * Slot 0 is never used, because it means "no slot". The owner of a slot is the object that it was
 * given to; the slot is live if that object still has the slot.
 */
#ifndef RDI_WEIGHT_AXIS_H
#define RDI_WEIGHT_AXIS_H

#include "base/common.h"

#define RDI_WEIGHT_FAN    3  /* log2 of the number of elements per sum */
#define RDI_WEIGHT_LEVELS 11 /* enough for 2^32 slots */
#define RDI_WEIGHT_MASKS  4  /* levels of the bit sets of holes, 64 bits per word; 2^30 words */

typedef struct rdi_weight_axis rdi_weight_axis;
struct rdi_weight_axis {
    uint64_t *sum[RDI_WEIGHT_LEVELS]; /* sums of weights inside groups, see above */
    uint64_t sum_room[RDI_WEIGHT_LEVELS];
    uint64_t *holes[RDI_WEIGHT_MASKS]; /* one bit per slot that is a hole; above it, one bit per
                                          word that is not 0 */
    uint64_t hole_room[RDI_WEIGHT_MASKS];
    uint32_t *owner; /* owner of each slot */
    uint64_t owner_room;
    uint64_t unit;         /* the capacity is a multiple of this */
    uint64_t capacity;     /* number of slots; next < capacity */
    uint64_t next;         /* the next slot to be used */
    uint64_t open;         /* weight of the slots of the group of `next` before it */
    uint64_t top_hole;     /* the topmost hole; 0: none */
    uint64_t used;         /* weight of all slots */
    bool has_empty;        /* true: an object had the weight 0 */
    uint64_t renumberings; /* number of times that the slots were renumbered */
    uint64_t (*take)(rdi_weight_axis *a, uint64_t s, uint64_t weight); /* the kernel, see there */
};

/* Makes an empty axis whose capacity is always a multiple of `unit` slots. */
rd_status rdi_weight_axis_init(rdi_weight_axis *a, rd_ctx *ctx, uint64_t unit);
void rdi_weight_axis_fini(rdi_weight_axis *a, rd_ctx *ctx); /* a zeroed axis is allowed */

#define RDI_WEIGHT_NONE UINT32_MAX /* the owner of a slot without an object */

/* Where objects keep their slots, which the axis changes when it renumbers them: the slot of object
 * i is `stride` times i bytes after `first`. */
typedef struct rdi_weight_slots {
    uint32_t *first;
    size_t stride;
} rdi_weight_slots;

/* Makes room for n more slots: renumbers the slots in their order, so that empty ones disappear and
 * neighboring holes become one, and enlarges the axis if that is not enough. */
rd_status rdi_weight_axis_room(rdi_weight_axis *a, rd_ctx *ctx, uint64_t n, rdi_weight_slots slots);

/* Returns the weight above slot s. */
uint64_t rdi_weight_above(const rdi_weight_axis *a, uint64_t s);

/* Turns the live slot s into a hole. */
void rdi_weight_remove(rdi_weight_axis *a, uint64_t s);

/* Gives the next slot to `owner` with the weight `weight`, fills holes with it, and returns the
 * slot. The axis must have room. */
uint32_t rdi_weight_push(rdi_weight_axis *a, uint32_t owner, uint64_t weight);

/* Moves the live slot s from the weight `before` to the top, with the weight `weight`. The same as
 * rdi_weight_above(), rdi_weight_remove() and rdi_weight_push(): sets *above, and returns the new
 * slot. */
uint32_t rdi_weight_move(rdi_weight_axis *a, uint64_t s, uint32_t owner, uint64_t before,
                         uint64_t weight, uint64_t *above);

static inline void rdi_weight_prefetch(const rdi_weight_axis *a, uint64_t s) {
    RDI_PREFETCH(a->sum[0] + s);
    RDI_PREFETCH(a->sum[1] + (s >> RDI_WEIGHT_FAN));
    RDI_PREFETCH(a->sum[2] + (s >> 2 * RDI_WEIGHT_FAN));
}

#endif
