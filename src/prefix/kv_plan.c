/* Finds the sizes of tiers that reach a hit ratio at the least cost, or that have the most hits
 * within a budget.
 *
 * The search tries all combinations in which the size of each tier is a multiple of 1/16 of its
 * offer. If the goal is a hit ratio, the search also tries, for one tier at a time, exactly the
 * size that is still needed to reach the goal, which the curve gives. */
#include "base/sized.h"
#include "prefix/kv_state.h"

#include <math.h>

#define STEPS     16
#define TIERS_MAX 4
#define GIB       0x1p30
#define HOUR_US   3.6e9

typedef struct search {
    const rd_kv *kv;
    const rd_kv_offer *offers;
    size_t n;
    rd_kv_goal goal;
    double block_bytes, hours;
    uint64_t need; /* number of blocks that goal.hits needs; RD_KV_NO_SIZE: no size is enough */
    rd_kv_plan best;
} search;

static uint64_t tokens_at(const search *s, uint64_t blocks) {
    rd_kv_point point = {0};
    return rd_kv_at(s->kv, blocks, &point) == RD_OK ? point.token_hits : 0;
}

/* Returns the time in seconds, per hour of the log, that recomputing the missing tokens and loading
 * the hits take. */
static double seconds(const search *s, const rd_kv_plan *p, uint64_t misses) {
    double sum = s->goal.prefill > 0 ? (double)misses / s->goal.prefill : 0;
    uint64_t end = 0, before = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t blocks = (uint64_t)((double)p->bytes[i] / s->block_bytes);
        end = s->goal.inclusive ? (blocks > end ? blocks : end) : end + blocks;
        uint64_t hits = tokens_at(s, end);
        if (s->offers[i].speed > 0)
            sum += (double)(hits - before) * s->goal.token_bytes / s->offers[i].speed;
        before = hits;
    }
    return sum / s->hours;
}

/* Computes blocks, hits and costs of the sizes of a plan. */
static void price(const search *s, rd_kv_plan *p) {
    rd_kv_totals totals = rd_kv_totals_of(s->kv);
    p->blocks = 0;
    p->storage_cost = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t blocks = (uint64_t)((double)p->bytes[i] / s->block_bytes);
        p->blocks = !s->goal.inclusive   ? p->blocks + blocks
                    : blocks > p->blocks ? blocks
                                         : p->blocks;
        p->storage_cost += (double)p->bytes[i] / GIB * s->offers[i].cost;
    }
    uint64_t hits = tokens_at(s, p->blocks), misses = totals.tokens - hits;
    p->hits = totals.tokens ? (double)hits / (double)totals.tokens : 0;
    p->miss_cost = (double)misses / 1e6 * s->goal.token_cost / s->hours;
    if (s->goal.second_cost > 0)
        p->miss_cost += seconds(s, p, misses) * s->goal.second_cost;
}

static void consider(search *s, rd_kv_plan p) {
    price(s, &p);
    if (s->goal.hits > 0 && p.blocks < s->need)
        return;
    if (s->goal.budget > 0 && p.storage_cost > s->goal.budget)
        return;
    double cost = p.storage_cost + p.miss_cost;
    double best = s->best.storage_cost + s->best.miss_cost;
    bool cheaper = cost < best;
    if (s->goal.budget > 0 && s->goal.hits <= 0)
        cheaper = p.hits > s->best.hits || (p.hits == s->best.hits && cost < best);
    p.found = true;
    if (!s->best.found || cheaper)
        s->best = p;
}

/* Considers the plan in which tier `filler` has exactly the size that is still needed to reach the
 * goal. */
static void fill(search *s, rd_kv_plan p, size_t filler) {
    uint64_t have = 0;
    for (size_t i = 0; i < s->n; i++)
        if (i != filler && !s->goal.inclusive)
            have += (uint64_t)((double)p.bytes[i] / s->block_bytes);
    double missing = s->need > have ? ceil((double)(s->need - have) * s->block_bytes) : 0;
    if (missing > (double)s->offers[filler].bytes)
        return;
    p.bytes[filler] = (uint64_t)missing;
    if ((uint64_t)((double)p.bytes[filler] / s->block_bytes) + have < s->need)
        p.bytes[filler]++;
    consider(s, p);
}

static void try_all(search *s, rd_kv_plan p, size_t tier) {
    if (tier == s->n) {
        consider(s, p);
        for (size_t i = 0; s->goal.hits > 0 && i < s->n; i++)
            fill(s, p, i);
        return;
    }
    for (unsigned i = 0; i <= STEPS; i++) {
        p.bytes[tier] = s->offers[tier].bytes / STEPS * i;
        if (i == STEPS)
            p.bytes[tier] = s->offers[tier].bytes;
        if (s->goal.inclusive && tier > 0 && p.bytes[tier] && p.bytes[tier] < p.bytes[tier - 1])
            continue;
        try_all(s, p, tier + 1);
    }
}

rd_status rd_kv_plan_find(const rd_kv *kv, const rd_kv_offer *offers, size_t n,
                          const rd_kv_goal *goal, rd_kv_plan *out) {
    RDI_NEED(kv ? kv->ctx : NULL, kv, offers, goal, out);
    search s = {.kv = kv, .offers = offers, .n = n};
    RD_TRY(rdi_sized_copy(kv->ctx, "rd_kv_goal", goal, &s.goal, sizeof s.goal));
    if (n == 0 || n > TIERS_MAX)
        return rdi_fail(kv->ctx, RD_EINVAL, "a plan needs 1 to %d tiers, not %zu", TIERS_MAX, n);
    if (!(s.goal.token_bytes > 0))
        return rdi_fail(kv->ctx, RD_EINVAL,
                        "rd_kv_goal.token_bytes is %g; it must be above 0 for a plan",
                        s.goal.token_bytes);
    if (s.goal.second_cost > 0 && !(s.goal.prefill > 0))
        return rdi_fail(kv->ctx, RD_EINVAL,
                        "rd_kv_goal.prefill is %g; it must be above 0 because "
                        "rd_kv_goal.second_cost is above 0",
                        s.goal.prefill);
    rd_kv_totals totals = rd_kv_totals_of(kv);
    s.hours = totals.last_us == RD_KV_NO_TIME || totals.last_us == totals.first_us
                  ? 1
                  : (double)(totals.last_us - totals.first_us) / HOUR_US;
    s.block_bytes = s.goal.token_bytes * (double)totals.block_tokens;
    RD_TRY(rd_kv_size_for(kv, s.goal.hits, &s.need));
    if (s.need != RD_KV_NO_SIZE)
        try_all(&s, (rd_kv_plan){0}, 0);
    *out = s.best;
    return RD_OK;
}
