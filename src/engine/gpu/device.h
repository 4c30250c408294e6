/* Declares a GPU as the engines see it: memory, copies, streams, events, sorting.
 *
 * Engines are C code that uses this header. Kernels are CUDA code behind similar headers. device.cu
 * implements this header with CUDA. In builds without nvcc and in tests/emulated, plain_device.c
 * implements it: device memory is then plain memory, and every operation completes at once.
 *
 * Operations on a stream run in order, and they may run after the call that submits them has
 * returned. So any later call on the same device may report the failure of a kernel.
 */
#ifndef RDI_DEVICE_H
#define RDI_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/common.h"

typedef enum rdi_stream {
    RDI_STREAM_WORK, /* for kernels */
    RDI_STREAM_IN,   /* for copies to the device, concurrent with kernels */
    RDI_STREAM_OUT,  /* for copies from the device, and for small kernels that run concurrently with
                        other kernels */
    RDI_STREAMS
} rdi_stream;

typedef struct rdi_device rdi_device;
typedef struct rdi_event rdi_event;

/* Returns the reason why no GPU can be used here, or NULL if a GPU can be used. */
const char *rdi_device_unavailable(void);

/* Opens the first GPU and creates its streams. */
rd_status rdi_device_open(rd_ctx *ctx, rdi_device **out);
/* Waits for all pending work and closes the device. The caller must have freed all memory and
 * events. NULL is allowed. */
void rdi_device_close(rdi_device *d);
const char *rdi_device_name(const rdi_device *d);
unsigned rdi_device_processors(const rdi_device *d); /* number of multiprocessors */

/* ---- memory ---- */

/* Sets *bytes to the number of bytes of device memory that can be allocated now. */
rd_status rdi_device_room(rdi_device *d, uint64_t *bytes);

/* Allocates device memory. Returns RD_ENOMEM if too little is free; with CUDA, the message says how
 * much is free. */
rd_status rdi_device_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_device_free(rdi_device *d, void *p);

/* These functions allocate and free pinned host memory, which the device reads and writes directly.
 * The context counts this memory. */
rd_status rdi_pinned_alloc(rdi_device *d, size_t bytes, void **out);
void rdi_pinned_free(rdi_device *d, void *p, size_t bytes);
/* rdi_device_pin() pins memory of the caller and returns whether this succeeded. The system may
 * refuse memory that is not whole pages. rdi_device_unpin() ends the pinning. */
bool rdi_device_pin(rdi_device *d, void *p, size_t bytes);
void rdi_device_unpin(rdi_device *d, void *p);
/* Returns whether the memory at `p` is pinned, so that it can be copied without staging. */
bool rdi_device_is_pinned(rdi_device *d, const void *p);

/* Device memory that grows on demand and then loses its contents. */
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
                          size_t bytes); /* copies within the device */
/* Sets `bytes` bytes at `p` to zero. */
rd_status rdi_device_clear(rdi_device *d, rdi_stream s, void *p, size_t bytes);
/* Waits until all operations on the stream are done. */
rd_status rdi_device_wait(rdi_device *d, rdi_stream s);

/* An event is a point in a stream to wait for and to measure time with. */
rd_status rdi_event_new(rdi_device *d, rdi_event **out);
void rdi_event_free(rdi_device *d, rdi_event *e);
rd_status rdi_event_record(rdi_device *d, rdi_event *e, rdi_stream s);
rd_status rdi_event_wait(rdi_device *d, rdi_event *e); /* makes the calling thread wait for e */
/* Makes later operations on stream s wait for the event. */
rd_status rdi_event_hold(rdi_device *d, rdi_event *e, rdi_stream s);
/* Waits for both events and sets *seconds to the time from event `from` to event `to`. */
rd_status rdi_event_elapsed(rdi_device *d, rdi_event *from, rdi_event *to, double *seconds);

/* ---- sorting (sort.cu) ---- */

/* Keys of 4 or 8 bytes, each with a value. There are two arrays of keys and two of values, between
 * which the sort moves the pairs. The input is in keys[0] and values[0]. */
typedef struct rdi_device_pairs {
    void *keys[2];
    uint32_t *values[2];
    size_t n;           /* number of pairs, below 2^32 */
    unsigned key_bytes; /* size of a key, 4 or 8 */
    unsigned key_bits;  /* number of lowest bits that are compared, at least 1 */
} rdi_device_pairs;

/* Sorts the pairs by key on RDI_STREAM_WORK, stably and in ascending order. Sets *result to the
 * index of the arrays that hold the sorted pairs. `scratch` grows as needed. */
rd_status rdi_device_sort(rdi_device *d, const rdi_device_pairs *pairs, rdi_device_buffer *scratch,
                          unsigned *result);
/* Sets *bytes to the number of bytes that rdi_device_sort() needs in `scratch`. */
rd_status rdi_device_sort_bytes(rdi_device *d, const rdi_device_pairs *pairs, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
