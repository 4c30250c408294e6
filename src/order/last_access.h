/* Stores the time of the last reference to each block, for engines that count between two times.
 *
 * With a bound, only the newest `bound` blocks are live. A block that drops out is not searched for
 * in the table: entries with a time below `oldest` count as dead, and they are removed once they
 * outnumber the live entries. Memory is O(live), and O(bound) with a bound.
 */
#ifndef RDI_LAST_ACCESS_H
#define RDI_LAST_ACCESS_H

#include "order/block_map.h"

/* Smallest number of dead entries that justifies a pass over the table. */
#define RDI_SWEEP_LEAST 64

/* Invariant: the table has `live` entries with a time of `oldest` or later; all other entries are
 * dead. */
typedef struct rdi_last_access {
    rdi_block_map time;
    uint64_t oldest; /* entries with earlier times are dead */
    uint64_t live;   /* number of live blocks */
} rdi_last_access;

/* Records a reference to the block at time `now`. *last is the time of its previous reference, or
 * RDI_ABSENT. */
static inline rd_status rdi_last_access_touch(rdi_last_access *l, uint64_t block, uint64_t now,
                                              uint64_t *last) {
    RD_TRY(rdi_block_map_exchange(&l->time, block, now, last));
    if (*last == RDI_ABSENT || *last < l->oldest) {
        *last = RDI_ABSENT;
        l->live++;
    }
    return RD_OK;
}

/* Removes the block. Returns the time of its last reference, or RDI_ABSENT. */
static inline uint64_t rdi_last_access_take(rdi_last_access *l, uint64_t block) {
    const uint64_t *time = rdi_block_map_find(&l->time, block);
    if (!time || *time < l->oldest)
        return RDI_ABSENT;
    uint64_t last = *time;
    rdi_block_map_remove(&l->time, block);
    l->live--;
    return last;
}

/* Removes the dead entries in one pass over the table, if there are any. */
static inline void rdi_last_access_sweep(rdi_last_access *l) {
    if (l->time.n != l->live)
        rdi_block_map_remove_below(&l->time, l->oldest);
}

/* Drops the oldest live block, which was last referenced at `time`. */
static inline void rdi_last_access_forget(rdi_last_access *l, uint64_t time) {
    l->oldest = time + 1;
    l->live--;
    uint64_t dead = l->time.n - l->live;
    if (dead >= RDI_SWEEP_LEAST && dead > l->live)
        rdi_last_access_sweep(l);
}

/* Checks the invariants, for tests. *why names the first violation. */
static inline bool rdi_last_access_check(rdi_last_access *l, const char **why) {
    if (!rdi_block_map_check(&l->time, why))
        return false;
    uint64_t live = 0;
    size_t cursor = 0;
    for (rdi_block_slot *s; (s = rdi_block_map_next(&l->time, &cursor)) != NULL;)
        live += s->value >= l->oldest;
    *why = "last access: the number of live blocks is wrong";
    return live == l->live;
}

#endif
