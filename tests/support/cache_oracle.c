/* A plain simulator of cache hierarchies. Every rule is a transcription of docs/hierarchies.md, and
 * every search is a loop. See cache_oracle.h. */
#include "support/cache_oracle.h"

#include "reusedist/trace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS 16

typedef struct way {
    bool used, dirty, marked;
    uint64_t block;
    uint64_t time; /* time of the last touch or insertion */
    unsigned value;
} way;

typedef struct stream {
    uint64_t last, used; /* used 0: the entry is empty */
    int direction;
    unsigned steps;
} stream;

/* Something that happened to a block at a private level: another thread stored to the block, or a
 * reference to the block arrived. The causes of later misses depend on these events. */
typedef struct event {
    uint64_t block;
    bool removal; /* true: another thread stored to the block; false: a reference arrived */
} event;

typedef struct level {
    const rd_cache *is;
    uint64_t blocks, sets, ways;
    way *slots;     /* sets x ways */
    uint8_t *bits;  /* sets x ways: the bit of the tree node whose right side begins at this way */
    uint64_t state; /* state of the random generator */
    stream table[STREAMS];
    uint64_t stream_time;
    uint64_t *stack; /* the blocks that references to this level asked for, each once, most recent
                        first; private levels: scratch memory of distance_since() */
    size_t n_stack;
    uint64_t *lost;  /* the blocks that the level lost, in the order of the losses */
    size_t *lost_at; /* for each lost block, the index of the reference during which it was lost */
    size_t n_lost, room_lost;
    rd_cache_counts *count;
    rd_coherence_counts *coherence; /* NULL: all threads use one hierarchy */
    event *events;                  /* private levels: what happened, in order */
    size_t n_events;
} level;

typedef struct oracle {
    level *levels[RD_CACHES_MAX]; /* the levels that references of the current thread can visit */
    size_t n, outer; /* outer: index of the level after the innermost one, or after L1I and L1D */
    /* The levels of all threads, n for each thread. All threads use the level of thread 0 for a
     * shared cache. NULL: all threads use one hierarchy. */
    level *of_thread;
    size_t n_threads, thread, n_private; /* n_private: number of private levels per thread */
    uint64_t time;
    size_t now; /* index of the reference that is handled */
    cache_oracle_miss *misses;
    size_t n_misses;
} oracle;

#define NOWHERE SIZE_MAX

static uint64_t mix(uint64_t x) {
    x = x ^ (x >> 30);
    x = x * UINT64_C(0xbf58476d1ce4e5b9);
    x = x ^ (x >> 27);
    x = x * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t scaled(uint64_t x, uint64_t n) {
    return (uint64_t)(((unsigned __int128)x * n) >> 64);
}

static size_t next_level(const oracle *o, size_t k) {
    return k < o->outer ? o->outer : k + 1;
}

static way *set_of(level *l, uint64_t b) {
    uint64_t set = l->is->index == RD_INDEX_HASH ? scaled(mix(b), l->sets) : b % l->sets;
    return l->slots + set * l->ways;
}

static uint8_t *bits_of(level *l, const way *set) {
    return l->bits + (set - l->slots);
}

static way *holder(level *l, uint64_t b) {
    way *set = set_of(l, b);
    for (uint64_t i = 0; i < l->ways; i++)
        if (set[i].used && set[i].block == b)
            return &set[i];
    return NULL;
}

/* ---- policies ---- */

static void point_away(uint8_t *bits, uint64_t from, uint64_t n, uint64_t to) {
    if (n < 2)
        return;
    uint64_t right = from + (n + 1) / 2;
    bits[right] = to < right;
    if (to < right)
        point_away(bits, from, right - from, to);
    else
        point_away(bits, right, from + n - right, to);
}

static uint64_t follow(const uint8_t *bits, uint64_t from, uint64_t n) {
    if (n < 2)
        return from;
    uint64_t right = from + (n + 1) / 2;
    return bits[right] ? follow(bits, right, from + n - right) : follow(bits, from, right - from);
}

static void policy_use(oracle *o, level *l, way *set, way *w, bool inserted) {
    w->time = ++o->time;
    w->value = inserted ? 2 : 0;
    point_away(bits_of(l, set), 0, l->ways, (uint64_t)(w - set));
}

static way *oldest(level *l, way *set) {
    way *best = set;
    for (uint64_t i = 1; i < l->ways; i++)
        if (set[i].time < best->time)
            best = &set[i];
    return best;
}

static way *farthest(level *l, way *set) {
    while (true) {
        for (uint64_t i = 0; i < l->ways; i++)
            if (set[i].value == 3)
                return &set[i];
        for (uint64_t i = 0; i < l->ways; i++)
            set[i].value++;
    }
}

static way *policy_victim(level *l, way *set) {
    switch (l->is->policy) {
    case RD_POLICY_PLRU:
        return set + follow(bits_of(l, set), 0, l->ways);
    case RD_POLICY_RRIP:
        return farthest(l, set);
    case RD_POLICY_RANDOM:
        l->state += UINT64_C(0x9e3779b97f4a7c15);
        return set + scaled(mix(l->state), l->ways);
    default:
        return oldest(l, set);
    }
}

/* ---- evictors ---- */

static void lose(const oracle *o, level *l, uint64_t b) {
    if (l->n_lost == l->room_lost) {
        l->room_lost = 2 * l->room_lost + 16;
        l->lost = realloc(l->lost, l->room_lost * sizeof *l->lost);
        l->lost_at = realloc(l->lost_at, l->room_lost * sizeof *l->lost_at);
        if (!l->lost || !l->lost_at)
            abort();
    }
    l->lost[l->n_lost] = b;
    l->lost_at[l->n_lost++] = o->now;
}

static size_t evictor_of(const level *l, uint64_t b) {
    for (size_t i = l->n_lost; i-- > 0;)
        if (l->lost[i] == b)
            return l->lost_at[i];
    return CACHE_ORACLE_NOBODY;
}

/* ---- writes, insertions and removals ---- */

static void write_arrives(oracle *o, size_t k, uint64_t b) {
    for (; k < o->n; k = next_level(o, k)) {
        way *w = holder(o->levels[k], b);
        if (w && o->levels[k]->is->write == RD_WRITE_BACK) {
            w->dirty = true;
            return;
        }
        if (w)
            o->levels[k]->count->writebacks++;
    }
}

static void insert(oracle *o, size_t k, uint64_t b);

/* Returns level k of a thread; for a shared cache, `thread` is 0. */
static level *level_of(const oracle *o, size_t thread, size_t k) {
    return &o->of_thread[thread * o->n + k];
}

/* Removes the victim of inclusive level k from a level inside it. */
static void remove_from(oracle *o, size_t k, level *inner, way *v) {
    way *copy = holder(inner, v->block);
    if (!copy)
        return;
    o->levels[k]->count->invalidations++;
    inner->count->useless += copy->marked;
    inner->count->writebacks += copy->dirty;
    v->dirty = v->dirty || copy->dirty;
    copy->used = false;
    lose(o, inner, v->block);
}

static void remove_inside(oracle *o, size_t k, way *v) {
    for (size_t i = 0; i < k; i++) {
        if (i >= o->n_private || k < o->n_private)
            remove_from(o, k, o->levels[i], v);
        else
            for (size_t t = 0; t < o->n_threads; t++)
                remove_from(o, k, level_of(o, t, i), v);
    }
}

static void dispose(oracle *o, size_t k, way v) {
    rd_cache_counts *count = o->levels[k]->count;
    size_t next = next_level(o, k);
    count->useless += v.marked;
    if (o->levels[k]->is->fill == RD_FILL_INCLUSIVE)
        remove_inside(o, k, &v);
    count->writebacks += v.dirty;
    if (next < o->n && o->levels[next]->is->fill == RD_FILL_EXCLUSIVE &&
        !holder(o->levels[next], v.block))
        insert(o, next, v.block);
    if (v.dirty)
        write_arrives(o, next, v.block);
}

static void insert(oracle *o, size_t k, uint64_t b) {
    level *l = o->levels[k];
    way *set = set_of(l, b), *to = NULL, victim = {0};
    for (uint64_t i = 0; i < l->ways && !to; i++)
        if (!set[i].used)
            to = &set[i];
    if (!to) {
        to = policy_victim(l, set);
        victim = *to;
    }
    *to = (way){.used = true, .block = b};
    policy_use(o, l, set, to, true);
    if (victim.used) {
        lose(o, l, victim.block);
        dispose(o, k, victim);
    }
}

/* ---- private caches of threads ---- */

/* Returns the largest number of blocks that were present at one moment after event `from`. A block,
 * other than that of the event, is present from a reference after the event until it is removed.
 * `present` is scratch memory for the blocks. */
static size_t distance_since(const level *l, size_t from, uint64_t *present) {
    size_t n = 0, most = 0;
    for (size_t i = from + 1; i < l->n_events; i++) {
        const event *e = &l->events[i];
        size_t at = 0;
        while (at < n && present[at] != e->block)
            at++;
        if (e->removal && at < n)
            present[at] = present[--n];
        else if (!e->removal && at == n && e->block != l->events[from].block)
            present[n++] = e->block;
        most = n > most ? n : most;
    }
    return most;
}

/* Counts the cause of a miss of a private level, or a far hit, and appends the reference to the
 * events of the level. */
static void classify_private(level *l, uint64_t b, bool miss) {
    size_t from = l->n_events;
    bool removed = false;
    while (from > 0 && (l->events[from - 1].removal || l->events[from - 1].block != b)) {
        from--;
        removed = removed || l->events[from].block == b;
    }
    bool cold = from == 0,
         far = cold || removed || distance_since(l, from - 1, l->stack) >= l->blocks;
    if (!miss)
        l->count->far_hits += far;
    else if (cold)
        l->count->cold++;
    else if (removed)
        l->coherence->coherence++;
    else if (far)
        l->count->capacity++;
    else
        l->count->conflict++;
    l->events[l->n_events++] = (event){.block = b};
}

static bool has_block(const oracle *o, size_t thread, uint64_t b) {
    for (size_t k = 0; k < o->n_private; k++)
        if (holder(level_of(o, thread, k), b))
            return true;
    return false;
}

static bool has_dirty(const oracle *o, size_t thread, uint64_t b) {
    for (size_t k = 0; k < o->n_private; k++) {
        const way *w = holder(level_of(o, thread, k), b);
        if (w && w->dirty)
            return true;
    }
    return false;
}

static void remove_copies(oracle *o, size_t thread, uint64_t b) {
    for (size_t k = 0; k < o->n_private; k++) {
        level *l = level_of(o, thread, k);
        way *w = holder(l, b);
        l->events[l->n_events++] = (event){.block = b, .removal = true};
        if (!w)
            continue;
        l->coherence->removals++;
        l->count->useless += w->marked;
        w->used = false;
    }
}

static void clean_copies(oracle *o, size_t thread, uint64_t b) {
    for (size_t k = 0; k < o->n_private; k++) {
        level *l = level_of(o, thread, k);
        way *w = holder(l, b);
        if (!w || !w->dirty)
            continue;
        w->dirty = false;
        l->count->writebacks++;
    }
}

typedef enum purpose { TO_LOAD, TO_STORE, TO_PREFETCH } purpose;

/* Performs the step "Coherence" after the levels path[0] to path[n - 1] missed and level h hit
 * (NOWHERE: none did). */
static void cohere(oracle *o, const size_t *path, size_t n, size_t h, uint64_t b, purpose why) {
    bool leaves = h == NOWHERE || h >= o->n_private, others = false, dirty = false;
    for (size_t t = 0; t < o->n_threads; t++) {
        others = others || (t != o->thread && has_block(o, t, b));
        dirty = dirty || (t != o->thread && has_dirty(o, t, b));
    }
    if (why == TO_STORE && !leaves && others)
        o->levels[h]->coherence->upgrades++;
    for (size_t i = 0; i < n && why != TO_PREFETCH; i++)
        if (leaves && others && (dirty || h == NOWHERE)) {
            o->levels[path[i]]->coherence->transfers++;
            o->levels[path[i]]->coherence->dirty_transfers += dirty;
        }
    for (size_t t = 0; t < o->n_threads; t++)
        if (t != o->thread && why == TO_STORE)
            remove_copies(o, t, b);
        else if (t != o->thread && leaves)
            clean_copies(o, t, b);
    if (why != TO_STORE && leaves && dirty)
        write_arrives(o, o->n_private, b);
}

/* ---- one reference ---- */

/* Loads b into the levels `path[0]` to `path[n - 1]`, which missed, after level h hit (NOWHERE:
 * memory). */
static void load(oracle *o, const size_t *path, size_t n, size_t h, uint64_t b) {
    bool dirty = false;
    if (h != NOWHERE) {
        level *l = o->levels[h];
        way *w = holder(l, b);
        policy_use(o, l, set_of(l, b), w, false);
        if (l->is->fill == RD_FILL_EXCLUSIVE) {
            dirty = w->dirty;
            l->count->useless += w->marked;
            w->used = false;
        }
    }
    for (size_t i = n; i-- > 0;) {
        if (o->levels[path[i]]->is->fill == RD_FILL_EXCLUSIVE)
            continue;
        insert(o, path[i], b);
        if (dirty)
            write_arrives(o, path[i], b);
        dirty = false;
    }
}

static void prefetch(oracle *o, size_t k, uint64_t b) {
    size_t path[RD_CACHES_MAX], n = 0, h = k;
    if (holder(o->levels[k], b))
        return;
    o->levels[k]->count->prefetches++;
    while (h < o->n && !holder(o->levels[h], b)) {
        path[n++] = h;
        h = next_level(o, h);
    }
    if (o->of_thread && k < o->n_private)
        cohere(o, path, n, h < o->n ? h : NOWHERE, b, TO_PREFETCH);
    load(o, path, n, h < o->n ? h : NOWHERE, b);
    holder(o->levels[k], b)->marked = true;
}

/* Prefetches the block `steps` blocks from b in this direction, if there is such a block. */
static void prefetch_from(oracle *o, size_t k, uint64_t b, int direction, uint64_t steps) {
    if (direction > 0 ? b <= UINT64_MAX - steps : b >= steps)
        prefetch(o, k, direction > 0 ? b + steps : b - steps);
}

/* Returns 1 if b is 1 to 4 blocks above `last`, -1 if it is 1 to 4 blocks below, otherwise 0. */
static int near(uint64_t last, uint64_t b) {
    if (b > last && b - last <= 4)
        return 1;
    return b < last && last - b <= 4 ? -1 : 0;
}

static bool matches(const stream *s, uint64_t b) {
    int direction = near(s->last, b);
    return b == s->last || (direction && (s->direction == 0 || s->direction == direction));
}

static void train_stream(oracle *o, size_t k, uint64_t b) {
    level *l = o->levels[k];
    stream *found = NULL, *old = &l->table[0];
    for (size_t i = 0; i < STREAMS; i++) {
        stream *s = &l->table[i];
        if (s->used && matches(s, b) && (!found || s->used > found->used))
            found = s;
        if (s->used < old->used)
            old = s;
    }
    if (!found) {
        *old = (stream){.last = b, .used = ++l->stream_time};
        return;
    }
    found->used = ++l->stream_time;
    if (b == found->last)
        return;
    found->direction = near(found->last, b);
    found->steps++;
    found->last = b;
    if (found->steps >= 2)
        for (uint64_t i = 1; i <= 4; i++)
            prefetch_from(o, k, b, found->direction, i);
}

static void train(oracle *o, size_t k, uint64_t b) {
    if (o->levels[k]->is->prefetch == RD_PREFETCH_NEXT)
        prefetch_from(o, k, b, 1, 1);
    if (o->levels[k]->is->prefetch == RD_PREFETCH_STREAM)
        train_stream(o, k, b);
}

static void note_miss(oracle *o, size_t k, uint64_t b, rd_miss_cause cause) {
    if (o->misses)
        o->misses[o->n_misses++] =
            (cache_oracle_miss){o->now, k, cause, evictor_of(o->levels[k], b)};
}

/* Counts the cause of a miss and notes the miss, or counts a far hit. Makes b the most recent block
 * of the level's stack. */
static void classify(oracle *o, size_t k, uint64_t b, bool miss) {
    level *l = o->levels[k];
    size_t at = 0;
    while (at < l->n_stack && l->stack[at] != b)
        at++;
    bool cold = at == l->n_stack, far = cold || at >= l->blocks;
    if (miss && cold)
        l->count->cold++;
    else if (miss && far)
        l->count->capacity++;
    else if (miss)
        l->count->conflict++;
    else if (far)
        l->count->far_hits++;
    if (miss)
        note_miss(o, k, b, cold ? RD_CAUSE_COLD : far ? RD_CAUSE_CAPACITY : RD_CAUSE_CONFLICT);
    l->n_stack += cold;
    memmove(l->stack + 1, l->stack, at * sizeof *l->stack);
    l->stack[0] = b;
}

static void reference(oracle *o, size_t first, uint64_t b, bool store) {
    size_t path[RD_CACHES_MAX] = {0}, n = 0, k = first;
    bool trains_hit = false;
    for (; k < o->n; k = next_level(o, k)) {
        level *l = o->levels[k];
        way *w = holder(l, b);
        l->count->references++;
        l->count->misses += !w;
        if (l->events)
            classify_private(l, b, !w);
        else
            classify(o, k, b, !w);
        if (w) {
            trains_hit = w->marked;
            l->count->useful += w->marked;
            w->marked = false;
            break;
        }
        path[n++] = k;
    }
    if (o->of_thread)
        cohere(o, path, n, k < o->n ? k : NOWHERE, b, store ? TO_STORE : TO_LOAD);
    load(o, path, n, k < o->n ? k : NOWHERE, b);
    if (store)
        write_arrives(o, first, b);
    for (size_t i = 0; i < n; i++)
        train(o, path[i], b);
    if (trains_hit)
        train(o, k, b);
}

/* ---- the whole ---- */

static void *zeroed(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p)
        abort();
    return p;
}

static void begin_level(level *l, const rd_cache *is, uint64_t block_bytes, size_t references) {
    *l = (level){.is = is, .state = is->seed};
    l->blocks = is->bytes / (block_bytes ? block_bytes : 1);
    l->ways = is->ways ? is->ways : l->blocks;
    l->sets = l->blocks / l->ways;
    l->slots = zeroed(l->blocks, sizeof *l->slots);
    l->bits = zeroed(l->blocks, 1);
    l->stack = zeroed(references + 1, sizeof *l->stack);
}

static void end_level(level *l) {
    free(l->slots);
    free(l->bits);
    free(l->stack);
    free(l->lost);
    free(l->lost_at);
    free(l->events);
}

/* Sets the indices of the levels at which data references and fetches arrive, and o->outer. */
static void find_first(oracle *o, const rd_hierarchy *h, size_t *data, size_t *fetches) {
    bool split =
        h->n > 1 && ((!strcmp(h->cache[0].name, "L1I") && !strcmp(h->cache[1].name, "L1D")) ||
                     (!strcmp(h->cache[0].name, "L1D") && !strcmp(h->cache[1].name, "L1I")));
    *fetches = split && strcmp(h->cache[0].name, "L1I") != 0;
    *data = split && !*fetches;
    o->outer = split ? 2 : 1;
}

size_t cache_oracle_run(const rd_hierarchy *h, uint64_t block_bytes, const uint64_t *blocks,
                        const uint8_t *kinds, size_t n, rd_cache_counts *counts,
                        cache_oracle_miss *misses) {
    level levels[RD_CACHES_MAX];
    oracle o = {.n = h->n, .misses = misses};
    size_t data, fetches;
    find_first(&o, h, &data, &fetches);
    for (size_t k = 0; k < h->n; k++) {
        begin_level(&levels[k], &h->cache[k], block_bytes, n);
        o.levels[k] = &levels[k];
        levels[k].count = &counts[k];
        counts[k] = (rd_cache_counts){0};
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t kind = kinds ? kinds[i] : RD_LOAD;
        o.now = i;
        reference(&o, kind == RD_FETCH ? fetches : data, blocks[i], kind == RD_STORE);
    }
    for (size_t k = 0; k < h->n; k++)
        end_level(&levels[k]);
    return o.n_misses;
}

/* Chooses the levels and the counters that the references of `thread` use. `counts` has an element
 * for each thread and cache. */
static void choose_thread(oracle *o, size_t thread, rd_level_counts *counts) {
    o->thread = thread;
    for (size_t k = 0; k < o->n; k++) {
        o->levels[k] = level_of(o, k < o->n_private ? thread : 0, k);
        o->levels[k]->count = &counts[thread * o->n + k].cache;
        o->levels[k]->coherence = &counts[thread * o->n + k].coherence;
    }
}

void cache_oracle_run_private(const rd_hierarchy *h, uint64_t block_bytes,
                              const cache_oracle_reference *refs, size_t n, size_t n_threads,
                              rd_level_counts *counts) {
    oracle o = {.n = h->n, .n_threads = n_threads};
    size_t data, fetches;
    find_first(&o, h, &data, &fetches);
    while (o.n_private < h->n && !h->cache[o.n_private].shared)
        o.n_private++;
    o.of_thread = zeroed(n_threads * h->n, sizeof *o.of_thread);
    memset(counts, 0, n_threads * h->n * sizeof *counts);
    for (size_t t = n_threads; t-- > 0;) {
        for (size_t k = 0; k < h->n; k++) {
            begin_level(level_of(&o, t, k), &h->cache[k], block_bytes, n);
            if (k < o.n_private)
                level_of(&o, t, k)->events = zeroed(n + 1, sizeof(event));
        }
        choose_thread(&o, t, counts);
    }
    for (size_t i = 0; i < n; i++) {
        o.now = i;
        choose_thread(&o, refs[i].thread, counts);
        reference(&o, refs[i].kind == RD_FETCH ? fetches : data, refs[i].block,
                  refs[i].kind == RD_STORE);
    }
    for (size_t i = 0; i < n_threads * h->n; i++)
        end_level(&o.of_thread[i]);
    free(o.of_thread);
}
