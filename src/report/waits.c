/* Computes the time that code waits for data. See waits.h. */
#include "report/waits.h"

#include "model/machine_misses.h"
#include "reusedist/attribution.h"

#include <stdlib.h>
#include <string.h>

bool rdi_caches_are_same(const rd_hierarchy *a, const rd_hierarchy *b) {
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const rd_cache *x = &a->cache[i], *y = &b->cache[i];
        if (strcmp(x->name, y->name) != 0 || x->bytes != y->bytes || x->ways != y->ways ||
            x->policy != y->policy || x->write != y->write || x->fill != y->fill ||
            x->prefetch != y->prefetch || x->index != y->index)
            return false;
    }
    return true;
}

bool rdi_machine_is_simulated(const rd_profile *p, const rd_machine *m) {
    const rd_simulation *s = rd_profile_simulation(p);
    rd_hierarchy caches;
    if (!s)
        return false;
    rd_machine_hierarchy(m, rd_hierarchy_is_split(&s->hierarchy), &caches);
    return rdi_caches_are_same(&caches, &s->hierarchy);
}

bool rdi_waits_are_exact(const rd_profile *p, const rd_machine *m) {
    const rd_details *d = rd_profile_details(p);
    return d && d->causes && rdi_machine_is_simulated(p, m);
}

bool rdi_machine_kept(const rd_profile *p, rd_machine *out) {
    const rd_simulation *s = rd_profile_simulation(p);
    return s && rd_machine_of_hierarchy(&s->hierarchy, rd_profile_facts_of(p)->block_bytes, out) &&
           rdi_machine_is_simulated(p, out);
}

static bool is_fetch_cache(const rd_hierarchy *h, size_t k) {
    return rd_hierarchy_is_split(h) && strcmp(h->cache[k].name, "L1I") == 0;
}

bool rdi_misses_simulated(const rd_profile *p, const rd_machine *m, double *misses) {
    const rd_simulation *s = rd_profile_simulation(p);
    size_t n = 0;
    if (!rdi_machine_is_simulated(p, m))
        return false;
    for (size_t k = 0; k < s->hierarchy.n; k++)
        if (!is_fetch_cache(&s->hierarchy, k))
            misses[n++] = (double)s->counts[k].misses;
    return true;
}

bool rdi_waits_simulated(const rd_profile *p, const rd_machine *m, rd_cycles *out) {
    double misses[RD_CACHES_MAX];
    return rdi_misses_simulated(p, m, misses) && rd_machine_cycles(m, misses, out);
}

/* Computes the wait of an entry from its simulated misses, one element of `causes` per cache. */
static bool exact_wait(const rd_simulation *s, const rd_machine *m, const rd_causes *causes,
                       rd_cycles *out) {
    double misses[RD_CACHES_MAX];
    size_t n = 0;
    for (size_t k = 0; k < s->hierarchy.n; k++)
        if (!is_fetch_cache(&s->hierarchy, k))
            misses[n++] =
                (double)causes[k].cold + (double)causes[k].capacity + (double)causes[k].conflict;
    return rd_machine_cycles(m, misses, out);
}

static int by_wait(const void *a, const void *b) {
    const rdi_wait *x = a, *y = b;
    if (x->cycles.high != y->cycles.high)
        return x->cycles.high < y->cycles.high ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

rd_status rdi_waits_of(rd_ctx *ctx, const rd_profile *p, const rd_machine *m, bool lines,
                       rdi_wait **out, size_t *n) {
    const rd_details *d = rd_profile_details(p);
    const rd_attribution *a = d ? d->attribution : NULL;
    bool exact = rdi_waits_are_exact(p, m), known = true;
    *n = !a ? 0 : lines ? a->n_lines : a->n_functions;
    rdi_wait *waits = rdi_alloc(ctx, *n ? *n : 1, sizeof *waits);
    if (!waits)
        return RD_ENOMEM;
    rdi_machine_bins bins = {0};
    if (!exact && *n)
        bins = rdi_machine_bins_of(m);
    for (size_t i = 0; i < *n; i++) {
        waits[i] = (rdi_wait){.index = i};
        if (exact) {
            const rd_causes *list = lines ? d->causes->lines : d->causes->functions;
            known = exact_wait(rd_profile_simulation(p), m, &list[i * d->causes->n_caches],
                               &waits[i].cycles);
        } else
            known = rdi_machine_share_cycles(
                &bins, lines ? &a->lines[i].share : &a->functions[i].share, &waits[i].cycles);
        if (!known)
            break;
    }
    *n = known ? *n : 0;
    qsort(waits, *n, sizeof *waits, by_wait);
    *out = waits;
    return RD_OK;
}
