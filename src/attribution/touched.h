/* Block -> who touched it last, which of its words were touched, and whose data it holds.
 *
 * Open addressing with linear probing. Every block id is valid; an entry without words is free.
 *
 * With a bound, what was not touched among the last `bound` blocks is of no interest any more. Two
 * tables then take turns: once the young one has `bound` blocks it becomes the old one, and what
 * was in the old one and has not been touched since is handed out and dropped. So there are never
 * more than twice the bound.
 */
#ifndef RDI_TOUCHED_H
#define RDI_TOUCHED_H

#include "attribution/tuples.h"

#define RDI_MIXED UINT32_MAX /* region of a block that several share */

/* `state` of an entry: from its low end 24 bits of the regions' version when `region` was looked
 * up; then sets of words, a byte each with a bit per word: those touched since the block came into
 * each of RD_LEVELS_MAX levels, and since it was touched first. The last is empty in free entries
 * only; the others are when the entry has moved to the young table. */
#define RDI_TOUCH_VERSION UINT64_C(0xffffff)
#define RDI_WORD_SETS     (RD_LEVELS_MAX + 1)
#define RDI_WORDS_IN_ALL  UINT64_C(0x0101010101000000) /* times a set: that set in all of them */

typedef struct rdi_touch {
    uint64_t block;
    uint32_t site;
    uint32_t region;
    uint64_t state;
} rdi_touch;

static inline uint8_t rdi_touch_words(const rdi_touch *touch, unsigned set) {
    return (uint8_t)(touch->state >> (24 + 8 * set));
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

/* Before an entry is asked for: makes room. Entries handed out before are invalid then. */
rd_status rdi_touched_make_room(rdi_touched *t);
/* Of a block that is not in the young table: its entry, taken over from the old one, or a new one
 * without words at `slot`. */
rdi_touch *rdi_touched_enter(rdi_touched *t, rdi_touch *slot, uint64_t block);

static inline uint64_t rdi_touched_hash(uint64_t block) {
    return (block ^ block >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline size_t rdi_touched_home(const rdi_touch_table *t, uint64_t block) {
    return (size_t)(rdi_touched_hash(block) >> t->shift);
}

static inline bool rdi_touch_is_free(const rdi_touch *touch) {
    return touch->state >> 56 == 0;
}

/* The block's slot, or the free one where it belongs. */
static inline rdi_touch *rdi_touched_probe(const rdi_touch_table *t, uint64_t block) {
    size_t i = rdi_touched_home(t, block);
    while (t->slot[i].block != block && !rdi_touch_is_free(&t->slot[i]))
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

/* The block's entry. If it was not there, it has no words (the caller gives it some at once), site
 * RDI_FIRST and region RDI_MIXED. */
static inline rd_status rdi_touched_find(rdi_touched *t, uint64_t block, rdi_touch **out) {
    if (RDI_UNLIKELY(t->young.n == t->young.limit))
        RD_TRY(rdi_touched_make_room(t));
    rdi_touch *slot = rdi_touched_probe(&t->young, block);
    *out = RDI_LIKELY(!rdi_touch_is_free(slot)) ? slot : rdi_touched_enter(t, slot, block);
    return RD_OK;
}

#endif
