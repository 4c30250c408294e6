/* Section "hierarchy": the caches that were simulated together with the analysis, and their
 * counters. A merged profile has the sums of the counters if all profiles have the same caches, and all or
 * none of them have the causes of misses. It has the machine if all profiles have the same machine. */
#include "profile/profile_reader.h"
#include "profile/sections.h"
#include "reusedist/hierarchy.h"

#include "base/sized.h"

#include <string.h>

static void hierarchy_free(rd_ctx *ctx, void *data) {
    rdi_free(ctx, data);
}

/* ---- reading ---- */

typedef struct level_row {
    char name[sizeof((rd_cache *)0)->name];
    rd_cache_counts counts;
} level_row;

typedef struct read_state {
    rd_hierarchy caches;
    rd_hierarchy of; /* only its fields about the machine are used */
    uint64_t parallel;
    bool causes;
    level_row rows[RD_CACHES_MAX];
    size_t n;
} read_state;

static void read_caches(rdi_profile_reader *r, void *field) {
    char *text = rdi_json_string(&r->j);
    rd_status status = text ? rd_hierarchy_parse(r->j.ctx, text, field) : RD_OK;
    if (status == RD_ENOMEM)
        r->j.status = status;
    else if (status != RD_OK)
        rdi_json_fail(&r->j, "\"caches\" does not describe a hierarchy of caches");
    rdi_free(r->j.ctx, text);
}

static void read_causes(rdi_profile_reader *r, void *field) {
    *(bool *)field = rdi_json_bool(&r->j);
}

/* Reads a name into `field`, which has `room` bytes. `of` is the kind of thing that has the name, for
 * messages. */
static void read_short(rdi_profile_reader *r, const char *of, char *field, size_t room) {
    char *name = rdi_json_string(&r->j);
    if (name && strlen(name) >= room)
        rdi_json_fail(&r->j, "the name of a %s must be shorter than %zu bytes, not '%.80s'", of,
                      room, name);
    else if (name)
        strcpy(field, name);
    rdi_free(r->j.ctx, name);
}

static void read_name(rdi_profile_reader *r, void *field) {
    read_short(r, "cache", field, sizeof((level_row *)0)->name);
}

static void read_machine(rdi_profile_reader *r, void *field) {
    read_short(r, "machine", field, sizeof((rd_hierarchy *)0)->machine);
}

#define COUNT(key)                                                                                 \
    { #key, rdi_read_u64, offsetof(level_row, counts.key), true }

static void read_rows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"name", read_name, offsetof(level_row, name), true},
        COUNT(references),
        COUNT(misses),
        COUNT(cold),
        COUNT(capacity),
        COUNT(conflict),
        COUNT(writebacks),
        COUNT(far_hits),
        COUNT(prefetches),
        COUNT(useful),
        COUNT(useless),
        COUNT(invalidations),
        {0},
    };
    read_state *state = field;
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j)) {
        if (state->n == RD_CACHES_MAX) {
            rdi_json_fail(&r->j, "there are more than %d levels", RD_CACHES_MAX);
            return;
        }
        rdi_read_object(r, fields, &state->rows[state->n++]);
    }
}

/* Copies the members of a hierarchy that describe its machine. */
static void keep_machine(rd_hierarchy *to, const rd_hierarchy *from) {
    memcpy(to->machine, from->machine, sizeof to->machine);
    to->clock_ghz = from->clock_ghz;
    to->memory_ns = from->memory_ns;
    to->parallel = from->parallel;
}

static void hierarchy_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"caches", read_caches, offsetof(read_state, caches), true},
        {"causes", read_causes, offsetof(read_state, causes), true},
        {"machine", read_machine, offsetof(read_state, of.machine), false},
        {"clock_ghz", rdi_read_double, offsetof(read_state, of.clock_ghz), false},
        {"memory_ns", rdi_read_double, offsetof(read_state, of.memory_ns), false},
        {"parallel", rdi_read_u64, offsetof(read_state, parallel), false},
        {"levels", read_rows, 0, true},
        {0},
    };
    rdi_json *j = &r->j;
    read_state state = {.n = 0};
    rd_simulation *s = rdi_calloc(j->ctx, 1, sizeof *s);
    if (!(*data = s)) {
        j->status = RD_ENOMEM;
        return;
    }
    rdi_read_object(r, fields, &state);
    if (j->status != RD_OK)
        return;
    *s = (rd_simulation){.size = sizeof *s, .hierarchy = state.caches, .causes = state.causes};
    keep_machine(&s->hierarchy, &state.of);
    s->hierarchy.parallel = state.parallel <= UINT32_MAX ? (uint32_t)state.parallel : 0;
    if (state.n != s->hierarchy.n)
        rdi_json_fail(j, "\"caches\" and \"levels\" have different lengths: %zu and %zu",
                      s->hierarchy.n, state.n);
    for (size_t k = 0; k < state.n && k < s->hierarchy.n; k++) {
        s->counts[k] = state.rows[k].counts;
        if (strcmp(state.rows[k].name, s->hierarchy.cache[k].name) != 0)
            rdi_json_fail(j, "level %zu is called %s, but the cache is called %s", k + 1,
                          state.rows[k].name, s->hierarchy.cache[k].name);
    }
}

/* Returns whether the counts of one cache can be true. The function subtracts counts from their
 * total instead of adding them up, so that nothing overflows. */
static bool is_possible(const rd_cache_counts *c, bool causes) {
    uint64_t left = c->misses;
    if (c->misses > c->references || c->far_hits > c->references - c->misses ||
        c->useful > c->prefetches || c->useless > c->prefetches - c->useful)
        return false;
    if (c->cold > left || c->capacity > left - c->cold)
        return false;
    left -= c->cold + c->capacity;
    return causes ? c->conflict == left
                  : c->cold + c->capacity + c->far_hits == 0 && c->conflict == 0;
}

/* If the first level is split, instruction fetches arrive at L1I and all other references at L1D, so both
 * together have at most as many references as the profile. */
static const char *hierarchy_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_simulation *s = data;
    size_t first = rd_hierarchy_is_split(&s->hierarchy) ? 2 : 1;
    uint64_t left = facts->references;
    for (size_t k = 0; k < s->hierarchy.n; k++) {
        if (!is_possible(&s->counts[k], s->causes))
            return "the counts of a simulated cache contradict each other";
        if (s->counts[k].references > left)
            return "a simulated cache has more references than can arrive at it";
        left -= k < first ? s->counts[k].references : 0;
        left = k + 1 == first ? facts->references : left;
    }
    return NULL;
}

/* ---- writing and merging ---- */

static void write_level(rd_json_writer *w, const rd_cache *cache, const rd_cache_counts *c) {
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
    rd_json_end_object(w);
}

/* Writes the members of the hierarchy that describe its machine, as far as they are known. */
static void write_machine(rd_json_writer *w, const rd_hierarchy *h) {
    if (h->machine[0])
        rd_json_put_string(w, "machine", h->machine);
    if (h->clock_ghz > 0)
        rd_json_put_double(w, "clock_ghz", h->clock_ghz);
    if (h->memory_ns > 0)
        rd_json_put_double(w, "memory_ns", h->memory_ns);
    if (h->parallel)
        rd_json_put_u64(w, "parallel", h->parallel);
}

static void hierarchy_write(rd_json_writer *w, const void *data) {
    const rd_simulation *s = data;
    char *caches = NULL;
    rd_status status = rd_hierarchy_text(w->text.ctx, &s->hierarchy, &caches);
    if (status != RD_OK) {
        w->text.status = w->text.status == RD_OK ? status : w->text.status;
        return;
    }
    rd_json_begin_object(w, "hierarchy", RD_JSON_LINES);
    rd_json_put_string(w, "caches", caches);
    write_machine(w, &s->hierarchy);
    rd_json_put_bool(w, "causes", s->causes);
    rd_json_begin_array(w, "levels", RD_JSON_LINES);
    for (size_t k = 0; k < s->hierarchy.n; k++)
        write_level(w, &s->hierarchy.cache[k], &s->counts[k]);
    rd_json_end_array(w);
    rd_json_end_object(w);
    rd_text_free(w->text.ctx, caches);
}

/* Sets *same to whether both simulations have the same caches, and both or neither have causes. */
static rd_status compare_caches(rd_ctx *ctx, const rd_simulation *a, const rd_simulation *b,
                                bool *same) {
    char *text[2] = {NULL, NULL};
    rd_status status = rd_hierarchy_text(ctx, &a->hierarchy, &text[0]);
    if (status == RD_OK)
        status = rd_hierarchy_text(ctx, &b->hierarchy, &text[1]);
    *same = status == RD_OK && a->causes == b->causes && strcmp(text[0], text[1]) == 0;
    rd_text_free(ctx, text[0]);
    rd_text_free(ctx, text[1]);
    return status;
}

static bool same_machine(const rd_hierarchy *a, const rd_hierarchy *b) {
    return strcmp(a->machine, b->machine) == 0 && a->clock_ghz == b->clock_ghz &&
           a->memory_ns == b->memory_ns && a->parallel == b->parallel;
}

static rd_status hierarchy_merge(rd_ctx *ctx, const void *const *data, size_t n, void **sum) {
    bool same = n > 0;
    for (size_t i = 0; i < n && same; i++) {
        if (!data[i])
            return RD_OK;
        RD_TRY(compare_caches(ctx, data[0], data[i], &same));
    }
    if (!same)
        return RD_OK;
    rd_simulation *s = rdi_alloc(ctx, 1, sizeof *s);
    if (!s)
        return RD_ENOMEM;
    memcpy(s, data[0], sizeof *s);
    for (size_t i = 1; i < n; i++) {
        if (!same_machine(&s->hierarchy, &((const rd_simulation *)data[i])->hierarchy))
            keep_machine(&s->hierarchy, &(rd_hierarchy){.size = sizeof(rd_hierarchy)});
        for (size_t k = 0; k < s->hierarchy.n; k++)
            rd_cache_counts_add(&s->counts[k], &((const rd_simulation *)data[i])->counts[k]);
    }
    *sum = s;
    return RD_OK;
}

const rdi_section rdi_section_hierarchy = {
    .key = "hierarchy",
    .minor = 2,
    .read = hierarchy_read,
    .mistake = hierarchy_mistake,
    .write = hierarchy_write,
    .merge = hierarchy_merge,
    .free = hierarchy_free,
};

/* ---- access to the simulation of a profile ---- */

const rd_simulation *rd_profile_simulation(const rd_profile *p) {
    return p ? rdi_profile_section(p, &rdi_section_hierarchy) : NULL;
}

rd_status rd_profile_set_simulation(rd_profile *p, const rd_simulation *s) {
    rd_ctx *ctx = rdi_profile_ctx(p);
    RDI_NEED(NULL, p);
    RDI_NEED(ctx, s);
    rd_simulation own;
    RD_TRY(rdi_sized_copy(ctx, "rd_simulation", s, &own, sizeof own));
    own.size = sizeof own;
    RD_TRY(rd_hierarchy_check(ctx, &own.hierarchy, rd_profile_facts_of(p)->block_bytes));
    const char *mistake = hierarchy_mistake(rd_profile_facts_of(p), &own);
    if (mistake)
        return rdi_fail(ctx, RD_EINVAL, "%s", mistake);
    rd_simulation *kept = rdi_alloc(ctx, 1, sizeof *kept);
    if (!kept)
        return RD_ENOMEM;
    *kept = own;
    rdi_profile_set_section(p, &rdi_section_hierarchy, kept);
    return RD_OK;
}
