/* The loops of counting.c in which references are independent, compiled once per instruction set.
 * They are plain C that compilers vectorize, except for `sites` with AVX-512. */
#ifndef RDI_PASSES_H
#define RDI_PASSES_H

#include "attribution/touched.h"
#include "attribution/tuples.h"
#include "base/cpu.h"

/* Every function works on n references. */
typedef struct rdi_passes {
    /* Returns whether each number of `origin` is equal to the one before it or one larger. */
    bool (*gapless)(const uint32_t *origin, size_t n);
    /* Looks up program counters in the cache of rdi_sites. For each program counter, stores its
     * site in the bits of a key that hold the reuse, or stores 0 if it is not in the cache. Returns
     * whether all program counters were found. */
    bool (*sites)(const uint64_t *cache, const uint64_t *pc, size_t n, rdi_tuple_key *reuse);
    /* For references inside one block: sets one bit per word of 2^word_bits bytes that they touch.
     * `last` is the number of the last word in a block. */
    void (*words)(const uint64_t *address, const uint32_t *size, size_t n, unsigned word_bits,
                  unsigned last, uint8_t *words);
    /* For any references: finds the first address that each reference touches in its block, and the
     * words that it touches there. Reference number origin[i] touches blocks[i]. */
    void (*clipped)(const rd_refs *refs, const uint32_t *origin, const uint64_t *blocks, size_t n,
                    unsigned block_bits, unsigned word_bits, unsigned last, uint64_t *address,
                    uint8_t *words);
    /* Finds the home slots of blocks. */
    void (*touches)(const rdi_touch_table *t, const uint64_t *blocks, size_t n, rdi_touch **touch);
    /* Finds the keys of calling contexts and sites; see rdi_contexts_keys(). Returns false and finds
     * none, unless all numbers are below `room`, the number of `masks`. */
    bool (*contexts)(const uint64_t *masks, size_t room, const uint64_t *numbers,
                     const rdi_tuple_key *reuse, size_t n, uint64_t *key);
    /* Finds the home slots of keys of calling contexts and sites; see rdi_contexts_home(). */
    void (*homes)(const uint64_t *key, size_t n, unsigned shift, uint64_t *home);
    /* Finds the home slots of the keys of tuples. */
    void (*tuples)(const rdi_tuples *t, const rdi_tuple_key *key, size_t n, rdi_tuple **tuple);
} rdi_passes;

/* Chooses the functions for an instruction set; RDI_ISA_AUTO is the best one that this processor
 * has. Returns RD_EUNSUPPORTED if this processor lacks the instruction set. */
rd_status rdi_passes_choose(rd_ctx *ctx, rdi_isa isa, const rdi_passes **out);

#endif
