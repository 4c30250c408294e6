/* Computes the confidence band around the miss ratios of a sampled profile. The sample consists of
 * blocks (engine shards), of objects (rd_objects_config.sample_rate), or of bursts of
 * references. */
#include "model/mrc.h"

#include "profile/profile_build.h"
#include "reusedist/objects.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define QUANTILE 1.96 /* quantile of the normal distribution for 95 % confidence */

/* Returns by how many blocks a cache size of `blocks` blocks may be off, with 95 % confidence, if
 * the fraction `rate` of all blocks is sampled: the number of sampled blocks among `blocks` blocks
 * has a binomial distribution. */
static double size_error(uint64_t blocks, double rate) {
    return QUANTILE * sqrt((double)blocks * (1 - rate) / rate);
}

/* Returns log2 of the largest power of two that is at most `blocks`, or 0 if `blocks` is 0: the
 * index into the arrays of the facts that have one element per power of two. For object caches,
 * `blocks` is a number of bytes. */
static size_t power_of(uint64_t blocks) {
    return blocks ? rdi_bit_width(blocks) - 1 : 0;
}

/* Returns by how many blocks, or bytes of objects, a cache size may be off. The facts of a sample
 * of objects state this error as a fraction of the size, because it depends on the sizes of the
 * objects. */
static double size_error_of(const rdi_band_scan *scan, uint64_t blocks) {
    if (scan->objects)
        return (double)blocks * scan->objects->size_error[power_of(blocks)];
    return size_error(blocks, scan->facts->sample_rate);
}

static uint64_t to_size(double blocks) {
    return blocks <= 0 ? 0 : blocks < 0x1p63 ? (uint64_t)blocks : UINT64_C(1) << 63;
}

uint64_t rd_mrc_resolution(const rd_profile *p) {
    return p ? rdi_profile_resolution(p) : 0;
}

static bool has_error_kind(const rd_profile_facts *f, const char *kind) {
    return f && f->error_kind && strcmp(f->error_kind, kind) == 0;
}

static bool has_burst_band(const rd_profile_facts *f) {
    return has_error_kind(f, RDI_KIND_BURSTS) && f->n_band > 0;
}

bool rd_mrc_has_band(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    return (has_error_kind(f, RDI_KIND_SAMPLED) && f->sample_rate > 0) || has_burst_band(f);
}

/* Sets *low and *high to the band of a run that was recorded in bursts. The facts have the band at
 * powers of two. Between two powers of two, the band at the smaller power limits the miss ratio
 * from above, and the band at the larger power limits it from below. */
static void burst_band(const rd_profile_facts *f, uint64_t blocks, double *low, double *high) {
    size_t above = blocks > 1 ? rdi_bit_width(blocks - 1) : 0;
    size_t below = blocks ? rdi_bit_width(blocks) - 1 : 0, last = f->n_band - 1;
    *low = f->band_low[above < last ? above : last];
    *high = blocks ? f->band_high[below < last ? below : last] : 1;
}

rdi_band_scan rdi_band_scan_start(const rd_profile *p) {
    return (rdi_band_scan){.facts = rd_profile_facts_of(p),
                           .objects = rd_profile_objects(p),
                           .more = rdi_mrc_scan_start(p),
                           .less = rdi_mrc_scan_start(p)};
}

/* If the run was recorded in bursts, takes the band from the facts. Otherwise reads the curve at
 * both ends of the range in which the cache size may lie, and adds the uncertainty of the curve
 * itself, which the facts have at powers of two. */
bool rdi_band_scan_at(rdi_band_scan *scan, uint64_t blocks, double *low, double *high) {
    const rd_profile_facts *f = scan->facts;
    if (has_burst_band(f)) {
        burst_band(f, blocks, low, high);
        return true;
    }
    double off = size_error_of(scan, blocks);
    uint64_t more = to_size(ceil((double)blocks + off));
    if (f->bound && more > f->bound)
        return false;
    bool divided;
    double at_more = rdi_mrc_scan_at(&scan->more, more, &divided);
    double at_less = rdi_mrc_scan_at(&scan->less, to_size(floor((double)blocks - off)), &divided);
    double half = f->half_width[power_of(blocks)];
    *low = at_more > half ? at_more - half : 0;
    *high = at_less + half < 1 ? at_less + half : 1;
    return true;
}

rd_status rd_mrc_band(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *low,
                      double *high) {
    RDI_NEED(ctx, ctx, p, low, high);
    if (!rd_mrc_has_band(p))
        return rdi_fail(
            ctx, RD_EINVAL,
            "the profile has no confidence band; engine shards and bursts (--burst) give one");
    rdi_band_scan scan = rdi_band_scan_start(p);
    if (!rdi_band_scan_at(&scan, blocks, low, high))
        return rdi_fail(ctx, RD_EINVAL,
                        "a cache of %" PRIu64
                        " blocks is too close to the analysis bound of %" PRIu64
                        " blocks, so its confidence band is unknown; analyze with a larger bound, "
                        "or with none",
                        blocks, scan.facts->bound);
    return RD_OK;
}

/* Reads the byte curve at both ends of the range in which the cache size may lie, like
 * rdi_band_scan_at() for requests. */
rd_status rd_objects_band(rd_ctx *ctx, const rd_profile *p, uint64_t bytes, double *low,
                          double *high) {
    RDI_NEED(ctx, ctx, p, low, high);
    const rd_objects_facts *f = rd_profile_objects(p);
    double ratio, at_more, at_less;
    if (!f || !f->is_sample)
        return rdi_fail(ctx, RD_EINVAL,
                        "the profile has no confidence band; analyze with --weight=bytes and -e "
                        "shards:rate=0.01 to get one");
    double off = (double)bytes * f->size_error[power_of(bytes)];
    uint64_t more = to_size(ceil((double)bytes + off)), less = to_size(floor((double)bytes - off));
    RD_TRY(rd_objects_at(ctx, p, more, &ratio, &at_more, NULL));
    RD_TRY(rd_objects_at(ctx, p, less, &ratio, &at_less, NULL));
    double half = f->byte_half_width[power_of(bytes)];
    *low = at_more > half ? at_more - half : 0;
    *high = at_less + half < 1 ? at_less + half : 1;
    return RD_OK;
}
