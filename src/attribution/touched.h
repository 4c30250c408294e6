/* A hash table that maps a block to the site that touched it last, its touched words, and its
 * region.
 *
 * It uses open addressing with linear probing. Every block id is valid; an entry without words is
 * free. If a block is not found in its home slot, its entry is swapped with the entry there, so
 * that blocks in use move to their home slots.
 *
 * With a bound, blocks that are not among the last `bound` blocks are not needed. Two tables then
 * take turns: once the young table has `bound` blocks, it becomes the old table. Blocks that were
 * in the previous old table and have not been touched while it was old are passed to dropped(). So
 * there are never more blocks than twice the bound.
 */
#ifndef RDI_TOUCHED_H
#define RDI_TOUCHED_H

#include "attribution/tuples.h"

/* Stands in place of a region number + 1 if the region is unknown or the block belongs to several
 * regions. */
#define RDI_MIXED 0

/* An entry has several sets of words. Each set is one byte with one bit per word, from the low end:
 * the words touched since the block was loaded into each of RD_LEVELS_MAX levels, and since it was
 * first touched. A reference changes only the first set. Its content belongs to all sets, and is
 * added to them before the first set is cleared. The first set is empty in entries that are free or
 * have moved to the young table. */
#define RDI_WORD_SETS (RD_LEVELS_MAX + 1)
/* Multiplying a set by this number copies it to the bytes of all sets. */
#define RDI_WORDS_IN_ALL UINT64_C(0x0101010101)
#define RDI_WORDS_MOVED  (UINT64_C(0xff) << 8 * RD_LEVELS_MAX)

/* Every reference writes `use` and `words`, but rarely the other fields, so reading the other
 * fields does not have to wait for the preceding write. Two entries fill a cache line. */
typedef struct rdi_touch {
    uint64_t block;
    rdi_tuple_key use; /* the site that touched the block last, in the bits of a key that hold the
                          use */
    uint64_t words;
    uint32_t region;  /* the region, in its bits of a key, or RDI_MIXED */
    uint32_t version; /* version of the regions at the look-up; 0: not looked up, or changed since
                         then */
} rdi_touch;

static inline uint8_t rdi_touch_words(const rdi_touch *touch, unsigned set) {
    return (uint8_t)(touch->words >> 8 * set | touch->words);
}

typedef struct rdi_touch_table {
    rdi_touch *slot;
    size_t mask, n, limit;
    unsigned shift; /* shift from a hash to a slot number */
} rdi_touch_table;

typedef struct rdi_touched {
    rd_ctx *ctx;
    rdi_touch_table young, old;                          /* without a bound, `old` is empty */
    uint64_t bound;                                      /* bound in blocks; 0: none */
    void (*dropped)(void *user, const rdi_touch *touch); /* called for each block that is dropped */
    void *user;
} rdi_touched;

rd_status rdi_touched_init(rdi_touched *t, rd_ctx *ctx, uint64_t bound,
                           void (*dropped)(void *user, const rdi_touch *touch), void *user);
void rdi_touched_fini(rdi_touched *t);
/* Passes all remaining blocks to dropped() and empties the tables. */
void rdi_touched_drop_all(rdi_touched *t);

/* Finds the entry of the block, or makes one. A new entry has no words, no site, and the region
 * RDI_MIXED; the caller must set its words at once. Entries may move, so pointers to entries that
 * were returned before become invalid. */
rd_status rdi_touched_find(rdi_touched *t, uint64_t block, rdi_touch **out);

/* Marks the regions of `n` blocks from `first` on as changed: they must be looked up again. */
void rdi_touched_change(rdi_touched *t, uint64_t first, uint64_t n);
/* Marks the regions of all blocks as changed. */
void rdi_touched_change_all(rdi_touched *t);

/* Returns the words from `from` to `to` of a block, as a set. */
static inline uint8_t rdi_words_between(uint32_t from, uint32_t to) {
    return (uint8_t)((2u << to) - (1u << from));
}

static inline uint64_t rdi_touched_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline size_t rdi_touched_home(const rdi_touch_table *t, uint64_t block) {
    return (size_t)(rdi_touched_hash(block) >> t->shift);
}

static inline bool rdi_touch_is_free(const rdi_touch *touch) {
    return touch->words == 0;
}

#endif
