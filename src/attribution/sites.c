/* Numbers program counters. See sites.h. */
#include "attribution/sites.h"

#include <string.h>

#define CACHE_BYTES (RDI_SITE_CACHE * sizeof(uint64_t))

rd_status rdi_sites_init(rdi_sites *s, rd_ctx *ctx, size_t max) {
    s->ctx = ctx;
    s->n = 1;
    s->max = max;
    s->cache = rdi_pages_alloc(ctx, CACHE_BYTES);
    return s->cache ? rdi_block_map_init(&s->numbers, ctx) : RD_ENOMEM;
}

void rdi_sites_fini(rdi_sites *s) {
    if (!s->ctx)
        return;
    rdi_block_map_fini(&s->numbers);
    rdi_free(s->ctx, s->site);
    if (s->cache)
        rdi_pages_free(s->ctx, s->cache, CACHE_BYTES);
    s->ctx = NULL;
}

rd_status rdi_sites_forget(rdi_sites *s) {
    rdi_block_map empty;
    RD_TRY(rdi_block_map_init(&empty, s->ctx));
    rdi_block_map_fini(&s->numbers);
    s->numbers = empty;
    s->epoch++;
    memset(s->cache, 0, CACHE_BYTES);
    return RD_OK;
}

static rd_status add_site(rdi_sites *s, uint64_t pc) {
    while (s->n >= s->room) {
        rdi_site *grown = rdi_grow(s->ctx, s->site, &s->room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        s->site = grown;
    }
    s->site[s->n++] = (rdi_site){pc, s->epoch};
    return RD_OK;
}

static rd_status find_number(rdi_sites *s, uint64_t pc, uint32_t *out) {
    uint64_t *known = rdi_block_map_find(&s->numbers, pc), old;
    if (known) {
        *out = (uint32_t)*known;
        return RD_OK;
    }
    if (s->n <= s->max + 1) /* the last number stands for all further program counters */
        RD_TRY(add_site(s, pc));
    size_t number = s->n - 1;
    if (number <= s->max)
        RD_TRY(rdi_block_map_exchange(&s->numbers, pc, number, &old));
    *out = (uint32_t)number;
    return RD_OK;
}

rd_status rdi_sites_find(rdi_sites *s, uint64_t pc, uint32_t *out) {
    RD_TRY(find_number(s, pc, out));
    if (rdi_site_tag(pc) < UINT64_C(1) << (64 - RDI_SITE_BITS))
        s->cache[rdi_site_slot(pc)] = rdi_site_tag(pc) << RDI_SITE_BITS | *out;
    return RD_OK;
}
