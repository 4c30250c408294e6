/* The stages of the exact GPU engine. exact.cu runs them on the device, plain_exact.c in plain
 * memory. All work on RDI_STREAM_WORK, in the order in which they stand here, unless it says
 * otherwise. */
#ifndef RDI_EXACT_H
#define RDI_EXACT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/gpu/exact_core.h"

/* Where distances are counted; in device memory. */
typedef struct rdi_exact_counts {
    rdi_exact_bins bins;
    uint32_t n;                  /* bins there are */
    uint64_t *references, *sums; /* of each bin; a sum is of rdi_exact_rest() */
    uint64_t *infinite;          /* one number */
} rdi_exact_counts;

/* One batch; all pointers are to device memory. */
typedef struct rdi_exact_batch {
    rdi_exact_shape shape;
    const uint64_t *stack, *refs; /* block ids */
    uint64_t least_id;            /* keys of the sort are differences to it */
    rdi_device_pairs pairs;       /* room for the sort, which has n, width and bits */
    unsigned sorted;              /* which of the pairs' arrays */
    rdi_exact_link *links;        /* by position */
    uint16_t *rows;               /* the table: blocks * pitch ... */
    uint32_t *segments;           /* ... and segments * pitch */
    uint16_t *beside;             /* by position: pairs of the second kind of the reference next */
    uint32_t bound;               /* UINT32_MAX: none */
    uint64_t *distances;          /* by reference, or NULL: ... */
    rdi_exact_counts counts;      /* ... count them */
    uint64_t *stack_out;          /* the stack after the batch: room for n */
    uint32_t *stack_out_n;        /* one number */
    rdi_device_buffer *scratch;   /* grows as needed */
} rdi_exact_batch;

/* Lifts range[0] to the greatest ~id and range[1] to the greatest id. On RDI_STREAM_OUT: kernels of
 * the batch under way may hold it up, and copies to the device shall go on meanwhile. */
rd_status rdi_exact_range(rdi_device *d, const uint64_t *ids, size_t n, uint64_t *range);

rd_status rdi_exact_keys(rdi_device *d, const rdi_exact_batch *b);  /* pairs to be sorted */
rd_status rdi_exact_links(rdi_device *d, const rdi_exact_batch *b); /* from sorted pairs */
rd_status rdi_exact_table(rdi_device *d, const rdi_exact_batch *b);
rd_status rdi_exact_buckets(rdi_device *d, const rdi_exact_batch *b); /* beside */
rd_status rdi_exact_blocks(rdi_device *d, const rdi_exact_batch *b);  /* distances, counts */
rd_status rdi_exact_carry(rdi_device *d, const rdi_exact_batch *b);   /* stack_out */

#ifdef __cplusplus
}
#endif
#endif
