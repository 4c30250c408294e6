/* Section "private_caches": the private and shared caches of threads that were simulated together with
 * the analysis, and their counters. A merged profile has the sums of the threads with the same numbers,
 * if all profiles have this section with the same caches and the same interleaving, and all or none of
 * them have the causes of misses. */
#include "base/arena.h"
#include "base/sized.h"
#include "profile/profile_reader.h"
#include "profile/sections.h"
#include "reusedist/hierarchy.h"

#include <stdlib.h>
#include <string.h>

/* The data of the section. The first member is the public struct. */
typedef struct private_caches {
    rd_private_simulation is; /* points into the arena */
    rdi_arena arena;
} private_caches;

static void private_caches_free(rd_ctx *ctx, void *data) {
    rdi_arena_fini(&((private_caches *)data)->arena);
    rdi_free(ctx, data);
}

static private_caches *new_section(rd_ctx *ctx) {
    private_caches *p = rdi_calloc(ctx, 1, sizeof *p);
    if (p) {
        p->arena.ctx = ctx;
        p->is.size = sizeof p->is;
    }
    return p;
}

static void add_up(rd_private_simulation *s) {
    memset(s->all, 0, sizeof s->all);
    for (size_t i = 0; i < s->n_threads; i++)
        for (size_t k = 0; k < s->hierarchy.n; k++)
            rd_level_counts_add(&s->all[k], &s->threads[i].levels[k]);
}

/* ---- reading ---- */

typedef struct level_row {
    char name[sizeof((rd_cache *)0)->name];
    rd_level_counts counts;
} level_row;

typedef struct thread_row {
    uint32_t process, thread;
    level_row levels[RD_CACHES_MAX];
    size_t n;
} thread_row;

typedef struct read_state {
    rd_hierarchy caches;
    bool causes;
    const char *interleave;
    const void *threads; /* array of thread_row */
    size_t n_threads;
} read_state;

static void read_caches(rdi_profile_reader *r, void *field) {
    char *text = rdi_json_string(&r->j);
    rd_status status = text ? rd_hierarchy_parse(r->j.ctx, text, field) : RD_OK;
    if (text && status == RD_OK)
        status = rd_hierarchy_check_private(r->j.ctx, field);
    if (status == RD_ENOMEM)
        r->j.status = status;
    else if (status != RD_OK)
        rdi_json_fail(&r->j, "\"caches\" does not describe private caches");
    rdi_free(r->j.ctx, text);
}

static void read_causes(rdi_profile_reader *r, void *field) {
    *(bool *)field = rdi_json_bool(&r->j);
}

static void read_name(rdi_profile_reader *r, void *field) {
    char *name = rdi_json_string(&r->j);
    if (name && strlen(name) >= sizeof((level_row *)0)->name)
        rdi_json_fail(&r->j, "the name of a cache must be shorter than %zu bytes, not '%.80s'",
                      sizeof((level_row *)0)->name, name);
    else if (name)
        strcpy(field, name);
    rdi_free(r->j.ctx, name);
}

static void read_number(rdi_profile_reader *r, void *field) {
    uint64_t number = 0;
    rdi_read_u64(r, &number);
    if (number > UINT32_MAX)
        rdi_json_fail(&r->j, "the number of a thread or process is 2^32 or more");
    *(uint32_t *)field = (uint32_t)number;
}

#define CACHE(key)                                                                                 \
    { #key, rdi_read_u64, offsetof(level_row, counts.cache.key), true }
#define COHERENCE(key)                                                                             \
    { #key, rdi_read_u64, offsetof(level_row, counts.coherence.key), true }

static void read_levels(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"name", read_name, offsetof(level_row, name), true},
        CACHE(references),
        CACHE(misses),
        CACHE(cold),
        CACHE(capacity),
        CACHE(conflict),
        CACHE(writebacks),
        CACHE(far_hits),
        CACHE(prefetches),
        CACHE(useful),
        CACHE(useless),
        CACHE(invalidations),
        COHERENCE(coherence),
        COHERENCE(removals),
        COHERENCE(upgrades),
        COHERENCE(transfers),
        COHERENCE(dirty_transfers),
        {0},
    };
    thread_row *row = field;
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j)) {
        if (row->n == RD_CACHES_MAX) {
            rdi_json_fail(&r->j, "there are more than %d levels", RD_CACHES_MAX);
            return;
        }
        rdi_read_object(r, fields, &row->levels[row->n++]);
    }
}

static void read_threads(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"process", read_number, offsetof(thread_row, process), true},
        {"thread", read_number, offsetof(thread_row, thread), true},
        {"levels", read_levels, 0, true},
        {0},
    };
    read_state *state = field;
    rdi_read_list(r, fields, sizeof(thread_row), &state->threads, &state->n_threads);
}

/* Copies the rows of the threads that were read, and checks the numbers and names of their levels. */
static void take_threads(rdi_profile_reader *r, const read_state *state, rd_private_simulation *s) {
    const thread_row *rows = state->threads;
    rd_thread_caches *threads = rdi_read_take(r, state->n_threads + 1, sizeof *threads);
    for (size_t i = 0; i < state->n_threads && threads && r->j.status == RD_OK; i++) {
        threads[i].process = rows[i].process;
        threads[i].thread = rows[i].thread;
        if (rows[i].n != s->hierarchy.n) {
            rdi_json_fail(&r->j,
                          "thread %zu of the list must have one level per cache: %zu, not %zu",
                          i + 1, s->hierarchy.n, rows[i].n);
            return;
        }
        for (size_t k = 0; k < rows[i].n; k++) {
            threads[i].levels[k] = rows[i].levels[k].counts;
            if (strcmp(rows[i].levels[k].name, s->hierarchy.cache[k].name) != 0)
                rdi_json_fail(&r->j,
                              "level %zu of thread %zu of the list is called %s, but the cache is "
                              "called %s",
                              k + 1, i + 1, rows[i].levels[k].name, s->hierarchy.cache[k].name);
        }
    }
    s->threads = threads;
    s->n_threads = threads ? state->n_threads : 0;
}

static void private_caches_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"caches", read_caches, offsetof(read_state, caches), true},
        {"causes", read_causes, offsetof(read_state, causes), true},
        {"interleave", rdi_read_needed_text, offsetof(read_state, interleave), true},
        {"threads", read_threads, 0, true},
        {0},
    };
    read_state state = {.causes = false};
    private_caches *p = new_section(r->j.ctx);
    if (!(*data = p)) {
        r->j.status = RD_ENOMEM;
        return;
    }
    r->arena = &p->arena;
    rdi_read_object(r, fields, &state);
    if (r->j.status != RD_OK)
        return;
    p->is.hierarchy = state.caches;
    p->is.causes = state.causes;
    p->is.interleave = state.interleave;
    take_threads(r, &state, &p->is);
    add_up(&p->is);
}

/* ---- checks ---- */

/* Returns whether the counts of one cache of a thread can be true. */
static bool is_possible(const rd_level_counts *l, bool causes) {
    const rd_cache_counts *c = &l->cache;
    const rd_coherence_counts *h = &l->coherence;
    rdi_u128 sum = (rdi_u128)c->cold + c->capacity + c->conflict + h->coherence;
    return c->misses <= c->references && c->far_hits <= c->references - c->misses &&
           (rdi_u128)c->useful + c->useless <= c->prefetches &&
           (causes ? sum == c->misses : sum + c->far_hits == 0) &&
           h->upgrades <= c->references - c->misses && h->transfers <= c->misses &&
           h->dirty_transfers <= h->transfers;
}

static bool is_before(const rd_thread_caches *a, const rd_thread_caches *b) {
    return a->process != b->process ? a->process < b->process : a->thread < b->thread;
}

/* Returns whether the counts of a thread can be true. A useful or useless prefetch of a shared
 * cache may have been caused by another thread, so the counts of useful and useless prefetches of shared caches
 * are checked for all threads together. */
static bool thread_is_possible(const rd_private_simulation *s, const rd_thread_caches *t) {
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        rd_level_counts l = t->levels[k];
        if (s->hierarchy.cache[k].shared)
            l.cache.useful = l.cache.useless = 0;
        if (!is_possible(&l, s->causes))
            return false;
    }
    return true;
}

static const char *private_caches_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_private_simulation *s = data;
    size_t first = rd_hierarchy_is_split(&s->hierarchy) ? 2 : 1;
    rdi_u128 references = 0;
    for (size_t i = 0; i < s->n_threads; i++) {
        const rd_thread_caches *t = &s->threads[i];
        if (i && !is_before(t - 1, t))
            return "the threads with private caches are not in ascending order";
        if (!thread_is_possible(s, t))
            return "the counts of a private cache contradict each other";
        for (size_t k = 0; k < first; k++)
            references += t->levels[k].cache.references;
    }
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        if (!is_possible(&s->all[k], s->causes))
            return "the counts of the caches of all threads contradict each other";
        if (s->all[k].cache.references > facts->references)
            return "the caches of all threads have more references at one level than the profile";
    }
    return references <= facts->references
               ? NULL
               : "the innermost caches of all threads have more references than the profile";
}

/* ---- writing ---- */

static void write_level(rd_json_writer *w, const rd_cache *cache, const rd_level_counts *l) {
    const rd_cache_counts *c = &l->cache;
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "name", cache->name);
    rd_json_put_u64(w, "references", c->references);
    rd_json_put_u64(w, "misses", c->misses);
    rd_json_put_u64(w, "cold", c->cold);
    rd_json_put_u64(w, "capacity", c->capacity);
    rd_json_put_u64(w, "conflict", c->conflict);
    rd_json_put_u64(w, "writebacks", c->writebacks);
    rd_json_put_u64(w, "far_hits", c->far_hits);
    rd_json_put_u64(w, "prefetches", c->prefetches);
    rd_json_put_u64(w, "useful", c->useful);
    rd_json_put_u64(w, "useless", c->useless);
    rd_json_put_u64(w, "invalidations", c->invalidations);
    rd_json_put_u64(w, "coherence", l->coherence.coherence);
    rd_json_put_u64(w, "removals", l->coherence.removals);
    rd_json_put_u64(w, "upgrades", l->coherence.upgrades);
    rd_json_put_u64(w, "transfers", l->coherence.transfers);
    rd_json_put_u64(w, "dirty_transfers", l->coherence.dirty_transfers);
    rd_json_end_object(w);
}

static void write_thread(rd_json_writer *w, const rd_hierarchy *h, const rd_thread_caches *t) {
    rd_json_begin_object(w, NULL, RD_JSON_LINES);
    rd_json_put_u64(w, "process", t->process);
    rd_json_put_u64(w, "thread", t->thread);
    rd_json_begin_array(w, "levels", RD_JSON_LINES);
    for (size_t k = 0; k < h->n; k++)
        write_level(w, &h->cache[k], &t->levels[k]);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

static void private_caches_write(rd_json_writer *w, const void *data) {
    const rd_private_simulation *s = data;
    char *caches = NULL;
    rd_status status = rd_hierarchy_text(w->text.ctx, &s->hierarchy, &caches);
    if (status != RD_OK) {
        w->text.status = w->text.status == RD_OK ? status : w->text.status;
        return;
    }
    rd_json_begin_object(w, "private_caches", RD_JSON_LINES);
    rd_json_put_string(w, "caches", caches);
    rd_json_put_bool(w, "causes", s->causes);
    rd_json_put_string(w, "interleave", s->interleave);
    rd_json_begin_array(w, "threads", RD_JSON_LINES);
    for (size_t i = 0; i < s->n_threads; i++)
        write_thread(w, &s->hierarchy, &s->threads[i]);
    rd_json_end_array(w);
    rd_json_end_object(w);
    rd_text_free(w->text.ctx, caches);
}

/* ---- merging ---- */

static int compare_threads(const void *a, const void *b) {
    const rd_thread_caches *x = a, *y = b;
    return is_before(x, y) ? -1 : is_before(y, x);
}

/* Adds up the threads with the same numbers, in place, and puts them in ascending order. */
static void unite_threads(rd_private_simulation *s, rd_thread_caches *rows, size_t n) {
    size_t m = 0;
    if (n)
        qsort(rows, n, sizeof *rows, compare_threads);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || is_before(&rows[m - 1], &rows[i])) {
            rows[m++] = rows[i];
            continue;
        }
        for (size_t k = 0; k < s->hierarchy.n; k++)
            rd_level_counts_add(&rows[m - 1].levels[k], &rows[i].levels[k]);
    }
    s->threads = rows;
    s->n_threads = m;
    add_up(s);
}

/* Makes a section with the threads of n simulations, which must all have the caches and the interleaving of the first
 * one. */
static rd_status unite(rd_ctx *ctx, const rd_private_simulation *const *simulations, size_t n,
                       private_caches **out) {
    size_t n_rows = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        n_rows += simulations[i]->n_threads;
    private_caches *p = new_section(ctx);
    if (!p)
        return RD_ENOMEM;
    rd_thread_caches *rows = rdi_arena_alloc(&p->arena, n_rows + 1, sizeof *rows);
    p->is.hierarchy = simulations[0]->hierarchy;
    p->is.causes = simulations[0]->causes;
    p->is.interleave = rdi_arena_strdup(&p->arena, simulations[0]->interleave);
    if (!rows || !p->is.interleave) {
        private_caches_free(ctx, p);
        return RD_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        if (simulations[i]->n_threads)
            memcpy(rows + at, simulations[i]->threads, simulations[i]->n_threads * sizeof *rows);
        at += simulations[i]->n_threads;
    }
    unite_threads(&p->is, rows, n_rows);
    *out = p;
    return RD_OK;
}

static rd_status are_alike(rd_ctx *ctx, const rd_private_simulation *a,
                           const rd_private_simulation *b, bool *alike) {
    char *text[2] = {NULL, NULL};
    rd_status status = rd_hierarchy_text(ctx, &a->hierarchy, &text[0]);
    if (status == RD_OK)
        status = rd_hierarchy_text(ctx, &b->hierarchy, &text[1]);
    *alike = status == RD_OK && a->causes == b->causes && strcmp(text[0], text[1]) == 0 &&
             strcmp(a->interleave, b->interleave) == 0;
    rd_text_free(ctx, text[0]);
    rd_text_free(ctx, text[1]);
    return status;
}

static rd_status private_caches_merge(rd_ctx *ctx, const void *const *data, size_t n, void **sum) {
    bool alike = true;
    private_caches *p = NULL;
    for (size_t i = 0; i < n && alike; i++) {
        if (!data[i])
            return RD_OK;
        RD_TRY(are_alike(ctx, data[0], data[i], &alike));
    }
    if (!alike)
        return RD_OK;
    RD_TRY(unite(ctx, (const rd_private_simulation *const *)data, n, &p));
    *sum = p;
    return RD_OK;
}

const rdi_section rdi_section_private_caches = {
    .key = "private_caches",
    .minor = 3,
    .read = private_caches_read,
    .mistake = private_caches_mistake,
    .write = private_caches_write,
    .merge = private_caches_merge,
    .free = private_caches_free,
};

/* ---- access to the simulation of a profile ---- */

const rd_private_simulation *rd_profile_private_simulation(const rd_profile *p) {
    return p ? rdi_profile_section(p, &rdi_section_private_caches) : NULL;
}

rd_status rd_profile_set_private_simulation(rd_profile *p, const rd_private_simulation *s) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    RDI_NEED(NULL, p);
    RDI_NEED(ctx, s);
    rd_private_simulation own;
    private_caches *kept = NULL;
    RD_TRY(rdi_sized_copy(ctx, "rd_private_simulation", s, &own, sizeof own));
    RDI_NEED(ctx, own.interleave);
    if (own.n_threads)
        RDI_NEED(ctx, own.threads);
    RD_TRY(rd_hierarchy_check(ctx, &own.hierarchy, rd_profile_facts_of(p)->block_bytes));
    RD_TRY(rd_hierarchy_check_private(ctx, &own.hierarchy));
    RD_TRY(unite(ctx, (const rd_private_simulation *const[]){&own}, 1, &kept));
    const char *mistake = private_caches_mistake(rd_profile_facts_of(p), &kept->is);
    if (mistake) {
        private_caches_free(ctx, kept);
        return rdi_fail(ctx, RD_EINVAL, "%s", mistake);
    }
    rdi_profile_set_section(p, &rdi_section_private_caches, kept);
    return RD_OK;
}
