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
    uint64_t last_key; /* use << 32 | region of `last`; UINT64_MAX: there is none */
    rdi_tuple *last;   /* counted most recently here, and the one before */
    uint64_t older_key;
    rdi_tuple *older;
    uint64_t pc;
    /* Where the region of an address was last looked up: valid in the addresses from .. to, as long
     * as the version is the same. */
    uint64_t from, to;
    uint32_t region, version;
    uint32_t epoch;
} rdi_site;

#define RDI_SITE_CACHE 8192

typedef struct rdi_sites {
    rd_ctx *ctx;
    rdi_site *site; /* the last one, number `max`, is that of all further program counters */
    size_t n, room, max;
    uint32_t epoch;
    rdi_block_map numbers; /* pc -> site */
    struct {
        uint64_t pc;
        uint32_t site; /* RDI_OTHERS: empty */
    } cache[RDI_SITE_CACHE];
} rdi_sites;

rd_status rdi_sites_init(rdi_sites *s, rd_ctx *ctx, size_t max);
void rdi_sites_fini(rdi_sites *s);
rd_status rdi_sites_forget(rdi_sites *s);
/* After a folding. */
void rdi_sites_forget_tuples(rdi_sites *s);

/* Numbers a pc that is not in the cache. Sites may move. */
rd_status rdi_sites_find(rdi_sites *s, uint64_t pc, uint32_t *out);

static inline rd_status rdi_site_of(rdi_sites *s, uint64_t pc, uint32_t *out) {
    size_t i = (pc ^ pc >> 10) % RDI_SITE_CACHE;
    if (RDI_LIKELY(s->cache[i].pc == pc && s->cache[i].site != RDI_OTHERS)) {
        *out = s->cache[i].site;
        return RD_OK;
    }
    RD_TRY(rdi_sites_find(s, pc, out));
    s->cache[i].pc = pc;
    s->cache[i].site = *out;
    return RD_OK;
}

#endif
