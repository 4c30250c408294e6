/* Analysing and resolving one chunk. See chunk.h. */
#include "engine/chunk.h"

#include <string.h>

/* ---- engines for chunks ---- */

/* "olken/tree=avl/x=1" names what rd_engine_open() calls "olken:tree=avl,x=1". */
static char *make_spec(rd_ctx *ctx, const char *option) {
    char *spec = rdi_strdup(ctx, option);
    char separator = ':';
    for (char *at = spec; at && (at = strchr(at, '/')) != NULL; separator = ',')
        *at++ = separator;
    return spec;
}

static rd_status check_engine(rd_ctx *ctx, const rd_engine_info *info) {
    bool immediate = (info->caps & (RD_CAP_DISTANCES | RD_CAP_LATE)) == RD_CAP_DISTANCES;
    bool exact = strcmp(info->error_kind, "exact") == 0;
    if (!immediate || !exact || !rdi_engine_ops_find(info->name)->order)
        return rdi_fail(ctx, RD_EINVAL,
                        "engine %s cannot analyse chunks: that takes an exact engine that answers "
                        "at once and hands over its order",
                        info->name);
    return RD_OK;
}

rd_status rdi_chunk_engine_open(rd_ctx *ctx, const char *option, const rd_engine_config *config,
                                rd_engine **out) {
    char *spec = make_spec(ctx, option);
    if (!spec)
        return RD_ENOMEM;
    rd_engine *e = NULL;
    rd_status status = rd_engine_open(ctx, spec, config, &e);
    rdi_free(ctx, spec);
    if (status == RD_OK)
        status = check_engine(ctx, rd_engine_info_of(e));
    if (status != RD_OK) {
        rd_engine_close(e);
        return status;
    }
    *out = e;
    return RD_OK;
}

/* ---- chunks ---- */

void rdi_chunk_init(rdi_chunk *c, rd_ctx *ctx, uint64_t bound) {
    *c = (rdi_chunk){.ctx = ctx, .bound = bound};
}

void rdi_chunk_fini(rdi_chunk *c) {
    if (!c->ctx)
        return;
    rdi_u64_list_free(c->ctx, &c->first);
    rdi_u64_list_free(c->ctx, &c->order);
    rdi_u64_list_free(c->ctx, &c->resolved);
    *c = (rdi_chunk){0};
}

void rdi_chunk_reset(rdi_chunk *c) {
    c->first.n = c->order.n = c->resolved.n = 0;
}

/* The first `bound` local infinities are first touches: nothing was beyond the bound before them.
 */
static rd_status note_first(void *user, const uint64_t *blocks, size_t n) {
    rdi_chunk *c = user;
    uint64_t room = c->bound - c->first.n;
    return rdi_u64_list_append(c->ctx, &c->first, blocks, n < room ? n : (size_t)room);
}

static rd_status note_order(void *user, const uint64_t *blocks, size_t n) {
    rdi_chunk *c = user;
    return rdi_u64_list_append(c->ctx, &c->order, blocks, n);
}

rd_status rdi_chunk_feed(rdi_chunk *c, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist) {
    if (!dist)
        return rdi_engine_count(local, blocks, n, note_first, c);
    RD_TRY(rdi_engine_measure(local, blocks, n, dist));
    for (size_t i = 0; i < n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            RD_TRY(note_first(c, &blocks[i], 1));
    return RD_OK;
}

rd_status rdi_chunk_end(rdi_chunk *c, rd_engine *local) {
    RD_TRY(rdi_engine_order(local, note_order, c));
    return rdi_engine_restart(local);
}

rd_status rdi_chunk_resolve(rdi_chunk *c, rd_engine *before) {
    RD_TRY(rdi_u64_list_reserve(c->ctx, &c->resolved, c->first.n));
    RD_TRY(rdi_engine_measure(before, c->first.at, c->first.n, c->resolved.at));
    c->resolved.n = c->first.n;
    uint64_t ignored[RDI_FEED_MAX];
    for (size_t at = 0; at < c->order.n; at += RDI_FEED_MAX) {
        size_t part = c->order.n - at < RDI_FEED_MAX ? c->order.n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(before, c->order.at + at, part, ignored));
    }
    return RD_OK;
}

void rdi_chunk_complete(const rdi_chunk *c, uint64_t *dist, size_t n) {
    size_t next = 0;
    for (size_t i = 0; i < n && next < c->resolved.n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            dist[i] = c->resolved.at[next++];
}
