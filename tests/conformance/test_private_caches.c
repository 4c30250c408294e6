/* Compares the simulator of private caches with the plain oracle, on random traces of threads and random
 * hierarchies: every counter of every cache of every thread must be equal.
 *
 * usage: test_private_caches FIRST_SEED NUMBER_OF_SEEDS
 */
#include "base/common.h"
#include "reusedist/reusedist.h"
#include "support/cache_oracle.h"
#include "support/hierarchies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST      1200
#define THREADS_MOST 64

static cache_oracle_reference refs[LONGEST];
static uint64_t blocks[LONGEST], threads[LONGEST];
static uint8_t kinds[LONGEST];
static rd_level_counts expected[THREADS_MOST * RD_CACHES_MAX], got[RD_CACHES_MAX];

/* Returns the thread number of the thread with index `thread`. Thread numbers are not in the order of the indices. */
static uint64_t number_of(size_t thread) {
    return (uint64_t)(thread * 37 % 101) << 31;
}

/* Makes a random number of the outer caches shared. The innermost caches stay private. */
static void share_caches(rdi_rng *rng, rd_hierarchy *h) {
    size_t first = rd_hierarchy_is_split(h) ? 2 : 1;
    size_t n = first + rdi_rng_below(rng, h->n - first + 1);
    for (size_t k = 0; k < h->n; k++)
        h->cache[k].shared = k >= n;
}

/* The position of a thread in a range of blocks, and the way in which it moves. */
typedef struct walker {
    uint64_t at;
    unsigned mode;
} walker;

/* Moves a thread to its next block: random blocks, streams in both directions, or the same block. */
static uint64_t next_block(rdi_rng *rng, walker *w, uint64_t base, uint64_t range) {
    if (rdi_rng_below(rng, 20) == 0) {
        w->mode = (unsigned)rdi_rng_below(rng, 4);
        w->at = rdi_rng_below(rng, range);
    }
    w->at = w->mode == 0   ? rdi_rng_below(rng, range)
            : w->mode == 1 ? w->at + 1
            : w->mode == 2 ? w->at - 1
                           : w->at;
    return base + w->at % range;
}

/* Makes references of `n_threads` threads. Some of them go to blocks that all threads use; the rest go to a range of
 * blocks of the thread. If there are many threads, the ranges of different threads overlap. */
static size_t some_trace(rdi_rng *rng, size_t n_threads, uint64_t block_bytes) {
    const uint64_t last = UINT64_MAX / (block_bytes ? block_bytes : 1);
    const uint64_t bases[] = {0, UINT64_C(1) << 30, last - 600};
    walker walkers[THREADS_MOST][2] = {{{0}}};
    size_t n = 50 + rdi_rng_below(rng, rdi_rng_below(rng, 4) ? 350 : LONGEST - 50), thread = 0;
    uint64_t base = bases[rdi_rng_below(rng, RDI_COUNT(bases))];
    uint64_t common = 1 + rdi_rng_below(rng, rdi_rng_below(rng, 2) ? 8 : 120);
    uint64_t own = 1 + rdi_rng_below(rng, 60), stays = rdi_rng_below(rng, 10);
    uint64_t stores = rdi_rng_below(rng, 60), shares = rdi_rng_below(rng, 101);
    for (size_t i = 0; i < n; i++) {
        if (rdi_rng_below(rng, 10) >= stays)
            thread = rdi_rng_below(rng, n_threads);
        bool shared = rdi_rng_below(rng, 100) < shares;
        uint64_t from = shared ? base : base + 130 + thread * own % 400;
        uint64_t draw = rdi_rng_below(rng, 100);
        refs[i].thread = thread;
        refs[i].block = next_block(rng, &walkers[thread][shared], from, shared ? common : own);
        refs[i].kind = draw < stores ? RD_STORE : draw < 85 ? RD_LOAD : RD_FETCH;
        blocks[i] = refs[i].block;
        threads[i] = number_of(thread);
        kinds[i] = refs[i].kind;
    }
    return n;
}

static rd_status feed(rdi_rng *rng, rd_simulator *s, size_t n) {
    rd_cache_counts some[RD_CACHES_MAX];
    for (size_t at = 0, step; at < n; at += step) {
        step = 1 + rdi_rng_below(rng, n);
        step = step < n - at ? step : n - at;
        RD_TRY(rd_simulator_feed_threads(s, blocks + at, kinds + at, threads + at, step));
        RD_TRY(rd_simulator_counts(s, some)); /* the counters may be read at any time */
    }
    return RD_OK;
}

static bool same(const char *cache, size_t thread, const uint64_t *a, const uint64_t *b) {
    static const char *const names[] = {
        "references", "misses",     "cold",      "capacity",       "conflict",      "writebacks",
        "far_hits",   "prefetches", "useful",    "useless",        "invalidations", "coherence",
        "removals",   "upgrades",   "transfers", "dirty_transfers"};
    _Static_assert(sizeof(rd_level_counts) == sizeof names / sizeof *names * sizeof(uint64_t),
                   "every counter has a name");
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (a[i] != b[i]) {
            printf("%s of thread %zu: %s is %" PRIu64 " instead of %" PRIu64 "\n", cache, thread,
                   names[i], b[i], a[i]);
            return false;
        }
    return true;
}

static void forget_causes(rd_level_counts *c) {
    c->cache.cold = c->cache.capacity = c->cache.conflict = c->cache.far_hits = 0;
    c->coherence.coherence = 0;
}

/* Compares the counters of all threads with the oracle, and their sums with rd_simulator_counts(). */
static bool compare_counts(const rd_hierarchy *h, rd_simulator *s, size_t n_threads, bool causes) {
    rd_cache_counts all[RD_CACHES_MAX], sum[RD_CACHES_MAX] = {{0}};
    size_t found = 0;
    bool good = rd_simulator_counts(s, all) == RD_OK;
    for (size_t i = 0; i < rd_simulator_threads(s); i++) {
        uint64_t number = 0;
        size_t t = 0;
        good = rd_simulator_thread_counts(s, i, &number, got) == RD_OK && good;
        while (t < n_threads && number_of(t) != number)
            t++;
        found += t < n_threads;
        for (size_t k = 0; k < h->n && t < n_threads; k++) {
            rd_level_counts *e = &expected[t * h->n + k];
            if (!causes)
                forget_causes(e);
            good =
                same(h->cache[k].name, t, (const uint64_t *)e, (const uint64_t *)&got[k]) && good;
            rd_cache_counts_add(&sum[k], &e->cache);
        }
    }
    size_t expected_threads = 0;
    for (size_t t = 0; t < n_threads; t++) {
        bool any = false;
        for (size_t k = 0; k < h->n; k++)
            any = any || expected[t * h->n + k].cache.references;
        expected_threads += any;
    }
    return good && found == expected_threads && memcmp(all, sum, h->n * sizeof *all) == 0;
}

/* ---- one private cache and private stacks ---- */

/* Counts what analyze --stacks=private says about a private cache of `size` blocks: elements 0 to 3 are
 * references, misses, cold misses and coherence misses. */
static rd_status count_stacks(rd_ctx *ctx, uint64_t block_bytes, size_t n, uint64_t size,
                              uint64_t counts[4]) {
    static uint64_t addr[LONGEST], distances[LONGEST];
    static uint32_t origins[LONGEST], thread[LONGEST];
    rd_sharing_config config = {.size = sizeof config, .block_bytes = block_bytes};
    rd_sharing *s = NULL;
    for (size_t i = 0; i < n; i++) {
        addr[i] = blocks[i] * (block_bytes ? block_bytes : 1);
        thread[i] = (uint32_t)refs[i].thread;
        origins[i] = (uint32_t)i;
    }
    rd_refs all = {.n = n,
                   .fields = RD_FIELD_KIND | RD_FIELD_THREAD,
                   .addr = addr,
                   .kind = kinds,
                   .thread = thread};
    rd_sharing_batch batch = {&all, origins, blocks, n, distances};
    RD_TRY(rd_sharing_new(ctx, &config, &s));
    rd_status status = rd_sharing_feed(s, &batch);
    rd_sharing_free(s);
    memset(counts, 0, 4 * sizeof *counts);
    for (size_t i = 0; i < n && status == RD_OK; i++) {
        counts[0]++;
        counts[1] += distances[i] >= size;
        counts[2] += distances[i] == RD_COLD;
        counts[3] += distances[i] == RD_MISS_COHERENCE;
    }
    return status;
}

/* Checks that a fully associative private cache has as many misses, cold misses and coherence misses as private stacks
 * predict for its size, and no conflict misses. */
static bool agrees_with_stacks(rd_ctx *ctx, rdi_rng *rng, uint64_t block_bytes, size_t n) {
    uint64_t size = 1 + rdi_rng_below(rng, 70), counts[4] = {0};
    rd_hierarchy h = {.size = sizeof h, .n = 1};
    rd_simulator_config config = {
        .size = sizeof config, .block_bytes = block_bytes, .private_caches = true};
    rd_level_counts sum = {{0}, {0}}, one;
    rd_simulator *s = NULL;
    strcpy(h.cache[0].name, "L1");
    h.cache[0].bytes = size * (block_bytes ? block_bytes : 1);
    rd_status status = rd_simulator_new(ctx, &h, &config, &s);
    if (status == RD_OK)
        status = feed(rng, s, n);
    for (size_t i = 0; i < rd_simulator_threads(s) && status == RD_OK; i++) {
        uint64_t number;
        status = rd_simulator_thread_counts(s, i, &number, &one);
        rd_level_counts_add(&sum, &one);
    }
    rd_simulator_free(s);
    if (status == RD_OK)
        status = count_stacks(ctx, block_bytes, n, size, counts);
    bool good = status == RD_OK && counts[0] == sum.cache.references &&
                counts[1] == sum.cache.misses && counts[2] == sum.cache.cold &&
                counts[3] == sum.coherence.coherence && sum.cache.conflict == 0;
    if (!good)
        printf("a private cache of %" PRIu64 " blocks differs from private stacks\n", size);
    return good;
}

static bool compare(rd_ctx *ctx, uint64_t seed) {
    static const uint64_t sizes[] = {0, 1, 64, 4096};
    static const size_t numbers[] = {1, 2, 2, 3, 4, 8, 16, THREADS_MOST};
    rdi_rng rng = {seed};
    rd_hierarchy h;
    rd_simulator *s = NULL;
    uint64_t block_bytes = sizes[rdi_rng_below(&rng, RDI_COUNT(sizes))];
    size_t n_threads = numbers[rdi_rng_below(&rng, RDI_COUNT(numbers))];
    hierarchies_random(&rng, block_bytes, &h);
    share_caches(&rng, &h);
    size_t n = some_trace(&rng, n_threads, block_bytes);
    rd_simulator_config config = {.size = sizeof config,
                                  .block_bytes = block_bytes,
                                  .without_causes = rdi_rng_below(&rng, 5) == 0,
                                  .private_caches = true};
    cache_oracle_run_private(&h, block_bytes, refs, n, n_threads, expected);
    rd_status status = rd_simulator_new(ctx, &h, &config, &s);
    if (status == RD_OK)
        status = feed(&rng, s, n);
    bool good = status == RD_OK && compare_counts(&h, s, n_threads, !config.without_causes) &&
                agrees_with_stacks(ctx, &rng, block_bytes, n);
    char *text = NULL;
    if (status != RD_OK)
        printf("%s\n", rd_last_error(ctx));
    if (!good && rd_hierarchy_text(ctx, &h, &text) == RD_OK)
        printf("seed %" PRIu64 ", %zu references of %zu threads, blocks of %" PRIu64 " bytes: %s\n",
               seed, n, n_threads, block_bytes, text);
    rd_text_free(ctx, text);
    rd_simulator_free(s);
    return good;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: test_private_caches FIRST_SEED NUMBER_OF_SEEDS\n");
        return 2;
    }
    rd_ctx *ctx = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return 1;
    uint64_t first = strtoull(argv[1], NULL, 0), n = strtoull(argv[2], NULL, 0), bad = 0;
    for (uint64_t seed = first; seed < first + n; seed++)
        bad += !compare(ctx, seed);
    printf("%" PRIu64 " of %" PRIu64 " hierarchies differ from the oracle\n", bad, n);
    bad += rd_ctx_live_bytes(ctx) != 0;
    rd_ctx_free(ctx);
    return bad != 0;
}
