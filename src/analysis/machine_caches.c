/* Finds the data caches of this machine, as reported by Linux. See reusedist/analysis.h. */
#include "base/common.h"
#include "reusedist/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const rd_level *)a)->bytes, y = ((const rd_level *)b)->bytes;
    return (x > y) - (x < y);
}

/* Reads the first word of `file`, which describes cache number `index`. Returns false if the file
 * cannot be opened or is empty. */
static bool read_word(unsigned index, const char *file, char word[32]) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, file);
    FILE *in = fopen(path, "re");
    if (!in)
        return false;
    bool found = fscanf(in, "%31s", word) == 1;
    fclose(in);
    return found;
}

/* Parses a number of bytes, with or without the suffix K, M or G, such as "48K". Returns 0 for any
 * other text, and if the number is too large. */
static uint64_t parse_bytes(const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    bool whole = end > text && end[shift ? 1 : 0] == '\0';
    return whole && n <= UINT64_MAX >> shift ? (uint64_t)n << shift : 0;
}

size_t rd_machine_caches(rd_level *out, bool *known) {
    static const rd_level usual[] = {{"L1", 32 << 10}, {"L2", 1 << 20}, {"L3", 32 << 20}};
    char type[32], level[32], size[32];
    size_t n = 0;
    if (!out)
        return 0;
    for (unsigned i = 0; n < RD_LEVELS_MAX && read_word(i, "type", type); i++) {
        if (strcmp(type, "Instruction") == 0 || !read_word(i, "level", level) ||
            !read_word(i, "size", size) || parse_bytes(size) == 0)
            continue;
        snprintf(out[n].name, sizeof out[n].name, "L%.8s", level);
        out[n++].bytes = parse_bytes(size);
    }
    if (known)
        *known = n > 0;
    if (n == 0) {
        memcpy(out, usual, sizeof usual);
        n = RDI_COUNT(usual);
    }
    qsort(out, n, sizeof *out, by_bytes);
    return n;
}
