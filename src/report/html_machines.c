/* Writes the machines of a page: the misses of their caches, and the code that waits longest. */
#include "report/html_data.h"

#include "model/machine_misses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_DIGITS 6
#define LONGEST      12 /* number of functions and lines that are listed */

static void put_caches(rd_json_writer *w, const rd_machine *m) {
    rd_json_begin_array(w, "caches", RD_JSON_INLINE);
    for (size_t i = 0; i < m->caches.n; i++) {
        const rd_cache *c = &m->caches.cache[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_string(w, "name", c->name);
        rd_json_put_u64(w, "bytes", c->bytes);
        rd_json_put_u64(w, "ways", c->ways);
        rd_json_put_u64(w, "latency", c->latency);
        rd_json_put_bool(w, "shared", c->shared);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_ratios(rd_json_writer *w, const char *key, const double *ratios, size_t n) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        rdi_json_put_rounded(w, NULL, ratios[i], RATIO_DIGITS);
    rd_json_end_array(w);
}

static void put_range(rd_json_writer *w, const char *key, const rd_cycles *c) {
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    rdi_json_put_rounded(w, NULL, c->low, RATIO_DIGITS);
    rdi_json_put_rounded(w, NULL, c->high, RATIO_DIGITS);
    rd_json_end_array(w);
}

/* An entry of a list, and how long its references wait. */
typedef struct html_wait {
    size_t index;
    rd_cycles cycles;
} html_wait;

static int by_wait(const void *a, const void *b) {
    const html_wait *x = a, *y = b;
    if (x->cycles.high != y->cycles.high)
        return x->cycles.high < y->cycles.high ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Writes [index, low, high] for the entries that wait longest. `first` is the share of the first of
 * n entries, which are `stride` bytes apart. */
static rd_status put_longest(rd_json_writer *w, const char *key, const rdi_machine_bins *bins,
                             const rd_share *first, size_t n, size_t stride) {
    html_wait *waits = rdi_alloc(w->text.ctx, n ? n : 1, sizeof *waits);
    if (!waits)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const rd_share *share = (const rd_share *)((const char *)first + i * stride);
        waits[i] = (html_wait){.index = i};
        rdi_machine_share_cycles(bins, share, &waits[i].cycles);
    }
    qsort(waits, n, sizeof *waits, by_wait);
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n && i < LONGEST && waits[i].cycles.high > 0; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, waits[i].index);
        rdi_json_put_rounded(w, NULL, waits[i].cycles.low, RATIO_DIGITS);
        rdi_json_put_rounded(w, NULL, waits[i].cycles.high, RATIO_DIGITS);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
    rdi_free(w->text.ctx, waits);
    return RD_OK;
}

static rd_status put_code(rd_json_writer *w, const rd_machine *m, const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    const rd_attribution *a = d ? d->attribution : NULL;
    if (!a || a->n_functions == 0)
        return RD_OK;
    rdi_machine_bins bins = rdi_machine_bins_of(m);
    RD_TRY(put_longest(w, "functions", &bins, &a->functions[0].share, a->n_functions,
                       sizeof *a->functions));
    return a->n_lines
               ? put_longest(w, "lines", &bins, &a->lines[0].share, a->n_lines, sizeof *a->lines)
               : RD_OK;
}

/* Writes the misses of one profile, or the reason why they are unknown. */
static rd_status put_misses(rd_json_writer *w, const rd_machine *m, const rd_profile *p) {
    rd_machine_misses found;
    rd_status status = rd_machine_misses_of(w->text.ctx, p, m, &found);
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    if (status == RD_EINVAL) {
        rd_json_put_string(w, "reason", rd_last_error(w->text.ctx));
        status = RD_OK;
    } else if (status == RD_OK) {
        put_ratios(w, "full", found.full, m->caches.n);
        put_ratios(w, "estimate", found.estimate, m->caches.n);
        if (found.cycles_known) {
            put_range(w, "cycles", &found.cycles);
            status = put_code(w, m, p);
        }
    }
    rd_json_end_object(w);
    return status;
}

/* Begins the object of a machine and its list of profiles. */
static void begin_machine(rd_json_writer *w, const rd_machine *m) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "name", m->name);
    rd_json_put_string(w, "title", m->title);
    rd_json_put_string(w, "source", m->source);
    rd_json_put_double(w, "clock", m->clock_ghz);
    rd_json_put_double(w, "memory", m->memory_ns);
    rd_json_put_u64(w, "parallel", m->parallel);
    rd_json_put_u64(w, "line", m->line_bytes);
    put_caches(w, m);
    rd_json_begin_array(w, "profiles", RD_JSON_INLINE);
}

static void end_machine(rd_json_writer *w) {
    rd_json_end_array(w);
    rd_json_end_object(w);
}

/* ---- caches that were simulated ---- */

static void put_counts(rd_json_writer *w, const rd_simulation *s) {
    rd_json_put_bool(w, "causes", s->causes);
    rd_json_begin_array(w, "simulated", RD_JSON_INLINE);
    for (size_t i = 0; i < s->hierarchy.n; i++) {
        const rd_cache_counts *c = &s->counts[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "references", c->references);
        rd_json_put_u64(w, "misses", c->misses);
        rd_json_put_u64(w, "cold", c->cold);
        rd_json_put_u64(w, "capacity", c->capacity);
        rd_json_put_u64(w, "conflict", c->conflict);
        rd_json_put_u64(w, "writebacks", c->writebacks);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

/* Returns whether both profiles simulated caches of the same names, sizes and rules. */
static bool same_caches(const rd_simulation *a, const rd_simulation *b) {
    if (!a || !b || a->hierarchy.n != b->hierarchy.n)
        return false;
    for (size_t i = 0; i < a->hierarchy.n; i++) {
        const rd_cache *x = &a->hierarchy.cache[i], *y = &b->hierarchy.cache[i];
        if (strcmp(x->name, y->name) != 0 || x->bytes != y->bytes || x->ways != y->ways ||
            x->policy != y->policy || x->write != y->write || x->fill != y->fill ||
            x->prefetch != y->prefetch || x->index != y->index)
            return false;
    }
    return true;
}

/* Writes the caches that profile number `i` has simulated as a machine, with the counts of all
 * profiles that simulated the same caches, unless an earlier profile did. */
static rd_status put_simulation(rd_json_writer *w, const rd_page *page, size_t i) {
    const rd_simulation *own = rd_profile_simulation(page->profiles[i]);
    for (size_t k = 0; own && k < i; k++)
        if (same_caches(own, rd_profile_simulation(page->profiles[k])))
            own = NULL;
    if (!own)
        return RD_OK;
    rd_machine m = {.size = sizeof m,
                    .name = "simulated",
                    .title = "The caches that were simulated with the run",
                    .caches = own->hierarchy,
                    .line_bytes = rd_profile_facts_of(page->profiles[i])->block_bytes};
    begin_machine(w, &m);
    for (size_t k = 0; k < page->n; k++) {
        const rd_simulation *s = rd_profile_simulation(page->profiles[k]);
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        if (same_caches(own, s))
            put_counts(w, s);
        else
            rd_json_put_string(w, "reason", "These caches were not simulated with this run");
        rd_json_end_object(w);
    }
    end_machine(w);
    return RD_OK;
}

rd_status rdi_html_machines(rd_json_writer *w, const rd_page *page) {
    rd_json_begin_array(w, "machines", RD_JSON_INLINE);
    for (size_t i = 0; i < page->n; i++)
        RD_TRY(put_simulation(w, page, i));
    for (size_t i = 0; i < page->n_machines; i++) {
        const rd_machine *m = &page->machines[i];
        begin_machine(w, m);
        for (size_t k = 0; k < page->n; k++)
            RD_TRY(put_misses(w, m, page->profiles[k]));
        end_machine(w);
    }
    rd_json_end_array(w);
    return RD_OK;
}
