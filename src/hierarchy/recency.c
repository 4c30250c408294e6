/* Finds near blocks. See recency.h. */
#include "hierarchy/recency.h"

#include <string.h>

/* `room` is twice the number of blocks plus this, so that small caches rarely renumber their
 * times. */
#define SPARE 32768

rd_status rdi_recency_init(rdi_recency *r, rd_ctx *ctx, const rdi_lru *c, uint64_t blocks) {
    *r = (rdi_recency){.ctx = ctx,
                       .blocks = blocks,
                       .sets = c->index.sets,
                       .room = (uint32_t)(2 * blocks + SPARE),
                       .now = RDI_LRU_BEGIN,
                       .limit = RDI_LRU_BEGIN + 1};
    r->live = rdi_pages_alloc(ctx, r->room + sizeof(uint64_t));
    r->renumbered = rdi_pages_alloc(ctx, r->room * sizeof *r->renumbered);
    r->rings = rdi_pages_alloc(ctx, r->sets * sizeof *r->rings);
    if (!r->live || !r->renumbered || !r->rings)
        return RD_ENOMEM;
    return rdi_block_map_init(&r->evicted, ctx);
}

void rdi_recency_fini(rdi_recency *r) {
    if (!r->ctx)
        return;
    rdi_pages_free(r->ctx, r->live, r->room + sizeof(uint64_t));
    rdi_pages_free(r->ctx, r->renumbered, r->room * sizeof *r->renumbered);
    rdi_pages_free(r->ctx, r->rings, r->sets * sizeof *r->rings);
    rdi_block_map_fini(&r->evicted);
    *r = (rdi_recency){0};
}

/* ---- times ---- */

/* Chooses new times for the near blocks: the times after RDI_LRU_BEGIN, in the same order. Writes
 * the new time for time t to r->renumbered[t], and returns the last new time. Other entries are not
 * set. Most times are not live, so eight of them are skipped at once. */
static uint32_t choose_times(rdi_recency *r) {
    const uint8_t *live = r->live;
    uint32_t *times = r->renumbered, next = RDI_LRU_BEGIN, now = r->now;
    for (uint32_t t = r->limit; t <= now; t += sizeof(uint64_t)) {
        uint64_t some = rdi_load_le64(live + t);
        if (now - t < sizeof some - 1) /* times after `now` may be marked */
            some &= (UINT64_C(1) << 8 * (now - t + 1)) - 1;
        for (; some; some &= some - 1)
            times[t + (uint32_t)__builtin_ctzll(some) / 8] = ++next;
    }
    return next;
}

/* Gives each near block of a ring the time times[t] instead of t, and removes all other blocks.
 * `last` is the last of the new times. */
static void renumber_ring(rdi_recency_ring *ring, uint32_t limit, const uint32_t *times,
                          uint32_t last) {
    for (unsigned i = 0; i < RDI_RECENCY_RING; i++) {
        bool near = ring->lanes[i] && ring->times[i] >= limit;
        ring->lanes[i] = near ? ring->lanes[i] : 0;
        ring->times[i] = near ? times[ring->times[i]] : 0;
    }
    ring->lost = ring->lost < limit ? 0 : last;
}

/* Gives the near blocks new times. */
static void renumber(rdi_recency *r, rdi_lru *c) {
    uint32_t *times = r->renumbered, next = choose_times(r);
    rdi_lru_renumber(c, r->limit, times);
    rdi_block_map_remove_below(&r->evicted, r->limit);
    rdi_block_slot *slot;
    for (size_t at = 0; (slot = rdi_block_map_next(&r->evicted, &at));)
        slot->value = times[slot->value];
    for (uint64_t i = 0; i < c->index.sets; i++)
        renumber_ring(&r->rings[i], r->limit, times, next);
    memset(r->live, 1, r->now + 1);
    r->limit = RDI_LRU_BEGIN + 1;
    r->now = next;
}

void rdi_recency_reserve(rdi_recency *r, rdi_lru *c, size_t n) {
    if (n >= r->room - r->now)
        renumber(r, c);
    if (r->evicted.n > 2 * r->blocks)
        rdi_block_map_remove_below(&r->evicted, r->limit);
    memset(r->live + r->now + 1, 1, n);
    c->now = r->now;
}

/* ---- references ---- */

/* Notes a reference to a block that was not near. If there are more near blocks than C now, the oldest
 * one is not near any more. */
static void enter(rdi_recency *r) {
    if (r->n < r->blocks) {
        r->n++;
        return;
    }
    uint64_t live;
    while (!(live = rdi_load_le64(r->live + r->limit)))
        r->limit += sizeof live;
    r->limit += (uint32_t)__builtin_ctzll(live) / 8 + 1;
}

/* Removes a block from the ring, or from the table, if one of them has it. Returns the time of the
 * block, or 0 if the block is not near. Searches the table only if it may have near blocks from
 * this ring. */
static uint32_t take_evicted(rdi_recency *r, rdi_recency_ring *ring, uint64_t block) {
    unsigned found = 0;
    for (unsigned i = 0; i < RDI_RECENCY_RING; i++)
        found |= (unsigned)(ring->lanes[i] == block + 1) << i;
    uint32_t time = 0;
    if (found) {
        unsigned i = (unsigned)__builtin_ctz(found);
        ring->lanes[i] = 0;
        time = ring->times[i];
    } else if (ring->lost >= r->limit) {
        const uint64_t *known = rdi_block_map_find(&r->evicted, block);
        time = known ? (uint32_t)*known : 0;
        if (known)
            rdi_block_map_remove(&r->evicted, block);
    }
    return time >= r->limit ? time : 0;
}

/* Puts a near block, given by its lane, into the oldest entry of the ring. If that entry has a near
 * block, this block moves to the table. */
static rd_status add_evicted(rdi_recency *r, rdi_recency_ring *ring, uint64_t lane, uint32_t time) {
    unsigned i = ring->oldest;
    uint64_t lost = ring->lanes[i], old;
    uint32_t lost_time = ring->times[i];
    ring->oldest = (i + 1) % RDI_RECENCY_RING;
    ring->lanes[i] = lane;
    ring->times[i] = time;
    if (lost == 0 || lost_time < r->limit)
        return RD_OK;
    ring->lost = lost_time;
    return rdi_block_map_exchange(&r->evicted, lost - 1, lost_time, &old);
}

/* Notes a reference that missed, and sets *near to whether its block was near. */
static rd_status miss(rdi_recency *r, const rdi_lru *c, const rdi_lru_miss *m, bool *near) {
    uint64_t block = m->lane - 1;
    rdi_recency_ring *ring = &r->rings[rdi_set_of(&c->index, block)];
    uint32_t time = take_evicted(r, ring, block);
    *near = time != 0;
    if (*near)
        r->live[time] = 0;
    else
        enter(r);
    return m->victim_time < r->limit
               ? RD_OK
               : add_evicted(r, ring, m->victim & ~RDI_LRU_DIRTY, m->victim_time);
}

rd_status rdi_recency_classify(rdi_recency *r, const rdi_lru *c, const uint32_t *before, size_t n,
                               const rdi_lru_miss *misses, uint64_t *far, size_t *n_far) {
    size_t kept = 0;
    uint8_t *live = r->live;
    uint32_t limit = r->limit; /* a copy in a register, because stores to `live` may change *r */
    for (size_t i = 0; i < n; i++) {
        bool near;
        if (RDI_LIKELY(before[i] - limit < RDI_LRU_MISSED - limit)) {
            live[before[i]] = 0;
            continue;
        }
        if (before[i] == RDI_LRU_MISSED) {
            RD_TRY(miss(r, c, misses, &near));
            r->conflict += near;
            far[kept] = misses++->lane - 1;
            kept += !near;
        } else {
            r->far_hits++;
            enter(r);
        }
        limit = r->limit;
    }
    r->now += (uint32_t)n;
    *n_far = kept;
    return RD_OK;
}
