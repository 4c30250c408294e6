/* Decoders that read ahead. See read_ahead.h. */
#include "read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are smaller than a slice and given back one by one: a slice whose references span several
 * blocks needs more of them, and its decoder goes on all the same. */
#define BUFFER_BLOCKS ((size_t)1 << 18)
#define BUFFERS       4 /* per decoder: about two slices */

typedef struct buffer {
    uint64_t *blocks;
    read_ahead_batch batch;
    bool ends_slice;
} buffer;

/* One decoder. It fills buffers in turn; the reader takes them in the same order. */
typedef struct decoder {
    const read_ahead *r;
    size_t index;
    pthread_t thread;
    bool started;
    /* The decoder's own. A context of its own keeps its message apart from those of others. */
    rd_ctx *ctx;
    rd_trace *trace;
    rd_mapper *mapper;
    char error[1200];
    buffer buffers[BUFFERS];
    /* Common to both sides. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t filled, taken; /* buffers, since the beginning */
    rd_status status;       /* failed behind what is filled */
    bool stop;              /* nobody wants more */
} decoder;

struct read_ahead {
    read_ahead_config config;
    uint64_t slices, slice; /* in all, and the one being delivered */
    decoder *held;          /* whose buffer the caller has */
    const char *error;
    size_t n;
    decoder decoders[];
};

/* ---- the decoder's side ---- */

/* A free buffer, or NULL when nobody wants more. */
static buffer *next_free(decoder *d) {
    pthread_mutex_lock(&d->lock);
    while (d->filled - d->taken == BUFFERS && !d->stop)
        pthread_cond_wait(&d->changed, &d->lock);
    bool stop = d->stop;
    pthread_mutex_unlock(&d->lock);
    buffer *b = &d->buffers[d->filled % BUFFERS];
    b->batch = (read_ahead_batch){.blocks = b->blocks};
    return stop ? NULL : b;
}

static void hand_over(decoder *d, bool ends_slice) {
    buffer *b = &d->buffers[d->filled % BUFFERS];
    uint64_t total;
    rd_trace_progress(d->trace, &b->batch.bytes, &total);
    b->ends_slice = ends_slice;
    pthread_mutex_lock(&d->lock);
    d->filled++;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static void report(decoder *d, rd_status status) {
    pthread_mutex_lock(&d->lock);
    d->status = status;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static rd_status fail_library(decoder *d, rd_status status) {
    snprintf(d->error, sizeof d->error, "%s", rd_last_error(d->ctx));
    return status;
}

static rd_status fail_mapping(decoder *d, rd_status status) {
    snprintf(d->error, sizeof d->error, "%s: %s", d->r->config.path, rd_last_error(d->ctx));
    return status;
}

/* Appends blocks to the buffer, and goes on in the next one when it is full. *b becomes NULL when
 * nobody wants more. */
static void append(decoder *d, buffer **b, const uint64_t *blocks, size_t n) {
    while (n > 0 && *b) {
        size_t room = BUFFER_BLOCKS - (*b)->batch.n, part = n < room ? n : room;
        memcpy((*b)->blocks + (*b)->batch.n, blocks, part * sizeof *blocks);
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
    while (*b) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        rd_status status = rd_mapper_next(d->mapper, &blocks, &n);
        if (status != RD_OK)
            return fail_mapping(d, status);
        if (n == 0)
            break;
        append(d, b, blocks, n);
    }
    if (*b)
        (*b)->batch.references += refs->n;
    return RD_OK;
}

/* What was read before a failure is handed over as well. *wanted becomes false when nobody wants
 * more. */
static rd_status decode_slice(decoder *d, uint64_t slice, bool *wanted) {
    const read_ahead_config *c = &d->r->config;
    uint64_t first = slice * c->slice, rest = c->references - first;
    buffer *b = next_free(d);
    rd_status status = rd_trace_seek(d->trace, first, rest < c->slice ? rest : c->slice);
    rd_mapper_seek(d->mapper, first);
    if (status != RD_OK)
        return fail_library(d, status);
    while (status == RD_OK && b) {
        const rd_refs *refs = NULL;
        status = rd_trace_read(d->trace, &refs);
        if (status != RD_OK)
            fail_library(d, status);
        else if (refs->n == 0)
            break;
        else
            status = decode_batch(d, refs, &b);
    }
    *wanted = b != NULL;
    if (b)
        hand_over(d, status == RD_OK);
    return status;
}

static rd_status prepare(decoder *d) {
    const read_ahead_config *c = &d->r->config;
    for (size_t i = 0; i < BUFFERS; i++)
        if (!(d->buffers[i].blocks = malloc(BUFFER_BLOCKS * sizeof(uint64_t)))) {
            snprintf(d->error, sizeof d->error, "out of memory");
            return RD_ENOMEM;
        }
    rd_status status = rd_trace_open(d->ctx, c->path, c->format, &d->trace);
    if (status == RD_OK)
        status = rd_mapper_new(d->ctx, &c->mapping, &d->mapper);
    return status == RD_OK ? RD_OK : fail_library(d, status);
}

static void *decode(void *arg) {
    decoder *d = arg;
    bool wanted = true;
    rd_status status = prepare(d);
    for (uint64_t i = d->index; i < d->r->slices && wanted && status == RD_OK; i += d->r->n)
        status = decode_slice(d, i, &wanted);
    if (status != RD_OK)
        report(d, status);
    return NULL;
}

/* ---- the reader's side ---- */

static bool start(decoder *d, const read_ahead *r, size_t index) {
    d->r = r;
    d->index = index;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    d->started =
        rd_ctx_new(NULL, &d->ctx) == RD_OK && pthread_create(&d->thread, NULL, decode, d) == 0;
    return d->started;
}

read_ahead *read_ahead_open(const read_ahead_config *config) {
    uint64_t slices = config->references / config->slice + (config->references % config->slice > 0);
    uint64_t n = config->decoders < slices ? config->decoders : slices;
    n = n < READ_AHEAD_DECODERS ? n : READ_AHEAD_DECODERS;
    read_ahead *r = calloc(1, sizeof *r + n * sizeof *r->decoders);
    if (!r)
        return NULL;
    r->config = *config;
    r->slices = slices;
    r->n = (size_t)n;
    bool good = true;
    for (size_t i = 0; i < r->n; i++)
        good = start(&r->decoders[i], r, i) && good;
    if (!good) {
        read_ahead_close(r);
        return NULL;
    }
    return r;
}

static void give_back(decoder *d) {
    pthread_mutex_lock(&d->lock);
    d->taken++;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

rd_status read_ahead_next(read_ahead *r, const read_ahead_batch **out) {
    if (r->held)
        give_back(r->held);
    r->held = NULL;
    *out = NULL;
    if (r->slice == r->slices)
        return RD_OK;
    decoder *d = &r->decoders[r->slice % r->n];
    pthread_mutex_lock(&d->lock);
    while (d->filled == d->taken && d->status == RD_OK)
        pthread_cond_wait(&d->changed, &d->lock);
    bool filled = d->filled > d->taken;
    pthread_mutex_unlock(&d->lock);
    if (!filled) {
        r->error = d->error;
        return d->status;
    }
    const buffer *b = &d->buffers[d->taken % BUFFERS];
    r->slice += b->ends_slice;
    r->held = d;
    *out = &b->batch;
    return RD_OK;
}

const char *read_ahead_error(const read_ahead *r) {
    return r->error ? r->error : "";
}

size_t read_ahead_peak_bytes(const read_ahead *r) {
    size_t bytes = r->n * BUFFERS * BUFFER_BLOCKS * sizeof(uint64_t);
    for (size_t i = 0; i < r->n; i++)
        bytes += rd_ctx_peak_bytes(r->decoders[i].ctx);
    return bytes;
}

static void stop(decoder *d) {
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static void close_decoder(decoder *d) {
    if (d->started)
        pthread_join(d->thread, NULL);
    rd_mapper_free(d->mapper);
    rd_trace_close(d->trace);
    rd_ctx_free(d->ctx);
    for (size_t i = 0; i < BUFFERS; i++)
        free(d->buffers[i].blocks);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
}

void read_ahead_close(read_ahead *r) {
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++)
        stop(&r->decoders[i]);
    for (size_t i = 0; i < r->n; i++)
        close_decoder(&r->decoders[i]);
    free(r);
}
