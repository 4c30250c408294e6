/* Counts requests and the bytes that they ask for, in bins of distances in bytes.
 *
 * Distances below 256 bytes have a bin each. The width of any other bin is at most 1/128 of its
 * smallest distance. The cache sizes that the caller gives are also ends of bins, so that the miss
 * ratios of these caches are exact. */
#ifndef RDI_BYTE_BINS_H
#define RDI_BYTE_BINS_H

#include "base/common.h"

#define RDI_BYTE_BIN_BITS 7

typedef struct rdi_byte_bin {
    uint64_t end;   /* the largest distance of the bin, plus 1 */
    uint64_t count; /* number of requests */
    rdi_u128 bytes; /* sum of the bytes that these requests ask for */
} rdi_byte_bin;

typedef struct rdi_byte_bins {
    rdi_byte_bin *bin;
    uint32_t *first; /* per undivided bin: index of the first bin that it is divided into */
    size_t n;
} rdi_byte_bins;

/* Makes empty bins, and divides them so that a bin ends at each of the `n` cache sizes in bytes,
 * which may have any order. */
rd_status rdi_byte_bins_init(rdi_byte_bins *b, rd_ctx *ctx, const uint64_t *sizes, size_t n);
void rdi_byte_bins_fini(rdi_byte_bins *b, rd_ctx *ctx); /* zeroed bins are allowed */

/* Returns the index of the undivided bin of a distance: the bin before cache sizes divide it. */
static inline size_t rdi_byte_bin_index(uint64_t distance) {
    unsigned width = rdi_bit_width(distance);
    unsigned shift = width > RDI_BYTE_BIN_BITS + 1 ? width - RDI_BYTE_BIN_BITS - 1 : 0;
    return ((size_t)shift << RDI_BYTE_BIN_BITS) + (size_t)(distance >> shift);
}

static inline void rdi_byte_bins_add(rdi_byte_bins *b, uint64_t distance, uint64_t bytes) {
    rdi_byte_bin *bin = &b->bin[b->first[rdi_byte_bin_index(distance)]];
    while (RDI_UNLIKELY(distance >= bin->end))
        bin++;
    bin->count++;
    bin->bytes += bytes;
}

#endif
