/* Computes one level of the LRU stack for consecutive references. Threads and CUDA share this code.
 *
 * Level j of the stack changes exactly at references that miss in a cache of j blocks: at each of
 * them, the block of level j - 1 falls to level j. Between two misses, level j does not change. So
 * the blocks at level j, as they are before each reference, are a segmented copy-scan of the blocks
 * at level j - 1, restarted after each miss. A reference that has missed in levels 0 to j - 1 and
 * finds its own block at level j has distance j.
 */
#ifndef RDI_LEVELS_CORE_H
#define RDI_LEVELS_CORE_H

#include "engine/core/both.h"

#define RDI_LEVELS_GROUP 8 /* number of references whose miss bits share a byte */

/* The block that the last miss among some consecutive references evicts to the next level; `any` is
 * false if there is no miss. */
typedef struct rdi_fallen {
    uint64_t block;
    bool any;
} rdi_fallen;

RDI_BOTH rdi_fallen rdi_fallen_join(rdi_fallen left, rdi_fallen right) {
    return right.any ? right : left;
}

/* Returns the block that falls to the next level at the last miss in a group. */
RDI_BOTH rdi_fallen rdi_levels_last_miss(const uint64_t *above, uint8_t miss) {
    rdi_fallen last = {0, false};
    for (uint32_t i = 0; i < RDI_LEVELS_GROUP; i++)
        if (miss >> i & 1) {
            last.block = above[i];
            last.any = true;
        }
    return last;
}

/* Scans a group of n <= RDI_LEVELS_GROUP references at one level. `above` holds the blocks one
 * level up and receives the blocks of this level. `copied` is the block at this level before the
 * first reference. Returns the block at this level after the last reference. Bit i of *miss is set
 * if reference i has missed in all levels above. If it hits at this level, dist[i] becomes `level`,
 * and the bit is cleared. Bits of *miss from n on must be zero. */
RDI_BOTH uint64_t rdi_levels_scan_group(const uint64_t *block, uint64_t *above, uint8_t *miss,
                                        uint32_t n, uint64_t copied, uint64_t level,
                                        uint64_t *dist) {
    uint8_t marks = *miss;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t here = copied;
        if (marks >> i & 1) {
            copied = above[i];
            if (here == block[i]) {
                dist[i] = level;
                *miss = (uint8_t)(*miss & ~(1u << i));
            }
        }
        above[i] = here;
    }
    return copied;
}

#endif
