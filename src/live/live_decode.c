/* Decodes the records of recorders into columns. See live_decode.h. */
#include "live/live_decode.h"

#include "base/cpu.h"
#include "live/channel.h"

#define SIGN_BIT (UINT64_C(1) << 63) /* the sign bit of a record and of its address */

/* Returns the kind of a record: RD_LOAD, RD_STORE or RD_FETCH. */
static inline uint8_t kind_of(uint64_t word) {
    uint8_t kind = (uint8_t)(word & 3);
    return (uint8_t)(kind + 1 + (kind >> 1));
}

/* Decodes n words into columns. Returns false if a record is invalid. The first loop shifts logically, so that
 * compilers vectorize it even for processors without a 64-bit arithmetic shift. The second loop runs only if there
 * are negative addresses, which are rare. */
static inline __attribute__((always_inline)) bool decode_words_any(const uint64_t *restrict words,
                                                                   size_t n, uint64_t tag,
                                                                   rdi_columns *restrict col) {
    uint64_t seen = 0;
    uint32_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        col->addr[i] = (words[i] >> RDI_RECORD_SHIFT) ^ tag;
        seen |= words[i];
    }
    for (size_t i = 0; i < n && seen & SIGN_BIT; i++)
        col->addr[i] = (uint64_t)((int64_t)words[i] >> RDI_RECORD_SHIFT) ^ tag;
    for (size_t i = 0; i < n; i++) {
        uint32_t low = (uint32_t)words[i] & 0xffff, size = low >> 2, kind = low & 3;
        col->size[i] = size;
        col->kind[i] = kind_of(words[i]);
        wrong |= (size - 1) >> 31 | (kind & kind >> 1);
    }
    return wrong == 0;
}

static inline __attribute__((always_inline)) bool
decode_bare_any(const uint64_t *restrict words, size_t n, uint64_t tag, unsigned shift,
                uint64_t *restrict addr, uint8_t *restrict kind) {
    uint64_t inside = (UINT64_C(1) << (shift + RDI_RECORD_SHIFT)) - 1, one = 1 << RDI_RECORD_SHIFT;
    uint64_t seen = 0, other = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t word = words[i], size = (word & (RDI_RECORD_SIZE_MAX << 2)) << 14;
        addr[i] = (word >> RDI_RECORD_SHIFT) ^ tag;
        seen |= word;
        /* `other` gets a bit at position shift + RDI_RECORD_SHIFT or above if a reference leaves
         * its block, if its size is 0, or if its kind is 3, which is not a reference. */
        other |= (word & inside & -one) + size - one;
        other |= (size - one) & SIGN_BIT;
        other |= (word & word << 1 & 2) << 62;
    }
    for (size_t i = 0; kind && i < n; i++)
        kind[i] = kind_of(words[i]);
    return !(seen & SIGN_BIT) && other >> (shift + RDI_RECORD_SHIFT) == 0;
}

#define DECODE_WORDS(name, target)                                                                 \
    target static bool name(const uint64_t *words, size_t n, uint64_t tag, rdi_columns *col) {     \
        return decode_words_any(words, n, tag, col);                                               \
    }
#define DECODE_BARE(name, target)                                                                  \
    target static bool name(const uint64_t *words, size_t n, uint64_t tag, unsigned shift,         \
                            uint64_t *addr, uint8_t *kind) {                                       \
        return decode_bare_any(words, n, tag, shift, addr, kind);                                  \
    }
DECODE_WORDS(decode_words_plain, )
DECODE_BARE(decode_bare_plain, )
#if defined(__x86_64__)
DECODE_WORDS(decode_words_avx2, RDI_TARGET_AVX2)
DECODE_WORDS(decode_words_avx512, RDI_TARGET_AVX512)
DECODE_BARE(decode_bare_avx2, RDI_TARGET_AVX2)
DECODE_BARE(decode_bare_avx512, RDI_TARGET_AVX512)
#else
#define decode_words_avx2   decode_words_plain
#define decode_words_avx512 decode_words_plain
#define decode_bare_avx2    decode_bare_plain
#define decode_bare_avx512  decode_bare_plain
#endif

rdi_decode_words *rdi_choose_decode_words(uint32_t vector_bits) {
    return vector_bits == 512   ? decode_words_avx512
           : vector_bits == 256 ? decode_words_avx2
                                : decode_words_plain;
}

rdi_decode_bare *rdi_choose_decode_bare(uint32_t vector_bits) {
    return vector_bits == 512   ? decode_bare_avx512
           : vector_bits == 256 ? decode_bare_avx2
                                : decode_bare_plain;
}
