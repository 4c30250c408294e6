/* Selects the numbered items with the most misses; items with equally many misses are ordered by
 * references. */
#ifndef RDI_RANKING_H
#define RDI_RANKING_H

#include "attribution/tuples.h"
#include "base/arena.h"

typedef struct rdi_ranked {
    uint64_t misses, references;
    uint32_t number; /* number of the item */
} rdi_ranked;

typedef struct rdi_ranking {
    rdi_ranked *by;     /* indexed by number until it is sorted */
    uint32_t *place_of; /* index of each item in the result; all items that are not kept share the
                           last index */
    size_t n;           /* number of items */
    size_t kept;        /* number of items with their own index */
    bool others;        /* true: there is one more index for all other items */
} rdi_ranking;

rd_status rdi_ranking_init(rdi_ranking *r, rdi_arena *arena, size_t n);
/* Sorts the items and keeps at most `max` of them. Items without references get no index of their
 * own. `others` says that some references belong to no item. */
void rdi_ranking_sort(rdi_ranking *r, size_t max, bool others);

static inline void rdi_ranking_add(rdi_ranking *r, uint32_t number, uint64_t misses,
                                   uint64_t references) {
    r->by[number].misses += misses;
    r->by[number].references += references;
}

static inline size_t rdi_ranking_places(const rdi_ranking *r) {
    return r->kept + r->others;
}

/* Returns the index of an item. RDI_OTHERS is not an item and has the last index. */
static inline size_t rdi_ranking_place(const rdi_ranking *r, uint32_t number) {
    return number == RDI_OTHERS ? r->kept : r->place_of[number];
}

#endif
