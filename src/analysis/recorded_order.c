/* Implements the count of coherence misses in recorded order. See recorded_order.h. */
#include "analysis/recorded_order.h"

#include <string.h>

/* A block, the set of threads of a group that have the block (`has`), and the set of threads of the
 * group that have lost it through a store of another thread (`lost`). Each thread is one bit. */
typedef struct shared_block {
    uint64_t block, has, lost; /* if `has` and `lost` are both 0, the entry is free */
} shared_block;

typedef struct known_thread {
    uint64_t thread; /* process and thread number */
    size_t index;    /* threads have indices in the order of their first references */
} known_thread;

/* The blocks that the GROUP_THREADS threads of a group have or have lost. */
#define GROUP_THREADS 64
typedef struct thread_group {
    shared_block *table;
    size_t n, room;
} thread_group;

#define RECENT 256 /* number of blocks whose last reference is remembered */

/* A block that a thread has referenced in one stretch. Until the stretch ends, further loads of the block
 * change nothing, and neither do further stores if the thread has stored to the block. */
typedef struct recent_block {
    uint64_t block;
    uint64_t stretch; /* number of the stretch; 0: none */
    bool stored;
} recent_block;

struct rdi_recorded_order {
    rd_ctx *ctx;
    rd_mapper *mapper;
    bool processes;
    known_thread *threads; /* in ascending order of process and thread number */
    size_t n_threads, threads_room;
    thread_group *groups; /* the thread of an index belongs to group index / GROUP_THREADS */
    size_t n_groups, groups_room;
    uint64_t misses;
    /* A stretch: consecutive references of one thread. */
    uint64_t stretch; /* number of the current stretch, from 1 */
    uint64_t thread;  /* process and thread number of its thread */
    size_t group;     /* group of its thread */
    uint64_t bit;     /* bit of its thread in the group; 0: there was no reference yet */
    recent_block recent[RECENT];
};

rd_status rdi_recorded_order_new(rd_ctx *ctx, const rd_mapping *mapping, bool processes,
                                 rdi_recorded_order **out) {
    rdi_recorded_order *r = rdi_calloc(ctx, 1, sizeof *r);
    if (!r)
        return RD_ENOMEM;
    rd_mapping own = *mapping;
    own.origins = true;
    r->ctx = ctx;
    r->processes = processes;
    rd_status status = rd_mapper_new(ctx, &own, &r->mapper);
    if (status == RD_OK)
        *out = r;
    else
        rdi_recorded_order_free(r);
    return status;
}

void rdi_recorded_order_free(rdi_recorded_order *r) {
    if (!r)
        return;
    rd_mapper_free(r->mapper);
    rdi_free(r->ctx, r->threads);
    for (size_t g = 0; g < r->n_groups; g++)
        rdi_free(r->ctx, r->groups[g].table);
    rdi_free(r->ctx, r->groups);
    rdi_free(r->ctx, r);
}

uint64_t rdi_recorded_order_misses(const rdi_recorded_order *r) {
    return r->misses;
}

static rd_status add_group(rdi_recorded_order *r) {
    if (r->n_groups == r->groups_room) {
        thread_group *grown = rdi_grow(r->ctx, r->groups, &r->groups_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        r->groups = grown;
    }
    thread_group group = {.room = 1024};
    group.table = rdi_calloc(r->ctx, group.room, sizeof *group.table);
    if (!group.table)
        return RD_ENOMEM;
    r->groups[r->n_groups++] = group;
    return RD_OK;
}

/* Adds a thread at index `at` of the array of threads. */
static rd_status add_thread(rdi_recorded_order *r, size_t at, uint64_t thread) {
    if (r->n_threads == r->threads_room) {
        known_thread *grown = rdi_grow(r->ctx, r->threads, &r->threads_room, sizeof *grown);
        if (!grown)
            return RD_ENOMEM;
        r->threads = grown;
    }
    if (r->n_threads == r->n_groups * GROUP_THREADS)
        RD_TRY(add_group(r));
    memmove(r->threads + at + 1, r->threads + at, (r->n_threads - at) * sizeof *r->threads);
    r->threads[at] = (known_thread){thread, r->n_threads};
    r->n_threads++;
    return RD_OK;
}

/* Sets *index to the index of a thread, and adds the thread if it is new. */
static rd_status find_thread(rdi_recorded_order *r, uint64_t thread, size_t *index) {
    size_t low = 0, high = r->n_threads;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->threads[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == r->n_threads || r->threads[low].thread != thread)
        RD_TRY(add_thread(r, low, thread));
    *index = r->threads[low].index;
    return RD_OK;
}

/* Begins a new stretch if reference `i` belongs to another thread than the reference before. */
static rd_status follow_thread(rdi_recorded_order *r, const rd_refs *refs, size_t i) {
    size_t index = 0;
    uint64_t thread =
        rdi_thread_key(r->processes, refs->addr[i], refs->thread ? refs->thread[i] : 0);
    if (r->bit && thread == r->thread)
        return RD_OK;
    RD_TRY(find_thread(r, thread, &index));
    r->thread = thread;
    r->group = index / GROUP_THREADS;
    r->bit = UINT64_C(1) << index % GROUP_THREADS;
    r->stretch++;
    return RD_OK;
}

/* Returns whether a reference is known to change nothing. Otherwise remembers the reference. */
static bool is_repeat(rdi_recorded_order *r, uint64_t block, bool store) {
    recent_block *last = &r->recent[block % RECENT];
    bool same = last->block == block && last->stretch == r->stretch;
    if (same && (last->stored || !store))
        return true;
    *last = (recent_block){block, r->stretch, store};
    return false;
}

static shared_block *find(shared_block *table, size_t room, uint64_t block) {
    size_t at = (size_t)rdi_mix64(block) & (room - 1);
    while ((table[at].has | table[at].lost) && table[at].block != block)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static rd_status grow(rdi_recorded_order *r, thread_group *g) {
    shared_block *table = rdi_calloc(r->ctx, 2 * g->room, sizeof *table);
    if (!table)
        return RD_ENOMEM;
    for (size_t i = 0; i < g->room; i++)
        if (g->table[i].has | g->table[i].lost)
            *find(table, 2 * g->room, g->table[i].block) = g->table[i];
    rdi_free(r->ctx, g->table);
    g->table = table;
    g->room *= 2;
    return RD_OK;
}

/* Removes a block from all threads of the other groups. */
static void remove_elsewhere(rdi_recorded_order *r, uint64_t block) {
    for (size_t g = 0; g < r->n_groups; g++) {
        if (g == r->group)
            continue;
        shared_block *b = find(r->groups[g].table, r->groups[g].room, block);
        b->lost |= b->has;
        b->has = 0;
    }
}

/* Counts a reference of the current thread. */
static rd_status count(rdi_recorded_order *r, uint64_t block, bool store) {
    thread_group *g = &r->groups[r->group];
    uint64_t bit = r->bit;
    if (2 * g->n >= g->room)
        RD_TRY(grow(r, g));
    shared_block *b = find(g->table, g->room, block);
    g->n += !(b->has | b->lost);
    b->block = block;
    r->misses += (b->lost & bit) != 0;
    b->lost &= ~bit;
    if (store) {
        b->lost |= b->has & ~bit;
        b->has = bit;
        remove_elsewhere(r, block);
    } else {
        b->has |= bit;
    }
    return RD_OK;
}

rd_status rdi_recorded_order_feed(void *self, const rd_refs *refs) {
    rdi_recorded_order *r = self;
    rd_mapper_feed(r->mapper, refs);
    while (true) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        RD_TRY(rd_mapper_next(r->mapper, &blocks, &n));
        const uint32_t *origins = rd_mapper_origins(r->mapper);
        for (size_t i = 0; i < n; i++) {
            bool store = refs->kind && refs->kind[origins[i]] & RD_STORE;
            RD_TRY(follow_thread(r, refs, origins[i]));
            if (!is_repeat(r, blocks[i], store))
                RD_TRY(count(r, blocks[i], store));
        }
        if (n == 0)
            break;
    }
    return RD_OK;
}
