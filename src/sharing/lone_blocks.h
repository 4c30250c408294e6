/* The blocks of the first thread, as long as no other thread has referenced anything. The table is
 * used if no distances are requested. Most programs have only one thread, and then the table is all
 * that the details of shared blocks need. When a second thread appears, the table is converted to
 * copies (sharing/private_stacks.h).
 */
#ifndef RDI_LONE_BLOCKS_H
#define RDI_LONE_BLOCKS_H

#include "base/common.h"
#include "sharing/byte_mask.h"

#define RDI_LONE_TILE 64 /* maximum number of references that are counted together */

typedef struct rdi_lone_block {
    uint64_t block;
    uint64_t touched;  /* the bits that the thread has used; rdi_shared_run says what a bit is */
    uint64_t count[2]; /* number of loads, and of stores; both 0: the slot is empty */
} rdi_lone_block;

/* A hash table with linear probing, which is at most half full. */
typedef struct rdi_lone_blocks {
    rd_ctx *ctx;
    rdi_lone_block *slot; /* NULL: the table is not used */
    unsigned bits;        /* log2 of the number of slots */
    size_t n;             /* number of blocks */
} rdi_lone_blocks;

rd_status rdi_lone_blocks_init(rdi_lone_blocks *t, rd_ctx *ctx);
void rdi_lone_blocks_fini(rdi_lone_blocks *t); /* a zeroed table is allowed */

/* Makes room for RDI_LONE_TILE more blocks. */
rd_status rdi_lone_blocks_room(rdi_lone_blocks *t);

static inline rdi_lone_block *rdi_lone_blocks_home(const rdi_lone_blocks *t, uint64_t block) {
    return &t->slot[rdi_mix64(block) >> (64 - t->bits)];
}

static inline bool rdi_lone_block_is_free(const rdi_lone_block *slot) {
    return (slot->count[0] | slot->count[1]) == 0;
}

/* Returns the slot of a block or, if the table does not have the block, the empty slot for it. */
static inline rdi_lone_block *rdi_lone_blocks_find(const rdi_lone_blocks *t, uint64_t block) {
    rdi_lone_block *slot = rdi_lone_blocks_home(t, block), *end = t->slot + ((size_t)1 << t->bits);
    while (slot->block != block && !rdi_lone_block_is_free(slot))
        if (++slot == end)
            slot = t->slot;
    return slot;
}

#endif
