/* Implements the registry of generators, and the functions that they share. See generate.h. */
#include "trace/generate.h"

#include "trace/lookup.h"

#include <string.h>

#define RDI_GENERATOR(name) extern const rdi_format_ops rdi_generator_##name;
#include "trace/generators.def"
#undef RDI_GENERATOR

static const rdi_format_ops *const generators[] = {
#define RDI_GENERATOR(name) &rdi_generator_##name,
#include "trace/generators.def"
#undef RDI_GENERATOR
};

const rd_format_info *rd_generator_info_at(size_t index) {
    return index < RDI_COUNT(generators) ? &generators[index]->info : NULL;
}

static const rdi_format_ops *find(const char *name) {
    for (size_t i = 0; i < RDI_COUNT(generators); i++)
        if (strcmp(generators[i]->info.name, name) == 0)
            return generators[i];
    return NULL;
}

const rd_format_info *rd_generator_info_find(const char *name) {
    const rdi_format_ops *ops = name ? find(name) : NULL;
    return ops ? &ops->info : NULL;
}

static const char *next_name(size_t index) {
    const rd_format_info *info = rd_generator_info_at(index);
    return info ? info->name : NULL;
}

rd_status rdi_generator_require(rd_ctx *ctx, const char *name, const rdi_format_ops **out) {
    const rdi_format_ops *ops = find(name);
    if (!ops)
        return rdi_fail_unknown_name(ctx, "generator", name, next_name);
    *out = ops;
    return RD_OK;
}

void rdi_generator_open(rdi_generator *g, rdi_reader *r) {
    g->r = r;
    g->rng.state = rdi_mix64(g->seed);
    r->total = g->refs;
}

rd_status rdi_generator_read(rdi_generator *g, rd_refs *refs, rdi_generator_fill *fill) {
    rdi_reader *r = g->r;
    uint64_t left = r->total - r->done, *addr = r->col->addr;
    size_t n = left < RDI_REFS_MAX ? (size_t)left : RDI_REFS_MAX;
    if (n > 0)
        fill(g, addr, n);
    for (size_t i = 0; i < n; i++)
        addr[i] *= g->stride;
    r->done += n;
    refs->n = n;
    refs->addr = addr;
    return RD_OK;
}
