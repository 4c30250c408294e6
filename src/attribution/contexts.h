/* Counts the references and misses of every pair of a calling context and a site.
 *
 * Events define calling contexts before references have them. A context consists of the context of
 * its caller and the program counter of the call. The counters are in a hash table of their own,
 * apart from the tuples. If there are too many pairs, the lightest contexts are folded: from then
 * on the references in these contexts are counted together, as a pair of the outermost folded
 * context around them and RDI_FOLDED instead of a site. So no reference is lost, and every context
 * that is kept includes all references below it.
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
    /* Index of the context under which the references are counted: this one if it is not folded,
     * otherwise the outermost folded context around it, or 0 if rdi_contexts.flat. The references
     * are not counted under the caller of that folded context, because only the call of the folded
     * context tells which function made the call. So in the call tree, the references are below
     * this function, not beside it. */
    uint32_t counted : 30;
    uint32_t folded : 1, own_known : 1;
} rdi_call;

#define RDI_CONTEXTS_MAX (UINT32_C(1) << 30) /* far above the limits of the recorders */
#define RDI_MISS_COUNTS  (RD_LEVELS_MAX + 1)
#define RDI_FOLDED       0 /* no site has this number */

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
    uint64_t *small_masks; /* the key mask of each small number, or 0 if it is not defined */
    size_t small_room;
    rdi_block_map numbers;
    rdi_context_counts *slot; /* hash table with open addressing */
    unsigned bits;            /* log2 of the number of slots */
    /* Another table of the same size, which is empty between calls, or NULL. It is for folding, because
     * a table that is folded does not grow. */
    rdi_context_counts *spare;
    uint32_t moves; /* number of times that the table moved */
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

#define RDI_CONTEXT_FIELD (~(uint64_t)UINT32_MAX) /* the bits of a key that hold the context */

static inline uint64_t rdi_context_key(size_t context, uint32_t site) {
    return (uint64_t)(context + 1) << 32 | site;
}

static inline size_t rdi_key_context(uint64_t key) {
    return (size_t)(key >> 32) - 1;
}

/* Returns the key of a reference from `site` in a context with this key mask. The mask is the key
 * of the context under which the references are counted, with all site bits set unless that context
 * is folded. If the context is not defined, both the mask and the key are 0. */
static inline uint64_t rdi_context_key_of(uint64_t mask, uint64_t site) {
    return mask & (RDI_CONTEXT_FIELD | site);
}

/* Returns the index of a key's home slot in a table of 2^(64 - shift) slots. */
static inline size_t rdi_contexts_home(uint64_t key, unsigned shift) {
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> shift);
}

/* Returns the shift for rdi_contexts_home(). */
static inline unsigned rdi_contexts_shift(const rdi_contexts *c) {
    return 64 - c->bits;
}

/* Stores the keys of n references in keys[], for any context numbers; rdi_passes.contexts is faster
 * for small ones. Reference i has the context with number numbers[i] and the site sites[i] >>
 * shift. Its key is 0 if its context is not defined. */
void rdi_contexts_keys(const rdi_contexts *c, const uint64_t *numbers, size_t n,
                       const uint64_t *sites, unsigned shift, uint64_t *keys);
/* Counts a reference that misses in `missed` levels, wherever its key is. Callers try
 * rdi_contexts_count() first. Does nothing if the key is 0. */
rd_status rdi_contexts_count_slowly(rdi_contexts *c, uint64_t key, unsigned missed);

/* Counts a reference like rdi_contexts_count_slowly(), if the key is in the cache line of its home
 * slot and the counter is not full. Otherwise does nothing and returns false. `home` is the index of
 * the home slot in `slots`, the table. */
static inline bool rdi_contexts_count(rdi_context_counts *slots, size_t home, uint64_t key,
                                      unsigned missed) {
    rdi_context_counts *slot = &slots[home ^ (slots[home].key != key)];
    if (RDI_UNLIKELY(slot->key != key || slot->at[missed] == UINT32_MAX || !key))
        return false;
    slot->at[missed]++;
    return true;
}

/* Prefetches the slots in which rdi_contexts_count_slowly() looks first, after the cache line of a
 * key's home slot. */
static inline void rdi_contexts_prefetch_beyond(const rdi_contexts *c, size_t home) {
    RDI_PREFETCH(&c->slot[(home + 2) & (((size_t)1 << c->bits) - 1)]);
}

/* Stores the counts of a slot: the numbers of references that miss in exactly 0, 1 ... levels. */
void rdi_contexts_read(const rdi_contexts *c, const rdi_context_counts *slot,
                       uint64_t at[RDI_MISS_COUNTS]);

#endif
