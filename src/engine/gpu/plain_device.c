/* Implements device.h in plain memory. Operations that CUDA runs asynchronously on a device run
 * here before the call returns.
 *
 * This file replaces CUDA in builds without nvcc, where engines report that no GPU is available
 * (no_cuda.c), and in tests/emulated, where engines use this emulated device. So every machine can
 * test the C code around the kernels and the functions that kernels share with plain C.
 */
#include "engine/gpu/device.h"

#include <string.h>
#include <time.h>

#define ROOM_BYTES  ((uint64_t)1 << 30) /* free bytes that the emulated device reports */

#define MOST_PINNED 32 /* maximum number of pinned ranges; more are refused */

typedef struct range {
    const char *from, *to; /* both NULL: unused */
} range;

struct rdi_device {
    rd_ctx *ctx;
    range pinned[MOST_PINNED];
};

struct rdi_event {
    struct timespec time;
};

rd_status rdi_device_open(rd_ctx *ctx, rdi_device **out) {
    rdi_device *d = rdi_calloc(ctx, 1, sizeof *d);
    if (!d)
        return RD_ENOMEM;
    d->ctx = ctx;
    *out = d;
    return RD_OK;
}

void rdi_device_close(rdi_device *d) {
    if (d)
        rdi_free(d->ctx, d);
}

const char *rdi_device_name(const rdi_device *d) {
    (void)d;
    return "plain memory";
}

unsigned rdi_device_processors(const rdi_device *d) {
    (void)d;
    return 1;
}

/* ---- memory ---- */

rd_status rdi_device_room(rdi_device *d, uint64_t *bytes) {
    (void)d;
    *bytes = ROOM_BYTES;
    return RD_OK;
}

rd_status rdi_device_alloc(rdi_device *d, size_t bytes, void **out) {
    void *p = rdi_alloc(d->ctx, bytes, 1);
    if (!p)
        return RD_ENOMEM;
    *out = p;
    return RD_OK;
}

void rdi_device_free(rdi_device *d, void *p) {
    rdi_free(d->ctx, p);
}

rd_status rdi_pinned_alloc(rdi_device *d, size_t bytes, void **out) {
    return rdi_device_alloc(d, bytes, out);
}

void rdi_pinned_free(rdi_device *d, void *p, size_t bytes) {
    (void)bytes;
    rdi_free(d->ctx, p);
}

/* Replaces the first range that contains `p`, or the first unused range if `p` is NULL. Returns
 * false if there is no such range. */
static bool replace_range(rdi_device *d, const char *p, range by) {
    bool found = false;
    for (size_t i = 0; i < MOST_PINNED && !found; i++) {
        range *r = &d->pinned[i];
        found = p ? r->from <= p && p < r->to : !r->from;
        if (found)
            *r = by;
    }
    return found;
}

bool rdi_device_pin(rdi_device *d, void *p, size_t bytes) {
    return replace_range(d, NULL, (range){p, (char *)p + bytes});
}

void rdi_device_unpin(rdi_device *d, void *p) {
    replace_range(d, p, (range){0});
}

bool rdi_device_is_pinned(rdi_device *d, const void *p) {
    bool found = false;
    for (size_t i = 0; i < MOST_PINNED && !found; i++)
        found = d->pinned[i].from <= (const char *)p && (const char *)p < d->pinned[i].to;
    return found;
}

/* ---- streams ---- */

rd_status rdi_device_upload(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes) {
    (void)d;
    (void)s;
    memcpy(to, from, bytes);
    return RD_OK;
}

rd_status rdi_device_download(rdi_device *d, rdi_stream s, void *to, const void *from,
                              size_t bytes) {
    return rdi_device_upload(d, s, to, from, bytes);
}

rd_status rdi_device_copy(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes) {
    return rdi_device_upload(d, s, to, from, bytes);
}

rd_status rdi_device_clear(rdi_device *d, rdi_stream s, void *p, size_t bytes) {
    (void)d;
    (void)s;
    memset(p, 0, bytes);
    return RD_OK;
}

rd_status rdi_device_wait(rdi_device *d, rdi_stream s) {
    (void)d;
    (void)s;
    return RD_OK;
}

/* ---- events ---- */

rd_status rdi_event_new(rdi_device *d, rdi_event **out) {
    rdi_event *e = rdi_calloc(d->ctx, 1, sizeof *e);
    if (!e)
        return RD_ENOMEM;
    *out = e;
    return RD_OK;
}

void rdi_event_free(rdi_device *d, rdi_event *e) {
    rdi_free(d->ctx, e);
}

rd_status rdi_event_record(rdi_device *d, rdi_event *e, rdi_stream s) {
    (void)d;
    (void)s;
    clock_gettime(CLOCK_MONOTONIC, &e->time);
    return RD_OK;
}

rd_status rdi_event_wait(rdi_device *d, rdi_event *e) {
    (void)d;
    (void)e;
    return RD_OK;
}

rd_status rdi_event_hold(rdi_device *d, rdi_event *e, rdi_stream s) {
    (void)d;
    (void)e;
    (void)s;
    return RD_OK;
}

rd_status rdi_event_elapsed(rdi_device *d, rdi_event *from, rdi_event *to, double *seconds) {
    (void)d;
    *seconds = (double)(to->time.tv_sec - from->time.tv_sec) +
               (double)(to->time.tv_nsec - from->time.tv_nsec) * 1e-9;
    return RD_OK;
}

/* ---- sorting ---- */

static uint64_t key_at(const rdi_device_pairs *p, const void *keys, size_t i) {
    return p->key_bytes == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

/* Runs one stable pass of the radix sort by the digit at `shift`. Copies the pairs from keys[from]
 * and values[from] to keys[!from] and values[!from]. */
static void sort_pass(const rdi_device_pairs *p, unsigned from, unsigned shift) {
    size_t start[257] = {0};
    for (size_t i = 0; i < p->n; i++)
        start[(key_at(p, p->keys[from], i) >> shift & 255) + 1]++;
    for (size_t digit = 0; digit < 256; digit++)
        start[digit + 1] += start[digit];
    for (size_t i = 0; i < p->n; i++) {
        uint64_t key = key_at(p, p->keys[from], i);
        size_t to = start[key >> shift & 255]++;
        if (p->key_bytes == 4)
            ((uint32_t *)p->keys[!from])[to] = (uint32_t)key;
        else
            ((uint64_t *)p->keys[!from])[to] = key;
        p->values[!from][to] = p->values[from][i];
    }
}

rd_status rdi_device_sort(rdi_device *d, const rdi_device_pairs *pairs, rdi_device_buffer *scratch,
                          unsigned *result) {
    (void)d;
    (void)scratch;
    unsigned from = 0;
    for (unsigned shift = 0; shift < pairs->key_bits; shift += 8) {
        sort_pass(pairs, from, shift);
        from = !from;
    }
    *result = from;
    return RD_OK;
}

rd_status rdi_device_sort_bytes(rdi_device *d, const rdi_device_pairs *pairs, size_t *bytes) {
    (void)d;
    (void)pairs;
    *bytes = 0;
    return RD_OK;
}
