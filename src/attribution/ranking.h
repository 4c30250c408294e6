/* Selects the heaviest of many numbered things, by misses, then by references. */
#ifndef RDI_RANKING_H
#define RDI_RANKING_H

#include "attribution/tuples.h"
#include "base/arena.h"

typedef struct rdi_ranked {
    uint64_t misses, references;
    uint32_t number; /* of the thing */
} rdi_ranked;

typedef struct rdi_ranking {
    rdi_ranked *by;     /* indexed by number until it is sorted */
    uint32_t *place_of; /* per number: index in the result; all others share the last index */
    size_t n;           /* number of things */
    size_t kept;        /* number of things with an index of their own */
    bool others;        /* there is one more index for all other things */
} rdi_ranking;

rd_status rdi_ranking_init(rdi_ranking *r, rdi_arena *arena, size_t n);
/* Sorts and keeps at most `max` things. Things without references get no index. `others`: something
 * has no number. */
void rdi_ranking_sort(rdi_ranking *r, size_t max, bool others);

static inline void rdi_ranking_add(rdi_ranking *r, uint32_t number, uint64_t misses,
                                   uint64_t references) {
    r->by[number].misses += misses;
    r->by[number].references += references;
}

static inline size_t rdi_ranking_places(const rdi_ranking *r) {
    return r->kept + r->others;
}

/* RDI_OTHERS is no number; it has the last index. */
static inline size_t rdi_ranking_place(const rdi_ranking *r, uint32_t number) {
    return number == RDI_OTHERS ? r->kept : r->place_of[number];
}

#endif
