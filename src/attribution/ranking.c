/* Selects the items with the highest counts. See ranking.h. */
#include "attribution/ranking.h"

#include <stdlib.h>

rd_status rdi_ranking_init(rdi_ranking *r, rdi_arena *arena, size_t n) {
    *r = (rdi_ranking){.by = rdi_arena_alloc(arena, n, sizeof *r->by),
                       .place_of = rdi_arena_alloc(arena, n, sizeof *r->place_of),
                       .n = n};
    if (!r->by || !r->place_of)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        r->by[i].number = (uint32_t)i;
    return RD_OK;
}

/* Compares two items. Equal items keep the order of their numbers, so that the result is
 * reproducible. */
static int by_weight(const void *a, const void *b) {
    const rdi_ranked *x = a, *y = b;
    if (x->misses != y->misses)
        return x->misses < y->misses ? 1 : -1;
    if (x->references != y->references)
        return x->references < y->references ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

void rdi_ranking_sort(rdi_ranking *r, size_t max, bool others) {
    size_t present = 0;
    for (size_t i = 0; i < r->n; i++)
        present += r->by[i].references > 0;
    qsort(r->by, r->n, sizeof *r->by, by_weight);
    r->kept = present < max ? present : max;
    r->others = others || present > max;
    for (size_t i = 0; i < r->n; i++)
        r->place_of[r->by[i].number] = (uint32_t)(i < r->kept ? i : r->kept);
}
