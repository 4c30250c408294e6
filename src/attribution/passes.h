/* The loops of counting.c that treat every reference independently, compiled once per instruction
 * set. They are plain C that compilers turn into vector code. */
#ifndef RDI_PASSES_H
#define RDI_PASSES_H

#include "attribution/touched.h"
#include "attribution/tuples.h"
#include "base/cpu.h"

/* Every function works on n references. */
typedef struct rdi_passes {
    /* Whether each number equals the one before it or is one larger. */
    bool (*gapless)(const uint32_t *origin, size_t n);
    /* Looks program counters up in the cache of rdi_sites: sets their sites in the bits of a reuse,
     * or 0 if they are not in it. Returns whether all were found. */
    bool (*sites)(const uint64_t *cache, const uint64_t *pc, size_t n, rdi_tuple_key *reuse);
    /* For references that lie inside one block: sets one bit per word of 2^word_bits bytes that
     * they touch. `last` is the number of the block's last word. */
    void (*words)(const uint64_t *address, const uint32_t *size, size_t n, unsigned word_bits,
                  unsigned last, uint8_t *words);
    /* For any references: finds the first address that each touches in its block, and the words
     * there. Reference number origin[i] touches block i. */
    void (*clipped)(const rd_refs *refs, const uint32_t *origin, const uint64_t *blocks, size_t n,
                    unsigned block_bits, unsigned word_bits, unsigned last, uint64_t *address,
                    uint8_t *words);
    /* Finds the home slots of blocks. */
    void (*touches)(const rdi_touch_table *t, const uint64_t *blocks, size_t n, rdi_touch **touch);
    /* Finds the home slots of keys. */
    void (*tuples)(const rdi_tuples *t, const rdi_tuple_key *key, size_t n, rdi_tuple **tuple);
} rdi_passes;

/* Chooses the functions for an instruction set, RDI_ISA_AUTO for the best; RD_EUNSUPPORTED if this
 * processor lacks it. */
rd_status rdi_passes_choose(rd_ctx *ctx, rdi_isa isa, const rdi_passes **out);

#endif
