/* Reads the caches of this host from the files of Linux. See host_caches.h. */
#include "base/host_caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_ROOM 256 /* room for a word in bytes; lists of processors can be long */

/* Reads the first word of `file`, which describes cache number `index`. Returns false if the file
 * cannot be opened or is empty. */
static bool read_word(const char *folder, unsigned index, const char *file, char word[WORD_ROOM]) {
    char path[512];
    int n = snprintf(path, sizeof path, "%s/index%u/%s", folder, index, file);
    FILE *in = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    if (!in)
        return false;
    bool found = fscanf(in, "%255s", word) == 1;
    fclose(in);
    return found;
}

/* Parses a number with or without the suffix K, M or G, such as "48K". Returns 0 for any other
 * text, and if the number is too large. */
static uint64_t parse_number(const char *text) {
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    bool whole = end > text && end[shift ? 1 : 0] == '\0';
    return whole && n <= UINT64_MAX >> shift ? (uint64_t)n << shift : 0;
}

/* Returns the number of processors in a list such as "0-3,8,10-11", or 0 if the text is not such a
 * list. */
static unsigned count_processors(const char *list) {
    unsigned count = 0;
    for (const char *at = list; *at;) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return 0;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || (*end && *end != ','))
            return 0;
        count += (unsigned)(last - first + 1);
        at = *end ? end + 1 : end;
    }
    return count;
}

static uint64_t read_number(const char *folder, unsigned index, const char *file) {
    char word[WORD_ROOM];
    return read_word(folder, index, file, word) ? parse_number(word) : 0;
}

size_t rdi_host_caches(const char *folder, rdi_host_cache *out, size_t max) {
    char type[WORD_ROOM], list[WORD_ROOM];
    size_t n = 0;
    for (unsigned i = 0; n < max && read_word(folder, i, "type", type); i++) {
        rdi_host_cache c = {.level = (unsigned)read_number(folder, i, "level"),
                            .data = strcmp(type, "Instruction") != 0,
                            .fetch = strcmp(type, "Data") != 0,
                            .bytes = read_number(folder, i, "size"),
                            .ways = read_number(folder, i, "ways_of_associativity"),
                            .line_bytes = read_number(folder, i, "coherency_line_size")};
        if (read_word(folder, i, "shared_cpu_list", list))
            c.processors = count_processors(list);
        if (c.level > 0 && c.bytes > 0)
            out[n++] = c;
    }
    return n;
}
