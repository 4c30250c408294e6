/* Decodes the records of recorders (channel.h) that are references. */
#ifndef RDI_LIVE_DECODE_H
#define RDI_LIVE_DECODE_H

#include "trace/format.h"

/* A function that decodes n records of one word each and puts `tag`, the process number, into the top bits
 * of the addresses. It returns false if a record is invalid. */
typedef bool rdi_decode_words(const uint64_t *words, size_t n, uint64_t tag, rdi_columns *col);

/* A function that decodes only the addresses of records of one word each, and the kinds unless `kind` is
 * NULL. It returns true if an
 * analysis with blocks of 2^shift bytes needs no sizes, because all records are valid
 * references, each of which touches only one block, and no address has its sign bit set. */
typedef bool rdi_decode_bare(const uint64_t *words, size_t n, uint64_t tag, unsigned shift,
                             uint64_t *addr, uint8_t *kind);

/* Return the function for the vector width of the channel: 0, 256 or 512 bits. */
rdi_decode_words *rdi_choose_decode_words(uint32_t vector_bits);
rdi_decode_bare *rdi_choose_decode_bare(uint32_t vector_bits);

#endif
