/* An oracle for prefix caches: random logs with shared prefixes, and plain simulators written from the
 * definitions in reusedist/prefix.h. The simulators keep the cache as an array of blocks and look at every
 * block of it. */
#ifndef TEST_KV_ORACLE_H
#define TEST_KV_ORACLE_H

#include "reusedist/prefix.h"

#define ORACLE_REQUESTS 64
#define ORACLE_PATH     24 /* maximum number of blocks of a request or a sequence */
#define ORACLE_NODES    (ORACLE_REQUESTS * ORACLE_PATH)

typedef struct oracle_request {
    uint64_t blocks[ORACLE_PATH], sequence[ORACLE_PATH];
    size_t n, n_sequence;
    uint64_t prompt_tokens, output_tokens, time_us;
    uint32_t conversation, turn;
} oracle_request;

typedef struct oracle_log {
    oracle_request request[ORACLE_REQUESTS];
    size_t n;
    uint64_t block_tokens;
    bool sequences; /* true: requests have sequences */
} oracle_log;

/* The rules of the simulated server. */
typedef struct oracle_rules {
    rd_kv_order order;
    bool full_only, outputs;
} oracle_rules;

/* The hits of one request, or of all requests. */
typedef struct oracle_hits {
    uint64_t blocks, tokens;
} oracle_hits;

/* An LRU list of blocks, most recent first. */
typedef struct oracle_cache {
    uint64_t at[2 * ORACLE_NODES];
    size_t n, size;
} oracle_cache;

/* Makes a random log that depends only on the seed. */
void oracle_make_log(oracle_log *log, uint64_t seed);
/* Returns request number `i` in the form that the library takes. */
rd_kv_request oracle_request_at(const oracle_log *log, size_t i);

/* Returns the number of blocks of a request that the server looks up and stores. */
size_t oracle_blocks(const oracle_log *log, size_t i, const oracle_rules *rules);
/* Serves request number `i`: finds its hits, then touches its blocks and, if outputs enter the
 * cache and the sequence is longer than the prompt's full blocks, the blocks of its sequence. */
oracle_hits oracle_serve(oracle_cache *cache, const oracle_log *log, size_t i,
                         const oracle_rules *rules);
/* Touches the blocks of a request in the given order. */
void oracle_touch(oracle_cache *cache, const uint64_t *blocks, size_t n, rd_kv_order order);
/* Returns the position of a block in the list, or the length of the list if it is not there. */
size_t oracle_find(const oracle_cache *cache, uint64_t block);
/* Serves all requests with a cache of `size` blocks that is empty at first. Returns the sum of the
 * hits, and stores the hits of each request in `each` unless it is NULL. */
oracle_hits oracle_simulate(const oracle_log *log, const oracle_rules *rules, size_t size,
                            oracle_hits *each);

#endif
