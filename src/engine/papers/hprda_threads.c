/* Runs HP-RDA on processor threads, like the paper's OpenMP version.
 *
 * A worker takes one group after another, runs the threads of the group one after another, and
 * merges their chunks. It does this in memory of its own, which stays in the cache. It then inserts
 * the blocks of the group into a table that all workers share. When the table has the blocks of all
 * groups, the workers merge the groups.
 */
#include "engine/papers/hprda.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* A worker's own memory. */
typedef struct worker {
    rdi_room seen, live, origin, items, buckets, counts;
    rdi_rda_local local;
    rdi_rda_table table;     /* the table of the current group */
    uint32_t used, distinct; /* counters of `table` */
    uint32_t *before;        /* [t]: sum of the numbers of distinct blocks in the chunks of threads
                                0 to t - 1 */
    double seconds[RDI_RDA_STAGES];
    bool full;
} worker;

typedef struct backend {
    rdi_rda_backend base;
    rdi_round *round;
    worker *workers;
    rdi_room items, buckets, known; /* memory of the table of all groups, and of its merged items */
    rdi_room before_room;
    uint32_t *before; /* [g]: sum of the numbers of distinct blocks in groups 0 to g - 1 */
    rdi_rda_table table;
    uint32_t used, distinct, n_known;
    rdi_rda_round *current;
    atomic_uint next_group;
} backend;

double rdi_rda_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a group ---- */

static void analyze_thread(backend *b, worker *w, uint32_t begin, uint32_t end, uint32_t unit) {
    uint32_t n = end - begin;
    const uint64_t *chunk = b->current->block + begin;
    uint64_t *dist = b->current->dist + begin;
    memset(w->local.seen, 0, w->local.slots * sizeof *w->local.seen);
    memset(w->local.live, 0, (n + 63) / 64 * sizeof *w->local.live);
    w->before[unit + 1] = w->before[unit] + rdi_rda_analyze(&w->local, chunk, n, dist);
    if (!rdi_rda_summarize(&w->local, chunk, n, unit, begin, dist, &w->table))
        w->full = true;
}

static uint32_t at_most(uint64_t a, uint32_t b) {
    return a < b ? (uint32_t)a : b;
}

static void analyze_group(backend *b, worker *w, uint32_t group) {
    const rdi_rda_shape *s = &b->current->shape;
    uint64_t first = (uint64_t)group * s->threads;
    w->used = w->distinct = 0;
    memset(w->table.bucket, 0, w->table.n_buckets * sizeof *w->table.bucket);
    for (uint32_t t = 0; t < s->threads; t++)
        analyze_thread(b, w, at_most((first + t) * s->chunk, b->current->n),
                       at_most((first + t + 1) * s->chunk, b->current->n), t);
}

/* Merges the chunks of a group, and inserts the merged blocks into the table of all groups. */
static void merge_group(backend *b, worker *w, uint32_t group) {
    rdi_rda_level level = {w->before, b->current->shape.threads, w->distinct,
                           b->current->shape.adjust};
    for (uint32_t i = 0; i < w->used; i++) {
        if (!w->table.item[i].list)
            continue;
        rdi_rda_item known = {.unit = group};
        rdi_rda_merge(&level, w->table.item, w->table.item[i].list, b->current->dist, &known);
        if (!rdi_rda_insert(&b->table, known))
            w->full = true;
    }
    b->before[group + 1] = w->distinct; /* a count, which analyze() turns into a sum */
}

static void work_on_groups(void *arg, unsigned number) {
    backend *b = arg;
    worker *w = &b->workers[number];
    uint32_t groups = b->current->shape.groups, group;
    if (number >= b->round->active)
        return;
    while ((group = atomic_fetch_add(&b->next_group, 1)) < groups && !w->full) {
        double start = rdi_rda_now();
        analyze_group(b, w, group);
        double middle = rdi_rda_now();
        if (!w->full)
            merge_group(b, w, group);
        w->seconds[RDI_RDA_LOCAL] += middle - start;
        w->seconds[RDI_RDA_THREADS] += rdi_rda_now() - middle;
    }
}

/* ---- all groups ---- */

static void merge_groups(void *arg, unsigned number) {
    backend *b = arg;
    double start = rdi_rda_now();
    const rdi_rda_shape *s = &b->current->shape;
    rdi_rda_level level = {b->before, s->groups, b->distinct, s->adjust};
    rdi_rda_item *known = b->known.at;
    size_t end = rdi_round_begin(b->round, b->used, number + 1);
    for (size_t i = rdi_round_begin(b->round, b->used, number); i < end; i++)
        if (b->table.item[i].list) {
            uint32_t k = rdi_shared_add(&b->n_known, 1);
            rdi_rda_merge(&level, b->table.item, b->table.item[i].list, b->current->dist,
                          &known[k]);
        }
    b->workers[number].seconds[RDI_RDA_GROUPS] += rdi_rda_now() - start;
}

static rd_status start_table(backend *b) {
    rd_ctx *ctx = b->round->run->ctx;
    const rdi_rda_shape *s = &b->current->shape;
    uint32_t buckets = rdi_rda_power(s->room);
    RD_TRY(rdi_room_fit(ctx, &b->items, s->room, sizeof(rdi_rda_item)));
    RD_TRY(rdi_room_fit(ctx, &b->buckets, buckets, sizeof(uint32_t)));
    RD_TRY(rdi_room_fit(ctx, &b->before_room, (size_t)s->groups + 1, sizeof(uint32_t)));
    memset(b->buckets.at, 0, buckets * sizeof(uint32_t));
    b->before = b->before_room.at;
    b->before[0] = 0;
    b->used = b->distinct = b->n_known = 0;
    b->table =
        (rdi_rda_table){b->items.at, b->buckets.at, buckets, s->room, &b->used, &b->distinct};
    return RD_OK;
}

static rd_status start_worker(rd_ctx *ctx, const rdi_rda_shape *s, worker *w) {
    uint32_t buckets = rdi_rda_power(s->group_room);
    RD_TRY(rdi_room_fit(ctx, &w->seen, s->slots, sizeof *w->local.seen));
    RD_TRY(rdi_room_fit(ctx, &w->live, (s->chunk + (size_t)63) / 64, sizeof *w->local.live));
    RD_TRY(rdi_room_fit(ctx, &w->origin, s->chunk, sizeof *w->local.origin));
    RD_TRY(rdi_room_fit(ctx, &w->items, s->group_room, sizeof *w->table.item));
    RD_TRY(rdi_room_fit(ctx, &w->buckets, buckets, sizeof *w->table.bucket));
    RD_TRY(rdi_room_fit(ctx, &w->counts, (size_t)s->threads + 1, sizeof *w->before));
    w->local = (rdi_rda_local){w->seen.at, s->slots, w->live.at, w->origin.at};
    w->table =
        (rdi_rda_table){w->items.at, w->buckets.at, buckets, s->group_room, &w->used, &w->distinct};
    w->before = w->counts.at;
    w->before[0] = 0;
    return RD_OK;
}

static void collect_times(backend *b) {
    for (unsigned i = 0; i < b->round->n_workers; i++)
        for (int k = 0; k < RDI_RDA_STAGES; k++) {
            b->base.seconds[k] += b->workers[i].seconds[k];
            b->workers[i].seconds[k] = 0;
        }
}

static rd_status analyze(rdi_rda_backend *base, rdi_rda_round *current) {
    backend *b = (backend *)base;
    rd_ctx *ctx = b->round->run->ctx;
    uint32_t groups = current->shape.groups;
    b->current = current;
    RD_TRY(start_table(b));
    rdi_round_share(b->round, groups, 1);
    for (unsigned i = 0; i < b->round->active; i++)
        RD_TRY(start_worker(ctx, &current->shape, &b->workers[i]));
    atomic_store(&b->next_group, 0);
    rdi_round_run(b->round, work_on_groups, b);
    for (unsigned i = 0; i < b->round->n_workers; i++)
        if (b->workers[i].full)
            return rdi_rda_pool_full(ctx, &current->shape);
    for (uint32_t g = 0; g < groups; g++)
        b->before[g + 1] += b->before[g];
    RD_TRY(rdi_room_fit(ctx, &b->known, b->distinct, sizeof(rdi_rda_item)));
    rdi_round_run(b->round, merge_groups, b);
    collect_times(b);
    current->known = b->known.at;
    current->n_known = b->n_known;
    return RD_OK;
}

/* ---- opening ---- */

static void close_backend(rdi_rda_backend *base) {
    backend *b = (backend *)base;
    rd_ctx *ctx = b->round->run->ctx;
    for (unsigned i = 0; b->workers && i < b->round->n_workers; i++) {
        worker *w = &b->workers[i];
        rdi_room *rooms[] = {&w->seen, &w->live, &w->origin, &w->items, &w->buckets, &w->counts};
        for (size_t k = 0; k < RDI_COUNT(rooms); k++)
            rdi_room_free(ctx, rooms[k]);
    }
    rdi_free(ctx, b->workers);
    rdi_room_free(ctx, &b->before_room);
    rdi_room_free(ctx, &b->items);
    rdi_room_free(ctx, &b->buckets);
    rdi_room_free(ctx, &b->known);
    rdi_free(ctx, b);
}

rd_status rdi_rda_threads_open(rdi_round *round, rdi_rda_backend **out) {
    rd_ctx *ctx = round->run->ctx;
    backend *b = rdi_calloc(ctx, 1, sizeof *b);
    if (!b)
        return RD_ENOMEM;
    b->base = (rdi_rda_backend){.analyze = analyze, .close = close_backend, .where = "threads"};
    b->round = round;
    b->workers = rdi_calloc(ctx, round->n_workers, sizeof *b->workers);
    if (!b->workers) {
        close_backend(&b->base);
        return RD_ENOMEM;
    }
    *out = &b->base;
    return RD_OK;
}
