/* Writes the private caches of threads and the data that threads share for the page. */
#include "report/html_data.h"

#include "base/arena.h"
#include "report/paper.h"
#include "reusedist/sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Approximate maximum numbers of threads, of shared blocks and of timelines, for all profiles of the page
 * together. */
#define THREADS   1000
#define BLOCKS    500
#define TIMELINES 100

/* Compares threads: more coherence misses come first. Threads with equally many keep the order of the
 * profile. */
static int by_coherence(const void *a, const void *b) {
    const rd_thread_profile *x = *(const rd_thread_profile *const *)a;
    const rd_thread_profile *y = *(const rd_thread_profile *const *)b;
    uint64_t n = x->counts.coherence, m = y->counts.coherence;
    return n != m ? (n < m) - (n > m) : (x > y) - (x < y);
}

static void put_counts(rd_json_writer *w, const rd_private_counts *c) {
    rd_json_put_u64(w, "references", c->references);
    rd_json_put_u64(w, "stores", c->stores);
    rd_json_put_u64(w, "cold", c->cold);
    rd_json_put_u64(w, "true_sharing", c->true_sharing);
    rd_json_put_u64(w, "false_sharing", c->false_sharing);
    rd_json_put_u64(w, "upgrades", c->upgrades);
}

/* Writes the rows of the first `kept` threads. */
static void put_rows(rd_json_writer *w, const rd_thread_profile *const *rows, size_t kept) {
    rd_json_begin_array(w, "rows", RD_JSON_INLINE);
    for (size_t i = 0; i < kept; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "process", rows[i]->process);
        rd_json_put_u64(w, "thread", rows[i]->thread);
        put_counts(w, &rows[i]->counts);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

/* ---- shared data ---- */

static void put_block(rd_json_writer *w, const rd_shared_block *b) {
    char address[32];
    snprintf(address, sizeof address, "0x%" PRIx64, b->address);
    rd_json_begin_object(w, NULL, RD_JSON_INLINE);
    rd_json_put_string(w, "address", address);
    rd_json_put_u64(w, "threads", b->threads);
    rd_json_put_u64(w, "loads", b->loads);
    rd_json_put_u64(w, "stores", b->stores);
    rd_json_put_u64(w, "true_sharing", b->true_sharing);
    rd_json_put_u64(w, "false_sharing", b->false_sharing);
    rd_json_put_string(w, "data", b->data);
    rd_json_put_string(w, "lines", b->lines);
    rd_json_put_string(w, "first", b->first);
    rd_json_put_string(w, "second", b->second);
    rd_json_put_u64(w, "padding", b->padding);
    rd_json_put_u64(w, "removes", b->removes);
    rd_json_begin_array(w, "items", RD_JSON_INLINE);
    for (size_t i = 0; i < b->n_items; i++) {
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "first", b->items[i].first);
        rd_json_put_u64(w, "last", b->items[i].last);
        rd_json_put_string(w, "readers", b->items[i].readers);
        rd_json_put_string(w, "writers", b->items[i].writers);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
    rd_json_end_object(w);
}

/* Returns the number of coherence misses of a timeline. */
static uint64_t misses_of(const rd_shared_timeline *row) {
    uint64_t sum = 0;
    for (size_t i = 0; i < row->n; i++)
        sum += row->misses[i];
    return sum;
}

/* Writes the first timelines, at most `most` of them, and the number of all timelines. */
static void put_timelines(rd_json_writer *w, const rd_shared_data *s, size_t most) {
    rd_json_put_u64(w, "window", s->window);
    rd_json_put_u64(w, "n_timelines", s->n_timelines);
    rd_json_begin_array(w, "timelines", RD_JSON_INLINE);
    for (size_t i = 0; i < s->n_timelines && i < most; i++) {
        const rd_shared_timeline *row = &s->timelines[i];
        rd_json_begin_object(w, NULL, RD_JSON_INLINE);
        rd_json_put_u64(w, "process", row->process);
        rd_json_put_u64(w, "thread", row->thread);
        rd_json_put_u64(w, "all", misses_of(row));
        rd_json_begin_array(w, "misses", RD_JSON_INLINE);
        for (size_t k = 0; k < row->n; k++)
            rd_json_put_u64(w, NULL, row->misses[k]);
        rd_json_end_array(w);
        rd_json_end_object(w);
    }
    rd_json_end_array(w);
}

void rdi_html_sharing(rd_json_writer *w, const rd_profile *p, size_t n_profiles) {
    const rd_shared_data *s = rd_profile_shared(p);
    if (!s)
        return;
    size_t most = BLOCKS / n_profiles + 1;
    rd_json_begin_object(w, "sharing", RD_JSON_INLINE);
    rd_json_put_string(w, "interleave", rdi_order_name(s->interleave, s->threads));
    rd_json_put_u64(w, "references", s->references);
    rd_json_put_u64(w, "true_sharing", s->true_sharing);
    rd_json_put_u64(w, "false_sharing", s->false_sharing);
    rd_json_put_u64(w, "shared_blocks", s->shared_blocks);
    rd_json_put_string(w, "worst", s->n_data ? s->data[0].name : "");
    rd_json_begin_array(w, "blocks", RD_JSON_INLINE);
    for (size_t i = 0; i < s->n_blocks && i < most; i++)
        put_block(w, &s->blocks[i]);
    rd_json_end_array(w);
    put_timelines(w, s, TIMELINES / n_profiles + 1);
    rd_json_end_object(w);
}

rd_status rdi_html_threads(rd_json_writer *w, const rd_profile *p, size_t n_profiles) {
    const rd_private_stacks *all = rd_profile_private(p);
    if (!all)
        return RD_OK;
    rdi_arena arena = {.ctx = w->text.ctx};
    const rd_thread_profile **rows = rdi_arena_alloc(&arena, all->n_threads + 1, sizeof *rows);
    if (!rows)
        return RD_ENOMEM;
    size_t most = THREADS / n_profiles + 1;
    for (size_t i = 0; i < all->n_threads; i++)
        rows[i] = &all->threads[i];
    if (all->n_threads > most)
        qsort(rows, all->n_threads, sizeof *rows, by_coherence);
    rd_json_begin_object(w, "threads", RD_JSON_INLINE);
    rd_json_put_string(w, "interleave", rdi_order_name(all->interleave, all->n_threads));
    rd_json_put_u64(w, "n", all->n_threads);
    rd_json_begin_object(w, "all", RD_JSON_INLINE);
    put_counts(w, &all->all);
    rd_json_end_object(w);
    put_rows(w, rows, all->n_threads < most ? all->n_threads : most);
    rd_json_end_object(w);
    rdi_arena_fini(&arena);
    return RD_OK;
}
