/* Implements the oracle for private caches. See sharing_oracle.h. */
#include "support/sharing_oracle.h"

#include "reusedist/engine.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Returns the index of the last reference of thread t to block b before reference i, or NONE. */
static size_t previous(const oracle_reference *refs, uint32_t t, uint64_t b, size_t i) {
    while (i-- > 0)
        if (refs[i].thread == t && refs[i].block == b)
            return i;
    return NONE;
}

/* Returns whether a thread other than t stores to block b after reference i and before reference j. */
static bool is_lost(const oracle_reference *refs, uint32_t t, uint64_t b, size_t i, size_t j) {
    for (size_t k = i + 1; k < j; k++)
        if (refs[k].thread != t && refs[k].block == b && refs[k].store)
            return true;
    return false;
}

/* Returns the number of blocks, other than that of reference i, that the thread of reference i has referenced
 * after it and that are still present just before reference `moment`. */
static uint64_t count_present(const oracle_reference *refs, size_t i, size_t moment) {
    uint64_t n = 0;
    uint32_t t = refs[i].thread;
    for (size_t k = i + 1; k < moment; k++)
        if (refs[k].thread == t && refs[k].block != refs[i].block &&
            previous(refs, t, refs[k].block, moment) == k &&
            !is_lost(refs, t, refs[k].block, k, moment))
            n++;
    return n;
}

static uint64_t distance_of(const oracle_reference *refs, size_t i) {
    size_t last = previous(refs, refs[i].thread, refs[i].block, i);
    uint64_t most = 0;
    if (last == NONE)
        return RD_COLD;
    if (is_lost(refs, refs[i].thread, refs[i].block, last, i))
        return RD_MISS_COHERENCE;
    for (size_t moment = last + 1; moment <= i; moment++) {
        uint64_t present = count_present(refs, last, moment);
        most = present > most ? present : most;
    }
    return most;
}

static bool overlap(const oracle_reference *a, const oracle_reference *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Returns whether the coherence miss i is true sharing. */
static bool is_true(const oracle_reference *refs, size_t n, size_t i) {
    const oracle_reference *miss = &refs[i];
    size_t last = previous(refs, miss->thread, miss->block, i);
    for (size_t j = i; j < n; j++) {
        if (refs[j].block != miss->block)
            continue;
        if (refs[j].thread != miss->thread) {
            if (refs[j].store)
                return false; /* the block is removed from the thread's cache */
            continue;
        }
        for (size_t k = last + 1; k < i; k++)
            if (refs[k].thread != miss->thread && refs[k].store && refs[k].block == miss->block &&
                overlap(&refs[k], &refs[j]))
                return true;
    }
    return false;
}

void oracle_private(const oracle_reference *refs, size_t n, uint64_t *distances,
                    oracle_sharing *sharing) {
    for (size_t i = 0; i < n; i++) {
        distances[i] = distance_of(refs, i);
        sharing[i] = distances[i] != RD_MISS_COHERENCE ? ORACLE_NO_MISS
                     : is_true(refs, n, i)             ? ORACLE_TRUE
                                                       : ORACLE_FALSE;
    }
}

/* The private cache of a thread: its blocks, the most recent one first. */
typedef struct cache {
    uint32_t thread;
    size_t n;
    uint64_t *block;
} cache;

static bool take_out(cache *c, uint64_t block) {
    for (size_t i = 0; i < c->n; i++)
        if (c->block[i] == block) {
            memmove(c->block + i, c->block + i + 1, (c->n - i - 1) * sizeof *c->block);
            c->n--;
            return true;
        }
    return false;
}

static cache *cache_of(cache *caches, size_t *n, uint32_t thread, size_t size) {
    for (size_t i = 0; i < *n; i++)
        if (caches[i].thread == thread)
            return &caches[i];
    caches[*n] = (cache){.thread = thread, .block = malloc((size + 1) * sizeof(uint64_t))};
    return &caches[(*n)++];
}

void oracle_private_caches(const oracle_reference *refs, size_t n, size_t size, bool *hits) {
    cache *caches = malloc((n + 1) * sizeof *caches);
    size_t n_caches = 0;
    for (size_t i = 0; i < n; i++) {
        cache *c = cache_of(caches, &n_caches, refs[i].thread, size);
        hits[i] = take_out(c, refs[i].block);
        if (c->n == size)
            c->n--;
        memmove(c->block + 1, c->block, c->n * sizeof *c->block);
        c->block[0] = refs[i].block;
        c->n++;
        for (size_t k = 0; k < n_caches && refs[i].store; k++)
            if (&caches[k] != c)
                take_out(&caches[k], refs[i].block);
    }
    for (size_t k = 0; k < n_caches; k++)
        free(caches[k].block);
    free(caches);
}
