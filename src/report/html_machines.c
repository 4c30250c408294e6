/* Writes the machines of a page: the simulated caches of its profiles, with their misses by cause and their
 * conflicts, and the given machines, with estimated misses; and the code that waits longest, if the cost of
 * misses is known. */
#include "report/html_data.h"

#include "model/machine_misses.h"
#include "report/report_conflicts.h"
#include "report/report_details.h"
#include "report/waits.h"
#include "reusedist/attribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_DIGITS 6
#define LONGEST      12 /* maximum number of entries of a list of code, data or conflicts */

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

/* Writes [index, low, high] for the functions or lines that wait longest. */
static rd_status put_longest(rd_json_writer *w, const char *key, const rd_profile *p,
                             const rd_machine *m, bool lines) {
    rdi_wait *waits = NULL;
    size_t n = 0;
    RD_TRY(rdi_waits_of(w->text.ctx, p, m, lines, &waits, &n));
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
    RD_TRY(put_longest(w, "functions", p, m, false));
    return put_longest(w, "lines", p, m, true);
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
    return a && b && rdi_caches_are_same(&a->hierarchy, &b->hierarchy);
}

/* Writes the sentences about conflicts, one string per source line that has many conflicts. */
static rd_status put_advice(rd_json_writer *w, const rd_profile *p) {
    rdi_text advice = rdi_text_start(w->text.ctx);
    rdi_conflict_advice(p, &advice);
    rd_status status = advice.status;
    rd_json_begin_array(w, "advice", RD_JSON_INLINE);
    for (char *line = advice.data, *end; line && status == RD_OK && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        rd_json_put_string(w, NULL, line);
    }
    rd_json_end_array(w);
    rdi_text_drop(&advice);
    return status;
}

/* Writes [cache, data, evictor, count] for the pairs of regions with the most conflicts. */
static void put_pairs(rd_json_writer *w, const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    const rd_miss_causes *c = d ? d->causes : NULL;
    rd_json_begin_array(w, "conflicts", RD_JSON_INLINE);
    for (size_t i = 0; c && i < c->n_conflicts && i < LONGEST; i++) {
        if (!rdi_conflict_is_telling(p, &c->conflicts[i]))
            continue;
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, NULL, c->conflicts[i].cache);
        rd_json_put_string(w, NULL, d->attribution->data[c->conflicts[i].data].name);
        rd_json_put_string(w, NULL,
                           c->conflicts[i].evictor == RD_NO_INDEX
                               ? "nobody"
                               : d->attribution->data[c->conflicts[i].evictor].name);
        rd_json_put_u64(w, NULL, c->conflicts[i].count);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

/* ---- causes by code and data ---- */

typedef enum cause_list { BY_FUNCTION, BY_LINE, BY_DATA } cause_list;

/* An entry of a list of code or data, and all its misses in one cache. */
typedef struct missing {
    size_t index;
    uint64_t misses;
} missing;

static int by_misses(const void *a, const void *b) {
    const missing *x = a, *y = b;
    if (x->misses != y->misses)
        return x->misses < y->misses ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static void put_entry_name(rd_json_writer *w, const rd_attribution *a, cause_list of, size_t i) {
    char label[RDI_LABEL_ROOM];
    if (of == BY_LINE)
        rdi_name_line(a, i, label);
    rd_json_put_string(w, NULL,
                       of == BY_LINE       ? label
                       : of == BY_FUNCTION ? a->functions[i].name
                                           : a->data[i].name);
}

/* Writes [name, cold, capacity, conflict] for the entries of a list that miss most in cache k, at most
 * LONGEST of them. */
static rd_status put_causes(rd_json_writer *w, const char *key, const rd_details *d, cause_list of,
                            size_t k) {
    const rd_miss_causes *c = d->causes;
    const rd_causes *list = of == BY_FUNCTION ? c->functions : of == BY_LINE ? c->lines : c->data;
    size_t n = of == BY_FUNCTION ? c->n_functions : of == BY_LINE ? c->n_lines : c->n_data;
    missing *rows = rdi_alloc(w->text.ctx, n ? n : 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const rd_causes *x = &list[i * c->n_caches + k];
        rows[i] = (missing){i, x->cold + x->capacity + x->conflict};
    }
    qsort(rows, n, sizeof *rows, by_misses);
    rd_json_begin_array(w, key, RD_JSON_INLINE);
    for (size_t i = 0; i < n && i < LONGEST && rows[i].misses > 0; i++) {
        const rd_causes *x = &list[rows[i].index * c->n_caches + k];
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        put_entry_name(w, d->attribution, of, rows[i].index);
        rd_json_put_u64(w, NULL, x->cold);
        rd_json_put_u64(w, NULL, x->capacity);
        rd_json_put_u64(w, NULL, x->conflict);
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
    rdi_free(w->text.ctx, rows);
    return RD_OK;
}

/* Writes the causes by function, line and data of each cache, if the profile has them. */
static rd_status put_all_causes(rd_json_writer *w, const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    if (!d || !d->causes || !d->attribution)
        return RD_OK;
    rd_json_begin_array(w, "by_cause", RD_JSON_INLINE);
    for (size_t k = 0; k < d->causes->n_caches; k++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        RD_TRY(put_causes(w, "lines", d, BY_LINE, k));
        RD_TRY(put_causes(w, "functions", d, BY_FUNCTION, k));
        RD_TRY(put_causes(w, "data", d, BY_DATA, k));
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    return RD_OK;
}

/* Writes the counts that the simulation of one profile made. `known` is the machine that has these caches;
 * NULL: no such machine is known. */
static rd_status put_simulated(rd_json_writer *w, const rd_profile *p, const rd_machine *known) {
    rd_cycles cycles;
    put_counts(w, rd_profile_simulation(p));
    put_pairs(w, p);
    RD_TRY(put_advice(w, p));
    RD_TRY(put_all_causes(w, p));
    if (!known || !rdi_waits_simulated(p, known, &cycles))
        return RD_OK;
    put_range(w, "cycles", &cycles);
    return rdi_waits_are_exact(p, known) ? put_code(w, known, p) : RD_OK;
}

/* Returns the first of the page's machines whose caches profile number `i` has simulated, or
 * NULL. */
static const rd_machine *machine_of(const rd_page *page, size_t i) {
    for (size_t k = 0; k < page->n_machines; k++)
        if (rdi_machine_is_simulated(page->profiles[i], &page->machines[k]))
            return &page->machines[k];
    return NULL;
}

/* Writes the caches that profile number `i` has simulated as a machine, with the counts of all
 * profiles that simulated the same caches. Writes nothing if an earlier profile simulated them. */
static rd_status put_simulation(rd_json_writer *w, const rd_page *page, size_t i) {
    const rd_simulation *own = rd_profile_simulation(page->profiles[i]);
    for (size_t k = 0; own && k < i; k++)
        if (same_caches(own, rd_profile_simulation(page->profiles[k])))
            own = NULL;
    if (!own)
        return RD_OK;
    rd_machine kept;
    const rd_machine *known = machine_of(page, i);
    if (!known && rdi_machine_kept(page->profiles[i], &kept))
        known = &kept;
    rd_machine m = known ? *known : (rd_machine){.size = sizeof m};
    snprintf(m.name, sizeof m.name, known && known->name[0] ? "%.20s, simulated" : "simulated",
             known ? known->name : "");
    if (!m.title[0])
        strcpy(m.title, "The caches that were simulated with the run");
    m.caches = own->hierarchy;
    m.line_bytes = rd_profile_facts_of(page->profiles[i])->block_bytes;
    begin_machine(w, &m);
    for (size_t k = 0; k < page->n; k++) {
        const rd_simulation *s = rd_profile_simulation(page->profiles[k]);
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        if (same_caches(own, s))
            RD_TRY(put_simulated(w, page->profiles[k], known));
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
