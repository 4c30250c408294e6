/* An oracle for private caches, written from the definitions in docs/threads.md alone. It searches the
 * trace backwards and forwards for every reference, so it is slow. */
#ifndef TEST_SHARING_ORACLE_H
#define TEST_SHARING_ORACLE_H

#include "reusedist/sharing.h"

/* One block reference. It touches the bytes `first` to `last` of the block, both included. */
typedef struct oracle_reference {
    uint32_t thread;
    bool store;
    uint64_t block;
    uint64_t first, last;
} oracle_reference;

typedef enum oracle_sharing { ORACLE_NO_MISS, ORACLE_TRUE, ORACLE_FALSE } oracle_sharing;

/* Computes the distance of each of the n references, or RD_COLD or RD_MISS_COHERENCE, and whether a
 * coherence miss is true or false sharing. */
void oracle_private(const oracle_reference *refs, size_t n, uint64_t *distances,
                    oracle_sharing *sharing);

/* Simulates a private LRU cache of `size` blocks for each thread, and stores which references
 * hit. */
void oracle_private_caches(const oracle_reference *refs, size_t n, size_t size, bool *hits);

#endif
