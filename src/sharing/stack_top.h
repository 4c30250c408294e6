/* The top of the LRU stack of a thread: its most recent places as a short array.
 *
 * Most references are to blocks near the top of the stack. In the array, they cost a comparison
 * per place above the block; only the rest of the stack is on the axis of the thread
 * (order/weight_axis.h). All places of the array are above all slots of the axis.
 *
 * Holes follow the same rule as on the axis. A removed block leaves a hole in its place. A block
 * that moves to the top leaves a hole, too, and fills the topmost hole. So all places above the
 * topmost hole, or above the old place if there is no hole above it, move down by one. The number
 * of places above a block, holes included, is its distance.
 */
#ifndef RDI_STACK_TOP_H
#define RDI_STACK_TOP_H

#include "base/common.h"

#define RDI_TOP_PLACES 24 /* maximum number of places */

typedef struct rdi_stack_top {
    unsigned n;                     /* number of places in use, holes included */
    unsigned holes;                 /* number of holes */
    uint32_t place[RDI_TOP_PLACES]; /* copies, the most recent one first; 0: a hole */
} rdi_stack_top;

/* Moves the places before `to` down by one, and puts `copy` first. The place `to` is overwritten.
 */
static inline void rdi_top_shift(rdi_stack_top *t, unsigned to, uint32_t copy) {
    for (unsigned i = to; i > 0; i--)
        t->place[i] = t->place[i - 1];
    t->place[0] = copy;
}

/* Returns the topmost place that holds `copy`, which must be in the array; 0 stands for a hole. */
static inline unsigned rdi_top_find(const rdi_stack_top *t, uint32_t copy) {
    unsigned i = 0;
    while (t->place[i] != copy)
        i++;
    return i;
}

/* Moves `copy`, which must be in the array, to the top. Returns its distance. */
static inline unsigned rdi_top_reuse(rdi_stack_top *t, uint32_t copy) {
    unsigned distance = rdi_top_find(t, copy), to = distance;
    if (RDI_UNLIKELY(t->holes)) {
        t->place[distance] = 0;
        to = rdi_top_find(t, 0);
    }
    rdi_top_shift(t, to, copy);
    return distance;
}

/* Puts `copy`, which is not in the array, on top. Returns the copy that leaves the array for the
 * axis, or 0 if none leaves. */
static inline uint32_t rdi_top_push(rdi_stack_top *t, uint32_t copy) {
    uint32_t last = 0;
    unsigned to = t->n;
    if (t->holes) {
        to = rdi_top_find(t, 0);
        t->holes--;
    } else if (t->n == RDI_TOP_PLACES) {
        last = t->place[--to];
    } else {
        t->n++;
    }
    rdi_top_shift(t, to, copy);
    return last;
}

/* Makes the place of a copy, which must be in the array, a hole. */
static inline void rdi_top_remove(rdi_stack_top *t, uint32_t copy) {
    t->place[rdi_top_find(t, copy)] = 0;
    t->holes++;
}

#endif
