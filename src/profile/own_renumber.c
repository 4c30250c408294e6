/* Renumbers the lines in pairs, data and conflicts after lines have moved to own code, and sums the
 * entries that have become equal. See own_view.h. */
#include "profile/own_view.h"

#include "profile/hist.h"

#include <stdlib.h>

static size_t into(const rdi_own_view *v, size_t line) {
    return line == RD_NO_INDEX ? line : v->at[line].into;
}

static int by_pair(const void *a, const void *b) {
    const rd_reuse_pair *x = a, *y = b;
    if (x->use != y->use)
        return x->use < y->use ? -1 : 1;
    return (x->reuse > y->reuse) - (x->reuse < y->reuse);
}

static int by_pair_weight(const void *a, const void *b) {
    const rd_reuse_pair *x = a, *y = b;
    rdi_weighed p = {.references = x->count, .last = x->use == RD_NO_INDEX};
    rdi_weighed q = {.references = y->count, .last = y->use == RD_NO_INDEX};
    for (size_t k = 0; k < RD_LEVELS_MAX; k++) {
        p.misses += x->misses[k];
        q.misses += y->misses[k];
    }
    int order = rdi_by_weight(&p, &q);
    return order ? order : by_pair(a, b);
}

static rd_status make_pairs(rdi_own_view *v) {
    size_t n = 0;
    rd_reuse_pair *pairs = rdi_arena_alloc(v->arena, v->old->n_pairs, sizeof *pairs);
    if (!pairs)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_pairs; i++) {
        pairs[i] = v->old->pairs[i];
        pairs[i].use = into(v, pairs[i].use);
        pairs[i].reuse = into(v, pairs[i].reuse);
    }
    if (v->old->n_pairs)
        qsort(pairs, v->old->n_pairs, sizeof *pairs, by_pair);
    for (size_t i = 0; i < v->old->n_pairs; i++) {
        if (n == 0 || by_pair(&pairs[n - 1], &pairs[i]) != 0) {
            pairs[n++] = pairs[i];
            continue;
        }
        pairs[n - 1].count += pairs[i].count;
        rdi_sum_add(&pairs[n - 1].distance_sum, pairs[i].distance_sum);
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            pairs[n - 1].misses[k] += pairs[i].misses[k];
    }
    if (n)
        qsort(pairs, n, sizeof *pairs, by_pair_weight);
    v->is->pairs = pairs;
    v->is->n_pairs = n;
    return RD_OK;
}

static int by_line_data(const void *a, const void *b) {
    const rd_line_data *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->data > y->data) - (x->data < y->data);
}

/* Renumbers the lines in the list of misses by line and data, sums equal entries, and renumbers the lines
 * that allocate data. */
static rd_status make_line_data(rdi_own_view *v) {
    size_t n = 0;
    rd_data_region *data = rdi_arena_alloc(v->arena, v->old->n_data, sizeof *data);
    rd_line_data *list = rdi_arena_alloc(v->arena, v->old->n_line_data, sizeof *list);
    if (!data || !list)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_data; i++) {
        data[i] = v->old->data[i];
        data[i].line = into(v, data[i].line);
    }
    for (size_t i = 0; i < v->old->n_line_data; i++) {
        list[i] = v->old->line_data[i];
        list[i].line = into(v, list[i].line);
    }
    if (v->old->n_line_data)
        qsort(list, v->old->n_line_data, sizeof *list, by_line_data);
    for (size_t i = 0; i < v->old->n_line_data; i++) {
        if (n == 0 || by_line_data(&list[n - 1], &list[i]) != 0) {
            list[n++] = list[i];
            continue;
        }
        for (size_t k = 0; k < RD_LEVELS_MAX; k++)
            list[n - 1].misses[k] += list[i].misses[k];
    }
    v->is->data = data;
    v->is->line_data = list;
    v->is->n_line_data = n;
    return RD_OK;
}

static int by_conflicts(const void *a, const void *b) {
    const rd_line_conflicts *x = a, *y = b;
    if (x->cache != y->cache)
        return x->cache < y->cache ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->data > y->data) - (x->data < y->data);
}

static int by_count(const void *a, const void *b) {
    const rd_line_conflicts *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return by_conflicts(a, b);
}

/* Renumbers the lines in the list of conflicts and sums equal entries. If the summed entries have
 * different strides, the stride becomes 0, which means unknown. */
static rd_status make_conflicts(rdi_own_view *v) {
    size_t n = 0, old = v->d->causes->n_line_conflicts;
    rd_line_conflicts *list = rdi_arena_alloc(v->arena, old, sizeof *list);
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0; i < old; i++) {
        list[i] = v->d->causes->line_conflicts[i];
        list[i].line = into(v, list[i].line);
    }
    if (old)
        qsort(list, old, sizeof *list, by_conflicts);
    for (size_t i = 0; i < old; i++) {
        if (n == 0 || by_conflicts(&list[n - 1], &list[i]) != 0) {
            list[n++] = list[i];
            continue;
        }
        list[n - 1].count += list[i].count;
        if (list[n - 1].stride != list[i].stride)
            list[n - 1].stride = 0;
    }
    if (n)
        qsort(list, n, sizeof *list, by_count);
    v->causes->line_conflicts = list;
    v->causes->n_line_conflicts = n;
    v->causes->lines = v->line_causes;
    v->causes->n_lines = v->is->n_lines;
    return RD_OK;
}

rd_status rdi_own_view_renumber(rdi_own_view *v) {
    RD_TRY(make_pairs(v));
    RD_TRY(make_line_data(v));
    return v->causes ? make_conflicts(v) : RD_OK;
}
