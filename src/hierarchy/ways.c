/* Counts the misses of caches with every number of ways, for several numbers of sets in one pass
 * (Hill and Smith 1989). See reusedist/hierarchy.h.
 *
 * References are collected in rounds. A reference to the most recent block of its set has distance
 * 0 and changes nothing in the set. A reference with distance 0 for some number of sets also has
 * distance 0 for every multiple of this number, because the multiple divides each set into several
 * sets. So for each number of sets, these references are first removed from the references that are
 * left for its largest divisor among the earlier numbers, or from the whole round. Then the sets
 * are divided into parts. A worker takes a part, picks the references of the part from the
 * references that are left, sorts them by set, and measures the distances of one set after the
 * other. Parts share nothing, so the result does not depend on the number of threads.
 */
#include "reusedist/hierarchy.h"

#include "base/threads.h"
#include "hierarchy/set_stack.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#define ROUND ((size_t)1 << 18) /* number of references of a round */
#define FEW_SETS                                                                                   \
    64              /* up to this number of sets, each set may have an engine that is fast but
                        needs much memory */
#define PART_SETS 4 /* a part has at least this number of sets, unless there is only one part */

/* A number of sets, and the references of the round that are left for it. */
typedef struct choice {
    uint64_t sets, mask;         /* mask: sets - 1 for a power of two, else 0 */
    const struct choice *source; /* the earlier choice with the largest divisor of `sets`; NULL:
                                    there is none, so that all references of the round are
                                    filtered */
    uint64_t *recent;            /* recent[i]: number of the most recent block of set i, plus 1; 0:
                                    none */
    uint64_t *left;              /* the references that are left; room for ROUND of them */
    size_t n;                    /* length of `left` */
    uint64_t removed;            /* number of references that were removed so far */
} choice;

/* A range of the sets of a choice. */
typedef struct part {
    const choice *of;
    uint64_t first, n;     /* the range [first, first + n) */
    rdi_set_stack *stacks; /* one per set of the range */
    uint64_t *hits;        /* hits[d]: number of references with distance d */
    size_t room;           /* length of `hits` */
    rd_status status;
} part;

/* The temporary arrays of a worker. */
typedef struct scratch {
    uint64_t *sorted, *distances; /* room for ROUND elements each; `sorted` has a spare one */
    uint32_t *ends;               /* one per set of the largest part, plus 2 */
} scratch;

struct rd_ways {
    rd_ctx *ctx;
    size_t n_sets;
    choice choices[RD_SIZES_MAX];
    part *parts;
    size_t n_parts, parts_each; /* parts_each: maximum number of parts for one number of sets */
    rdi_pool *pool;
    unsigned workers;
    scratch *scratch; /* one per worker */
    uint64_t *round;
    size_t n;
    uint64_t references;
    atomic_size_t next; /* the next part that a worker takes */
    uint64_t *misses[RD_SIZES_MAX];
    size_t n_ways[RD_SIZES_MAX];
    bool finished;
};

/* ---- measuring ---- */

static rd_status reserve(rd_ctx *ctx, part *p, uint64_t distance) {
    if (distance < p->room)
        return RD_OK;
    size_t room = p->room ? p->room : 64;
    while (room <= distance)
        room *= 2;
    uint64_t *grown = rdi_resize(ctx, p->hits, room, sizeof *grown);
    if (!grown)
        return RD_ENOMEM;
    memset(grown + p->room, 0, (room - p->room) * sizeof *grown);
    p->hits = grown;
    p->room = room;
    return RD_OK;
}

static rd_status count(rd_ctx *ctx, part *p, const uint64_t *distances, size_t n) {
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (distances[i] != RD_COLD && distances[i] > most)
            most = distances[i];
    RD_TRY(reserve(ctx, p, most));
    for (size_t i = 0; i < n; i++)
        if (distances[i] != RD_COLD)
            p->hits[distances[i]]++;
    return RD_OK;
}

static inline uint64_t set_of(const choice *c, uint64_t block) {
    return c->mask ? block & c->mask : block % c->sets;
}

/* Copies the references that c->source has left, or all references of the round without a source,
 * to c->left, except references with distance 0. */
static void filter(const rd_ways *w, choice *c) {
    const uint64_t *from = c->source ? c->source->left : w->round;
    size_t n = c->source ? c->source->n : w->n, kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t block = from[i], key = block + 1, *recent = &c->recent[set_of(c, block)];
        c->left[kept] = block;
        kept += *recent != key || key == 0; /* block UINT64_MAX has key 0, and always stays */
        *recent = key;
    }
    c->n = kept;
    c->removed += w->n - kept;
}

/* Returns the number of the block's set within the part, or p->n if the set is not in the part. */
static inline uint64_t set_in_part(const part *p, uint64_t block) {
    uint64_t set = set_of(p->of, block) - p->first;
    return set < p->n ? set : p->n;
}

/* Copies the references of the part from c->left to s->sorted, sorted by set and in their order
 * within each set. Afterwards, the references to set i of the part end at s->ends[i]. No processor
 * can predict which references are in the part. So there are no branches, and each other reference
 * is stored after all references of the part, where the next one overwrites it. */
static void sort_round(const part *p, scratch *s) {
    const choice *c = p->of;
    memset(s->ends, 0, (p->n + 2) * sizeof *s->ends);
    for (size_t i = 0; i < c->n; i++)
        s->ends[set_in_part(p, c->left[i]) + 1]++;
    for (uint64_t i = 0; i < p->n; i++)
        s->ends[i + 1] += s->ends[i];
    for (size_t i = 0; i < c->n; i++) {
        uint64_t block = c->left[i], set = set_in_part(p, block);
        uint32_t at = s->ends[set];
        s->sorted[at] = block;
        s->ends[set] = at + (set < p->n);
    }
}

static rd_status measure(const rd_ways *w, part *p, scratch *s) {
    const char *engine = p->of->sets <= FEW_SETS ? "stream" : "olken";
    sort_round(p, s);
    for (uint64_t i = 0, at = 0; i < p->n; at = s->ends[i++])
        if (s->ends[i] > at)
            RD_TRY(rdi_set_stack_feed(&p->stacks[i], w->ctx, engine, s->sorted + at,
                                      s->ends[i] - at, s->distances + at));
    return count(w->ctx, p, s->distances, p->n ? s->ends[p->n - 1] : 0);
}

static void work(void *arg, unsigned worker) {
    rd_ways *w = arg;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->n_parts;)
        if (w->parts[i].status == RD_OK)
            w->parts[i].status = measure(w, &w->parts[i], &w->scratch[worker]);
}

static rd_status measure_round(rd_ways *w) {
    for (size_t i = 0; i < w->n_sets; i++)
        filter(w, &w->choices[i]);
    atomic_store(&w->next, 0);
    rdi_pool_run(w->pool, work, w);
    w->references += w->n;
    w->n = 0;
    for (size_t i = 0; i < w->n_parts; i++)
        RD_TRY(w->parts[i].status);
    return RD_OK;
}

rd_status rd_ways_feed(rd_ways *w, const uint64_t *blocks, size_t n) {
    RDI_NEED(w ? w->ctx : NULL, w);
    if (n)
        RDI_NEED(w->ctx, blocks);
    if (w->finished)
        return rdi_fail(w->ctx, RD_ESTATE,
                        "rd_ways_feed: rd_ways_finish() was already called; make a new rd_ways");
    while (n > 0) {
        size_t some = ROUND - w->n < n ? ROUND - w->n : n;
        memcpy(w->round + w->n, blocks, some * sizeof *blocks);
        w->n += some;
        blocks += some;
        n -= some;
        if (w->n == ROUND)
            RD_TRY(measure_round(w));
    }
    return RD_OK;
}

/* ---- the result ---- */

/* Computes the misses with w->choices[index].sets sets and every number of ways, from the hits of
 * all parts with this number of sets. */
static rd_status sum_up(rd_ways *w, size_t index) {
    const choice *of = &w->choices[index];
    size_t n = 1;
    for (size_t i = 0; i < w->n_parts; i++)
        for (size_t d = w->parts[i].room; w->parts[i].of == of && d-- > n;)
            if (w->parts[i].hits[d]) {
                n = d + 1;
                break;
            }
    uint64_t *misses = rdi_calloc(w->ctx, n, sizeof *misses), left = w->references;
    if (!misses)
        return RD_ENOMEM;
    misses[0] = of->removed;
    for (size_t i = 0; i < w->n_parts; i++)
        for (size_t d = 0; w->parts[i].of == of && d < n && d < w->parts[i].room; d++)
            misses[d] += w->parts[i].hits[d];
    for (size_t d = 0; d < n; d++)
        misses[d] = left -= misses[d];
    w->misses[index] = misses;
    w->n_ways[index] = n;
    return RD_OK;
}

rd_status rd_ways_finish(rd_ways *w) {
    RDI_NEED(NULL, w);
    if (w->finished)
        return RD_OK;
    if (w->n)
        RD_TRY(measure_round(w));
    for (size_t i = 0; i < w->n_sets; i++)
        RD_TRY(sum_up(w, i));
    w->finished = true;
    return RD_OK;
}

size_t rd_ways_misses(const rd_ways *w, size_t index, uint64_t *sets, const uint64_t **misses) {
    if (!w || !w->finished || index >= w->n_sets)
        return 0;
    if (sets)
        *sets = w->choices[index].sets;
    if (misses)
        *misses = w->misses[index];
    return w->n_ways[index];
}

/* ---- opening and closing ---- */

static rd_status add_parts(rd_ways *w, const choice *c) {
    uint64_t n = w->parts_each;
    n = c->sets / PART_SETS < n ? c->sets / PART_SETS : n;
    n = n ? n : 1;
    for (uint64_t i = 0; i < n; i++) {
        part *p = &w->parts[w->n_parts++];
        uint64_t end = (uint64_t)((rdi_u128)c->sets * (i + 1) / n);
        *p = (part){.of = c, .first = (uint64_t)((rdi_u128)c->sets * i / n)};
        p->n = end - p->first;
        p->stacks = rdi_pages_alloc(w->ctx, p->n * sizeof *p->stacks);
        if (!p->stacks)
            return RD_ENOMEM;
    }
    return RD_OK;
}

/* Adds the number of sets `sets` as the choice with index `at`. Only an earlier choice can be its
 * source. */
static rd_status add_choice(rd_ways *w, size_t at, uint64_t sets) {
    choice *c = &w->choices[at];
    *c = (choice){.sets = sets, .mask = sets & (sets - 1) ? 0 : sets - 1};
    for (const choice *other = w->choices; other < c; other++)
        if (sets % other->sets == 0 && (!c->source || c->source->sets < other->sets))
            c->source = other;
    c->recent = rdi_pages_alloc(w->ctx, sets * sizeof *c->recent);
    c->left = rdi_alloc(w->ctx, ROUND, sizeof *c->left);
    return c->recent && c->left ? add_parts(w, c) : RD_ENOMEM;
}

static rd_status init_scratch(rd_ways *w) {
    uint64_t most = 0;
    for (size_t i = 0; i < w->n_parts; i++)
        most = w->parts[i].n > most ? w->parts[i].n : most;
    for (unsigned i = 0; i < w->workers; i++) {
        scratch *s = &w->scratch[i];
        s->sorted = rdi_alloc(w->ctx, ROUND + 1, sizeof *s->sorted);
        s->distances = rdi_alloc(w->ctx, ROUND, sizeof *s->distances);
        s->ends = rdi_alloc(w->ctx, most + 2, sizeof *s->ends);
        if (!s->sorted || !s->distances || !s->ends)
            return RD_ENOMEM;
    }
    return RD_OK;
}

static rd_status init(rd_ways *w, const uint64_t *sets, size_t n_sets, uint32_t threads) {
    w->workers = threads ? threads : 1;
    w->parts_each = w->workers;
    w->n_sets = n_sets;
    w->parts = rdi_calloc(w->ctx, n_sets * w->parts_each, sizeof *w->parts);
    w->scratch = rdi_calloc(w->ctx, w->workers, sizeof *w->scratch);
    w->round = rdi_alloc(w->ctx, ROUND, sizeof *w->round);
    if (!w->parts || !w->scratch || !w->round)
        return RD_ENOMEM;
    for (size_t i = 0; i < n_sets; i++)
        RD_TRY(add_choice(w, i, sets[i]));
    RD_TRY(init_scratch(w));
    return rdi_pool_new(w->ctx, w->workers, &w->pool);
}

static rd_status check_sets(rd_ctx *ctx, const uint64_t *sets, size_t n) {
    if (n == 0 || n > RD_SIZES_MAX)
        return rdi_fail(ctx, RD_EINVAL, "rd_ways_new: pass 1 to %d numbers of sets, not %zu",
                        RD_SIZES_MAX, n);
    for (size_t i = 0; i < n; i++) {
        if (sets[i] == 0 || sets[i] > RD_WAYS_SETS_MAX)
            return rdi_fail(ctx, RD_EINVAL, "%" PRIu64 " sets are not possible; use 1 to %" PRIu64,
                            sets[i], RD_WAYS_SETS_MAX);
        for (size_t k = 0; k < i; k++)
            if (sets[i] == sets[k])
                return rdi_fail(ctx, RD_EINVAL,
                                "the number %" PRIu64
                                " is given twice; give each number of sets once",
                                sets[i]);
    }
    return RD_OK;
}

rd_status rd_ways_new(rd_ctx *ctx, const uint64_t *sets, size_t n_sets, uint32_t threads,
                      rd_ways **out) {
    RDI_NEED(ctx, ctx, sets, out);
    RD_TRY(check_sets(ctx, sets, n_sets));
    if (threads > RD_WAYS_THREADS_MAX)
        return rdi_fail(ctx, RD_EINVAL, "%" PRIu32 " threads are too many; use at most %d", threads,
                        RD_WAYS_THREADS_MAX);
    rd_ways *w = rdi_calloc(ctx, 1, sizeof *w);
    if (!w)
        return RD_ENOMEM;
    w->ctx = ctx;
    rd_status status = init(w, sets, n_sets, threads);
    if (status != RD_OK) {
        rd_ways_free(w);
        return status;
    }
    *out = w;
    return RD_OK;
}

static void free_part(rd_ctx *ctx, part *p) {
    for (uint64_t i = 0; p->stacks && i < p->n; i++)
        rdi_set_stack_fini(&p->stacks[i], ctx);
    rdi_pages_free(ctx, p->stacks, p->n * sizeof *p->stacks);
    rdi_free(ctx, p->hits);
}

void rd_ways_free(rd_ways *w) {
    if (!w)
        return;
    rdi_pool_free(w->pool);
    for (size_t i = 0; i < w->n_parts; i++)
        free_part(w->ctx, &w->parts[i]);
    for (unsigned i = 0; w->scratch && i < w->workers; i++) {
        rdi_free(w->ctx, w->scratch[i].sorted);
        rdi_free(w->ctx, w->scratch[i].distances);
        rdi_free(w->ctx, w->scratch[i].ends);
    }
    for (size_t i = 0; i < RD_SIZES_MAX; i++) {
        choice *c = &w->choices[i];
        rdi_pages_free(w->ctx, c->recent, c->sets * sizeof *c->recent);
        rdi_free(w->ctx, c->left);
        rdi_free(w->ctx, w->misses[i]);
    }
    rdi_free(w->ctx, w->parts);
    rdi_free(w->ctx, w->scratch);
    rdi_free(w->ctx, w->round);
    rdi_free(w->ctx, w);
}
