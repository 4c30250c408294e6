/* Tests rd_sharing, the analysis of private caches, mainly against two oracles that follow the definitions. One
 * computes each distance as the largest number of other blocks that were present at any moment since the thread's last
 * reference to the block. The other simulates private LRU caches. `test_sharing N` compares N random traces. */
#include "base/common.h"
#include "base/cpu.h"
#include "reusedist/engine.h"
#include "reusedist/sharing.h"
#include "sharing/private_stacks.h"
#include "support/context.h"
#include "support/faults.h"
#include "support/sharing_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFS  120
#define SPLIT (REFS * 5) /* maximum number of block references */

typedef struct trace {
    size_t n;
    uint64_t addr[REFS];
    uint32_t size[REFS], thread[REFS];
    uint8_t kind[REFS];
    uint64_t block_bytes; /* 0: every address is a block */
    bool has_sizes, drops_fetches;
    size_t n_blocks; /* number of block references */
    uint64_t block[SPLIT];
    uint32_t origin[SPLIT];
    oracle_reference split[SPLIT];
} trace;

static uint64_t random_traces = 400;

/* ---- random traces ---- */

/* Splits the references into blocks, as docs/architecture.md defines it, and drops fetches if the trace says so. */
static void split_trace(trace *t) {
    t->n_blocks = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t bytes = t->block_bytes, size = t->has_sizes ? t->size[i] : 1;
        uint64_t from = t->addr[i], to = from + size - 1;
        uint64_t b = bytes ? from / bytes : from, end = bytes ? to / bytes : from;
        if (t->drops_fetches && t->kind[i] == RD_FETCH)
            continue;
        for (; b <= end; b++) {
            uint64_t first = bytes && from > b * bytes ? from - b * bytes : 0;
            uint64_t last = !bytes ? 0 : to < b * bytes + bytes - 1 ? to - b * bytes : bytes - 1;
            uint64_t unit = bytes > 65536 ? bytes / 65536 : 1;
            t->block[t->n_blocks] = b;
            t->origin[t->n_blocks] = (uint32_t)i;
            t->split[t->n_blocks++] = (oracle_reference){.thread = t->thread[i],
                                                         .store = t->kind[i] == RD_STORE,
                                                         .block = b,
                                                         .first = first / unit,
                                                         .last = last / unit};
        }
    }
}

static void make_trace(uint64_t seed, trace *t) {
    static const uint64_t sizes[] = {64, 64, 1, 4, 0, 128, 256, 4096, 1 << 20, 16};
    static const uint64_t threads[] = {1, 2, 2, 3, 4, 8, 64};
    rdi_rng rng = {seed};
    t->n = 1 + rdi_rng_below(&rng, REFS);
    t->block_bytes = sizes[seed % RDI_COUNT(sizes)];
    t->has_sizes = rdi_rng_below(&rng, 8) != 0;
    t->drops_fetches = rdi_rng_below(&rng, 2) != 0;
    uint64_t n_threads = threads[rdi_rng_below(&rng, RDI_COUNT(threads))];
    uint64_t bytes = t->block_bytes ? t->block_bytes : 1, most = bytes < 4 ? 4 : 2 * bytes;
    uint64_t blocks = 1 + rdi_rng_below(&rng, 9), stores = 1 + rdi_rng_below(&rng, 8);
    uint64_t fields = 1 + rdi_rng_below(&rng, 8); /* references begin at few addresses of a block */
    most = most > 4 * bytes ? 4 * bytes : most;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t field = rdi_rng_below(&rng, fields) * bytes / fields;
        bool wide = rdi_rng_below(&rng, 10) == 0;
        t->addr[i] = (1 + rdi_rng_below(&rng, blocks)) * bytes + field;
        t->size[i] =
            (uint32_t)(1 + rdi_rng_below(&rng, wide ? most : (bytes + fields - 1) / fields));
        t->thread[i] = (uint32_t)(rdi_rng_below(&rng, n_threads) * 77);
        t->kind[i] = rdi_rng_below(&rng, 8) < stores / 2 ? RD_STORE : RD_LOAD;
        if (rdi_rng_below(&rng, 20) == 0)
            t->kind[i] = RD_FETCH;
    }
    for (size_t i = 1; seed % 3 == 0 && i < t->n / 2; i++)
        t->thread[i] = t->thread[0]; /* the other threads begin later */
    split_trace(t);
}

/* ---- comparison ---- */

typedef enum result { DISTANCES, DISTANCES_AND_DETAILS, ONLY_DETAILS } result;

/* Feeds the trace in batches of `step` block references, and makes the profile. With ONLY_DETAILS, *out must be a
 * profile, to which the details are added. After a failure, *out is NULL. */
static rd_status analyze(rd_ctx *ctx, const trace *t, size_t step, result wanted,
                         uint64_t *distances, rd_profile **out) {
    rd_sharing_config config = {.size = sizeof config,
                                .block_bytes = t->block_bytes,
                                .binning = {RD_BINS_FULL, 0},
                                .details = wanted != DISTANCES,
                                .details_only = wanted == ONLY_DETAILS};
    rd_refs refs = {.n = t->n,
                    .addr = t->addr,
                    .size = t->has_sizes ? t->size : NULL,
                    .kind = t->kind,
                    .thread = t->thread};
    rd_sharing *s = NULL;
    rd_status status = rd_sharing_new(ctx, &config, &s);
    for (size_t at = 0; at < t->n_blocks && status == RD_OK; at += step) {
        size_t n = t->n_blocks - at < step ? t->n_blocks - at : step;
        rd_sharing_batch batch = {&refs, t->origin + at, t->block + at, n,
                                  distances ? distances + at : NULL};
        status = rd_sharing_feed(s, &batch);
    }
    if (status == RD_OK && wanted != ONLY_DETAILS)
        status = rd_sharing_profile(s, out);
    if (status == RD_OK)
        status = rd_sharing_attach(s, *out);
    if (status != RD_OK) {
        rd_profile_free(*out);
        *out = NULL;
    }
    rd_sharing_free(s);
    return status;
}

/* ---- shared blocks ---- */

#define THREADS_MOST 64

/* Returns whether the reference uses byte `byte` of its block. */
static bool uses(const oracle_reference *r, uint64_t byte) {
    return r->first <= byte && byte <= r->last;
}

/* Returns whether bytes x and y of the block are loaded by the same threads and stored by the same threads, in
 * the references from `from` on. */
static bool is_alike(const trace *t, uint64_t block, size_t from, uint64_t x, uint64_t y) {
    for (uint32_t thread = 0; thread < THREADS_MOST; thread++)
        for (int store = 0; store < 2; store++) {
            bool used[2] = {false, false};
            for (size_t i = from; i < t->n_blocks; i++) {
                const oracle_reference *r = &t->split[i];
                if (r->block != block || r->thread != thread * 77 || r->store != (store != 0))
                    continue;
                used[0] = used[0] || uses(r, x);
                used[1] = used[1] || uses(r, y);
            }
            if (used[0] != used[1])
                return false;
        }
    return true;
}

/* Takes the bytes from `first` to `last` of the block as a block of their own, and counts its misses in infinite
 * private caches. Only misses of the references from `from` on count. */
static uint64_t count_misses(const trace *t, uint64_t block, size_t from, uint64_t first,
                             uint64_t last) {
    bool present[THREADS_MOST] = {false};
    uint64_t misses = 0;
    for (size_t i = 0; i < t->n_blocks; i++) {
        const oracle_reference *r = &t->split[i];
        if (r->block != block || r->last < first || last < r->first)
            continue;
        misses += i >= from && !present[r->thread / 77];
        if (r->store)
            memset(present, 0, sizeof present);
        present[r->thread / 77] = true;
    }
    return misses;
}

/* Returns whether a reference from `from` on uses byte `byte` of the block. */
static bool is_used(const trace *t, uint64_t block, size_t from, uint64_t byte) {
    for (size_t i = from; i < t->n_blocks; i++)
        if (t->split[i].block == block && uses(&t->split[i], byte))
            return true;
    return false;
}

/* Returns the smallest number of misses that is possible if the block is divided into groups of adjacent items and
 * every group becomes a block of its own. An item consists of adjacent bytes that the same threads load and the same
 * threads store. */
static uint64_t misses_apart(const trace *t, uint64_t block, size_t from) {
    uint64_t first[64], last[64], left[65] = {0};
    size_t n = 0;
    for (uint64_t byte = 0; byte < t->block_bytes; byte++) {
        if (!is_used(t, block, from, byte))
            continue;
        if (n == 0 || last[n - 1] + 1 != byte || !is_alike(t, block, from, byte - 1, byte))
            first[n++] = byte;
        last[n - 1] = byte;
    }
    for (size_t k = 1; k <= n; k++) {
        left[k] = UINT64_MAX;
        for (size_t i = 0; i < k; i++) {
            bool whole = k - i == n;
            uint64_t misses = left[i] + count_misses(t, block, from, whole ? 0 : first[i],
                                                     whole ? t->block_bytes - 1 : last[k - 1]);
            left[k] = misses < left[k] ? misses : left[k];
        }
    }
    return left[n];
}

/* Returns whether `list` has exactly the threads that load byte `byte` of the block from reference `from` on or, if
 * `stores` is true, the threads that store to it. The list has numbers separated by blanks, and "..." after the
 * first 16 of them if there are more. */
static bool lists_users(const trace *t, uint64_t block, size_t from, uint64_t byte, bool stores,
                        const char *list) {
    char expected[THREADS_MOST * 6] = "";
    size_t listed = 0;
    for (uint32_t thread = 0; thread < THREADS_MOST; thread++) {
        bool used = false;
        for (size_t i = from; i < t->n_blocks; i++) {
            const oracle_reference *r = &t->split[i];
            used = used || (r->block == block && r->thread == thread * 77 && r->store == stores &&
                            uses(r, byte));
        }
        if (used && listed < 16)
            sprintf(expected + strlen(expected), "%s%u", listed ? " " : "", thread * 77);
        listed += used;
    }
    return strcmp(strcat(expected, listed > 16 ? " ..." : ""), list) == 0;
}

/* Checks that the items of a block are its bytes that were used from reference `from` on, with the threads
 * that used them. */
static void check_items(const trace *t, const rd_shared_block *b, size_t from) {
    uint64_t block = b->address / t->block_bytes;
    size_t k = 0;
    for (uint64_t byte = 0; byte < t->block_bytes; byte++) {
        while (k < b->n_items && b->items[k].last < byte)
            k++;
        bool in_item = k < b->n_items && b->items[k].first <= byte;
        assert_int_equal(in_item, is_used(t, block, from, byte));
        if (!in_item)
            continue;
        assert_true(lists_users(t, block, from, byte, false, b->items[k].readers));
        assert_true(lists_users(t, block, from, byte, true, b->items[k].writers));
    }
}

/* Compares the counts, items and avoidable misses of a shared block with the oracle. */
static void check_block(const trace *t, const oracle_sharing *sharing, const rd_shared_block *b) {
    uint64_t block = t->block_bytes ? b->address / t->block_bytes : b->address;
    uint64_t stores = 0, loads = 0, trues = 0, falses = 0, threads = 0;
    bool seen[THREADS_MOST] = {false};
    size_t from = SIZE_MAX;
    for (size_t i = 0; i < t->n_blocks; i++) {
        const oracle_reference *r = &t->split[i];
        if (r->block != block)
            continue;
        stores += r->store;
        loads += !r->store;
        trues += sharing[i] == ORACLE_TRUE;
        falses += sharing[i] == ORACLE_FALSE;
        threads += !seen[r->thread / 77];
        seen[r->thread / 77] = true;
        if (from == SIZE_MAX && sharing[i] != ORACLE_NO_MISS)
            from = i;
    }
    assert_int_equal(b->stores, stores);
    assert_int_equal(b->loads, loads);
    assert_int_equal(b->true_sharing, trues);
    assert_int_equal(b->false_sharing, falses);
    assert_int_equal(b->threads, threads);
    if (t->block_bytes == 0 || t->block_bytes > 64)
        return;
    check_items(t, b, from);
    uint64_t whole = count_misses(t, block, from, 0, t->block_bytes - 1);
    uint64_t left = misses_apart(t, block, from);
    if (b->first)
        assert_int_equal(b->removes, whole - left);
    else
        assert_int_equal(b->removes, 0);
    assert_true(left <= whole);
    /* If `b` has no pair of items to separate, separate blocks would avoid at most one miss per thread. */
    assert_true(b->first || left + threads >= whole);
}

/* Checks the number of coherence misses of each thread in each window. */
static void check_timelines(const trace *t, const oracle_sharing *sharing,
                            const rd_shared_data *s) {
    size_t listed = 0;
    for (uint32_t thread = 0; thread < THREADS_MOST; thread++) {
        uint64_t expected[SPLIT] = {0}, all = 0;
        for (size_t i = 0; i < t->n_blocks; i++) {
            bool miss = t->split[i].thread == thread * 77 && sharing[i] != ORACLE_NO_MISS;
            expected[i / s->window] += miss;
            all += miss;
        }
        if (all == 0)
            continue;
        assert_true(listed < s->n_timelines);
        const rd_shared_timeline *row = &s->timelines[listed++];
        assert_int_equal(row->thread, thread * 77);
        assert_int_equal(row->n, (t->n_blocks + s->window - 1) / s->window);
        assert_true(row->n <= 128);
        for (size_t w = 0; w < row->n; w++)
            assert_int_equal(row->misses[w], expected[w]);
    }
    assert_int_equal(listed, s->n_timelines);
}

/* Checks that the profile has all blocks with coherence misses, those with the most coherence misses first. */
static void check_shared(const trace *t, const oracle_sharing *sharing, rd_profile *profile) {
    const rd_shared_data *s = rd_profile_shared(profile);
    const rd_private_stacks *all = rd_profile_private(profile);
    uint64_t misses = 0, before = UINT64_MAX;
    assert_non_null(s);
    assert_int_equal(s->threads, all->n_threads);
    for (size_t i = 0; i < s->n_blocks; i++) {
        uint64_t own = s->blocks[i].true_sharing + s->blocks[i].false_sharing;
        check_block(t, sharing, &s->blocks[i]);
        assert_true(own > 0 && own <= before);
        before = own;
        misses += own;
    }
    assert_int_equal(misses, all->all.coherence);
    assert_int_equal(s->n_blocks, s->shared_blocks);
    check_timelines(t, sharing, s);
}

static void check_counts(const trace *t, const uint64_t *distances, const oracle_sharing *sharing,
                         rd_profile *profile) {
    const rd_private_stacks *all = rd_profile_private(profile);
    const rd_profile_facts *facts = rd_profile_facts_of(profile);
    rd_private_counts sum = {0};
    assert_non_null(all);
    for (size_t k = 0; k < all->n_threads; k++) {
        const rd_thread_profile *thread = &all->threads[k];
        rd_private_counts c = {0};
        uint64_t finite = 0;
        for (size_t i = 0; i < t->n_blocks; i++) {
            if (t->split[i].thread != thread->thread)
                continue;
            c.references++;
            c.stores += t->split[i].store;
            c.cold += distances[i] == RD_COLD;
            c.coherence += distances[i] == RD_MISS_COHERENCE;
            c.true_sharing += sharing[i] == ORACLE_TRUE;
            c.false_sharing += sharing[i] == ORACLE_FALSE;
        }
        for (size_t b = 0; b < thread->n_bins; b++) {
            uint64_t count = 0;
            for (size_t i = 0; i < t->n_blocks; i++)
                count +=
                    t->split[i].thread == thread->thread && distances[i] == thread->bins[b].low;
            assert_int_equal(thread->bins[b].count, count);
            finite += count;
        }
        assert_int_equal(thread->counts.references, c.references);
        assert_int_equal(thread->counts.stores, c.stores);
        assert_int_equal(thread->counts.cold, c.cold);
        assert_int_equal(thread->counts.coherence, c.coherence);
        assert_int_equal(thread->counts.true_sharing, c.true_sharing);
        assert_int_equal(thread->counts.false_sharing, c.false_sharing);
        assert_int_equal(finite + c.cold + c.coherence, c.references);
        sum.references += c.references;
        sum.cold += c.cold;
        sum.coherence += c.coherence;
    }
    assert_int_equal(sum.references, t->n_blocks);
    assert_int_equal(facts->references, t->n_blocks);
    assert_int_equal(facts->cold, sum.cold);
    assert_int_equal(facts->infinite, sum.cold + sum.coherence);
}

/* Compares an analysis with the oracles: `expected` has the distances, and `sharing` the kinds of
 * coherence misses. If `wanted` is DISTANCES, a second analysis, without distances, measures the details.
 * Sets *text to the profile as JSON, which the caller frees. */
static void compare_analysis(rd_ctx *ctx, uint64_t seed, const trace *t, result wanted,
                             const uint64_t *expected, const oracle_sharing *sharing, char **text) {
    size_t n;
    static uint64_t measured[SPLIT];
    static bool hits[SPLIT];
    rd_profile *profile = NULL;
    assert_int_equal(analyze(ctx, t, 1 + seed % 50, wanted, measured, &profile), RD_OK);
    for (size_t i = 0; i < t->n_blocks; i++)
        if (measured[i] != expected[i])
            fail_msg("seed %llu: reference %zu has distance %lld instead of %lld",
                     (unsigned long long)seed, i, (long long)measured[i], (long long)expected[i]);
    for (size_t size = 1; size <= 12; size++) {
        oracle_private_caches(t->split, t->n_blocks, size, hits);
        for (size_t i = 0; i < t->n_blocks; i++)
            if (hits[i] != (measured[i] < size))
                fail_msg("seed %llu: reference %zu, cache of %zu blocks", (unsigned long long)seed,
                         i, size);
    }
    check_counts(t, expected, sharing, profile);
    if (wanted == DISTANCES)
        assert_int_equal(analyze(ctx, t, 1 + seed % 70, ONLY_DETAILS, NULL, &profile), RD_OK);
    check_shared(t, sharing, profile);
    assert_int_equal(rd_profile_json(profile, text, &n), RD_OK);
    rd_profile_free(profile);
}

static void compare_trace(rd_ctx *ctx, uint64_t seed) {
    static trace t;
    static uint64_t expected[SPLIT];
    static oracle_sharing sharing[SPLIT];
    make_trace(seed, &t);
    oracle_private(t.split, t.n_blocks, expected, sharing);
    char *together = NULL, *apart = NULL;
    compare_analysis(ctx, seed, &t, DISTANCES_AND_DETAILS, expected, sharing, &together);
    compare_analysis(ctx, seed, &t, DISTANCES, expected, sharing, &apart);
    assert_string_equal(together, apart);
    rd_text_free(ctx, together);
    rd_text_free(ctx, apart);
}

static void test_random(void **state) {
    for (uint64_t seed = 0; seed < random_traces; seed++)
        compare_trace(*state, seed);
}

/* Makes the analysis use the plain kernel if `which` is 1, and the kernel for AVX2 if it is 2 and the
 * processor has AVX2. Otherwise the analysis keeps the best kernel. */
static void choose_kernel(rd_ctx *ctx, uint64_t which, rd_sharing *s) {
    rdi_isa isa;
    if (which == 1)
        s->kernel = &rdi_top_plain;
    else if (which == 2 && rdi_isa_choose(ctx, "test", RDI_ISA_AVX2, &isa) == RD_OK)
        s->kernel = &rdi_top_avx2;
    s->scans = s->scans && s->kernel->scan;
}

/* A long trace of one to four threads, which mostly use more blocks than the top of a stack has
 * lanes. */
enum { LONG = 60000 }; /* enough to renumber the times of the top if there is one thread */
typedef struct long_trace {
    uint64_t blocks; /* maximum number of private blocks per thread, and of shared blocks */
    uint64_t addr[LONG], block[LONG];
    uint32_t thread[LONG], origin[LONG];
    uint8_t kind[LONG];
} long_trace;

static void make_long(uint64_t seed, long_trace *t) {
    rdi_rng rng = {seed};
    uint64_t blocks = 40 + rdi_rng_below(&rng, 200), shared = rdi_rng_below(&rng, 2) * 6;
    uint64_t run = 1 + rdi_rng_below(&rng, 300), now = 0;
    t->blocks = blocks;
    for (size_t i = 0; i < LONG; i++) {
        now = rdi_rng_below(&rng, run) ? now : rdi_rng_below(&rng, 1 + seed % 4);
        bool is_shared = rdi_rng_below(&rng, 10) < shared;
        uint64_t near =
            rdi_rng_below(&rng, 3) ? 12 : blocks; /* most references are to few blocks */
        t->block[i] = rdi_rng_below(&rng, near) + (is_shared ? 0 : (now + 1) << 20);
        if (i > 0 && rdi_rng_below(&rng, 3) == 0 && t->thread[i - 1] == now)
            t->block[i] = t->block[i - 1];
        t->addr[i] = 64 * t->block[i] + 8 * rdi_rng_below(&rng, 8);
        t->thread[i] = (uint32_t)now;
        t->kind[i] = rdi_rng_below(&rng, 5) ? RD_LOAD : RD_STORE;
        t->origin[i] = (uint32_t)i;
    }
}

/* Analyzes the trace with the kernel that choose_kernel() chooses, and stores the distances in
 * `measured`. Returns the analysis, which the caller frees. */
static rd_sharing *feed_long(rd_ctx *ctx, const long_trace *t, uint64_t which, bool details,
                             uint64_t *measured) {
    rd_sharing_config config = {.size = sizeof config, .block_bytes = 64, .details = details};
    rd_refs refs = {.n = LONG, .addr = t->addr, .kind = t->kind, .thread = t->thread};
    rd_sharing *s = NULL;
    assert_int_equal(rd_sharing_new(ctx, &config, &s), RD_OK);
    choose_kernel(ctx, which, s);
    for (size_t at = 0; at < LONG; at += 4096) {
        size_t n = LONG - at < 4096 ? LONG - at : 4096;
        rd_sharing_batch batch = {&refs, t->origin + at, t->block + at, n, measured + at};
        assert_int_equal(rd_sharing_feed(s, &batch), RD_OK);
    }
    return s;
}

/* Compares a long trace with simulated caches of many sizes. */
static void compare_long(rd_ctx *ctx, uint64_t seed, bool details) {
    static long_trace t;
    static uint64_t measured[LONG];
    static oracle_reference split[LONG];
    static bool hits[LONG];
    make_long(seed, &t);
    for (size_t i = 0; i < LONG; i++)
        split[i] = (oracle_reference){
            .thread = t.thread[i], .store = t.kind[i] == RD_STORE, .block = t.block[i]};
    rd_sharing_free(feed_long(ctx, &t, seed / 4 % 3, details, measured));
    for (size_t size = 1; size < t.blocks + 20; size += size < 62 || size > 66 ? 17 : 1) {
        oracle_private_caches(split, LONG, size, hits);
        for (size_t i = 0; i < LONG; i++)
            if (hits[i] != (measured[i] < size))
                fail_msg("seed %llu: reference %zu, cache of %zu blocks", (unsigned long long)seed,
                         i, size);
    }
}

static void test_long(void **state) {
    for (uint64_t seed = 0; seed < random_traces / 33; seed++)
        compare_long(*state, seed, seed % 5 == 3);
}

/* Tests that all kernels count the same, true and false sharing included. The plain kernel has no
 * scan. */
static void test_kernels(void **state) {
    static long_trace t;
    static uint64_t measured[2][LONG];
    for (uint64_t seed = 0; seed < 3 + random_traces / 66; seed++) {
        char *text[2] = {NULL};
        size_t n;
        make_long(4 * seed + 2, &t); /* three threads */
        for (size_t k = 0; k < 2; k++) {
            rd_sharing *s = feed_long(*state, &t, k ? 2 * (seed % 2) : 1, false, measured[k]);
            rd_profile *profile = NULL;
            assert_int_equal(rd_sharing_profile(s, &profile), RD_OK);
            assert_int_equal(rd_profile_json(profile, &text[k], &n), RD_OK);
            rd_profile_free(profile);
            rd_sharing_free(s);
        }
        assert_string_equal(text[0], text[1]);
        assert_memory_equal(measured[0], measured[1], sizeof measured[0]);
        rd_text_free(*state, text[0]);
        rd_text_free(*state, text[1]);
    }
}

/* Tests two threads whose fields are in one block of 64 bytes, with known coherence misses. */
static void test_known(void **state) {
    trace t = {.n = 8,
               .addr = {64, 72, 64, 72, 72, 64, 64, 200},
               .size = {8, 8, 8, 8, 8, 8, 8, 8},
               .thread = {1, 2, 1, 2, 1, 2, 1, 1},
               .kind = {RD_STORE, RD_STORE, RD_STORE, RD_STORE, RD_LOAD, RD_LOAD, RD_LOAD, RD_LOAD},
               .block_bytes = 64,
               .has_sizes = true};
    static const uint64_t expected[] = {
        RD_COLD, RD_COLD, RD_MISS_COHERENCE, RD_MISS_COHERENCE, RD_MISS_COHERENCE, 0, 0, RD_COLD};
    uint64_t measured[SPLIT];
    rd_profile *profile = NULL;
    split_trace(&t);
    assert_int_equal(analyze(*state, &t, 8, DISTANCES_AND_DETAILS, measured, &profile), RD_OK);
    assert_memory_equal(measured, expected, sizeof expected);
    const rd_private_stacks *all = rd_profile_private(profile);
    assert_int_equal(all->n_threads, 2);
    /* Thread 1 misses when it stores to byte 64 again, although thread 2 has stored only to byte 72: false sharing. It
     * misses again when it loads byte 72, which thread 2 has stored: true sharing. Thread 2 misses when it stores to
     * byte 72 again, and then loads byte 64, which thread 1 stored before this miss: true sharing. */
    assert_int_equal(all->threads[0].counts.true_sharing, 1);
    assert_int_equal(all->threads[0].counts.false_sharing, 1);
    assert_int_equal(all->threads[1].counts.true_sharing, 1);
    assert_int_equal(all->threads[1].counts.false_sharing, 0);
    rd_profile_free(profile);
}

/* Tests that threads with the same number in different processes have different caches if the option
 * `processes` is set. */
static void test_processes(void **state) {
    const uint64_t addr[] = {64, UINT64_C(1) << 48 | 64, 64, UINT64_C(1) << 48 | 64};
    const uint64_t blocks[] = {1, UINT64_C(1) << 42 | 1, 1, UINT64_C(1) << 42 | 1};
    const uint32_t thread[] = {1, 1, 1, 1}, origins[] = {0, 1, 2, 3};
    const uint8_t kind[] = {RD_STORE, RD_STORE, RD_STORE, RD_STORE};
    for (int processes = 0; processes < 2; processes++) {
        rd_sharing_config config = {
            .size = sizeof config, .block_bytes = 64, .processes = processes != 0};
        rd_refs refs = {.n = 4, .addr = addr, .kind = kind, .thread = thread};
        uint64_t distances[4];
        rd_sharing *s = NULL;
        rd_profile *profile = NULL;
        assert_int_equal(rd_sharing_new(*state, &config, &s), RD_OK);
        rd_sharing_batch batch = {&refs, origins, blocks, 4, distances};
        assert_int_equal(rd_sharing_feed(s, &batch), RD_OK);
        assert_int_equal(distances[2], processes ? 0 : 1);
        assert_int_equal(rd_sharing_profile(s, &profile), RD_OK);
        assert_int_equal(rd_profile_private(profile)->n_threads, processes ? 2 : 1);
        assert_int_equal(rd_sharing_feed(s, &batch), RD_ESTATE);
        rd_profile_free(profile);
        rd_sharing_free(s);
    }
}

/* Tests many threads, blocks and removals, so that the axes are renumbered. If no thread stores, the distances
 * must equal those of one engine per thread. Every coherence miss must be true or false sharing. */
static void test_many(void **state) {
    enum { THREADS = 70, BLOCKS = 3000, N = 60000 };
    rd_ctx *ctx = *state;
    rdi_rng rng = {7};
    uint64_t *addr = malloc(N * sizeof *addr), *measured = malloc(N * sizeof *measured);
    uint32_t *thread = malloc(N * sizeof *thread), *origins = malloc(N * sizeof *origins);
    uint8_t *kind = malloc(N);
    for (int stores = 0; stores < 2; stores++) {
        rd_sharing *s = NULL;
        rd_profile *profile = NULL;
        rd_engine *engines[THREADS] = {NULL};
        for (size_t i = 0; i < N; i++) {
            addr[i] = rdi_rng_below(&rng, BLOCKS);
            thread[i] = (uint32_t)rdi_rng_below(&rng, THREADS);
            kind[i] = stores && rdi_rng_below(&rng, 4) == 0 ? RD_STORE : RD_LOAD;
            origins[i] = (uint32_t)i;
        }
        rd_refs refs = {.n = N, .addr = addr, .kind = kind, .thread = thread};
        rd_sharing_batch batch = {&refs, origins, addr, N, measured};
        assert_int_equal(rd_sharing_new(ctx, NULL, &s), RD_OK);
        assert_int_equal(rd_sharing_feed(s, &batch), RD_OK);
        for (size_t k = 0; k < THREADS && !stores; k++)
            assert_int_equal(rd_engine_open(ctx, "stack", NULL, &engines[k]), RD_OK);
        for (size_t i = 0; i < N && !stores; i++) {
            uint64_t distance;
            assert_int_equal(rd_engine_feed(engines[thread[i]], &addr[i], 1, &distance), RD_OK);
            assert_int_equal(measured[i], distance);
        }
        assert_int_equal(rd_sharing_profile(s, &profile), RD_OK);
        const rd_private_stacks *all = rd_profile_private(profile);
        assert_int_equal(all->n_threads, THREADS);
        assert_int_equal(all->all.true_sharing + all->all.false_sharing, all->all.coherence);
        assert_int_equal(all->all.coherence != 0, stores);
        for (size_t k = 0; k < THREADS; k++)
            rd_engine_close(engines[k]);
        rd_profile_free(profile);
        rd_sharing_free(s);
    }
    free(addr);
    free(measured);
    free(thread);
    free(origins);
    free(kind);
}

static rd_status faulty_body(rd_ctx *ctx, void *user) {
    rd_profile *profile = NULL;
    RD_TRY(analyze(ctx, user, 10, DISTANCES_AND_DETAILS, NULL, &profile));
    RD_TRY(analyze(ctx, user, 10, ONLY_DETAILS, NULL, &profile));
    char *text = NULL;
    size_t n = 0;
    rd_profile *again = NULL, *sum = NULL;
    rd_status status = rd_profile_json(profile, &text, &n);
    if (status == RD_OK)
        status = rd_profile_parse(ctx, "profile", text, n, &again);
    if (status == RD_OK)
        status = rd_profile_merge(ctx, (rd_profile *[]){profile, again}, 2, &sum);
    rd_text_free(ctx, text);
    rd_profile_free(sum);
    rd_profile_free(again);
    rd_profile_free(profile);
    return status;
}

static void test_faults(void **state) {
    (void)state;
    static trace t;
    make_trace(20, &t);
    assert_true(faults_inject("private caches", faulty_body, &t, RD_OK) > 10);
}

/* Tests that a profile is the same after it was written and read, and that a profile merged with itself has
 * twice the counts. */
static void test_profile_file(void **state) {
    rd_ctx *ctx = *state;
    static trace t;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rd_profile *profile = NULL, *again = NULL, *sum = NULL;
        char *text = NULL, *second = NULL;
        size_t n, n_second;
        make_trace(seed, &t);
        assert_int_equal(analyze(ctx, &t, 10, DISTANCES_AND_DETAILS, NULL, &profile), RD_OK);
        assert_int_equal(rd_profile_json(profile, &text, &n), RD_OK);
        assert_int_equal(rd_profile_parse(ctx, "profile", text, n, &again), RD_OK);
        assert_int_equal(rd_profile_json(again, &second, &n_second), RD_OK);
        assert_string_equal(text, second);
        assert_int_equal(rd_profile_merge(ctx, (rd_profile *[]){profile, again}, 2, &sum), RD_OK);
        const rd_private_stacks *one = rd_profile_private(profile), *two = rd_profile_private(sum);
        assert_int_equal(two->n_threads, one->n_threads);
        for (size_t k = 0; k < one->n_threads; k++) {
            const rd_thread_profile *x = &one->threads[k], *y = &two->threads[k];
            assert_int_equal(y->counts.references, 2 * x->counts.references);
            assert_int_equal(y->counts.false_sharing, 2 * x->counts.false_sharing);
            assert_int_equal(y->n_bins, x->n_bins);
            for (size_t b = 0; b < x->n_bins; b++)
                assert_int_equal(y->bins[b].count, 2 * x->bins[b].count);
        }
        rd_text_free(ctx, text);
        rd_text_free(ctx, second);
        rd_profile_free(sum);
        rd_profile_free(again);
        rd_profile_free(profile);
    }
}

static void test_mistakes(void **state) {
    rd_sharing *s = NULL;
    rd_sharing_config config = {.size = sizeof config, .block_bytes = 48};
    assert_int_equal(rd_sharing_new(*state, &config, &s), RD_EINVAL);
    config = (rd_sharing_config){.size = sizeof config, .block_bytes = 64, .details_only = true};
    assert_int_equal(rd_sharing_new(*state, &config, &s), RD_EINVAL);
    config.details = true;
    assert_int_equal(rd_sharing_new(*state, &config, &s), RD_OK);
    rd_profile *profile = NULL;
    uint64_t address = 64, block = 1, distance;
    uint32_t origin = 0;
    rd_refs refs = {.n = 1, .addr = &address};
    rd_sharing_batch batch = {&refs, &origin, &block, 1, &distance};
    assert_int_equal(rd_sharing_feed(s, &batch), RD_EINVAL);
    assert_int_equal(rd_sharing_profile(s, &profile), RD_ESTATE);
    rd_sharing_free(s);
    assert_int_equal(rd_sharing_feed(NULL, NULL), RD_EINVAL);
    assert_null(rd_profile_private(NULL));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),   cmocka_unit_test(test_long),
        cmocka_unit_test(test_known),    cmocka_unit_test(test_processes),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_profile_file),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_kernels),
    };
    if (argc > 1)
        random_traces = strtoull(argv[1], NULL, 10);
    struct CMUnitTest set_up[RDI_COUNT(tests)];
    memcpy(set_up, tests, sizeof tests);
    for (size_t i = 0; i < RDI_COUNT(tests); i++) {
        set_up[i].setup_func = context_new;
        set_up[i].teardown_func = context_free;
    }
    return cmocka_run_group_tests(set_up, NULL, NULL);
}
