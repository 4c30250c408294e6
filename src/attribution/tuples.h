/* Counts per (use, reuse, region): everything attributed is a sum of these.
 *
 * `use` is the site that touched the block before, RDI_FIRST for first touches; `reuse` the site
 * that refers to it now; `region` whose data it is.
 *
 * A reference finds its tuple by a hash of these, and what it changes there lies in one cache line,
 * because there are many tuples and programs leave no order in which they come: small counters, of
 * sixteen bits for near distances and eight for far ones, which are carried over to large ones
 * (`rest`) when they are full. Most tuples never need large ones. One that is found elsewhere than
 * where it belongs changes places with the one there, so that those in use are found at once.
 *
 * Memory is bounded. When there are too many, the lighter half is folded: its tuples lose the use,
 * and if that is not enough the region, then the reuse (RDI_OTHERS in their place). No reference is
 * ever lost, so that sums over sites and regions stay exact as far as they are still told apart.
 */
#ifndef RDI_TUPLES_H
#define RDI_TUPLES_H

#include "attribution/steps.h"

#define RDI_FIRST  0 /* no site has this number */
#define RDI_OTHERS UINT32_MAX

/* From the top: use, reuse, and the region's number + 1; all ones are RDI_OTHERS. Without reuse, 0
 * in its place, it tells what is known of a block between two references. Never 0. */
typedef uint64_t rdi_tuple_key;

#define RDI_SITE_BITS    21
#define RDI_REGION_BITS  22
#define RDI_REUSE_SHIFT  RDI_REGION_BITS
#define RDI_USE_SHIFT    (RDI_REGION_BITS + RDI_SITE_BITS)
#define RDI_SITE_FIELD   ((UINT64_C(1) << RDI_SITE_BITS) - 1)
#define RDI_REGION_FIELD ((UINT64_C(1) << RDI_REGION_BITS) - 1)

/* Steps below have a small counter, the nearer of them one of sixteen bits. Their distances have at
 * most so many bits that the sum of all that small counters hold does not overflow. */
#define RDI_NEAR_STEPS  16
#define RDI_SMALL_STEPS 28

typedef struct rdi_tuple {
    rdi_tuple_key key; /* 0: the slot is free */
    uint64_t sum;      /* of the distances counted here */
    uint32_t rest;     /* number of its large counters, from 1 on; 0: it has none */
    uint16_t near[RDI_NEAR_STEPS];
    uint8_t far[RDI_SMALL_STEPS - RDI_NEAR_STEPS];
} rdi_tuple;

typedef struct rdi_tuples {
    rd_ctx *ctx;
    const rdi_steps *steps;
    rdi_tuple *slot; /* open addressing */
    size_t slots, n, max;
    rdi_tuple *spare;    /* another table, as large, or NULL; what folds no longer grows */
    unsigned shift;      /* of a hash, to the number of a slot */
    rdi_counts **chunks; /* large counters, in chunks of equal size ... */
    size_t n_chunks;
    uint64_t
        *weights; /* ... of each, that of all it counts; of one that was given back, the next */
    uint8_t small_weight[RDI_SMALL_STEPS]; /* of a reference at each step */
    uint32_t n_rests, free_rest;           /* the latter 0: none was given back */
} rdi_tuples;

/* `max` is at least 8. */
rd_status rdi_tuples_init(rdi_tuples *t, rd_ctx *ctx, const rdi_steps *steps, size_t max);
void rdi_tuples_fini(rdi_tuples *t);
size_t rdi_tuples_bytes(const rdi_tuples *t);

/* The one with this key, made if needed. Tuples may move and fold. */
rd_status rdi_tuples_find(rdi_tuples *t, rdi_tuple_key key, rdi_tuple **out);
/* Counts a reference that the small counters have no room for: its own is full, or there is none.
 */
rd_status rdi_tuple_count_large(rdi_tuples *t, rdi_tuple *tuple, unsigned step, uint64_t distance);

/* Every tuple in turn: NULL gives the first, and comes behind the last. */
const rdi_tuple *rdi_tuples_next(const rdi_tuples *t, const rdi_tuple *tuple);
/* All that was counted for it: added to a share ... */
void rdi_tuple_to_share(const rdi_tuples *t, const rdi_tuple *tuple, rd_share *to);
/* ... or references, and the misses of all levels together. */
uint64_t rdi_tuple_references(const rdi_tuples *t, const rdi_tuple *tuple);
uint64_t rdi_tuple_misses(const rdi_tuples *t, const rdi_tuple *tuple);

/* What the small counter of a step holds. */
static inline uint32_t rdi_tuple_small(const rdi_tuple *tuple, unsigned step) {
    return step < RDI_NEAR_STEPS ? tuple->near[step] : tuple->far[step - RDI_NEAR_STEPS];
}

/* Counts in the small counter of a step; false: it is full, or there is none. */
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

/* A region, or RDI_OTHERS, in its bits. */
static inline rdi_tuple_key rdi_region_in_key(uint32_t region) {
    return region == RDI_OTHERS ? RDI_REGION_FIELD : region + UINT64_C(1);
}

/* Where the key belongs, if others have not taken the place. */
static inline rdi_tuple *rdi_tuples_home(const rdi_tuples *t, rdi_tuple_key key) {
    return &t->slot[key * UINT64_C(0x9e3779b97f4a7c15) >> t->shift];
}

#endif
