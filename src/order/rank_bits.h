/* A bit vector with one bit per time slot, and partial counts in a k-ary hierarchy (Bennett and
 * Kruskal).
 *
 * A bit is set if the slot holds the last reference to some block. The finest level counts the set
 * bits of each group of `arity` slots. Each higher level counts the set bits of groups that consist
 * of `arity` groups of the level below; the top level has at most `arity` groups. To count the set
 * bits after a slot, the count begins with the rest of the slot's group, continues with the newer
 * siblings of the group, and ends at the first level where the newest slot has the same parent. So
 * the average cost depends on how many slots lie between the slot and the newest slot, not on the
 * number of all slots.
 *
 * Average time: O(arity log(n) / log(arity)) to count and O(log(n) / log(arity)) to move a bit,
 * where n is the number of slots between the older and the newer slot. Memory per slot: 1/8 byte
 * for the bit, and about 8 / (arity - 1) bytes for the counts.
 */
#ifndef RDI_RANK_BITS_H
#define RDI_RANK_BITS_H

#include "base/common.h"

#define RDI_RANK_LEVELS 64 /* maximum number of levels, enough for arity 2 */

/* Invariants: count[0][g] is the number of set bits in group g; on higher levels, count[i][g] is
 * the sum of the up to `arity` counts of group g one level below; the top level has at most `arity`
 * groups. */
typedef struct rdi_rank_bits {
    rd_ctx *ctx;
    unsigned shift;  /* log2 of the arity */
    unsigned levels; /* number of levels of counts */
    uint64_t slots;
    uint64_t *word;                   /* the bits; the counts follow in the same memory */
    uint64_t *count[RDI_RANK_LEVELS]; /* the counts of each level, finest level first */
} rdi_rank_bits;

/* Initializes a bit vector with `slots` >= 1 slots and the arity 2^shift. The first `ones` bits are
 * set. */
rd_status rdi_rank_bits_init(rdi_rank_bits *b, rd_ctx *ctx, unsigned shift, uint64_t slots,
                             uint64_t ones);
void rdi_rank_bits_fini(rdi_rank_bits *b); /* a zeroed struct is allowed */

void rdi_rank_bits_set(rdi_rank_bits *b, uint64_t slot);
void rdi_rank_bits_clear(rdi_rank_bits *b, uint64_t slot);
/* Clears the bit of slot `from`, which must be set, and sets the bit of slot `to`, which must be
 * clear. */
void rdi_rank_bits_move(rdi_rank_bits *b, uint64_t from, uint64_t to);

static inline bool rdi_rank_bits_has(const rdi_rank_bits *b, uint64_t slot) {
    return b->word[slot / 64] >> slot % 64 & 1;
}

/* Returns the number of set bits after `slot`. `newest` must be the slot of the last set bit, and
 * must not lie before `slot`. */
uint64_t rdi_rank_bits_after(const rdi_rank_bits *b, uint64_t slot, uint64_t newest);

/* Returns the first slot at or after `slot` whose bit is set. There must be one. */
uint64_t rdi_rank_bits_next(const rdi_rank_bits *b, uint64_t slot);

/* These functions renumber the slots. First, rdi_rank_bits_squeeze() turns the finest counts into
 * running totals. Then, rdi_rank_bits_rank() returns the number of set bits before a slot, which is
 * the slot's new number. Finally, rdi_rank_bits_refill() replaces the vector by a vector with
 * `slots` >= 1 slots, and sets its first `ones` bits. Between squeeze and refill, only
 * rdi_rank_bits_rank() and rdi_rank_bits_fini() may be called. */
void rdi_rank_bits_squeeze(rdi_rank_bits *b);
uint64_t rdi_rank_bits_rank(const rdi_rank_bits *b, uint64_t slot);
rd_status rdi_rank_bits_refill(rdi_rank_bits *b, uint64_t slots, uint64_t ones);

/* Returns whether the invariants hold, for tests. If not, *why names the first violation. */
bool rdi_rank_bits_check(const rdi_rank_bits *b, const char **why);

#endif
