/* Defines the inner functions of HP-RDA, which threads and CUDA share.
 *
 * The trace is divided into chunks, one per thread. A thread finds the distances inside its chunk,
 * and two numbers for every block in it: `first`, the number of distinct blocks before its first
 * reference, and `latest`, the number of distinct blocks after its last reference. A hash table
 * maps each block to the list of its numbers and so merges the chunks. The distance from chunk i to
 * a later chunk j is latest(i) + the distinct blocks of every chunk in between + first(j); this
 * counts a block more than once if several chunks contain it. One level up, groups of merged chunks
 * are merged in the same way.
 */
#ifndef RDI_HPRDA_CORE_H
#define RDI_HPRDA_CORE_H

#include "engine/core/both.h"

#define RDI_RDA_COLD UINT64_MAX /* the distance as long as no earlier reference was found */

RDI_BOTH uint64_t rdi_rda_hash(uint64_t block) {
    uint64_t x = (block ^ block >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* ---- inside a chunk ---- */

/* A thread's private memory. `seen` and `live` must be zero before a chunk is analyzed. */
typedef struct rdi_rda_local {
    uint32_t *seen;   /* hash table: position of a block's last reference, from 1; 0: free */
    uint32_t slots;   /* number of slots in the hash table: a power of two above the number of
                         references in the chunk */
    uint64_t *live;   /* one bit per reference, set if no later reference is to the same block */
    uint32_t *origin; /* per live reference: position of the first reference to the same block */
} rdi_rda_local;

RDI_BOTH uint32_t rdi_rda_popcount(uint64_t x) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(x);
#else
    return (uint32_t)__builtin_popcountll(x);
#endif
}

/* Returns the number of set bits in [from, to). `from` must be below `to`. */
RDI_BOTH uint32_t rdi_rda_count(const uint64_t *bits, uint32_t from, uint32_t to) {
    uint32_t a = from / 64, b = (to - 1) / 64;
    uint64_t head = ~UINT64_C(0) << from % 64, tail = ~UINT64_C(0) >> (63 - (to - 1) % 64);
    if (a == b)
        return rdi_rda_popcount(bits[a] & head & tail);
    uint32_t n = rdi_rda_popcount(bits[a] & head) + rdi_rda_popcount(bits[b] & tail);
    for (uint32_t i = a + 1; i < b; i++)
        n += rdi_rda_popcount(bits[i]);
    return n;
}

/* Returns the slot of `block` in the hash table, or the free slot where it belongs. */
RDI_BOTH uint32_t rdi_rda_find(const rdi_rda_local *l, const uint64_t *chunk, uint64_t block) {
    uint32_t s = (uint32_t)rdi_rda_hash(block) & (l->slots - 1);
    while (l->seen[s] && chunk[l->seen[s] - 1] != block)
        s = (s + 1) & (l->slots - 1);
    return s;
}

/* Computes the distances of n references. The distance of a first reference becomes RDI_RDA_COLD
 * minus the number of distinct blocks before it, until rdi_rda_summarize() replaces it. Returns the
 * number of distinct blocks. */
RDI_BOTH uint32_t rdi_rda_analyze(const rdi_rda_local *l, const uint64_t *chunk, uint32_t n,
                                  uint64_t *dist) {
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *slot = &l->seen[rdi_rda_find(l, chunk, chunk[i])];
        if (*slot) {
            uint32_t last = *slot - 1;
            l->live[last / 64] &= ~(UINT64_C(1) << last % 64);
            dist[i] = last + 1 < i ? rdi_rda_count(l->live, last + 1, i) : 0;
            l->origin[i] = l->origin[last];
        } else {
            dist[i] = RDI_RDA_COLD - distinct++;
            l->origin[i] = i;
        }
        l->live[i / 64] |= UINT64_C(1) << i % 64;
        *slot = i + 1;
    }
    return distinct;
}

/* ---- between chunks ---- */

/* The data about one block in one chunk or, one level up, in one group. Items refer to other items
 * by number, from 1; 0 means none. */
typedef struct rdi_rda_item {
    uint64_t block;
    uint32_t chain; /* next item in the same bucket that represents a block */
    uint32_t list;  /* if this item represents its block, the list of all items of the block;
                       otherwise 0 */
    uint32_t next;  /* next item of the same block, in that list */
    uint32_t unit;  /* index of the chunk or group */
    uint32_t first, latest;
    uint32_t at; /* position of the first reference, counted from the beginning of the round */
} rdi_rda_item;

/* A hash table. Its items come from a pool of fixed size. */
typedef struct rdi_rda_table {
    rdi_rda_item *item;
    uint32_t *bucket;   /* initially zeroed */
    uint32_t n_buckets; /* a power of two */
    uint32_t room;      /* number of elements in the pool */
    uint32_t *used;     /* number of used elements; if it is above `room`, some items did not fit */
    uint32_t *distinct; /* number of distinct blocks */
} rdi_rda_table;

/* Searches a bucket from item `from` on, up to but not including item `until`. Returns the item
 * that represents the block, or 0 if there is none. */
RDI_BOTH uint32_t rdi_rda_search(const rdi_rda_table *t, uint32_t from, uint32_t until,
                                 uint64_t block) {
    while (from != until && ((const volatile rdi_rda_item *)t->item)[from - 1].block != block)
        from = ((const volatile rdi_rda_item *)t->item)[from - 1].chain;
    return from == until ? 0 : from;
}

/* Inserts an item. Many threads may call this function at the same time, without locks. Returns
 * false if the pool is full. */
RDI_BOTH bool rdi_rda_insert(const rdi_rda_table *t, rdi_rda_item item) {
    uint32_t mine = rdi_shared_add(t->used, 1) + 1;
    if (mine > t->room)
        return false;
    uint32_t *bucket = &t->bucket[rdi_rda_hash(item.block) >> 32 & (t->n_buckets - 1)];
    uint32_t head = rdi_shared_load(bucket), until = 0, found = 0;
    rdi_rda_item *self = &t->item[mine - 1];
    *self = item;
    self->next = 0;
    while (!(found = rdi_rda_search(t, head, until, item.block))) {
        self->chain = head; /* this item represents its block unless another thread is first */
        self->list = mine;
        if (rdi_shared_exchange(bucket, head, mine)) {
            rdi_shared_add(t->distinct, 1);
            return true;
        }
        until = head;
        head = rdi_shared_load(bucket);
    }
    self->list = 0;
    uint32_t *list = &t->item[found - 1].list;
    do {
        self->next = rdi_shared_load(list);
    } while (!rdi_shared_exchange(list, self->next, mine));
    return true;
}

/* Inserts an item for every block of an analyzed chunk, and sets the distance of each first
 * reference to RDI_RDA_COLD. `unit` is the index of the chunk, and `at` is its position in the
 * round. Returns false if the pool is full. */
RDI_BOTH bool rdi_rda_summarize(const rdi_rda_local *l, const uint64_t *chunk, uint32_t n,
                                uint32_t unit, uint32_t at, uint64_t *dist,
                                const rdi_rda_table *t) {
    uint32_t behind = 0;
    bool fits = true;
    for (uint32_t i = n; i-- > 0;) {
        if (!(l->live[i / 64] >> i % 64 & 1))
            continue;
        uint32_t origin = l->origin[i];
        rdi_rda_item item = {chunk[i], 0, 0, 0, unit, 0, behind++, at + origin};
        item.first = (uint32_t)(RDI_RDA_COLD - dist[origin]);
        dist[origin] = RDI_RDA_COLD;
        fits &= rdi_rda_insert(t, item);
    }
    return fits;
}

/* Sorts the items of one block by chunk or group, and returns the sorted list. It uses an insertion
 * sort, because lists are short or nearly in reverse order, which is the best case. */
RDI_BOTH uint32_t rdi_rda_sort(rdi_rda_item *item, uint32_t list) {
    uint32_t sorted = 0;
    while (list) {
        uint32_t one = list, *place = &sorted;
        list = item[one - 1].next;
        while (*place && item[*place - 1].unit < item[one - 1].unit)
            place = &item[*place - 1].next;
        item[one - 1].next = *place;
        *place = one;
    }
    return sorted;
}

/* One level of merging. before[i] is the sum of the numbers of distinct blocks in all chunks or
 * groups before i. */
typedef struct rdi_rda_level {
    const uint32_t *before; /* n_units + 1 numbers */
    uint32_t n_units;
    uint32_t distinct; /* number of distinct blocks in all chunks or groups together */
    bool adjust;
} rdi_rda_level;

/* Applies formula 2 of the paper. A distance above the number of blocks counts some blocks more
 * than once, so it is divided by the average number of times that a block is counted. */
RDI_BOTH uint64_t rdi_rda_adjust(uint64_t d, uint64_t distinct, uint64_t counted) {
    return d > distinct ? (uint64_t)((double)d * ((double)distinct / (double)counted)) : d;
}

RDI_BOTH uint64_t rdi_rda_estimate(const rdi_rda_level *level, uint64_t d) {
    return level->adjust ? rdi_rda_adjust(d, level->distinct, level->before[level->n_units]) : d;
}

/* Merges the items of one block: writes the distances between the chunks or groups of the items to
 * `dist`, and the data about the block in all these chunks or groups together to *out. */
RDI_BOTH void rdi_rda_merge(const rdi_rda_level *level, rdi_rda_item *item, uint32_t list,
                            uint64_t *dist, rdi_rda_item *out) {
    const uint32_t *before = level->before;
    const rdi_rda_item *i = &item[(list = rdi_rda_sort(item, list)) - 1];
    out->block = i->block;
    out->at = i->at;
    out->first = (uint32_t)rdi_rda_estimate(level, (uint64_t)before[i->unit] + i->first);
    while (i->next) {
        const rdi_rda_item *j = &item[i->next - 1];
        uint64_t between = before[j->unit] - before[i->unit + 1];
        dist[j->at] = rdi_rda_estimate(level, i->latest + between + j->first);
        i = j;
    }
    uint64_t behind = before[level->n_units] - before[i->unit + 1];
    out->latest = (uint32_t)rdi_rda_estimate(level, i->latest + behind);
}

#endif
