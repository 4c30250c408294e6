/* Last references in time ranges of limited size: the absolute precision of Zhong, Shen and Ding.
 *
 * A range holds up to `capacity` blocks. How many blocks are newer than one of its own is taken as
 * the size of all newer ranges, which leaves out less than `capacity`. Two neighbours that fit into
 * one are merged, so that a range is half full on average: with M blocks there are never more than
 * 2 M / (capacity + 1) + 1 ranges. A capacity of 1 is exact, a range being a block.
 *
 * At most one merge is due after a removal: neighbours held more than `capacity` before, so that
 * what fits together now fills the range, and with a full range nothing else fits.
 *
 * Two structures behind one table of operations:
 *   splay  a splay tree whose nodes are ranges, with links between neighbours
 *   btree  a B-tree of 16 entries a node, see ranges_btree.c
 *
 * Y. Zhong, X. Shen, C. Ding. Program locality analysis using reuse distance. ACM TOPLAS 31(6),
 * 2009, section 2.2. Y. Zhong, C. Ding, K. Kennedy. Reuse distance analysis for scientific
 * programs. LCR 2002.
 */
#ifndef RDI_RANGES_H
#define RDI_RANGES_H

#include "base/common.h"

typedef struct rdi_ranges_ops rdi_ranges_ops;

/* What every structure begins with. */
typedef struct rdi_ranges {
    const rdi_ranges_ops *ops;
    rd_ctx *ctx;
    uint64_t capacity;
    uint64_t live; /* blocks */
    uint64_t n;    /* ranges */
    uint64_t most; /* ranges there ever were */
} rdi_ranges;

struct rdi_ranges_ops {
    size_t state_size; /* of the structure, rdi_ranges at its front */
    /* A block enters as the newest, referenced at `time`, which is later than all others. The only
     * operation that allocates; a failure leaves everything as it was. */
    rd_status (*append)(rdi_ranges *r, uint64_t time);
    /* The block last referenced at `time` leaves; returns how many blocks newer ranges hold. */
    uint64_t (*remove)(rdi_ranges *r, uint64_t time);
    /* A block leaves the oldest range; returns the end of that range. */
    uint64_t (*remove_oldest)(rdi_ranges *r);
    /* Invariants, for tests: false, and why. */
    bool (*check)(const rdi_ranges *r, const char **why);
    void (*fini)(rdi_ranges *r);
};

extern const rdi_ranges_ops rdi_ranges_splay, rdi_ranges_btree;

#define RDI_RANGES_CAPACITY_MAX (UINT64_C(1) << 31)

/* Empty; capacity from 1 to RDI_RANGES_CAPACITY_MAX. */
rd_status rdi_ranges_new(rd_ctx *ctx, const rdi_ranges_ops *ops, uint64_t capacity,
                         rdi_ranges **out);
void rdi_ranges_free(rdi_ranges *r); /* NULL is allowed */

/* For the structures themselves: one more range. */
static inline void rdi_ranges_count(rdi_ranges *r) {
    r->n++;
    r->most = r->n > r->most ? r->n : r->most;
}

/* What check() knows of the ranges, oldest first: feed it every one, then ask whether all is well.
 */
typedef struct rdi_ranges_audit {
    uint64_t n, live;
    uint64_t time, size; /* of the previous range */
    bool wrong;
} rdi_ranges_audit;

void rdi_ranges_audit_next(rdi_ranges_audit *a, const rdi_ranges *r, uint64_t time, uint64_t size);
bool rdi_ranges_audit_end(const rdi_ranges_audit *a, const rdi_ranges *r, const char **why);

#endif
