/* Analyzing and resolving one chunk. See chunk.h. */
#include "engine/fast/chunk.h"

#include <string.h>

/* ---- engines for chunks ---- */

/* Translates an option such as "olken/tree=avl/x=1" to the form of rd_engine_open():
 * "olken:tree=avl,x=1". */
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
    if (!immediate || !exact || !rdi_engine_ops_find(info->name)->chunk)
        return rdi_fail(ctx, RD_EINVAL,
                        "engine %s cannot analyze chunks: choose an exact immediate engine that "
                        "hands over its order",
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
    for (size_t i = 0; i < RDI_CHUNK_SLICES; i++) {
        rdi_u64_list_free(c->ctx, &c->slice[i].open);
        rdi_u64_list_free(c->ctx, &c->slice[i].resolved);
    }
    rdi_u64_list_free(c->ctx, &c->order);
    *c = (rdi_chunk){0};
}

void rdi_chunk_reset(rdi_chunk *c) {
    c->references = c->met = c->absorbed = 0;
    c->order.n = 0;
    for (size_t i = 0; i < RDI_CHUNK_SLICES; i++) {
        rdi_chunk_slice *slice = &c->slice[i];
        slice->open.n = slice->resolved.n = 0;
        slice->firsts = slice->handed_on = 0;
    }
}

/* Receives the blocks with infinite distances from the engine of `chunk`. Until that engine has
 * met `bound` blocks, they are blocks that it has not met; afterwards the infinite distances are
 * final. */
typedef struct unknown {
    rdi_chunk *chunk;
    rdi_u64_list *list; /* list of the blocks that earlier chunks may know; NULL: none may */
    uint64_t noted;
} unknown;

static rd_status note_unknown(void *user, const uint64_t *blocks, size_t n) {
    unknown *u = user;
    uint64_t room = u->chunk->bound - u->chunk->met;
    size_t part = n < room ? n : (size_t)room;
    u->chunk->met += part;
    u->noted += part;
    return u->list ? rdi_u64_list_append(u->chunk->ctx, u->list, blocks, part) : RD_OK;
}

/* Does the same for measured distances. */
static rd_status note_measured(unknown *u, const uint64_t *blocks, const uint64_t *dist, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t block = blocks[i]; /* the list may overwrite blocks[i] */
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            RD_TRY(note_unknown(u, &block, 1));
    }
    return RD_OK;
}

rd_status rdi_chunk_feed(rdi_chunk *c, size_t s, rd_engine *local, const uint64_t *blocks, size_t n,
                         uint64_t *dist) {
    rdi_chunk_slice *slice = &c->slice[s];
    unknown u = {c, c->begins ? NULL : &slice->open, 0};
    c->references += n;
    if (dist)
        RD_TRY(rdi_engine_measure(local, blocks, n, dist));
    RD_TRY(dist ? note_measured(&u, blocks, dist, n)
                : rdi_engine_count(local, blocks, n, note_unknown, &u));
    slice->firsts += u.noted;
    return RD_OK;
}

/* Writes n distances to the infinite places in `resolved`, from `place` on, in order. The open
 * first touches come before the places that stay infinite. */
static size_t fill_places(rdi_u64_list *resolved, size_t place, const uint64_t *dist, size_t n) {
    for (size_t i = 0; i < n; place++)
        if (resolved->at[place] == RD_COLD)
            resolved->at[place] = dist[i++];
    return place;
}

static rd_status begin_resolved(rd_ctx *ctx, rdi_chunk_slice *slice) {
    if (slice->resolved.n > 0)
        return RD_OK;
    RD_TRY(rdi_u64_list_reserve(ctx, &slice->resolved, slice->open.n));
    slice->resolved.n = slice->open.n;
    for (size_t i = 0; i < slice->open.n; i++)
        slice->resolved.at[i] = RD_COLD;
    return RD_OK;
}

static rd_status resolve_kept(rdi_chunk_slice *slice, unknown *u, rd_engine *engine) {
    RD_TRY(begin_resolved(u->chunk->ctx, slice));
    size_t place = 0, n = slice->open.n;
    uint64_t dist[RDI_FEED_MAX];
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(engine, slice->open.at + at, part, dist));
        RD_TRY(note_measured(u, slice->open.at + at, dist, part));
        place = fill_places(&slice->resolved, place, dist, part);
    }
    return RD_OK;
}

/* Resolves open first touches and counts their distances. The engine may read its input until it
 * returns, so blocks that stay open are collected beside the list. */
static rd_status resolve_counted(rdi_chunk_slice *slice, unknown *u, rd_engine *engine) {
    rdi_u64_list *rest = u->list;
    uint64_t open[RDI_FEED_MAX];
    for (size_t at = 0, n = slice->open.n; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        rdi_u64_list piece = {open, 0, RDI_FEED_MAX};
        u->list = &piece;
        RD_TRY(rdi_engine_count(engine, slice->open.at + at, part, note_unknown, u));
        RD_TRY(rdi_u64_list_append(u->chunk->ctx, rest, open, piece.n));
    }
    return RD_OK;
}

/* Blocks that stay open overwrite the list from its beginning: an engine reports no more first
 * references than it was fed. */
rd_status rdi_chunk_resolve(rdi_chunk *c, size_t s, rdi_chunk *earlier, rd_engine *engine,
                            bool keep) {
    rdi_chunk_slice *slice = &c->slice[s];
    rdi_u64_list rest = {slice->open.at, 0, slice->open.room};
    unknown u = {earlier, &rest, 0};
    slice->handed_on += slice->open.n;
    earlier->absorbed += slice->open.n;
    RD_TRY(keep ? resolve_kept(slice, &u, engine) : resolve_counted(slice, &u, engine));
    slice->open.n = rest.n;
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

void rdi_chunk_complete(const rdi_chunk *c, size_t s, uint64_t *dist, size_t n) {
    const rdi_u64_list *resolved = &c->slice[s].resolved;
    size_t next = 0;
    for (size_t i = 0; i < n && next < resolved->n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            dist[i] = resolved->at[next++];
}
