/* geometric: implements Carr and Nicol's geometric algorithm. It is exact and data-parallel, and
 * analyzes the trace in rounds. For a round of n references, it computes:
 *
 *   1. next      for every reference t, the time n(t) of the next reference to the same block
 *   2. rank      for every point (t, n(t)), the number of points to the right and above, by merging
 *                runs sorted by n(t) in log2(n) steps
 *   3. distance  the distance of reference n(t) is the rank of t minus n - n(t), because the
 *                n - n(t) points from time n(t) on are all to the right and above
 *
 * References without a next reference come last in the merged order, sorted by time. They form the
 * LRU stack, and the next round begins with them. With a bound B, the next round begins with the
 * newest B of them.
 *
 * Time: O(log n) per reference for the ranks, for any trace; finding n(t) takes O(log n) with
 * `sort`, O(B) with `range:B`, and O(1) with `table`, which uses one thread. Memory: 52 bytes per
 * reference of a round. A round begins with the blocks of the LRU stack and has twice as many new
 * references, but at least 64 K (16 M on a device), unless the option `phase` sets their number.
 * Distances are late by up to a round.
 *
 * Use it on machines with very many processors, or if the cost must be the same for every trace. On
 * a few cores `auto` is several times faster.
 *
 * E. Carr and D. M. Nicol. Empirical study of parallel LRU simulation algorithms. ICASE 94-87,
 * 1994. D. Nicol, A. Greenberg, B. Lubachevsky. Massively parallel algorithms for trace-driven
 * cache simulations. IEEE TPDS 5(8), 1994.
 */
#include "engine/papers/geometric.h"

#include "base/number.h"
#include "engine/gpu/geometric_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAST_ROUND (64u * 1024)
/* Minimum number of new references in a round on a device, enough for its thousands of threads. */
#define DEVICE_ROUND (16u * 1024 * 1024)
#define ROUND_SHARE  2 /* new references in a round per block of the LRU stack */
#define SHARE_LEAST  4096u

typedef struct geometric_engine {
    /* The options. */
    uint32_t backend; /* RDI_BACKEND_* */
    const char *next_text;
    uint32_t isa;
    uint64_t round_option;
    /* The state. */
    rdi_run *run;
    rdi_round round;
    const rdi_lanes *lanes;
    rdi_next next;
    rdi_geometric_memory memory;
    rdi_geometric_device device; /* used with backend=cuda */
    rdi_room block; /* the references of the round: first the blocks of the LRU stack, then the new
                       references */
    rdi_room dist;  /* the distances of the new references */
    size_t carried, filled; /* carried: number of references in `block` that are the LRU stack;
                               filled: number of all references in `block` */
    size_t full;            /* value of `filled` at which the round is analyzed */
    const rdi_point *point; /* the points of the round with their ranks */
} geometric_engine;

/* ---- a round ---- */

static rd_status plan_round(geometric_engine *e) {
    uint64_t wanted = e->round_option ? e->round_option : (uint64_t)e->carried * ROUND_SHARE;
    uint64_t least = e->backend == RDI_BACKEND_CUDA ? DEVICE_ROUND : LEAST_ROUND;
    if (!e->round_option && wanted < least)
        wanted = least;
    if (e->carried >= RDI_POINTS_MAX)
        return rdi_fail(e->run->ctx, RD_ERANGE,
                        "engine geometric: more than %" PRIu32 " blocks are live; set a bound to "
                        "limit them",
                        RDI_POINTS_MAX);
    uint64_t most = RDI_POINTS_MAX - e->carried;
    e->full = e->carried + (size_t)(wanted < most ? wanted : most);
    return RD_OK;
}

/* Writes the distances that follow from the worker's share of the points. The points are sorted by
 * `next`, so the writes are sequential. */
static void write_distances(void *arg, unsigned worker) {
    geometric_engine *e = arg;
    uint64_t *dist = e->dist.at;
    uint32_t n = (uint32_t)e->filled;
    size_t end = rdi_round_begin(&e->round, n, worker + 1);
    for (size_t i = rdi_round_begin(&e->round, n, worker); i < end; i++) {
        const rdi_point *p = &e->point[i];
        if (p->next >= n)
            break; /* this reference and all later ones have no next reference */
        uint32_t d = rdi_point_distance(p, n);
        dist[p->next - e->carried] = d < e->run->in->bound ? d : RD_COLD;
    }
}

/* Moves the references without a next reference, or the newest `bound` of them, to the beginning of
 * `block`. They are the last points and in time order. Each of them moves to a lower index or
 * stays, so none is overwritten before it has moved. */
static void carry_over(geometric_engine *e) {
    uint64_t *block = e->block.at;
    uint32_t n = (uint32_t)e->filled;
    size_t first = n;
    while (first > 0 && e->point[first - 1].next >= n)
        first--;
    if (n - first > e->run->in->bound)
        first = n - (size_t)e->run->in->bound;
    for (size_t i = first; i < n; i++)
        block[i - first] = block[e->point[i].time];
    e->carried = e->filled = n - first;
}

static rd_status rank_on_threads(geometric_engine *e, uint32_t n) {
    RD_TRY(rdi_geometric_next(&e->round, e->lanes, &e->next, e->block.at, n, &e->memory));
    return rdi_geometric_rank(&e->round, e->lanes, n, &e->memory, &e->point);
}

static rd_status rank_on_device(geometric_engine *e, uint32_t n) {
    RD_TRY(rdi_room_fit(e->run->ctx, &e->memory.work, n, sizeof(rdi_point)));
    e->point = e->memory.work.at;
    unsigned bits = rdi_geometric_bits(e->block.at, n);
    return rdi_geometric_device_round(&e->device, e->block.at, n, bits, e->next.range,
                                      e->memory.work.at);
}

static rd_status run_round(geometric_engine *e) {
    uint32_t n = (uint32_t)e->filled;
    size_t fresh = e->filled - e->carried;
    RD_TRY(rdi_geometric_check(e->run->ctx, &e->next, e->block.at, n));
    RD_TRY(e->backend == RDI_BACKEND_CUDA ? rank_on_device(e, n) : rank_on_threads(e, n));
    RD_TRY(rdi_room_fit(e->run->ctx, &e->dist, fresh, sizeof(uint64_t)));
    memset(e->dist.at, 0xff, fresh * sizeof(uint64_t)); /* RD_COLD */
    rdi_round_share(&e->round, n, SHARE_LEAST);
    rdi_round_run(&e->round, write_distances, e);
    carry_over(e);
    RD_TRY(plan_round(e));
    return rdi_round_deliver(&e->round, e->dist.at, fresh);
}

/* ---- the engine ---- */

static rd_status open_device(geometric_engine *e) {
    const char *why = rdi_device_unavailable();
    if (why)
        return rdi_fail(e->run->ctx, RD_EUNSUPPORTED,
                        "engine geometric: backend=cuda: %s; use backend=cpu", why);
    if (e->next.how == RDI_NEXT_TABLE)
        return rdi_fail(e->run->ctx, RD_EINVAL, "engine geometric: next=table needs backend=cpu");
    RD_TRY(rdi_geometric_device_open(e->run->ctx, &e->device));
    return plan_round(e);
}

static rd_status geometric_open(void *self, rdi_run *run) {
    geometric_engine *e = self;
    e->run = run;
    RD_TRY(rdi_next_parse(run->ctx, e->next_text, &e->next));
    RD_TRY(rdi_lanes_choose(run->ctx, "engine geometric", e->isa, &e->lanes));
    RD_TRY(rdi_round_open(&e->round, run));
    if (e->backend == RDI_BACKEND_CUDA)
        return open_device(e);
    snprintf(run->out.note, sizeof run->out.note, "next=%.40s, %s instructions, %u thread%s",
             e->next_text, e->lanes->name, e->round.n_workers, e->round.n_workers > 1 ? "s" : "");
    return plan_round(e);
}

static rd_status geometric_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    geometric_engine *e = self;
    (void)dist;
    while (n > 0) {
        RD_TRY(rdi_round_collect(&e->round, &e->block, &e->filled, e->full, &blk, &n));
        if (e->filled == e->full)
            RD_TRY(run_round(e));
    }
    return RD_OK;
}

static rd_status geometric_finish(void *self) {
    geometric_engine *e = self;
    if (e->filled > e->carried)
        RD_TRY(run_round(e));
    if (e->backend == RDI_BACKEND_CUDA)
        rdi_snprintf(e->run->out.note, sizeof e->run->out.note, "%.80s worked for %.6f s",
                     rdi_device_name(e->device.device), e->device.seconds);
    return rdi_round_finish(&e->round);
}

static void geometric_close(void *self) {
    geometric_engine *e = self;
    if (!e->run)
        return;
    rdi_round_close(&e->round);
    rdi_geometric_device_close(&e->device);
    rdi_geometric_memory_free(e->run->ctx, &e->memory);
    rdi_room_free(e->run->ctx, &e->block);
    rdi_room_free(e->run->ctx, &e->dist);
}

static const rd_opt options[] = {
    RDI_BACKEND_OPTION(geometric_engine),
    {.name = "next",
     .type = RD_OPT_STRING,
     .offset = offsetof(geometric_engine, next_text),
     .def = "sort",
     .help = "method to find the next reference to a block: sort, range:B (for block numbers below "
             "B), or "
             "table"},
    {.name = "phase",
     .type = RD_OPT_SIZE,
     .offset = offsetof(geometric_engine, round_option),
     .def = "0",
     .max = 1u << 30,
     .help = "new references per round; 0: automatic, from the number of blocks"},
    RDI_ISA_OPTION(geometric_engine),
    {0},
};

static const char *const variants[] = {"isa=plain,phase=2000", "isa=avx2,phase=3000", "next=table",
                                       "backend=cuda,phase=5000", NULL};

const rdi_engine_ops rdi_engine_geometric = {
    .info =
        {
            .name = "geometric",
            .summary =
                "Carr-Nicol: ranks points by parallel merging, at the same cost on every trace",
            .role = RD_ROLE_STUDY,
            .card =
                "Every reference t is a point (t, time of the next reference to the same block).\n"
                "Merging runs of points in log2(n) data-parallel steps gives the rank of each\n"
                "point, the number of points to its right and above it. The distance follows\n"
                "from the rank. References without a next reference begin the following round.\n"
                "\n"
                "Exact. Time: O(log n) per reference for the ranks, independent of the trace. The\n"
                "next times come from a parallel radix sort (next=sort), from a backward copy-\n"
                "scan per block id (next=range:B, time O(B)), or from a hash table (next=table).\n"
                "Memory: 52 bytes per reference of a round, which has three references per\n"
                "live block. On a few cores, auto is several times faster; on a device, gpu is.\n"
                "\n"
                "E. Carr, D. M. Nicol. Empirical study of parallel LRU simulation algorithms.\n"
                "ICASE 94-87, 1994.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(geometric_engine),
    .open = geometric_open,
    .feed = geometric_feed,
    .finish = geometric_finish,
    .close = geometric_close,
};
