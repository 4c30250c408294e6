/* One bit per time slot, with partial counts in a k-ary hierarchy (Bennett and Kruskal).
 *
 * A set bit is the last reference to some block. The finest level counts the bits of each group of
 * `arity` slots, the next level the bits of `arity` such groups, and so on until one group holds
 * everything. The bits after a slot are added from the inside out: first the rest of its group,
 * then the newer siblings of the group, up to the first level where the newest slot is in the same
 * group. So the cost depends on the distance in time, not on the number of slots.
 *
 * Time: O(arity log(gap) / log(arity)) to count, O(log(gap) / log(arity)) to move a bit. Memory:
 * 1/8 byte per slot, and about 8 / (arity - 1) bytes for the counts.
 */
#ifndef RDI_RANK_BITS_H
#define RDI_RANK_BITS_H

#include "base/common.h"

#define RDI_RANK_LEVELS 64 /* enough for arity 2 */

/* Invariant: count[0][g] is the number of bits in group g, count[i][g] the sum of its `arity`
 * counts one level below; the top level has at most `arity` groups. */
typedef struct rdi_rank_bits {
    rd_ctx *ctx;
    unsigned shift;  /* log2 of the arity */
    unsigned levels; /* number of levels of counts */
    uint64_t slots;
    uint64_t *word;                   /* the bits; the counts follow in the same allocation */
    uint64_t *count[RDI_RANK_LEVELS]; /* per level, finest first */
} rdi_rank_bits;

/* The arity is 2^shift; there is at least one slot; bits 0 .. ones-1 are set. */
rd_status rdi_rank_bits_init(rdi_rank_bits *b, rd_ctx *ctx, unsigned shift, uint64_t slots,
                             uint64_t ones);
void rdi_rank_bits_fini(rdi_rank_bits *b); /* accepts a zeroed struct */

void rdi_rank_bits_set(rdi_rank_bits *b, uint64_t slot);
void rdi_rank_bits_clear(rdi_rank_bits *b, uint64_t slot);
/* Clears `from` and sets `to`. */
void rdi_rank_bits_move(rdi_rank_bits *b, uint64_t from, uint64_t to);

static inline bool rdi_rank_bits_has(const rdi_rank_bits *b, uint64_t slot) {
    return b->word[slot / 64] >> slot % 64 & 1;
}

/* Number of set bits after `slot`; `newest` is the last set bit. */
uint64_t rdi_rank_bits_after(const rdi_rank_bits *b, uint64_t slot, uint64_t newest);

/* First set bit at or after `slot`; there must be one. */
uint64_t rdi_rank_bits_next(const rdi_rank_bits *b, uint64_t slot);

/* Renumbers the slots in two steps. Squeeze turns the finest counts into running totals, after
 * which rdi_rank_bits_rank() gives the number of set bits before a slot: its new number. Refill
 * then begins anew with the first `ones` bits set, as after init. Between the two, only rank() may
 * be called. */
void rdi_rank_bits_squeeze(rdi_rank_bits *b);
uint64_t rdi_rank_bits_rank(const rdi_rank_bits *b, uint64_t slot);
rd_status rdi_rank_bits_refill(rdi_rank_bits *b, uint64_t slots, uint64_t ones);

/* Checks the invariants, for tests; *why names the first violation. */
bool rdi_rank_bits_check(const rdi_rank_bits *b, const char **why);

#endif
