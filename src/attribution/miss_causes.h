/* Sums the misses of simulated caches by function, line and data region, and lists the regions that
 * evict each other's blocks. */
#ifndef RDI_MISS_CAUSES_H
#define RDI_MISS_CAUSES_H

#include "attribution/places.h"
#include "attribution/ranking.h"

/* The places of the sites, and the rankings that choose the entries of the result. */
typedef struct rdi_entries {
    const rdi_places *places;
    rdi_ranking *functions, *lines, *data;
} rdi_entries;

/* Sets *lines to true if some misses belong to no line or to a line without references, and *data
 * to true if some belong to no region or to a region without references. The caller must not have
 * sorted the rankings yet. */
void rdi_miss_causes_others(const rdi_misses *m, const rdi_entries *e, bool *lines, bool *data);
/* Makes the result in the arena. *out becomes NULL if no caches were simulated. */
rd_status rdi_miss_causes_make(const rd_attributor *a, const rdi_entries *e, rdi_arena *arena,
                               rdi_arena *scratch, const rd_miss_causes **out);

#endif
