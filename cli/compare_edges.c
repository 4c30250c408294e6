/* Finds the sizes around a cache size at which a profile has exact miss ratios. See compare_measure.h. */
#include "compare_measure.h"

/* Returns the first size, in blocks, at which all distances of the bin are hits. As in the miss-ratio curve, no
 * distance reaches the bound or the number of blocks. */
static uint64_t bin_end(const rd_profile_facts *f, const rd_bin *bin) {
    uint64_t end = bin->high + 1; /* distances are below 2^64 - 1 */
    uint64_t limit = f->bound ? f->bound : f->blocks;
    return limit != RD_UNKNOWN && limit > bin->low && limit < end ? limit : end;
}

bool compare_find_edges(const rd_profile *p, uint64_t size, uint64_t *below, uint64_t *above) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    uint64_t unit = f->block_bytes ? f->block_bytes : 1, low = size / unit, high = low;
    const rd_bin *bins;
    size_t n = rd_profile_bins(p, &bins);
    /* Reference groups may overlap, so that a bin can contain the edge of another one. */
    for (size_t i = n; i-- > 0;)
        low = bins[i].low < low && low < bin_end(f, &bins[i]) ? bins[i].low : low;
    for (size_t i = 0; i < n; i++)
        high = bins[i].low < high && high < bin_end(f, &bins[i]) ? bin_end(f, &bins[i]) : high;
    *below = low * unit;
    return low < high && !__builtin_mul_overflow(high, unit, above);
}
