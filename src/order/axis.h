/* A time axis: one bit per slot, set while the slot is the last reference to some block. It returns
 * the rank of a slot, the number of live slots that are not newer, in constant time.
 *
 * Slots are used in ascending order. A slot becomes live when it is pushed, and is cleared at most
 * once. So a count of the live slots before some place never has to be raised: push() writes the
 * counts of a place when time reaches it, and clear() lowers the counts of all later places in the
 * same group, with one short vector operation per level.
 *
 *   line      448 slots in one cache line: seven words of bits, and in the eighth word seven 9-bit
 *             counts of the live slots in the earlier words of the line
 *   level 0   a 16-bit count per line, within its group of 32 lines
 *   level 1   a 32-bit count per 32 lines, within its group of 16
 *   level 2   like level 1, per 16 times as many lines
 *   level 3   like level 2, per 16 times as many lines
 *   top       a 64-bit count per 131072 lines
 *
 * A slot number is line * 512 + bit, which avoids divisions. Slot 0 is never used and means "none".
 * Memory: 0.15 bytes per slot.
 */
#ifndef RDI_AXIS_H
#define RDI_AXIS_H

#include "base/common.h"

#define RDI_AXIS_LINE_SLOTS 448u

typedef struct rdi_axis_line {
    uint64_t word[7];
    uint64_t before; /* bits 9w .. 9w+8: live slots in words 0 .. w-1 */
} rdi_axis_line;

typedef struct rdi_axis {
    rdi_axis_line *line;
    uint16_t *level0;
    uint32_t *level1, *level2, *level3;
    uint64_t *top;
    uint64_t live;  /* live slots */
    uint64_t next;  /* slot that the next push() takes */
    uint64_t lines; /* capacity */
    void *memory;   /* one allocation holds all arrays */
    size_t bytes;
} rdi_axis;

/* Allocates room for `slots` pushes. */
rd_status rdi_axis_init(rd_ctx *ctx, rdi_axis *a, uint64_t slots);
void rdi_axis_fini(rd_ctx *ctx, rdi_axis *a);

/* Starts over with the first n slots live; n is at most the room. */
void rdi_axis_restart(rdi_axis *a, uint64_t n);

/* Recomputes all counts and a->live from the bits below a->next. */
void rdi_axis_recount(rdi_axis *a);

/* The number of the n-th slot (from 0), and the inverse. */
static inline uint64_t rdi_axis_slot(uint64_t n) {
    n += 1; /* slot 0 stays unused */
    return n / RDI_AXIS_LINE_SLOTS * 512 + n % RDI_AXIS_LINE_SLOTS;
}

static inline uint64_t rdi_axis_index(uint64_t slot) {
    return (slot >> 9) * RDI_AXIS_LINE_SLOTS + (slot & 511) - 1;
}

static inline uint64_t rdi_axis_after(uint64_t slot) {
    slot++;
    return slot + ((slot & 511) == RDI_AXIS_LINE_SLOTS ? 64 : 0);
}

/* Number of pushes that still fit. */
static inline uint64_t rdi_axis_room(const rdi_axis *a) {
    return a->lines * RDI_AXIS_LINE_SLOTS - 1 - rdi_axis_index(a->next);
}

/* Writes the counts of the word that begins at `slot`. */
void rdi_axis_open_word(rdi_axis *a, uint64_t slot);

/* Number of live slots that are not newer than `slot`, including `slot` itself if it is live. */
static inline __attribute__((always_inline)) uint64_t rdi_axis_rank(const rdi_axis *a,
                                                                    uint64_t slot) {
    uint64_t n = slot >> 9;
    unsigned w = (unsigned)(slot >> 6) & 7;
    const rdi_axis_line *line = &a->line[n];
    uint64_t here = line->word[w] & (UINT64_MAX >> (63 - (slot & 63)));
    return (uint64_t)__builtin_popcountll(here) + (line->before >> 9 * w & 511) + a->level0[n] +
           a->level1[n >> 5] + a->level2[n >> 9] + a->level3[n >> 13] + a->top[n >> 17];
}

static inline void rdi_axis_prefetch(const rdi_axis *a, uint64_t slot) {
    __builtin_prefetch(&a->line[slot >> 9], 1);
    __builtin_prefetch(&a->level0[slot >> 9], 1);
}

/* Makes the next slot live. */
static inline __attribute__((always_inline)) void rdi_axis_push(rdi_axis *a) {
    uint64_t slot = a->next;
    if ((slot & 63) == 0)
        rdi_axis_open_word(a, slot);
    a->line[slot >> 9].word[slot >> 6 & 7] |= UINT64_C(1) << (slot & 63);
    a->next = rdi_axis_after(slot);
}

/* ---- clear: the including kernel chooses the vector width ---- */

#ifndef RDI_AXIS_VECTOR
#define RDI_AXIS_VECTOR 16
#endif

typedef uint16_t rdi_axis_v16 __attribute__((vector_size(RDI_AXIS_VECTOR), may_alias));
typedef uint32_t rdi_axis_v32 __attribute__((vector_size(RDI_AXIS_VECTOR), may_alias));

extern const uint16_t rdi_axis_iota16[32]; /* 0 1 2 ..., 64-byte aligned */
extern const uint32_t rdi_axis_iota32[16];
extern const uint64_t rdi_axis_one_after[8]; /* [w]: 1 in every 9-bit count after word w */

/* Lowers the counts after place k of a group (64 bytes). A true comparison is -1. */
static inline __attribute__((always_inline)) void rdi_axis_lower16(uint16_t *count, unsigned k) {
    rdi_axis_v16 *c = (rdi_axis_v16 *)(void *)count;
    const rdi_axis_v16 *iota = (const rdi_axis_v16 *)(const void *)rdi_axis_iota16;
    for (unsigned i = 0; i < 64 / RDI_AXIS_VECTOR; i++)
        c[i] += (rdi_axis_v16)(iota[i] > (uint16_t)k);
}

static inline __attribute__((always_inline)) void rdi_axis_lower32(uint32_t *count, unsigned k) {
    rdi_axis_v32 *c = (rdi_axis_v32 *)(void *)count;
    const rdi_axis_v32 *iota = (const rdi_axis_v32 *)(const void *)rdi_axis_iota32;
    for (unsigned i = 0; i < 64 / RDI_AXIS_VECTOR; i++)
        c[i] += (rdi_axis_v32)(iota[i] > (uint32_t)k);
}

/* Clears a slot. The caller updates a->live. */
static inline __attribute__((always_inline)) void rdi_axis_clear(rdi_axis *a, uint64_t slot) {
    uint64_t n = slot >> 9;
    unsigned w = (unsigned)(slot >> 6) & 7;
    rdi_axis_line *line = &a->line[n];
    line->word[w] &= ~(UINT64_C(1) << (slot & 63));
    line->before -= rdi_axis_one_after[w];
    rdi_axis_lower16(a->level0 + (n >> 5 << 5), n & 31);
    rdi_axis_lower32(a->level1 + (n >> 9 << 4), n >> 5 & 15);
    rdi_axis_lower32(a->level2 + (n >> 13 << 4), n >> 9 & 15);
    rdi_axis_lower32(a->level3 + (n >> 17 << 4), n >> 13 & 15);
    for (uint64_t t = (n >> 17) + 1; RDI_UNLIKELY(t <= a->next >> 26); t++)
        a->top[t]--;
}

#endif
