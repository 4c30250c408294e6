/* An axis of slots with one bit per slot, set while the slot is some block's last reference, and the
 * counts that tell how many set bits lie above a slot.
 *
 * Bits are counted by line, group and super; each level sums up one cache line of the level below
 * (lines: 512 bits; groups and supers: 32 counts of 16 bits). slot_axis.inc.h counts with the
 * instruction set of the file that includes it.
 *
 * Invariants: every count equals the bits that it covers; no bit at or above `next` is set; slot 0
 * is never used, it means "no slot".
 */
#ifndef RDI_SLOT_AXIS_H
#define RDI_SLOT_AXIS_H

#include "base/common.h"

#define RDI_SLOT_LINE  9 /* log2 of slots */
#define RDI_SLOT_GROUP 14
#define RDI_SLOT_SUPER 19

enum {
    RDI_SLOT_BIT_ARRAY,
    RDI_SLOT_LINE_ARRAY,
    RDI_SLOT_GROUP_ARRAY,
    RDI_SLOT_SUPER_ARRAY,
    RDI_SLOT_ABOVE_ARRAY,
    RDI_SLOT_ARRAYS
};

typedef struct rdi_slot_axis {
    uint64_t *bits;                 /* 1 bit per slot */
    uint16_t *line;                 /* set bits per line */
    uint16_t *group;                /* set bits per group */
    uint32_t *super;                /* set bits per super */
    uint64_t *above;                /* set bits in all later supers; refreshed before each use */
    uint64_t room[RDI_SLOT_ARRAYS]; /* elements allocated of each of these */
    uint64_t capacity;              /* slots allocated, a multiple of a super */
    uint64_t len;                   /* slots in use: next <= len <= capacity */
    uint64_t next;                  /* the slot given out next */
} rdi_slot_axis;

/* Room for `slots` slots; what is on the axis stays. */
rd_status rdi_slot_axis_reserve(rdi_slot_axis *a, rd_ctx *ctx, uint64_t slots);
void rdi_slot_axis_fini(rdi_slot_axis *a, rd_ctx *ctx); /* tolerates a zeroed axis */

/* Afterwards slots 1 .. live are in use and no others. */
void rdi_slot_axis_reset(rdi_slot_axis *a, uint64_t live);
/* Sets bits first .. first + n - 1, all clear before. */
void rdi_slot_axis_set(const rdi_slot_axis *a, uint64_t first, uint64_t n);
/* Refreshes `above`; `top` is the highest slot that will be asked about. */
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
