/* Implements rd_mrc_ways() and rd_mrc_ways_band(), which estimate the miss ratio of a
 * set-associative cache from a profile, after Smith (1978).
 *
 * Every reference counts with the probability that it misses, given its distance (smith.h). The
 * references of a bin are spread over the bin like in mrc.c. So the estimate is also the expected
 * miss ratio of a fully associative cache of random size. This size is the distance at which enough
 * blocks have fallen into the set to fill it. The confidence band of a sample is therefore the mean
 * of the bands of these sizes.
 */
#include "model/mrc.h"
#include "model/smith.h"

#include <inttypes.h>

/* A bounded profile is refused if references beyond its bound could change the estimated miss ratio
 * by more than this number. */
#define UNCERTAINTY 0.0005
#define BLOCKS_MAX  (UINT64_C(1) << 60)
#define BAND_POINTS 1000 /* maximum number of sizes at which each end of the band is read */

static rd_status check_cache(rd_ctx *ctx, const rd_profile *p, uint64_t sets, uint64_t ways) {
    if (sets == 0 || ways == 0)
        return rdi_fail(ctx, RD_EINVAL, "a cache needs at least one set and one way");
    if (sets > BLOCKS_MAX / ways)
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64 " sets with %" PRIu64
                        " ways has more than 2^60 blocks; give a smaller one",
                        sets, ways);
    RD_TRY(rdi_mrc_check(ctx, p));
    const rd_profile_facts *f = rd_profile_facts_of(p);
    if (!f->bound || !f->infinite)
        return RD_OK;
    double hits = (1 - rdi_smith_miss(f->bound, sets, ways)) * (double)f->infinite;
    if (hits > UNCERTAINTY * (double)f->references)
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64 " sets with %" PRIu64
                        " ways may hit at distances of %" PRIu64
                        " blocks, the analysis bound, or more; analyze with a larger bound, or "
                        "with none",
                        sets, ways, f->bound);
    return RD_OK;
}

rd_status rd_mrc_ways(rd_ctx *ctx, const rd_profile *p, uint64_t sets, uint64_t ways,
                      double *miss_ratio, bool *interpolated) {
    RDI_NEED(ctx, ctx, p, miss_ratio);
    RD_TRY(check_cache(ctx, p, sets, ways));
    if (sets == 1)
        return rd_mrc_at(ctx, p, ways, miss_ratio, interpolated);
    rdi_mrc_scan scan = rdi_mrc_scan_start(p);
    rdi_smith smith = rdi_smith_start(sets, ways);
    double misses = (double)rd_profile_facts_of(p)->infinite;
    bool divided = false;
    for (size_t i = 0; i < scan.n; i++) {
        const rd_bin *bin = &scan.bins[i];
        rdi_mrc_spread spread = rdi_mrc_bin_spread(&scan, bin);
        misses += (double)bin->count * rdi_smith_mean(&smith, spread.from, spread.end);
        divided = divided || (rdi_mrc_bin_end(&scan, bin) - bin->low > 1 &&
                              bin->high >= smith.low && bin->low < smith.high);
    }
    *miss_ratio = scan.references ? misses / (double)scan.references : 1;
    if (interpolated)
        *interpolated = divided;
    return RD_OK;
}

/* Reads the band at a fully associative size. A size that the sample does not resolve has at least
 * the misses of the smallest size that the sample resolves. Near a bound and beyond it the band is
 * unknown: *low is 0, and *high keeps its value from the previous call, because the curve never
 * rises. */
static void read_band(rdi_band_scan *scan, uint64_t blocks, uint64_t resolution, double *low,
                      double *high) {
    double at_low = 0, at_high = *high;
    rdi_band_scan_at(scan, blocks < resolution ? resolution : blocks, &at_low, &at_high);
    *low = at_low;
    *high = blocks < resolution ? 1 : at_high;
}

rd_status rd_mrc_ways_band(rd_ctx *ctx, const rd_profile *p, uint64_t sets, uint64_t ways,
                           double *low, double *high) {
    RDI_NEED(ctx, ctx, p, low, high);
    RD_TRY(check_cache(ctx, p, sets, ways));
    if (sets == 1 || !rd_mrc_has_band(p))
        return rd_mrc_band(ctx, p, ways, low, high);
    rdi_smith smith = rdi_smith_start(sets, ways);
    rdi_band_scan lower = rdi_band_scan_start(p), upper = rdi_band_scan_start(p);
    uint64_t step = (smith.high - smith.low) / BAND_POINTS + 1, resolution = rd_mrc_resolution(p);
    double sum_low = 0, sum_high = 0, below = 0, at_low = 0, at_high = 1, unused = 1;
    for (uint64_t d = smith.low, last; d < smith.high; d = last) {
        last = smith.high - d > step ? d + step : smith.high;
        double upto = rdi_smith_at(&smith, last - 1);
        /* The random size is one of the sizes [d, last). The band is lowest at `last` and highest
         * at d. */
        read_band(&lower, last, resolution, &at_low, &unused);
        sum_low += (upto - below) * at_low;
        read_band(&upper, d, resolution, &unused, &at_high);
        sum_high += (upto - below) * at_high;
        below = upto;
    }
    *low = sum_low;
    *high = sum_high + (1 - below) * at_high;
    return RD_OK;
}
