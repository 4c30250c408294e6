/* Block -> who touched it last, which of its words were touched, and whose data it holds.
 *
 * Open addressing with linear probing. Every block id is valid; an entry without words is free. A
 * block that is found elsewhere changes places with the one in its home: those in use get there.
 *
 * With a bound, what was not touched among the last `bound` blocks is of no interest any more. Two
 * tables then take turns: once the young one has `bound` blocks it becomes the old one, and what
 * was in the old one and has not been touched since is handed out and dropped. So there are never
 * more than twice the bound.
 */
#ifndef RDI_TOUCHED_H
#define RDI_TOUCHED_H

#include "attribution/tuples.h"

/* In place of a region, number + 1: it is not known, or the block is of several. */
#define RDI_MIXED 0

/* Sets of words in an entry, a byte each with a bit per word, from the low end: those touched since
 * the block came into each of RD_LEVELS_MAX levels, and since it was touched first. A reference
 * changes the first only; what is in it belongs to all, and goes there before it is emptied. It is
 * empty in entries that are free or have moved to the young table. */
#define RDI_WORD_SETS    (RD_LEVELS_MAX + 1)
#define RDI_WORDS_IN_ALL UINT64_C(0x0101010101) /* times a set: that set in all of them */
#define RDI_WORDS_MOVED  (UINT64_C(0xff) << 8 * RD_LEVELS_MAX)

/* Every reference writes `use` and `words`, but hardly any the rest: what it reads there need not
 * wait for the one before. Two entries are a cache line. */
typedef struct rdi_touch {
    uint64_t block;
    rdi_tuple_key use; /* site that touched it last, in the bits of a use */
    uint64_t words;
    uint32_t region;  /* in its bits, or RDI_MIXED */
    uint32_t version; /* of the regions when that was looked up; 0: it was not, or has changed */
} rdi_touch;

static inline uint8_t rdi_touch_words(const rdi_touch *touch, unsigned set) {
    return (uint8_t)(touch->words >> 8 * set | touch->words);
}

typedef struct rdi_touch_table {
    rdi_touch *slot;
    size_t mask, n, limit;
    unsigned shift; /* of a hash, to the number of a slot */
} rdi_touch_table;

typedef struct rdi_touched {
    rd_ctx *ctx;
    rdi_touch_table young, old;                          /* `old` is empty without a bound */
    uint64_t bound;                                      /* 0: none */
    void (*dropped)(void *user, const rdi_touch *touch); /* when one leaves */
    void *user;
} rdi_touched;

rd_status rdi_touched_init(rdi_touched *t, rd_ctx *ctx, uint64_t bound,
                           void (*dropped)(void *user, const rdi_touch *touch), void *user);
void rdi_touched_fini(rdi_touched *t);
/* Hands all that are left to dropped(). */
void rdi_touched_drop_all(rdi_touched *t);

/* The block's entry. If it was not there, it has no words (the caller gives it some at once), no
 * site and the region RDI_MIXED. Entries handed out before are invalid then. */
rd_status rdi_touched_find(rdi_touched *t, uint64_t block, rdi_touch **out);

/* The regions of `n` blocks from this one on have to be looked up again ... */
void rdi_touched_change(rdi_touched *t, uint64_t first, uint64_t n);
/* ... or those of all. */
void rdi_touched_change_all(rdi_touched *t);

/* The words from .. to of a block as a set. */
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
