/* Implements rd_cache_for_hits_band(), which computes the range of sizes that the confidence band
 * of a sampled profile allows for the smallest cache with a given hit ratio. */
#include "model/mrc.h"

/* The tolerance of comparisons with the requested ratio, as in rd_cache_for_hits(). */
#define TOLERANCE 1e-12

/* A question about cache sizes: is the miss ratio at most `misses`, possibly or certainly? */
typedef struct size_question {
    const rd_profile *p;
    double misses;
    bool is_certain; /* true: certainly, by the high end of the band; false: possibly, by the low
                        end of the band */
} size_question;

/* Returns whether the answer to the question is yes for a cache of `blocks` blocks. Returns false
 * where the band is unknown, near the bound of the profile and beyond it. */
static bool is_enough(const size_question *q, uint64_t blocks) {
    double low, high;
    rdi_band_scan scan = rdi_band_scan_start(q->p);
    return rdi_band_scan_at(&scan, blocks, &low, &high) &&
           (q->is_certain ? high : low) <= q->misses;
}

/* Returns the smallest size from `from` to `to` for which the answer is yes, if it is yes for
 * `to`. */
static uint64_t smallest_between(const size_question *q, uint64_t from, uint64_t to) {
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (is_enough(q, middle))
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

/* Returns the smallest size from `from` on for which the answer is yes, or RD_UNKNOWN if there is
 * none. Between two powers of two, the band only falls. At a power of two it may rise, because
 * every power of two has its own uncertainty. */
static uint64_t smallest_size(const size_question *q, uint64_t from) {
    uint64_t bound = rd_profile_facts_of(q->p)->bound, end = bound ? bound : UINT64_C(1) << 62;
    if (is_enough(q, from))
        return from;
    while (from < end) {
        uint64_t last = from ? (UINT64_C(1) << rdi_bit_width(from)) - 1 : 0;
        uint64_t to = last < end ? last : end;
        if (is_enough(q, to))
            return smallest_between(q, from, to);
        from = to + 1;
    }
    return RD_UNKNOWN;
}

rd_status rd_cache_for_hits_band(rd_ctx *ctx, const rd_profile *p, double hits, uint64_t *low,
                                 uint64_t *high) {
    double misses[2];
    RDI_NEED(ctx, ctx, p, low, high);
    if (!(hits >= 0 && hits <= 1))
        return rdi_fail(ctx, RD_EINVAL, "the hit ratio is %g; it must be from 0 to 1", hits);
    RD_TRY(rd_mrc_band(ctx, p, 0, &misses[0], &misses[1]));
    uint64_t resolution = rd_mrc_resolution(p);
    size_question q = {.p = p, .misses = 1 - hits * (1 - TOLERANCE)};
    uint64_t smallest = smallest_size(&q, resolution);
    *low = resolution && smallest == resolution ? RD_UNKNOWN : smallest;
    q.is_certain = true;
    *high = smallest_size(&q, resolution);
    return RD_OK;
}
