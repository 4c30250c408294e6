/* Implements the functions that all range structures share. See ranges.h. */
#include "order/ranges.h"

rd_status rdi_ranges_new(rd_ctx *ctx, const rdi_ranges_ops *ops, uint64_t capacity,
                         rdi_ranges **out) {
    rdi_ranges *r = rdi_calloc(ctx, 1, ops->state_size);
    if (!r)
        return RD_ENOMEM;
    *r = (rdi_ranges){.ops = ops, .ctx = ctx, .capacity = capacity};
    *out = r;
    return RD_OK;
}

void rdi_ranges_free(rdi_ranges *r) {
    if (!r)
        return;
    r->ops->fini(r);
    rdi_free(r->ctx, r);
}

void rdi_ranges_audit_next(rdi_ranges_audit *a, const rdi_ranges *r, uint64_t time, uint64_t size) {
    bool first = a->n == 0;
    if (size == 0 || size > r->capacity)
        a->wrong = true;
    if (!first && (time <= a->time || size + a->size <= r->capacity))
        a->wrong = true;
    a->n++;
    a->live += size;
    a->time = time;
    a->size = size;
}

bool rdi_ranges_audit_end(const rdi_ranges_audit *a, const rdi_ranges *r, const char **why) {
    *why = "ranges: a range is out of order, empty or too large, or two should have been merged";
    if (a->wrong)
        return false;
    *why = "ranges: the number of ranges or of blocks is wrong";
    return a->n == r->n && a->live == r->live;
}
