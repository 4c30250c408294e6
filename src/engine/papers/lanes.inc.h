/* Defines the inner loops of the data-parallel engines in C that compilers vectorize. The including
 * file defines LANES (the name of the table of functions), LANES_NAME (the text for its field
 * `name`), and LANES_TARGET (the attribute of the functions). */
#include "engine/papers/lanes.h"

#define TILE 64 /* number of references that a loop handles together */

LANES_TARGET static void make_run(const uint32_t *next, uint32_t time, uint32_t n, rdi_point *out) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t below = 0, above = 0;
        for (uint32_t j = 0; j < n; j++)
            below += next[j] < next[i];
        for (uint32_t j = i + 1; j < n; j++)
            above += next[j] > next[i];
        out[below] = (rdi_point){next[i], time + i, above};
    }
}

LANES_TARGET static bool occurs(const uint32_t *symbol, uint32_t n, uint32_t wanted) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        found |= symbol[i] == wanted;
    return found;
}

LANES_TARGET static void scan_symbol(const uint32_t *symbol, uint32_t n, uint32_t wanted,
                                     uint32_t *next) {
    uint32_t copied = 0; /* 0 as long as no later reference to the symbol was found */
    for (uint32_t end = n; end > 0;) {
        uint32_t begin = (end - 1) / TILE * TILE;
        if (occurs(symbol + begin, end - begin, wanted))
            for (uint32_t t = end; t-- > begin;)
                if (symbol[t] == wanted) {
                    next[t] = copied ? copied : n + t;
                    copied = t;
                }
        end = begin;
    }
}

LANES_TARGET static uint64_t scan_level(const uint64_t *block, uint64_t *above, uint8_t *miss,
                                        size_t n, uint64_t copied, uint64_t level, uint64_t *dist) {
    for (size_t at = 0; at < n; at += RDI_LEVELS_GROUP) {
        uint32_t part = n - at < RDI_LEVELS_GROUP ? (uint32_t)(n - at) : RDI_LEVELS_GROUP;
        copied = rdi_levels_scan_group(block + at, above + at, miss + at / RDI_LEVELS_GROUP, part,
                                       copied, level, dist + at);
    }
    return copied;
}

const rdi_lanes LANES = {
    .name = LANES_NAME,
    .make_run = make_run,
    .scan_symbol = scan_symbol,
    .scan_level = scan_level,
};
