/* Reports simulated private caches of threads: tables for people, CSV and JSON for programs. */
#include "report/report_cores.h"

#include "base/json_write.h"
#include "profile/profile_build.h"
#include "profile/profile_write.h"
#include "report/report_simulation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS   8
#define THREAD_COLUMNS 20
#define COLUMNS        11
#define BAR_CELLS      20
#define CAUSES         4
#define ROWS_MAX       16 /* maximum number of rows in the table of threads */

static uint64_t block_bytes_of(const rd_profile *p) {
    return rd_profile_facts_of(p)->block_bytes;
}

/* ---- CSV and JSON ---- */

static void put_cause(rdi_text *t, bool known, uint64_t count) {
    rdi_text_putc(t, ',');
    if (known)
        rdi_text_u64(t, count);
}

/* Adds a row without the columns of the thread. */
static void put_row(rdi_text *t, const rd_private_simulation *s, size_t k, uint64_t block_bytes,
                    const rd_level_counts *l) {
    const rd_cache *cache = &s->hierarchy.cache[k];
    const rd_cache_counts *c = &l->cache;
    const rd_coherence_counts *h = &l->coherence;
    rdi_text_printf(t, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, cache->name, cache->bytes,
                    rd_cache_ways(cache, block_bytes), c->references, c->misses);
    put_cause(t, s->causes, c->cold);
    put_cause(t, s->causes, c->capacity);
    put_cause(t, s->causes, c->conflict);
    rdi_text_printf(t, ",%" PRIu64, c->writebacks);
    put_cause(t, s->causes, c->far_hits);
    rdi_text_printf(t, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->prefetches, c->useful,
                    c->useless, c->invalidations);
    put_cause(t, s->causes, h->coherence);
    rdi_text_printf(t, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, h->removals, h->upgrades,
                    h->transfers, h->dirty_transfers);
}

rd_status rdi_report_cores_csv(rd_profile *p, char **text, size_t *n) {
    const rd_private_simulation *s = rd_profile_private_simulation(p);
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "level,bytes,ways,references,misses,cold,capacity,conflict,writebacks,"
                      "far_hits,prefetches,useful,useless,invalidations,coherence,removals,"
                      "upgrades,transfers,dirty_transfers,process,thread\n");
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        put_row(&t, s, k, block_bytes_of(p), &s->all[k]);
        rdi_text_puts(&t, ",,\n");
    }
    for (size_t i = 0; i < s->n_threads; i++)
        for (size_t k = 0; k < s->hierarchy.n; k++) {
            put_row(&t, s, k, block_bytes_of(p), &s->threads[i].levels[k]);
            rdi_text_printf(&t, ",%" PRIu32 ",%" PRIu32 "\n", s->threads[i].process,
                            s->threads[i].thread);
        }
    return rdi_text_take(&t, text, n);
}

static void put_level(rd_json_writer *w, const rd_private_simulation *s, size_t k,
                      uint64_t block_bytes, const rd_level_counts *l) {
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rdi_put_simulated_cache(w, &s->hierarchy.cache[k], block_bytes, &l->cache, s->causes);
    rdi_json_put_u64_or_null(w, "coherence", l->coherence.coherence, s->causes ? RD_UNKNOWN : 0);
    rd_json_put_u64(w, "removals", l->coherence.removals);
    rd_json_put_u64(w, "upgrades", l->coherence.upgrades);
    rd_json_put_u64(w, "transfers", l->coherence.transfers);
    rd_json_put_u64(w, "dirty_transfers", l->coherence.dirty_transfers);
    rd_json_end_object(w);
}

static void put_levels(rd_json_writer *w, const rd_private_simulation *s, uint64_t block_bytes,
                       const rd_level_counts *levels) {
    rd_json_begin_array(w, "levels", RD_JSON_LINES);
    for (size_t k = 0; k < s->hierarchy.n; k++)
        put_level(w, s, k, block_bytes, &levels[k]);
    rd_json_end_array(w);
}

rd_status rdi_report_cores_json(rd_profile *p, char **text, size_t *n) {
    const rd_private_simulation *s = rd_profile_private_simulation(p);
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_status status = rdi_put_simulation_facts(&w, p, &s->hierarchy);
    rd_json_put_string(&w, "stacks", "private");
    rd_json_put_string(&w, "interleave", s->interleave);
    put_levels(&w, s, block_bytes_of(p), s->all);
    rd_json_begin_array(&w, "threads", RD_JSON_LINES);
    for (size_t i = 0; i < s->n_threads; i++) {
        rd_json_begin_object(&w, NULL, RD_JSON_LINES);
        rd_json_put_u64(&w, "process", s->threads[i].process);
        rd_json_put_u64(&w, "thread", s->threads[i].thread);
        put_levels(&w, s, block_bytes_of(p), s->threads[i].levels);
        rd_json_end_object(&w);
    }
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    w.text.status = w.text.status == RD_OK ? status : w.text.status;
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

static void add_heading(rdi_paper *paper, int columns, const char *name, const char *const *names,
                        size_t n) {
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, columns, name);
    for (size_t i = 0; i < n; i++)
        rdi_paper_column(paper, -COLUMNS, names[i]);
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
}

/* Adds the names of the shared caches if `shared` is true, otherwise the names of the private caches.
 * Returns the number of names. */
static size_t add_names(rdi_text *t, const rd_hierarchy *h, bool shared) {
    size_t n = 0;
    for (size_t k = 0; k < h->n; k++) {
        if (h->cache[k].shared != shared)
            continue;
        rdi_text_puts(t, n++ ? " " : "");
        rdi_text_puts(t, h->cache[k].name);
    }
    return n;
}

/* Says how many threads there are, which caches are private and which are shared, and in which order the
 * threads were simulated. */
static void add_caches(rdi_paper *paper, const rd_private_simulation *s) {
    rdi_text *t = &paper->t;
    rdi_text_printf(t, "  threads          %zu; private: ", s->n_threads);
    add_names(t, &s->hierarchy, false);
    rdi_text_puts(t, "; shared: ");
    if (!add_names(t, &s->hierarchy, true))
        rdi_text_puts(t, "none");
    rdi_text_puts(t, "\n  order            ");
    rdi_text_escaped(t, rdi_order_name(s->interleave, s->n_threads));
    rdi_text_putc(t, '\n');
}

static void add_causes(rdi_paper *paper, const rd_private_simulation *s) {
    const char *names[CAUSES] = {"cold", "capacity", "conflict", "coherence"};
    for (size_t k = 0; k < s->hierarchy.n; k++)
        if (s->hierarchy.cache[k].policy != RD_POLICY_LRU)
            names[2] = "replacement";
    add_heading(paper, NAME_COLUMNS + BAR_CELLS, "Causes of misses", names, CAUSES);
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_cache_counts *c = &s->all[k].cache;
        const uint64_t causes[CAUSES] = {c->cold, c->capacity, c->conflict,
                                         s->all[k].coherence.coherence};
        if (c->misses == 0)
            continue;
        rdi_paper_column(paper, NAME_COLUMNS, s->hierarchy.cache[k].name);
        rdi_paper_divided_bar(paper, causes, CAUSES, BAR_CELLS);
        for (size_t i = 0; i < CAUSES; i++)
            rdi_paper_share(paper, -COLUMNS, causes[i], c->misses);
        rdi_text_putc(&paper->t, '\n');
    }
}

static void add_coherence(rdi_paper *paper, const rd_private_simulation *s) {
    static const char *const names[] = {"upgrades", "removals", "transfers", "from dirty"};
    add_heading(paper, NAME_COLUMNS + COLUMNS, "Coherence", names, RDI_COUNT(names));
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_coherence_counts *h = &s->all[k].coherence;
        bool shared = s->hierarchy.cache[k].shared;
        rdi_paper_column(paper, NAME_COLUMNS, s->hierarchy.cache[k].name);
        rdi_paper_column(paper, COLUMNS, shared ? "shared" : "private");
        rdi_paper_count(paper, -COLUMNS, h->upgrades);
        rdi_paper_count(paper, -COLUMNS, h->removals);
        rdi_paper_count(paper, -COLUMNS, h->transfers);
        rdi_paper_count(paper, -COLUMNS, h->dirty_transfers);
        rdi_text_putc(&paper->t, '\n');
    }
}

/* Returns the index of the innermost cache for data. */
static size_t first_of(const rd_hierarchy *h) {
    return rd_hierarchy_is_split(h) && strcmp(h->cache[0].name, "L1I") == 0;
}

/* Returns whether a cache lies outside of the innermost cache for data. */
static bool has_outer(const rd_hierarchy *h) {
    return h->n - 1 > first_of(h);
}

static void add_thread(rdi_paper *paper, const rd_private_simulation *s, const char *name,
                       const rd_level_counts *levels) {
    const rd_level_counts *first = &levels[first_of(&s->hierarchy)];
    rdi_paper_column(paper, THREAD_COLUMNS, name);
    rdi_paper_count(paper, -COLUMNS, first->cache.references);
    rdi_paper_share(paper, -COLUMNS, first->cache.misses, first->cache.references);
    if (s->causes)
        rdi_paper_share(paper, -COLUMNS, first->coherence.coherence, first->cache.references);
    rdi_paper_count(paper, -COLUMNS, first->coherence.transfers);
    if (has_outer(&s->hierarchy))
        rdi_paper_count(paper, -COLUMNS, levels[s->hierarchy.n - 1].cache.misses);
    rdi_text_putc(&paper->t, '\n');
}

static void add_threads(rdi_paper *paper, const rd_private_simulation *s) {
    size_t rows = s->n_threads <= ROWS_MAX ? s->n_threads : ROWS_MAX - 1;
    char name[48], misses[2][40];
    const char *names[5] = {"references", misses[0], "coherence", "transfers", misses[1]};
    rd_level_counts rest[RD_CACHES_MAX] = {{{0}, {0}}};
    if (!s->causes) {
        names[2] = names[3];
        names[3] = names[4];
    }
    snprintf(misses[0], sizeof misses[0], "%.15s misses",
             s->hierarchy.cache[first_of(&s->hierarchy)].name);
    snprintf(misses[1], sizeof misses[1], "%.15s misses",
             s->hierarchy.cache[s->hierarchy.n - 1].name);
    add_heading(paper, THREAD_COLUMNS, "Threads", names,
                3 + (size_t)s->causes + (size_t)has_outer(&s->hierarchy));
    for (size_t i = 0; i < s->n_threads; i++) {
        const rd_thread_caches *t = &s->threads[i];
        for (size_t k = 0; k < s->hierarchy.n && i >= rows; k++)
            rd_level_counts_add(&rest[k], &t->levels[k]);
        if (i >= rows)
            continue;
        if (t->process)
            snprintf(name, sizeof name, "%" PRIu32 " of process %" PRIu32, t->thread,
                     t->process + 1);
        else
            snprintf(name, sizeof name, "%" PRIu32, t->thread);
        add_thread(paper, s, name, t->levels);
    }
    if (rows < s->n_threads) {
        snprintf(name, sizeof name, "%zu others", s->n_threads - rows);
        add_thread(paper, s, name, rest);
    }
}

/* Says how many references reach memory, and how many the caches of other threads serve. */
static void add_words(rdi_paper *paper, const rd_profile *p, const rd_private_simulation *s) {
    double references = (double)rd_profile_facts_of(p)->references;
    uint64_t transfers = 0, dirty = 0, from_memory = 0;
    char memory[RDI_FORMAT_ROOM], others[RDI_FORMAT_ROOM], text[300];
    if (rd_profile_facts_of(p)->references == 0)
        return;
    for (size_t k = 0; k < (rd_hierarchy_is_split(&s->hierarchy) ? 2 : 1); k++) {
        transfers += s->all[k].coherence.transfers;
        dirty += s->all[k].coherence.dirty_transfers;
    }
    for (size_t k = rdi_first_outermost(&s->hierarchy); k < s->hierarchy.n; k++)
        from_memory += s->all[k].cache.misses - s->all[k].coherence.transfers;
    rdi_format_share((double)from_memory / references, memory);
    rdi_format_share((double)transfers / references, others);
    int n = snprintf(text, sizeof text,
                     "%s of all references reach memory, and caches of other threads serve %s.",
                     memory, others);
    if (dirty)
        snprintf(text + n, sizeof text - (size_t)n,
                 " Threads pass data to each other: 'reusedist sharing' names the data and the "
                 "lines.");
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, text);
}

void rdi_report_cores(rdi_paper *paper, const rd_profile *p) {
    const rd_private_simulation *s = rd_profile_private_simulation(p);
    rd_simulation all = {.size = sizeof all, .hierarchy = s->hierarchy, .causes = s->causes};
    for (size_t k = 0; k < s->hierarchy.n; k++)
        all.counts[k] = s->all[k].cache;
    add_caches(paper, s);
    rdi_report_traffic(paper, p, &all);
    if (s->causes)
        add_causes(paper, s);
    rdi_report_prefetches(paper, &all);
    add_coherence(paper, s);
    add_threads(paper, s);
    add_words(paper, p, s);
}
