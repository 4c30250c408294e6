/* cachegrind_rules: simulates two levels of caches on a trace file, with the two rules in which cachegrind
 * deviates from docs/hierarchies.md. An access that touches several blocks is one reference and at most one
 * miss, and goes to the second level as a whole. A load and, directly after it, a store of the same bytes are
 * one reference.
 *
 * usage: cachegrind_rules TRACE
 *
 * The caches are L1I=32K:8, L1D=32K:8 and L2=1M:16 with blocks of 64 bytes. Prints one line of JSON
 * with the data references, the data misses of the first level, the misses of the second level, and
 * the numbers of spanning data accesses and of pairs of a load and a store. */
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cache. The entries of each set are in LRU order, most recently used first. An entry is the
 * number of a block plus 1; 0: empty. */
typedef struct cache {
    uint64_t *entries, ways, sets;
} cache;

/* Returns whether `block` misses, and makes it the most recently used block of its set. */
static bool block_misses(cache *c, uint64_t block) {
    uint64_t *set = c->entries + block % c->sets * c->ways, at = 0;
    while (at < c->ways - 1 && set[at] != block + 1)
        at++;
    bool miss = set[at] != block + 1;
    memmove(set + 1, set, at * sizeof *set);
    set[0] = block + 1;
    return miss;
}

/* Returns whether at least one block of the access misses. */
static bool misses(cache *c, uint64_t address, uint64_t size) {
    bool any = false;
    for (uint64_t b = address / 64; b <= (address + size - 1) / 64; b++)
        any = block_misses(c, b) || any;
    return any;
}

static uint64_t l1i[512], l1d[512], l2[16384];

int main(int argc, char **argv) {
    cache first[2] = {{l1d, 8, 64}, {l1i, 8, 64}}, second = {l2, 16, 1024};
    uint64_t references[2] = {0}, missed[2] = {0}, missed_twice = 0, spans = 0, changes = 0;
    uint64_t last_address = 0, last_size = 0;
    uint8_t last_kind = 0;
    rd_ctx *ctx = NULL;
    rd_trace *trace = NULL;
    if (argc != 2 || rd_ctx_new(NULL, &ctx) != RD_OK)
        return 2;
    rd_status status = rd_trace_open(ctx, argv[1], NULL, &trace);
    const rd_refs *refs = NULL;
    while (status == RD_OK && (status = rd_trace_read(trace, &refs)) == RD_OK && refs->n)
        for (size_t i = 0; i < refs->n; i++) {
            uint64_t address = refs->addr[i], size = refs->size[i];
            uint8_t kind = refs->kind[i];
            bool fetch = kind == RD_FETCH, changed = kind == RD_STORE && last_kind == RD_LOAD &&
                                                     last_address == address && last_size == size;
            last_address = address;
            last_size = size;
            last_kind = kind;
            changes += changed;
            if (changed)
                continue;
            references[fetch]++;
            spans += !fetch && address / 64 != (address + size - 1) / 64;
            if (!misses(&first[fetch], address, size))
                continue;
            missed[fetch]++;
            missed_twice += misses(&second, address, size);
        }
    if (status != RD_OK)
        fprintf(stderr, "cachegrind_rules: %s\n", rd_last_error(ctx));
    printf("{\"data_references\": %" PRIu64 ", \"d1_misses\": %" PRIu64 ", \"ll_misses\": %" PRIu64
           ", \"spanning\": %" PRIu64 ", \"changes\": %" PRIu64 "}\n",
           references[0], missed[0], missed_twice, spans, changes);
    rd_trace_close(trace);
    rd_ctx_free(ctx);
    return status != RD_OK;
}
