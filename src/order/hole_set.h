/* The set of the holes of an axis (order/weight_axis.h, order/unit_axis.h), which finds the topmost hole below
 * another one in a few steps: bit sets in levels, in which a bit of a level says that a word of the level below
 * is not 0. The functions that run for each change are inlined. */
#ifndef RDI_HOLE_SET_H
#define RDI_HOLE_SET_H

#include "base/common.h"

#define RDI_HOLE_LEVELS 4 /* number of levels; 64 bits per word */

typedef struct rdi_hole_set {
    uint64_t *words[RDI_HOLE_LEVELS]; /* level 0: one bit per slot, set for holes */
    uint64_t room[RDI_HOLE_LEVELS];
    uint64_t top; /* the topmost hole; 0: none */
} rdi_hole_set;

/* Makes room for the slots below `capacity`. */
rd_status rdi_hole_set_reserve(rdi_hole_set *h, rd_ctx *ctx, uint64_t capacity);
void rdi_hole_set_fini(rdi_hole_set *h, rd_ctx *ctx); /* a zeroed set is allowed */

/* Empties the set except for level 0, whose words the caller takes with rdi_hole_set_take(). All holes must be
 * below slot `end`. */
void rdi_hole_set_clear(rdi_hole_set *h, uint64_t end);

/* Returns word `w` of level 0, and empties it. */
static inline uint64_t rdi_hole_set_take(rdi_hole_set *h, uint64_t w) {
    uint64_t word = h->words[0][w];
    h->words[0][w] = 0;
    return word;
}

static inline void rdi_hole_set_add(rdi_hole_set *h, uint64_t s) {
    h->top = h->top > s ? h->top : s;
    for (unsigned k = 0; k < RDI_HOLE_LEVELS; k++, s >>= 6) {
        uint64_t before = h->words[k][s >> 6];
        h->words[k][s >> 6] = before | UINT64_C(1) << (s & 63);
        if (before)
            return;
    }
}

/* Returns the topmost hole below slot s, or 0 if there is none. The search goes up to the lowest
 * level with a set bit before s in the same word, and then down to the hole. */
static inline uint64_t rdi_hole_set_below(const rdi_hole_set *h, uint64_t s) {
    uint64_t word = 0;
    unsigned k = 0;
    for (; k < RDI_HOLE_LEVELS; k++, s >>= 6) {
        word = h->words[k][s >> 6] & ((UINT64_C(1) << (s & 63)) - 1);
        if (word)
            break;
    }
    if (k == RDI_HOLE_LEVELS) { /* the top level has several words only above 2^24 slots */
        while (s > 0 && !h->words[k - 1][s - 1])
            s--;
        if (s == 0)
            return 0;
        word = h->words[--k][--s];
    } else {
        s >>= 6;
    }
    while (true) {
        s = s << 6 | (rdi_bit_width(word) - 1);
        if (k-- == 0)
            return s;
        word = h->words[k][s];
    }
}

/* Removes the topmost hole; there must be one. */
static inline void rdi_hole_set_pop(rdi_hole_set *h) {
    uint64_t s = h->top;
    for (unsigned k = 0; k < RDI_HOLE_LEVELS; k++, s >>= 6) {
        h->words[k][s >> 6] &= ~(UINT64_C(1) << (s & 63));
        if (h->words[k][s >> 6])
            break;
    }
    h->top = rdi_hole_set_below(h, h->top);
}

/* The places where objects store the numbers of their slots, which an axis updates when it renumbers
 * slots: object i stores its slot i * `stride` bytes after `first`. */
typedef struct rdi_slot_places {
    uint32_t *first;
    size_t stride;
} rdi_slot_places;

static inline uint32_t *rdi_slot_place(rdi_slot_places places, uint32_t owner) {
    return (uint32_t *)((char *)places.first + owner * places.stride);
}

#endif
