/* Computes XXH64 according to its public specification. Every step mixes one word of the input into
 * the state. For a fixed word, the step is a bijection of the state; for a fixed state, different
 * words give different states. */
#include "trace/checksum.h"

#define P1 UINT64_C(0x9e3779b185ebca87)
#define P2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define P3 UINT64_C(0x165667b19e3779f9)
#define P4 UINT64_C(0x85ebca77c2b2ae63)
#define P5 UINT64_C(0x27d4eb2f165667c5)

static inline uint64_t rotate(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

static inline uint64_t absorb(uint64_t lane, uint64_t word) {
    return rotate(lane + word * P2, 31) * P1;
}

static inline uint64_t join(uint64_t hash, uint64_t lane) {
    return (hash ^ absorb(0, lane)) * P1 + P4;
}

/* Returns the hash of `stripes` stripes of 32 bytes, which four independent lanes compute. */
static uint64_t hash_stripes(const uint8_t *p, size_t stripes, uint64_t seed) {
    uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
    for (; stripes > 0; stripes--, p += 32) {
        a = absorb(a, rdi_load_le64(p));
        b = absorb(b, rdi_load_le64(p + 8));
        c = absorb(c, rdi_load_le64(p + 16));
        d = absorb(d, rdi_load_le64(p + 24));
    }
    uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return join(join(join(join(hash, a), b), c), d);
}

uint64_t rdi_xxh64(const uint8_t *p, size_t n, uint64_t seed) {
    const uint8_t *end = p + n;
    uint64_t hash = n >= 32 ? hash_stripes(p, n / 32, seed) : seed + P5;
    p += n / 32 * 32;
    hash += n;
    for (; end - p >= 8; p += 8)
        hash = rotate(hash ^ absorb(0, rdi_load_le64(p)), 27) * P1 + P4;
    if (end - p >= 4) {
        hash = rotate(hash ^ rdi_load_le32(p) * P1, 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++)
        hash = rotate(hash ^ *p * P5, 11) * P1;
    hash = (hash ^ hash >> 33) * P2;
    hash = (hash ^ hash >> 29) * P3;
    return hash ^ hash >> 32;
}
