/* Implements the count of coherence misses in recorded order. See recorded_order.h. */
#include "analysis/recorded_order.h"

#include "reusedist/profile.h"

#include <string.h>

/* A block, the set of threads that have it (`has`), and the set of threads that have lost it through a
 * store of another thread (`lost`). Each thread is one bit. */
typedef struct shared_block {
    uint64_t block, has, lost; /* if `has` and `lost` are both 0, the entry is free */
} shared_block;

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
    uint64_t threads[RDI_RECORDED_THREADS]; /* process and thread numbers */
    size_t n_threads;
    bool too_many; /* true: there are more than RDI_RECORDED_THREADS threads */
    shared_block *table;
    size_t n, room;
    uint64_t misses;
    /* A stretch: consecutive references of one thread. */
    uint64_t stretch; /* number of the current stretch, from 1 */
    uint64_t thread;  /* process and thread number of its thread */
    uint64_t bit;     /* bit of its thread; 0: none */
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
    r->room = 1024;
    r->table = rdi_calloc(ctx, r->room, sizeof *r->table);
    rd_status status = r->table ? rd_mapper_new(ctx, &own, &r->mapper) : RD_ENOMEM;
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
    rdi_free(r->ctx, r->table);
    rdi_free(r->ctx, r);
}

uint64_t rdi_recorded_order_misses(const rdi_recorded_order *r) {
    return r->too_many ? RD_UNKNOWN : r->misses;
}

/* Returns the bit of a thread, or 0 if there are too many threads. */
static uint64_t bit_of(rdi_recorded_order *r, uint64_t thread) {
    size_t at = 0;
    while (at < r->n_threads && r->threads[at] != thread)
        at++;
    if (at == RDI_RECORDED_THREADS) {
        r->too_many = true;
        return 0;
    }
    if (at == r->n_threads)
        r->threads[r->n_threads++] = thread;
    return UINT64_C(1) << at;
}

/* Begins a new stretch if reference `i` belongs to another thread than the reference before. */
static void follow_thread(rdi_recorded_order *r, const rd_refs *refs, size_t i) {
    uint64_t process = r->processes ? refs->addr[i] >> 48 : 0;
    uint64_t thread = process << 32 | (refs->thread ? refs->thread[i] : 0);
    if (r->bit && thread == r->thread)
        return;
    r->thread = thread;
    r->bit = bit_of(r, thread);
    r->stretch++;
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

static rd_status grow(rdi_recorded_order *r) {
    shared_block *table = rdi_calloc(r->ctx, 2 * r->room, sizeof *table);
    if (!table)
        return RD_ENOMEM;
    for (size_t i = 0; i < r->room; i++)
        if (r->table[i].has | r->table[i].lost)
            *find(table, 2 * r->room, r->table[i].block) = r->table[i];
    rdi_free(r->ctx, r->table);
    r->table = table;
    r->room *= 2;
    return RD_OK;
}

static rd_status count(rdi_recorded_order *r, uint64_t block, uint64_t bit, bool store) {
    if (2 * r->n >= r->room)
        RD_TRY(grow(r));
    shared_block *b = find(r->table, r->room, block);
    r->n += !(b->has | b->lost);
    b->block = block;
    r->misses += (b->lost & bit) != 0;
    b->lost &= ~bit;
    if (store) {
        b->lost |= b->has & ~bit;
        b->has = bit;
    } else {
        b->has |= bit;
    }
    return RD_OK;
}

rd_status rdi_recorded_order_feed(void *self, const rd_refs *refs) {
    rdi_recorded_order *r = self;
    rd_mapper_feed(r->mapper, refs);
    while (!r->too_many) {
        const uint64_t *blocks = NULL;
        size_t n = 0;
        RD_TRY(rd_mapper_next(r->mapper, &blocks, &n));
        const uint32_t *origins = rd_mapper_origins(r->mapper);
        for (size_t i = 0; i < n; i++) {
            bool store = refs->kind && refs->kind[origins[i]] & RD_STORE;
            follow_thread(r, refs, origins[i]);
            if (r->bit && !is_repeat(r, blocks[i], store))
                RD_TRY(count(r, blocks[i], r->bit, store));
        }
        if (n == 0)
            break;
    }
    return RD_OK;
}
