/* Computes the confidence band around the miss ratios of a sampled profile. */
#include "reusedist/model.h"

#include "base/common.h"
#include "profile/profile_build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define QUANTILE 1.96 /* quantile of the normal distribution for 95 % confidence */

/* Returns the error of a cache size in blocks: the number of sampled blocks among `blocks` blocks
 * has a binomial distribution. */
static double size_error(uint64_t blocks, double rate) {
    return QUANTILE * sqrt((double)blocks * (1 - rate) / rate);
}

static uint64_t to_size(double blocks) {
    return blocks <= 0 ? 0 : blocks < 0x1p63 ? (uint64_t)blocks : UINT64_C(1) << 63;
}

bool rd_mrc_has_band(const rd_profile *p) {
    const rd_profile_facts *f = rd_profile_facts_of(p);
    return f && f->error_kind && strcmp(f->error_kind, RDI_KIND_SAMPLED) == 0 && f->sample_rate > 0;
}

/* Reads the curve at both ends of the range in which the cache size may lie, and adds the
 * uncertainty of the curve itself. */
rd_status rd_mrc_band(rd_ctx *ctx, const rd_profile *p, uint64_t blocks, double *low,
                      double *high) {
    RDI_NEED(ctx, ctx, p, low, high);
    const rd_profile_facts *f = rd_profile_facts_of(p);
    if (!rd_mrc_has_band(p))
        return rdi_fail(ctx, RD_EINVAL,
                        "the profile was not sampled, so it has no confidence band");
    double off = size_error(blocks, f->sample_rate), at_more = 0, at_less = 0;
    RD_TRY(rd_mrc_at(ctx, p, to_size(ceil((double)blocks + off)), &at_more, NULL));
    RD_TRY(rd_mrc_at(ctx, p, to_size(floor((double)blocks - off)), &at_less, NULL));
    /* The half width at the next lower power of two, which is at least as wide. */
    double half = f->half_width[blocks ? rdi_bit_width(blocks) - 1 : 0];
    *low = at_more > half ? at_more - half : 0;
    *high = at_less + half < 1 ? at_less + half : 1;
    return RD_OK;
}
