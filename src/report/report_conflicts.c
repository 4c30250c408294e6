/* Reports the causes of simulated misses by code and data, and conflicts. See report_conflicts.h. */
#include "report/report_conflicts.h"

#include "profile/profile_build.h"
#include "report/report_details.h"
#include "reusedist/attribution.h"
#include "reusedist/hierarchy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 5 /* maximum number of lines, data and pairs of regions shown per cache */
/* An entry is shown if it has more than this share of the misses of its cache, and a pair of regions if it
 * has more than this share of the conflict misses of its cache. */
#define TELLING       0.01
#define COUNT_COLUMNS 11
#define CAUSE_COLUMNS 11
#define NAME_LEAST    20
/* A cache with policy LRU has many conflicts if its conflict misses minus its far hits are more than FEW,
 * more than one in FEW_MISSES of its misses, and more than one in FEW_REFERENCES of all references. A line
 * is named if it has more than one in FEW_MISSES of the conflict misses of such a cache. */
#define FEW            10000
#define FEW_MISSES     10
#define FEW_REFERENCES 1000
#define ADVICE_MAX     3 /* maximum number of lines that are named per cache */

typedef struct conflict_report {
    const rd_profile *p;
    const rd_attribution *a;
    const rd_miss_causes *causes;
    const rd_simulation *s;
    uint64_t block_bytes;
} conflict_report;

static bool start(conflict_report *r, const rd_profile *p) {
    const rd_details *d = rd_profile_details(p);
    *r = (conflict_report){.p = p,
                           .a = d ? d->attribution : NULL,
                           .causes = d ? d->causes : NULL,
                           .s = rd_profile_simulation(p),
                           .block_bytes = rd_profile_facts_of(p)->block_bytes};
    return r->a && r->causes && r->s;
}

static uint64_t misses_of(const rd_causes *c) {
    return c->cold + c->capacity + c->conflict;
}

/* ---- advice ---- */

static bool has_many_conflicts(const conflict_report *r, size_t k) {
    const rd_cache_counts *c = &r->s->counts[k];
    const rd_cache *cache = &r->s->hierarchy.cache[k];
    uint64_t net = c->conflict > c->far_hits ? c->conflict - c->far_hits : 0;
    return cache->policy == RD_POLICY_LRU && net > FEW && net > c->misses / FEW_MISSES &&
           net > rd_profile_facts_of(r->p)->references / FEW_REFERENCES;
}

/* Returns whether a pair of regions has enough conflicts to be shown. Variables of the C library and stacks
 * always share some sets with the program's data. Their addresses differ from run to run, and so do these
 * few conflicts, which are not shown. */
static bool is_telling(const conflict_report *r, const rd_conflict *c) {
    return c->data != RD_NO_INDEX && has_many_conflicts(r, c->cache) &&
           (double)c->count > TELLING * (double)r->s->counts[c->cache].conflict;
}

bool rdi_conflict_is_telling(const rd_profile *p, const rd_conflict *c) {
    conflict_report r;
    return start(&r, p) && c->cache < r.s->hierarchy.n && is_telling(&r, c);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_by_modulo(const rd_cache *c) {
    return c->index == RD_INDEX_MOD;
}

/* Returns whether strides of `blocks` blocks reach all sets of all caches. Caches that choose sets
 * by a hash are ignored. */
static bool reaches_all_sets(const conflict_report *r, uint64_t blocks) {
    for (size_t k = 0; k < r->s->hierarchy.n; k++) {
        const rd_cache *c = &r->s->hierarchy.cache[k];
        if (is_by_modulo(c) && common_divisor(blocks, rd_cache_sets(c, r->block_bytes)) != 1)
            return false;
    }
    return true;
}

/* Returns the smallest number of blocks by which a stride must grow to reach all sets, or 0 if there
 * is none within 4096 blocks. */
static uint64_t padding_of(const conflict_report *r, uint64_t stride) {
    for (uint64_t more = 1; more <= 4096; more++)
        if (reaches_all_sets(r, stride + more))
            return more;
    return 0;
}

/* Adds the name of a region as it is used in a sentence. */
static void say_region(const conflict_report *r, rdi_text *t, size_t data) {
    const rd_data_region *region = &r->a->data[data];
    rdi_text_printf(t, "%s%s", region->kind == RD_DATA_HEAP ? "memory from " : "", region->name);
}

/* Says that the strides of the line reach few sets, and which padding helps. Returns false, and
 * says nothing, if the strides are not the reason for the conflicts. */
static bool say_stride(const conflict_report *r, rdi_text *t, const rd_line_conflicts *line) {
    const rd_cache *c = &r->s->hierarchy.cache[line->cache];
    uint64_t unit = r->block_bytes ? r->block_bytes : 1, stride = line->stride / unit;
    uint64_t sets = rd_cache_sets(c, r->block_bytes), reached;
    if (!is_by_modulo(c) || stride == 0 ||
        (reached = sets / common_divisor(stride, sets)) > sets / 4)
        return false;
    uint64_t padding = padding_of(r, stride);
    rdi_text_puts(t, ": it steps through ");
    say_region(r, t, line->data);
    rdi_text_printf(t,
                    " in strides of %" PRIu64 " bytes, which reach only %" PRIu64 " of the %" PRIu64
                    " sets.",
                    line->stride, reached, sets);
    if (padding)
        rdi_text_printf(t,
                        " Padding can avoid these misses: make the stride %" PRIu64
                        " bytes, for example with rows that are %" PRIu64 " bytes longer.",
                        (stride + padding) * unit, padding * unit);
    return true;
}

/* Returns the conflicts between the line's data and the other region that evicts blocks of these data most often from
 * the cache. Returns NULL if there is no such region, or if these conflicts are fewer than half of the conflicts of
 * the line. */
static const rd_conflict *rival_of(const conflict_report *r, const rd_line_conflicts *line) {
    for (size_t i = 0; i < r->causes->n_conflicts; i++) {
        const rd_conflict *c = &r->causes->conflicts[i];
        if (c->cache == line->cache && c->data == line->data && c->evictor != line->data &&
            c->evictor != RD_NO_INDEX)
            return c->count >= line->count / 2 ? c : NULL;
    }
    return NULL;
}

static void say_rival(const conflict_report *r, rdi_text *t, const rd_line_conflicts *line) {
    const rd_conflict *rival = rival_of(r, line);
    const rd_cache *c = &r->s->hierarchy.cache[line->cache];
    rdi_text_puts(t, ": blocks of ");
    say_region(r, t, line->data);
    if (!rival) {
        rdi_text_puts(t, " compete for few sets. Other sizes or offsets of the data (padding) can "
                         "avoid these misses.");
        return;
    }
    rdi_text_puts(t, " and ");
    say_region(r, t, rival->evictor);
    if (rival->offset && is_by_modulo(c))
        rdi_text_printf(
            t,
            " that are used together are %" PRIu64
            " bytes apart and map to the same sets. Padding can avoid these misses: move "
            "one of the two by %" PRIu64 " bytes.",
            rival->offset, r->block_bytes);
    else
        rdi_text_puts(t, " evict each other from the same sets. Other sizes or offsets of the data "
                         "(padding) can avoid these misses.");
}

static void say_line(const conflict_report *r, rdi_text *t, const rd_line_conflicts *line) {
    const rd_cache_counts *c = &r->s->counts[line->cache];
    const char *name = r->s->hierarchy.cache[line->cache].name;
    char place[RDI_LABEL_ROOM], conflicts[RDI_FORMAT_ROOM], misses[RDI_FORMAT_ROOM];
    rdi_name_line(r->a, line->line, place);
    rdi_format_share((double)line->count / (double)c->conflict, conflicts);
    rdi_format_share((double)line->count / (double)c->misses, misses);
    rdi_text_printf(t, "%s causes %s of the conflict misses of %s, which are %s of all its misses",
                    place, conflicts, name, misses);
    if (!say_stride(r, t, line))
        say_rival(r, t, line);
    rdi_text_putc(t, '\n');
}

void rdi_conflict_advice(const rd_profile *p, rdi_text *out) {
    conflict_report r;
    if (!start(&r, p))
        return;
    for (size_t k = 0; k < r.s->hierarchy.n; k++) {
        size_t named = 0;
        for (size_t i = 0; has_many_conflicts(&r, k) && i < r.causes->n_line_conflicts; i++) {
            const rd_line_conflicts *line = &r.causes->line_conflicts[i];
            if (line->cache == k && named < ADVICE_MAX &&
                line->count > r.s->counts[k].conflict / FEW_MISSES) {
                say_line(&r, out, line);
                named++;
            }
        }
    }
}

/* ---- tables ---- */

static unsigned name_columns(const rdi_paper *paper) {
    unsigned used = 3 + COUNT_COLUMNS + 3 * CAUSE_COLUMNS;
    return paper->style.width > used + NAME_LEAST ? paper->style.width - used : NAME_LEAST;
}

static void put_share(rdi_paper *paper, uint64_t part, uint64_t all) {
    char text[RDI_FORMAT_ROOM] = "";
    if (all)
        rdi_format_share((double)part / (double)all, text);
    rdi_paper_column(paper, -CAUSE_COLUMNS, text);
}

static void put_row(rdi_paper *paper, const char *label, const rd_causes *c, uint64_t all) {
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_label(paper, label, name_columns(paper), true);
    char text[RDI_FORMAT_ROOM];
    rd_format_count((double)misses_of(c), text);
    rdi_paper_column(paper, -COUNT_COLUMNS, text);
    put_share(paper, c->cold, all);
    put_share(paper, c->capacity, all);
    put_share(paper, c->conflict, all);
    rdi_text_putc(&paper->t, '\n');
}

/* Adds the entries with the most misses of cache k. `list` has n entries with one element per cache. */
static void put_entries(const conflict_report *r, rdi_paper *paper, const rd_causes *list, size_t n,
                        size_t k, bool data) {
    uint64_t all = r->s->counts[k].misses;
    const rd_causes *before = NULL; /* the last entry shown */
    for (size_t shown = 0; shown < SHOWN; shown++) {
        const rd_causes *best = NULL;
        for (size_t i = 0; i < n; i++) {
            const rd_causes *c = &list[i * r->causes->n_caches + k];
            bool later = !before || misses_of(c) < misses_of(before) ||
                         (misses_of(c) == misses_of(before) && c > before);
            if (later && (!best || misses_of(c) > misses_of(best)))
                best = c;
        }
        if (!best || (double)misses_of(best) <= TELLING * (double)all)
            return;
        size_t index = (size_t)(best - list) / r->causes->n_caches;
        char label[RDI_LABEL_ROOM], size[16] = "";
        if (data)
            rdi_name_data(&r->a->data[index], label, size);
        else
            rdi_name_line(r->a, index, label);
        put_row(paper, label, best, all);
        before = best;
    }
}

static void put_cache(const conflict_report *r, rdi_paper *paper, size_t k) {
    const rd_cache *cache = &r->s->hierarchy.cache[k];
    char title[64], size[16];
    rd_format_bytes((double)cache->bytes, size);
    snprintf(title, sizeof title, "Causes of the misses of %s", cache->name);
    rdi_paper_heading(paper, title);
    rdi_text_puts(&paper->t, "  ");
    rdi_paper_column(paper, (int)name_columns(paper), "share of the misses by line, data");
    rdi_paper_column(paper, -COUNT_COLUMNS, "misses");
    rdi_paper_column(paper, -CAUSE_COLUMNS, "cold");
    rdi_paper_column(paper, -CAUSE_COLUMNS, "capacity");
    rdi_paper_column(paper, -CAUSE_COLUMNS,
                     cache->policy == RD_POLICY_LRU ? "conflict" : "replaced");
    rdi_text_putc(&paper->t, '\n');
    put_entries(r, paper, r->causes->lines, r->causes->n_lines, k, false);
    put_entries(r, paper, r->causes->data, r->causes->n_data, k, true);
}

static void name_region(const conflict_report *r, size_t data, char *label) {
    char size[16] = "";
    if (data == RD_NO_INDEX)
        strcpy(label, "nobody");
    else
        rdi_name_data(&r->a->data[data], label, size);
}

/* Adds the pairs of regions with the most conflicts, for caches with many conflicts. */
static void put_pairs(const conflict_report *r, rdi_paper *paper) {
    size_t shown[RD_CACHES_MAX] = {0};
    bool any = false;
    for (size_t i = 0; i < r->causes->n_conflicts; i++) {
        const rd_conflict *c = &r->causes->conflicts[i];
        if (!is_telling(r, c) || shown[c->cache]++ >= SHOWN)
            continue;
        if (!any)
            rdi_paper_heading(paper, "Conflicts: data evicted by other data of the same sets");
        any = true;
        char data[RDI_LABEL_ROOM], evictor[RDI_LABEL_ROOM], label[2 * RDI_LABEL_ROOM];
        char text[RDI_FORMAT_ROOM];
        name_region(r, c->data, data);
        name_region(r, c->evictor, evictor);
        snprintf(label, sizeof label, "%s: %.400s, evicted by %.400s",
                 r->s->hierarchy.cache[c->cache].name, data, evictor);
        rdi_text_puts(&paper->t, "  ");
        rdi_paper_label(paper, label, name_columns(paper) + CAUSE_COLUMNS, true);
        rd_format_count((double)c->count, text);
        rdi_paper_column(paper, -COUNT_COLUMNS, text);
        put_share(paper, c->count, r->s->counts[c->cache].conflict);
        rdi_text_putc(&paper->t, '\n');
    }
}

static void put_advice(rdi_paper *paper, const rd_profile *p) {
    rdi_text advice = rdi_text_start(paper->t.ctx);
    rdi_conflict_advice(p, &advice);
    for (char *line = advice.data, *end; line && advice.status == RD_OK && *line; line = end + 1) {
        rdi_text safe = rdi_text_start(paper->t.ctx);
        end = strchr(line, '\n');
        *end = '\0';
        rdi_text_escaped(&safe, line);
        rdi_text_putc(&paper->t, '\n');
        if (safe.status == RD_OK && safe.data)
            rdi_paper_wrap(paper, safe.data);
        rdi_text_drop(&safe);
    }
    if (advice.status != RD_OK)
        paper->t.status = advice.status;
    rdi_text_drop(&advice);
}

void rdi_report_conflicts(rdi_paper *paper, const rd_profile *p) {
    conflict_report r;
    if (!start(&r, p))
        return;
    for (size_t k = 0; k < r.s->hierarchy.n; k++)
        if (r.s->counts[k].misses)
            put_cache(&r, paper, k);
    put_pairs(&r, paper);
    put_advice(paper, p);
}
