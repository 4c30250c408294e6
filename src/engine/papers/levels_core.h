/* One level of the LRU stack over a stretch of references, the same for threads and for CUDA.
 *
 * Level j of the stack changes exactly at references that miss in a cache of j blocks: then the
 * block of level j - 1 falls down to it. Between two misses it is copied along. So the blocks at
 * level j, as they are before each reference, are a segmented copy-scan of the blocks at level
 * j - 1, with a segment beginning behind each miss. A reference that has missed so far and finds
 * its own block there has distance j.
 */
#ifndef RDI_LEVELS_CORE_H
#define RDI_LEVELS_CORE_H

#include "engine/core/both.h"

#define RDI_LEVELS_GROUP 8 /* references whose marks share a byte */

/* What a stretch of references leaves to the one behind it: the block that its last miss let fall,
 * if there is one. */
typedef struct rdi_fallen {
    uint64_t block;
    bool any;
} rdi_fallen;

RDI_BOTH rdi_fallen rdi_fallen_join(rdi_fallen left, rdi_fallen right) {
    return right.any ? right : left;
}

/* For the next level: the last miss in a group. */
RDI_BOTH rdi_fallen rdi_levels_last_miss(const uint64_t *above, uint8_t miss) {
    rdi_fallen last = {0, false};
    for (uint32_t i = 0; i < RDI_LEVELS_GROUP; i++)
        if (miss >> i & 1) {
            last.block = above[i];
            last.any = true;
        }
    return last;
}

/* A group of n <= RDI_LEVELS_GROUP references at one level. `above` has the blocks one level up and
 * gets those of this level; `copied` is the one before the first reference, the result the one
 * behind the last. A hit gets its distance and loses its mark. Marks from n on are not set. */
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
