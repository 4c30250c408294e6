/* Computes the costs of object caches, and the cheapest size. See reusedist/objects.h. */
#include "base/sized.h"
#include "model/mrc.h"

#include <math.h>

/* A scan over the costs of caches of increasing size. */
typedef struct cost_scan {
    rdi_mrc_scan misses;
    const rd_objects_facts *facts;
    rd_object_prices prices;
} cost_scan;

static rd_status start(rd_ctx *ctx, const rd_profile *p, const rd_object_prices *prices,
                       cost_scan *out) {
    rd_object_prices known;
    RD_TRY(rdi_sized_copy(ctx, "rd_object_prices", prices, &known, sizeof known));
    if (!rd_profile_objects(p))
        return rdi_fail(ctx, RD_EINVAL,
                        "this profile does not count bytes of objects; analyze the trace with "
                        "--weight=bytes");
    if (!(known.per_gb >= 0 && known.per_miss >= 0) || !isfinite(known.per_gb) ||
        !isfinite(known.per_miss))
        return rdi_fail(
            ctx, RD_EINVAL,
            "a GB costs %g and a miss costs %g; both must be finite numbers of at least 0",
            known.per_gb, known.per_miss);
    if (known.per_gb == 0 && known.per_miss == 0)
        return rdi_fail(
            ctx, RD_EINVAL,
            "a GB and a miss both cost 0, so all caches cost the same; give at least one "
            "price above 0");
    *out = (cost_scan){rdi_mrc_scan_start(p), rd_profile_objects(p), known};
    return RD_OK;
}

/* Returns the cost at `bytes`, which must not decrease from call to call. */
static rd_object_cost cost_at(cost_scan *scan, uint64_t bytes) {
    const rd_objects_facts *f = scan->facts;
    rd_object_cost cost = {.bytes = bytes,
                           .miss_ratio = 1,
                           .memory = (double)bytes * scan->prices.per_gb / 1e9,
                           .below_largest = bytes > 0 && bytes < f->largest};
    if (bytes)
        cost.miss_ratio = rdi_mrc_scan_at(&scan->misses, bytes, &cost.interpolated);
    cost.misses = cost.miss_ratio * (double)f->counted.requests * scan->prices.per_miss;
    cost.total = cost.memory + cost.misses;
    return cost;
}

rd_status rd_objects_cost(rd_ctx *ctx, const rd_profile *p, const rd_object_prices *prices,
                          uint64_t bytes, rd_object_cost *out) {
    RDI_NEED(ctx, ctx, p, prices, out);
    cost_scan scan;
    RD_TRY(start(ctx, p, prices, &scan));
    *out = cost_at(&scan, bytes);
    return RD_OK;
}

/* The cheapest size is 0 (no cache), the end of a bin, or the smallest size that is considered,
 * which is the size of the largest object or the smallest size that a sample resolves, whichever is
 * larger. Sizes inside a bin are not tried: the misses there are only interpolated. */
rd_status rd_objects_cheapest(rd_ctx *ctx, const rd_profile *p, const rd_object_prices *prices,
                              rd_object_cost *out) {
    RDI_NEED(ctx, ctx, p, prices, out);
    cost_scan scan;
    RD_TRY(start(ctx, p, prices, &scan));
    uint64_t least = scan.facts->largest;
    least = rd_mrc_resolution(p) > least ? rd_mrc_resolution(p) : least;
    rd_object_cost best = cost_at(&scan, 0), here = cost_at(&scan, least);
    if (!here.interpolated && here.total < best.total)
        best = here;
    for (size_t i = 0; i < scan.misses.n; i++) {
        uint64_t end = rdi_mrc_bin_end(&scan.misses, &scan.misses.bins[i]);
        if (end < least)
            continue;
        here = cost_at(&scan, end);
        best = here.total < best.total ? here : best;
    }
    *out = best;
    return RD_OK;
}
