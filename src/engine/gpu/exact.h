/* The stages of the exact GPU engine. exact.cu runs them on the device, plain_exact.c in plain
 * memory. They run on RDI_STREAM_WORK, in the order of their declarations, unless stated
 * otherwise. */
#ifndef RDI_EXACT_H
#define RDI_EXACT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "engine/gpu/device.h"
#include "engine/gpu/exact_core.h"

/* The counts of distances, in device memory. */
typedef struct rdi_exact_counts {
    rdi_exact_bins bins;
    uint32_t n;                  /* number of bins */
    uint64_t *references, *sums; /* per bin; a sum adds rdi_exact_rest() of each distance */
    uint64_t *infinite;          /* number of infinite distances */
} rdi_exact_counts;

/* One batch. All pointers are to device memory. */
typedef struct rdi_exact_batch {
    rdi_exact_shape shape;
    const uint64_t *stack, *refs; /* block ids */
    uint64_t least_id;            /* the keys of the sort are differences to it */
    rdi_device_pairs pairs;       /* arrays for the sort, with n, width and bits */
    unsigned sorted;              /* which of the pairs' arrays holds the sorted pairs */
    rdi_exact_link *links;        /* by position */
    uint16_t *rows;               /* the table: blocks * pitch entries */
    uint32_t *segments;           /* the table: segments * pitch entries */
    uint16_t *beside;             /* by position: pairs of the second kind of its next reference */
    uint32_t bound;               /* UINT32_MAX: none */
    uint64_t *distances;          /* by reference; NULL: count them in `counts` */
    rdi_exact_counts counts;      /* if `distances` is NULL */
    uint64_t *stack_out;          /* the LRU stack after the batch: room for n */
    uint32_t *stack_out_n;        /* its length */
    rdi_device_buffer *scratch;   /* grows as needed */
} rdi_exact_batch;

/* Raises range[0] to the greatest ~id and range[1] to the greatest id. Runs on RDI_STREAM_OUT,
 * because kernels of the current batch may delay it, and copies to the device must continue
 * meanwhile. */
rd_status rdi_exact_range(rdi_device *d, const uint64_t *ids, size_t n, uint64_t *range);

rd_status rdi_exact_keys(rdi_device *d, const rdi_exact_batch *b);  /* pairs to sort */
rd_status rdi_exact_links(rdi_device *d, const rdi_exact_batch *b); /* from sorted pairs */
rd_status rdi_exact_table(rdi_device *d, const rdi_exact_batch *b);
rd_status rdi_exact_buckets(rdi_device *d, const rdi_exact_batch *b); /* beside */
rd_status rdi_exact_blocks(rdi_device *d, const rdi_exact_batch *b);  /* distances, counts */
rd_status rdi_exact_carry(rdi_device *d, const rdi_exact_batch *b);   /* stack_out */

#ifdef __cplusplus
}
#endif
#endif
