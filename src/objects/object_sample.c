/* Implements a sample of the objects: chooses them and counts their requests. The estimates are in
 * sample_estimate.c. See object_sample.h. */
#include "objects/object_sample.h"

#include "objects/objects_state.h"

#include <inttypes.h>
#include <math.h>

#define BATCH 4096 /* number of sampled requests that are passed on together */

rdi_object_sample *rdi_object_sample_new(rd_ctx *ctx, double rate, uint64_t seed) {
    rdi_object_sample *s = rdi_calloc(ctx, 1, sizeof *s);
    if (s) {
        s->limit = rate < 1 ? (uint64_t)ceil(rate * 0x1p64) - 1 : UINT64_MAX;
        s->weight = 0x1p64 / ((double)s->limit + 1);
        s->salt = rdi_mix64(seed);
        rdi_size_lists_init(s->lists);
    }
    return s;
}

/* ---- counting ---- */

static void add_traffic(rdi_traffic *t, uint64_t bytes) {
    t->requests++;
    t->bytes += bytes;
}

uint64_t rdi_object_sample_count(rdi_object_sample *s, uint64_t id, uint64_t operation,
                                 uint64_t distance, uint64_t before, uint64_t bytes) {
    size_t group = rdi_mix64(id ^ s->salt) % RDI_SAMPLE_GROUPS, size_class = rdi_bit_width(bytes);
    uint64_t needed = 0;
    size_t class = RDI_SAMPLE_SIZES - 1;
    if (distance < RD_NO_DISTANCE) {
        double size = floor((double)distance * s->weight + 0.5) + (double)before;
        needed = size < 0x1p63 ? (uint64_t)size : UINT64_C(1) << 63;
        needed -= needed > 0;
        class = rdi_bit_width(needed);
    }
    s->requests_of[group][class] += s->weight;
    s->bytes_of[size_class][group][class] += s->weight * (double)bytes;
    if (operation == RD_OPERATION_TOUCH)
        add_traffic(&s->touched[size_class], bytes);
    return needed;
}

/* ---- choosing ---- */

/* The sampled requests of a batch. */
typedef struct sampled_batch {
    size_t n;
    uint64_t id[BATCH], bytes[BATCH], time[BATCH], lifetime[BATCH], operation[BATCH];
} sampled_batch;

/* Counts a request, sampled or not, and checks it. */
static rd_status note_request(rd_objects *o, uint64_t bytes, uint64_t operation,
                              uint64_t lifetime) {
    rdi_object_sample *s = o->sample;
    RD_TRY(rdi_objects_check(o, s->requests + 1, bytes, operation));
    s->requests++;
    add_traffic(&s->by_operation[operation], bytes);
    s->empty += bytes == 0;
    s->unlimited += operation == RD_OPERATION_WRITE && o->gives_lifetimes && lifetime == 0;
    if (operation != RD_OPERATION_DELETE && operation != RD_OPERATION_TOUCH && bytes > s->largest)
        s->largest = bytes;
    if (s->requests > o->config.warmup && operation != RD_OPERATION_TOUCH &&
        rdi_objects_counts(o, operation))
        add_traffic(&s->counted[rdi_bit_width(bytes)], bytes);
    return RD_OK;
}

static rd_status pass_on(rd_objects *o, const rd_requests *q, sampled_batch *b) {
    rd_requests part = {.n = b->n,
                        .id = b->id,
                        .bytes = b->bytes,
                        .time = q->time ? b->time : NULL,
                        .lifetime = q->lifetime ? b->lifetime : NULL,
                        .operation = q->operation ? b->operation : NULL};
    b->n = 0;
    return rdi_objects_process(o, &part, NULL);
}

static rd_status choose(rd_objects *o, const rd_requests *q, sampled_batch *b) {
    rdi_object_sample *s = o->sample;
    for (size_t i = 0; i < q->n; i++) {
        uint64_t bytes = q->bytes ? q->bytes[i] : 1, time = q->time ? q->time[i] : 0;
        uint64_t operation = q->operation ? q->operation[i] : RD_OPERATION_READ;
        uint64_t lifetime = q->lifetime ? q->lifetime[i] : 0;
        RD_TRY(note_request(o, bytes, operation, lifetime));
        s->backwards += time < s->now;
        s->now = time > s->now ? time : s->now;
        if (s->requests == o->config.warmup + 1) { /* the requests before this one do not count */
            RD_TRY(pass_on(o, q, b));
            o->warmup = 0;
        }
        uint64_t hash = rdi_mix64(q->id[i] ^ s->salt);
        if (operation != RD_OPERATION_DELETE && operation != RD_OPERATION_TOUCH)
            rdi_size_lists_add(s->lists, hash, bytes);
        if (hash > s->limit)
            continue;
        b->id[b->n] = q->id[i];
        b->bytes[b->n] = bytes;
        b->time[b->n] = s->now;
        b->lifetime[b->n] = lifetime;
        b->operation[b->n++] = operation;
        if (b->n == BATCH)
            RD_TRY(pass_on(o, q, b));
    }
    return pass_on(o, q, b);
}

rd_status rdi_object_sample_feed(rd_objects *o, const rd_requests *requests) {
    sampled_batch *b = rdi_alloc(o->ctx, 1, sizeof *b);
    if (!b)
        return RD_ENOMEM;
    b->n = 0;
    rd_status status = choose(o, requests, b);
    rdi_free(o->ctx, b);
    return status;
}
