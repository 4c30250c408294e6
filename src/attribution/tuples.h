/* Counts per (use, reuse, region): everything attributed is a sum of these.
 *
 * `use` is the site that touched the block before, RDI_FIRST for first touches; `reuse` the site
 * that refers to it now; `region` whose data it is.
 *
 * Memory is bounded. When there are too many, the lighter half is folded: its tuples lose the use,
 * and if that is not enough the region, then the reuse (RDI_OTHERS in their place). No reference is
 * ever lost, so that sums over sites and regions stay exact as far as they are still told apart.
 */
#ifndef RDI_TUPLES_H
#define RDI_TUPLES_H

#include "attribution/steps.h"

#define RDI_FIRST  (UINT32_MAX - 1)
#define RDI_OTHERS UINT32_MAX

typedef struct rdi_tuple_key {
    uint32_t use, reuse, region;
} rdi_tuple_key;

typedef struct rdi_tuple {
    rdi_tuple_key key;
    rdi_counts counts;
} rdi_tuple;

#define RDI_TUPLE_CHUNK 64

typedef struct rdi_tuples {
    rd_ctx *ctx;
    const rdi_steps *steps;
    rdi_tuple **chunk; /* RDI_TUPLE_CHUNK each */
    size_t n, n_chunks;
    uint32_t *slot; /* hash: number + 1, or 0 */
    size_t mask;
    size_t max;
    uint64_t foldings; /* pointers to tuples are invalid after one */
} rdi_tuples;

/* `max` is at least 8. */
rd_status rdi_tuples_init(rdi_tuples *t, rd_ctx *ctx, const rdi_steps *steps, size_t max);
void rdi_tuples_fini(rdi_tuples *t);

/* The one with this key, made if needed; may fold. Valid until the next folding. */
rd_status rdi_tuples_find(rdi_tuples *t, rdi_tuple_key key, rdi_tuple **out);

static inline bool rdi_tuple_key_equal(rdi_tuple_key a, rdi_tuple_key b) {
    return a.use == b.use && a.reuse == b.reuse && a.region == b.region;
}

static inline rdi_tuple *rdi_tuple_at(const rdi_tuples *t, size_t i) {
    return &t->chunk[i / RDI_TUPLE_CHUNK][i % RDI_TUPLE_CHUNK];
}

#endif
