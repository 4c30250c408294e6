/* Implements the registry of sections, and functions that handle all sections. See sections.h. */
#include "profile/sections.h"

#include "profile/details.h"

#include <assert.h>

static const rdi_section *const sections[] = {
#define RDI_SECTION(name) &rdi_section_##name,
#include "profile/sections.def"
#undef RDI_SECTION
};

_Static_assert(RDI_COUNT(sections) <= RDI_SECTIONS_MAX,
               "there are more sections than RDI_SECTIONS_MAX; raise it");

const rdi_section *rdi_section_at(size_t index) {
    return index < RDI_COUNT(sections) ? sections[index] : NULL;
}

static size_t slot_index(const rdi_section *s) {
    const rdi_section *owner = s->owner ? s->owner : s;
    size_t i = 0;
    while (i < RDI_COUNT(sections) && sections[i] != owner)
        i++;
    assert(i < RDI_COUNT(sections)); /* fails if the section has no line in sections.def */
    return i;
}

void **rdi_section_slot(rdi_sections *all, const rdi_section *s) {
    return &all->data[slot_index(s)];
}

unsigned rdi_sections_minor(const rdi_sections *all) {
    unsigned minor = 0;
    for (size_t i = 0; i < RDI_COUNT(sections); i++) {
        const rdi_section *s = sections[i];
        const void *data = all->data[slot_index(s)];
        if (data && s->minor > minor && (!s->has || s->has(data)))
            minor = s->minor;
    }
    return minor;
}

void rdi_sections_write(rd_json_writer *w, const rdi_sections *all) {
    for (size_t i = 0; i < RDI_COUNT(sections); i++) {
        const void *data = all->data[slot_index(sections[i])];
        if (data)
            sections[i]->write(w, data);
    }
}

const char *rdi_sections_mistake(const rd_profile_facts *facts, const rdi_sections *all) {
    const char *mistake = NULL;
    for (size_t i = 0; i < RDI_COUNT(sections) && !mistake; i++) {
        const void *data = all->data[slot_index(sections[i])];
        if (data && sections[i]->mistake)
            mistake = sections[i]->mistake(facts, data);
    }
    const rdi_details *d = all->data[slot_index(&rdi_section_levels)];
    return mistake || !d
               ? mistake
               : rdi_causes_mistake(d->is.causes, all->data[slot_index(&rdi_section_hierarchy)]);
}

rd_status rdi_sections_merge(rd_ctx *ctx, rd_profile *const *profiles, size_t n,
                             rdi_sections *sum) {
    const void **data = rdi_alloc(ctx, n, sizeof *data);
    rd_status status = data ? RD_OK : RD_ENOMEM;
    for (size_t i = 0; i < RDI_COUNT(sections) && status == RD_OK; i++) {
        if (!sections[i]->merge)
            continue;
        bool any = false;
        for (size_t k = 0; k < n; k++) {
            data[k] = rdi_profile_section(profiles[k], sections[i]);
            any = any || data[k];
        }
        if (any)
            status = sections[i]->merge(ctx, data, n, rdi_section_slot(sum, sections[i]));
    }
    rdi_free(ctx, data);
    return status;
}

void rdi_sections_free(rd_ctx *ctx, rdi_sections *all) {
    for (size_t i = 0; i < RDI_COUNT(sections); i++)
        if (all->data[i])
            sections[i]->free(ctx, all->data[i]);
    *all = (rdi_sections){0};
}
