/* hprda: estimates reuse distances in parallel with HP-RDA, which uses hash tables and local
 * arrays.
 *
 * The trace, without immediate repeats, is divided into rounds of N references, a round into NTB
 * groups, and a group into NB chunks of ST references, one per thread. Distances inside a chunk are
 * exact. Distances between chunks, groups and rounds are sums of the numbers of distinct blocks in
 * between (hprda_core.h). These sums are too large if chunks share blocks. The option `adjust`
 * scales down a sum that exceeds the number of distinct blocks.
 *
 * First references are exact. With adjust=off no distance is below the true one. If a chunk is as
 * long as the trace, all distances are exact. There is no error bound.
 *
 * Time: at most O(ST / 64) per reference for the distances inside a chunk. Memory: up to 120 bytes
 * per reference of a round, and 40 to 60 bytes per distinct block. Distances are late by up to a
 * round.
 *
 * Use this engine to reproduce the paper. `auto` is exact and faster on any number of cores, and so
 * is `gpu` on a device.
 *
 * HP-RDA stands for Highly Parallel Reuse Distance Analysis. The paper measures it on a Tesla C2050
 * and, with OpenMP, on four cores.
 */
#include "engine/papers/hprda.h"

#include "base/number.h"
#include "order/block_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROUND_MAX     (UINT32_C(1) << 30)
#define USUAL_THREADS 64u
/* Largest number of threads in a group: the limit of CUDA devices, which all backends enforce. */
#define THREADS_MAX     1024u
#define SLOTS_MAX       ((uint64_t)1 << 31)
#define LEAST_FILLING   4096u
#define ZEROS_AT_A_TIME 512u

/* Data about the last reference to a block. */
typedef struct known_block {
    uint64_t latest; /* number of distinct blocks after this reference in its round */
    uint64_t behind; /* sum of the numbers of distinct blocks in that round and in each earlier
                        round */
} known_block;

enum { OPENMP, CUDA }; /* the values of backend=, in the order of the choices */

typedef struct hprda_engine {
    /* The options. */
    uint32_t backend_choice;
    bool adjust;
    uint64_t round_refs, chunk, threads, groups, slots, room;
    /* The state. */
    rdi_run *run;
    rdi_round round;
    rdi_rda_shape shape;
    rdi_rda_backend *backend;
    rdi_room block;    /* the references of the round, without immediate repeats */
    rdi_room repeats;  /* number of repeats after each reference; used only if distances are
                          requested */
    rdi_room dist;     /* the distances of the round */
    rdi_room estimate; /* estimates of the distances to earlier rounds, before they are adjusted */
    size_t filled;
    uint64_t last; /* the last block that was fed */
    bool any;      /* true: a block has been fed, so `last` is valid */
    uint64_t zeros;
    rdi_block_map index; /* maps a block to its index in `blocks` */
    rdi_room blocks;     /* array of known_block */
    uint64_t counted;    /* sum of the numbers of distinct blocks in each round so far */
} hprda_engine;

/* ---- parameters ---- */

/* Sets the shape from the options N, ST, NB, NTB, HS and MS, and computes the options that the user
 * left at 0. Returns RD_EINVAL unless N = NTB * NB * ST, NB is at most THREADS_MAX, and HS is above
 * N and at most 8 * N. */
static rd_status fit_shape(hprda_engine *e) {
    rdi_rda_shape *s = &e->shape;
    uint64_t chunk = e->chunk < e->round_refs ? e->chunk : e->round_refs,
             chunks = e->round_refs / chunk;
    uint64_t threads = e->threads               ? e->threads
                       : e->groups              ? chunks / e->groups
                       : chunks < USUAL_THREADS ? chunks
                                                : USUAL_THREADS;
    threads = threads ? threads : 1;
    uint64_t groups = e->groups ? e->groups : chunks / threads;
    if (groups == 0 || chunk > e->round_refs / threads || groups * threads * chunk != e->round_refs)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine hprda: N must be NTB * NB * ST, but %" PRIu64 " is not %" PRIu64
                        " * %" PRIu64 " * %" PRIu64,
                        e->round_refs, groups, threads, chunk);
    if (threads > THREADS_MAX)
        return rdi_fail(e->run->ctx, RD_EINVAL, "engine hprda: NB is at most %u, not %" PRIu64,
                        THREADS_MAX, threads);
    uint64_t slots = e->slots ? e->slots : 2 * e->round_refs,
             room = e->room ? e->room : e->round_refs;
    if (slots <= e->round_refs || slots > 8 * e->round_refs)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine hprda: HS is %" PRIu64
                        "; it must be above N and at most 8 * N (N = %" PRIu64 ")",
                        slots, e->round_refs);
    slots = slots / (groups * threads) > chunk ? slots / (groups * threads) : chunk + 1;
    *s = (rdi_rda_shape){.round = (uint32_t)e->round_refs,
                         .chunk = (uint32_t)chunk,
                         .threads = (uint32_t)threads,
                         .groups = (uint32_t)groups,
                         .slots = rdi_rda_power(slots < SLOTS_MAX ? slots : SLOTS_MAX),
                         .group_room = (uint32_t)(room / groups ? room / groups : 1),
                         .room = (uint32_t)room,
                         .adjust = e->adjust};
    return RD_OK;
}

/* Returns the parameters of a round of n references. A short round needs less memory. */
static rdi_rda_shape shape_of_round(const rdi_rda_shape *whole, uint32_t n) {
    rdi_rda_shape s = *whole;
    s.chunk = s.chunk < n ? s.chunk : n;
    uint64_t group = (uint64_t)s.chunk * s.threads;
    uint32_t slots = rdi_rda_power((uint64_t)2 * s.chunk);
    s.groups = (uint32_t)((n + group - 1) / group);
    s.slots = s.slots < slots ? s.slots : slots;
    s.group_room = s.group_room < group ? s.group_room : (uint32_t)group;
    s.room = s.room < n ? s.room : n;
    return s;
}

rd_status rdi_rda_pool_full(rd_ctx *ctx, const rdi_rda_shape *shape) {
    return rdi_fail(ctx, RD_ERANGE,
                    "engine hprda: a memory pool is full (%" PRIu32 " elements per group, %" PRIu32
                    " for all groups): raise MS or lower N",
                    shape->group_room, shape->room);
}

/* ---- joining a round to the earlier ones ---- */

/* Estimates the distance of the first reference to a block in this round. Sets *estimate to RD_COLD
 * if the block did not occur in an earlier round. Stores the data that later rounds need. */
static rd_status join_block(hprda_engine *e, const rdi_rda_item *item, uint64_t behind,
                            uint64_t *estimate) {
    known_block *blocks = e->blocks.at;
    uint64_t *place = rdi_block_map_find(&e->index, item->block), at, old;
    if (place) {
        at = *place;
        *estimate = blocks[at].latest + (e->counted - blocks[at].behind) + item->first;
    } else {
        at = e->index.n;
        *estimate = RD_COLD;
        RD_TRY(rdi_block_map_exchange(&e->index, item->block, at, &old));
    }
    blocks[at] = (known_block){item->latest, behind};
    return RD_OK;
}

static rd_status join_round(hprda_engine *e, const rdi_rda_round *current) {
    rd_ctx *ctx = e->run->ctx;
    uint64_t behind = e->counted + current->n_known;
    RD_TRY(rdi_room_fit(ctx, &e->estimate, current->n_known, sizeof(uint64_t)));
    RD_TRY(rdi_room_grow(ctx, &e->blocks, e->index.n + current->n_known, sizeof(known_block)));
    uint64_t *estimate = e->estimate.at;
    for (uint32_t i = 0; i < current->n_known; i++)
        RD_TRY(join_block(e, &current->known[i], behind, &estimate[i]));
    /* This is a second loop, because the number of distinct blocks is known only now. */
    for (uint32_t i = 0; i < current->n_known; i++)
        if (estimate[i] != RD_COLD)
            current->dist[current->known[i].at] =
                e->adjust ? rdi_rda_adjust(estimate[i], e->index.n, behind) : estimate[i];
    e->counted = behind;
    return RD_OK;
}

/* ---- delivering ---- */

static rd_status deliver_zeros(hprda_engine *e, uint64_t n) {
    static const uint64_t zeros[ZEROS_AT_A_TIME];
    for (; n > 0; n -= n < ZEROS_AT_A_TIME ? n : ZEROS_AT_A_TIME)
        RD_TRY(
            rdi_engine_deliver(e->run, zeros, (size_t)(n < ZEROS_AT_A_TIME ? n : ZEROS_AT_A_TIME)));
    return RD_OK;
}

/* Delivers the distances of the round, and after each of them a zero for each immediate repeat of
 * the reference. */
static rd_status deliver_expanded(hprda_engine *e) {
    const uint64_t *repeats = e->repeats.at, *dist = e->dist.at;
    size_t from = 0;
    for (size_t i = 0; i < e->filled; i++)
        if (repeats[i] || i + 1 == e->filled) {
            RD_TRY(rdi_engine_deliver(e->run, dist + from, i + 1 - from));
            RD_TRY(deliver_zeros(e, repeats[i]));
            from = i + 1;
        }
    return RD_OK;
}

static rd_status run_round(hprda_engine *e) {
    RD_TRY(rdi_room_fit(e->run->ctx, &e->dist, e->filled, sizeof(uint64_t)));
    rdi_rda_round current = {.shape = shape_of_round(&e->shape, (uint32_t)e->filled),
                             .block = e->block.at,
                             .n = (uint32_t)e->filled,
                             .dist = e->dist.at};
    RD_TRY(e->backend->analyze(e->backend, &current));
    double start = rdi_rda_now();
    RD_TRY(join_round(e, &current));
    e->backend->seconds[RDI_RDA_ROUNDS] += rdi_rda_now() - start;
    RD_TRY(e->run->in->distances ? deliver_expanded(e)
                                 : rdi_round_deliver(&e->round, e->dist.at, e->filled));
    e->filled = 0;
    return RD_OK;
}

/* ---- the engine ---- */

static rd_status hprda_open(void *self, rdi_run *run) {
    hprda_engine *e = self;
    e->run = run;
    RD_TRY(fit_shape(e));
    RD_TRY(rdi_block_map_init(&e->index, run->ctx));
    RD_TRY(rdi_round_open(&e->round, run));
    return e->backend_choice == CUDA ? rdi_rda_device_open(run->ctx, &e->backend)
                                     : rdi_rda_threads_open(&e->round, &e->backend);
}

/* Makes room for n references. The memory grows with the number of references, so that a short
 * trace does not need the memory of a whole round. */
static rd_status reserve(hprda_engine *e, size_t n) {
    rd_ctx *ctx = e->run->ctx;
    size_t room = e->block.bytes / sizeof(uint64_t);
    if (n <= room)
        return RD_OK;
    size_t grown = 2 * room > LEAST_FILLING ? 2 * room : LEAST_FILLING;
    grown = grown < e->shape.round ? grown : e->shape.round;
    grown = grown > n ? grown : n;
    if (e->run->in->distances)
        RD_TRY(rdi_room_grow(ctx, &e->repeats, grown, sizeof(uint64_t)));
    return rdi_room_grow(ctx, &e->block, grown, sizeof(uint64_t));
}

/* Counts an immediate repeat, which has distance 0. If distances are requested, delivers the 0, at
 * once or with the round. */
static rd_status take_repeat(hprda_engine *e) {
    if (!e->run->in->distances)
        e->zeros++;
    else if (e->filled)
        ((uint64_t *)e->repeats.at)[e->filled - 1]++;
    else
        return deliver_zeros(e, 1);
    return RD_OK;
}

static rd_status take(hprda_engine *e, uint64_t block) {
    if (e->any && block == e->last)
        return take_repeat(e);
    e->any = true;
    e->last = block;
    RD_TRY(reserve(e, e->filled + 1));
    if (e->run->in->distances)
        ((uint64_t *)e->repeats.at)[e->filled] = 0;
    ((uint64_t *)e->block.at)[e->filled++] = block;
    return e->filled == e->shape.round ? run_round(e) : RD_OK;
}

static rd_status hprda_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    hprda_engine *e = self;
    (void)dist;
    for (size_t i = 0; i < n; i++)
        RD_TRY(take(e, blk[i]));
    return RD_OK;
}

static rd_status hprda_finish(void *self) {
    hprda_engine *e = self;
    if (e->filled > 0)
        RD_TRY(run_round(e));
    const double *s = e->backend->seconds;
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note,
                 "on %.60s: %.3f s for chunks, %.3f s for merging threads, %.3f s for "
                 "merging groups, %.3f s for joining rounds",
                 e->backend->where, s[RDI_RDA_LOCAL], s[RDI_RDA_THREADS], s[RDI_RDA_GROUPS],
                 s[RDI_RDA_ROUNDS]);
    RD_TRY(rdi_round_finish(&e->round));
    return e->zeros ? rdi_hist_add_many(e->run->out.hist, 0, e->zeros) : RD_OK;
}

static void hprda_close(void *self) {
    hprda_engine *e = self;
    if (!e->run)
        return;
    rd_ctx *ctx = e->run->ctx;
    if (e->backend)
        e->backend->close(e->backend);
    rdi_round_close(&e->round);
    rdi_block_map_fini(&e->index);
    rdi_room_free(ctx, &e->block);
    rdi_room_free(ctx, &e->repeats);
    rdi_room_free(ctx, &e->dist);
    rdi_room_free(ctx, &e->estimate);
    rdi_room_free(ctx, &e->blocks);
}

static const rd_opt options[] = {
    {.name = "backend",
     .type = RD_OPT_CHOICE,
     .offset = offsetof(hprda_engine, backend_choice),
     .def = "openmp",
     .choices = "openmp|cuda",
     .help = "openmp: run on as many threads as -t allows; cuda: run on a CUDA device"},
    {.name = "adjust",
     .type = RD_OPT_BOOL,
     .offset = offsetof(hprda_engine, adjust),
     .def = "on",
     .help =
         "scale down distances above the number of blocks; off: the paper's --disable-adjusting"},
    {.name = "N",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, round_refs),
     .def = "64M",
     .min = 1,
     .max = ROUND_MAX,
     .help = "number of references of a round; N = NTB * NB * ST"},
    {.name = "ST",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, chunk),
     .def = "2048",
     .min = 1,
     .max = ROUND_MAX,
     .help =
         "number of references of a chunk, which one thread analyzes; N or more: one chunk is the "
         "whole round"},
    {.name = "NB",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, threads),
     .def = "0",
     .max = THREADS_MAX,
     .help =
         "number of threads in a group; 0: as many as NTB requires, or, if NTB is 0 too, at most "
         "64"},
    {.name = "NTB",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, groups),
     .def = "0",
     .max = ROUND_MAX,
     .help = "number of groups of a round; 0: as many as needed"},
    {.name = "HS",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, slots),
     .def = "0",
     .help = "number of slots of the hash tables of all threads; 0: 2 * N"},
    {.name = "MS",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, room),
     .def = "0",
     .max = ROUND_MAX,
     .help = "number of elements of the memory pools of all groups; 0: N, which always suffices"},
    {0},
};

static const char *const variants[] = {"adjust=off,N=1024,ST=16,NB=8", "N=4K,ST=64",
                                       "N=60,ST=5,NB=4,NTB=3", "backend=cuda,N=4K,ST=64", NULL};

const rdi_engine_ops rdi_engine_hprda = {
    .info =
        {
            .name = "hprda",
            .summary = "analyzes chunks in parallel and merges them by an estimate (HP-RDA)",
            .role = RD_ROLE_STUDY,
            .card = "Each chunk of ST references is analyzed alone, with a hash table and a local\n"
                    "array. For a distance between two chunks, the numbers of distinct blocks of\n"
                    "the chunks in between are added up: first inside groups of NB chunks, then\n"
                    "between the NTB groups of a round, then between rounds. A block in several\n"
                    "chunks is counted several times; adjust=on scales sums down that exceed the\n"
                    "number of distinct blocks.\n"
                    "\n"
                    "The number of infinite distances is exact, and so is every distance inside a\n"
                    "chunk. With adjust=off no distance is below the true one. There is no\n"
                    "error bound.\n"
                    "Use it to reproduce the paper; auto is exact and faster.\n"
                    "\n"
                    "backend=openmp uses the threads of this library (-t), not OpenMP. Memory:\n"
                    "up to 120 bytes per reference of a round, and 40 to 60 bytes per block; on a\n"
                    "device up to 160 bytes per reference of a round.\n"
                    "\n"
                    "HP-RDA: Highly Parallel Reuse Distance Analysis.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_THREADS | RD_CAP_TRACE_MEMORY,
            .error_kind = "estimate",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(hprda_engine),
    .open = hprda_open,
    .feed = hprda_feed,
    .finish = hprda_finish,
    .close = hprda_close,
};
