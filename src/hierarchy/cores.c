/* Simulates the private caches of threads. See cores.h.
 *
 * Each block has a state, and a list of copies: one for each thread that has ever had the block. As
 * long as only one thread may have the block, that thread's copy is the owner of the block, and
 * stores and misses of the thread need not look at other threads. Only one thread can have a dirty
 * copy, so a load looks for a dirty copy only in that thread.
 *
 * Causes: the distance of a reference is below the size of a cache if and only if a fully associative
 * LRU cache of this size, from which the same stores remove blocks, holds the block (docs/threads.md,
 * "Distance"). So each level has such a cache beside it.
 */
#include "hierarchy/cores.h"

#include "reusedist/trace.h"

#include <inttypes.h>

#define NUMBERS_MAX UINT64_C(0xfffffffe) /* states of blocks, and copies, have 32-bit numbers */

/* A copy is what one thread has, or had, of one block. Bit k of a mask stands for private level k. */
typedef struct copy {
    uint32_t thread; /* index of the thread */
    uint32_t next;   /* number of the next copy of the same block; 0: none */
    uint16_t seen,
        lost; /* seen: the block has arrived at the level; lost: another thread has stored to the
                 block since it last arrived there */
} copy;

/* The state of a block. The number of a copy is its index in rdi_cores.copies. */
typedef struct record {
    uint32_t copies; /* number of the first copy */
    uint32_t owner;  /* number of the copy of the only thread that may have the block; 0: several
                        threads may */
    uint32_t dirty;  /* number of the only copy that may be dirty; 0: none */
    uint32_t seen;   /* bit k: the block has arrived at shared level k */
} record;

/* The caches of one thread. Element k of each array belongs to level k. */
typedef struct core {
    uint64_t number; /* number of the thread */
    /* The block that the thread looked up last, the number of its state, and the number of the
     * thread's copy. If `mine` is 0, the thread has not looked up any block. */
    uint64_t block;
    uint32_t record, mine;
    rdi_level level[RD_CACHES_MAX];
    rdi_cache caches[RD_CACHES_MAX], near[RD_CACHES_MAX]; /* caches of private levels */
} core;

struct rdi_cores {
    uint64_t block_bytes;
    size_t n_private; /* number of private levels, which come first */
    const rdi_cache_kernels *kernels;
    bool causes;
    rdi_cache near[RD_CACHES_MAX]; /* fully associative caches of the shared levels, which find
                                      causes */
    rdi_block_map index;           /* maps a block to the number of its state */
    record *records;               /* element 0 is not used */
    uint64_t n_records, records_room;
    copy *copies; /* element 0 is not used */
    uint64_t n_copies, copies_room;
    core **threads;
    size_t n_threads, threads_room;
    rdi_block_map thread_index; /* maps the number of a thread to its index */
    uint32_t current;           /* index of the thread that makes the current reference */
    uint32_t record, mine;      /* numbers of the state of the current reference's block and of the
                                   thread's copy; 0: not looked up yet */
};

/* ---- threads ---- */

/* Makes the fully associative cache of level k that finds causes. */
static rd_status init_near(const rd_simulator *s, size_t k, rdi_cache *near) {
    rd_cache is = {.bytes = s->hierarchy.cache[k].bytes};
    return rdi_cache_init(near, s->ctx, s->kernels, &is, s->threads->block_bytes);
}

/* Makes private level k of a thread. */
static rd_status init_level(rd_simulator *s, core *t, size_t k) {
    rdi_level *l = &t->level[k];
    l->is = s->hierarchy.cache[k];
    l->cache = &t->caches[k];
    RD_TRY(rdi_cache_init(l->cache, s->ctx, s->kernels, &l->is, s->threads->block_bytes));
    if (l->is.prefetch == RD_PREFETCH_STREAM &&
        !(l->streams = rdi_calloc(s->ctx, 1, sizeof *l->streams)))
        return RD_ENOMEM;
    if (!s->threads->causes)
        return RD_OK;
    l->near = &t->near[k];
    return init_near(s, k, l->near);
}

static rd_status add_thread(rd_simulator *s, uint64_t number) {
    rdi_cores *c = s->threads;
    uint64_t old;
    if (c->n_threads == c->threads_room) {
        void *grown = rdi_grow(s->ctx, c->threads, &c->threads_room, sizeof *c->threads);
        if (!grown)
            return RD_ENOMEM;
        c->threads = grown;
    }
    core *t = rdi_calloc(s->ctx, 1, sizeof *t);
    if (!t)
        return RD_ENOMEM;
    c->threads[c->n_threads++] = t;
    t->number = number;
    for (size_t k = 0; k < c->n_private; k++)
        RD_TRY(init_level(s, t, k));
    for (size_t k = c->n_private; k < s->n; k++)
        t->level[k] = s->own[k];
    return rdi_block_map_exchange(&c->thread_index, number, c->n_threads - 1, &old);
}

rd_status rdi_cores_choose(rd_simulator *s, uint64_t number) {
    rdi_cores *c = s->threads;
    if (c->n_threads && c->threads[c->current]->number == number)
        return RD_OK;
    const uint64_t *known = rdi_block_map_find(&c->thread_index, number);
    if (!known)
        RD_TRY(add_thread(s, number));
    c->current = (uint32_t)(known ? *known : c->n_threads - 1);
    s->level = c->threads[c->current]->level;
    return RD_OK;
}

/* ---- blocks and copies ---- */

/* Adds an element to an array from rdi_pages_grow_array(), and returns its number. The first
 * element has number 1. Returns 0 if there is no memory or the limit NUMBERS_MAX is reached. */
static uint32_t next_number(rd_ctx *ctx, void **array, uint64_t *n, uint64_t *room, size_t size) {
    if (*n + 1 >= *room) {
        if (*n >= NUMBERS_MAX) {
            rdi_fail(
                ctx, RD_ERANGE,
                "the trace has more than 2^32 - 2 blocks, or more than that many copies of blocks "
                "in the private caches of threads; use larger blocks or a shorter trace");
            return 0;
        }
        if (rdi_pages_grow_array(ctx, array, room, *room ? 2 * *room : 256, size) != RD_OK)
            return 0;
    }
    return (uint32_t)++ * n;
}

static rd_status failure(const rdi_cores *c) {
    return c->n_copies >= NUMBERS_MAX || c->n_records >= NUMBERS_MAX ? RD_ERANGE : RD_ENOMEM;
}

static rd_status add_record(rd_simulator *s, uint64_t block) {
    rdi_cores *c = s->threads;
    void *array = c->records;
    uint64_t old;
    c->record = next_number(s->ctx, &array, &c->n_records, &c->records_room, sizeof *c->records);
    c->records = array;
    if (!c->record)
        return failure(c);
    c->records[c->record] = (record){0};
    return rdi_block_map_exchange(&c->index, block, c->record, &old);
}

/* Adds the copy of the current thread. The first copy of a block is the owner of the block. */
static rd_status add_copy(rd_simulator *s) {
    rdi_cores *c = s->threads;
    void *array = c->copies;
    c->mine = next_number(s->ctx, &array, &c->n_copies, &c->copies_room, sizeof *c->copies);
    c->copies = array;
    if (!c->mine)
        return failure(c);
    record *r = &c->records[c->record];
    c->copies[c->mine] = (copy){.thread = c->current, .next = r->copies};
    if (!r->copies)
        r->owner = c->mine;
    r->copies = c->mine;
    return RD_OK;
}

/* Finds the state of a block and the current thread's copy, and makes them if necessary. */
static rd_status find_copy(rd_simulator *s, uint64_t block) {
    rdi_cores *c = s->threads;
    const uint64_t *known = rdi_block_map_find(&c->index, block);
    c->record = known ? (uint32_t)*known : 0;
    if (!known)
        RD_TRY(add_record(s, block));
    for (c->mine = c->records[c->record].copies; c->mine; c->mine = c->copies[c->mine].next)
        if (c->copies[c->mine].thread == c->current)
            return RD_OK;
    return add_copy(s);
}

/* Looks up the block of the current reference and the thread's copy of it, unless that was done for
 * this reference before. The numbers of states and copies never change, so a thread that refers to
 * one block again and again need not search for it. */
static rd_status look_up(rd_simulator *s, uint64_t block) {
    rdi_cores *c = s->threads;
    core *t = c->threads[c->current];
    if (c->mine)
        return RD_OK;
    if (!t->mine || t->block != block) {
        RD_TRY(find_copy(s, block));
        t->block = block;
        t->record = c->record;
        t->mine = c->mine;
    }
    c->record = t->record;
    c->mine = t->mine;
    return RD_OK;
}

/* ---- arrivals ---- */

/* Returns whether the block is the most recent one of a fully associative cache. */
static bool is_newest(const rdi_cache *near, uint64_t block) {
    if (rdi_cache_is_narrow(near))
        return (near->used[0] >> near->recent[0] & 1) && near->tags[near->recent[0]] == block;
    return near->newest[0] && near->tags[near->newest[0] - 1] == block;
}

/* Makes the block the most recent one of a fully associative cache, and sets *held to whether the cache
 * held it. */
static rd_status use_near(rdi_cache *near, uint64_t block, bool *held) {
    rdi_victim victim;
    if ((*held = is_newest(near, block)))
        return RD_OK;
    uint64_t way = rdi_cache_find(near, block);
    *held = way != RDI_NO_WAY;
    if (!*held)
        return rdi_cache_insert(near, block, &victim);
    rdi_cache_touch(near, way);
    return RD_OK;
}

/* Counts a far hit, or the cause of a miss, for a reference whose distance is not below the size of
 * level k. */
static rd_status classify_far(rd_simulator *s, size_t k, uint64_t block, bool miss) {
    rdi_cores *c = s->threads;
    rdi_level *l = &s->level[k];
    RD_TRY(look_up(s, block));
    record *r = &c->records[c->record];
    copy *mine = &c->copies[c->mine];
    bool private = k < c->n_private;
    uint16_t bit = (uint16_t)(1u << k);
    bool cold = !((private ? mine->seen : r->seen) & bit);
    bool coherence = private && (mine->lost & bit);
    if (private) {
        mine->seen |= bit;
        mine->lost &= (uint16_t)~bit;
    } else
        r->seen |= bit;
    if (!miss)
        l->count.far_hits++;
    else
        *(cold ? &l->count.cold : coherence ? &l->coherence.coherence : &l->count.capacity) += 1;
    return RD_OK;
}

static rd_status arrive(rd_simulator *s, size_t k, uint64_t block, bool miss) {
    rdi_level *l = &s->level[k];
    bool held;
    l->count.references++;
    l->count.misses += miss;
    if (!l->near)
        return RD_OK;
    RD_TRY(use_near(l->near, block, &held));
    if (!held)
        return classify_far(s, k, block, miss);
    l->count.conflict += miss;
    return RD_OK;
}

/* ---- coherence ---- */

/* Returns whether a thread has the block or, with `dirty`, a dirty copy of it. */
static bool has_block(const rdi_cores *c, uint32_t thread, uint64_t block, bool dirty) {
    for (size_t k = 0; k < c->n_private; k++) {
        const rdi_cache *cache = &c->threads[thread]->caches[k];
        uint64_t way = rdi_cache_find(cache, block);
        if (way != RDI_NO_WAY && (!dirty || cache->flags[way] & RDI_WAY_DIRTY))
            return true;
    }
    return false;
}

static bool others_have(const rdi_cores *c, uint64_t block) {
    for (uint32_t i = c->records[c->record].copies; i; i = c->copies[i].next)
        if (i != c->mine && has_block(c, c->copies[i].thread, block, false))
            return true;
    return false;
}

static bool others_have_dirty(const rdi_cores *c, uint64_t block) {
    uint32_t i = c->records[c->record].dirty;
    return i && i != c->mine && has_block(c, c->copies[i].thread, block, true);
}

static void remove_copy(rdi_cores *c, copy *of, uint64_t block) {
    core *t = c->threads[of->thread];
    of->lost |= of->seen;
    for (size_t k = 0; k < c->n_private; k++) {
        rdi_level *l = &t->level[k];
        uint64_t way = rdi_cache_find(l->cache, block);
        if (way != RDI_NO_WAY) {
            l->coherence.removals++;
            l->count.useless += (l->cache->flags[way] & RDI_WAY_MARKED) != 0;
            rdi_cache_remove(l->cache, way);
        }
        way = l->near ? rdi_cache_find(l->near, block) : RDI_NO_WAY;
        if (way != RDI_NO_WAY)
            rdi_cache_remove(l->near, way);
    }
}

static void remove_copies(rdi_cores *c, uint64_t block) {
    for (uint32_t i = c->records[c->record].copies; i; i = c->copies[i].next)
        if (i != c->mine)
            remove_copy(c, &c->copies[i], block);
}

/* Writes a block back from the private caches of the thread that has it dirty, and makes it clean
 * there. */
static void clean_copies(rd_simulator *s, uint64_t block) {
    rdi_cores *c = s->threads;
    core *t = c->threads[c->copies[c->records[c->record].dirty].thread];
    for (size_t k = 0; k < c->n_private; k++) {
        uint64_t way = rdi_cache_find(&t->caches[k], block);
        if (way == RDI_NO_WAY || !(t->caches[k].flags[way] & RDI_WAY_DIRTY))
            continue;
        t->caches[k].flags[way] &= (uint8_t)~RDI_WAY_DIRTY;
        t->level[k].count.writebacks++;
    }
    rdi_write_arrives(s, c->n_private, block);
}

static void count_transfer(rd_simulator *s, const rdi_search *found, bool dirty) {
    for (size_t i = 0; i < found->n; i++) {
        s->level[found->missed[i]].coherence.transfers++;
        s->level[found->missed[i]].coherence.dirty_transfers += dirty;
    }
}

static bool leaves_thread(const rd_simulator *s, const rdi_search *found) {
    return found->hit >= s->threads->n_private;
}

/* Applies a store to a block that other threads may have: counts upgrades and transfers, and
 * removes the copies of all other threads. */
static void take_over(rd_simulator *s, const rdi_search *found, uint64_t block) {
    rdi_cores *c = s->threads;
    bool dirty = others_have_dirty(c, block);
    bool leaves = leaves_thread(s, found);
    if (!leaves)
        s->level[found->hit].coherence.upgrades += others_have(c, block);
    else if (dirty || (found->hit == s->n && others_have(c, block)))
        count_transfer(s, found, dirty);
    remove_copies(c, block);
}

/* Applies a load or a prefetch that reaches a shared level or memory. Other threads may have its
 * block. */
static void share(rd_simulator *s, const rdi_search *found, uint64_t block, bool prefetch) {
    rdi_cores *c = s->threads;
    bool dirty = others_have_dirty(c, block);
    if (!prefetch && (dirty || (found->hit == s->n && others_have(c, block))))
        count_transfer(s, found, dirty);
    if (dirty)
        clean_copies(s, block);
    c->records[c->record].owner = 0;
}

/* Updates r->dirty after a load or prefetch that reaches a shared level or memory: no other thread
 * has a dirty copy any more, and the current thread may get one if a shared exclusive level
 * hits. */
static void expect_dirty(rd_simulator *s, const rdi_search *found) {
    rdi_cores *c = s->threads;
    record *r = &c->records[c->record];
    if (r->dirty != c->mine)
        r->dirty = 0;
    if (found->hit < s->n && s->level[found->hit].is.fill == RD_FILL_EXCLUSIVE)
        r->dirty = c->mine;
}

rd_status rdi_cores_arrive(rd_simulator *s, const rdi_search *found, uint64_t block, uint8_t kind) {
    rdi_cores *c = s->threads;
    bool store = kind == RD_STORE;
    c->mine = 0;
    for (size_t i = 0; i < found->n; i++)
        RD_TRY(arrive(s, found->missed[i], block, true));
    if (found->hit < s->n)
        RD_TRY(arrive(s, found->hit, block, false));
    if (!store && !leaves_thread(s, found))
        return RD_OK;
    RD_TRY(look_up(s, block));
    record *r = &c->records[c->record];
    if (store) {
        if (r->owner != c->mine)
            take_over(s, found, block);
        r->owner = r->dirty = c->mine;
        return RD_OK;
    }
    if (r->owner != c->mine)
        share(s, found, block, false);
    expect_dirty(s, found);
    return RD_OK;
}

rd_status rdi_cores_prefetch(rd_simulator *s, size_t k, const rdi_search *found, uint64_t block) {
    rdi_cores *c = s->threads;
    if (k >= c->n_private || !leaves_thread(s, found))
        return RD_OK;
    c->mine = 0;
    RD_TRY(look_up(s, block));
    if (c->records[c->record].owner != c->mine)
        share(s, found, block, true);
    expect_dirty(s, found);
    return RD_OK;
}

rd_status rdi_cores_remove_inside(rd_simulator *s, size_t k, size_t i, rdi_victim *v) {
    rdi_cores *c = s->threads;
    if (k < c->n_private || i >= c->n_private)
        return rdi_remove_victim(s, k, &s->level[i], i, v);
    const uint64_t *known = rdi_block_map_find(&c->index, v->block);
    for (uint32_t at = known ? c->records[*known].copies : 0; at; at = c->copies[at].next)
        RD_TRY(rdi_remove_victim(s, k, &c->threads[c->copies[at].thread]->level[i], i, v));
    return RD_OK;
}

/* ---- counts, opening and closing ---- */

void rdi_cores_count(const rd_simulator *s, rd_cache_counts *out) {
    for (size_t k = 0; k < s->n; k++) {
        out[k] = (rd_cache_counts){0};
        for (size_t t = 0; t < s->threads->n_threads; t++)
            rd_cache_counts_add(&out[k], &s->threads->threads[t]->level[k].count);
    }
}

size_t rd_simulator_threads(const rd_simulator *s) {
    return s && s->threads ? s->threads->n_threads : 0;
}

rd_status rd_simulator_thread_counts(const rd_simulator *s, size_t index, uint64_t *thread,
                                     rd_level_counts *out) {
    RDI_NEED(s ? s->ctx : NULL, s, thread, out);
    if (index >= rd_simulator_threads(s))
        return rdi_fail(s->ctx, RD_EINVAL, "the simulator has no thread with index %zu", index);
    const core *t = s->threads->threads[index];
    *thread = t->number;
    for (size_t k = 0; k < s->n; k++)
        out[k] = (rd_level_counts){t->level[k].count, t->level[k].coherence};
    return RD_OK;
}

static rd_status init(rd_simulator *s, const rd_simulator_config *config) {
    rdi_cores *c = s->threads;
    c->block_bytes = config->block_bytes;
    c->causes = !config->without_causes;
    while (c->n_private < s->n && !s->hierarchy.cache[c->n_private].shared)
        c->n_private++;
    for (size_t k = c->n_private; k < s->n && c->causes; k++) {
        s->own[k].near = &c->near[k];
        RD_TRY(init_near(s, k, &c->near[k]));
    }
    RD_TRY(rdi_block_map_init(&c->thread_index, s->ctx));
    return rdi_block_map_init(&c->index, s->ctx);
}

rd_status rdi_cores_new(rd_simulator *s, const rd_simulator_config *config) {
    s->threads = rdi_calloc(s->ctx, 1, sizeof *s->threads);
    return s->threads ? init(s, config) : RD_ENOMEM;
}

static void free_thread(rd_ctx *ctx, core *t) {
    for (size_t k = 0; k < RD_CACHES_MAX; k++) {
        rdi_cache_fini(&t->caches[k]);
        rdi_cache_fini(&t->near[k]);
        if (t->level[k].cache == &t->caches[k])
            rdi_free(ctx, t->level[k].streams);
    }
    rdi_free(ctx, t);
}

void rdi_cores_free(rd_simulator *s) {
    rdi_cores *c = s->threads;
    if (!c)
        return;
    for (size_t i = 0; i < c->n_threads; i++)
        free_thread(s->ctx, c->threads[i]);
    for (size_t k = 0; k < RD_CACHES_MAX; k++)
        rdi_cache_fini(&c->near[k]);
    rdi_free(s->ctx, c->threads);
    rdi_block_map_fini(&c->thread_index);
    rdi_block_map_fini(&c->index);
    rdi_pages_free(s->ctx, c->records, (size_t)c->records_room * sizeof *c->records);
    rdi_pages_free(s->ctx, c->copies, (size_t)c->copies_room * sizeof *c->copies);
    rdi_free(s->ctx, c);
}
