/* When each block was last referenced, for engines that count between two times.
 *
 * With a bound only the newest `bound` blocks are live. A block that falls out is not searched for:
 * the time in front of which everything is forgotten moves on, and the dead entries are swept out
 * of the table once they outnumber the live ones. So memory is O(live), O(bound) with a bound.
 */
#ifndef RDI_LAST_ACCESS_H
#define RDI_LAST_ACCESS_H

#include "order/block_map.h"

#define RDI_SWEEP_LEAST 64 /* dead entries worth a pass over the table */

/* Invariant: the table has `live` entries of at least `oldest`; those below are dead. */
typedef struct rdi_last_access {
    rdi_block_map time;
    uint64_t oldest; /* times below are forgotten */
    uint64_t live;   /* blocks */
} rdi_last_access;

/* The block is referenced `now`; *last is when it was before, or RDI_ABSENT. */
static inline rd_status rdi_last_access_touch(rdi_last_access *l, uint64_t block, uint64_t now,
                                              uint64_t *last) {
    RD_TRY(rdi_block_map_exchange(&l->time, block, now, last));
    if (*last == RDI_ABSENT || *last < l->oldest) {
        *last = RDI_ABSENT;
        l->live++;
    }
    return RD_OK;
}

/* Forgets the block; returns when it was referenced, or RDI_ABSENT. */
static inline uint64_t rdi_last_access_take(rdi_last_access *l, uint64_t block) {
    const uint64_t *time = rdi_block_map_find(&l->time, block);
    if (!time || *time < l->oldest)
        return RDI_ABSENT;
    uint64_t last = *time;
    rdi_block_map_remove(&l->time, block);
    l->live--;
    return last;
}

/* Removes the dead entries: one pass over the table, or nothing when there are none. */
static inline void rdi_last_access_sweep(rdi_last_access *l) {
    if (l->time.n != l->live)
        rdi_block_map_remove_below(&l->time, l->oldest);
}

/* The oldest live block, last referenced at `time`, falls out. */
static inline void rdi_last_access_forget(rdi_last_access *l, uint64_t time) {
    l->oldest = time + 1;
    l->live--;
    uint64_t dead = l->time.n - l->live;
    if (dead >= RDI_SWEEP_LEAST && dead > l->live)
        rdi_last_access_sweep(l);
}

/* Invariants, for tests: false, and why. */
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
