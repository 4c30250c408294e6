/* Numbers program counters: a site is an instruction that refers to memory.
 *
 * A small direct-mapped cache answers nearly all look-ups. Code can be unloaded, and other code can
 * be loaded at the same addresses. After rdi_sites_forget(), every program counter gets a new
 * number. Older sites keep their `epoch`, which determines the module that they belong to.
 */
#ifndef RDI_SITES_H
#define RDI_SITES_H

#include "attribution/tuples.h"
#include "order/block_map.h"

typedef struct rdi_site {
    uint64_t pc;
    uint32_t epoch;
} rdi_site;

/* log2 of the number of entries of the cache, large enough that few program counters share an
 * entry. */
#define RDI_SITE_CACHE_BITS 18
#define RDI_SITE_CACHE      (1 << RDI_SITE_CACHE_BITS)

typedef struct rdi_sites {
    rd_ctx *ctx;
    /* The sites, numbered from 1. Number `max` + 1 stands for all further program counters. */
    rdi_site *site;
    size_t n, room, max; /* `n` is the count of numbers in use, including 0, which is RDI_FIRST */
    uint32_t epoch;
    rdi_block_map numbers; /* maps a program counter to its site */
    /* The cache, indexed by a hash of the pc. The lower RDI_SITE_BITS of an entry are the site. The
     * bits above them are the upper bits of the pc plus 1; together with the index they determine
     * the pc. 0: the entry is empty. */
    uint64_t *cache;
} rdi_sites;

/* Initializes `s`, which must be zeroed. */
rd_status rdi_sites_init(rdi_sites *s, rd_ctx *ctx, size_t max);
void rdi_sites_fini(rdi_sites *s);
rd_status rdi_sites_forget(rdi_sites *s);

/* Finds or assigns the number of a pc, and enters it in the cache unless the pc is too large for an
 * entry. The array `site` may move. */
rd_status rdi_sites_find(rdi_sites *s, uint64_t pc, uint32_t *out);

/* Return the index of a pc in the cache, and the bits above the site in its entry. */
static inline size_t rdi_site_slot(uint64_t pc) {
    return (pc ^ pc >> RDI_SITE_CACHE_BITS) % RDI_SITE_CACHE;
}

static inline uint64_t rdi_site_tag(uint64_t pc) {
    return (pc >> RDI_SITE_CACHE_BITS) + 1;
}

#endif
