/* Counts the misses of simulated caches: by instruction, region and cause, and by the regions that
 * evict each other's blocks.
 *
 * The simulator gets a tag with every reference, and hands it back with every miss. The tag is the
 * low bits of a tuple's key, which hold the reuse and the region, so that a miss needs no look-up
 * of its block. docs/hierarchies.md defines causes and evictors.
 *
 * Memory is bounded. Beyond the maximum number of combinations, misses count for RDI_OTHERS, and no
 * miss is ever lost.
 */
#ifndef RDI_MISSES_H
#define RDI_MISSES_H

#include "attribution/tuples.h"
#include "order/block_map.h"
#include "reusedist/attribution.h"

#define RDI_TAG_BITS   RDI_USE_SHIFT
#define RDI_TAG_FIELD  ((UINT64_C(1) << RDI_TAG_BITS) - 1)
#define RDI_TAG_OTHERS RDI_TAG_FIELD

/* Finds the majority of a sequence of numbers in constant memory (Boyer and Moore's majority
 * vote). */
typedef struct rdi_vote {
    uint64_t value, lead, cast; /* `value`: the present candidate; `lead`: number of its votes that
                                   no vote for another value has canceled; `cast`: number of all
                                   votes */
} rdi_vote;

/* Returns the value that has more than half of all votes, or 0 if it is not certain that a value
 * has so many. */
uint64_t rdi_vote_result(const rdi_vote *v);

/* The misses of one instruction in one region, or of all instructions in one region (the site of
 * the tag is then RDI_FIRST). */
typedef struct rdi_missed {
    uint64_t tag;
    uint32_t cache;
    uint64_t causes[3]; /* number of misses, indexed by rd_miss_cause */
    uint64_t last;      /* the block of the last miss */
    rdi_vote stride;    /* difference between the block numbers of two consecutive misses */
} rdi_missed;

/* The conflict misses to blocks of one region that were evicted for blocks of another region, or of
 * the same one. */
typedef struct rdi_rivals {
    uint32_t cache, region;
    uint32_t evictor; /* a region, RDI_OTHERS, or RDI_NO_REGION if the blocks were not evicted */
    uint64_t count;
    rdi_vote offset; /* difference between the numbers of the missing and the evicting block */
} rdi_rivals;

#define RDI_NO_REGION (UINT32_MAX - 1)

typedef struct rdi_misses {
    rd_ctx *ctx;
    size_t caches, max;
    rdi_block_map numbers, rival_numbers; /* map a cache and tag, or a cache and two regions, to an
                                             index */
    rdi_missed *missed;
    rdi_rivals *rivals;
    size_t n, room, n_rivals, rivals_room;
} rdi_misses;

/* Initializes the counters of `caches` caches, with at most `max` combinations. */
rd_status rdi_misses_init(rdi_misses *m, rd_ctx *ctx, size_t caches, size_t max);
void rdi_misses_fini(rdi_misses *m); /* a zeroed struct is allowed */
rd_status rdi_misses_add(rdi_misses *m, const rd_miss *miss);
size_t rdi_misses_bytes(const rdi_misses *m);

static inline bool rdi_missed_is_of_all_sites(const rdi_missed *m) {
    return rdi_key_reuse(m->tag) == RDI_FIRST;
}

#endif
