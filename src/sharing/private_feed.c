/* Processes batches of references to private caches, in tiles of runs. See private_stacks.h.
 *
 * The scan of a thread's top answers most runs. The other runs are processed one by one. The blocks
 * that are not in the top are looked up in advance, in steps that run one, two and three tiles
 * ahead, so that the memory that a step needs has been prefetched by the step before.
 */
#include "sharing/private_stacks.h"

#include <string.h>

#define TILE  RDI_TOP_RUNS /* number of references that are handled together */
#define STEPS 4            /* number of tiles in progress: one for each step */

/* The runs of up to TILE references of the batch, from index `at` on. */
typedef struct tile {
    const rd_sharing_batch *batch;
    size_t at;
    rdi_top_runs runs;
    uint64_t absent;       /* the set of the runs whose blocks are looked up in advance */
    uint64_t key[TILE];    /* the key of the thread of each run */
    uint32_t thread[TILE]; /* the index of this thread, if the block is looked up in advance */
    uint32_t copy[TILE];   /* the copy of its block; 0: not found, or not looked up */
} tile;

/* The columns of the references of a tile. find_runs() reads them from local variables, because its
 * stores of bytes could change any member of a struct. */
typedef struct columns {
    const uint64_t *addr, *blocks;
    const uint32_t *thread, *origins;
    const uint8_t *kind;
    uint64_t process_mask; /* 0: all references belong to one process */
} columns;

static uint64_t key_of(const columns *c, size_t i) {
    uint32_t o = c->origins[i];
    return (c->addr[o] >> 48 & c->process_mask) << 32 | (c->thread ? c->thread[o] : 0);
}

/* Returns true if all n references of the tile belong to one thread. Returns false if they do not,
 * if some references have several blocks or none, or if there are no thread numbers. The loop has
 * no branches that depend on the references. */
static bool has_one_thread(const columns *c, size_t n) {
    uint32_t first = c->origins[0], differs = 0;
    uint64_t process = 0;
    if (c->origins[n - 1] - first != n - 1 || !c->thread)
        return false;
    for (size_t i = first; i < first + n; i++) {
        differs |= c->thread[i] ^ c->thread[first];
        process |= c->addr[i] ^ c->addr[first];
    }
    return !differs && !(process >> 48 & c->process_mask);
}

/* Finds the runs of the n references of the tile, without branches that depend on them. If
 * `one_thread` is true, all of them belong to the same thread. */
static inline __attribute__((always_inline)) void find_runs(columns c, size_t n, bool one_thread,
                                                            tile *t) {
    uint8_t *from = t->runs.from, *stores = t->runs.stores;
    uint64_t *block = t->runs.block, *keys = t->key, key = key_of(&c, 0), key_before = key;
    uint64_t block_before = ~c.blocks[0];
    unsigned stored = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t b = c.blocks[i];
        key = one_thread ? key : key_of(&c, i);
        from[m] = (uint8_t)i;
        block[m] = b;
        keys[m] = key;
        m += ((key ^ key_before) | (b ^ block_before)) != 0;
        stored += c.kind && c.kind[c.origins[i]] & RD_STORE;
        stores[m] = (uint8_t)stored;
        key_before = key;
        block_before = b;
    }
    t->runs.n = m;
    from[m] = (uint8_t)n;
    stores[0] = 0;
    for (size_t r = 0; r < m; r++)
        t->runs.tag[r] = rdi_top_tag(block[r]);
}

/* Returns the end of the runs from run r on that belong to the same thread. */
static size_t end_of_thread(const tile *t, size_t r) {
    size_t end = r + 1;
    while (end < t->runs.n && t->key[end] == t->key[r])
        end++;
    return end;
}

/* Finds the runs whose blocks are not in the tops of their threads, and prefetches what looking
 * them up needs. Without scans, these are all runs. */
static rd_status find_absent(rd_sharing *s, tile *t) {
    t->absent = 0;
    for (size_t r = 0, end; r < t->runs.n; r = end) {
        end = end_of_thread(t, r);
        RD_TRY(rdi_private_choose_thread(s, t->key[r]));
        const rdi_private_stack *stack = s->threads[s->current];
        uint64_t all = (~UINT64_C(0) >> (64 - (end - r))) << r;
        uint64_t set = s->scans ? s->kernel->absent(&stack->top, &t->runs, r, end) : all;
        t->absent |= set;
        for (; set; set &= set - 1) {
            unsigned i = (unsigned)__builtin_ctzll(set);
            t->thread[i] = s->current;
            RDI_PREFETCH(&stack->copy.slot[rdi_block_map_home(&stack->copy, t->runs.block[i])]);
        }
    }
    return RD_OK;
}

/* Returns the columns of the references of the batch from index `at` on, and sets *n to the number
 * of references in the tile that begins there. */
static columns columns_at(const rd_sharing *s, const rd_sharing_batch *batch, size_t at,
                          size_t *n) {
    *n = batch->n - at < TILE ? batch->n - at : TILE;
    return (columns){.addr = batch->refs->addr,
                     .blocks = batch->blocks + at,
                     .thread = batch->refs->thread,
                     .origins = batch->origins + at,
                     .kind = batch->refs->kind,
                     .process_mask = s->config.processes ? ~UINT64_C(0) : 0};
}

/* Begins a tile with the references of the batch from index `at` on. */
static rd_status begin(rd_sharing *s, const rd_sharing_batch *batch, size_t at, tile *t) {
    size_t n;
    const columns c = columns_at(s, batch, at, &n);
    t->batch = batch;
    t->at = at;
    if (has_one_thread(&c, n))
        find_runs(c, n, true, t);
    else
        find_runs(c, n, false, t);
    return find_absent(s, t);
}

/* Looks up the copies of the runs in t->absent, and prefetches them. */
static void look_up(const rd_sharing *s, tile *t) {
    memset(t->copy, 0, t->runs.n * sizeof *t->copy);
    for (uint64_t set = t->absent; set; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctzll(set);
        const rdi_block_map *map = &s->threads[t->thread[i]]->copy;
        const uint64_t *known = rdi_block_map_find(map, t->runs.block[i]);
        t->copy[i] = known ? (uint32_t)*known : 0;
        RDI_PREFETCH(&s->copies[t->copy[i]]);
    }
}

/* Prefetches what the runs in t->absent need besides their copies. */
static void prefetch(const rd_sharing *s, const tile *t) {
    for (uint64_t set = t->absent; set; set &= set - 1) {
        unsigned i = (unsigned)__builtin_ctzll(set);
        if (t->copy[i] == 0)
            continue;
        const rdi_copy *copy = &s->copies[t->copy[i]];
        RDI_PREFETCH(&s->blocks[copy->block]);
        if (s->distances && copy->slot < RDI_SLOT_TOP)
            rdi_weight_prefetch(&s->threads[t->thread[i]]->axis, copy->slot);
        if (s->shared)
            RDI_PREFETCH(&s->shared->uses[t->copy[i]]);
    }
}

/* Counts the references of runs `r` to `end` - 1 of the current thread, except for the distances of
 * the first references of the runs. */
static void count(rd_sharing *s, const tile *t, size_t r, size_t end) {
    const rdi_top_runs *runs = &t->runs;
    rdi_private_stack *stack = s->threads[s->current];
    uint64_t references = (uint64_t)(runs->from[end] - runs->from[r]);
    stack->counts.references += references;
    stack->counts.stores += (uint64_t)(runs->stores[end] - runs->stores[r]);
    stack->near[0] += references - (end - r);
}

/* Processes run r of the current thread, which the scan has not answered. `c` is the copy of its
 * block, or 0 if it is not known. */
static rd_status feed_run(rd_sharing *s, const tile *t, size_t r, uint32_t c) {
    const rdi_top_runs *runs = &t->runs;
    uint64_t distance;
    const rdi_private_run run = {.batch = t->batch,
                                 .from = t->at + runs->from[r],
                                 .to = t->at + runs->from[r + 1],
                                 .stores = runs->stores[r + 1] != runs->stores[r]};
    RD_TRY(rdi_private_reference(s, &run, &c, &distance));
    if (t->batch->distances)
        t->batch->distances[run.from] = distance;
    return RD_OK;
}

/* Stores the distances of runs `r` to `end` - 1, which the scan has answered. */
static void store_distances(const tile *t, size_t r, size_t end) {
    for (; t->batch->distances && r < end; r++)
        t->batch->distances[t->at + t->runs.from[r]] = t->runs.distance[r];
}

/* Processes runs `r` to `end` - 1, which belong to the current thread. */
static rd_status feed_thread(rd_sharing *s, tile *t, size_t r, size_t end) {
    rdi_private_stack *stack = s->threads[s->current];
    count(s, t, r, end);
    while (r < end) {
        uint32_t copy = 0;
        size_t done =
            s->scans ? s->kernel->scan(&stack->top, &t->runs, r, end, stack->near, &copy) : r;
        store_distances(t, r, done);
        r = done;
        if (r < end)
            RD_TRY(feed_run(s, t, r, copy ? copy : t->copy[r]));
        r++;
    }
    return RD_OK;
}

/* Processes the references of a tile. */
static rd_status feed_tile(rd_sharing *s, tile *t) {
    for (size_t r = 0, end; r < t->runs.n; r = end) {
        end = end_of_thread(t, r);
        RD_TRY(rdi_private_choose_thread(s, t->key[r]));
        RD_TRY(feed_thread(s, t, r, end));
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
        bool is_store = c->kind && c->kind[origin] & RD_STORE;
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
 * their number of references. If there is another thread, ends the table of the first one. */
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
