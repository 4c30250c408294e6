/* Implements the oracle for prefix caches. See kv_oracle.h. */
#include "support/kv_oracle.h"

#include "base/common.h"

#include <string.h>

/* ---- logs ---- */

/* A block of a log. Blocks with a common prefix form a tree. */
typedef struct node {
    int parent; /* index of the block before it; -1: it is the first block of a prompt */
    uint64_t tokens;
} node;

typedef struct maker {
    node nodes[2 * ORACLE_NODES];
    size_t n;
    rdi_rng rng;
    uint64_t block_tokens;
} maker;

static uint64_t below(maker *m, uint64_t n) {
    return rdi_rng_below(&m->rng, n);
}

/* Returns a child of `parent` with this number of tokens: mostly an existing one, if there is one,
 * or else a new one. */
static int child(maker *m, int parent, uint64_t tokens) {
    int found[8];
    size_t n = 0;
    for (size_t i = 0; i < m->n && n < 8; i++)
        if (m->nodes[i].parent == parent && m->nodes[i].tokens == tokens)
            found[n++] = (int)i;
    if (n > 0 && below(m, 4) > 0)
        return found[below(m, n)];
    m->nodes[m->n] = (node){.parent = parent, .tokens = tokens};
    return (int)m->n++;
}

static uint64_t hash_of(int i) {
    return (uint64_t)i * 7919 + 3;
}

/* Extends a path of n full blocks, whose last node is *last, to `to` blocks. Returns its length. */
static size_t extend(maker *m, uint64_t *blocks, size_t n, size_t to, int *last) {
    for (; n < to; n++) {
        *last = child(m, *last, m->block_tokens);
        blocks[n] = hash_of(*last);
    }
    return n;
}

static void make_request(maker *m, oracle_log *log, oracle_request *r, uint64_t time_us) {
    int last = -1;
    size_t depth = below(m, 3) == 0 ? below(m, ORACLE_PATH / 2) : below(m, 6);
    r->n = extend(m, r->blocks, 0, depth, &last);
    r->prompt_tokens = r->n * m->block_tokens;
    memcpy(r->sequence, r->blocks, sizeof r->blocks);
    r->n_sequence = r->n;
    if (log->sequences) {
        int end = last;
        size_t more = below(m, 4);
        r->n_sequence = extend(m, r->sequence, r->n, r->n + more, &end);
        r->output_tokens = more * m->block_tokens + below(m, 2);
    }
    /* If blocks have several tokens, half of the prompts do not fill their last block. Most of
     * these prompts list this block, and the rest only count its tokens. */
    if (m->block_tokens > 1 && below(m, 2)) {
        uint64_t rest = 1 + below(m, m->block_tokens - 1);
        r->prompt_tokens += rest;
        if (below(m, 4))
            r->blocks[r->n++] = hash_of(child(m, last, rest));
    }
    r->time_us = time_us;
    r->conversation = (uint32_t)below(m, 5) + 1;
    r->turn = (uint32_t)below(m, 20) + 1;
}

void oracle_make_log(oracle_log *log, uint64_t seed) {
    static maker m;
    uint64_t time_us = 0;
    memset(log, 0, sizeof *log);
    m.n = 0;
    m.rng.state = seed;
    m.block_tokens = log->block_tokens = 1 + below(&m, 5);
    log->sequences = below(&m, 2);
    log->n = below(&m, ORACLE_REQUESTS + 1);
    for (size_t i = 0; i < log->n; i++) {
        time_us += below(&m, 50000);
        make_request(&m, log, &log->request[i], time_us);
    }
}

rd_kv_request oracle_request_at(const oracle_log *log, size_t i) {
    const oracle_request *r = &log->request[i];
    return (rd_kv_request){.blocks = r->blocks,
                           .n_blocks = r->n,
                           .sequence = log->sequences ? r->sequence : NULL,
                           .n_sequence = log->sequences ? r->n_sequence : 0,
                           .prompt_tokens = r->prompt_tokens,
                           .output_tokens = log->sequences ? r->output_tokens : 0,
                           .time_us = r->time_us,
                           .conversation = r->conversation,
                           .turn = r->turn,
                           .line = i + 1};
}

/* ---- a server with an LRU cache ---- */

size_t oracle_find(const oracle_cache *cache, uint64_t block) {
    size_t i = 0;
    while (i < cache->n && cache->at[i] != block)
        i++;
    return i;
}

/* Makes a block the most recent one. If the cache then has too many blocks, it evicts the least
 * recent one. */
static void touch(oracle_cache *cache, uint64_t block) {
    size_t at = oracle_find(cache, block);
    if (at == cache->n)
        cache->n++;
    memmove(cache->at + 1, cache->at, at * sizeof *cache->at);
    cache->at[0] = block;
    if (cache->n > cache->size)
        cache->n = cache->size;
}

void oracle_touch(oracle_cache *cache, const uint64_t *blocks, size_t n, rd_kv_order order) {
    for (size_t i = 0; i < n; i++)
        touch(cache, blocks[order == RD_KV_FRONT ? i : n - 1 - i]);
}

size_t oracle_blocks(const oracle_log *log, size_t i, const oracle_rules *rules) {
    const oracle_request *r = &log->request[i];
    bool partial = r->n * log->block_tokens > r->prompt_tokens;
    return rules->full_only && partial ? r->n - 1 : r->n;
}

oracle_hits oracle_serve(oracle_cache *cache, const oracle_log *log, size_t i,
                         const oracle_rules *rules) {
    const oracle_request *r = &log->request[i];
    size_t n = oracle_blocks(log, i, rules), hits = 0;
    while (hits < n && oracle_find(cache, r->blocks[hits]) < cache->n)
        hits++;
    uint64_t tokens = hits * log->block_tokens;
    oracle_touch(cache, r->blocks, n, rules->order);
    bool longer = r->n_sequence > r->prompt_tokens / log->block_tokens;
    if (rules->outputs && longer)
        oracle_touch(cache, r->sequence, r->n_sequence, rules->order);
    return (oracle_hits){.blocks = hits,
                         .tokens = tokens < r->prompt_tokens ? tokens : r->prompt_tokens};
}

oracle_hits oracle_simulate(const oracle_log *log, const oracle_rules *rules, size_t size,
                            oracle_hits *each) {
    static oracle_cache cache;
    oracle_hits sum = {0};
    cache.n = 0;
    cache.size = size;
    for (size_t i = 0; i < log->n; i++) {
        oracle_hits hits = oracle_serve(&cache, log, i, rules);
        sum.blocks += hits.blocks;
        sum.tokens += hits.tokens;
        if (each)
            each[i] = hits;
    }
    return sum;
}
