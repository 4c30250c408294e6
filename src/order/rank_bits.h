/* A bit per time slot with partial counts in a k-ary hierarchy (Bennett and Kruskal).
 *
 * A set bit is the last reference to some block. The finest level counts the bits of each group of
 * `arity` slots, the next one the bits of `arity` such groups, and so on until one group holds
 * everything. The bits behind a slot are summed from the inside out: the rest of its group, then
 * the group's newer siblings, up to the first level where the newest slot is in the same group. So
 * the cost follows the distance in time, not the length of the axis.
 *
 * Time: O(arity log(gap) / log(arity)) to count, O(log(gap) / log(arity)) to move a bit. Memory:
 * 1/8 byte per slot, and about 8 / (arity - 1) for the counts.
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
    unsigned levels; /* of counts */
    uint64_t slots;
    uint64_t *word;                   /* the bits; the counts follow in the same allocation */
    uint64_t *count[RDI_RANK_LEVELS]; /* per level, finest first */
} rdi_rank_bits;

/* Arity 2^shift, at least one slot; bits 0 .. ones-1 are set. */
rd_status rdi_rank_bits_init(rdi_rank_bits *b, rd_ctx *ctx, unsigned shift, uint64_t slots,
                             uint64_t ones);
void rdi_rank_bits_fini(rdi_rank_bits *b); /* tolerates a zeroed struct */

void rdi_rank_bits_set(rdi_rank_bits *b, uint64_t slot);
void rdi_rank_bits_clear(rdi_rank_bits *b, uint64_t slot);
/* Clears `from` and sets `to`. */
void rdi_rank_bits_move(rdi_rank_bits *b, uint64_t from, uint64_t to);

/* Set bits behind `slot`, none of which lies behind `newest`. */
uint64_t rdi_rank_bits_after(const rdi_rank_bits *b, uint64_t slot, uint64_t newest);

/* First set bit at or behind `slot`; there must be one. */
uint64_t rdi_rank_bits_next(const rdi_rank_bits *b, uint64_t slot);

/* Renumbering, in two steps. Squeeze turns the finest counts into running totals, after which
 * rdi_rank_bits_rank() is the number of set bits in front of a slot: its new number. Refill then
 * begins a new axis whose first `ones` bits are set, as after init. In between nothing else works.
 */
void rdi_rank_bits_squeeze(rdi_rank_bits *b);
uint64_t rdi_rank_bits_rank(const rdi_rank_bits *b, uint64_t slot);
rd_status rdi_rank_bits_refill(rdi_rank_bits *b, uint64_t slots, uint64_t ones);

/* Invariants, for tests: false, and why. */
bool rdi_rank_bits_check(const rdi_rank_bits *b, const char **why);

#endif
