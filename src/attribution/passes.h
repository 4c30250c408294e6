/* The loops of counting.c in which no reference waits for another, once per instruction set: made
 * of plain C that compilers turn into vector code.
 */
#ifndef RDI_PASSES_H
#define RDI_PASSES_H

#include "attribution/touched.h"
#include "attribution/tuples.h"
#include "base/cpu.h"

/* Each is of n references. */
typedef struct rdi_passes {
    /* Whether every number is that before it or the next one. */
    bool (*gapless)(const uint32_t *origin, size_t n);
    /* The sites of program counters in a reuse's bits, by the cache of rdi_sites; 0 for those that
     * are not there. Whether all were. */
    bool (*sites)(const uint64_t *cache, const uint64_t *pc, size_t n, rdi_tuple_key *reuse);
    /* Of references inside of a block: a bit for every word they touch, each 2^word_bits bytes; the
     * block has the words up to number `last`. */
    void (*words)(const uint64_t *address, const uint32_t *size, size_t n, unsigned word_bits,
                  unsigned last, uint8_t *words);
    /* Of any: the first address that they touch in their blocks, and the words there. Reference
     * number origin[i] touches block i. */
    void (*clipped)(const rd_refs *refs, const uint32_t *origin, const uint64_t *blocks, size_t n,
                    unsigned block_bits, unsigned word_bits, unsigned last, uint64_t *address,
                    uint8_t *words);
    /* Where blocks belong. */
    void (*touches)(const rdi_touch_table *t, const uint64_t *blocks, size_t n, rdi_touch **touch);
    /* Where keys belong. */
    void (*tuples)(const rdi_tuples *t, const rdi_tuple_key *key, size_t n, rdi_tuple **tuple);
} rdi_passes;

/* Those of an instruction set, RDI_ISA_AUTO for the best; RD_EUNSUPPORTED when this processor lacks
 * it. */
rd_status rdi_passes_choose(rd_ctx *ctx, rdi_isa isa, const rdi_passes **out);

#endif
