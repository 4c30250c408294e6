/* Sums the misses of simulated caches. See miss_causes.h. */
#include "attribution/miss_causes.h"

#include <stdlib.h>
#include <string.h>

static uint32_t line_of(const rdi_entries *e, const rdi_missed *m) {
    uint32_t site = rdi_key_reuse(m->tag);
    return site == RDI_OTHERS ? RDI_OTHERS : e->places->line_of[site];
}

static uint32_t function_of(const rdi_entries *e, uint32_t line) {
    return line == RDI_OTHERS ? RDI_OTHERS : e->places->lines[line].function_number;
}

/* Returns whether `number` has no item with references in a ranking that is not sorted yet. */
static bool has_no_item(const rdi_ranking *r, uint32_t number) {
    return number == RDI_OTHERS || r->by[number].references == 0;
}

void rdi_miss_causes_others(const rdi_misses *m, const rdi_entries *e, bool *lines, bool *data) {
    for (size_t i = 0; i < m->n; i++) {
        if (rdi_missed_is_of_all_sites(&m->missed[i]))
            continue;
        *lines = *lines || has_no_item(e->lines, line_of(e, &m->missed[i]));
        *data = *data || has_no_item(e->data, rdi_key_region(m->missed[i].tag));
    }
    for (size_t i = 0; i < m->n_rivals; i++) {
        const rdi_rivals *rivals = &m->rivals[i];
        *data = *data || has_no_item(e->data, rivals->region) ||
                (rivals->evictor != RDI_NO_REGION && has_no_item(e->data, rivals->evictor));
    }
}

/* ---- causes ---- */

static void add(rd_causes *to, const rdi_missed *m) {
    to->cold += m->causes[RD_CAUSE_COLD];
    to->capacity += m->causes[RD_CAUSE_CAPACITY];
    to->conflict += m->causes[RD_CAUSE_CONFLICT];
}

static rd_status sum_causes(const rdi_misses *m, const rdi_entries *e, rdi_arena *arena,
                            rd_miss_causes *out) {
    size_t n = m->caches;
    rd_causes *functions =
        rdi_arena_alloc(arena, n * rdi_ranking_places(e->functions), sizeof *functions);
    rd_causes *lines = rdi_arena_alloc(arena, n * rdi_ranking_places(e->lines), sizeof *lines);
    rd_causes *data = rdi_arena_alloc(arena, n * rdi_ranking_places(e->data), sizeof *data);
    if (!functions || !lines || !data)
        return RD_ENOMEM;
    for (size_t i = 0; i < m->n; i++) {
        const rdi_missed *missed = &m->missed[i];
        if (rdi_missed_is_of_all_sites(missed))
            continue;
        uint32_t line = line_of(e, missed);
        size_t function = rdi_ranking_place(e->functions, function_of(e, line));
        add(&functions[function * n + missed->cache], missed);
        add(&lines[rdi_ranking_place(e->lines, line) * n + missed->cache], missed);
        size_t region = rdi_ranking_place(e->data, rdi_key_region(missed->tag));
        add(&data[region * n + missed->cache], missed);
    }
    *out = (rd_miss_causes){.n_caches = n,
                            .functions = functions,
                            .lines = lines,
                            .data = data,
                            .n_functions = rdi_ranking_places(e->functions),
                            .n_lines = rdi_ranking_places(e->lines),
                            .n_data = rdi_ranking_places(e->data)};
    return RD_OK;
}

/* ---- conflicts between regions ---- */

static int compare(size_t a, size_t b) {
    return (a > b) - (a < b);
}

static int by_pair(const void *a, const void *b) {
    const rd_conflict *x = a, *y = b;
    int order = compare(x->cache, y->cache);
    order = order ? order : compare(x->data, y->data);
    return order ? order : compare(x->evictor, y->evictor);
}

static int by_count(const void *a, const void *b) {
    const rd_conflict *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : by_pair(a, b);
}

/* Merges entries with the same cache and the same pair of regions, which are adjacent, and returns
 * the number of entries that are left. Pairs are equal only if they contain regions that have no
 * entry of their own in the result, so a merged pair has no common offset. */
static size_t merge_pairs(rd_conflict *list, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept && by_pair(&list[kept - 1], &list[i]) == 0) {
            list[kept - 1].count += list[i].count;
            list[kept - 1].offset = 0;
        } else
            list[kept++] = list[i];
    return kept;
}

/* Keeps the first `max` of n entries, which are sorted by count in descending order. Sums the
 * counts of the dropped entries per cache, and appends one entry for each cache with dropped
 * entries. The list has room for n + `caches` entries. Returns the new number of entries. */
static size_t limit_pairs(rd_conflict *list, size_t n, size_t max, size_t caches) {
    rd_conflict others[RD_CACHES_MAX] = {{0}};
    size_t kept = n < max ? n : max;
    for (size_t i = kept; i < n; i++)
        others[list[i].cache].count += list[i].count;
    for (size_t k = 0; k < caches; k++)
        if (others[k].count)
            list[kept++] = (rd_conflict){
                .cache = k, .data = RD_NO_INDEX, .evictor = RD_NO_INDEX, .count = others[k].count};
    return kept;
}

static rd_status list_conflicts(const rd_attributor *a, const rdi_entries *e, rdi_arena *arena,
                                rd_miss_causes *out) {
    const rdi_misses *m = &a->misses;
    rd_conflict *list = rdi_arena_alloc(arena, m->n_rivals + m->caches, sizeof *list);
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0; i < m->n_rivals; i++) {
        const rdi_rivals *r = &m->rivals[i];
        list[i] = (rd_conflict){.cache = r->cache,
                                .data = rdi_ranking_place(e->data, r->region),
                                .evictor = r->evictor == RDI_NO_REGION
                                               ? RD_NO_INDEX
                                               : rdi_ranking_place(e->data, r->evictor),
                                .count = r->count,
                                .offset = rdi_vote_result(&r->offset) << a->block_bits};
    }
    qsort(list, m->n_rivals, sizeof *list, by_pair);
    size_t n = merge_pairs(list, m->n_rivals);
    qsort(list, n, sizeof *list, by_count);
    out->conflicts = list;
    out->n_conflicts = limit_pairs(list, n, a->config.max_entries, m->caches);
    return RD_OK;
}

/* ---- conflicts of lines ---- */

/* The conflicts of one instruction of a line or, after merging, of all instructions of the line. */
typedef struct line_part {
    rd_line_conflicts is;
    uint64_t most; /* number of conflicts of the instruction that the stride comes from */
} line_part;

static int by_line(const void *a, const void *b) {
    const line_part *x = a, *y = b;
    int order = compare(x->is.cache, y->is.cache);
    order = order ? order : compare(x->is.line, y->is.line);
    return order ? order : compare(x->is.data, y->is.data);
}

static int by_line_count(const void *a, const void *b) {
    const line_part *x = a, *y = b;
    return x->is.count != y->is.count ? (x->is.count < y->is.count ? 1 : -1) : by_line(a, b);
}

/* Merges the instructions of each line in each cache and region, and returns the number of entries
 * that are left. The stride is that of the instruction with the most conflicts. */
static size_t merge_lines(line_part *list, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        line_part *last = kept ? &list[kept - 1] : NULL;
        if (!last || by_line(last, &list[i]) != 0) {
            list[kept++] = list[i];
            continue;
        }
        last->is.count += list[i].is.count;
        if (list[i].most > last->most) {
            last->most = list[i].most;
            last->is.stride = list[i].is.stride;
        }
    }
    return kept;
}

/* Returns the stride of an instruction in blocks, or the stride of all instructions in the region
 * if that is shorter or the instruction has none; 0 if both have none. The stride of all
 * instructions counts because, if a compiler has unrolled a loop, each instruction makes, for
 * example, only every fourth step. */
static uint64_t stride_of(const rdi_misses *m, const rdi_missed *missed) {
    uint64_t all_sites = missed->tag & RDI_REGION_FIELD;
    const uint64_t *at =
        rdi_block_map_find(&m->numbers, all_sites | (uint64_t)missed->cache << RDI_TAG_BITS);
    uint64_t own = rdi_vote_result(&missed->stride);
    uint64_t all = at ? rdi_vote_result(&m->missed[*at].stride) : 0;
    return own && all ? (own < all ? own : all) : own + all;
}

static rd_status list_line_conflicts(const rd_attributor *a, const rdi_entries *e, rdi_arena *arena,
                                     rdi_arena *scratch, rd_miss_causes *out) {
    const rdi_misses *m = &a->misses;
    line_part *list = rdi_arena_alloc(scratch, m->n, sizeof *list);
    size_t n = 0;
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0; i < m->n; i++) {
        const rdi_missed *missed = &m->missed[i];
        uint64_t count = missed->causes[RD_CAUSE_CONFLICT];
        if (rdi_missed_is_of_all_sites(missed) || !count)
            continue;
        size_t line = rdi_ranking_place(e->lines, line_of(e, missed));
        size_t data = rdi_ranking_place(e->data, rdi_key_region(missed->tag));
        uint64_t stride = stride_of(m, missed) << a->block_bits;
        if (line < e->lines->kept && data < e->data->kept)
            list[n++] = (line_part){{missed->cache, line, data, count, stride}, count};
    }
    qsort(list, n, sizeof *list, by_line);
    n = merge_lines(list, n);
    qsort(list, n, sizeof *list, by_line_count);
    n = n < a->config.max_entries ? n : a->config.max_entries;
    rd_line_conflicts *kept = rdi_arena_alloc(arena, n, sizeof *kept);
    if (!kept)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++)
        kept[i] = list[i].is;
    out->line_conflicts = kept;
    out->n_line_conflicts = n;
    return RD_OK;
}

rd_status rdi_miss_causes_make(const rd_attributor *a, const rdi_entries *e, rdi_arena *arena,
                               rdi_arena *scratch, const rd_miss_causes **out) {
    *out = NULL;
    if (a->misses.caches == 0)
        return RD_OK;
    rd_miss_causes *result = rdi_arena_alloc(arena, 1, sizeof *result);
    if (!result)
        return RD_ENOMEM;
    RD_TRY(sum_causes(&a->misses, e, arena, result));
    RD_TRY(list_conflicts(a, e, arena, result));
    RD_TRY(list_line_conflicts(a, e, arena, scratch, result));
    *out = result;
    return RD_OK;
}
