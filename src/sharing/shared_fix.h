/* Analyzes a block again with its data in different blocks, to find the misses that this would
 * avoid. */
#ifndef RDI_SHARED_FIX_H
#define RDI_SHARED_FIX_H

#include "sharing/shared_blocks.h"

#define RDI_ITEMS_MAX 64

/* An item: adjacent bits of the runs of a block that the same threads read and the same threads
 * store. */
typedef struct rdi_shared_item {
    uint32_t first, last; /* bits, both inclusive */
    uint64_t set;         /* the bits as a set */
} rdi_shared_item;

typedef struct rdi_shared_fix {
    rdi_shared_item items[RDI_ITEMS_MAX];
    size_t n_items;
    uint64_t coherence; /* coherence misses in the log */
    uint64_t misses;    /* misses in the log, which include the first references of threads */
    uint64_t left;      /* misses that are left with the best division of the items into groups of
                           adjacent items, if every group is a block of its own; see divide() */
    /* The first bits of two items of different groups that should be separated: a thread uses one
     * item, and another thread stores to the other item. Among the pairs that cause many of the
     * misses that disappear, it is the pair whose groups are nearest to each other; see
     * choose_pair(). has_pair is false if there is no such pair. */
    bool has_pair;
    uint32_t pair[2];
    uint32_t apart;       /* number of bits from the beginning of one item to that of the other
                             item, or between the beginnings of their groups if this is less */
    rdi_shared_use *uses; /* what each thread has used of the block since the first coherence miss
                             in the block; the caller frees them */
} rdi_shared_fix;

/* Finds the items of a block, and applies its log to them. `threads` is the number of threads. The
 * caller frees out->uses, also after a failure. */
rd_status rdi_shared_fix_find(const rdi_shared_blocks *b, const rdi_shared_detail *d,
                              size_t threads, rdi_shared_fix *out);

#endif
