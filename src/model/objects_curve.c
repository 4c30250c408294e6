/* Computes both miss ratios of a cache of objects. See reusedist/objects.h. */
#include "model/mrc.h"
#include "profile/hist.h"
#include "reusedist/objects.h"

/* Returns the number of requested bytes that a cache of `bytes` bytes hits. Inside a row of the
 * histogram, the number is interpolated. */
static double bytes_hit(const rd_objects_facts *f, uint64_t bytes) {
    rdi_u128 below = 0;
    size_t i = 0;
    for (; i < f->n_bins && f->bins[i].high < bytes; i++)
        below += rdi_sum_wide(f->bins[i].bytes);
    double part = 0;
    if (i < f->n_bins && f->bins[i].low < bytes)
        part = (double)rdi_sum_wide(f->bins[i].bytes) * (double)(bytes - f->bins[i].low) /
               ((double)(f->bins[i].high - f->bins[i].low) + 1);
    return (double)below + part;
}

rd_status rd_objects_at(rd_ctx *ctx, const rd_profile *p, uint64_t bytes, double *miss_ratio,
                        double *byte_miss_ratio, bool *interpolated) {
    RDI_NEED(ctx, ctx, p, miss_ratio, byte_miss_ratio);
    const rd_objects_facts *f = rd_profile_objects(p);
    if (!f)
        return rdi_fail(ctx, RD_EINVAL,
                        "this profile does not count bytes of objects; analyze the trace with "
                        "--weight=bytes");
    RD_TRY(rd_mrc_at(ctx, p, bytes, miss_ratio, interpolated));
    double requested = (double)rdi_sum_wide(f->counted.bytes);
    *byte_miss_ratio = requested > 0 ? (requested - bytes_hit(f, bytes)) / requested : 1;
    return RD_OK;
}
