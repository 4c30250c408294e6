/* Keeps last references in time ranges of limited size, for distances with an absolute error bound
 * (Zhong, Shen and Ding).
 *
 * A range holds up to `capacity` blocks. The number of blocks that are newer than a block is
 * estimated as the size of all newer ranges. The estimate is too small by less than `capacity`. Two
 * neighboring ranges that fit into one are merged, so all ranges but one are at least half full on
 * average, and M blocks take at most 2 M / (capacity + 1) + 1 ranges. A capacity of 1 is exact,
 * because every range is one block.
 *
 * A removal makes at most one merge necessary. Before the removal, two neighbors together had more
 * than `capacity` blocks. So if they fit together after the removal, they fill one range
 * completely, and nothing else fits into a full range.
 *
 * Two structures implement one table of operations:
 *   splay  a splay tree whose nodes are ranges, with links between neighbors
 *   btree  a B-tree with up to 16 entries per node, see ranges_btree.c
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.2. Y. Zhong, C. Ding, K. Kennedy. Reuse distance analysis for scientific
 * programs. LCR 2002.
 */
#ifndef RDI_RANGES_H
#define RDI_RANGES_H

#include "base/common.h"

typedef struct rdi_ranges_ops rdi_ranges_ops;

/* The first member of every range structure: the fields that all structures share. */
typedef struct rdi_ranges {
    const rdi_ranges_ops *ops;
    rd_ctx *ctx;
    uint64_t capacity;
    uint64_t live; /* number of blocks */
    uint64_t n;    /* number of ranges */
    uint64_t most; /* largest number of ranges so far */
} rdi_ranges;

struct rdi_ranges_ops {
    size_t state_size; /* size in bytes of the structure, which begins with rdi_ranges */
    /* Adds a block that is referenced at `time`, which must be later than the times of all other
     * blocks. Only this operation allocates memory. If it fails, nothing changes. */
    rd_status (*append)(rdi_ranges *r, uint64_t time);
    /* Removes the block that was last referenced at `time`, and returns how many blocks the newer
     * ranges hold. If `time` is later than the end of every range, returns RDI_NO_RANGE and removes
     * nothing. */
    uint64_t (*remove)(rdi_ranges *r, uint64_t time);
    /* Removes a block from the oldest range, which must exist. Returns the end of this range before
     * the removal. */
    uint64_t (*remove_oldest)(rdi_ranges *r);
    /* Returns whether the invariants hold, for tests. If not, *why names the first violation. */
    bool (*check)(const rdi_ranges *r, const char **why);
    void (*fini)(rdi_ranges *r);
};

extern const rdi_ranges_ops rdi_ranges_splay, rdi_ranges_btree;

#define RDI_NO_RANGE            UINT64_MAX
#define RDI_RANGES_CAPACITY_MAX (UINT64_C(1) << 31)

/* Makes an empty structure. `capacity` must be from 1 to RDI_RANGES_CAPACITY_MAX. */
rd_status rdi_ranges_new(rd_ctx *ctx, const rdi_ranges_ops *ops, uint64_t capacity,
                         rdi_ranges **out);
void rdi_ranges_free(rdi_ranges *r); /* NULL is allowed */

/* Adds 1 to `n`, and updates `most`. The structures call this function for each new range. */
static inline void rdi_ranges_count(rdi_ranges *r) {
    r->n++;
    r->most = r->n > r->most ? r->n : r->most;
}

/* The state of a check of the invariants that all structures share. It begins zeroed. The check()
 * of a structure passes every range to rdi_ranges_audit_next(), oldest first, and then calls
 * rdi_ranges_audit_end(), which returns whether the invariants hold. */
typedef struct rdi_ranges_audit {
    uint64_t n, live;
    uint64_t time, size; /* end and size of the previous range */
    bool wrong;
} rdi_ranges_audit;

void rdi_ranges_audit_next(rdi_ranges_audit *a, const rdi_ranges *r, uint64_t time, uint64_t size);
bool rdi_ranges_audit_end(const rdi_ranges_audit *a, const rdi_ranges *r, const char **why);

#endif
