/* Measures how close the estimates of `reusedist corun` are to the truth.
 *
 * usage: corun_bench [-n REFERENCES] TRACE TRACE...
 *
 * Reads up to REFERENCES references (20 M unless given) of each trace, in blocks of 64 bytes.
 * Interleaves the two traces of each pair evenly, as if both programs took the same time, and
 * computes their exact miss ratios in shared caches of 64 KiB, 256 KiB, 1 MiB and 4 MiB from the
 * distances of the interleaved references. One line of JSON per pair and size has these miss
 * ratios, the estimates of rd_corun_share() from the two profiles, the miss ratios of each program
 * alone, and the estimates that follow from the average footprints
 *
 *   fp(w) = M - sum over all gaps g > w of (g - w) / (n - w + 1)
 *
 * of n references to M blocks, where the gaps are the reuse times, the times of the first
 * references, counted from 1, and the times from the last references to the end. The last line has
 * the mean and the largest difference of each kind of estimate from the exact miss ratios.
 */
#include "reusedist/reusedist.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS_MAX 32
#define BATCH        4096

static const uint64_t cache_blocks[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16};
#define N_CACHES (sizeof cache_blocks / sizeof *cache_blocks)

typedef struct program {
    char name[64];    /* name of the file, without folder and endings */
    uint64_t *blocks; /* the references */
    size_t n;
    rd_profile *profile;
    double *footprint; /* average footprint in w references, for w from 0 to n */
} program;

static rd_ctx *ctx;

static void stop(const char *what) {
    fprintf(stderr, "corun_bench: %s\n", what);
    exit(1);
}

static void check(rd_status status) {
    if (status != RD_OK)
        stop(rd_last_error(ctx));
}

static void *get(size_t n, size_t size) {
    void *memory = calloc(n, size);
    if (!memory)
        stop("out of memory");
    return memory;
}

/* ---- one program ---- */

static void read_blocks(program *p, const char *path, size_t most) {
    rd_trace *trace;
    rd_mapper *mapper;
    const rd_refs *refs;
    const uint64_t *blocks;
    size_t n;
    check(rd_trace_open(ctx, path, NULL, &trace));
    check(
        rd_mapper_new(ctx, &(rd_mapping){.size = sizeof(rd_mapping), .block_bytes = 64}, &mapper));
    p->blocks = get(most, sizeof *p->blocks);
    while (p->n < most) {
        check(rd_trace_read(trace, &refs));
        if (refs->n == 0)
            break;
        rd_mapper_feed(mapper, refs);
        for (;;) {
            check(rd_mapper_next(mapper, &blocks, &n));
            if (n == 0)
                break;
            n = n < most - p->n ? n : most - p->n;
            memcpy(p->blocks + p->n, blocks, n * sizeof *blocks);
            p->n += n;
        }
    }
    rd_mapper_free(mapper);
    rd_trace_close(trace);
}

/* Numbers the blocks from 0 on, in the order of their first references, so that arrays can be
 * indexed with them. Returns the number of distinct blocks. */
static size_t number_blocks(program *p) {
    size_t size = 1, found = 0;
    while (size < 2 * p->n)
        size *= 2;
    uint64_t *keys = get(size, sizeof *keys), *numbers = get(size, sizeof *numbers);
    for (size_t i = 0; i < p->n; i++) {
        uint64_t key = p->blocks[i] + 1;
        size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (size - 1);
        while (keys[at] && keys[at] != key)
            at = (at + 1) & (size - 1);
        if (!keys[at]) {
            keys[at] = key;
            numbers[at] = found++;
        }
        p->blocks[i] = numbers[at];
    }
    free(keys);
    free(numbers);
    return found;
}

/* Computes the average footprints of a program with m distinct blocks. */
static void find_footprint(program *p, size_t m) {
    uint64_t *last = get(m, sizeof *last), *gaps = get(p->n + 1, sizeof *gaps);
    for (size_t i = 0; i < p->n; i++) {
        gaps[i + 1 - last[p->blocks[i]]]++;
        last[p->blocks[i]] = i + 1;
    }
    for (size_t b = 0; b < m; b++)
        gaps[p->n - last[b]]++;
    p->footprint = get(p->n + 1, sizeof *p->footprint);
    double above = 0, sum = 0; /* the number of gaps g above w, and the sum of g - w over these
                                  gaps */
    for (size_t w = p->n + 1; w-- > 0;) {
        p->footprint[w] = (double)m - sum / (double)(p->n - w + 1);
        above += (double)gaps[w];
        sum += above;
    }
    free(last);
    free(gaps);
}

static void read_program(program *p, const char *path, size_t most) {
    const char *slash = strrchr(path, '/');
    rd_engine *engine;
    const char *name = slash ? slash + 1 : path;
    snprintf(p->name, sizeof p->name, "%.*s", (int)strcspn(name, "."), name);
    read_blocks(p, path, most);
    find_footprint(p, number_blocks(p));
    check(rd_engine_open(ctx, "auto", &(rd_engine_config){.size = sizeof(rd_engine_config)},
                         &engine));
    check(rd_engine_feed(engine, p->blocks, p->n, NULL));
    check(rd_engine_finish(engine));
    check(rd_engine_profile(engine, &p->profile));
    rd_engine_close(engine);
}

/* ---- a pair ---- */

/* Measures the miss ratios of both programs in shared caches. Program `a` has the even block
 * numbers. */
static void measure(const program *a, const program *b, double miss[2][N_CACHES]) {
    rd_engine *engine;
    uint64_t blocks[BATCH], distances[BATCH], count[2][N_CACHES] = {{0}};
    uint8_t who[BATCH];
    check(rd_engine_open(ctx, "auto", &(rd_engine_config){.size = sizeof(rd_engine_config)},
                         &engine));
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        size_t n = 0;
        for (; n < BATCH && (i < a->n || k < b->n); n++) {
            /* The next reference is from the program that is further behind. */
            bool second =
                i == a->n || (k < b->n && (double)k * (double)a->n < (double)i * (double)b->n);
            who[n] = second;
            blocks[n] = second ? 2 * b->blocks[k++] + 1 : 2 * a->blocks[i++];
        }
        check(rd_engine_feed(engine, blocks, n, distances));
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < N_CACHES; c++)
                count[who[j]][c] += distances[j] >= cache_blocks[c];
    }
    rd_engine_close(engine);
    for (size_t c = 0; c < N_CACHES; c++) {
        miss[0][c] = (double)count[0][c] / (double)a->n;
        miss[1][c] = (double)count[1][c] / (double)b->n;
    }
}

/* Returns the footprint after the fraction `share` of the run. `share` may be above 1. */
static double footprint_after(const program *p, double share) {
    double w = share * (double)p->n;
    if (w >= (double)p->n)
        return p->footprint[p->n];
    size_t whole = (size_t)w;
    return p->footprint[whole] +
           (p->footprint[whole + 1] - p->footprint[whole]) * (w - (double)whole);
}

/* Computes the miss ratios in a shared cache of `blocks` blocks that follow from the average
 * footprints. */
static void compose(const program *const pair[2], uint64_t blocks, double miss[2]) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (footprint_after(pair[0], middle) + footprint_after(pair[1], middle) < (double)blocks)
            low = middle;
        else
            high = middle;
    }
    for (int i = 0; i < 2; i++)
        check(rd_mrc_at(ctx, pair[i]->profile, (uint64_t)footprint_after(pair[i], high), &miss[i],
                        NULL));
}

/* The sum, the maximum and the number of the absolute differences of estimates from the measured
 * miss ratios. */
typedef struct differences {
    double sum, largest;
    size_t n;
} differences;

static void note(differences *d, double miss, double measured) {
    double difference = fabs(miss - measured);
    d->sum += difference;
    d->largest = fmax(d->largest, difference);
    d->n++;
}

static void compare_pair(const program *a, const program *b, differences *curve,
                         differences *gaps) {
    const program *pair[2] = {a, b};
    rd_profile *profiles[2] = {a->profile, b->profile};
    double exact[2][N_CACHES];
    rd_corun *corun;
    measure(a, b, exact);
    check(rd_corun_new(ctx, profiles, NULL, 2, &corun));
    for (size_t c = 0; c < N_CACHES; c++) {
        rd_corun_program estimate[2];
        double composed[2];
        check(rd_corun_share(corun, cache_blocks[c], estimate));
        compose(pair, cache_blocks[c], composed);
        for (int i = 0; i < 2; i++) {
            note(curve, estimate[i].miss_ratio, exact[i][c]);
            note(gaps, composed[i], exact[i][c]);
        }
        printf("{\"programs\": [\"%s\", \"%s\"], \"bytes\": %" PRIu64 ", \"exact\": [%.6f, %.6f], "
               "\"corun\": [%.6f, %.6f], \"footprints\": [%.6f, %.6f], \"alone\": [%.6f, %.6f]}\n",
               a->name, b->name, cache_blocks[c] * 64, exact[0][c], exact[1][c],
               estimate[0].miss_ratio, estimate[1].miss_ratio, composed[0], composed[1],
               estimate[0].alone, estimate[1].alone);
    }
    fflush(stdout);
    rd_corun_free(corun);
}

static void print_differences(const char *name, const differences *d, const char *end) {
    printf("\"%s\": {\"mean_points\": %.4f, \"largest_points\": %.4f}%s", name,
           100 * d->sum / (double)d->n, 100 * d->largest, end);
}

int main(int argc, char **argv) {
    static program programs[PROGRAMS_MAX];
    size_t most = 20000000, first = 1, n = 0;
    differences curve = {0}, gaps = {0};
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        most = strtoull(argv[2], NULL, 10);
        first = 3;
    }
    if (argc < (int)first + 2 || argc - (int)first > PROGRAMS_MAX || most == 0)
        stop("usage: corun_bench [-n REFERENCES] TRACE TRACE... (2 to 32 traces)");
    if (rd_ctx_new(NULL, &ctx) != RD_OK)
        stop("out of memory");
    for (; first + n < (size_t)argc; n++)
        read_program(&programs[n], argv[first + n], most);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            compare_pair(&programs[i], &programs[k], &curve, &gaps);
    printf("{\"programs\": %zu, \"estimates\": %zu, ", n, curve.n);
    print_differences("corun", &curve, ", ");
    print_differences("footprints", &gaps, "}\n");
    for (size_t i = 0; i < n; i++) {
        rd_profile_free(programs[i].profile);
        free(programs[i].blocks);
        free(programs[i].footprint);
    }
    rd_ctx_free(ctx);
    return 0;
}
