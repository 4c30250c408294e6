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
    rdi_u64_list_free(c->ctx, &c->open);
    rdi_u64_list_free(c->ctx, &c->rest);
    rdi_u64_list_free(c->ctx, &c->order);
    rdi_u64_list_free(c->ctx, &c->resolved);
    *c = (rdi_chunk){0};
}

void rdi_chunk_reset(rdi_chunk *c) {
    c->references = c->met = c->absorbed = c->handed_on = 0;
    c->open.n = c->rest.n = c->order.n = c->resolved.n = 0;
}

/* Infinite distances from the engine of `chunk`. Until that has met `bound` blocks they mean blocks
 * it has not met; from then on they are final. */
typedef struct unknown {
    rdi_chunk *chunk;
    rdi_u64_list *list; /* where those that others may know go */
} unknown;

static rd_status note_unknown(void *user, const uint64_t *blocks, size_t n) {
    unknown *u = user;
    uint64_t room = u->chunk->bound - u->chunk->met;
    size_t part = n < room ? n : (size_t)room;
    u->chunk->met += part;
    return rdi_u64_list_append(u->chunk->ctx, u->list, blocks, part);
}

/* The same for distances that were measured. */
static rd_status note_measured(unknown *u, const uint64_t *blocks, const uint64_t *dist, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            RD_TRY(note_unknown(u, &blocks[i], 1));
    return RD_OK;
}

rd_status rdi_chunk_feed(rdi_chunk *c, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist) {
    unknown u = {c, &c->open};
    c->references += n;
    if (!dist)
        return rdi_engine_count(local, blocks, n, note_unknown, &u);
    RD_TRY(rdi_engine_measure(local, blocks, n, dist));
    return note_measured(&u, blocks, dist, n);
}

/* The places in `resolved` that are infinite, from `place` on, in order, take the n distances. The
 * open first touches are the first of them: what is infinite for good comes behind. */
static size_t fill_places(rdi_u64_list *resolved, size_t place, const uint64_t *dist, size_t n) {
    for (size_t i = 0; i < n; place++)
        if (resolved->at[place] == RD_COLD)
            resolved->at[place] = dist[i++];
    return place;
}

static rd_status begin_resolved(rdi_chunk *c) {
    if (c->resolved.n > 0)
        return RD_OK;
    RD_TRY(rdi_u64_list_reserve(c->ctx, &c->resolved, c->open.n));
    c->resolved.n = c->open.n;
    for (size_t i = 0; i < c->open.n; i++)
        c->resolved.at[i] = RD_COLD;
    return RD_OK;
}

static rd_status resolve_kept(rdi_chunk *c, unknown *u, rd_engine *engine) {
    RD_TRY(begin_resolved(c));
    size_t place = 0;
    uint64_t dist[RDI_FEED_MAX];
    for (size_t at = 0; at < c->open.n; at += RDI_FEED_MAX) {
        size_t part = c->open.n - at < RDI_FEED_MAX ? c->open.n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(engine, c->open.at + at, part, dist));
        RD_TRY(note_measured(u, c->open.at + at, dist, part));
        place = fill_places(&c->resolved, place, dist, part);
    }
    return RD_OK;
}

rd_status rdi_chunk_resolve(rdi_chunk *c, rdi_chunk *earlier, rd_engine *engine, bool keep) {
    unknown u = {earlier, &c->rest};
    c->rest.n = 0;
    c->handed_on += c->open.n;
    RD_TRY(keep ? resolve_kept(c, &u, engine)
                : rdi_engine_count(engine, c->open.at, c->open.n, note_unknown, &u));
    earlier->absorbed += c->open.n;
    rdi_u64_list done = c->open;
    c->open = c->rest;
    c->rest = done;
    return RD_OK;
}

static rd_status note_order(void *user, const uint64_t *blocks, size_t n) {
    rdi_chunk *c = user;
    return rdi_u64_list_append(c->ctx, &c->order, blocks, n);
}

rd_status rdi_chunk_end(rdi_chunk *c, rd_engine *local) {
    RD_TRY(rdi_engine_order(local, note_order, c));
    c->order.n -= c->order.n < c->absorbed ? c->order.n : (size_t)c->absorbed;
    return RD_OK;
}

rd_status rdi_chunk_pass(const rdi_chunk *c, rdi_chunk *past, rd_engine *engine) {
    uint64_t dist[RDI_FEED_MAX];
    for (size_t at = 0; at < c->order.n; at += RDI_FEED_MAX) {
        size_t part = c->order.n - at < RDI_FEED_MAX ? c->order.n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(engine, c->order.at + at, part, dist));
        for (size_t i = 0; i < part; i++)
            past->met += dist[i] == RD_COLD && past->met < past->bound;
    }
    return RD_OK;
}

void rdi_chunk_complete(const rdi_chunk *c, uint64_t *dist, size_t n) {
    size_t next = 0;
    for (size_t i = 0; i < n && next < c->resolved.n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            dist[i] = c->resolved.at[next++];
}
