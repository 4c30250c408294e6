/* Implements threads, memory and counting for engines that answer a round at a time. See
 * round.h. */
#include "engine/core/round.h"

#include <string.h>

#define WORKERS_MAX     256
#define COUNT_LEAST     4096  /* number of distances that justifies waking up a worker */
#define LEAST_COLLECTED 1024u /* smallest memory that collects a round, in references */

/* ---- memory ---- */

static rd_status room_bytes(rd_ctx *ctx, size_t n, size_t size, size_t *bytes) {
    if (__builtin_mul_overflow(n, size, bytes))
        return rdi_fail(ctx, RD_ENOMEM, "%zu elements of %zu bytes exceed the address space", n,
                        size);
    return RD_OK;
}

rd_status rdi_room_fit(rd_ctx *ctx, rdi_room *room, size_t n, size_t size) {
    size_t bytes = 0;
    RD_TRY(room_bytes(ctx, n, size, &bytes));
    if (bytes <= room->bytes)
        return RD_OK;
    rdi_room_free(ctx, room);
    void *at = rdi_pages_alloc(ctx, bytes);
    if (!at)
        return RD_ENOMEM;
    *room = (rdi_room){at, bytes};
    return RD_OK;
}

rd_status rdi_room_grow(rd_ctx *ctx, rdi_room *room, size_t n, size_t size) {
    size_t bytes = 0;
    RD_TRY(room_bytes(ctx, n, size, &bytes));
    if (bytes <= room->bytes)
        return RD_OK;
    void *at = rdi_pages_grow(ctx, room->at, room->bytes, bytes);
    if (!at)
        return RD_ENOMEM;
    *room = (rdi_room){at, bytes};
    return RD_OK;
}

void rdi_room_free(rd_ctx *ctx, rdi_room *room) {
    rdi_pages_free(ctx, room->at, room->bytes);
    *room = (rdi_room){0};
}

/* ---- threads ---- */

static rd_status open_workers(rdi_round *p) {
    rd_ctx *ctx = p->run->ctx;
    p->status = rdi_calloc(ctx, p->n_workers, sizeof *p->status);
    if (!p->status)
        return RD_ENOMEM;
    if (!p->run->in->distances) {
        p->hist = rdi_calloc(ctx, p->n_workers, sizeof(rdi_hist *));
        for (unsigned i = 0; p->hist && i < p->n_workers; i++)
            RD_TRY(rdi_hist_new_like(p->run->out.hist, &p->hist[i]));
        if (!p->hist)
            return RD_ENOMEM;
    }
    return rdi_pool_new(ctx, p->n_workers, &p->pool);
}

rd_status rdi_round_open(rdi_round *p, rdi_run *run) {
    p->run = run;
    p->n_workers = run->in->threads < WORKERS_MAX ? run->in->threads : WORKERS_MAX;
    p->active = 1;
    return p->n_workers > 1 ? open_workers(p) : RD_OK;
}

void rdi_round_close(rdi_round *p) {
    if (!p->run)
        return;
    rdi_pool_free(p->pool);
    for (unsigned i = 0; p->hist && i < p->n_workers; i++)
        rdi_hist_free(p->hist[i]);
    rdi_free(p->run->ctx, p->hist);
    rdi_free(p->run->ctx, p->status);
    *p = (rdi_round){0};
}

rd_status rdi_round_collect(const rdi_round *p, rdi_room *room, size_t *filled, size_t full,
                            const uint64_t **blk, size_t *n) {
    size_t part = *n < full - *filled ? *n : full - *filled, needed = *filled + part;
    size_t capacity = room->bytes / sizeof(uint64_t);
    if (needed > capacity) {
        size_t grown = 2 * capacity > LEAST_COLLECTED ? 2 * capacity : LEAST_COLLECTED;
        grown = grown < full ? grown : full;
        RD_TRY(rdi_room_grow(p->run->ctx, room, grown > needed ? grown : needed, sizeof(uint64_t)));
    }
    memcpy((uint64_t *)room->at + *filled, *blk, part * sizeof **blk);
    *filled += part;
    *blk += part;
    *n -= part;
    return RD_OK;
}

void rdi_round_share(rdi_round *p, size_t n, size_t least) {
    size_t most = n / least;
    p->active = most == 0 ? 1 : most < p->n_workers ? (unsigned)most : p->n_workers;
}

void rdi_round_run(const rdi_round *p, void (*work)(void *arg, unsigned worker), void *arg) {
    if (p->active > 1)
        rdi_pool_run(p->pool, work, arg);
    else
        work(arg, 0);
}

/* ---- counting ---- */

typedef struct counting {
    rdi_round *round;
    const uint64_t *dist;
    size_t n;
} counting;

static void count_share(void *arg, unsigned worker) {
    const counting *c = arg;
    rdi_round *p = c->round;
    size_t begin = rdi_round_begin(p, c->n, worker), end = rdi_round_begin(p, c->n, worker + 1);
    p->status[worker] = rdi_hist_add(p->hist[worker], c->dist + begin, end - begin);
}

rd_status rdi_round_deliver(rdi_round *p, const uint64_t *dist, size_t n) {
    rdi_round_share(p, n, COUNT_LEAST);
    if (!p->hist || p->active == 1)
        return n ? rdi_engine_deliver(p->run, dist, n) : RD_OK;
    counting c = {p, dist, n};
    rdi_round_run(p, count_share, &c);
    for (unsigned i = 0; i < p->active; i++)
        RD_TRY(p->status[i]);
    return RD_OK;
}

rd_status rdi_round_finish(rdi_round *p) {
    for (unsigned i = 0; p->hist && i < p->n_workers; i++)
        RD_TRY(rdi_hist_merge(p->run->out.hist, p->hist[i]));
    return RD_OK;
}
