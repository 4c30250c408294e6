/* Implements the details of a profile as one object, and the ranges of log bins. See details.h. */
#include "profile/details.h"

#include "profile/hist.h"
#include "profile/profile_reader.h"
#include "profile/profile_write.h"

rd_status rdi_details_new(rd_ctx *ctx, rdi_details **out) {
    rdi_details *d = rdi_calloc(ctx, 1, sizeof *d);
    if (!d)
        return RD_ENOMEM;
    d->arena.ctx = ctx;
    *out = d;
    return RD_OK;
}

void rdi_details_free(rdi_details *d) {
    if (!d)
        return;
    rd_ctx *ctx = d->arena.ctx;
    rdi_arena_fini(&d->arena);
    rdi_free(ctx, d);
}

uint64_t rdi_log_bin_low(size_t bin) {
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}

uint64_t rdi_log_bin_high(size_t bin) {
    uint64_t low = rdi_log_bin_low(bin), high = bin ? low + (low - 1) : 0;
    return high < RD_COLD ? high : RD_COLD - 1;
}

rdi_details *rdi_read_details(rdi_profile_reader *r, void **data) {
    rdi_details *d = *data;
    if (r->j.status == RD_OK && !d)
        r->j.status = rdi_details_new(r->j.ctx, &d);
    *data = d;
    r->arena = d ? &d->arena : NULL;
    return r->j.status == RD_OK ? d : NULL;
}

const rd_details *rd_profile_details(const rd_profile *p) {
    const rdi_details *d = rdi_profile_section(p, &rdi_section_levels);
    return d ? &d->is : NULL;
}

void rdi_profile_set_details(rd_profile *p, rdi_details *details) {
    rdi_profile_set_section(p, &rdi_section_levels, details);
}

/* The sections of the profile file that store the details. */
static const rdi_section *const parts[] = {&rdi_section_levels,  &rdi_section_attribution,
                                           &rdi_section_windows, &rdi_section_spatial,
                                           &rdi_section_causes,  &rdi_section_contexts};

const char *rdi_details_mistake(const rd_profile_facts *facts, const rd_details *d) {
    const char *mistake = NULL;
    for (size_t i = 0; i < RDI_COUNT(parts) && !mistake; i++)
        mistake = parts[i]->mistake(facts, d);
    return mistake;
}

void rdi_details_write(rd_json_writer *w, const rd_details *d) {
    for (size_t i = 0; i < RDI_COUNT(parts); i++)
        parts[i]->write(w, d);
}
