/* Counters per (use, reuse, region). Every attributed number is a sum of these counters.
 *
 * `use` is the site that touched the block before, or RDI_FIRST for first touches. `reuse` is the
 * site that touches it now. `region` is the owner of the data.
 *
 * A tuple is found by a hash of use, reuse and region. Programs access many tuples in no useful
 * order, so everything that a reference changes is in one cache line: small counters, with 16 bits
 * for short distances and 8 bits for long ones. When a small counter is full, it is added to a
 * large counter (`rest`). Most tuples never need large counters. If a tuple is not found in its
 * home slot, it is swapped with the tuple there, so that tuples in use are found at once.
 *
 * Memory is bounded. If there are too many tuples, the lighter half is folded: these tuples lose
 * the use, and if that is not enough, also the region, and then the reuse. RDI_OTHERS replaces a
 * lost use, region or reuse. No reference is ever lost, so the sums over the remaining sites and
 * regions stay exact.
 */
#ifndef RDI_TUPLES_H
#define RDI_TUPLES_H

#include "attribution/steps.h"

#define RDI_FIRST  0 /* the use of a first touch; no site has this number */
#define RDI_OTHERS UINT32_MAX

/* The key of a tuple. From the highest bits on, it has the use, the reuse, and the number of the
 * region plus 1. All ones in a field mean RDI_OTHERS. The entry of a block holds a key with only
 * the use (rdi_touch). The key of a tuple is never 0. */
typedef uint64_t rdi_tuple_key;

#define RDI_SITE_BITS    21
#define RDI_REGION_BITS  22
#define RDI_REUSE_SHIFT  RDI_REGION_BITS
#define RDI_USE_SHIFT    (RDI_REGION_BITS + RDI_SITE_BITS)
#define RDI_SITE_FIELD   ((UINT64_C(1) << RDI_SITE_BITS) - 1)
#define RDI_REGION_FIELD ((UINT64_C(1) << RDI_REGION_BITS) - 1)

/* Steps below RDI_SMALL_STEPS have a small counter, which has 16 bits in steps below RDI_NEAR_STEPS
 * and 8 bits in the other steps. Distances in these steps are so short that the sum of the
 * distances in all small counters does not overflow. */
#define RDI_NEAR_STEPS  16
#define RDI_SMALL_STEPS 28

typedef struct rdi_tuple {
    rdi_tuple_key key; /* 0: the slot is free */
    uint64_t sum;      /* sum of the distances in the small counters */
    uint32_t rest;     /* index of the tuple's set of large counters, counted from 1; 0: none */
    uint16_t near[RDI_NEAR_STEPS];
    uint8_t far[RDI_SMALL_STEPS - RDI_NEAR_STEPS];
} rdi_tuple;

typedef struct rdi_tuples {
    rd_ctx *ctx;
    const rdi_steps *steps;
    rdi_tuple *slot; /* hash table with open addressing */
    size_t slots, n, max;
    /* Another table of the same size, or NULL, for folding, because a table that is folded does not
     * grow. */
    rdi_tuple *spare;
    unsigned shift;        /* shift from a hash to a slot number */
    rdi_counts **segments; /* sets of large counters, in segments of equal size */
    size_t n_segments;
    /* Per set of large counters: the weight of all references that it counted. If the set is free:
     * the index of the next free set. */
    uint64_t *weights;
    uint8_t small_weight[RDI_SMALL_STEPS]; /* weight of one reference at each step */
    uint32_t n_rests, free_rest;           /* number of sets of large counters, and the index of
                                              the first free one; 0: none is free */
} rdi_tuples;

/* Initializes a table of at most `max` tuples, where `max` is at least 8. */
rd_status rdi_tuples_init(rdi_tuples *t, rd_ctx *ctx, const rdi_steps *steps, size_t max);
void rdi_tuples_fini(rdi_tuples *t);
size_t rdi_tuples_bytes(const rdi_tuples *t);

/* Finds the tuple with this key, or makes one. Other tuples may move and may be folded, so pointers
 * to them become invalid. */
rd_status rdi_tuples_find(rdi_tuples *t, rdi_tuple_key key, rdi_tuple **out);
/* Counts a reference in the large counters, because its small counter is full or does not exist. */
rd_status rdi_tuple_count_large(rdi_tuples *t, rdi_tuple *tuple, unsigned step, uint64_t distance);

/* Iterates over the tuples: returns the tuple after `tuple`, the first tuple if `tuple` is NULL,
 * and NULL after the last one. */
const rdi_tuple *rdi_tuples_next(const rdi_tuples *t, const rdi_tuple *tuple);
/* Adds all counts of a tuple to a share. */
void rdi_tuple_to_share(const rdi_tuples *t, const rdi_tuple *tuple, rd_share *to);
/* Return the number of references of a tuple, and the sum of its misses over all levels. */
uint64_t rdi_tuple_references(const rdi_tuples *t, const rdi_tuple *tuple);
uint64_t rdi_tuple_misses(const rdi_tuples *t, const rdi_tuple *tuple);

/* Returns the small counter of a step. */
static inline uint32_t rdi_tuple_small(const rdi_tuple *tuple, unsigned step) {
    return step < RDI_NEAR_STEPS ? tuple->near[step] : tuple->far[step - RDI_NEAR_STEPS];
}

/* Counts a reference in the small counter of a step. Returns false if the counter is full or does
 * not exist. */
static inline bool rdi_tuple_count(rdi_tuple *tuple, unsigned step, uint64_t distance) {
    if (RDI_LIKELY(step < RDI_NEAR_STEPS)) {
        if (RDI_UNLIKELY(tuple->near[step] == UINT16_MAX))
            return false;
        tuple->near[step]++;
    } else {
        if (step >= RDI_SMALL_STEPS || tuple->far[step - RDI_NEAR_STEPS] == UINT8_MAX)
            return false;
        tuple->far[step - RDI_NEAR_STEPS]++;
    }
    tuple->sum += distance;
    return true;
}

static inline uint32_t rdi_key_site(rdi_tuple_key key, unsigned shift) {
    uint64_t site = key >> shift & RDI_SITE_FIELD;
    return site == RDI_SITE_FIELD ? RDI_OTHERS : (uint32_t)site;
}

static inline uint32_t rdi_key_use(rdi_tuple_key key) {
    return rdi_key_site(key, RDI_USE_SHIFT);
}

static inline uint32_t rdi_key_reuse(rdi_tuple_key key) {
    return rdi_key_site(key, RDI_REUSE_SHIFT);
}

static inline uint32_t rdi_key_region(rdi_tuple_key key) {
    uint64_t region = key & RDI_REGION_FIELD;
    return region == RDI_REGION_FIELD ? RDI_OTHERS : (uint32_t)region - 1;
}

/* Returns the bits of a key that stand for `region`, which may be RDI_OTHERS. */
static inline rdi_tuple_key rdi_region_in_key(uint32_t region) {
    return region == RDI_OTHERS ? RDI_REGION_FIELD : region + UINT64_C(1);
}

/* Returns the home slot of a key. */
static inline rdi_tuple *rdi_tuples_home(const rdi_tuples *t, rdi_tuple_key key) {
    return &t->slot[key * UINT64_C(0x9e3779b97f4a7c15) >> t->shift];
}

#endif
