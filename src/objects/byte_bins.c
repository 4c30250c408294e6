/* Implements the bins of distances in bytes. See byte_bins.h. */
#include "objects/byte_bins.h"

#include <stdlib.h>

#define UNDIVIDED ((64 - RDI_BYTE_BIN_BITS + 1) << RDI_BYTE_BIN_BITS)

/* Returns the largest distance of undivided bin i plus 1, or UINT64_MAX for the last bin. */
static uint64_t bin_end(size_t i) {
    size_t shift = i >> RDI_BYTE_BIN_BITS;
    shift = shift > 0 ? shift - 1 : 0;
    uint64_t next = i + 1 - (shift << RDI_BYTE_BIN_BITS);
    return i + 1 == UNDIVIDED ? UINT64_MAX : next << shift;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A cache of S bytes hits the distances below S, so S is the end of a bin. */
rd_status rdi_byte_bins_init(rdi_byte_bins *b, rd_ctx *ctx, const uint64_t *sizes, size_t n) {
    *b = (rdi_byte_bins){0};
    b->bin = rdi_calloc(ctx, UNDIVIDED + n, sizeof *b->bin);
    b->first = rdi_alloc(ctx, UNDIVIDED, sizeof *b->first);
    uint64_t *sorted = rdi_alloc(ctx, n ? n : 1, sizeof *sorted);
    if (!b->bin || !b->first || !sorted) {
        rdi_free(ctx, sorted);
        return RD_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        sorted[i] = sizes[i];
    qsort(sorted, n, sizeof *sorted, ascending);
    size_t k = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < UNDIVIDED; i++) {
        uint64_t end = bin_end(i);
        b->first[i] = (uint32_t)b->n;
        for (; k < n && sorted[k] < end; k++)
            if (sorted[k] > last)
                b->bin[b->n++].end = last = sorted[k];
        b->bin[b->n++].end = last = end;
    }
    rdi_free(ctx, sorted);
    return RD_OK;
}

void rdi_byte_bins_fini(rdi_byte_bins *b, rd_ctx *ctx) {
    rdi_free(ctx, b->bin);
    rdi_free(ctx, b->first);
}
