/* Declares the stages of engine `gpu`. exact.cu runs them on the device, and plain_exact.c runs
 * them in plain memory. The stages run on RDI_STREAM_WORK, in the order of their declarations,
 * unless stated otherwise. */
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
    uint64_t *references, *sums; /* numbers of references and sums per bin; a sum adds
                                    rdi_exact_rest() of each distance */
    uint64_t *infinite;          /* number of infinite distances */
} rdi_exact_counts;

/* The data of one round. All pointers except `scratch` are to device memory. */
typedef struct rdi_exact_round {
    rdi_exact_shape shape;
    const uint64_t *stack, *refs; /* block ids */
    uint64_t least_id;            /* the sort uses id - least_id as the key */
    rdi_device_pairs pairs;       /* arrays for the sort */
    unsigned sorted;              /* index (0 or 1) of the arrays in `pairs` that hold the sorted
                                     pairs */
    rdi_exact_link *links;        /* the links of each position */
    uint16_t *rows;               /* the table inside each panel: tiles * pitch entries */
    uint32_t *panels;             /* the table of whole panels: panels * pitch entries */
    uint16_t *beside;             /* per position: number of pairs of the second kind (exact_core.h)
                                     for the next reference to its block */
    uint32_t bound;               /* bound of the distances; UINT32_MAX: none */
    uint64_t *distances;          /* distance of each reference; NULL: distances are counted in
                                     `counts` */
    rdi_exact_counts counts;      /* counts of distances, used if `distances` is NULL */
    uint64_t *stack_out;          /* the LRU stack after the round, with room for n blocks */
    uint32_t *stack_out_n;        /* length of stack_out */
    rdi_device_buffer *scratch;   /* grows as needed */
} rdi_exact_round;

/* Raises range[0] to the greatest ~id, which is ~(least id), and range[1] to the greatest id. This
 * stage runs on RDI_STREAM_OUT. On RDI_STREAM_IN it would hold up the copies to the device while
 * kernels of the current round delay it. */
rd_status rdi_exact_range(rdi_device *d, const uint64_t *ids, size_t n, uint64_t *range);

rd_status rdi_exact_keys(rdi_device *d, const rdi_exact_round *b); /* makes the pairs to sort */
/* Makes the links from the sorted pairs. */
rd_status rdi_exact_links(rdi_device *d, const rdi_exact_round *b);
rd_status rdi_exact_table(rdi_device *d, const rdi_exact_round *b);
rd_status rdi_exact_buckets(rdi_device *d, const rdi_exact_round *b); /* fills `beside` */
/* Computes the distances, and stores them in `distances` or counts them in `counts`. */
rd_status rdi_exact_tiles(rdi_device *d, const rdi_exact_round *b);
rd_status rdi_exact_carry(rdi_device *d, const rdi_exact_round *b); /* fills `stack_out` */

#ifdef __cplusplus
}
#endif
#endif
