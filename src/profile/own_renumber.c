/* Renumbers the lines in pairs, data and conflicts after lines have moved to own code, and sums the
 * entries that have become equal. See own_view.h.
 *
 * The profile does not tell which caller of a library line has the misses of a pair, or of a line and data.
 * These misses are divided among the callers' shares of the line in proportion to the misses of the shares. */
#include "profile/own_view.h"

#include "profile/hist.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 16 /* maximum number of shares among which an entry of a list is divided */

/* Returns the new line of the heaviest share of an old line. RD_NO_INDEX stays RD_NO_INDEX. */
static size_t into(const rdi_own_view *v, size_t line) {
    return line == RD_NO_INDEX ? line : v->at[v->first[line]].into;
}

/* Returns the shares of an old line, and stores their number in *n. */
static const rdi_shown_line *parts_of(const rdi_own_view *v, size_t line, size_t *n) {
    *n = v->first[line + 1] - v->first[line];
    return &v->at[v->first[line]];
}

/* Returns the maximum number of entries into which an entry about an old line is divided. */
static size_t most_of(const rdi_own_view *v, size_t line) {
    size_t n = 1;
    if (line != RD_NO_INDEX)
        parts_of(v, line, &n);
    return n > PARTS_MAX ? PARTS_MAX + 1 : n;
}

/* Divides a count and its misses among the n shares of a line, in proportion to the references of the shares that
 * miss in the same caches. The first PARTS_MAX shares have elements of their own in `counts` and `misses_of`. One
 * more element has the sum of all further shares. */
static void divide(const rdi_own_view *v, const rdi_shown_line *parts, size_t n, uint64_t count,
                   const uint64_t *misses, uint64_t *counts, uint64_t (*misses_of)[RD_LEVELS_MAX]) {
    uint64_t at[RD_LEVELS_MAX + 1], weights[PARTS_MAX + 1][RD_LEVELS_MAX + 1] = {{0}};
    uint64_t dealt[RD_LEVELS_MAX + 1][PARTS_MAX + 1], of_class[PARTS_MAX + 1];
    size_t levels = v->d->n_levels, made = n > PARTS_MAX ? PARTS_MAX + 1 : n;
    for (size_t i = 0; i < n; i++) {
        const rd_share *share = parts[i].share;
        rdi_classes_of(levels, share->references, share->misses, at);
        for (size_t k = 0; k <= levels; k++)
            weights[i < PARTS_MAX ? i : PARTS_MAX][k] += at[k];
    }
    rdi_classes_of(levels, count, misses, at);
    for (size_t k = 0; k <= levels; k++) {
        for (size_t i = 0; i < made; i++)
            of_class[i] = weights[i][k];
        rdi_deal(at[k], of_class, made, dealt[k]);
    }
    for (size_t i = 0; i < made; i++) {
        for (size_t k = 0; k <= levels; k++)
            at[k] = dealt[k][i];
        counts[i] = rdi_classes_to_misses(levels, at, misses_of[i]);
    }
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

/* Writes the new pairs of an old pair to `out`, and returns their number. The old line that used the blocks before is
 * replaced by the new line of its heaviest share. */
static size_t divide_pair(const rdi_own_view *v, const rd_reuse_pair *old, rd_reuse_pair *out) {
    uint64_t counts[PARTS_MAX + 1], misses[PARTS_MAX + 1][RD_LEVELS_MAX] = {{0}};
    size_t n = 1, made = most_of(v, old->reuse), used = 0;
    rdi_u128 all = rdi_sum_wide(old->distance_sum), left = all;
    *out = *old;
    out->use = into(v, old->use);
    out->reuse = into(v, old->reuse);
    if (made == 1)
        return 1;
    const rdi_shown_line *parts = parts_of(v, old->reuse, &n);
    divide(v, parts, n, old->count, old->misses, counts, misses);
    for (size_t i = 0; i < made; i++) {
        if (!counts[i])
            continue;
        rdi_u128 sum = all / old->count * counts[i] + all % old->count * counts[i] / old->count;
        left -= sum;
        bool others = i == PARTS_MAX;
        out[used] = (rd_reuse_pair){.use = others ? RD_NO_INDEX : into(v, old->use),
                                    .reuse = others ? RD_NO_INDEX : parts[i].into,
                                    .count = counts[i],
                                    .distance_sum = rdi_sum_narrow(sum)};
        memcpy(out[used++].misses, misses[i], sizeof out->misses);
    }
    if (used)
        rdi_sum_add(&out[0].distance_sum, rdi_sum_narrow(left));
    return used ? used : 1;
}

static rd_status make_pairs(rdi_own_view *v) {
    size_t n = 0, room = 0, all = 0;
    for (size_t i = 0; i < v->old->n_pairs; i++)
        room += most_of(v, v->old->pairs[i].reuse);
    rd_reuse_pair *pairs = rdi_arena_alloc(v->arena, room, sizeof *pairs);
    if (!pairs)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_pairs; i++)
        all += divide_pair(v, &v->old->pairs[i], &pairs[all]);
    if (all)
        qsort(pairs, all, sizeof *pairs, by_pair);
    for (size_t i = 0; i < all; i++) {
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

/* Writes the new entries of an old entry to `out`, and returns their number. Leaves out the sum of the
 * shares beyond PARTS_MAX, because the list only has the entries with the most misses. */
static size_t divide_line_data(const rdi_own_view *v, const rd_line_data *old, rd_line_data *out) {
    uint64_t counts[PARTS_MAX + 1], misses[PARTS_MAX + 1][RD_LEVELS_MAX] = {{0}};
    size_t n, used = 0;
    const rdi_shown_line *parts = parts_of(v, old->line, &n);
    divide(v, parts, n, v->d->n_levels ? old->misses[0] : 0, old->misses, counts, misses);
    for (size_t i = 0; i < n && i < PARTS_MAX; i++) {
        if (n > 1 && !counts[i])
            continue;
        out[used] = (rd_line_data){.line = parts[i].into, .data = old->data};
        memcpy(out[used++].misses, misses[i], sizeof out->misses);
    }
    return used;
}

/* Renumbers the lines in the list of misses by line and data, sums equal entries, and renumbers the lines
 * that allocate data. */
static rd_status make_line_data(rdi_own_view *v) {
    size_t n = 0, room = 0, all = 0;
    for (size_t i = 0; i < v->old->n_line_data; i++)
        room += most_of(v, v->old->line_data[i].line);
    rd_data_region *data = rdi_arena_alloc(v->arena, v->old->n_data, sizeof *data);
    rd_line_data *list = rdi_arena_alloc(v->arena, room, sizeof *list);
    if (!data || !list)
        return RD_ENOMEM;
    for (size_t i = 0; i < v->old->n_data; i++) {
        data[i] = v->old->data[i];
        data[i].line = into(v, data[i].line);
    }
    for (size_t i = 0; i < v->old->n_line_data; i++)
        all += divide_line_data(v, &v->old->line_data[i], &list[all]);
    if (all)
        qsort(list, all, sizeof *list, by_line_data);
    for (size_t i = 0; i < all; i++) {
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

/* Writes the new entries of an old entry to `out`, and returns their number. The count is divided in
 * proportion to the conflicts of the shares in this cache. Like divide_line_data(), leaves out the sum of
 * the shares beyond PARTS_MAX. */
static size_t divide_conflicts(const rdi_own_view *v, const rd_line_conflicts *old,
                               rd_line_conflicts *out) {
    uint64_t weights[PARTS_MAX + 1] = {0}, counts[PARTS_MAX + 1];
    size_t n, used = 0, made = most_of(v, old->line);
    const rdi_shown_line *parts = parts_of(v, old->line, &n);
    for (size_t i = 0; i < n; i++)
        weights[i < PARTS_MAX ? i : PARTS_MAX] += parts[i].causes[old->cache].conflict;
    rdi_deal(old->count, weights, made, counts);
    for (size_t i = 0; i < n && i < PARTS_MAX; i++) {
        if (n > 1 && !counts[i])
            continue;
        out[used] = *old;
        out[used].line = parts[i].into;
        out[used++].count = counts[i];
    }
    return used;
}

/* Renumbers the lines in the list of conflicts and sums equal entries. If the summed entries have
 * different strides, the stride becomes 0, which means unknown. */
static rd_status make_conflicts(rdi_own_view *v) {
    const rd_miss_causes *old = v->d->causes;
    size_t n = 0, room = 0, all = 0;
    for (size_t i = 0; i < old->n_line_conflicts; i++)
        room += most_of(v, old->line_conflicts[i].line);
    rd_line_conflicts *list = rdi_arena_alloc(v->arena, room, sizeof *list);
    if (!list)
        return RD_ENOMEM;
    for (size_t i = 0; i < old->n_line_conflicts; i++)
        all += divide_conflicts(v, &old->line_conflicts[i], &list[all]);
    if (all)
        qsort(list, all, sizeof *list, by_conflicts);
    for (size_t i = 0; i < all; i++) {
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
