/* Tests rd_kv, the analysis of prefix caches. Among other things, compares its one-pass curve with a
 * plain simulator at every size, on random logs with shared prefixes. An argument sets the number of
 * logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/common.h"
#include "support/fixture.h"
#include "support/kv_oracle.h"

#include <stdlib.h>
#include <string.h>

static unsigned long logs = 300;
static oracle_log input;

/* Analyzes the log with the given rules and all sizes from 1 to 63 blocks. */
static rd_kv *analyze(const oracle_rules *rules, bool opt, const uint64_t *tiers, size_t n_tiers) {
    rd_kv_config config = {.size = sizeof config,
                           .block_tokens = input.block_tokens,
                           .order = rules->order,
                           .full_only = rules->full_only,
                           .outputs = rules->outputs,
                           .opt = opt,
                           .n_tiers = n_tiers};
    for (size_t i = 0; i < RD_KV_SIZES_MAX - 1; i++)
        config.sizes[config.n_sizes++] = i + 1;
    for (size_t i = 0; i < n_tiers; i++)
        config.tiers[i] = tiers[i];
    rd_kv *kv = NULL;
    assert_int_equal(rd_kv_new(ctx, &config, &kv), RD_OK);
    for (size_t i = 0; i < input.n; i++) {
        rd_kv_request request = oracle_request_at(&input, i);
        assert_int_equal(rd_kv_feed(kv, &request), RD_OK);
    }
    assert_int_equal(rd_kv_finish(kv), RD_OK);
    return kv;
}

/* Returns the rules of case number `i`. */
static oracle_rules rules_of(unsigned long i) {
    return (oracle_rules){.order = i & 1 ? RD_KV_TAIL : RD_KV_FRONT,
                          .full_only = i >> 1 & 1,
                          .outputs = input.sequences && (i >> 2 & 1)};
}

/* ---- the curve ---- */

static void check_curve(const rd_kv *kv, const oracle_rules *rules) {
    rd_kv_totals totals = rd_kv_totals_of(kv);
    for (uint64_t size = 0; size <= totals.distinct + 1; size++) {
        oracle_hits expected = oracle_simulate(&input, rules, (size_t)size, NULL);
        rd_kv_point point;
        assert_int_equal(rd_kv_at(kv, size, &point), RD_OK);
        assert_int_equal(point.block_hits, expected.blocks);
        assert_int_equal(point.token_hits, expected.tokens);
    }
    oracle_hits infinite = oracle_simulate(&input, rules, ORACLE_NODES, NULL);
    assert_int_equal(totals.block_hits, infinite.blocks);
    assert_int_equal(totals.token_hits, infinite.tokens);
}

static void check_totals(const rd_kv *kv, const oracle_rules *rules) {
    rd_kv_totals totals = rd_kv_totals_of(kv);
    uint64_t blocks = 0, tokens = 0, empty = 0;
    for (size_t i = 0; i < input.n; i++) {
        blocks += oracle_blocks(&input, i, rules);
        tokens += input.request[i].prompt_tokens;
        empty += input.request[i].prompt_tokens == 0;
    }
    assert_int_equal(totals.requests, input.n);
    assert_int_equal(totals.empty, empty);
    assert_int_equal(totals.blocks, blocks);
    assert_int_equal(totals.tokens, tokens);
}

static void test_every_size_equals_the_simulator(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs; i++) {
        oracle_make_log(&input, i / 8);
        oracle_rules rules = rules_of(i);
        rd_kv *kv = analyze(&rules, false, NULL, 0);
        check_totals(kv, &rules);
        check_curve(kv, &rules);
        rd_kv_free(kv);
    }
}

/* Tests that the smallest size for a share is the first size whose simulated hits are enough. */
static void test_the_smallest_size_for_a_share(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs / 8; i++) {
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rd_kv *kv = analyze(&rules, false, NULL, 0);
        rd_kv_totals totals = rd_kv_totals_of(kv);
        for (unsigned percent = 0; percent <= 100; percent += 10) {
            uint64_t size = 0, found = 0;
            double need = percent / 100.0 * (double)totals.tokens;
            while (size <= totals.distinct &&
                   (double)oracle_simulate(&input, &rules, (size_t)size, NULL).tokens < need)
                size++;
            assert_int_equal(rd_kv_size_for(kv, percent / 100.0, &found), RD_OK);
            assert_int_equal(found, size > totals.distinct ? RD_KV_NO_SIZE : size);
        }
        rd_kv_free(kv);
    }
}

/* ---- details ---- */

static void check_details(const rd_kv *kv, const oracle_rules *rules, size_t index) {
    static uint64_t shares[RD_KV_SHARE_STEPS + 1];
    uint64_t turns[RD_KV_TURNS + 1] = {0}, windows[RD_KV_WINDOWS] = {0};
    oracle_hits each[ORACLE_REQUESTS];
    rd_kv_details details;
    rd_kv_series series = rd_kv_series_of(kv);
    assert_int_equal(rd_kv_details_at(kv, index, &details), RD_OK);
    oracle_simulate(&input, rules, (size_t)details.size_blocks, each);
    memset(shares, 0, sizeof shares);
    for (size_t i = 0; i < input.n; i++) {
        const oracle_request *r = &input.request[i];
        if (r->prompt_tokens)
            shares[each[i].tokens * RD_KV_SHARE_STEPS / r->prompt_tokens]++;
        turns[r->turn > RD_KV_TURNS ? RD_KV_TURNS : r->turn - 1] += each[i].tokens;
        windows[(r->time_us - input.request[0].time_us) / series.window_us] += each[i].tokens;
    }
    assert_memory_equal(details.shares, shares, sizeof shares);
    assert_memory_equal(details.turn_hits, turns, sizeof turns);
    assert_memory_equal(details.window_hits, windows, sizeof windows);
}

static void test_details_equal_the_simulator(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs; i++) {
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rd_kv *kv = analyze(&rules, false, NULL, 0);
        if (input.n)
            for (size_t index = 0; index < RD_KV_SIZES_MAX - 1; index += 5)
                check_details(kv, &rules, index);
        rd_kv_free(kv);
    }
}

static void test_quantiles(void **state) {
    (void)state;
    uint64_t shares[RD_KV_SHARE_STEPS + 1] = {0};
    rd_kv_details details = {.shares = shares};
    shares[0] = 1;
    shares[500] = 8;
    shares[1000] = 1;
    assert_true(rd_kv_quantile(&details, 0.1) == 0);
    assert_true(rd_kv_quantile(&details, 0.5) == 0.5);
    assert_true(rd_kv_quantile(&details, 0.9) == 0.5);
    assert_true(rd_kv_quantile(&details, 0.99) == 1);
}

/* ---- Belady's bound ---- */

/* Tries all ways to keep at most `size` blocks from one request to the next, and returns the
 * largest number of block hits. best[set] is the largest number of hits so far with the blocks of
 * `set` in the cache. */
static uint64_t best_hits(const oracle_rules *rules, size_t size, const uint64_t *ids, size_t n) {
    static int64_t best[1 << 12], next[1 << 12];
    size_t sets = (size_t)1 << n;
    memset(best, 0xff, sizeof best);
    best[0] = 0;
    for (size_t i = 0; i < input.n; i++) {
        const oracle_request *r = &input.request[i];
        size_t blocks = oracle_blocks(&input, i, rules), own = 0;
        uint32_t bit[ORACLE_PATH];
        for (size_t j = 0; j < blocks; j++) {
            size_t k = 0;
            while (ids[k] != r->blocks[j])
                k++;
            bit[j] = (uint32_t)1 << k;
            own |= bit[j];
        }
        memset(next, 0xff, sizeof next);
        for (size_t set = 0; set < sets; set++) {
            if (best[set] < 0)
                continue;
            int64_t hits = 0;
            while ((size_t)hits < blocks && set & bit[hits])
                hits++;
            for (size_t kept = set | own;; kept = (kept - 1) & (set | own)) {
                if ((size_t)__builtin_popcountll(kept) <= size && next[kept] < best[set] + hits)
                    next[kept] = best[set] + hits;
                if (kept == 0)
                    break;
            }
        }
        memcpy(best, next, sizeof best);
    }
    int64_t most = 0;
    for (size_t set = 0; set < sets; set++)
        most = best[set] > most ? best[set] : most;
    return (uint64_t)most;
}

/* Stores the distinct blocks of the log; returns their number, or `room` + 1 if there are more. */
static size_t distinct_blocks(const oracle_rules *rules, uint64_t *ids, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < input.n; i++)
        for (size_t j = 0; j < oracle_blocks(&input, i, rules); j++) {
            size_t k = 0;
            while (k < n && ids[k] != input.request[i].blocks[j])
                k++;
            if (k == n && n == room)
                return room + 1;
            if (k == n)
                ids[n++] = input.request[i].blocks[j];
        }
    return n;
}

static void test_the_bound_equals_brute_force(void **state) {
    (void)state;
    unsigned long tried = 0;
    for (unsigned long i = 0; tried < logs / 6 && i < 100 * logs; i++) {
        uint64_t ids[12];
        oracle_make_log(&input, i);
        oracle_rules rules = {.full_only = i & 1};
        while (input.n > 0 && distinct_blocks(&rules, ids, 10) > 10)
            input.n--;
        if (input.n < 4)
            continue;
        size_t n = distinct_blocks(&rules, ids, 10);
        rd_kv *kv = analyze(&rules, true, NULL, 0);
        for (size_t size = 1; size <= n; size++) {
            rd_kv_bound bound;
            assert_int_equal(rd_kv_bound_at(kv, size - 1, &bound), RD_OK);
            assert_int_equal(bound.block_hits, best_hits(&rules, size, ids, n));
        }
        rd_kv_free(kv);
        tried++;
    }
    assert_int_equal(tried, logs / 6);
}

static void test_the_bound_lies_between_lru_and_infinite(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs; i++) {
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rd_kv *kv = analyze(&rules, true, NULL, 0);
        rd_kv_totals totals = rd_kv_totals_of(kv);
        for (size_t index = 0; index < RD_KV_SIZES_MAX - 1; index++) {
            rd_kv_bound bound;
            rd_kv_point lru;
            assert_int_equal(rd_kv_bound_at(kv, index, &bound), RD_OK);
            assert_int_equal(rd_kv_at(kv, bound.size_blocks, &lru), RD_OK);
            assert_true(lru.block_hits <= bound.block_hits);
            assert_true(bound.block_hits <= totals.block_hits);
            assert_true(lru.token_hits <= bound.token_low);
            assert_true(bound.token_low <= bound.token_high);
            assert_true(bound.token_high <= totals.token_hits);
        }
        rd_kv_free(kv);
    }
}

/* ---- tiers ---- */

/* Exclusive tiers. Each tier is an LRU list. */
typedef struct tier_lists {
    oracle_cache tier[4];
    uint64_t hits[4], tokens[4], departures[4];
    size_t n;
} tier_lists;

static size_t tier_of(const tier_lists *t, uint64_t block) {
    size_t i = 0;
    while (i < t->n && oracle_find(&t->tier[i], block) == t->tier[i].n)
        i++;
    return i;
}

/* Moves a block to the front of the first tier. A full tier hands its last block to the next
 * tier. */
static void touch_tiers(tier_lists *t, uint64_t block) {
    size_t from = tier_of(t, block);
    if (from < t->n) {
        oracle_cache *c = &t->tier[from];
        size_t at = oracle_find(c, block);
        memmove(c->at + at, c->at + at + 1, (c->n - at - 1) * sizeof *c->at);
        c->n--;
    }
    for (size_t i = 0; i < t->n; i++) {
        oracle_cache *c = &t->tier[i];
        memmove(c->at + 1, c->at, c->n * sizeof *c->at);
        c->at[0] = block;
        if (++c->n <= c->size)
            return;
        block = c->at[--c->n];
        t->departures[i]++;
    }
}

static void serve_tiers(tier_lists *t, size_t i, const oracle_rules *rules) {
    const oracle_request *r = &input.request[i];
    size_t n = oracle_blocks(&input, i, rules), tier;
    for (size_t j = 0; j < n && (tier = tier_of(t, r->blocks[j])) < t->n; j++) {
        uint64_t left = r->prompt_tokens - j * input.block_tokens;
        t->hits[tier]++;
        t->tokens[tier] += left < input.block_tokens ? left : input.block_tokens;
    }
    for (size_t j = 0; j < n; j++)
        touch_tiers(t, r->blocks[rules->order == RD_KV_FRONT ? j : n - 1 - j]);
}

static void test_tiers_equal_lists_of_their_own(void **state) {
    (void)state;
    static tier_lists lists;
    for (unsigned long i = 0; i < logs; i++) {
        uint64_t tiers[4], end = 0;
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rules.outputs = false;
        memset(&lists, 0, sizeof lists);
        lists.n = 1 + i % 4;
        for (size_t k = 0; k < lists.n; k++) {
            lists.tier[k].size = 1 + (i * 7 + k * 3) % 9;
            tiers[k] = end += lists.tier[k].size;
        }
        for (size_t k = 0; k < input.n; k++)
            serve_tiers(&lists, k, &rules);
        rd_kv *kv = analyze(&rules, false, tiers, lists.n);
        for (size_t k = 0; k < lists.n; k++) {
            rd_kv_tier tier;
            assert_int_equal(rd_kv_tier_at(kv, k, &tier), RD_OK);
            assert_int_equal(tier.block_hits, lists.hits[k]);
            assert_int_equal(tier.token_hits, lists.tokens[k]);
            assert_int_equal(tier.departures, lists.departures[k]);
        }
        rd_kv_free(kv);
    }
}

/* Tests that inclusive tiers equal LRU caches, one for each tier, that all see every touch. A hit
 * belongs to the fastest tier that holds the block. */
static void test_inclusive_tiers_equal_caches_of_their_own(void **state) {
    (void)state;
    static oracle_cache caches[3];
    for (unsigned long i = 0; i < logs; i++) {
        uint64_t tiers[3], hits[3] = {0}, arrivals[3] = {0};
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rules.outputs = false;
        for (size_t k = 0; k < 3; k++) {
            tiers[k] = caches[k].size = 1 + (i + 1) * k % 7 + 9 * k;
            caches[k].n = 0;
        }
        for (size_t q = 0; q < input.n; q++) {
            const oracle_request *r = &input.request[q];
            size_t n = oracle_blocks(&input, q, &rules);
            for (size_t j = 0; j < n; j++) {
                size_t tier = 0;
                while (tier < 3 && oracle_find(&caches[tier], r->blocks[j]) == caches[tier].n)
                    tier++;
                if (tier == 3)
                    break;
                hits[tier]++;
            }
            for (size_t j = 0; j < n; j++) {
                uint64_t block = r->blocks[rules.order == RD_KV_FRONT ? j : n - 1 - j];
                for (size_t k = 0; k < 3; k++) {
                    arrivals[k] += oracle_find(&caches[k], block) == caches[k].n;
                    oracle_touch(&caches[k], &block, 1, RD_KV_FRONT);
                }
            }
        }
        rd_kv *kv = analyze(&rules, false, tiers, 3);
        for (size_t k = 0; k < 3; k++) {
            rd_kv_tier tier;
            assert_int_equal(rd_kv_tier_at(kv, k, &tier), RD_OK);
            assert_int_equal(tier.block_hits, hits[k]);
            assert_int_equal(tier.arrivals, arrivals[k]);
        }
        rd_kv_free(kv);
    }
}

/* ---- long logs ---- */

/* Tests that the hits are right in a log that is so long that the analysis drops the numbers of
 * requests that own no blocks, and renumbers the rest. */
static void test_a_long_log_keeps_its_numbers(void **state) {
    (void)state;
    static oracle_cache cache;
    enum { BLOCKS = 40, REQUESTS = 40000, SIZE = 17 };
    rd_kv_config config = {.size = sizeof config};
    rd_kv *kv = NULL;
    rdi_rng rng = {.state = 7};
    uint64_t hits = 0;
    cache.n = 0;
    cache.size = SIZE;
    assert_int_equal(rd_kv_new(ctx, &config, &kv), RD_OK);
    for (size_t i = 0; i < REQUESTS; i++) {
        uint64_t path[2] = {rdi_rng_below(&rng, BLOCKS), 0};
        path[1] = 1000 + path[0];
        size_t n = 1 + (size_t)rdi_rng_below(&rng, 2), held = 0;
        rd_kv_request r = {.blocks = path, .n_blocks = n, .prompt_tokens = n, .time_us = i * 1000};
        while (held < n && oracle_find(&cache, path[held]) < cache.n)
            held++;
        hits += held;
        oracle_touch(&cache, path, n, RD_KV_FRONT);
        assert_int_equal(rd_kv_feed(kv, &r), RD_OK);
    }
    rd_kv_point point;
    assert_int_equal(rd_kv_finish(kv), RD_OK);
    assert_int_equal(rd_kv_at(kv, SIZE, &point), RD_OK);
    assert_int_equal(point.block_hits, hits);
    rd_kv_free(kv);
}

/* ---- replicas ---- */

/* Simulates `replicas` servers with one cache each. The router chooses the server of a request as
 * reusedist/prefix.h defines. */
static oracle_hits simulate_fleet(const oracle_rules *rules, rd_kv_router router, size_t replicas,
                                  size_t size) {
    static oracle_cache caches[3];
    size_t served[3] = {0};
    oracle_hits sum = {0};
    for (size_t r = 0; r < replicas; r++) {
        caches[r].n = 0;
        caches[r].size = size / replicas;
    }
    for (size_t i = 0; i < input.n; i++) {
        const oracle_request *q = &input.request[i];
        size_t choice = i % replicas;
        if (router == RD_KV_CONVERSATION)
            choice = rdi_mix64(q->conversation) % replicas;
        if (router == RD_KV_PREFIX) {
            size_t best = 0;
            choice = 0;
            for (size_t r = 0; r < replicas; r++) {
                size_t held = 0;
                while (held < oracle_blocks(&input, i, rules) &&
                       oracle_find(&caches[r], q->blocks[held]) < caches[r].n)
                    held++;
                if (r == 0 || held > best || (held == best && served[r] < served[choice])) {
                    best = held;
                    choice = r;
                }
            }
        }
        oracle_hits hits = oracle_serve(&caches[choice], &input, i, rules);
        served[choice]++;
        sum.blocks += hits.blocks;
        sum.tokens += hits.tokens;
    }
    return sum;
}

static void test_replicas_equal_the_simulator(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs; i++) {
        oracle_make_log(&input, i);
        oracle_rules rules = rules_of(i);
        rd_kv_router router = (rd_kv_router)(i % RD_KV_ROUTERS);
        uint32_t replicas = 1 + (uint32_t)(i / 3 % 3);
        rd_kv_config config = {.size = sizeof config,
                               .block_tokens = input.block_tokens,
                               .order = rules.order,
                               .full_only = rules.full_only,
                               .outputs = rules.outputs};
        for (size_t size = 1; size < 60; size += 7)
            config.sizes[config.n_sizes++] = size;
        rd_kv_fleet *fleet = NULL;
        assert_int_equal(rd_kv_fleet_new(ctx, &config, replicas, router, &fleet), RD_OK);
        for (size_t k = 0; k < input.n; k++) {
            rd_kv_request request = oracle_request_at(&input, k);
            assert_int_equal(rd_kv_fleet_feed(fleet, &request), RD_OK);
        }
        assert_int_equal(rd_kv_fleet_finish(fleet), RD_OK);
        for (size_t k = 0; k < config.n_sizes; k++) {
            rd_kv_point point;
            oracle_hits expected =
                simulate_fleet(&rules, router, replicas, (size_t)config.sizes[k]);
            assert_int_equal(rd_kv_fleet_at(fleet, k, &point), RD_OK);
            assert_int_equal(point.block_hits, expected.blocks);
            assert_int_equal(point.token_hits, expected.tokens);
        }
        rd_kv_fleet_free(fleet);
    }
}

/* Tests that equal requests go to the first replica until it has more than RD_KV_SPREAD requests
 * more than the other replica. The other replica then computes the block once, and from then on
 * both take turns. */
static void test_the_router_by_prefix_spreads_requests(void **state) {
    (void)state;
    uint64_t block = 1;
    rd_kv_config config = {.size = sizeof config, .sizes = {8}, .n_sizes = 1};
    rd_kv_request request = {.blocks = &block, .n_blocks = 1, .prompt_tokens = 1};
    rd_kv_fleet *fleet = NULL;
    rd_kv_point point;
    for (unsigned n = RD_KV_SPREAD; n <= 3 * RD_KV_SPREAD; n += RD_KV_SPREAD) {
        assert_int_equal(rd_kv_fleet_new(ctx, &config, 2, RD_KV_PREFIX, &fleet), RD_OK);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(rd_kv_fleet_feed(fleet, &request), RD_OK);
        assert_int_equal(rd_kv_fleet_at(fleet, 0, &point), RD_OK);
        assert_int_equal(point.block_hits, n > RD_KV_SPREAD ? n - 2 : n - 1);
        rd_kv_fleet_free(fleet);
    }
}

/* ---- reports ---- */

/* Tests that a report without chosen sizes begins with the last size that has no hits, and ends
 * with the first size that has all hits, even if this is the last size of the configuration. If no
 * size has hits, the report shows only the first size. */
static void test_a_report_shows_where_hits_change(void **state) {
    (void)state;
    static const struct {
        uint64_t sizes[4];
        size_t n;
        const char *shown; /* the sizes in the report */
    } cases[] = {{{1, 2, 4}, 3, "2 4 "},
                 {{1, 2, 4, 8}, 4, "2 4 "},
                 {{4}, 1, "4 "},
                 {{8, 16}, 2, "8 "},
                 {{1, 2}, 2, "1 "}};
    uint64_t blocks[] = {1, 2, 3};
    rd_kv_request request = {.blocks = blocks, .n_blocks = 3, .prompt_tokens = 3};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rd_kv_config config = {.size = sizeof config, .n_sizes = cases[i].n};
        memcpy(config.sizes, cases[i].sizes, sizeof cases[i].sizes);
        rd_kv *kv = NULL;
        assert_int_equal(rd_kv_new(ctx, &config, &kv), RD_OK);
        assert_int_equal(rd_kv_feed(kv, &request), RD_OK);
        assert_int_equal(rd_kv_feed(kv, &request), RD_OK);
        assert_int_equal(rd_kv_finish(kv), RD_OK);
        rd_kv_view view = {.size = sizeof view, .kv = kv, .name = "log"};
        char *text = NULL, shown[64] = "";
        size_t n = 0;
        assert_int_equal(rd_kv_report_csv(&view, &text, &n), RD_OK);
        for (char *row = strchr(text, '\n'); row && row[1]; row = strchr(row + 1, '\n'))
            snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%.*s ",
                     (int)strcspn(row + 1, ","), row + 1);
        assert_string_equal(shown, cases[i].shown);
        rd_text_free(ctx, text);
        rd_kv_free(kv);
    }
}

/* ---- models and plans ---- */

static void test_models_have_their_published_sizes(void **state) {
    (void)state;
    /* Zhao et al., "Insights into DeepSeek-V3" (ISCA 2025), Table 1, in KB of 1000 bytes; Kwon et
     * al., "Efficient memory management for large language model serving with PagedAttention" (SOSP
     * 2023), section 3: 800 KB of 1024 bytes; NVIDIA, "Mastering LLM techniques: inference
     * optimization" (2023): about 2 GB for 4096 tokens. */
    static const struct {
        const char *model;
        double bytes;
    } published[] = {{"deepseek-v3", 70272},
                     {"qwen2.5-72b", 327680},
                     {"llama-3.1-405b", 516096},
                     {"opt-13b", 800 * 1024},
                     {"llama-2-7b", 0x1p31 / 4096}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        rd_kv_model model;
        assert_int_equal(rd_kv_model_parse(ctx, published[i].model, &model), RD_OK);
        assert_true(rd_kv_model_token_bytes(&model) == published[i].bytes);
    }
}

static void test_models_are_described(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double bytes;
    } good[] = {{"layers=32,kv_heads=8,head_dim=128", 131072},
                {"layers=32,kv_heads=8,head_dim=128,dtype=fp8", 65536},
                {"layers=2,latent=10,dtype=int4", 10},
                {"llama-3.1-8b,dtype=fp32", 262144},
                {"gemma-3-27b,windows=drop", 81920},
                {"qwen2.5-7b,layers=1", 2048}};
    static const char *const bad[] = {"",
                                      "llama",
                                      "layers=3",
                                      "layers=0,latent=1",
                                      "layers=1,x=2",
                                      "mistral-7b,windows=drop",
                                      "phi-4,dtype=bf17",
                                      "layers=1,latent=1,window_layers=2"};
    rd_kv_model model;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(rd_kv_model_parse(ctx, good[i].text, &model), RD_OK);
        assert_true(rd_kv_model_token_bytes(&model) == good[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(rd_kv_model_parse(ctx, bad[i], &model), RD_EINVAL);
}

/* Returns the cost of the cheapest sizes in whole blocks that reach the goal, by trying all sizes;
 * -1 if none reaches it. */
static double cheapest(const rd_kv *kv, const rd_kv_offer *offers, double hits) {
    double best = -1, tokens = (double)rd_kv_totals_of(kv).tokens;
    for (uint64_t a = 0; a <= offers[0].bytes; a++)
        for (uint64_t b = 0; b <= offers[1].bytes; b++) {
            rd_kv_point point;
            double cost = ((double)a * offers[0].cost + (double)b * offers[1].cost) / 0x1p30;
            assert_int_equal(rd_kv_at(kv, a + b, &point), RD_OK);
            if ((double)point.token_hits >= hits * tokens && (best < 0 || cost < best))
                best = cost;
        }
    return best;
}

/* Tests that a plan costs no more than the cheapest sizes in whole blocks. There is one byte per
 * token and one token per block, so that sizes in bytes are sizes in blocks. */
static void test_the_plan_is_the_cheapest(void **state) {
    (void)state;
    for (unsigned long i = 0; i < logs / 4; i++) {
        oracle_make_log(&input, i);
        if (input.block_tokens != 1 || input.n == 0)
            continue;
        oracle_rules rules = {.order = RD_KV_FRONT};
        rd_kv *kv = analyze(&rules, false, NULL, 0);
        rd_kv_offer offers[2] = {{.name = "fast", .bytes = 16, .cost = 5},
                                 {.name = "slow", .bytes = 32, .cost = (double)(1 + i % 9)}};
        for (unsigned percent = 5; percent <= 60; percent += 5) {
            rd_kv_goal goal = {.size = sizeof goal, .hits = percent / 100.0, .token_bytes = 1};
            rd_kv_plan plan;
            double cost = cheapest(kv, offers, goal.hits);
            assert_int_equal(rd_kv_plan_find(kv, offers, 2, &goal, &plan), RD_OK);
            assert_int_equal(plan.found, cost >= 0);
            if (plan.found)
                assert_true(plan.storage_cost <= cost * 1.000001);
            if (plan.found)
                assert_true(plan.hits >= goal.hits);
        }
        rd_kv_free(kv);
    }
}

static void test_a_budget_is_kept(void **state) {
    (void)state;
    oracle_make_log(&input, 5);
    oracle_rules rules = {.order = RD_KV_FRONT};
    rd_kv *kv = analyze(&rules, false, NULL, 0);
    rd_kv_offer offers[2] = {{.name = "fast", .bytes = UINT64_C(16) << 30, .cost = 4},
                             {.name = "slow", .bytes = UINT64_C(64) << 30, .cost = 1}};
    rd_kv_goal goal = {
        .size = sizeof goal, .budget = 20, .token_bytes = 0x1p30 / (double)input.block_tokens};
    rd_kv_plan plan;
    rd_kv_point point;
    assert_int_equal(rd_kv_plan_find(kv, offers, 2, &goal, &plan), RD_OK);
    assert_true(plan.found);
    assert_true(plan.storage_cost <= 20);
    assert_int_equal(rd_kv_at(kv, 20, &point), RD_OK);
    assert_true(plan.hits == (double)point.token_hits / (double)rd_kv_totals_of(kv).tokens);
    rd_kv_free(kv);
}

/* ---- wrong requests ---- */

static void test_contradictions_are_refused(void **state) {
    (void)state;
    static const struct {
        uint64_t first[3], second[3];
        const char *message;
    } cases[] = {
        {{1, 2, 3}, {4, 2, 5}, "line 2: the block 2 followed another block"},
        {{1, 2, 3}, {2, 4, 5}, "line 2: the block 2 followed another block"},
        {{1, 2, 3}, {7, 8, 7}, "line 2: the block 7 occurs twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rd_kv_config config = {.size = sizeof config};
        rd_kv *kv = NULL;
        assert_int_equal(rd_kv_new(ctx, &config, &kv), RD_OK);
        rd_kv_request a = {.blocks = cases[i].first, .n_blocks = 3, .prompt_tokens = 3, .line = 1};
        rd_kv_request b = {.blocks = cases[i].second, .n_blocks = 3, .prompt_tokens = 3, .line = 2};
        assert_int_equal(rd_kv_feed(kv, &a), RD_OK);
        assert_int_equal(rd_kv_feed(kv, &b), RD_OK);
        assert_int_equal(rd_kv_finish(kv), RD_EFORMAT);
        assert_non_null(strstr(rd_last_error(ctx), cases[i].message));
        rd_kv_free(kv);
    }
}

static void test_a_request_must_fit_its_tokens(void **state) {
    (void)state;
    uint64_t blocks[2] = {1, 2};
    rd_kv_config config = {.size = sizeof config, .block_tokens = 4};
    rd_kv *kv = NULL;
    assert_int_equal(rd_kv_new(ctx, &config, &kv), RD_OK);
    rd_kv_request r = {.blocks = blocks, .n_blocks = 2, .prompt_tokens = 4};
    assert_int_equal(rd_kv_feed(kv, &r), RD_EINVAL);
    r.prompt_tokens = 12;
    assert_int_equal(rd_kv_feed(kv, &r), RD_EINVAL);
    r.prompt_tokens = 5;
    assert_int_equal(rd_kv_feed(kv, &r), RD_OK);
    rd_kv_free(kv);
}

int main(int argc, char **argv) {
    if (argc > 1)
        logs = strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, new_ctx, free_ctx)
        TEST(test_every_size_equals_the_simulator),
        TEST(test_the_smallest_size_for_a_share),
        TEST(test_details_equal_the_simulator),
        TEST(test_quantiles),
        TEST(test_the_bound_equals_brute_force),
        TEST(test_the_bound_lies_between_lru_and_infinite),
        TEST(test_tiers_equal_lists_of_their_own),
        TEST(test_inclusive_tiers_equal_caches_of_their_own),
        TEST(test_the_router_by_prefix_spreads_requests),
        TEST(test_a_long_log_keeps_its_numbers),
        TEST(test_replicas_equal_the_simulator),
        TEST(test_a_report_shows_where_hits_change),
        TEST(test_models_have_their_published_sizes),
        TEST(test_models_are_described),
        TEST(test_the_plan_is_the_cheapest),
        TEST(test_a_budget_is_kept),
        TEST(test_contradictions_are_refused),
        TEST(test_a_request_must_fit_its_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
