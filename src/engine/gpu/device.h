/* A GPU as the engines see it: memory, copies, streams, events, sorting.
 *
 * Engines are written in C against this header, kernels in CUDA behind headers like it. device.cu
 * implements it with CUDA. plain_device.c replaces it in builds without nvcc and in tests/emulated:
 * there, device memory is plain memory and every operation completes at once.
 *
 * Operations on a stream run in order, and after the call that submits them returns. So the failure
 * of a kernel may be reported by any later call on the same device.
 */
#ifndef RDI_DEVICE_H
#define RDI_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/common.h"

typedef enum rdi_stream {
    RDI_STREAM_WORK, /* kernels */
    RDI_STREAM_IN,   /* copies to the device, concurrent with kernels */
    RDI_STREAM_OUT,  /* copies from the device, and small kernels concurrent with others */
    RDI_STREAMS
} rdi_stream;

typedef struct rdi_device rdi_device;
typedef struct rdi_event rdi_event;

/* The reason why no GPU can be used here, or NULL. */
const char *rdi_device_unavailable(void);

/* Opens the first GPU, with streams of its own. */
rd_status rdi_device_open(rd_ctx *ctx, rdi_device **out);
/* Waits for all pending work. The caller frees memory and events before. NULL is allowed. */
void rdi_device_close(rdi_device *d);
const char *rdi_device_name(const rdi_device *d);
unsigned rdi_device_processors(const rdi_device *d); /* multiprocessors */

/* ---- memory ---- */

/* The number of bytes that can be allocated now, in all. */
rd_status rdi_device_room(rdi_device *d, uint64_t *bytes);

/* RD_ENOMEM if the device has no room; the message says how much there is. */
rd_status rdi_device_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_device_free(rdi_device *d, void *p);

/* Host memory that the device reads and writes directly; counted by the context. */
rd_status rdi_pinned_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_pinned_free(rdi_device *d, void *p, size_t bytes);
/* Returns whether the caller's memory is pinned, so that it needs no staging. */
bool rdi_device_is_pinned(rdi_device *d, const void *p);

/* A buffer in device memory whose contents may be lost when it grows. */
typedef struct rdi_device_buffer {
    void *at;
    size_t bytes;
} rdi_device_buffer;

/* Makes room for at least `bytes` bytes. Growing waits for the device. */
rd_status rdi_device_reserve(rdi_device *d, rdi_device_buffer *buffer, size_t bytes);
void rdi_device_release(rdi_device *d, rdi_device_buffer *buffer);

/* ---- streams ---- */

rd_status rdi_device_upload(rdi_device *d, rdi_stream s, void *to, const void *from, size_t bytes);
rd_status rdi_device_download(rdi_device *d, rdi_stream s, void *to, const void *from,
                              size_t bytes);
rd_status rdi_device_copy(rdi_device *d, rdi_stream s, void *to, const void *from,
                          size_t bytes); /* within the device */
rd_status rdi_device_clear(rdi_device *d, rdi_stream s, void *p, size_t bytes); /* sets to zero */
/* Waits until all operations on the stream are done. */
rd_status rdi_device_wait(rdi_device *d, rdi_stream s);

/* An event: a point in a stream to wait for and to measure time with. */
rd_status rdi_event_new(rdi_device *d, rdi_event **out);
void rdi_event_free(rdi_device *d, rdi_event *e);
rd_status rdi_event_record(rdi_device *d, rdi_event *e, rdi_stream s);
rd_status rdi_event_wait(rdi_device *d, rdi_event *e);               /* the calling thread waits */
rd_status rdi_event_hold(rdi_device *d, rdi_event *e, rdi_stream s); /* later work of s waits */
/* The time from one recorded event to another. Waits for both. */
rd_status rdi_event_elapsed(rdi_device *d, rdi_event *from, rdi_event *to, double *seconds);

/* ---- sorting (sort.cu) ---- */

/* Keys of 4 or 8 bytes with a value each, in two arrays of either. The input is in keys[0] and
 * values[0]. */
typedef struct rdi_device_pairs {
    void *keys[2];
    uint32_t *values[2];
    size_t n;           /* below 2^32 */
    unsigned key_bytes; /* 4 or 8 */
    unsigned key_bits;  /* number of lowest bits that are compared, at least 1 */
} rdi_device_pairs;

/* Sorts stably, ascending, on RDI_STREAM_WORK. *result tells which of the two arrays holds the
 * result. */
rd_status rdi_device_sort(rdi_device *d, const rdi_device_pairs *pairs, rdi_device_buffer *scratch,
                          unsigned *result);
/* The size that `scratch` needs. */
rd_status rdi_device_sort_bytes(rdi_device *d, const rdi_device_pairs *pairs, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
