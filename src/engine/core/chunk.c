/* Analyzes and resolves one chunk. See chunk.h. */
#include "engine/core/chunk.h"

#include <string.h>

/* ---- engines for chunks ---- */

/* Returns a copy of an option such as "olken/tree=avl/x=1" in the form that rd_engine_open() takes,
 * "olken:tree=avl,x=1"; NULL if memory runs out. The caller frees the copy. */
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
                        "engine %s cannot analyze chunks: use stream, olken, bk or stack",
                        info->name);
    return RD_OK;
}

rd_status rdi_chunk_open(rdi_chunk *c, const rdi_chunk_plan *plan, uint64_t expected_blocks) {
    rd_engine_config config = {
        .size = sizeof config,
        .bound = plan->bound == UINT64_MAX ? 0 : plan->bound,
        .binning = plan->binning,
        .expected_blocks = expected_blocks,
    };
    c->plan = plan;
    char *spec = make_spec(plan->ctx, plan->engine);
    if (!spec)
        return RD_ENOMEM;
    rd_status status = rd_engine_open(plan->ctx, spec, &config, &c->engine);
    rdi_free(plan->ctx, spec);
    if (status != RD_OK)
        return status;
    status = check_engine(plan->ctx, rd_engine_info_of(c->engine));
    if (status != RD_OK)
        rdi_chunk_close(c);
    return status;
}

void rdi_chunk_close(rdi_chunk *c) {
    rd_engine_close(c->engine);
    *c = (rdi_chunk){0};
}

void rdi_chunk_begin(rdi_chunk *c, bool first) {
    c->first = first;
    c->met = c->received = 0;
}

/* ---- analyzing ---- */

/* The argument of keep_open() and note_order(): a chunk, and the list to which these functions
 * append blocks. */
typedef struct unknown {
    rdi_chunk *chunk;
    rdi_u64_list *open;
} unknown;

/* Receives blocks with infinite distances. Adds their number to `met` and, unless the chunk is the
 * first one, appends them to the open first touches. When `met` has reached the bound, the function
 * ignores further blocks, because their infinite distances are final. */
static rd_status keep_open(void *user, const uint64_t *blocks, size_t n) {
    unknown *u = user;
    rdi_chunk *c = u->chunk;
    uint64_t room = c->plan->bound - c->met;
    size_t part = n < room ? n : (size_t)room;
    c->met += part;
    return c->first ? RD_OK : rdi_u64_list_append(c->plan->ctx, u->open, blocks, part);
}

/* Feeds the engine and appends the open first touches to `open`. If `dist` is NULL, the distances
 * are counted; otherwise they are written to `dist`. */
static rd_status feed(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                      rdi_u64_list *open) {
    unknown u = {c, open};
    if (!dist)
        return rdi_engine_count(c->engine, blocks, n, keep_open, &u);
    RD_TRY(rdi_engine_measure(c->engine, blocks, n, dist));
    for (size_t i = 0; i < n; i++)
        if (RDI_UNLIKELY(dist[i] == RD_COLD))
            RD_TRY(keep_open(&u, &blocks[i], 1));
    return RD_OK;
}

rd_status rdi_chunk_analyze(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                            rdi_u64_list *open) {
    c->references += n;
    return feed(c, blocks, n, dist, open);
}

/* ---- resolving, at most RDI_FEED_MAX first touches at a time ---- */

/* The answers to a tile of open first touches: the distances that were found, and the blocks whose
 * distances are still unknown. */
typedef struct answers {
    uint64_t dist[RDI_FEED_MAX], unknown[RDI_FEED_MAX];
    size_t n_known, n_unknown;
} answers;

static rd_status count_answers(rdi_chunk *c, const answers *a, rdi_u64_list *open) {
    RD_TRY(rdi_hist_add(rdi_engine_hist(c->engine), a->dist, a->n_known));
    return keep_open(&(unknown){c, open}, a->unknown, a->n_unknown);
}

/* Resolves by inserting. `open` may share memory with `blocks`, which the engine may read until
 * feed() returns, so blocks that stay open are first collected in `kept`. */
static rd_status resolve_inserting(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                                   rdi_u64_list *open) {
    uint64_t kept[RDI_FEED_MAX];
    rdi_u64_list rest = {kept, 0, RDI_FEED_MAX};
    c->received += n;
    c->recounted += dist ? 0 : n;
    RD_TRY(feed(c, blocks, n, dist, &rest));
    return rdi_u64_list_append(c->plan->ctx, open, kept, rest.n);
}

/* Resolves by taking. `open` may share memory with `blocks`. */
static rd_status resolve_taking(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                                rdi_u64_list *open) {
    answers a;
    a.n_known = a.n_unknown = 0;
    uint64_t *found = dist ? dist : a.dist;
    RD_TRY(rdi_engine_take(c->engine, blocks, n, found));
    for (size_t i = 0; i < n; i++) {
        if (found[i] == RD_COLD) {
            a.unknown[a.n_unknown++] = blocks[i];
            continue;
        }
        uint64_t d = found[i] + c->received + i;
        found[dist ? i : a.n_known++] = d < c->plan->bound ? d : RD_COLD;
    }
    c->received += n;
    if (dist)
        return keep_open(&(unknown){c, open}, a.unknown, a.n_unknown);
    c->recounted += n;
    RD_TRY(rdi_hist_add_many(rdi_engine_hist(c->engine), RD_COLD, a.n_unknown));
    return count_answers(c, &a, open);
}

/* Resolves replicated lists. A first touch that stays open is already counted as infinite, so only
 * first touches with a known distance are recounted. */
static rd_status resolve_replicated(rdi_chunk *c, const uint64_t *blocks, size_t n,
                                    rdi_u64_list *open) {
    answers a;
    a.n_known = a.n_unknown = 0;
    RD_TRY(rdi_engine_measure(c->engine, blocks, n, a.dist));
    for (size_t i = 0; i < n; i++) {
        if (a.dist[i] < c->received)
            continue;
        c->received++;
        if (a.dist[i] == RD_COLD)
            a.unknown[a.n_unknown++] = blocks[i];
        else
            a.dist[a.n_known++] = a.dist[i];
    }
    c->recounted += a.n_known;
    return count_answers(c, &a, open);
}

static rd_status resolve_tile(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                              rdi_u64_list *open) {
    switch (c->plan->resolving) {
    case RDI_RESOLVE_TAKE:
        return resolve_taking(c, blocks, n, dist, open);
    case RDI_RESOLVE_REPLICATED:
        return resolve_replicated(c, blocks, n, open);
    default:
        return resolve_inserting(c, blocks, n, dist, open);
    }
}

rd_status rdi_chunk_resolve(rdi_chunk *c, const uint64_t *blocks, size_t n, uint64_t *dist,
                            rdi_u64_list *open) {
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(resolve_tile(c, blocks + at, part, dist ? dist + at : NULL, open));
    }
    return RD_OK;
}

/* ---- state between rounds ---- */

static rd_status note_order(void *user, const uint64_t *blocks, size_t n) {
    unknown *u = user;
    return rdi_u64_list_append(u->chunk->plan->ctx, u->open, blocks, n);
}

rd_status rdi_chunk_state(rdi_chunk *c, rdi_u64_list *state) {
    state->n = 0;
    RD_TRY(rdi_engine_order(c->engine, note_order, &(unknown){c, state}));
    if (c->plan->resolving != RDI_RESOLVE_TAKE)
        state->n -= state->n < c->received ? state->n : (size_t)c->received;
    return RD_OK;
}

rd_status rdi_chunk_append(rdi_chunk *c, const uint64_t *blocks, size_t n) {
    uint64_t ignored[RDI_FEED_MAX];
    for (size_t at = 0; at < n; at += RDI_FEED_MAX) {
        size_t part = n - at < RDI_FEED_MAX ? n - at : RDI_FEED_MAX;
        RD_TRY(rdi_engine_measure(c->engine, blocks + at, part, ignored));
    }
    return RD_OK;
}
