/* Implements rd_sharing_feed(): processes batches of references to private caches, in tiles. See
 * private_stacks.h.
 *
 * A scan of the top of a thread's LRU stack answers most runs of references. The other runs are
 * processed one by one. Their blocks are looked up in advance, in steps that are three, two and one
 * tiles ahead, so that each step has prefetched the memory that the next step needs. */
#include "sharing/private_stacks.h"

#include <string.h>

#define TILE  RDI_TOP_TILE /* number of references that are handled together */
#define STEPS 4            /* number of tiles in progress: one for each step */

/* The columns of the references of a tile. */
typedef struct columns {
    const rd_refs *refs;
    const uint64_t *blocks;
    const uint32_t *origins;
    uint64_t process_mask; /* 0: all references belong to one process */
} columns;

/* The runs of up to TILE references of the batch, from index `at` on. A run is identified by the
 * index of its first reference. */
typedef struct tile {
    const rd_sharing_batch *batch;
    size_t at;
    columns c;
    rdi_top_tile runs;
    uint64_t threads;      /* the runs whose thread is not the thread of the run before */
    uint64_t absent;       /* the runs whose blocks are looked up in advance */
    uint32_t thread[TILE]; /* the index of the thread of each run in `absent` */
} tile;

static uint64_t key_of(const columns *c, size_t i) {
    uint32_t o = c->origins[i];
    return (c->refs->addr[o] >> 48 & c->process_mask) << 32 |
           (c->refs->thread ? c->refs->thread[o] : 0);
}

/* Returns whether the n blocks of the tile come from n consecutive references. It is not enough to compare the first
 * and the last origin, because a reference with two blocks can make up for a dropped one. */
static bool is_unsplit(const columns *c, size_t n) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < n; i++)
        differ |= c->origins[i] ^ (c->origins[0] + i);
    return differ == 0;
}

/* Returns true if all n references of the tile belong to one thread. Returns false if they belong
 * to several threads, if some references have several blocks or none, or if there are no thread
 * numbers. The loop has no branches that depend on the references. */
static bool has_one_thread(const columns *c, size_t n) {
    const uint64_t *addr = c->refs->addr + c->origins[0];
    const uint32_t *thread = c->refs->thread;
    uint32_t differs = 0;
    uint64_t process = 0;
    if (!is_unsplit(c, n) || !thread)
        return false;
    thread += c->origins[0];
    for (size_t i = 0; i < n; i++) {
        differs |= thread[i] ^ thread[0];
        process |= addr[i] ^ addr[0];
    }
    return !differs && !(process >> 48 & c->process_mask);
}

/* Returns the set of the references whose thread is not the thread of the reference before.
 * Reference 0 is in the set. */
static uint64_t find_threads(const columns *c, size_t n) {
    uint64_t set = 1, before = key_of(c, 0);
    for (size_t i = 1; i < n; i++) {
        uint64_t key = key_of(c, i);
        set |= (uint64_t)(key != before) << i;
        before = key;
    }
    return set;
}

static uint64_t find_stores(const rd_sharing *s, const columns *c, size_t n) {
    const uint8_t *kind = c->refs->kind;
    uint64_t set = 0;
    if (!kind)
        return 0;
    if (is_unsplit(c, n))
        return s->kernel->stores(kind + c->origins[0], n);
    for (size_t i = 0; i < n; i++)
        set |= (uint64_t)((kind[c->origins[i]] & RD_STORE) != 0) << i;
    return set;
}

/* Finds the runs of the n references of the tile, without branches that depend on the
 * references. */
static void find_runs(const rd_sharing *s, size_t n, tile *t) {
    rdi_top_tile *runs = &t->runs;
    t->threads = has_one_thread(&t->c, n) ? 1 : find_threads(&t->c, n);
    runs->block = t->c.blocks;
    runs->n = n;
    runs->starts = s->kernel->starts(runs->block, n, runs->tag) | t->threads;
    runs->stores = find_stores(s, &t->c, n);
    /* In the sum, the stores of a run carry into the bit of its last reference. */
    uint64_t ends = runs->starts >> 1 | UINT64_C(1) << (n - 1);
    runs->storing = (((runs->stores & ~ends) + ~ends) | runs->stores) & ends;
}

/* Returns the end of the references from `i` on that belong to the thread of reference `i`: the
 * index of the next reference of another thread, or of the end of the tile. */
static size_t end_of_thread(const tile *t, size_t i) {
    uint64_t later = t->threads & (~UINT64_C(1) << i);
    return later ? (size_t)__builtin_ctzll(later) : t->runs.n;
}

/* Returns the runs among `runs` whose blocks the current thread has not referenced in the tiles in progress. All runs
 * in `runs` belong to the current thread. The blocks of the other runs need no lookup in advance, because an earlier
 * run in progress takes care of them. `now` is the number of the tile. */
static uint64_t find_unseen(rd_sharing *s, const uint64_t *block, uint64_t runs, uint32_t now) {
    uint64_t unseen = 0;
    for (uint32_t thread = s->current; runs; runs &= runs - 1) {
        uint64_t id = block[__builtin_ctzll(runs)];
        uint64_t hash = (id ^ thread) * UINT64_C(0x9e3779b97f4a7c15);
        rdi_private_sight *last = &s->sights[hash >> (64 - RDI_PRIVATE_SIGHT_BITS)];
        if (last->block == id && last->thread == thread && now - last->tile < STEPS)
            continue;
        *last = (rdi_private_sight){id, thread, now};
        unseen |= runs & -runs;
    }
    return unseen;
}

/* Sets t->absent to the runs whose blocks are looked up in advance, and prefetches the slots of the
 * maps that look_up() reads. Of the runs of one block by one thread, only the first in the tiles in
 * progress is in t->absent. With scans, runs whose blocks are in the top of the thread's stack are
 * not in it. */
static rd_status find_absent(rd_sharing *s, tile *t) {
    uint32_t now = ++s->tiles;
    t->absent = 0;
    for (size_t i = 0, end; i < t->runs.n; i = end) {
        end = end_of_thread(t, i);
        RD_TRY(rdi_private_choose_thread(s, key_of(&t->c, i)));
        const rdi_private_stack *stack = s->threads[s->current];
        uint64_t set = t->runs.starts & rdi_tile_range(i, end);
        set = find_unseen(s, t->runs.block, set, now);
        if (s->scans)
            set = s->kernel->absent(&stack->top, t->runs.tag, set);
        t->absent |= set;
        for (; set; set &= set - 1) {
            unsigned r = (unsigned)__builtin_ctzll(set);
            t->thread[r] = s->current;
            const rdi_block_slot *home =
                stack->copy.slot + rdi_block_map_home(&stack->copy, t->runs.block[r]) / 4 * 4;
            RDI_PREFETCH(home); /* the slots that find() compares may lie in two cache lines */
            RDI_PREFETCH(home + 3);
        }
    }
    return RD_OK;
}

/* Returns the columns of the references of the batch from index `at` on, and sets *n to the number
 * of references in the tile that begins there. */
static columns columns_at(const rd_sharing *s, const rd_sharing_batch *batch, size_t at,
                          size_t *n) {
    *n = batch->n - at < TILE ? batch->n - at : TILE;
    return (columns){.refs = batch->refs,
                     .blocks = batch->blocks + at,
                     .origins = batch->origins + at,
                     .process_mask = s->config.processes ? ~UINT64_C(0) : 0};
}

/* Begins a tile with the references of the batch from index `at` on. */
static rd_status begin(rd_sharing *s, const rd_sharing_batch *batch, size_t at, tile *t) {
    size_t n;
    t->batch = batch;
    t->at = at;
    t->c = columns_at(s, batch, at, &n);
    find_runs(s, n, t);
    return find_absent(s, t);
}

/* Looks up the copies of the runs in t->absent, and prefetches them. */
static void look_up(const rd_sharing *s, tile *t) {
    for (uint64_t set = t->absent; set; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctzll(set);
        const rdi_block_map *map = &s->threads[t->thread[i]]->copy;
        uint64_t known = s->kernel->find(map, t->runs.block[i]);
        t->runs.copy[i] = known == RDI_ABSENT ? 0 : (uint32_t)known;
        if (t->runs.copy[i] == 0)
            continue;
        const rdi_copy *copy = &s->copies[t->runs.copy[i]];
        RDI_PREFETCH(&copy->slot); /* a copy may lie in two cache lines */
        RDI_PREFETCH(&copy->sets);
    }
}

/* Prefetches the memory that processing the runs in t->absent needs in addition to their copies. */
static void prefetch(const rd_sharing *s, const tile *t) {
    for (uint64_t set = t->absent; set; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctzll(set);
        uint32_t c = t->runs.copy[i];
        if (c == 0)
            continue;
        const rdi_copy *copy = &s->copies[c];
        RDI_PREFETCH(&s->blocks[copy->block]);
        if (s->distances && copy->slot < RDI_SLOT_TOP)
            rdi_unit_prefetch(&s->threads[t->thread[i]]->axis, copy->slot);
        if (s->shared)
            RDI_PREFETCH(&s->shared->uses[c]);
    }
}

/* Counts the references `i` to `end` - 1 of the current thread, and the distance 0 of each of them
 * that does not begin a run. */
static void count(rd_sharing *s, const rdi_top_tile *runs, size_t i, size_t end) {
    rdi_private_stack *stack = s->threads[s->current];
    uint64_t range = rdi_tile_range(i, end);
    stack->counts.references += end - i;
    stack->counts.stores += (uint64_t)__builtin_popcountll(runs->stores & range);
    stack->near[0] += end - i - (uint64_t)__builtin_popcountll(runs->starts & range);
}

/* Processes the run that begins with reference `i` of the current thread, which no scan has
 * answered. `c` is the copy of the block, or 0 if the caller does not know the copy. */
static rd_status feed_run(rd_sharing *s, const tile *t, size_t i, uint32_t c) {
    size_t end = rdi_tile_run_end(&t->runs, i);
    uint64_t distance;
    const rdi_private_run run = {.batch = t->batch,
                                 .from = t->at + i,
                                 .to = t->at + end,
                                 .stores = t->runs.storing >> (end - 1) & 1};
    RD_TRY(rdi_private_reference(s, &run, &c, &distance));
    if (t->batch->distances)
        t->batch->distances[run.from] = distance;
    return RD_OK;
}

/* Stores the distances of the runs whose blocks a scan has found in the top. */
static void store_distances(const tile *t) {
    for (uint64_t set = t->runs.near; set; set &= set - 1) {
        size_t i = (size_t)__builtin_ctzll(set);
        t->batch->distances[t->at + i] = t->runs.distance[i];
    }
}

/* Notes the stores of the runs in t->runs.noted, which the scan has answered: adds the stored bytes to the sets of
 * the blocks. */
static void note_stores(const rd_sharing *s, const rdi_private_stack *stack, const tile *t) {
    for (uint64_t left = t->runs.noted; left; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left);
        uint64_t *stored = rdi_sets_stored(s, stack->top.sets[t->runs.lane[i]]);
        uint64_t run = t->runs.stores & rdi_tile_range(i, rdi_tile_run_end(&t->runs, i));
        for (; run; run &= run - 1) {
            uint32_t origin = t->c.origins[__builtin_ctzll(run)];
            rdi_mask_add_range(stored, rdi_bytes_of(s, t->c.refs, origin, t->runs.block[i]));
        }
    }
}

/* Processes the runs in the references `i` to `end` - 1, which belong to the current thread, as far as a scan answers
 * them. Sets *done to the first reference of the first run that is left, or to `end`, and *copy to the copy of this
 * run's block, or to 0 if the scan does not know the copy. */
static rd_status scan_thread(rd_sharing *s, tile *t, size_t i, size_t end, size_t *done,
                             uint32_t *copy) {
    rdi_private_stack *stack = s->threads[s->current];
    uint64_t *distances = t->batch->distances ? t->batch->distances + t->at : NULL;
    if (t->runs.ready & rdi_tile_range(i, end))
        RD_TRY(rdi_private_axis_room(s, stack, TILE));
    *done = s->kernel->scan(&stack->top, &t->runs, i, end, stack->near, copy);
    if (t->runs.noted)
        note_stores(s, stack, t);
    if (distances)
        store_distances(t);
    return t->runs.entered ? rdi_private_enter(s, stack, &t->runs, distances) : RD_OK;
}

/* Processes the runs in the references `i` to `end` - 1, which belong to the current thread. */
static rd_status feed_thread(rd_sharing *s, tile *t, size_t i, size_t end) {
    count(s, &t->runs, i, end);
    if (s->scans)
        rdi_private_find_ready(s, &t->runs, t->absent & rdi_tile_range(i, end));
    while (i < end) {
        uint32_t copy = 0;
        if (s->scans)
            RD_TRY(scan_thread(s, t, i, end, &i, &copy));
        if (i == end)
            break;
        if (!copy && t->absent >> i & 1)
            copy = t->runs.copy[i];
        RD_TRY(feed_run(s, t, i, copy));
        i = rdi_tile_run_end(&t->runs, i);
    }
    return RD_OK;
}

/* Processes the references of a tile. */
static rd_status feed_tile(rd_sharing *s, tile *t) {
    for (size_t i = 0, end; i < t->runs.n; i = end) {
        end = end_of_thread(t, i);
        RD_TRY(rdi_private_choose_thread(s, key_of(&t->c, i)));
        RD_TRY(feed_thread(s, t, i, end));
    }
    return RD_OK;
}

/* ---- the only thread ---- */

/* Returns whether all n references of the tile belong to the thread with this key. */
static bool belongs_to(const columns *c, size_t n, uint64_t key) {
    if (key_of(c, 0) != key)
        return false;
    if (has_one_thread(c, n))
        return true;
    for (size_t i = 1; i < n; i++)
        if (key_of(c, i) != key)
            return false;
    return true;
}

/* Counts the n references of a tile in the table of the only thread's blocks. */
static rd_status count_lone(rd_sharing *s, const rd_refs *refs, const columns *c, size_t n) {
    rdi_lone_blocks *lone = &s->lone;
    rdi_lone_block *slot[RDI_LONE_TILE];
    uint64_t stores = 0;
    RD_TRY(rdi_lone_blocks_room(lone));
    for (size_t i = 0; i < n; i++) {
        slot[i] = rdi_lone_blocks_home(lone, c->blocks[i]);
        RDI_PREFETCH(slot[i]);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t id = c->blocks[i];
        uint32_t origin = c->origins[i];
        rdi_lone_block *its = slot[i];
        if (RDI_UNLIKELY(its->block != id || rdi_lone_block_is_free(its))) {
            its = rdi_lone_blocks_find(lone, id);
            lone->n += rdi_lone_block_is_free(its);
            its->block = id;
        }
        bool is_store = refs->kind && refs->kind[origin] & RD_STORE;
        its->touched |= rdi_log_bits(s, rdi_bytes_of(s, refs, origin, id));
        its->count[is_store]++;
        stores += is_store;
    }
    s->threads[0]->counts.references += n;
    s->threads[0]->counts.stores += stores;
    s->threads[0]->counts.cold = lone->n;
    return RD_OK;
}

/* Counts the tiles at the beginning of the batch that belong to the only thread, and sets *done to
 * the number of references in these tiles. If a tile has a reference of another thread, converts
 * the table of the first thread's blocks to copies. */
static rd_status feed_lone(rd_sharing *s, const rd_sharing_batch *batch, size_t *done) {
    size_t n;
    for (*done = 0; s->lone.slot && *done < batch->n; *done += n) {
        const columns c = columns_at(s, batch, *done, &n);
        if (s->n_threads == 0)
            RD_TRY(rdi_private_choose_thread(s, key_of(&c, 0)));
        if (!belongs_to(&c, n, s->threads[0]->key))
            return rdi_private_end_lone(s);
        RD_TRY(count_lone(s, batch->refs, &c, n));
        s->fed += n;
    }
    return RD_OK;
}

/* ---- batches ---- */

/* Processes the references of a batch, tile by tile. */
static rd_status feed_tiles(rd_sharing *s, const rd_sharing_batch *batch) {
    const size_t n = (batch->n + TILE - 1) / TILE;
    tile t[STEPS];
    for (size_t k = 0; k < n + STEPS - 1; k++) {
        if (k < n)
            RD_TRY(begin(s, batch, k * TILE, &t[k % STEPS]));
        if (k >= 1 && k - 1 < n)
            look_up(s, &t[(k - 1) % STEPS]);
        if (k >= 2 && k - 2 < n)
            prefetch(s, &t[(k - 2) % STEPS]);
        if (k >= 3)
            RD_TRY(feed_tile(s, &t[(k - 3) % STEPS]));
    }
    s->fed += batch->n;
    return RD_OK;
}

rd_status rd_sharing_feed(rd_sharing *s, const rd_sharing_batch *batch) {
    RDI_NEED(s ? s->ctx : NULL, s, batch);
    RDI_NEED(s->ctx, batch->refs);
    if (batch->n == 0)
        return RD_OK;
    RDI_NEED(s->ctx, batch->origins, batch->blocks, batch->refs->addr);
    if (s->finished)
        return rdi_fail(s->ctx, RD_ESTATE,
                        "the profile of private caches was already made; start a new analysis");
    if (batch->distances && !s->distances)
        return rdi_fail(s->ctx, RD_EINVAL,
                        "a batch asks for distances, but rd_sharing_config.details_only is true");
    if (batch->distances)
        memset(batch->distances, 0, batch->n * sizeof *batch->distances);
    size_t done;
    RD_TRY(feed_lone(s, batch, &done));
    rd_sharing_batch rest = *batch;
    rest.origins += done;
    rest.blocks += done;
    rest.n -= done;
    rest.distances = batch->distances ? batch->distances + done : NULL;
    return rest.n ? feed_tiles(s, &rest) : RD_OK;
}
