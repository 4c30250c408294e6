/* Sets of bytes of a block, in one or more words. A bit stands for a byte or, in a large block, for
 * several adjacent bytes. */
#ifndef RDI_BYTE_MASK_H
#define RDI_BYTE_MASK_H

#include "base/common.h"

/* The bits for the bytes of a block that one reference touches: from the first to the last, both
 * inclusive. */
typedef struct rdi_byte_range {
    uint32_t first, last;
} rdi_byte_range;

/* Returns the bits of word w that belong to the range, which must have at least one bit in this
 * word. */
static inline uint64_t rdi_range_word(rdi_byte_range r, uint32_t w) {
    uint32_t from = r.first > 64 * w ? r.first - 64 * w : 0;
    uint32_t to = r.last < 64 * w + 63 ? r.last - 64 * w : 63;
    return ~UINT64_C(0) >> (63 - (to - from)) << from;
}

static inline void rdi_mask_add_range(uint64_t *mask, rdi_byte_range r) {
    for (uint32_t w = r.first / 64; w <= r.last / 64; w++)
        mask[w] |= rdi_range_word(r, w);
}

static inline bool rdi_mask_meets_range(const uint64_t *mask, rdi_byte_range r) {
    for (uint32_t w = r.first / 64; w <= r.last / 64; w++)
        if (mask[w] & rdi_range_word(r, w))
            return true;
    return false;
}

static inline void rdi_mask_add(uint64_t *mask, const uint64_t *more, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        mask[w] |= more[w];
}

static inline void rdi_mask_clear(uint64_t *mask, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        mask[w] = 0;
}

static inline bool rdi_mask_is_empty(const uint64_t *mask, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        if (mask[w])
            return false;
    return true;
}

/* Folds a set of `words` words into one word: every `words` consecutive bits become one bit, which is set if any of
 * them is set. */
static inline uint64_t rdi_mask_fold(const uint64_t *mask, uint32_t words) {
    uint64_t folded = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = mask[w]; left; left &= left - 1)
            folded |= UINT64_C(1) << (64 * w + (uint32_t)__builtin_ctzll(left)) / words;
    return folded;
}

#endif
