/* Sums the misses of simulated caches by function, line and data region, and lists the regions that
 * evict each other's blocks. */
#ifndef RDI_MISS_CAUSES_H
#define RDI_MISS_CAUSES_H

#include "attribution/places.h"
#include "attribution/ranking.h"

/* The entries of the result. */
typedef struct rdi_entries {
    const rdi_places *places;
    rdi_ranking *functions, *lines, *data;
} rdi_entries;

/* Finds out whether some misses belong to a line or a region without references, before the rankings
 * are sorted; sets the flags to true if so. */
void rdi_miss_causes_others(const rdi_misses *m, const rdi_entries *e, bool *lines, bool *data);
/* Makes the result in the arena. *out becomes NULL if no caches were simulated. */
rd_status rdi_miss_causes_make(const rd_attributor *a, const rdi_entries *e, rdi_arena *arena,
                               rdi_arena *scratch, const rd_miss_causes **out);

#endif
