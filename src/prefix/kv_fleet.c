/* Simulates several servers with a cache each, behind a router: implements rd_kv_fleet.
 *
 * If the router does not look into the caches, each replica sees a log of its own, and one pass per
 * replica gives all sizes. The router by longest prefix looks into the caches, so its choices
 * depend on the cache size: each size is simulated by itself. */
#include "base/sized.h"
#include "prefix/kv_lru.h"
#include "reusedist/prefix.h"

#include <inttypes.h>

/* The replicas at one size. */
typedef struct simulation {
    rdi_kv_lru *caches;
    uint64_t *requests; /* number of requests of each replica */
    uint64_t block_hits, token_hits;
} simulation;

struct rd_kv_fleet {
    rd_ctx *ctx;
    rd_kv_config config;
    uint32_t replicas;
    rd_kv_router router;
    uint64_t fed;
    rd_kv **servers;  /* routers that do not look into caches: one analysis per replica */
    simulation *runs; /* the router by prefix: one simulation per size */
};

static rd_status start_servers(rd_kv_fleet *f) {
    rd_kv_config config = f->config;
    config.n_sizes = config.n_tiers = 0;
    config.opt = false;
    f->servers = rdi_calloc(f->ctx, f->replicas, sizeof *f->servers);
    if (!f->servers)
        return RD_ENOMEM;
    for (uint32_t i = 0; i < f->replicas; i++)
        RD_TRY(rd_kv_new(f->ctx, &config, &f->servers[i]));
    return RD_OK;
}

static rd_status start_runs(rd_kv_fleet *f) {
    f->runs = rdi_calloc(f->ctx, f->config.n_sizes + 1, sizeof *f->runs);
    if (!f->runs)
        return RD_ENOMEM;
    for (size_t i = 0; i < f->config.n_sizes; i++) {
        simulation *s = &f->runs[i];
        s->caches = rdi_calloc(f->ctx, f->replicas, sizeof *s->caches);
        s->requests = rdi_calloc(f->ctx, f->replicas, sizeof *s->requests);
        if (!s->caches || !s->requests)
            return RD_ENOMEM;
        for (uint32_t r = 0; r < f->replicas; r++)
            RD_TRY(rdi_kv_lru_init(&s->caches[r], f->ctx, f->config.sizes[i] / f->replicas));
    }
    return RD_OK;
}

rd_status rd_kv_fleet_new(rd_ctx *ctx, const rd_kv_config *config, uint32_t replicas,
                          rd_kv_router router, rd_kv_fleet **out) {
    RDI_NEED(ctx, ctx, config, out);
    if (replicas == 0 || replicas > RD_KV_REPLICAS_MAX || (unsigned)router >= RD_KV_ROUTERS)
        return rdi_fail(ctx, RD_EINVAL, "a fleet needs 1 to %d replicas, and a router from 0 to %d",
                        RD_KV_REPLICAS_MAX, RD_KV_ROUTERS - 1);
    rd_kv_fleet *f = rdi_calloc(ctx, 1, sizeof *f);
    if (!f)
        return RD_ENOMEM;
    f->ctx = ctx;
    f->replicas = replicas;
    f->router = router;
    rd_status status = rdi_sized_copy(ctx, "rd_kv_config", config, &f->config, sizeof f->config);
    f->config.size = sizeof f->config;
    if (f->config.block_tokens == 0)
        f->config.block_tokens = 1;
    if (status == RD_OK && f->config.n_sizes > RD_KV_SIZES_MAX)
        status = rdi_fail(ctx, RD_EINVAL, "at most %d sizes are allowed", RD_KV_SIZES_MAX);
    if (status == RD_OK)
        status = router == RD_KV_PREFIX ? start_runs(f) : start_servers(f);
    if (status == RD_OK)
        *out = f;
    else
        rd_kv_fleet_free(f);
    return status;
}

/* ---- the router by longest prefix ---- */

static size_t cached_prefix(const rdi_kv_lru *cache, const uint64_t *blocks, size_t n) {
    size_t i = 0;
    while (i < n && rdi_kv_lru_holds(cache, blocks[i]))
        i++;
    return i;
}

/* Returns the replica for a request, and sets *hits to the number of leading blocks of the request
 * that this replica holds. */
static uint32_t choose(const rd_kv_fleet *f, const simulation *s, const uint64_t *blocks, size_t n,
                       size_t *hits) {
    uint64_t fewest = UINT64_MAX;
    for (uint32_t r = 0; r < f->replicas; r++)
        fewest = s->requests[r] < fewest ? s->requests[r] : fewest;
    uint32_t best = f->replicas;
    for (uint32_t r = 0; r < f->replicas; r++) {
        if (s->requests[r] > fewest + RD_KV_SPREAD)
            continue;
        size_t prefix = cached_prefix(&s->caches[r], blocks, n);
        bool better = best == f->replicas || prefix > *hits ||
                      (prefix == *hits && s->requests[r] < s->requests[best]);
        if (better) {
            best = r;
            *hits = prefix;
        }
    }
    return best;
}

static rd_status touch_all(const rd_kv_fleet *f, rdi_kv_lru *cache, const uint64_t *blocks,
                           size_t n) {
    for (size_t i = 0; i < n; i++)
        RD_TRY(rdi_kv_lru_touch(cache, blocks[f->config.order == RD_KV_FRONT ? i : n - 1 - i]));
    return RD_OK;
}

static rd_status serve(rd_kv_fleet *f, simulation *s, const rd_kv_request *r) {
    uint64_t full = r->prompt_tokens / f->config.block_tokens;
    size_t n = f->config.full_only && r->n_blocks > full ? (size_t)full : r->n_blocks, hits = 0;
    uint32_t server = choose(f, s, r->blocks, n, &hits);
    uint64_t tokens = hits * f->config.block_tokens;
    s->requests[server]++;
    s->block_hits += hits;
    s->token_hits += tokens < r->prompt_tokens ? tokens : r->prompt_tokens;
    RD_TRY(touch_all(f, &s->caches[server], r->blocks, n));
    if (f->config.outputs && r->n_sequence > full)
        RD_TRY(touch_all(f, &s->caches[server], r->sequence, r->n_sequence));
    return RD_OK;
}

/* ---- requests and results ---- */

rd_status rd_kv_fleet_feed(rd_kv_fleet *f, const rd_kv_request *r) {
    RDI_NEED(f ? f->ctx : NULL, f, r);
    if (r->n_blocks)
        RDI_NEED(f->ctx, r->blocks);
    if (f->router == RD_KV_PREFIX) {
        for (size_t i = 0; i < f->config.n_sizes; i++)
            RD_TRY(serve(f, &f->runs[i], r));
        return RD_OK;
    }
    if (f->router == RD_KV_CONVERSATION && r->conversation == 0)
        return rdi_fail(
            f->ctx, RD_EINVAL,
            "%s: %s %" PRIu64
            ": the log does not name the conversation of this request, which routing by "
            "conversation needs; use a log that names all conversations",
            f->config.name ? f->config.name : "the log", r->numbered ? "request" : "line", r->line);
    uint64_t server = f->router == RD_KV_ROUND ? f->fed++ : rdi_mix64(r->conversation);
    return rd_kv_feed(f->servers[server % f->replicas], r);
}

rd_status rd_kv_fleet_finish(rd_kv_fleet *f) {
    RDI_NEED(f ? f->ctx : NULL, f);
    for (uint32_t i = 0; f->servers && i < f->replicas; i++)
        RD_TRY(rd_kv_finish(f->servers[i]));
    return RD_OK;
}

rd_status rd_kv_fleet_at(const rd_kv_fleet *f, size_t index, rd_kv_point *out) {
    RDI_NEED(f ? f->ctx : NULL, f, out);
    if (index >= f->config.n_sizes)
        return rdi_fail(f->ctx, RD_EINVAL, "the fleet has no size with the index %zu", index);
    rd_kv_point sum = {.size_blocks = f->config.sizes[index]};
    for (uint32_t i = 0; f->servers && i < f->replicas; i++) {
        rd_kv_point point;
        RD_TRY(rd_kv_at(f->servers[i], sum.size_blocks / f->replicas, &point));
        sum.block_hits += point.block_hits;
        sum.token_hits += point.token_hits;
    }
    if (f->runs) {
        sum.block_hits = f->runs[index].block_hits;
        sum.token_hits = f->runs[index].token_hits;
    }
    *out = sum;
    return RD_OK;
}

void rd_kv_fleet_free(rd_kv_fleet *f) {
    if (!f)
        return;
    for (uint32_t i = 0; f->servers && i < f->replicas; i++)
        rd_kv_free(f->servers[i]);
    for (size_t i = 0; f->runs && i < f->config.n_sizes; i++) {
        for (uint32_t r = 0; f->runs[i].caches && r < f->replicas; r++)
            rdi_kv_lru_fini(&f->runs[i].caches[r]);
        rdi_free(f->ctx, f->runs[i].caches);
        rdi_free(f->ctx, f->runs[i].requests);
    }
    rdi_free(f->ctx, f->servers);
    rdi_free(f->ctx, f->runs);
    rdi_free(f->ctx, f);
}
