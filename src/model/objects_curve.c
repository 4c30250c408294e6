/* Computes the miss ratio and the byte miss ratio of a cache of objects, for the whole trace and
 * for stretches of time. See reusedist/objects.h. */
#include "model/objects_curve.h"

#include "model/mrc.h"
#include "profile/hist.h"
#include "reusedist/objects.h"

double rdi_byte_scan_at(rdi_byte_scan *scan, uint64_t bytes) {
    const rd_objects_facts *f = scan->facts;
    for (; scan->next < f->n_bins && f->bins[scan->next].high < bytes; scan->next++)
        scan->below += rdi_sum_wide(f->bins[scan->next].bytes);
    const rd_byte_bin *bin = &f->bins[scan->next];
    double part = 0, requested = (double)rdi_sum_wide(f->counted.bytes);
    if (scan->next < f->n_bins && bin->low < bytes)
        part = (double)rdi_sum_wide(bin->bytes) * (double)(bytes - bin->low) /
               ((double)(bin->high - bin->low) + 1);
    return requested > 0 ? (requested - ((double)scan->below + part)) / requested : 1;
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
    *byte_miss_ratio = rdi_byte_scan_at(&(rdi_byte_scan){.facts = f}, bytes);
    return RD_OK;
}

rd_stretch_ratios rd_stretch_at(const rd_stretch *s, uint64_t bytes) {
    rd_stretch_ratios out = {1, 1, false};
    double hits = 0, hit_bytes = 0, requests, requested;
    if (!s || s->counted.requests == 0)
        return out;
    for (size_t i = 0; i < s->n_bins && s->bins[i].low < bytes; i++) {
        const rd_stretch_bin *b = &s->bins[i];
        double part = 1;
        if (b->high >= bytes) {
            part = (double)(bytes - b->low) / ((double)(b->high - b->low) + 1);
            out.interpolated = true;
        }
        hits += part * (double)b->requests;
        hit_bytes += part * (double)rdi_sum_wide(b->bytes);
    }
    requests = (double)s->counted.requests;
    requested = (double)rdi_sum_wide(s->counted.bytes);
    out.miss_ratio = (requests - hits) / requests;
    out.byte_miss_ratio = requested > 0 ? (requested - hit_bytes) / requested : 1;
    return out;
}
