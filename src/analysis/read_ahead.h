/* Several threads decode a trace file ahead of its use, and one thread delivers the blocks in
 * order.
 *
 * The trace is divided into slices with the same number of references. Decoder i of n reads slices
 * i, i + n, i + 2n ... into its own buffers, and waits when they are full. So memory is bounded for
 * every trace and mapping. The consumer takes the slices in order, so that exactly the blocks
 * before damage are delivered.
 */
#ifndef RDI_READ_AHEAD_H
#define RDI_READ_AHEAD_H

#include "analysis/block_kinds.h"
#include "base/common.h"
#include "reusedist/engine.h"
#include "reusedist/trace.h"

/* Number of references per slice: eight frames of a native trace, unless frames are shorter. */
#define RDI_READ_AHEAD_SLICE ((uint64_t)1 << 19)
/* Maximum number of decoders; more would deliver more than one thread can process. */
#define RDI_READ_AHEAD_DECODERS 16
#define RDI_READ_AHEAD_KEPT     6

typedef struct rdi_read_ahead rdi_read_ahead;

typedef struct rdi_read_ahead_config {
    const char *path, *format; /* arguments of rd_trace_open(), borrowed */
    rd_mapping mapping;        /* if it asks for origins, batches have kinds */
    uint64_t references;       /* number of references in the trace, from rd_trace_count() */
    uint64_t slice;            /* number of references per slice, at least 1 */
    bool processes;            /* the argument of rdi_threads_see() for batches */
    rd_engine *engine;         /* pins the buffers if it can, see rd_engine_pin(); NULL: none */
    uint64_t kept;     /* number of earlier batches that stay valid while a batch is used, at most
                          RDI_READ_AHEAD_KEPT */
    uint64_t decoders; /* requested number of decoders; fewer are started if fewer are useful */
} rdi_read_ahead_config;

/* Consecutive blocks, borrowed until `kept` + 1 more calls of rdi_read_ahead_next(), or
 * rdi_read_ahead_close(). */
typedef struct rdi_read_ahead_batch {
    const uint64_t *blocks;
    const uint8_t *kinds; /* kind of the reference of each block; NULL if the mapping has no
                             origins */
    size_t n;             /* number of blocks; may be 0, for example if all references of the batch
                            have kinds that are not analyzed */
    uint64_t references;  /* number of references that were read into this batch; the last blocks
                            of some references may be in the next batch */
    uint64_t bytes;       /* number of bytes of the file up to this point */
    rdi_threads_seen threads; /* the threads of the references, if the mapping has origins */
} rdi_read_ahead_batch;

/* Starts the decoders. Returns RD_ENOMEM if there is no memory or no thread for them.
 * rdi_read_ahead_next() reports every other failure. */
RD_CHECKED rd_status rdi_read_ahead_open(rd_ctx *ctx, const rdi_read_ahead_config *config,
                                         rdi_read_ahead **out);
/* Sets *out to the next blocks, or to NULL at the end. After a failure only rdi_read_ahead_close()
 * is allowed. */
RD_CHECKED rd_status rdi_read_ahead_next(rdi_read_ahead *r, const rdi_read_ahead_batch **out);
void rdi_read_ahead_close(rdi_read_ahead *r);

#endif
