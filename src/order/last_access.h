/* Stores the time of the last reference to each block, for engines that count the blocks referenced
 * between two times.
 *
 * With a bound B, only the B most recently used blocks are live. The entry of a block that is no
 * longer live stays in the table at first. Entries with a time below `oldest` are dead, and they
 * are removed once they outnumber the live entries and are at least RDI_SWEEP_LEAST. Memory is
 * proportional to the largest number of live blocks, which is at most B with a bound.
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

/* Stores `now` as the time of the last reference to `block`. *last becomes the time of the previous
 * reference, or RDI_ABSENT if `block` was not live. */
static inline rd_status rdi_last_access_touch(rdi_last_access *l, uint64_t block, uint64_t now,
                                              uint64_t *last) {
    RD_TRY(rdi_block_map_exchange(&l->time, block, now, last));
    if (*last == RDI_ABSENT || *last < l->oldest) {
        *last = RDI_ABSENT;
        l->live++;
    }
    return RD_OK;
}

/* If `block` is live, removes it and returns the time of its last reference. Otherwise returns
 * RDI_ABSENT. */
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

/* Drops the oldest live block, whose last reference must have been at `time`. Removes the dead
 * entries if they outnumber the live entries and are at least RDI_SWEEP_LEAST. */
static inline void rdi_last_access_forget(rdi_last_access *l, uint64_t time) {
    l->oldest = time + 1;
    l->live--;
    uint64_t dead = l->time.n - l->live;
    if (dead >= RDI_SWEEP_LEAST && dead > l->live)
        rdi_last_access_sweep(l);
}

/* Returns whether the invariants hold, for tests. If not, *why names the first violation. */
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
