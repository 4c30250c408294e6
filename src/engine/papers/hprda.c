/* hprda: HP-RDA, a parallel estimate of reuse distances with hash tables and local arrays.
 *
 * The words *batch*, *group* and *piece* are the paper's, and mean only this here: the trace,
 * without immediate repeats, is cut into batches of N references, a batch into NTB groups, and a
 * group into NB pieces of ST references, one per thread. Distances inside a piece are exact.
 * Distances between pieces, groups and batches are sums of the numbers of distinct blocks in
 * between (hprda_core.h), which are too large where pieces share blocks. `adjust` scales down a sum
 * that exceeds the number of distinct blocks.
 *
 * First references are exact. Without adjusting no distance is below the true one. If a piece is as
 * long as the trace, all distances are exact. There is no error bound.
 *
 * Time: O(ST / 64) per reference at most. Memory: up to 70 bytes per reference of a batch, and 40
 * to 60 per distinct block. Distances are late by up to a batch.
 *
 * Use it to reproduce the paper. `auto` is exact and faster on any number of cores, and so is `gpu`
 * on a device.
 *
 * The paper calls its method HP-RDA, Highly Parallel Reuse Distance Analysis. It runs on a Tesla
 * C2050 and, as an OpenMP version, on four cores.
 */
#include "engine/papers/hprda.h"

#include "base/number.h"
#include "order/block_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH_MAX       (UINT32_C(1) << 30)
#define USUAL_THREADS   64u
#define THREADS_MAX     1024u /* limit of the threads in one group on a device */
#define SLOTS_MAX       ((uint64_t)1 << 31)
#define LEAST_FILLING   4096u
#define ZEROS_AT_A_TIME 512u

/* Data about a block's last reference. */
typedef struct known_block {
    uint64_t latest; /* distinct blocks after it in its batch */
    uint64_t behind; /* sum of the distinct blocks of its batch and all earlier ones */
} known_block;

enum { OPENMP, CUDA }; /* in the order of the option's choices */

typedef struct hprda_engine {
    /* options */
    uint32_t backend_choice;
    bool adjust;
    uint64_t batch, piece, threads, groups, slots, room;
    /* state */
    rdi_run *run;
    rdi_round round;
    rdi_rda_shape shape;
    rdi_rda_backend *backend;
    rdi_room block;    /* references of the batch, without immediate repeats */
    rdi_room repeats;  /* if distances are requested: number of repeats after each reference */
    rdi_room dist;     /* distances of the batch */
    rdi_room estimate; /* distances to earlier batches, before adjusting */
    size_t filled;
    uint64_t last; /* the last block that was fed */
    bool any;      /* `last` is valid */
    uint64_t zeros;
    rdi_block_map index; /* block -> index in `blocks` */
    rdi_room blocks;     /* known_block */
    uint64_t counted;    /* sum of the distinct blocks of every batch so far */
} hprda_engine;

/* ---- parameters ---- */

/* Chooses N, ST, NB and NTB such that N is the product of the other three. Parameters that are 0
 * follow from the others. */
static rd_status fit_shape(hprda_engine *e) {
    rdi_rda_shape *s = &e->shape;
    uint64_t piece = e->piece < e->batch ? e->piece : e->batch, pieces = e->batch / piece;
    uint64_t threads = e->threads               ? e->threads
                       : e->groups              ? pieces / e->groups
                       : pieces < USUAL_THREADS ? pieces
                                                : USUAL_THREADS;
    threads = threads ? threads : 1;
    uint64_t groups = e->groups ? e->groups : pieces / threads;
    if (groups == 0 || piece > e->batch / threads || groups * threads * piece != e->batch)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine hprda: N = NTB * NB * ST must hold, not %" PRIu64 " = %" PRIu64
                        " * %" PRIu64 " * %" PRIu64,
                        e->batch, groups, threads, piece);
    if (threads > THREADS_MAX)
        return rdi_fail(e->run->ctx, RD_EINVAL, "engine hprda: NB is at most %u, not %" PRIu64,
                        THREADS_MAX, threads);
    uint64_t slots = e->slots ? e->slots : 2 * e->batch, room = e->room ? e->room : e->batch;
    if (slots <= e->batch || slots > 8 * e->batch)
        return rdi_fail(e->run->ctx, RD_EINVAL,
                        "engine hprda: HS must be above N and at most 8 * N (N = %" PRIu64 ")",
                        e->batch);
    slots = slots / (groups * threads) > piece ? slots / (groups * threads) : piece + 1;
    *s = (rdi_rda_shape){.batch = (uint32_t)e->batch,
                         .piece = (uint32_t)piece,
                         .threads = (uint32_t)threads,
                         .groups = (uint32_t)groups,
                         .slots = rdi_rda_power(slots < SLOTS_MAX ? slots : SLOTS_MAX),
                         .group_room = (uint32_t)(room / groups ? room / groups : 1),
                         .room = (uint32_t)room,
                         .adjust = e->adjust};
    return RD_OK;
}

/* The parameters of a batch of n references: a short batch needs less memory. */
static rdi_rda_shape shape_of_batch(const rdi_rda_shape *whole, uint32_t n) {
    rdi_rda_shape s = *whole;
    s.piece = s.piece < n ? s.piece : n;
    uint64_t group = (uint64_t)s.piece * s.threads;
    uint32_t slots = rdi_rda_power((uint64_t)2 * s.piece);
    s.groups = (uint32_t)((n + group - 1) / group);
    s.slots = s.slots < slots ? s.slots : slots;
    s.group_room = s.group_room < group ? s.group_room : (uint32_t)group;
    s.room = s.room < n ? s.room : n;
    return s;
}

rd_status rdi_rda_pool_full(rd_ctx *ctx, const rdi_rda_shape *shape) {
    return rdi_fail(ctx, RD_ERANGE,
                    "engine hprda: a pool is full (%" PRIu32 " elements of a group, %" PRIu32
                    " of all): raise MS or lower N",
                    shape->group_room, shape->room);
}

/* ---- from batch to batch ---- */

/* Computes the estimate for the first reference to a block in this batch, if the block is known,
 * and stores the data that later batches need. */
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

static rd_status join_batch(hprda_engine *e, const rdi_rda_batch *batch) {
    rd_ctx *ctx = e->run->ctx;
    uint64_t behind = e->counted + batch->n_known;
    RD_TRY(rdi_room_fit(ctx, &e->estimate, batch->n_known, sizeof(uint64_t)));
    RD_TRY(rdi_room_grow(ctx, &e->blocks, e->index.n + batch->n_known, sizeof(known_block)));
    uint64_t *estimate = e->estimate.at;
    for (uint32_t i = 0; i < batch->n_known; i++)
        RD_TRY(join_block(e, &batch->known[i], behind, &estimate[i]));
    for (uint32_t i = 0; i < batch->n_known; i++) /* the number of blocks is known only now */
        if (estimate[i] != RD_COLD)
            batch->dist[batch->known[i].at] =
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

/* Delivers the distances with the zeros of the repeats between them. */
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

static rd_status run_batch(hprda_engine *e) {
    RD_TRY(rdi_room_fit(e->run->ctx, &e->dist, e->filled, sizeof(uint64_t)));
    rdi_rda_batch batch = {.shape = shape_of_batch(&e->shape, (uint32_t)e->filled),
                           .block = e->block.at,
                           .n = (uint32_t)e->filled,
                           .dist = e->dist.at};
    RD_TRY(e->backend->analyze(e->backend, &batch));
    double start = rdi_rda_now();
    RD_TRY(join_batch(e, &batch));
    e->backend->seconds[RDI_RDA_BATCHES] += rdi_rda_now() - start;
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

/* Makes room for n references. The buffers grow with their contents: a short trace needs no memory
 * for a whole batch. */
static rd_status reserve(hprda_engine *e, size_t n) {
    rd_ctx *ctx = e->run->ctx;
    size_t room = e->block.bytes / sizeof(uint64_t);
    if (n <= room)
        return RD_OK;
    size_t grown = 2 * room > LEAST_FILLING ? 2 * room : LEAST_FILLING;
    grown = grown < e->shape.batch ? grown : e->shape.batch;
    grown = grown > n ? grown : n;
    if (e->run->in->distances)
        RD_TRY(rdi_room_grow(ctx, &e->repeats, grown, sizeof(uint64_t)));
    return rdi_room_grow(ctx, &e->block, grown, sizeof(uint64_t));
}

/* Counts an immediate repeat, which has distance 0 and changes nothing. */
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
    return e->filled == e->shape.batch ? run_batch(e) : RD_OK;
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
        RD_TRY(run_batch(e));
    const double *s = e->backend->seconds;
    rdi_snprintf(e->run->out.note, sizeof e->run->out.note,
                 "hprda on %.60s: %.3f s in pieces, %.3f s merging threads, %.3f s groups, "
                 "%.3f s batches",
                 e->backend->where, s[RDI_RDA_LOCAL], s[RDI_RDA_THREADS], s[RDI_RDA_GROUPS],
                 s[RDI_RDA_BATCHES]);
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
     .help = "where it runs: on the threads of -t, or on a CUDA device"},
    {.name = "adjust",
     .type = RD_OPT_BOOL,
     .offset = offsetof(hprda_engine, adjust),
     .def = "on",
     .help = "scale down distances above the number of blocks (paper: --disable-adjusting)"},
    {.name = "N",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, batch),
     .def = "64M",
     .min = 1,
     .max = BATCH_MAX,
     .help = "references of a batch; N = NTB * NB * ST"},
    {.name = "ST",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, piece),
     .def = "2048",
     .min = 1,
     .max = BATCH_MAX,
     .help = "references of a piece, which one thread analyzes; N or more: the whole batch"},
    {.name = "NB",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, threads),
     .def = "0",
     .max = THREADS_MAX,
     .help = "threads of a group; 0: 64, or as many as needed"},
    {.name = "NTB",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, groups),
     .def = "0",
     .max = BATCH_MAX,
     .help = "groups of a batch; 0: as many as needed"},
    {.name = "HS",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, slots),
     .def = "0",
     .help = "slots of the hash tables of all threads; 0: 2 * N"},
    {.name = "MS",
     .type = RD_OPT_SIZE,
     .offset = offsetof(hprda_engine, room),
     .def = "0",
     .max = BATCH_MAX,
     .help = "elements of the memory pools of all groups; 0: N, which always suffices"},
    {0},
};

static const char *const variants[] = {"adjust=off,N=1024,ST=16,NB=8", "N=4K,ST=64",
                                       "N=60,ST=5,NB=4,NTB=3", "backend=cuda,N=4K,ST=64", NULL};

const rdi_engine_ops rdi_engine_hprda = {
    .info =
        {
            .name = "hprda",
            .summary = "HP-RDA: pieces of the trace in parallel, merged by estimate",
            .role = RD_ROLE_STUDY,
            .card = "Each piece of ST references is analyzed alone, with a hash table and a local\n"
                    "array. Distances between pieces are sums of the distinct blocks of every\n"
                    "piece in between, first inside groups of NB pieces, then between the NTB\n"
                    "groups of a batch, then between batches. A block that several of them share\n"
                    "is counted more than once: adjust=on scales such sums down.\n"
                    "\n"
                    "The number of infinite distances is exact, and so is every distance inside a\n"
                    "piece. With adjust=off no distance is below the true one. No error bound.\n"
                    "To reproduce the paper: auto is exact and faster.\n"
                    "\n"
                    "backend=openmp uses the threads of this library (-t), not OpenMP. Memory:\n"
                    "up to 70 bytes per reference of a batch, and 40 to 60 per block; on a device\n"
                    "up to 160 per reference of a batch.\n"
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
