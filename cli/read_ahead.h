/* A trace file decoded by several threads ahead of its use, and delivered in order by one.
 *
 * The trace is cut into slices of equally many references. Decoder i of n reads slices i, i + n,
 * i + 2n ... into a few buffers of its own and waits when they are full: memory stays bounded
 * whatever the trace and the mapping. Whoever reads takes the slices in their order, so that what
 * comes before damage is delivered exactly.
 */
#ifndef RD_READ_AHEAD_H
#define RD_READ_AHEAD_H

#include "cli.h"

#define READ_AHEAD_SLICE    ((uint64_t)1 << 19) /* references: whole frames of a native trace */
#define READ_AHEAD_DECODERS 16 /* at most: they deliver more than one thread can take */

typedef struct read_ahead read_ahead;

typedef struct read_ahead_config {
    const char *path, *format; /* borrowed; `format` as for rd_trace_open(), NULL: by content */
    rd_mapping mapping;
    uint64_t references; /* of the trace: rd_trace_count() */
    uint64_t slice;      /* references, at least 1 */
    uint64_t decoders;   /* as many as wanted: there will be no more than are of use */
} read_ahead_config;

/* Blocks that follow each other, borrowed until the next call. */
typedef struct read_ahead_batch {
    const uint64_t *blocks;
    size_t n;            /* 0 when the kinds of these references are not wanted */
    uint64_t references; /* that were read to their end */
    uint64_t bytes;      /* of the file, up to here */
} read_ahead_batch;

/* NULL: no memory, or no threads. Whatever else is wrong, the first read_ahead_next() tells. */
read_ahead *read_ahead_open(const read_ahead_config *config);
/* *out is NULL at the end. After a failure only read_ahead_error() and read_ahead_close(). */
RD_CHECKED rd_status read_ahead_next(read_ahead *r, const read_ahead_batch **out);
/* What read_ahead_next() failed with, for people. */
const char *read_ahead_error(const read_ahead *r);
/* Memory of all decoders, at most. */
size_t read_ahead_peak_bytes(const read_ahead *r);
void read_ahead_close(read_ahead *r);

#endif
