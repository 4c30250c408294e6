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
    r->lost = rdi_pages_alloc(ctx, r->sets * sizeof *r->lost);
    if (!r->live || !r->renumbered || !r->lost)
        return RD_ENOMEM;
    return rdi_block_map_init(&r->evicted, ctx);
}

void rdi_recency_fini(rdi_recency *r) {
    if (!r->ctx)
        return;
    rdi_pages_free(r->ctx, r->live, r->room + sizeof(uint64_t));
    rdi_pages_free(r->ctx, r->renumbered, r->room * sizeof *r->renumbered);
    rdi_pages_free(r->ctx, r->lost, r->sets * sizeof *r->lost);
    rdi_block_map_fini(&r->evicted);
    *r = (rdi_recency){0};
}

/* ---- times ---- */

/* Sets the new times of the near blocks, which are in the same order after RDI_LRU_BEGIN, and returns the
 * last of them. The entries of all other times are not set. Most times are not live, so eight of them are
 * skipped at once. */
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

/* Gives the near blocks new times. */
static void renumber(rdi_recency *r, rdi_lru *c) {
    uint32_t *times = r->renumbered, next = choose_times(r);
    rdi_lru_renumber(c, r->limit, times);
    rdi_block_map_remove_below(&r->evicted, r->limit);
    rdi_block_slot *slot;
    for (size_t at = 0; (slot = rdi_block_map_next(&r->evicted, &at));)
        slot->value = times[slot->value];
    for (uint64_t i = 0; i < c->index.sets; i++)
        r->lost[i] = r->lost[i] < r->limit ? 0 : next;
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

/* Notes a reference that missed, and sets *near to whether its block was near. Searches the table
 * only if the set may have evicted a near block, because most sets have not. */
static rd_status miss(rdi_recency *r, const rdi_lru *c, const rdi_lru_miss *m, bool *near) {
    uint64_t block = m->lane - 1, old, *time = NULL;
    uint32_t *lost = &r->lost[rdi_set_of(&c->index, block)];
    if (*lost >= r->limit)
        time = rdi_block_map_find(&r->evicted, block);
    *near = time && *time >= r->limit;
    if (*near)
        r->live[*time] = 0;
    else
        enter(r);
    if (time)
        rdi_block_map_remove(&r->evicted, block);
    if (m->victim_time < r->limit)
        return RD_OK;
    *lost = m->victim_time;
    return rdi_block_map_exchange(&r->evicted, (m->victim & ~RDI_LRU_DIRTY) - 1, m->victim_time,
                                  &old);
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
