/* hierarchy_bench: measures the simulation of caches on a trace file.
 *
 * usage: hierarchy_bench CACHES THREADS TURNS TRACE
 *
 * Prints one line of JSON with the median wall-clock seconds of each measurement over TURNS turns:
 *
 *   simulate, causes       the simulator alone on references in memory, without and with causes
 *   analyze, both          the analysis of the file by the default engine, without and with the
 *                          simulation, with THREADS threads
 *   both_no_causes         as `both`, but without causes
 */
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEASUREMENTS 5
#define TURNS_MAX    99

static rd_ctx *ctx;
static rd_hierarchy hierarchy;
static uint64_t *blocks;
static uint8_t *kinds;
static size_t n_blocks, room;

static void check(rd_status status) {
    if (status == RD_OK)
        return;
    fprintf(stderr, "hierarchy_bench: %s\n", rd_last_error(ctx));
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void append(const rd_refs *refs, const uint32_t *origins, const uint64_t *more, size_t n) {
    if (n_blocks + n > room) {
        room = 2 * (n_blocks + n);
        blocks = realloc(blocks, room * sizeof *blocks);
        kinds = realloc(kinds, room);
        if (!blocks || !kinds)
            exit(1);
    }
    memcpy(blocks + n_blocks, more, n * sizeof *more);
    for (size_t i = 0; i < n; i++)
        kinds[n_blocks + i] = refs->kind ? refs->kind[origins[i]] : RD_LOAD;
    n_blocks += n;
}

/* Reads all references into memory. */
static void load(const char *path) {
    rd_trace *trace = NULL;
    rd_mapper *mapper = NULL;
    rd_mapping mapping = {.size = sizeof mapping, .block_bytes = 64, .origins = true};
    check(rd_trace_open(ctx, path, NULL, &trace));
    check(rd_mapper_new(ctx, &mapping, &mapper));
    while (true) {
        const rd_refs *refs = NULL;
        check(rd_trace_read(trace, &refs));
        if (refs->n == 0)
            break;
        rd_mapper_feed(mapper, refs);
        while (true) {
            const uint64_t *more = NULL;
            size_t n = 0;
            check(rd_mapper_next(mapper, &more, &n));
            if (n == 0)
                break;
            append(refs, rd_mapper_origins(mapper), more, n);
        }
    }
    rd_mapper_free(mapper);
    rd_trace_close(trace);
}

static double simulate(bool causes) {
    rd_simulator *s = NULL;
    rd_simulator_config config = {
        .size = sizeof config, .block_bytes = 64, .without_causes = !causes};
    rd_cache_counts counts[RD_CACHES_MAX];
    check(rd_simulator_new(ctx, &hierarchy, &config, &s));
    double began = now();
    check(rd_simulator_feed(s, blocks, kinds, n_blocks));
    check(rd_simulator_counts(s, counts));
    double seconds = now() - began;
    rd_simulator_free(s);
    return seconds;
}

static double analyze(const char *path, bool simulated, bool causes, uint32_t threads) {
    rd_analysis_config config = {.size = sizeof config,
                                 .block = 64,
                                 .threads = threads,
                                 .hierarchy = simulated ? &hierarchy : NULL,
                                 .without_causes = !causes};
    rd_analysis *a = NULL;
    double began = now();
    check(rd_analysis_open(ctx, &config, &a));
    check(rd_analysis_add_file(a, path));
    check(rd_analysis_run(a));
    double seconds = now() - began;
    rd_analysis_close(a);
    return seconds;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static const char *const names[MEASUREMENTS] = {"simulate", "causes", "analyze", "both",
                                                    "both_no_causes"};
    static double seconds[MEASUREMENTS][TURNS_MAX];
    int turns = argc == 5 ? atoi(argv[3]) : 0;
    if (turns < 1 || turns > TURNS_MAX) {
        fprintf(stderr, "usage: hierarchy_bench CACHES THREADS TURNS TRACE\n");
        return 2;
    }
    uint32_t threads = (uint32_t)atoi(argv[2]);
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        return 1;
    check(rd_hierarchy_parse(ctx, argv[1], &hierarchy));
    load(argv[4]);
    for (int i = 0; i < turns; i++) {
        seconds[0][i] = simulate(false);
        seconds[1][i] = simulate(true);
        seconds[2][i] = analyze(argv[4], false, false, threads);
        seconds[3][i] = analyze(argv[4], true, true, threads);
        seconds[4][i] = analyze(argv[4], true, false, threads);
    }
    const char *name = strrchr(argv[4], '/');
    printf("{\"trace\": \"%s\", \"caches\": \"%s\", \"threads\": %" PRIu32
           ", \"turns\": %d, \"references\": %zu",
           name ? name + 1 : argv[4], argv[1], threads, turns, n_blocks);
    for (int i = 0; i < MEASUREMENTS; i++) {
        qsort(seconds[i], (size_t)turns, sizeof **seconds, ascending);
        printf(", \"%s_s\": %.3f", names[i], seconds[i][turns / 2]);
    }
    puts("}");
    free(blocks);
    free(kinds);
    rd_ctx_free(ctx);
    return 0;
}
