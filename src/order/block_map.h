/* A hash table that maps a block id to a 64-bit value.
 *
 * It uses open addressing with linear probing. Ids are hashed, so that regular strides spread over
 * the table. A slot is empty if its value is RDI_ABSENT. So every block id is allowed, but the
 * value RDI_ABSENT cannot be stored. Removal shifts the rest of the cluster (the run of occupied
 * slots) back instead of leaving a tombstone, so the cost of a look-up depends only on the current
 * contents.
 *
 * Memory: 16 bytes per slot. The table begins with 64 slots and doubles when it is 3/4 full. So a
 * table that has grown takes 21 to 43 bytes per block, unless blocks were removed. It never
 * shrinks.
 */
#ifndef RDI_BLOCK_MAP_H
#define RDI_BLOCK_MAP_H

#include "base/common.h"

#define RDI_ABSENT UINT64_MAX

typedef struct rdi_block_slot {
    uint64_t block;
    uint64_t value; /* RDI_ABSENT: the slot is empty */
} rdi_block_slot;

/* Invariants: mask + 1 is a power of two. n <= limit < mask + 1, so every search ends. There is no
 * empty slot between the slot that a block hashes to and the slot that holds it. */
typedef struct rdi_block_map {
    rd_ctx *ctx;
    rdi_block_slot *slot;
    size_t mask;
    size_t n;     /* number of blocks */
    size_t limit; /* value of n at which the table grows */
} rdi_block_map;

rd_status rdi_block_map_init(rdi_block_map *map, rd_ctx *ctx);
void rdi_block_map_fini(rdi_block_map *map); /* a zeroed map is allowed */

/* Removes `block`. Returns whether it was in the table. */
bool rdi_block_map_remove(rdi_block_map *map, uint64_t block);

/* Removes every block whose value is below `value`, in one pass over the table. */
void rdi_block_map_remove_below(rdi_block_map *map, uint64_t value);

/* Returns the next slot in use, in no particular order, and advances *cursor; returns NULL at the
 * end. *cursor must be 0 before the first call. During the iteration, the caller may change the
 * values of returned slots (but not to RDI_ABSENT), and must not insert or remove blocks. */
rdi_block_slot *rdi_block_map_next(rdi_block_map *map, size_t *cursor);

/* Returns whether every block can be found and the number of blocks is n and at most `limit`, for
 * tests. If not, *why names the first violation. */
bool rdi_block_map_check(const rdi_block_map *map, const char **why);

rd_status rdi_block_map_grow(rdi_block_map *map);

static inline size_t rdi_block_map_home(const rdi_block_map *map, uint64_t block) {
    return rdi_mix64(block) & map->mask;
}

/* Returns the slot that holds `block`, or the empty slot where `block` belongs. */
static inline rdi_block_slot *rdi_block_map_probe(const rdi_block_map *map, uint64_t block) {
    size_t i = rdi_block_map_home(map, block);
    while (map->slot[i].value != RDI_ABSENT && map->slot[i].block != block)
        i = (i + 1) & map->mask;
    return &map->slot[i];
}

/* Returns a pointer to the value of `block`, or NULL if `block` is not in the table. The pointer is
 * valid until the next call of rdi_block_map_exchange() or of a function that removes blocks. */
static inline uint64_t *rdi_block_map_find(const rdi_block_map *map, uint64_t block) {
    rdi_block_slot *slot = rdi_block_map_probe(map, block);
    return slot->value == RDI_ABSENT ? NULL : &slot->value;
}

/* Sets the value of `block` to `value`, which must not be RDI_ABSENT, and inserts `block` if
 * necessary. *old becomes the previous value, or RDI_ABSENT if there was none. */
static inline rd_status rdi_block_map_exchange(rdi_block_map *map, uint64_t block, uint64_t value,
                                               uint64_t *old) {
    if (RDI_UNLIKELY(map->n == map->limit))
        RD_TRY(rdi_block_map_grow(map));
    rdi_block_slot *slot = rdi_block_map_probe(map, block);
    *old = slot->value;
    map->n += slot->value == RDI_ABSENT;
    slot->block = block;
    slot->value = value;
    return RD_OK;
}

#endif
