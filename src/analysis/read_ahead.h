/* A trace file decoded by several threads ahead of its use, and delivered in order by one.
 *
 * The trace is cut into slices of equally many references. Decoder i of n reads slices i, i + n,
 * i + 2n ... into a few buffers of its own and waits when they are full: memory stays bounded
 * whatever the trace and the mapping. Whoever reads takes the slices in their order, so that what
 * comes before damage is delivered exactly.
 */
#ifndef RDI_READ_AHEAD_H
#define RDI_READ_AHEAD_H

#include "base/common.h"
#include "reusedist/trace.h"

#define RDI_READ_AHEAD_SLICE    ((uint64_t)1 << 19) /* references: whole frames of a native trace */
#define RDI_READ_AHEAD_DECODERS 16 /* at most: they deliver more than one thread can take */

typedef struct rdi_read_ahead rdi_read_ahead;

typedef struct rdi_read_ahead_config {
    const char *path, *format; /* borrowed; `format` as for rd_trace_open() */
    rd_mapping mapping;
    uint64_t references; /* of the trace: rd_trace_count() */
    uint64_t slice;      /* references, at least 1 */
    uint64_t decoders;   /* as many as wanted: there will be no more than are of use */
} rdi_read_ahead_config;

/* Blocks that follow each other, borrowed until the next call. */
typedef struct rdi_read_ahead_batch {
    const uint64_t *blocks;
    size_t n;            /* 0 when the kinds of these references are not wanted */
    uint64_t references; /* that were read to their end */
    uint64_t bytes;      /* of the file, up to here */
} rdi_read_ahead_batch;

/* RD_ENOMEM: no memory, or no threads. Whatever else is wrong, rdi_read_ahead_next() tells. */
RD_CHECKED rd_status rdi_read_ahead_open(rd_ctx *ctx, const rdi_read_ahead_config *config,
                                         rdi_read_ahead **out);
/* *out is NULL at the end. After a failure only rdi_read_ahead_close() is allowed. */
RD_CHECKED rd_status rdi_read_ahead_next(rdi_read_ahead *r, const rdi_read_ahead_batch **out);
void rdi_read_ahead_close(rdi_read_ahead *r);

#endif
