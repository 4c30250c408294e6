/* Program counters, numbered: a site is an instruction that refers to memory.
 *
 * A small direct-mapped cache answers nearly always. Code can be unloaded and other code come to
 * the same addresses: rdi_sites_forget() has every program counter numbered anew, and the sites
 * from before keep the moment (`epoch`) that tells which module they belong to.
 */
#ifndef RDI_SITES_H
#define RDI_SITES_H

#include "attribution/tuples.h"
#include "order/block_map.h"

typedef struct rdi_site {
    uint64_t pc;
    uint32_t epoch;
} rdi_site;

#define RDI_SITE_CACHE_BITS 18 /* of which most stay empty: few share a place */
#define RDI_SITE_CACHE      (1 << RDI_SITE_CACHE_BITS)

typedef struct rdi_sites {
    rd_ctx *ctx;
    rdi_site *site; /* numbered from 1; number `max` + 1 is that of all further program counters */
    size_t n, room, max; /* n: numbers given, 0 included, which is RDI_FIRST */
    uint32_t epoch;
    rdi_block_map numbers; /* pc -> site */
    /* By a hash of the pc: its upper bits + 1, which with its place tell all of it, and the site in
     * the lower RDI_SITE_BITS. 0: empty. */
    uint64_t *cache;
} rdi_sites;

/* `s` is zeroed. */
rd_status rdi_sites_init(rdi_sites *s, rd_ctx *ctx, size_t max);
void rdi_sites_fini(rdi_sites *s);
rd_status rdi_sites_forget(rdi_sites *s);

/* Numbers a pc, which then is in the cache. Sites may move. */
rd_status rdi_sites_find(rdi_sites *s, uint64_t pc, uint32_t *out);

/* Where a pc is in the cache, and what is there above its site. */
static inline size_t rdi_site_slot(uint64_t pc) {
    return (pc ^ pc >> RDI_SITE_CACHE_BITS) % RDI_SITE_CACHE;
}

static inline uint64_t rdi_site_tag(uint64_t pc) {
    return (pc >> RDI_SITE_CACHE_BITS) + 1;
}

#endif
