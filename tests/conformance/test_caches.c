/* Compares the simulator of hierarchies with the plain oracle, on random traces and hierarchies:
 * every counter of every cache must be equal, and every miss must have the same cause and evictor.
 *
 * usage: test_caches FIRST_SEED NUMBER_OF_SEEDS
 */
#include "base/common.h"
#include "reusedist/reusedist.h"
#include "support/cache_oracle.h"
#include "support/hierarchies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG    3000
#define LONGEST 50000 /* enough for the times in recency.c to be renumbered */

static uint64_t blocks[LONGEST];
static uint8_t kinds[LONGEST];
static cache_oracle_miss expected_misses[LONGEST * RD_CACHES_MAX];
static size_t n_expected;

/* ---- random traces ---- */

/* Makes a mixture of repeated random blocks, streams in both directions and loops, anywhere in the range of block
 * numbers, also at its ends. */
static size_t some_trace(rdi_rng *rng, uint64_t block_bytes) {
    const uint64_t last = UINT64_MAX / (block_bytes ? block_bytes : 1);
    const uint64_t bases[] = {0, 3, UINT64_C(1) << 20, UINT64_C(1) << 40, last - 40};
    size_t n = 100 + rdi_rng_below(rng, rdi_rng_below(rng, 4) ? 700 : LONG - 100);
    n = rdi_rng_below(rng, 60) ? n : LONGEST;
    uint64_t range = 2 + rdi_rng_below(rng, 400), base = bases[rdi_rng_below(rng, 5)];
    uint64_t stores = rdi_rng_below(rng, 60), at = base;
    unsigned mode = 0;
    for (size_t i = 0; i < n; i++) {
        if (rdi_rng_below(rng, 25) == 0) {
            mode = (unsigned)rdi_rng_below(rng, 5);
            at = base + rdi_rng_below(rng, range);
        }
        switch (mode) {
        case 0:
            at = base + rdi_rng_below(rng, range);
            break;
        case 1:
            at += 1 + rdi_rng_below(rng, 5) / 4;
            break;
        case 2:
            at -= 1 + rdi_rng_below(rng, 5) / 4;
            break;
        case 3:
            at = base + (at - base + 1) % (1 + range / 4);
            break;
        default: /* the same block again */
            break;
        }
        at &= last; /* `last` is one less than a power of two */
        blocks[i] = at;
        uint64_t draw = rdi_rng_below(rng, 100);
        kinds[i] = draw < stores ? RD_STORE : draw < 80 ? RD_LOAD : RD_FETCH;
    }
    return n;
}

/* ---- comparison ---- */

/* The state of the comparison of misses: `n` is the number of misses that the simulator has reported, next[k] is the
 * index in expected_misses from which the next miss of cache k is searched, and `good` tells whether all misses so far
 * are as expected. */
typedef struct reported {
    size_t n, next[RD_CACHES_MAX];
    bool good;
} reported;

static rd_status take_misses(void *user, const rd_miss *misses, size_t n) {
    reported *r = user;
    r->n += n;
    for (size_t i = 0; i < n && r->good; i++) {
        const rd_miss *m = &misses[i];
        size_t *at = &r->next[m->cache];
        while (*at < n_expected && expected_misses[*at].cache != m->cache)
            ++*at;
        const cache_oracle_miss *e = &expected_misses[*at];
        bool evicted = *at < n_expected && e->evictor != CACHE_ORACLE_NOBODY;
        r->good = *at < n_expected && m->tag == e->reference + 7 &&
                  m->block == blocks[e->reference] && m->cause == e->cause &&
                  m->was_evicted == evicted && m->evictor_tag == (evicted ? e->evictor + 7 : 0) &&
                  m->evictor_block == (evicted ? blocks[e->evictor] : 0);
        if (!r->good)
            printf("cache %u: the miss of reference %" PRIu64 " differs\n", (unsigned)m->cache,
                   m->tag - 7);
        ++*at;
    }
    return RD_OK;
}

static rd_status simulate(rd_ctx *ctx, rdi_rng *rng, const rd_hierarchy *h, uint64_t block_bytes,
                          bool causes, const uint8_t *kind, size_t n, rd_cache_counts *out,
                          reported *misses) {
    rd_simulator *s = NULL;
    rd_simulator_config config = {.size = sizeof config,
                                  .block_bytes = block_bytes,
                                  .without_causes = !causes,
                                  .misses = misses ? take_misses : NULL,
                                  .misses_user = misses};
    static uint64_t tags[LONGEST];
    for (size_t i = 0; i < n; i++)
        tags[i] = i + 7;
    RD_TRY(rd_simulator_new(ctx, h, &config, &s));
    rd_status status = RD_OK;
    for (size_t at = 0, some; at < n && status == RD_OK; at += some) {
        some = 1 + rdi_rng_below(rng, n);
        some = some < n - at ? some : n - at;
        const uint8_t *more = kind ? kind + at : NULL;
        status = misses ? rd_simulator_feed_tagged(s, blocks + at, more, tags + at, some)
                        : rd_simulator_feed(s, blocks + at, more, some);
        if (status == RD_OK && rdi_rng_below(rng, 4) == 0)
            status = rd_simulator_counts(s, out); /* the counters may be read at any time */
    }
    if (status == RD_OK)
        status = rd_simulator_counts(s, out);
    rd_simulator_free(s);
    return status;
}

static bool same(const rd_cache *c, rd_cache_counts expected, const rd_cache_counts *got,
                 bool causes) {
    static const char *const names[] = {"references", "misses",     "cold",         "capacity",
                                        "conflict",   "writebacks", "far_hits",     "prefetches",
                                        "useful",     "useless",    "invalidations"};
    if (!causes)
        expected.cold = expected.capacity = expected.conflict = expected.far_hits = 0;
    const uint64_t *a = (const uint64_t *)&expected, *b = (const uint64_t *)got;
    for (size_t i = 0; i < RDI_COUNT(names); i++)
        if (a[i] != b[i]) {
            printf("%s: %s is %" PRIu64 " instead of %" PRIu64 "\n", c->name, names[i], b[i], a[i]);
            return false;
        }
    return true;
}

static bool compare(rd_ctx *ctx, uint64_t seed) {
    static const uint64_t sizes[] = {0, 1, 64, 4096};
    rdi_rng rng = {seed};
    rd_hierarchy h;
    rd_cache_counts expected[RD_CACHES_MAX], got[RD_CACHES_MAX] = {{0}};
    uint64_t block_bytes = sizes[rdi_rng_below(&rng, RDI_COUNT(sizes))];
    hierarchies_random(&rng, block_bytes, &h);
    size_t n = some_trace(&rng, block_bytes);
    const uint8_t *kind = rdi_rng_below(&rng, 8) ? kinds : NULL;
    bool causes = rdi_rng_below(&rng, 4) != 0, listed = causes && rdi_rng_below(&rng, 3), good;
    reported misses = {.good = true};
    n_expected = cache_oracle_run(&h, block_bytes, blocks, kind, n, expected, expected_misses);
    if (simulate(ctx, &rng, &h, block_bytes, causes, kind, n, got, listed ? &misses : NULL) !=
        RD_OK) {
        printf("seed %" PRIu64 ": %s\n", seed, rd_last_error(ctx));
        return false;
    }
    good = misses.good && (!listed || misses.n == n_expected);
    for (size_t k = 0; k < h.n; k++)
        good = same(&h.cache[k], expected[k], &got[k], causes) && good;
    char *text = NULL;
    if (!good && rd_hierarchy_text(ctx, &h, &text) == RD_OK)
        printf("seed %" PRIu64 ", %zu references, blocks of %" PRIu64 " bytes: %s\n", seed, n,
               block_bytes, text);
    rd_text_free(ctx, text);
    return good;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: test_caches FIRST_SEED NUMBER_OF_SEEDS\n");
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
