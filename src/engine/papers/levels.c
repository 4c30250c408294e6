/* levels: implements Carr and Nicol's level-by-level algorithm. It is data-parallel. Distances
 * below the option C are exact, and distances of C or more count as infinite.
 *
 * The engine computes the LRU stack one level at a time for all references of a round: first the
 * block on top before each reference, which gives the references of distance 0, then the second
 * block, which gives the references of distance 1, and so on for C levels. A segmented copy-scan
 * computes each level from the level above and from the misses so far (levels_core.h). The next
 * round begins with the stack after the last reference.
 *
 * Every worker scans its share of the round. The block that reaches a share from earlier references
 * is known before the level begins, because each worker computes it at the end of the level above.
 *
 * References that have hit are not needed in deeper levels. When half of the references have hit,
 * the engine removes the hits. With `compact=off` it never removes hits, as in the paper, and every
 * level costs the same.
 *
 * Time: at most O(C) per reference, and less if distances are short. Memory: 37 bytes per reference
 * of a round, and 8 bytes per level. Distances are late by up to a round. Without C the engine goes
 * as deep as the longest distance, which is practical only for short distances or small traces.
 *
 * Use it for caches of few blocks. It is fast for very small C, such as the number of ways of a
 * set-associative cache.
 *
 * E. Carr and D. M. Nicol. Empirical study of parallel LRU simulation algorithms. ICASE 94-87,
 * 1994.
 */
#include "base/number.h"
#include "engine/core/round.h"
#include "engine/gpu/levels_device.h"
#include "engine/papers/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Minimum default length of a round on threads, in references. A round of this length stays in the
 * cache from level to level. */
#define USUAL_ROUND (32u * 1024)
/* Default length of a round on a device in references, enough for its thousands of threads. */
#define DEVICE_ROUND (16u * 1024 * 1024)
/* Minimum number of groups per worker that justifies a barrier per level. */
#define SHARE_LEAST   (1024u / RDI_LEVELS_GROUP * 4)
#define DEEPEST_WHOLE (1024u * 1024) /* largest C or bound that compact=off allows */
/* Among this many references or fewer, hits are not worth removing. */
#define FEW_LEFT 64u

/* The references that are scanned at the current level. When half of them have hit, the hits are
 * removed. */
typedef struct scan {
    uint64_t *block, *above, *dist; /* per reference: its block, the block one level up, its
                                       distance */
    uint32_t *time;                 /* per reference: its position in the round */
    uint8_t *miss;                  /* one bit per reference: set if it has missed in all levels so
                                       far */
    size_t n;
} scan;

typedef struct levels_engine {
    /* The options. */
    uint32_t backend; /* RDI_BACKEND_* */
    uint64_t deepest;
    uint64_t round_option;
    bool compact;
    uint32_t isa;
    /* The state. */
    rdi_run *run;
    rdi_round round;
    const rdi_lanes *lanes;
    rdi_levels_device device; /* used with backend=cuda */
    rdi_room filling;         /* the blocks of the round */
    rdi_room work;            /* the arrays of `scan` except the blocks */
    rdi_room dist;            /* the distances of the round */
    rdi_room stack;           /* the LRU stack: one block per level */
    size_t filled, depth;
    uint64_t nothing; /* a block id that occurs neither in the round nor in the stack */
    /* The current level. */
    scan scan;
    uint64_t level;
    rdi_fallen *fallen[2]; /* [level % 2][worker]: the block that falls to `level` at the last
                              miss in the worker's share, for this level and the next */
    uint64_t *copied;      /* per worker: the block at this level after its share */
} levels_engine;

/* ---- a level ---- */

static size_t groups_of(const scan *s) {
    return (s->n + RDI_LEVELS_GROUP - 1) / RDI_LEVELS_GROUP;
}

/* Returns the index of the first reference of a worker's share. */
static size_t share_begin(const levels_engine *e, unsigned worker) {
    size_t at = rdi_round_begin(&e->round, groups_of(&e->scan), worker) * RDI_LEVELS_GROUP;
    return at < e->scan.n ? at : e->scan.n;
}

/* Returns the block that falls to the next level at the last miss in the worker's share. */
static rdi_fallen last_miss(const levels_engine *e, unsigned worker) {
    size_t groups = groups_of(&e->scan), begin = rdi_round_begin(&e->round, groups, worker);
    for (size_t g = rdi_round_begin(&e->round, groups, worker + 1); g-- > begin;)
        if (e->scan.miss[g])
            return rdi_levels_last_miss(e->scan.above + g * RDI_LEVELS_GROUP, e->scan.miss[g]);
    return (rdi_fallen){0, false};
}

static void scan_part(void *arg, unsigned worker) {
    levels_engine *e = arg;
    const scan *s = &e->scan;
    const uint64_t *stack = e->stack.at;
    const rdi_fallen *fallen = e->fallen[e->level % 2];
    rdi_fallen in = {e->level < e->depth ? stack[e->level] : e->nothing, true};
    for (unsigned w = 0; w < worker; w++)
        in = rdi_fallen_join(in, fallen[w]);
    size_t begin = share_begin(e, worker), end = share_begin(e, worker + 1);
    e->copied[worker] =
        e->lanes->scan_level(s->block + begin, s->above + begin, s->miss + begin / RDI_LEVELS_GROUP,
                             end - begin, in.block, e->level, s->dist + begin);
    e->fallen[(e->level + 1) % 2][worker] = last_miss(e, worker);
}

/* ---- removing references that have hit ---- */

static bool is_missing(const scan *s, size_t i) {
    return s->miss[i / RDI_LEVELS_GROUP] >> i % RDI_LEVELS_GROUP & 1;
}

static void mark_all(scan *s) {
    memset(s->miss, 0xff, groups_of(s));
    if (s->n % RDI_LEVELS_GROUP)
        s->miss[s->n / RDI_LEVELS_GROUP] = (uint8_t)((1u << s->n % RDI_LEVELS_GROUP) - 1);
}

static size_t count_missing(const scan *s) {
    size_t n = 0, g = 0, groups = groups_of(s);
    for (uint64_t word; g + sizeof word <= groups; g += sizeof word) {
        memcpy(&word, s->miss + g, sizeof word);
        n += (size_t)__builtin_popcountll(word);
    }
    for (; g < groups; g++)
        n += (size_t)__builtin_popcount(s->miss[g]);
    return n;
}

/* Writes the distances of the references that have hit to their positions in the round, and removes
 * these references from the scan. */
static void remove_hits(levels_engine *e) {
    scan *s = &e->scan;
    uint64_t *dist = e->dist.at;
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!is_missing(s, i)) {
            dist[s->time[i]] = s->dist[i];
            continue;
        }
        s->block[kept] = s->block[i];
        s->above[kept] = s->above[i];
        s->time[kept++] = s->time[i];
    }
    s->n = kept;
    mark_all(s);
}

/* Divides the groups among the workers again, and computes for each share the block that falls to
 * level e->level at its last miss. */
static void share_level(levels_engine *e) {
    rdi_round_share(&e->round, groups_of(&e->scan), SHARE_LEAST);
    for (unsigned w = 0; w < e->round.active; w++)
        e->fallen[e->level % 2][w] = last_miss(e, w);
}

/* ---- a round ---- */

static bool occurs(const uint64_t *block, size_t n, uint64_t wanted) {
    bool found = false;
    for (size_t i = 0; i < n; i++)
        found |= block[i] == wanted;
    return found;
}

/* Chooses a block id for empty levels that occurs neither in the round nor in the stack. Every
 * number is a valid block id, but not all of them occur. */
static void choose_nothing(levels_engine *e) {
    while (occurs(e->filling.at, e->filled, e->nothing) ||
           occurs(e->stack.at, e->depth, e->nothing))
        e->nothing = rdi_mix64(e->nothing + 1);
}

/* Stores the block at the current level after the round. The next round begins with this block. */
static rd_status store_level(levels_engine *e, uint64_t block) {
    if (e->level == e->depth) {
        size_t room = e->stack.bytes / sizeof block;
        if (e->depth == room)
            RD_TRY(rdi_room_grow(e->run->ctx, &e->stack, room ? 2 * room : 64, sizeof block));
        e->depth++;
    }
    ((uint64_t *)e->stack.at)[e->level] = block;
    return RD_OK;
}

static rd_status start_round(levels_engine *e) {
    rd_ctx *ctx = e->run->ctx;
    size_t n = e->filled;
    scan *s = &e->scan;
    RD_TRY(rdi_room_fit(ctx, &e->dist, n, sizeof(uint64_t)));
    RD_TRY(rdi_room_fit(ctx, &e->work, n + RDI_LEVELS_GROUP,
                        2 * sizeof(uint64_t) + sizeof(uint32_t) + 1));
    s->n = n;
    s->block = e->filling.at;
    s->above = e->work.at;
    s->dist = s->above + n;
    s->time = (uint32_t *)(s->dist + n);
    s->miss = (uint8_t *)(s->time + n);
    memset(e->dist.at, 0xff, n * sizeof(uint64_t)); /* RD_COLD */
    /* The level above the top holds the referenced block. */
    memcpy(s->above, s->block, n * sizeof *s->above);
    for (size_t i = 0; i < n; i++)
        s->time[i] = (uint32_t)i;
    mark_all(s);
    choose_nothing(e);
    e->level = 0;
    share_level(e);
    return RD_OK;
}

/* Returns false if all references have hit; with compact=off, always returns true. If there are
 * more than FEW_LEFT references and at least half of them have hit, removes the references that
 * have hit. */
static bool go_deeper(levels_engine *e) {
    size_t left = e->compact ? count_missing(&e->scan) : e->scan.n;
    if (left == 0)
        return false;
    if (left <= e->scan.n / 2 && e->scan.n > FEW_LEFT) {
        remove_hits(e);
        share_level(e);
    }
    return true;
}

static rd_status run_levels(levels_engine *e) {
    do {
        rdi_round_run(&e->round, scan_part, e);
        uint64_t below = e->copied[e->round.active - 1];
        if (below != e->nothing)
            RD_TRY(store_level(e, below));
        else if (e->compact || e->run->out.bound == UINT64_MAX)
            break; /* the stack has no more levels */
        e->level++;
    } while (e->level < e->run->out.bound && go_deeper(e));
    return RD_OK;
}

static rd_status run_on_threads(levels_engine *e) {
    RD_TRY(start_round(e));
    RD_TRY(run_levels(e));
    for (size_t i = 0; i < e->scan.n; i++)
        if (!is_missing(&e->scan, i))
            ((uint64_t *)e->dist.at)[e->scan.time[i]] = e->scan.dist[i];
    return RD_OK;
}

/* Runs the round on the device. The stack can grow by as many levels as the round has
 * references. */
static rd_status run_on_device(levels_engine *e) {
    size_t n = e->filled;
    uint64_t deepest = (uint64_t)e->depth + n, levels = e->run->out.bound;
    bool whole = !e->compact && levels != UINT64_MAX;
    levels = whole || levels < deepest ? levels : deepest;
    choose_nothing(e);
    RD_TRY(rdi_room_fit(e->run->ctx, &e->dist, n, sizeof(uint64_t)));
    RD_TRY(rdi_room_grow(e->run->ctx, &e->stack, (size_t)levels, sizeof(uint64_t)));
    uint64_t *stack = e->stack.at;
    for (uint64_t i = e->depth; i < levels; i++)
        stack[i] = e->nothing;
    RD_TRY(rdi_levels_device_round(&e->device, e->filling.at, (uint32_t)n, levels, whole,
                                   e->nothing, stack, e->dist.at));
    while (e->depth < levels && stack[e->depth] != e->nothing)
        e->depth++;
    return RD_OK;
}

static rd_status run_round(levels_engine *e) {
    size_t n = e->filled;
    RD_TRY(e->backend == RDI_BACKEND_CUDA ? run_on_device(e) : run_on_threads(e));
    e->filled = 0;
    return rdi_round_deliver(&e->round, e->dist.at, n);
}

/* ---- the engine ---- */

static rd_status open_device(levels_engine *e) {
    const char *why = rdi_device_unavailable();
    if (why)
        return rdi_fail(e->run->ctx, RD_EUNSUPPORTED,
                        "engine levels: backend=cuda: %s; use backend=cpu", why);
    return rdi_levels_device_open(e->run->ctx, &e->device);
}

static rd_status open_threads(levels_engine *e) {
    rdi_run *run = e->run;
    RD_TRY(rdi_lanes_choose(run->ctx, "engine levels", e->isa, &e->lanes));
    for (int i = 0; i < 2; i++)
        if (!(e->fallen[i] = rdi_calloc(run->ctx, e->round.n_workers, sizeof *e->fallen[i])))
            return RD_ENOMEM;
    e->copied = rdi_calloc(run->ctx, e->round.n_workers, sizeof *e->copied);
    snprintf(run->out.note, sizeof run->out.note, "%s instructions, %u thread%s", e->lanes->name,
             e->round.n_workers, e->round.n_workers > 1 ? "s" : "");
    return e->copied ? RD_OK : RD_ENOMEM;
}

/* Returns the default length of a round, in which every thread has a share. */
static uint64_t usual_round(uint32_t threads) {
    uint64_t parts = (uint64_t)threads * SHARE_LEAST * RDI_LEVELS_GROUP;
    return parts > USUAL_ROUND ? parts : USUAL_ROUND;
}

static rd_status levels_open(void *self, rdi_run *run) {
    levels_engine *e = self;
    e->run = run;
    if (e->deepest && e->deepest < run->out.bound)
        run->out.bound = e->deepest;
    if (!e->compact && run->out.bound > DEEPEST_WHOLE && run->out.bound != UINT64_MAX)
        return rdi_fail(run->ctx, RD_EINVAL,
                        "engine levels: compact=off supports at most %u levels; set C or the bound "
                        "to at most this number",
                        DEEPEST_WHOLE);
    if (!e->round_option)
        e->round_option =
            e->backend == RDI_BACKEND_CUDA ? DEVICE_ROUND : usual_round(run->in->threads);
    RD_TRY(rdi_round_open(&e->round, run));
    return e->backend == RDI_BACKEND_CUDA ? open_device(e) : open_threads(e);
}

static rd_status levels_feed(void *self, const uint64_t *blk, size_t n, uint64_t *dist) {
    levels_engine *e = self;
    (void)dist;
    while (n > 0) {
        RD_TRY(rdi_round_collect(&e->round, &e->filling, &e->filled, (size_t)e->round_option, &blk,
                                 &n));
        if (e->filled == e->round_option)
            RD_TRY(run_round(e));
    }
    return RD_OK;
}

static rd_status levels_finish(void *self) {
    levels_engine *e = self;
    if (e->filled > 0)
        RD_TRY(run_round(e));
    if (e->backend == RDI_BACKEND_CUDA)
        rdi_snprintf(e->run->out.note, sizeof e->run->out.note, "%.80s worked for %.6f s",
                     rdi_device_name(e->device.device), e->device.seconds);
    return rdi_round_finish(&e->round);
}

static void levels_close(void *self) {
    levels_engine *e = self;
    if (!e->run)
        return;
    rd_ctx *ctx = e->run->ctx;
    rdi_round_close(&e->round);
    rdi_levels_device_close(&e->device);
    rdi_room_free(ctx, &e->filling);
    rdi_room_free(ctx, &e->work);
    rdi_room_free(ctx, &e->dist);
    rdi_room_free(ctx, &e->stack);
    rdi_free(ctx, e->fallen[0]);
    rdi_free(ctx, e->fallen[1]);
    rdi_free(ctx, e->copied);
}

static const rd_opt options[] = {
    RDI_BACKEND_OPTION(levels_engine),
    {.name = "C",
     .type = RD_OPT_SIZE,
     .offset = offsetof(levels_engine, deepest),
     .def = "0",
     .help = "number of levels: distances of C or more count as infinite; 0: unlimited"},
    {.name = "phase",
     .type = RD_OPT_SIZE,
     .offset = offsetof(levels_engine, round_option),
     .def = "0",
     .max = 1u << 30,
     .help = "references per round; 0: 4K references per thread and at least 32K in all, or 16M "
             "references on a device"},
    {.name = "compact",
     .type = RD_OPT_BOOL,
     .offset = offsetof(levels_engine, compact),
     .def = "on",
     .help = "in deeper levels, skip references that have hit already; off: skip none, as in the "
             "paper"},
    RDI_ISA_OPTION(levels_engine),
    {0},
};

static const char *const variants[] = {"isa=plain,phase=1000", "isa=avx2,phase=5000",
                                       "backend=cuda,phase=5000", NULL};

const rdi_engine_ops rdi_engine_levels = {
    .info =
        {
            .name = "levels",
            .summary =
                "Carr-Nicol: computes the LRU stack level by level, for distances below a small C",
            .role = RD_ROLE_STUDY,
            .card =
                "The engine computes one level of the stack after the other, for all references\n"
                "of a round at once: a copy-scan of the level above, segmented by the misses so\n"
                "far. A reference that finds its block at level j has distance j.\n"
                "\n"
                "C works as a bound: distances below C are exact. Time: at most O(C) per\n"
                "reference; references that have hit are skipped in deeper levels. Memory: 37\n"
                "bytes per reference of a round, and 8 bytes per level. Use it for caches of few\n"
                "blocks; without C it goes as deep as the longest distance, which is slow.\n"
                "\n"
                "E. Carr, D. M. Nicol. Empirical study of parallel LRU simulation algorithms.\n"
                "ICASE 94-87, 1994.",
            .caps = RD_CAP_DISTANCES | RD_CAP_LATE | RD_CAP_BOUND | RD_CAP_THREADS,
            .error_kind = "exact",
            .opts = options,
            .variants = variants,
        },
    .state_size = sizeof(levels_engine),
    .open = levels_open,
    .feed = levels_feed,
    .finish = levels_finish,
    .close = levels_close,
};
