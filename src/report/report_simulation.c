/* Reports simulated caches: tables for people, CSV and JSON for programs. */
#include "reusedist/report.h"

#include "profile/profile_build.h"
#include "profile/profile_write.h"
#include "report/report_conflicts.h"
#include "report/report_cores.h"
#include "report/report_machine.h"
#include "report/report_simulation.h"
#include "report/waits.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_COLUMNS  8
#define SIZE_COLUMNS  10
#define WAYS_COLUMNS  8
#define COUNT_COLUMNS 11
#define SHARE_COLUMNS 11
#define BAR_CELLS     32

static rd_status find(rd_profile *p, const rd_simulation **out) {
    *out = rd_profile_simulation(p);
    return *out ? RD_OK
                : rdi_fail(rdi_profile_ctx(p), RD_EINVAL,
                           "this profile has no simulated caches; run 'reusedist simulate "
                           "--caches=...' on the trace");
}

static uint64_t block_bytes_of(const rd_profile *p) {
    return rd_profile_facts_of(p)->block_bytes;
}

/* ---- CSV and JSON ---- */

static void put_cause(rdi_text *t, bool known, uint64_t count) {
    rdi_text_putc(t, ',');
    if (known)
        rdi_text_u64(t, count);
}

rd_status rd_report_simulation_csv(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_simulation *s = NULL;
    if (rd_profile_private_simulation(p))
        return rdi_report_cores_csv(p, text, n);
    RD_TRY(find(p, &s));
    rdi_text t = rdi_text_start(rdi_profile_ctx(p));
    rdi_text_puts(&t, "level,bytes,ways,references,misses,cold,capacity,conflict,writebacks,"
                      "far_hits,prefetches,useful,useless,invalidations\n");
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_cache *cache = &s->hierarchy.cache[k];
        const rd_cache_counts *c = &s->counts[k];
        rdi_text_printf(&t, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, cache->name,
                        cache->bytes, rd_cache_ways(cache, block_bytes_of(p)), c->references,
                        c->misses);
        put_cause(&t, s->causes, c->cold);
        put_cause(&t, s->causes, c->capacity);
        put_cause(&t, s->causes, c->conflict);
        rdi_text_printf(&t, ",%" PRIu64, c->writebacks);
        put_cause(&t, s->causes, c->far_hits);
        rdi_text_printf(&t, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", c->prefetches,
                        c->useful, c->useless, c->invalidations);
    }
    return rdi_text_take(&t, text, n);
}

void rdi_put_simulated_cache(rd_json_writer *w, const rd_cache *cache, uint64_t block_bytes,
                             const rd_cache_counts *c, bool causes) {
    rd_json_put_string(w, "level", cache->name);
    rd_json_put_u64(w, "bytes", cache->bytes);
    rd_json_put_u64(w, "sets", rd_cache_sets(cache, block_bytes));
    rd_json_put_u64(w, "ways", rd_cache_ways(cache, block_bytes));
    rd_json_put_u64(w, "references", c->references);
    rd_json_put_u64(w, "misses", c->misses);
    uint64_t none = causes ? RD_UNKNOWN : 0;
    rdi_json_put_u64_or_null(w, "cold", c->cold, none);
    rdi_json_put_u64_or_null(w, "capacity", c->capacity, none);
    rdi_json_put_u64_or_null(w, "conflict", c->conflict, none);
    rd_json_put_u64(w, "writebacks", c->writebacks);
    rdi_json_put_u64_or_null(w, "far_hits", c->far_hits, none);
    rd_json_put_u64(w, "prefetches", c->prefetches);
    rd_json_put_u64(w, "useful", c->useful);
    rd_json_put_u64(w, "useless", c->useless);
    rd_json_put_u64(w, "invalidations", c->invalidations);
}

rd_status rdi_put_simulation_facts(rd_json_writer *w, const rd_profile *p, const rd_hierarchy *h) {
    const rd_profile_facts *facts = rd_profile_facts_of(p);
    char *caches = NULL;
    RD_TRY(rd_hierarchy_text(w->text.ctx, h, &caches));
    rd_json_put_string(w, "schema", "reusedist.simulation/1");
    rd_json_put_u64(w, "references", facts->references);
    rdi_json_put_u64_or_null(w, "block_bytes", facts->block_bytes, 0);
    rd_json_put_bool(w, "partial", facts->partial);
    rdi_profile_write_interleaving(w, p);
    rd_json_put_string(w, "caches", caches);
    rd_text_free(w->text.ctx, caches);
    return RD_OK;
}

rd_status rd_report_simulation_json(rd_profile *p, char **text, size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_simulation *s = NULL;
    if (rd_profile_private_simulation(p))
        return rdi_report_cores_json(p, text, n);
    RD_TRY(find(p, &s));
    rd_json_writer w = rdi_json_writer_start(rdi_profile_ctx(p), RD_JSON_SPACED);
    rd_json_begin_object(&w, NULL, RD_JSON_LINES);
    rd_status status = rdi_put_simulation_facts(&w, p, &s->hierarchy);
    rd_json_begin_array(&w, "levels", RD_JSON_LINES);
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        rd_json_begin_object(&w, NULL, RD_JSON_INLINE);
        rdi_put_simulated_cache(&w, &s->hierarchy.cache[k], block_bytes_of(p), &s->counts[k],
                                s->causes);
        rd_json_end_object(&w);
    }
    rd_json_end_array(&w);
    rd_json_end_object(&w);
    w.text.status = w.text.status == RD_OK ? status : w.text.status;
    return rd_json_writer_take(&w, text, n);
}

/* ---- text ---- */

void rdi_report_traffic(rdi_paper *paper, const rd_profile *p, const rd_simulation *s) {
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS, "Cache");
    rdi_paper_column(paper, -SIZE_COLUMNS, "size");
    rdi_paper_column(paper, -WAYS_COLUMNS, "ways");
    rdi_paper_column(paper, -COUNT_COLUMNS, "references");
    rdi_paper_column(paper, -COUNT_COLUMNS, "misses");
    rdi_paper_column(paper, -SHARE_COLUMNS, "miss ratio");
    rdi_paper_column(paper, -COUNT_COLUMNS - 2, "write-backs");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_cache *cache = &s->hierarchy.cache[k];
        char size[RDI_FORMAT_ROOM], ways[RDI_FORMAT_ROOM] = "all";
        rdi_format_size(paper, rd_cache_blocks(cache, block_bytes_of(p)), size);
        if (cache->ways)
            snprintf(ways, sizeof ways, "%" PRIu64, cache->ways);
        rdi_paper_column(paper, NAME_COLUMNS, cache->name);
        rdi_paper_column(paper, -SIZE_COLUMNS, size);
        rdi_paper_column(paper, -WAYS_COLUMNS, ways);
        rdi_paper_count(paper, -COUNT_COLUMNS, s->counts[k].references);
        rdi_paper_count(paper, -COUNT_COLUMNS, s->counts[k].misses);
        rdi_paper_share(paper, -SHARE_COLUMNS, s->counts[k].misses, s->counts[k].references);
        rdi_text_puts(&paper->t, "  ");
        rdi_paper_count(paper, -COUNT_COLUMNS, s->counts[k].writebacks);
        rdi_text_putc(&paper->t, '\n');
    }
}

static bool all_are_lru(const rd_simulation *s) {
    for (size_t k = 0; k < s->hierarchy.n; k++)
        if (s->hierarchy.cache[k].policy != RD_POLICY_LRU)
            return false;
    return true;
}

static void add_causes(rdi_paper *paper, const rd_simulation *s) {
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS + BAR_CELLS, "Causes of misses");
    rdi_paper_column(paper, -SHARE_COLUMNS, "cold");
    rdi_paper_column(paper, -SHARE_COLUMNS, "capacity");
    rdi_paper_column(paper, -SHARE_COLUMNS - 2, all_are_lru(s) ? "conflict" : "replacement");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_cache_counts *c = &s->counts[k];
        const uint64_t causes[] = {c->cold, c->capacity, c->conflict};
        if (c->misses == 0)
            continue;
        rdi_paper_column(paper, NAME_COLUMNS, s->hierarchy.cache[k].name);
        rdi_paper_divided_bar(paper, causes, 3, BAR_CELLS);
        rdi_paper_share(paper, -SHARE_COLUMNS, c->cold, c->misses);
        rdi_paper_share(paper, -SHARE_COLUMNS, c->capacity, c->misses);
        rdi_text_puts(&paper->t, "  ");
        rdi_paper_share(paper, -SHARE_COLUMNS, c->conflict, c->misses);
        rdi_text_putc(&paper->t, '\n');
    }
}

static bool any_prefetches(const rd_simulation *s) {
    for (size_t k = 0; k < s->hierarchy.n; k++)
        if (s->hierarchy.cache[k].prefetch != RD_PREFETCH_NONE)
            return true;
    return false;
}

void rdi_report_prefetches(rdi_paper *paper, const rd_simulation *s) {
    if (!any_prefetches(s))
        return;
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_ink(paper, RDI_INK_BOLD);
    rdi_paper_column(paper, NAME_COLUMNS + SIZE_COLUMNS, "Prefetching");
    rdi_paper_column(paper, -COUNT_COLUMNS, "prefetches");
    rdi_paper_column(paper, -SHARE_COLUMNS, "useful");
    rdi_paper_column(paper, -SHARE_COLUMNS, "useless");
    rdi_paper_ink(paper, RDI_INK_PLAIN);
    rdi_text_putc(&paper->t, '\n');
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        const rd_cache *cache = &s->hierarchy.cache[k];
        const rd_cache_counts *c = &s->counts[k];
        if (cache->prefetch == RD_PREFETCH_NONE)
            continue;
        rdi_paper_column(paper, NAME_COLUMNS, cache->name);
        rdi_paper_column(paper, SIZE_COLUMNS,
                         cache->prefetch == RD_PREFETCH_NEXT ? "next block" : "streams");
        rdi_paper_count(paper, -COUNT_COLUMNS, c->prefetches);
        rdi_paper_share(paper, -SHARE_COLUMNS, c->useful, c->prefetches);
        rdi_paper_share(paper, -SHARE_COLUMNS, c->useless, c->prefetches);
        rdi_text_putc(&paper->t, '\n');
    }
}

/* Adds a sentence about the share of the references that reach memory. If the cache with the most conflict misses is
 * an LRU cache, and its conflict misses minus its far hits are at least a tenth of its misses, adds a sentence about
 * this cache. */
static void add_words(rdi_paper *paper, const rd_profile *p, const rd_simulation *s) {
    char share[RDI_FORMAT_ROOM], text[400];
    size_t worst = 0;
    uint64_t memory = 0; /* number of references that reach memory */
    for (size_t k = rdi_first_outermost(&s->hierarchy); k < s->hierarchy.n; k++)
        memory += s->counts[k].misses;
    for (size_t k = 1; k < s->hierarchy.n; k++)
        if (s->counts[k].conflict > s->counts[worst].conflict)
            worst = k;
    const rd_cache_counts *w = &s->counts[worst];
    if (rd_profile_facts_of(p)->references == 0)
        return;
    rdi_format_share((double)memory / (double)rd_profile_facts_of(p)->references, share);
    int n = snprintf(text, sizeof text, "%s of all references reach memory.", share);
    /* Far hits compensate for conflict misses, because a fully associative cache would miss
     * them. */
    uint64_t net = w->conflict > w->far_hits ? w->conflict - w->far_hits : 0;
    if (net && net >= w->misses / 10 && s->hierarchy.cache[worst].policy == RD_POLICY_LRU) {
        rdi_format_share((double)w->conflict / (double)w->misses, share);
        snprintf(text + n, sizeof text - (size_t)n,
                 " %s of the misses of %s are conflicts: blocks that are used at the same time "
                 "compete for few sets. Other sizes or offsets of arrays (padding) can avoid these "
                 "misses.",
                 share, s->hierarchy.cache[worst].name);
    }
    rdi_text_putc(&paper->t, '\n');
    rdi_paper_wrap(paper, text);
}

/* Says how long the machine whose caches were simulated waits for data, if the profile keeps it. */
static void add_wait(rdi_paper *paper, const rd_profile *p) {
    rd_machine m;
    rd_cycles cycles;
    char range[RDI_CYCLES_ROOM], text[RDI_CYCLES_ROOM + 300];
    if (!rdi_machine_kept(p, &m) || !rdi_waits_simulated(p, &m, &cycles))
        return;
    rdi_format_cycles(&m, &cycles, range);
    int n = snprintf(text, sizeof text, "On %s, waiting for data takes %s. ", m.name, range);
    if (m.parallel)
        snprintf(text + n, sizeof text - (size_t)n,
                 "The lower end holds if %" PRIu32
                 " misses are always in flight, the upper end if misses never overlap.",
                 m.parallel);
    else
        snprintf(text + n, sizeof text - (size_t)n, "The upper end holds if misses never overlap.");
    rdi_paper_wrap(paper, text);
}

void rdi_report_simulation(rdi_paper *paper, const rd_profile *p) {
    const rd_simulation *s = rd_profile_simulation(p);
    if (!s) {
        rdi_report_cores(paper, p);
        return;
    }
    rdi_report_traffic(paper, p, s);
    if (s->causes)
        add_causes(paper, s);
    rdi_report_prefetches(paper, s);
    add_words(paper, p, s);
    add_wait(paper, p);
    rdi_report_conflicts(paper, p);
}

rd_status rd_report_simulation_text(rd_profile *p, const rd_report_style *style, char **text,
                                    size_t *n) {
    RDI_NEED(rdi_profile_ctx(p), p, text, n);
    const rd_simulation *s = NULL;
    if (!rd_profile_private_simulation(p))
        RD_TRY(find(p, &s));
    rdi_paper paper = rdi_paper_start(p, style);
    rdi_paper_title(&paper, p);
    rdi_report_simulation(&paper, p);
    return rdi_text_take(&paper.t, text, n);
}
