/* Decodes a trace ahead with several threads. See read_ahead.h. */
#include "analysis/read_ahead.h"

#include "analysis/block_kinds.h"
#include "base/threads.h"

#include <string.h>

/* Number of blocks in a buffer. Buffers are smaller than a slice, and the consumer gives them back one
 * by one. So a decoder can continue even if a slice needs more buffers because its references span
 * several blocks. */
#define BUFFER_BLOCKS ((size_t)1 << 17)
#define BUFFERS                                                                                    \
    8 /* number of buffers per decoder, enough for about two slices. The consumer holds fewer. */
_Static_assert(BUFFERS > RDI_READ_AHEAD_KEPT + 1,
               "a decoder must have more buffers than the consumer can hold");
#define BUFFERS_BYTES (BUFFERS * BUFFER_BLOCKS * sizeof(uint64_t))

typedef struct buffer {
    uint64_t *blocks;
    uint8_t *kinds; /* NULL: not requested */
    rdi_read_ahead_batch batch;
    bool ends_slice;
} buffer;

/* A decoder. It fills its buffers in turn, and the consumer takes them in the same order. */
typedef struct decoder {
    const rdi_read_ahead *r;
    /* The decoder uses these members alone, until it hands over a buffer or reports a failure. Its
     * context takes memory from the caller's context but has its own message. So the caller gets
     * the message of the first damage in the trace, not of the damage that was found first. */
    rd_ctx *ctx;
    rd_trace *trace;
    rd_mapper *mapper;
    uint64_t *blocks; /* memory of all buffers */
    bool pinned;      /* true: the engine has pinned this memory */
    buffer buffers[BUFFERS];
    /* These members are used by the decoder and the consumer. */
    rdi_monitor monitor;
    uint64_t filled, returned; /* number of buffers filled, and given back, since the beginning */
    rd_status status;          /* status of a failure that comes after the filled buffers */
    bool stop;                 /* true: the consumer wants no more buffers */
    uint64_t
        taken; /* number of buffers that the consumer, which uses this member alone, has taken */
} decoder;

struct rdi_read_ahead {
    rd_ctx *ctx;
    rdi_read_ahead_config config;
    uint64_t slices, slice; /* number of slices, and the slice that is being delivered */
    decoder *held[RDI_READ_AHEAD_KEPT + 1]; /* the decoders whose buffers the caller is using, in
                                               order */
    size_t n_held;
    rdi_crew *crew;
    size_t n;
    decoder decoders[];
};

/* ---- the decoder's side ---- */

/* Waits for the next free buffer and returns it, or NULL if the consumer wants no more buffers. */
static buffer *next_free(decoder *d) {
    rdi_monitor_enter(&d->monitor);
    while (d->filled - d->returned == BUFFERS && !d->stop)
        rdi_monitor_wait(&d->monitor);
    bool stop = d->stop;
    rdi_monitor_leave(&d->monitor);
    buffer *b = &d->buffers[d->filled % BUFFERS];
    b->batch = (rdi_read_ahead_batch){.blocks = b->blocks, .kinds = b->kinds};
    return stop ? NULL : b;
}

static void hand_over(decoder *d, bool ends_slice) {
    buffer *b = &d->buffers[d->filled % BUFFERS];
    uint64_t total;
    rd_trace_progress(d->trace, &b->batch.bytes, &total);
    b->ends_slice = ends_slice;
    rdi_monitor_enter(&d->monitor);
    d->filled++;
    rdi_monitor_wake(&d->monitor);
    rdi_monitor_leave(&d->monitor);
}

static void report(decoder *d, rd_status status) {
    rdi_monitor_enter(&d->monitor);
    d->status = status;
    rdi_monitor_wake(&d->monitor);
    rdi_monitor_leave(&d->monitor);
}

/* Appends n blocks of the batch `refs` to the buffer *b. When the buffer is full, sets *b to the next
 * one and continues there. *b becomes NULL if the consumer wants no more buffers. */
static void append(decoder *d, buffer **b, const rd_refs *refs, const uint64_t *blocks, size_t n) {
    const uint32_t *origins = rd_mapper_origins(d->mapper);
    while (n > 0 && *b) {
        size_t room = BUFFER_BLOCKS - (*b)->batch.n, part = n < room ? n : room;
        memcpy((*b)->blocks + (*b)->batch.n, blocks, part * sizeof *blocks);
        if (origins) {
            rdi_block_kinds(refs, origins, part, (*b)->kinds + (*b)->batch.n);
            origins += part;
        }
        (*b)->batch.n += part;
        blocks += part;
        n -= part;
        if ((*b)->batch.n == BUFFER_BLOCKS) {
            hand_over(d, false);
            *b = next_free(d);
        }
    }
}

static rd_status decode_batch(decoder *d, const rd_refs *refs, buffer **b) {
    rd_mapper_feed(d->mapper, refs);
    if (d->r->config.mapping.origins)
        rdi_threads_see(&(*b)->batch.threads, refs, d->r->config.processes);
    (*b)->batch.references += refs->n; /* references count in this buffer, even if their last
                                          blocks go to the next one */
    while (*b) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        rd_status status = rd_mapper_next(d->mapper, &blocks, &n);
        if (status != RD_OK)
            return rdi_fail(d->ctx, status, "%s: %s", d->r->config.path, rd_last_error(d->ctx));
        if (n == 0)
            break;
        append(d, b, refs, blocks, n);
    }
    return RD_OK;
}

/* Decodes a slice. The blocks before a failure are also handed over. *wanted becomes false if the
 * consumer wants no more buffers. */
static rd_status decode_slice(decoder *d, uint64_t slice, bool *wanted) {
    const rdi_read_ahead_config *c = &d->r->config;
    uint64_t first = slice * c->slice, rest = c->references - first;
    buffer *b = next_free(d);
    RD_TRY(rd_trace_seek(d->trace, first, rest < c->slice ? rest : c->slice));
    rd_mapper_seek(d->mapper, first);
    rd_status status = RD_OK;
    while (status == RD_OK && b) {
        const rd_refs *refs = NULL;
        status = rd_trace_read(d->trace, &refs);
        if (status == RD_OK && refs->n == 0)
            break;
        if (status == RD_OK)
            status = decode_batch(d, refs, &b);
    }
    *wanted = b != NULL;
    if (b)
        hand_over(d, status == RD_OK);
    return status;
}

static rd_status prepare(decoder *d) {
    const rdi_read_ahead_config *c = &d->r->config;
    if (!(d->blocks = rdi_pages_alloc(d->ctx, BUFFERS_BYTES)))
        return RD_ENOMEM;
    for (size_t i = 0; i < BUFFERS; i++) {
        buffer *b = &d->buffers[i];
        b->blocks = d->blocks + i * BUFFER_BLOCKS;
        if (c->mapping.origins && !(b->kinds = rdi_alloc(d->ctx, BUFFER_BLOCKS, sizeof *b->kinds)))
            return RD_ENOMEM;
    }
    RD_TRY(rd_trace_open(d->ctx, c->path, c->format, &d->trace));
    return rd_mapper_new(d->ctx, &c->mapping, &d->mapper);
}

static void decode(void *arg, unsigned worker) {
    rdi_read_ahead *r = arg;
    decoder *d = &r->decoders[worker - 1];
    bool wanted = true;
    rd_status status = prepare(d);
    for (uint64_t i = worker - 1; i < r->slices && wanted && status == RD_OK; i += r->n)
        status = decode_slice(d, i, &wanted);
    if (status != RD_OK)
        report(d, status);
}

/* ---- the consumer's side ---- */

static rd_status start(rdi_read_ahead *r) {
    for (size_t i = 0; i < r->n; i++)
        RD_TRY(rdi_ctx_within(r->ctx, &r->decoders[i].ctx));
    RD_TRY(rdi_crew_new(r->ctx, (unsigned)r->n, decode, r, &r->crew));
    if (rdi_crew_size(r->crew) < r->n)
        return rdi_fail(r->ctx, RD_ENOMEM, "cannot start %zu threads; use fewer", r->n);
    return RD_OK;
}

rd_status rdi_read_ahead_open(rd_ctx *ctx, const rdi_read_ahead_config *config,
                              rdi_read_ahead **out) {
    uint64_t slices = config->references / config->slice + (config->references % config->slice > 0);
    uint64_t n = config->decoders < slices ? config->decoders : slices;
    n = n < RDI_READ_AHEAD_DECODERS ? n : RDI_READ_AHEAD_DECODERS;
    rdi_read_ahead *r = rdi_calloc(ctx, 1, sizeof *r + n * sizeof *r->decoders);
    if (!r)
        return RD_ENOMEM;
    r->ctx = ctx;
    r->config = *config;
    r->slices = slices;
    r->n = (size_t)n;
    for (size_t i = 0; i < r->n; i++) {
        r->decoders[i].r = r;
        rdi_monitor_init(&r->decoders[i].monitor);
    }
    rd_status status = start(r);
    if (status != RD_OK) {
        rdi_read_ahead_close(r);
        return status;
    }
    *out = r;
    return RD_OK;
}

static void give_back(decoder *d) {
    rdi_monitor_enter(&d->monitor);
    d->returned++;
    rdi_monitor_wake(&d->monitor);
    rdi_monitor_leave(&d->monitor);
}

rd_status rdi_read_ahead_next(rdi_read_ahead *r, const rdi_read_ahead_batch **out) {
    if (r->n_held > r->config.kept) {
        give_back(r->held[0]);
        memmove(r->held, r->held + 1, --r->n_held * sizeof *r->held);
    }
    *out = NULL;
    if (r->slice == r->slices)
        return RD_OK;
    decoder *d = &r->decoders[r->slice % r->n];
    rdi_monitor_enter(&d->monitor);
    while (d->filled == d->taken && d->status == RD_OK)
        rdi_monitor_wait(&d->monitor);
    bool filled = d->filled > d->taken;
    rdi_monitor_leave(&d->monitor);
    if (!filled)
        return rdi_fail(r->ctx, d->status, "%s", rd_last_error(d->ctx));
    if (d->taken == 0) /* not before, because an engine may still be opening its device */
        d->pinned = rd_engine_pin(r->config.engine, d->blocks, BUFFERS_BYTES);
    const buffer *b = &d->buffers[d->taken++ % BUFFERS];
    r->slice += b->ends_slice;
    r->held[r->n_held++] = d;
    *out = &b->batch;
    return RD_OK;
}

static void stop(decoder *d) {
    rdi_monitor_enter(&d->monitor);
    d->stop = true;
    rdi_monitor_wake(&d->monitor);
    rdi_monitor_leave(&d->monitor);
}

static void close_decoder(decoder *d) {
    rd_mapper_free(d->mapper);
    rd_trace_close(d->trace);
    for (size_t i = 0; i < BUFFERS && d->ctx; i++)
        rdi_free(d->ctx, d->buffers[i].kinds);
    if (d->pinned)
        rd_engine_unpin(d->r->config.engine, d->blocks);
    if (d->blocks)
        rdi_pages_free(d->ctx, d->blocks, BUFFERS_BYTES);
    rd_ctx_free(d->ctx);
    rdi_monitor_fini(&d->monitor);
}

void rdi_read_ahead_close(rdi_read_ahead *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++)
        stop(&r->decoders[i]);
    rdi_crew_free(r->crew);
    for (size_t i = 0; i < r->n; i++)
        close_decoder(&r->decoders[i]);
    rdi_free(r->ctx, r);
}
