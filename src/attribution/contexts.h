/* Counts the references and misses of every pair of a calling context and a site.
 *
 * Events define calling contexts before references have them. A context is the context of its
 * caller and the program counter of the call. The counters are in a hash table of their own, apart
 * from the tuples. If there are too many pairs, the lightest contexts are folded: from then on
 * their references are counted together, as a pair of the outermost folded context around them and
 * RDI_FOLDED instead of a site. So no reference is lost, and every context that is kept includes all
 * references below it.
 */
#ifndef RDI_CONTEXTS_H
#define RDI_CONTEXTS_H

#include "attribution/modules.h"
#include "base/own_code.h"
#include "order/block_map.h"
#include "reusedist/attribution.h"

/* The call that leads into a context. */
typedef struct rdi_call {
    uint64_t pc;
    uint32_t parent; /* index of the caller's context, which is smaller */
    uint32_t epoch;  /* epoch of the definition */
    uint32_t own; /* index of the innermost call in the user's own code, from this one outward; 0:
                        none */
    bool own_known, folded;
} rdi_call;

#define RDI_MISS_COUNTS (RD_LEVELS_MAX + 1)
#define RDI_FOLDED      0 /* no site has this number */

/* The counters of a context and a site. at[k] counts the references that miss in exactly k levels.
 * Two slots fill a cache line. A key is in its home slot, in the other slot of that cache line, or
 * in one of the next cache lines. */
typedef struct rdi_context_counts {
    uint64_t key; /* 0: the slot is empty */
    uint32_t at[RDI_MISS_COUNTS];
    uint32_t unused;
} rdi_context_counts;

/* The counts of a key beyond 32 bits. */
typedef struct rdi_large_counts {
    uint64_t key, at[RDI_MISS_COUNTS];
} rdi_large_counts;

typedef struct rdi_contexts {
    rd_ctx *ctx;
    bool seen;      /* true: a batch had contexts */
    rdi_call *call; /* call[0] is the context without a caller */
    size_t n, room; /* number of contexts, including context 0 */
    /* The index of the context with each number. Small numbers are in the array `small`, where 0
     * means that the number is not defined, and large numbers in the map `numbers`. */
    uint32_t *small;
    size_t small_room;
    rdi_block_map numbers;
    /* The number that was looked up last. A reference with this number has the key
     * (last_key | site & last_sites). */
    uint64_t last, last_key, last_sites;
    rdi_context_counts *slot; /* hash table with open addressing */
    unsigned bits;            /* log2 of the number of slots */
    size_t used, max;
    uint64_t folded; /* number of pairs that were folded */
    bool flat;       /* true: folded contexts that threads begin with are counted as context 0 */
    rdi_large_counts *large;
    size_t n_large, large_room;
} rdi_contexts;

/* Initializes `c`, which must be zeroed. At most `max` pairs are counted separately. */
rd_status rdi_contexts_init(rdi_contexts *c, rd_ctx *ctx, size_t max);
void rdi_contexts_fini(rdi_contexts *c);
uint64_t rdi_contexts_bytes(const rdi_contexts *c);

/* Defines the context of an RD_EVENT_CONTEXT. A context that is defined again keeps its first
 * definition. */
rd_status rdi_contexts_define(rdi_contexts *c, const rd_event *event, uint32_t epoch);
/* Returns the index of the context with this number, or SIZE_MAX if it is not defined. */
size_t rdi_contexts_index(const rdi_contexts *c, uint64_t number);
/* Finds the innermost own call from `context` outward, and stores it in call[context].own. */
rd_status rdi_contexts_own_call(rdi_contexts *c, const rdi_modules *modules, const rdi_own *own,
                                size_t context);

static inline uint64_t rdi_context_key(size_t context, uint32_t site) {
    return (uint64_t)(context + 1) << 32 | site;
}

static inline size_t rdi_key_context(uint64_t key) {
    return (size_t)(key >> 32) - 1;
}

#define RDI_CONTEXTS_HASH UINT64_C(0x9e3779b97f4a7c15)

static inline rdi_context_counts *rdi_contexts_home(const rdi_contexts *c, uint64_t key) {
    return &c->slot[key * RDI_CONTEXTS_HASH >> (64 - c->bits)];
}

/* Stores the keys of n references in keys[], and prefetches their counters. Reference i has the
 * context with number numbers[origin[i]] and the site sites[i] >> shift. Its key is 0 if its
 * context is not defined. */
void rdi_contexts_prepare(rdi_contexts *c, const uint64_t *numbers, const uint32_t *origin,
                          size_t n, const uint64_t *sites, unsigned shift, uint64_t *keys);
/* Counts a reference that misses in `missed` levels. rdi_contexts_count() calls it if the key is
 * not in the cache line of its home slot, or if the counter is full. */
rd_status rdi_contexts_count_slowly(rdi_contexts *c, uint64_t key, unsigned missed);

/* Returns the other slot of the same cache line. */
static inline rdi_context_counts *rdi_contexts_beside(const rdi_contexts *c,
                                                      const rdi_context_counts *slot) {
    return &c->slot[(size_t)(slot - c->slot) ^ 1];
}

/* Counts a reference like rdi_contexts_count_slowly(), if the key is in the cache line of its home
 * slot and the counter is not full. Otherwise does nothing and returns false. `slots` is c->slot, and
 * `shift` is 64 - c->bits: loops keep both in registers. */
static inline bool rdi_contexts_count(rdi_context_counts *slots, unsigned shift, uint64_t key,
                                      unsigned missed) {
    size_t home = (size_t)(key * RDI_CONTEXTS_HASH >> shift);
    rdi_context_counts *slot = &slots[home ^ (slots[home].key != key)];
    if (RDI_UNLIKELY(slot->key != key || slot->at[missed] == UINT32_MAX || !key))
        return false;
    slot->at[missed]++;
    return true;
}

/* Stores the counts of a slot: the numbers of references that miss in exactly 0, 1 ... levels. */
void rdi_contexts_read(const rdi_contexts *c, const rdi_context_counts *slot,
                       uint64_t at[RDI_MISS_COUNTS]);

#endif
