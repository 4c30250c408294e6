/* Tests that memory is O(distinct blocks): it does not grow with the trace, and it is small for
 * 1000 blocks.
 *
 * usage: test_memory ENGINE [PERIODS]
 *
 * The trace repeats one period: long stretches of a few hot blocks, so that even the oracle is
 * fast, and a sweep through all blocks. From the second period on, every period has the same
 * distances, so the whole histogram is known and checked. After three periods an engine has seen
 * every situation of the trace: from then on its peak must stay the same to the byte. Engines that
 * use threads may use slightly more whenever one thread gets further ahead of another.
 */
#include "reusedist/reusedist.h"
#include "support/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCKS  1000u
#define HOT     5u
#define PERIOD  1000000u
#define SETTLED 3u /* number of periods after which memory must not grow */
#define PERIODS 6u
#define LIMIT   ((size_t)8 << 20) /* limit of all allocations of the engine, in bytes */
/* Additional limits for engines with threads, in bytes, in all later periods together: THREADS_GROWTH
 * limits the growth of the memory that the context counts, THREADS_RESIDENT that of the resident
 * memory of the process. A thread that gets further ahead than before touches a page of its buffers
 * for the first time, and this page can be a huge page of 2 MiB. */
#define THREADS_GROWTH   ((size_t)1 << 19)
#define THREADS_RESIDENT (THREADS_GROWTH + ((size_t)2 << 20))
/* RESIDENT_MAX limits the resident memory of the process, most of which the context does not count, and RESIDENT_GROWTH
 * limits its growth in all later periods together; both are in bytes. A sanitizer adds memory of its own, so with
 * AddressSanitizer these limits are out of reach. */
#ifdef __SANITIZE_ADDRESS__
#define RESIDENT_MAX    SIZE_MAX
#define RESIDENT_GROWTH ((size_t)1 << 40)
#else
#define RESIDENT_MAX    ((size_t)64 << 20)
#define RESIDENT_GROWTH ((size_t)2 << 20)
#endif

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

/* Returns the resident memory of the process in bytes, or 0 if it is unknown. */
static size_t resident_bytes(void) {
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (f && fscanf(f, "%*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

typedef struct memory {
    size_t peak, resident; /* in bytes: peak of the context, present size of the process */
} memory;

static memory memory_now(const rd_ctx *ctx) {
    return (memory){.peak = rd_ctx_peak_bytes(ctx), .resident = resident_bytes()};
}

/* Feeds the period `periods` times, and stores a profile with full bins in *out, which the caller
 * frees. `settled` and `last`, if not NULL, receive the memory after SETTLED periods and at the end. */
static rd_status analyze(rd_ctx *ctx, const char *spec, unsigned periods, memory *settled,
                         memory *last, rd_profile **out) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .binning = {RD_BINS_FULL, 0}};
    rd_status status = rd_engine_open(ctx, spec, &config, &e);
    for (unsigned i = 1; i <= periods && status == RD_OK; i++) {
        status = rd_engine_feed(e, period, PERIOD, NULL);
        if (settled && i == SETTLED)
            *settled = memory_now(ctx);
        if (last && i == periods)
            *last = memory_now(ctx);
    }
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, out);
    rd_engine_close(e);
    return status;
}

/* Returns the number of references of p with a distance from `low` to `high`. */
static uint64_t count_between(const rd_profile *p, uint64_t low, uint64_t high) {
    const rd_bin *bins;
    uint64_t count = 0;
    size_t n = rd_profile_bins(p, &bins);
    for (size_t i = 0; i < n; i++)
        if (bins[i].low >= low && bins[i].high <= high)
            count += bins[i].count;
    return count;
}

/* Returns whether every bin of `got` has the references of the first period and `periods` - 1 times those of the
 * second, and the totals are right. `one` and `two` are the oracle's profiles of one and of two periods. */
static bool is_right(const rd_profile *got, unsigned periods, const rd_profile *one,
                     const rd_profile *two) {
    const rd_profile_facts *facts = rd_profile_facts_of(got);
    const rd_bin *bins;
    size_t n = rd_profile_bins(got, &bins);
    uint64_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t first = count_between(one, bins[i].low, bins[i].high);
        uint64_t later = count_between(two, bins[i].low, bins[i].high) - first;
        if (bins[i].count != first + (periods - 1) * later) {
            fprintf(stderr,
                    "distance %" PRIu64 " has %" PRIu64 " references instead of %" PRIu64 "\n",
                    bins[i].low, bins[i].count, first + (periods - 1) * later);
            return false;
        }
        finite += bins[i].count;
    }
    bool whole = facts->bound != 0 || (facts->infinite == BLOCKS && facts->blocks == BLOCKS);
    return whole && finite + facts->infinite == (uint64_t)periods * PERIOD;
}

static bool has_grown(const rd_engine_info *info, const char *spec, memory settled, memory last) {
    bool threads = info->caps & RD_CAP_THREADS;
    size_t growth = threads ? THREADS_GROWTH : 0;
    size_t resident = RESIDENT_GROWTH + (threads ? THREADS_RESIDENT : 0);
    printf("%s: the peak is %zu bytes\n", spec, last.peak);
    if (last.peak <= settled.peak + growth && last.resident <= settled.resident + resident)
        return false;
    fprintf(
        stderr,
        "%s: memory grew: the peak from %zu to %zu bytes, resident memory from %zu to %zu bytes\n",
        spec, settled.peak, last.peak, settled.resident, last.resident);
    return true;
}

static int check(const rd_engine_info *info, const char *spec, unsigned periods,
                 const rd_profile *one, const rd_profile *two) {
    rd_ctx *ctx = NULL;
    rd_profile *got = NULL;
    memory settled = {0}, last = {0};
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return EXIT_FAILURE;
    rd_ctx_set_limit(ctx, LIMIT);
    int result = EXIT_SUCCESS;
    rd_status status = analyze(ctx, spec, periods, &settled, &last, &got);
    if (status == RD_EUNSUPPORTED)
        printf("%s\n", rd_last_error(ctx));
    else if (status != RD_OK)
        result = fail(ctx, spec, "fails within the memory limit");
    else if (strcmp(info->error_kind, "exact") == 0 && !is_right(got, periods, one, two))
        result = fail(ctx, spec, "wrong histogram");
    else if (has_grown(info, spec, settled, last))
        result = EXIT_FAILURE;
    rd_profile_free(got);
    rd_ctx_free(ctx);
    return result;
}

/* Computes the oracle's histograms of one and of two periods, then checks the engine with each of
 * its variants. */
static int check_variants(rd_ctx *ctx, const rd_engine_info *info, unsigned periods) {
    rd_profile *one = NULL, *two = NULL;
    if (analyze(ctx, registry_oracle(), 1, NULL, NULL, &one) != RD_OK ||
        analyze(ctx, registry_oracle(), 2, NULL, NULL, &two) != RD_OK)
        return fail(ctx, registry_oracle(), "the oracle fails");
    int result = check(info, info->name, periods, one, two);
    for (const char *const *v = info->variants; v && *v && result == EXIT_SUCCESS; v++) {
        char spec[256];
        snprintf(spec, sizeof spec, "%s:%s", info->name, *v);
        result = check(info, spec, periods, one, two);
    }
    rd_profile_free(one);
    rd_profile_free(two);
    return result;
}

int main(int argc, char **argv) {
    const rd_engine_info *info = argc >= 2 ? rd_engine_info_find(argv[1]) : NULL;
    unsigned periods = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : PERIODS;
    rd_ctx *ctx = NULL;
    if (!info || periods <= SETTLED || rd_ctx_new(NULL, &ctx) != RD_OK)
        return EXIT_FAILURE;
    const char *why = rd_engine_unavailable(info);
    if (info->caps & RD_CAP_TRACE_MEMORY)
        why = "declares that its memory grows with the trace";
    int result = 77; /* status of a skipped test */
    if (why) {
        printf("%s: %s\n", info->name, why);
    } else {
        make_period();
        result = check_variants(ctx, info, periods);
    }
    rd_ctx_free(ctx);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || (size_t)usage.ru_maxrss * 1024 > RESIDENT_MAX) {
        fprintf(stderr, "the process had %ld KiB of resident memory, which is too much\n",
                usage.ru_maxrss);
        return EXIT_FAILURE;
    }
    return result;
}
