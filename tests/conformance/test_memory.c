/* Memory is O(distinct blocks): 100 million references over 1000 blocks under a small limit.
 *
 * usage: test_memory ENGINE
 *
 * The trace is one period over and over: long stretches of a few hot blocks, so that even the
 * oracle is quick, and a sweep through all blocks. From the second period on every period has the
 * same distances, so the whole histogram is known and checked.
 */
#include "reusedist/reusedist.h"
#include "support/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BLOCKS 1000u
#define HOT    5u
#define PERIOD 1000000u
/* For whoever runs it with a sanitizer: that is slower, and its own memory counts as resident. */
#ifdef __SANITIZE_ADDRESS__
#define PERIODS      5u
#define RESIDENT_MAX SIZE_MAX
#else
#define PERIODS      100u
#define RESIDENT_MAX ((size_t)64 << 20)
#endif
#define LIMIT ((size_t)8 << 20) /* for everything the engine allocates */

static uint64_t period[PERIOD];

static void make_period(void) {
    uint64_t x = 1;
    for (size_t i = 0; i < PERIOD; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        period[i] = i < BLOCKS ? i * 4096 : (x >> 33) % HOT * 4096;
    }
}

static int fail(rd_ctx *ctx, const char *spec, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", spec, what, rd_last_error(ctx));
    return EXIT_FAILURE;
}

/* The full histogram after `periods`; the caller frees it. */
static rd_status analyse(rd_ctx *ctx, const char *spec, unsigned periods, rd_profile **out) {
    rd_engine *e = NULL;
    rd_engine_config config = {.binning = {RD_BINS_FULL, 0}};
    rd_status status = rd_engine_open(ctx, spec, &config, &e);
    for (unsigned i = 0; i < periods && status == RD_OK; i++)
        status = rd_engine_feed(e, period, PERIOD, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, out);
    rd_engine_close(e);
    return status;
}

/* References of p with a distance in the range. */
static uint64_t count_between(const rd_profile *p, uint64_t low, uint64_t high) {
    const rd_bin *bins;
    uint64_t count = 0;
    size_t n = rd_profile_bins(p, &bins);
    for (size_t i = 0; i < n; i++)
        if (bins[i].low >= low && bins[i].high <= high)
            count += bins[i].count;
    return count;
}

/* one + (PERIODS - 1) * (two - one), bin by bin. */
static bool is_right(const rd_profile *got, const rd_profile *one, const rd_profile *two) {
    const rd_profile_facts *facts = rd_profile_facts_of(got);
    const rd_bin *bins;
    size_t n = rd_profile_bins(got, &bins);
    uint64_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t first = count_between(one, bins[i].low, bins[i].high);
        uint64_t later = count_between(two, bins[i].low, bins[i].high) - first;
        if (bins[i].count != first + (PERIODS - 1) * later) {
            fprintf(stderr, "distance %" PRIu64 ": %" PRIu64 " references\n", bins[i].low,
                    bins[i].count);
            return false;
        }
        finite += bins[i].count;
    }
    bool whole = facts->bound != 0 || (facts->infinite == BLOCKS && facts->blocks == BLOCKS);
    return whole && finite + facts->infinite == (uint64_t)PERIODS * PERIOD;
}

static int check(const rd_engine_info *info, const char *spec, const rd_profile *one,
                 const rd_profile *two) {
    rd_ctx *ctx = NULL;
    rd_profile *got = NULL;
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return EXIT_FAILURE;
    rd_ctx_set_limit(ctx, LIMIT);
    int result = EXIT_SUCCESS;
    rd_status status = analyse(ctx, spec, PERIODS, &got);
    if (status == RD_EUNSUPPORTED)
        printf("%s\n", rd_last_error(ctx));
    else if (status != RD_OK)
        result = fail(ctx, spec, "needs more than its share");
    else if (strcmp(info->error_kind, "exact") == 0 && !is_right(got, one, two))
        result = fail(ctx, spec, "wrong histogram");
    else
        printf("%s: %zu bytes at most\n", spec, rd_ctx_peak_bytes(ctx));
    rd_profile_free(got);
    rd_ctx_free(ctx);
    return result;
}

/* The oracle's histograms of one and of two periods, then the engine with each of its variants. */
static int check_variants(rd_ctx *ctx, const rd_engine_info *info) {
    rd_profile *one = NULL, *two = NULL;
    if (analyse(ctx, registry_oracle(), 1, &one) != RD_OK ||
        analyse(ctx, registry_oracle(), 2, &two) != RD_OK)
        return fail(ctx, registry_oracle(), "the oracle fails");
    int result = check(info, info->name, one, two);
    for (const char *const *v = info->variants; v && *v && result == EXIT_SUCCESS; v++) {
        char spec[256];
        snprintf(spec, sizeof spec, "%s:%s", info->name, *v);
        result = check(info, spec, one, two);
    }
    rd_profile_free(one);
    rd_profile_free(two);
    return result;
}

int main(int argc, char **argv) {
    const rd_engine_info *info = argc == 2 ? rd_engine_info_find(argv[1]) : NULL;
    rd_ctx *ctx = NULL;
    if (!info || rd_ctx_new(NULL, &ctx) != RD_OK)
        return EXIT_FAILURE;
    const char *why = rd_engine_unavailable(info);
    if (info->caps & RD_CAP_TRACE_MEMORY)
        why = "says itself that its memory grows with the trace";
    int result = 77; /* skipped */
    if (why) {
        printf("%s: %s\n", info->name, why);
    } else {
        make_period();
        result = check_variants(ctx, info);
    }
    rd_ctx_free(ctx);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || (size_t)usage.ru_maxrss * 1024 > RESIDENT_MAX) {
        fprintf(stderr, "%ld KiB were resident\n", usage.ru_maxrss);
        return EXIT_FAILURE;
    }
    return result;
}
