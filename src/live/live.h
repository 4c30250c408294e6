/* The analyzer's side of the channel: the object that owns the shared memory (live.c), and the
 * trace that is read from it (live_trace.c). */
#ifndef RDI_LIVE_H
#define RDI_LIVE_H

#include "base/common.h"
#include "live/channel.h"
#include "reusedist/trace.h"

#include <time.h>

struct rd_live {
    rd_ctx *ctx;
    rd_live_config config;
    int fd;
    rdi_channel *channel; /* NULL: not mapped */
    unsigned buffers;     /* number of buffers in the channel */
    /* Copies of fields in the channel's head, because recorded programs can change the head. */
    uint32_t collapse, vector_bits;
    char path[64];    /* path under which recorders open the memory */
    bool stopped;     /* true: the trace ends after the current buffer; accessed atomically */
    uint64_t repeats; /* number of references that recorders removed from the buffers read so far */
};

/* Makes the system call futex(2) on a counter of the channel. `wait` is the timeout of a wait; NULL:
 * none. */
void rdi_channel_futex(uint32_t *counter, int operation, uint32_t value,
                       const struct timespec *wait);

/* Wakes all recorders that wait for a free buffer. */
void rdi_channel_wake_recorders(rdi_channel *channel);

#endif
