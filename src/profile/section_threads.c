/* Section "threads": counts and distances of each thread with a private stack. A merged profile has the
 * sums of the threads with the same numbers, and all profiles must have the same interleaving. */
#include "profile/section_threads.h"

#include "profile/hist.h"
#include "profile/profile_reader.h"
#include "profile/profile_write.h"
#include "profile/section_objects.h"

#include <stdlib.h>
#include <string.h>

static void threads_free(rd_ctx *ctx, void *data) {
    rdi_arena_fini(&((rdi_threads_section *)data)->arena);
    rdi_free(ctx, data);
}

static rdi_threads_section *new_section(rd_ctx *ctx) {
    rdi_threads_section *s = rdi_calloc(ctx, 1, sizeof *s);
    if (s)
        s->arena.ctx = ctx;
    return s;
}

static rd_status copy_threads(rdi_arena *arena, const rd_private_stacks *all,
                              rd_private_stacks *to) {
    rd_thread_profile *rows = rdi_arena_alloc(arena, all->n_threads + 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < all->n_threads; i++) {
        const rd_thread_profile *from = &all->threads[i];
        rd_bin *bins = rdi_arena_alloc(arena, from->n_bins + 1, sizeof *bins);
        if (!bins)
            return RD_ENOMEM;
        if (from->n_bins)
            memcpy(bins, from->bins, from->n_bins * sizeof *bins);
        rows[i] = *from;
        rows[i].bins = bins;
    }
    const char *interleave = rdi_arena_strdup(arena, all->interleave);
    *to = (rd_private_stacks){
        .interleave = interleave, .all = all->all, .threads = rows, .n_threads = all->n_threads};
    return interleave ? RD_OK : RD_ENOMEM;
}

rd_status rdi_threads_section_new(rd_ctx *ctx, const rd_private_stacks *all,
                                  rdi_threads_section **out) {
    rdi_threads_section *s = new_section(ctx);
    if (!s)
        return RD_ENOMEM;
    rd_status status = copy_threads(&s->arena, all, &s->is);
    if (status == RD_OK)
        *out = s;
    else
        threads_free(ctx, s);
    return status;
}

const rd_private_stacks *rd_profile_private(const rd_profile *p) {
    const rdi_threads_section *s = p ? rdi_profile_section(p, &rdi_section_threads) : NULL;
    return s ? &s->is : NULL;
}

void rdi_private_counts_add(rd_private_counts *sum, const rd_private_counts *c) {
    sum->references += c->references;
    sum->stores += c->stores;
    sum->cold += c->cold;
    sum->coherence += c->coherence;
    sum->true_sharing += c->true_sharing;
    sum->false_sharing += c->false_sharing;
    sum->upgrades += c->upgrades;
}

/* ---- reading ---- */

static void read_bins(rdi_profile_reader *r, void *field) {
    rd_thread_profile *to = field;
    size_t room = rdi_count_items(&r->j);
    rd_bin *bins = rdi_read_take(r, room, sizeof *bins);
    rdi_json_enter_array(&r->j);
    while (rdi_json_next_item(&r->j) && bins && to->n_bins < room) {
        rdi_u128 row[4] = {0};
        rdi_read_row(&r->j, row, RDI_COUNT(row));
        bins[to->n_bins++] =
            (rd_bin){(uint64_t)row[0], (uint64_t)row[1], (uint64_t)row[2], rdi_sum_narrow(row[3])};
    }
    to->bins = bins;
}

static void read_number(rdi_profile_reader *r, void *field) {
    uint64_t number = 0;
    rdi_read_u64(r, &number);
    if (number > UINT32_MAX)
        rdi_json_fail(&r->j, "the number of a thread or process is 2^32 or more");
    *(uint32_t *)field = (uint32_t)number;
}

#define COUNT(key)                                                                                 \
    { #key, rdi_read_u64, offsetof(rd_thread_profile, counts.key), true }

static void read_rows(rdi_profile_reader *r, void *field) {
    static const rdi_json_field fields[] = {
        {"process", read_number, offsetof(rd_thread_profile, process), true},
        {"thread", read_number, offsetof(rd_thread_profile, thread), true},
        COUNT(references),
        COUNT(stores),
        COUNT(cold),
        COUNT(coherence),
        COUNT(true_sharing),
        COUNT(false_sharing),
        COUNT(upgrades),
        {"histogram", read_bins, 0, true},
        {0},
    };
    rd_private_stacks *all = field;
    const void *rows = NULL;
    rdi_read_list(r, fields, sizeof(rd_thread_profile), &rows, &all->n_threads);
    all->threads = rows;
    for (size_t i = 0; i < all->n_threads && r->j.status == RD_OK; i++)
        rdi_private_counts_add(&all->all, &all->threads[i].counts);
}

static void threads_read(rdi_profile_reader *r, void **data) {
    static const rdi_json_field fields[] = {
        {"interleave", rdi_read_needed_text, offsetof(rd_private_stacks, interleave), true},
        {"rows", read_rows, 0, true},
        {0},
    };
    rdi_threads_section *s = new_section(r->j.ctx);
    *data = s;
    if (!s) {
        r->j.status = RD_ENOMEM;
        return;
    }
    r->arena = &s->arena;
    rdi_read_object(r, fields, &s->is);
}

/* ---- checks ---- */

/* Returns whether the counts of a thread can be true, and its bins ascend and add up. */
static bool is_possible(const rd_thread_profile *t) {
    const rd_private_counts *c = &t->counts;
    rdi_u128 sum = (rdi_u128)c->cold + c->coherence;
    for (size_t i = 0; i < t->n_bins; i++) {
        const rd_bin *b = &t->bins[i];
        if (b->low > b->high || b->high == UINT64_MAX ||
            (i && (b->low < b[-1].low || b->high < b[-1].high)))
            return false; /* equal bins are valid, because reference groups may share a bin */
        sum += b->count;
    }
    return sum == c->references && c->stores <= c->references && c->upgrades <= c->stores &&
           (rdi_u128)c->true_sharing + c->false_sharing == c->coherence;
}

static bool is_before(const rd_thread_profile *a, const rd_thread_profile *b) {
    return a->process != b->process ? a->process < b->process : a->thread < b->thread;
}

static const char *threads_mistake(const rd_profile_facts *facts, const void *data) {
    const rd_private_stacks *all = data;
    rdi_u128 references = 0, infinite = 0;
    for (size_t i = 0; i < all->n_threads; i++) {
        const rd_thread_profile *t = &all->threads[i];
        if (i && !is_before(t - 1, t))
            return "the threads are not in ascending order";
        if (!is_possible(t))
            return "the counts of a thread contradict each other";
        references += t->counts.references;
        infinite += (rdi_u128)t->counts.cold + t->counts.coherence;
    }
    return references == facts->references && infinite == facts->infinite
               ? NULL
               : "the references or infinite distances of all threads do not add up to those "
                 "of the profile";
}

/* ---- writing ---- */

static void write_thread(rd_json_writer *w, const rd_thread_profile *t) {
    const rd_private_counts *c = &t->counts;
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_u64(w, "process", t->process);
    rd_json_put_u64(w, "thread", t->thread);
    rd_json_put_u64(w, "references", c->references);
    rd_json_put_u64(w, "stores", c->stores);
    rd_json_put_u64(w, "cold", c->cold);
    rd_json_put_u64(w, "coherence", c->coherence);
    rd_json_put_u64(w, "true_sharing", c->true_sharing);
    rd_json_put_u64(w, "false_sharing", c->false_sharing);
    rd_json_put_u64(w, "upgrades", c->upgrades);
    rdi_profile_write_histogram(w, t->bins, t->n_bins, true, RD_JSON_INLINE);
    rd_json_end_object(w);
}

static void threads_write(rd_json_writer *w, const void *data) {
    const rd_private_stacks *all = data;
    rd_json_begin_object(w, "threads", RD_JSON_LINES);
    rd_json_put_string(w, "interleave", all->interleave);
    rd_json_begin_array(w, "rows", RD_JSON_LINES);
    for (size_t i = 0; i < all->n_threads; i++)
        write_thread(w, &all->threads[i]);
    rd_json_end_array(w);
    rd_json_end_object(w);
}

/* ---- merging ---- */

static int compare_bins(const void *a, const void *b) {
    const rd_bin *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

/* Merges bins that overlap, in place. Returns the number of bins that are left. */
static size_t unite_bins(rd_bin *bins, size_t n) {
    size_t m = 0;
    qsort(bins, n, sizeof *bins, compare_bins);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || bins[i].low > bins[m - 1].high) {
            bins[m++] = bins[i];
            continue;
        }
        rd_bin *last = &bins[m - 1];
        last->high = last->high > bins[i].high ? last->high : bins[i].high;
        last->count += bins[i].count;
        rdi_sum_add(&last->sum, bins[i].sum);
    }
    return m;
}

static int compare_threads(const void *a, const void *b) {
    const rd_thread_profile *x = a, *y = b;
    return is_before(x, y) ? -1 : is_before(y, x);
}

/* Adds the counts and bins of thread `from` to `to`, which has the same process and thread number. */
static rd_status add_thread(rdi_arena *arena, rd_thread_profile *to,
                            const rd_thread_profile *from) {
    rd_bin *bins = rdi_arena_alloc(arena, to->n_bins + from->n_bins + 1, sizeof *bins);
    if (!bins)
        return RD_ENOMEM;
    if (to->n_bins)
        memcpy(bins, to->bins, to->n_bins * sizeof *bins);
    if (from->n_bins)
        memcpy(bins + to->n_bins, from->bins, from->n_bins * sizeof *bins);
    rdi_private_counts_add(&to->counts, &from->counts);
    to->n_bins = unite_bins(bins, to->n_bins + from->n_bins);
    to->bins = bins;
    return RD_OK;
}

/* Sorts n threads, and merges threads with the same process and thread number, in place. Sets *left to the
 * number of remaining threads. */
static rd_status unite_threads(rdi_arena *arena, rd_thread_profile *rows, size_t n, size_t *left) {
    size_t m = 0;
    qsort(rows, n, sizeof *rows, compare_threads);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || is_before(&rows[m - 1], &rows[i]))
            rows[m++] = rows[i];
        else
            RD_TRY(add_thread(arena, &rows[m - 1], &rows[i]));
    }
    *left = m;
    return RD_OK;
}

static rd_status merge_rows(rdi_arena *arena, const void *const *data, size_t n,
                            rd_private_stacks *sum) {
    size_t n_rows = 0, at = 0;
    sum->interleave = ((const rd_private_stacks *)data[0])->interleave;
    for (size_t i = 0; i < n; i++)
        n_rows += ((const rd_private_stacks *)data[i])->n_threads;
    rd_thread_profile *rows = rdi_arena_alloc(arena, n_rows + 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const rd_private_stacks *one = data[i];
        if (one->n_threads)
            memcpy(rows + at, one->threads, one->n_threads * sizeof *rows);
        at += one->n_threads;
        rdi_private_counts_add(&sum->all, &one->all);
    }
    RD_TRY(unite_threads(arena, rows, n_rows, &sum->n_threads));
    rd_private_stacks borrowed = *sum;
    borrowed.threads = rows;
    return copy_threads(arena, &borrowed, sum);
}

static rd_status threads_merge(rd_ctx *ctx, const void *const *data, size_t n, void **sum) {
    const rd_private_stacks *first = data[0];
    for (size_t i = 0; i < n; i++)
        if (!data[i])
            return RD_OK;
    for (size_t i = 0; i < n; i++)
        if (strcmp(first->interleave, ((const rd_private_stacks *)data[i])->interleave))
            return rdi_fail(ctx, RD_EINVAL,
                            "cannot merge: profile 1 has the order %s of the threads' references, "
                            "but profile %zu has %s; analyze all traces with the same --interleave",
                            first->interleave, i + 1,
                            ((const rd_private_stacks *)data[i])->interleave);
    rdi_threads_section *s = new_section(ctx);
    if (!s)
        return RD_ENOMEM;
    rd_status status = merge_rows(&s->arena, data, n, &s->is);
    if (status == RD_OK)
        *sum = s;
    else
        threads_free(ctx, s);
    return status;
}

const rdi_section rdi_section_threads = {
    .key = "threads",
    .minor = 3,
    .read = threads_read,
    .mistake = threads_mistake,
    .write = threads_write,
    .merge = threads_merge,
    .free = threads_free,
};
