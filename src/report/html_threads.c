/* Writes the private caches of threads for the page. */
#include "report/html_data.h"

#include "base/arena.h"
#include "reusedist/sharing.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 1000 /* maximum number of threads, for all profiles of the page together */

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
    rd_json_put_string(w, "interleave", all->interleave);
    rd_json_put_u64(w, "n", all->n_threads);
    rd_json_begin_object(w, "all", RD_JSON_INLINE);
    put_counts(w, &all->all);
    rd_json_end_object(w);
    put_rows(w, rows, all->n_threads < most ? all->n_threads : most);
    rd_json_end_object(w);
    rdi_arena_fini(&arena);
    return RD_OK;
}
