/* Section "causes": the misses of the simulated caches by code, data and cause, and the data that
 * evict each other's blocks. A merged profile does not have this section, because the details are not
 * merged. */
#include "profile/details.h"
#include "profile/profile_reader.h"

#define CAUSES 3 /* numbers per cache: cold, capacity, conflict */

/* ---- reading ---- */

/* Reads an array of arrays with CAUSES numbers per cache. */
static void read_causes(rdi_profile_reader *r, size_t caches, const rd_causes **out, size_t *n) {
    rdi_json *j = &r->j;
    size_t room = rdi_count_items(j), at = 0;
    rd_causes *list = rdi_read_take(r, room * caches, sizeof *list);
    rdi_json_enter_array(j);
    for (; rdi_json_next_item(j) && list && at < room; at++) {
        size_t i = 0;
        rdi_json_enter_array(j);
        for (; rdi_json_next_item(j); i++) {
            uint64_t number = rdi_json_u64(j);
            if (i >= CAUSES * caches)
                continue;
            rd_causes *to = &list[at * caches + i / CAUSES];
            *(i % CAUSES == 0   ? &to->cold
              : i % CAUSES == 1 ? &to->capacity
                                : &to->conflict) = number;
        }
        if (i != CAUSES * caches)
            rdi_json_fail(j, "there must be three numbers for each of %zu caches", caches);
    }
    *out = list;
    *n = at;
}

static void read_caches(rdi_profile_reader *r, void *field) {
    uint64_t n = rdi_json_u64(&r->j);
    if (n < 1 || n > RD_CACHES_MAX)
        rdi_json_fail(&r->j, "there must be 1 to %d caches", RD_CACHES_MAX);
    *(size_t *)field = (size_t)n;
}

/* Returns the number of caches, which the key "caches" gives. Fails if this key has not been read
 * yet. */
static size_t caches_of(rdi_profile_reader *r, const rd_miss_causes *c) {
    if (c->n_caches == 0)
        rdi_json_fail(&r->j, "\"caches\" must come before the lists of \"causes\"");
    return c->n_caches;
}

static void read_functions(rdi_profile_reader *r, void *field) {
    rd_miss_causes *c = field;
    read_causes(r, caches_of(r, c), &c->functions, &c->n_functions);
}

static void read_lines(rdi_profile_reader *r, void *field) {
    rd_miss_causes *c = field;
    read_causes(r, caches_of(r, c), &c->lines, &c->n_lines);
}

static void read_data(rdi_profile_reader *r, void *field) {
    rd_miss_causes *c = field;
    read_causes(r, caches_of(r, c), &c->data, &c->n_data);
}

static void read_conflicts(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"cache", rdi_read_index, offsetof(rd_conflict, cache), true},
        {"data", rdi_read_index_or_none, offsetof(rd_conflict, data), true},
        {"evictor", rdi_read_index_or_none, offsetof(rd_conflict, evictor), true},
        {"count", rdi_read_u64, offsetof(rd_conflict, count), true},
        {"offset", rdi_read_positive_or_none, offsetof(rd_conflict, offset), true},
        {0},
    };
    rd_miss_causes *c = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *c->conflicts, &list, &c->n_conflicts);
    c->conflicts = list;
}

static void read_line_conflicts(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"cache", rdi_read_index, offsetof(rd_line_conflicts, cache), true},
        {"line", rdi_read_index, offsetof(rd_line_conflicts, line), true},
        {"data", rdi_read_index, offsetof(rd_line_conflicts, data), true},
        {"count", rdi_read_u64, offsetof(rd_line_conflicts, count), true},
        {"stride", rdi_read_positive_or_none, offsetof(rd_line_conflicts, stride), true},
        {0},
    };
    rd_miss_causes *c = field;
    const void *list = NULL;
    rdi_read_list(r, fields, sizeof *c->line_conflicts, &list, &c->n_line_conflicts);
    c->line_conflicts = list;
}

static void causes_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"caches", read_caches, offsetof(rd_miss_causes, n_caches), true},
        {"functions", read_functions, 0, true},
        {"lines", read_lines, 0, true},
        {"data", read_data, 0, true},
        {"conflicts", read_conflicts, 0, true},
        {"line_conflicts", read_line_conflicts, 0, true},
        {0},
    };
    rdi_details *d = rdi_read_details(r, data);
    rd_miss_causes *c = d ? rdi_read_take(r, 1, sizeof *c) : NULL;
    if (!c)
        return;
    rdi_read_object(r, fields, c);
    d->is.causes = c;
}

/* ---- checks ---- */

static bool is_index(size_t index, size_t n, bool optional) {
    return index < n || (optional && index == RD_NO_INDEX);
}

static bool indexes_are_valid(const rd_miss_causes *c) {
    bool good = true;
    for (size_t i = 0; i < c->n_conflicts; i++)
        good = good && is_index(c->conflicts[i].cache, c->n_caches, false) &&
               is_index(c->conflicts[i].data, c->n_data, true) &&
               is_index(c->conflicts[i].evictor, c->n_data, true);
    for (size_t i = 0; i < c->n_line_conflicts; i++)
        good = good && is_index(c->line_conflicts[i].cache, c->n_caches, false) &&
               is_index(c->line_conflicts[i].line, c->n_lines, false) &&
               is_index(c->line_conflicts[i].data, c->n_data, false);
    return good;
}

static const char *causes_mistake(const rd_profile_facts *facts, const void *data) {
    (void)facts;
    const rd_details *d = data;
    const rd_attribution *a = d->attribution;
    const rd_miss_causes *c = d->causes;
    if (!c)
        return NULL;
    if (!a || c->n_functions != a->n_functions || c->n_lines != a->n_lines ||
        c->n_data != a->n_data)
        return "the lists of \"causes\" are not as long as the lists of \"attribution\"";
    return indexes_are_valid(c) ? NULL : "an index in \"causes\" is out of range";
}

/* Returns whether the n entries of a list add up to the counts of cache k. */
static bool sums_up(const rd_causes *list, size_t n, size_t caches, size_t k,
                    const rd_cache_counts *counts) {
    rdi_u128 cold = 0, capacity = 0, conflict = 0;
    for (size_t i = 0; i < n; i++) {
        cold += list[i * caches + k].cold;
        capacity += list[i * caches + k].capacity;
        conflict += list[i * caches + k].conflict;
    }
    return cold == counts->cold && capacity == counts->capacity && conflict == counts->conflict;
}

static bool conflicts_sum_up(const rd_miss_causes *c, size_t k, uint64_t count) {
    rdi_u128 sum = 0;
    for (size_t i = 0; i < c->n_conflicts; i++)
        sum += c->conflicts[i].cache == k ? c->conflicts[i].count : 0;
    return sum == count;
}

const char *rdi_causes_mistake(const rd_miss_causes *c, const rd_simulation *s) {
    if (!c)
        return NULL;
    if (!s || s->hierarchy.n != c->n_caches)
        return "\"causes\" does not have as many caches as \"hierarchy\"";
    for (size_t k = 0; k < c->n_caches; k++) {
        const rd_cache_counts *counts = &s->counts[k];
        if (!sums_up(c->functions, c->n_functions, c->n_caches, k, counts) ||
            !sums_up(c->lines, c->n_lines, c->n_caches, k, counts) ||
            !sums_up(c->data, c->n_data, c->n_caches, k, counts) ||
            !conflicts_sum_up(c, k, counts->conflict))
            return "the causes do not add up to the misses of a simulated cache";
    }
    return NULL;
}

/* ---- writing ---- */

static void put_causes(rd_json_writer *w, const char *key, const rd_causes *list, size_t n,
                       size_t caches) {
    rd_json_begin_array(w, key, RD_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        rd_json_begin_array(w, NULL, RD_JSON_INLINE);
        for (size_t k = 0; k < caches; k++) {
            rd_json_put_u64(w, NULL, list[i * caches + k].cold);
            rd_json_put_u64(w, NULL, list[i * caches + k].capacity);
            rd_json_put_u64(w, NULL, list[i * caches + k].conflict);
        }
        rd_json_end_array(w);
    }
    rd_json_end_array(w);
}

static void put_conflicts(rd_json_writer *w, const rd_miss_causes *c) {
    rd_json_begin_array(w, "conflicts", RD_JSON_LINES);
    for (size_t i = 0; i < c->n_conflicts; i++) {
        const rd_conflict *conflict = &c->conflicts[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "cache", conflict->cache);
        rdi_json_put_u64_or_null(w, "data", conflict->data, RD_NO_INDEX);
        rdi_json_put_u64_or_null(w, "evictor", conflict->evictor, RD_NO_INDEX);
        rd_json_put_u64(w, "count", conflict->count);
        rdi_json_put_u64_or_null(w, "offset", conflict->offset, 0);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void put_line_conflicts(rd_json_writer *w, const rd_miss_causes *c) {
    rd_json_begin_array(w, "line_conflicts", RD_JSON_LINES);
    for (size_t i = 0; i < c->n_line_conflicts; i++) {
        const rd_line_conflicts *line = &c->line_conflicts[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "cache", line->cache);
        rd_json_put_u64(w, "line", line->line);
        rd_json_put_u64(w, "data", line->data);
        rd_json_put_u64(w, "count", line->count);
        rdi_json_put_u64_or_null(w, "stride", line->stride, 0);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

static void causes_write(rd_json_writer *w, const void *data) {
    const rd_miss_causes *c = ((const rd_details *)data)->causes;
    if (!c)
        return;
    rd_json_begin_object(w, "causes", RD_JSON_LINES);
    rd_json_put_u64(w, "caches", c->n_caches);
    put_causes(w, "functions", c->functions, c->n_functions, c->n_caches);
    put_causes(w, "lines", c->lines, c->n_lines, c->n_caches);
    put_causes(w, "data", c->data, c->n_data, c->n_caches);
    put_conflicts(w, c);
    put_line_conflicts(w, c);
    rd_json_end_object(w);
}

const rdi_section rdi_section_causes = {
    .key = "causes",
    .minor = 1, /* a file with this section also has "hierarchy", whose minor is higher */
    .owner = &rdi_section_levels,
    .read = causes_read,
    .mistake = causes_mistake,
    .write = causes_write,
};
