/* A GPU as the engines see it: memory, copies, streams, events, sorting.
 *
 * The C side of the border: engines are written in C against this header, kernels in CUDA behind
 * headers like it. device.cu is the CUDA half; no_device.c takes its place in a build without nvcc,
 * and tests/emulated in tests, where device memory is plain memory and everything happens at once.
 *
 * Work given to a stream is done in order, and later than the call that gives it. So a failure of a
 * kernel may show in any later call on the same device.
 */
#ifndef RDI_DEVICE_H
#define RDI_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/common.h"

typedef enum rdi_stream {
    RDI_STREAM_WORK, /* kernels */
    RDI_STREAM_IN,   /* copies to the device, beside the kernels */
    RDI_STREAM_OUT,  /* copies from the device, and small kernels beside the others */
    RDI_STREAMS
} rdi_stream;

typedef struct rdi_device rdi_device;
typedef struct rdi_event rdi_event;

/* Why no GPU can be used here, or NULL. */
const char *rdi_device_unavailable(void);

/* The first GPU, with streams of its own. */
rd_status rdi_device_open(rd_ctx *ctx, rdi_device **out);
/* Waits for everything under way. Memory and events are freed before. NULL is allowed. */
void rdi_device_close(rdi_device *d);
const char *rdi_device_name(const rdi_device *d);
unsigned rdi_device_processors(const rdi_device *d); /* multiprocessors */

/* ---- memory ---- */

/* Bytes that can be allocated now, in all. */
rd_status rdi_device_room(rdi_device *d, uint64_t *bytes);

/* RD_ENOMEM: the device has no room for it; the message says how much there is. */
rd_status rdi_device_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_device_free(rdi_device *d, void *p);

/* Host memory that the device reads and writes directly; counted by the context. */
rd_status rdi_pinned_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_pinned_free(rdi_device *d, void *p, size_t bytes);
/* Whether the caller's memory is of that kind, so that it needs no staging. */
bool rdi_device_is_pinned(rdi_device *d, const void *p);

/* Device memory whose content may be lost when it grows. */
typedef struct rdi_device_buffer {
    void *at;
    size_t bytes;
} rdi_device_buffer;

/* At least so many bytes. Growing waits for the device. */
rd_status rdi_device_reserve(rdi_device *d, rdi_device_buffer *buffer, size_t bytes);
void rdi_device_release(rdi_device *d, rdi_device_buffer *buffer);

/* ---- streams ---- */

rd_status rdi_device_upload(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes);
rd_status rdi_device_download(rdi_device *d, rdi_stream s, void *to, const void *from,
                              size_t bytes);
rd_status rdi_device_copy(rdi_device *d, rdi_stream s, void *to, const void *from,
                          size_t bytes); /* within the device */
rd_status rdi_device_clear(rdi_device *d, rdi_stream s, void *p, size_t bytes); /* to zeros */
/* Until everything given to the stream is done. */
rd_status rdi_device_wait(rdi_device *d, rdi_stream s);

/* A point in a stream, to wait for and to measure with. */
rd_status rdi_event_new(rdi_device *d, rdi_event **out);
void rdi_event_free(rdi_device *d, rdi_event *e);
rd_status rdi_event_record(rdi_device *d, rdi_event *e, rdi_stream s);
rd_status rdi_event_wait(rdi_device *d, rdi_event *e);               /* the calling thread waits */
rd_status rdi_event_hold(rdi_device *d, rdi_event *e, rdi_stream s); /* later work of s waits */
/* From one recorded event to another; waits for both. */
rd_status rdi_event_elapsed(rdi_device *d, rdi_event *from, rdi_event *to, double *seconds);

/* ---- sorting (sort.cu) ---- */

/* Keys of 4 or 8 bytes with a value each, in two arrays of either; the input is in keys[0] and
 * values[0]. */
typedef struct rdi_device_pairs {
    void *keys[2];
    uint32_t *values[2];
    size_t n;           /* below 2^32 */
    unsigned key_bytes; /* 4 or 8 */
    unsigned key_bits;  /* lowest bits that count, from 1 */
} rdi_device_pairs;

/* Stable, ascending, on RDI_STREAM_WORK. *result: which of the two arrays has it. */
rd_status rdi_device_sort(rdi_device *d, const rdi_device_pairs *pairs, rdi_device_buffer *scratch,
                          unsigned *result);
/* What `scratch` will need. */
rd_status rdi_device_sort_bytes(rdi_device *d, const rdi_device_pairs *pairs, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
