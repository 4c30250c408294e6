/* Implements look-ups and insertion in a slot table. The including file defines
 * KERNEL_TARGET (the attribute of the functions), ISA (0, 2 or 512), INLINE, SLOT (the type of a
 * slot) and WAYS (the number of entries per bucket). See slot_table.h.
 *
 * A bucket is one cache line with keys, slots and the number of entries in use. So no id is
 * reserved to mark an entry as free. Entries are never removed one by one, so a search can end at
 * the first bucket that is not full.
 */
#include "order/slot_table.h"

#include <string.h>

#define AHEAD                                                                                      \
    4 /* number of blocks by which the prefetch of second buckets runs ahead of the look-up */

typedef struct bucket {
    _Alignas(64) uint64_t key[WAYS];
    SLOT slot[WAYS];
    uint32_t n; /* number of entries in use */
} bucket;
_Static_assert(sizeof(bucket) == 64, "a bucket must fill one cache line");

/* Returns a mask in which bit i is set if entry i holds blk. With 5 ways, the vector covers keys
 * only, because a vector load that covers a recently stored slot would have to wait for the store.
 * With 3 ways, the last lane of the vector is slot[0], which `used` masks out. */
INLINE unsigned match(const bucket *b, uint64_t blk) {
    unsigned used = (1u << b->n) - 1;
#if ISA
    __m256i keys = _mm256_load_si256((const __m256i *)b);
    __m256i equal = _mm256_cmpeq_epi64(keys, _mm256_set1_epi64x((long long)blk));
    return ((unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) |
            (unsigned)(b->key[WAYS - 1] == blk) << (WAYS - 1)) &
           used;
#else
    unsigned m = 0;
    for (unsigned i = 0; i < WAYS; i++)
        m |= (unsigned)(b->key[i] == blk) << i;
    return m & used;
#endif
}

/* Adds an entry to the first bucket from `home` on that has room, and updates t->disp, but not
 * t->count. Returns the slot field of the entry. */
static KERNEL_TARGET SLOT *append(rdi_slot_table *t, bucket *home, uint64_t blk, SLOT slot) {
    bucket *b = home;
    while (b->n == WAYS)
        b++;
    if ((uint64_t)(b - home) > t->disp)
        t->disp = (uint64_t)(b - home);
    b->key[b->n] = blk;
    b->slot[b->n] = slot;
    return &b->slot[b->n++];
}

/* Returns the slot field of blk, whose home is `home`. If the table does not have blk, adds an
 * entry with slot 0. */
INLINE SLOT *find_or_add(rdi_slot_table *t, bucket *home, uint64_t blk) {
    for (bucket *b = home;; b++) {
        unsigned m = match(b, blk);
        if (RDI_LIKELY(m))
            return &b->slot[__builtin_ctz(m)];
        if (b->n < WAYS)
            break;
    }
    t->count++;
    return append(t, home, blk, 0);
}

INLINE bucket *home_bucket(const rdi_slot_table *t, uint64_t blk) {
    return (bucket *)t->bucket + rdi_slot_home(t, blk);
}

/* Returns the slot field of blk, whose home is `home`, or NULL if the table does not have blk. */
INLINE SLOT *find_from(bucket *home, uint64_t blk) {
    for (bucket *b = home;; b++) {
        unsigned m = match(b, blk);
        if (m)
            return &b->slot[__builtin_ctz(m)];
        if (b->n < WAYS)
            return NULL;
    }
}

static KERNEL_TARGET SLOT *find(const rdi_slot_table *t, uint64_t blk) {
    return find_from(home_bucket(t, blk), blk);
}

static KERNEL_TARGET bool contains(const rdi_slot_table *t, uint64_t blk) {
    return find(t, blk) != NULL;
}

static unsigned read_bucket(const rdi_slot_table *t, uint64_t i, uint64_t *blk, uint64_t *slot) {
    const bucket *b = (const bucket *)t->bucket + i;
    for (unsigned k = 0; k < b->n; k++) {
        blk[k] = b->key[k];
        slot[k] = b->slot[k];
    }
    return b->n;
}

static KERNEL_TARGET void insert(rdi_slot_table *t, uint64_t blk, uint64_t slot) {
    append(t, home_bucket(t, blk), blk, (SLOT)slot);
}

/* Moves entries to their new homes in place, from the last bucket to the first. Because homes are
 * in the order of the hash, the new home of an entry is never below its bucket, except in the first
 * `low` buckets, which go through the stash. */
static KERNEL_TARGET void respread(rdi_slot_table *t, uint64_t old_homes, void *stash,
                                   uint64_t low) {
    bucket *b = t->bucket, *s = stash;
    t->disp = 0;
    for (uint64_t i = old_homes + RDI_SLOT_TAIL; i-- > low;) {
        bucket c = b[i];
        b[i].n = 0;
        for (unsigned k = 0; k < c.n; k++)
            append(t, home_bucket(t, c.key[k]), c.key[k], c.slot[k]);
    }
    memcpy(s, b, low * sizeof *b);
    for (uint64_t i = 0; i < low; i++)
        b[i].n = 0;
    for (uint64_t i = 0; i < low; i++)
        for (unsigned k = 0; k < s[i].n; k++)
            append(t, home_bucket(t, s[i].key[k]), s[i].key[k], s[i].slot[k]);
}
