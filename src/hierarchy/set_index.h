/* Finds the set of a block, by modulo or by a hash, as docs/hierarchies.md defines. */
#ifndef RDI_SET_INDEX_H
#define RDI_SET_INDEX_H

#include "base/common.h"
#include "reusedist/hierarchy.h"

typedef struct rdi_set_index {
    uint64_t sets;
    uint64_t mask; /* sets - 1 if `sets` is a power of two, else 0 */
    bool hash;     /* true: sets are chosen by RD_INDEX_HASH */
} rdi_set_index;

static inline rdi_set_index rdi_set_index_of(const rd_cache *is, uint64_t block_bytes) {
    uint64_t sets = rd_cache_sets(is, block_bytes);
    return (rdi_set_index){.sets = sets,
                           .mask = (sets & (sets - 1)) == 0 ? sets - 1 : 0,
                           .hash = is->index == RD_INDEX_HASH};
}

/* Returns whether the set of a block is the bitwise AND of the block's number and `mask`. */
static inline bool rdi_set_index_is_masked(const rdi_set_index *x) {
    return !x->hash && (x->mask || x->sets == 1);
}

/* Returns the set of a block. Numbers of up to 32 bits are divided as 32-bit numbers, because that
 * is faster on many processors. */
static inline uint64_t rdi_set_of(const rdi_set_index *x, uint64_t block) {
    if (RDI_UNLIKELY(x->hash))
        return (uint64_t)(((rdi_u128)rdi_mix64(block) * x->sets) >> 64);
    if (x->mask || x->sets == 1)
        return block & x->mask;
    if ((block | x->sets) >> 32 == 0)
        return (uint32_t)block % (uint32_t)x->sets;
    return block % x->sets;
}

#endif
