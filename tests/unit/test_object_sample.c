/* Tests samples of objects: the bands of the estimated miss ratios contain the exact ratios about as often as they
 * promise, and a sample of all objects is exact. The exact ratios come from an analysis of all objects, which
 * test_objects compares with simulated caches. */
#include "base/common.h"
#include "reusedist/model.h"
#include "reusedist/objects.h"
#include "support/context.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define OBJECTS 20000 /* 3 requests per object on average */
#define SECOND  UINT64_C(1000000000)

typedef struct trace {
    size_t n;
    uint64_t *id, *bytes, *time, *lifetime, *operation;
} trace;

/* Kinds of traces. They differ in the popularity of objects, in the distribution of sizes, and in whether
 * objects expire. */
enum { ZIPF, UNIFORM, SCAN, PARETO, LOGNORMAL, DOWNLOADS, EXPIRING, HEAVY, GIANTS, KINDS };

static const char *const names[] = {
    [ZIPF] = "zipf",         [UNIFORM] = "uniform",     [SCAN] = "scan",
    [PARETO] = "pareto",     [LOGNORMAL] = "lognormal", [DOWNLOADS] = "downloads",
    [EXPIRING] = "expiring", [HEAVY] = "heavy",         [GIANTS] = "giants"};

static double uniform(rdi_rng *rng) {
    return (double)(rdi_rng_below(rng, UINT64_C(1) << 52) + 1) / 0x1p52;
}

/* Returns the size of object x in bytes. In traces with a Zipf distribution, objects with a larger x are rarer.
 * Sizes are spread evenly from 100 to 1000, except:
 *   PARETO     Pareto with exponent 1.5, at most 1 MiB
 *   LOGNORMAL  log-normal with a sigma of 2, at most 1 MiB
 *   DOWNLOADS  Pareto with exponent 1.2, larger for rare objects, at most 1 MiB
 *   HEAVY      Pareto with exponent 1.1, at most 10 GB
 *   GIANTS     evenly spread, but five objects together have almost a third of the bytes of all objects */
static uint64_t size_of(int kind, uint64_t seed, uint64_t x, uint64_t objects) {
    rdi_rng own = {x * 7919 + seed};
    double v = uniform(&own), w = uniform(&own);
    double normal = sqrt(-2 * log(v)) * cos(6.283185307179586 * w);
    double rare = (double)x / (double)objects;
    double size = kind == PARETO      ? 100 * pow(v, -1 / 1.5)
                  : kind == LOGNORMAL ? 1000 * exp(2 * normal)
                  : kind == DOWNLOADS ? 100 * (1 + 9 * rare) * pow(v, -1 / 1.2)
                  : kind == HEAVY     ? 100 * pow(v, -1 / 1.1)
                  : kind == GIANTS && x % (objects / 5) == objects / 50 ? 50 * (double)objects
                                                                        : 100 + 900 * v;
    return (uint64_t)fmin(size, kind == HEAVY || kind == GIANTS ? 1e10 : 0x1p20);
}

static uint64_t *column(size_t n) {
    uint64_t *c = malloc(n * sizeof *c);
    assert_non_null(c);
    return c;
}

static trace make_trace(int kind, uint64_t seed, uint64_t objects) {
    size_t n = (size_t)objects * 3;
    trace t = {n, column(n), column(n), column(n), column(n), column(n)};
    rdi_rng rng = {seed * KINDS + (uint64_t)kind + 1};
    for (size_t i = 0; i < n; i++) {
        double u = uniform(&rng);
        uint64_t x = kind == UNIFORM ? (uint64_t)(u * (double)objects)
                     : kind == SCAN  ? i % objects
                                     : (uint64_t)pow((double)objects, u); /* Zipf, exponent 1 */
        t.id[i] = x;
        t.bytes[i] = size_of(kind, seed, x, objects);
        t.time[i] = i / 100 * SECOND;
        t.lifetime[i] = kind == EXPIRING ? (1 + x % 300) * SECOND : 0;
        t.operation[i] = kind == EXPIRING && rdi_rng_below(&rng, 8) == 0    ? RD_OPERATION_WRITE
                         : kind == EXPIRING && rdi_rng_below(&rng, 50) == 0 ? RD_OPERATION_DELETE
                                                                            : RD_OPERATION_READ;
    }
    return t;
}

static void free_trace(trace *t) {
    free(t->id);
    free(t->bytes);
    free(t->time);
    free(t->lifetime);
    free(t->operation);
}

static rd_profile *analyze(rd_ctx *ctx, const trace *t, rd_objects_config config) {
    rd_objects *o = NULL;
    rd_profile *p = NULL;
    const rd_requests all = {.n = t->n,
                             .id = t->id,
                             .bytes = t->bytes,
                             .time = t->time,
                             .lifetime = t->lifetime,
                             .operation = t->operation};
    config.size = sizeof config;
    assert_int_equal(rd_objects_new(ctx, &config, &o), RD_OK);
    assert_int_equal(rd_objects_feed(o, &all, NULL), RD_OK);
    assert_int_equal(rd_objects_profile(o, &p), RD_OK);
    rd_objects_free(o);
    return p;
}

typedef struct tally {
    unsigned inside, byte_inside, all;
    double width, error, byte_width, byte_error;
} tally;

/* Compares the miss ratios of a sample with the exact ones, and adds the results to *sum. The cache sizes double, from
 * the smallest size that the sample resolves up to one that holds all objects together. Sizes below that of the largest
 * object are left out. */
static void compare(rd_ctx *ctx, const rd_profile *exact, const rd_profile *sample, tally *sum) {
    const rd_objects_facts *f = rd_profile_objects(exact);
    uint64_t size = rd_mrc_resolution(sample), most = 1;
    for (size_t i = 0; i < f->n_live; i++)
        while (most < f->live[i].no_expiry)
            most *= 2;
    for (size = size ? size : 1; size <= most; size *= 2) {
        double miss, byte_miss, low, high, byte_low, byte_high, guess, byte_guess;
        if (size < f->largest)
            continue;
        assert_int_equal(rd_objects_at(ctx, exact, size, &miss, &byte_miss, NULL), RD_OK);
        assert_int_equal(rd_objects_at(ctx, sample, size, &guess, &byte_guess, NULL), RD_OK);
        assert_int_equal(rd_mrc_band(ctx, sample, size, &low, &high), RD_OK);
        assert_int_equal(rd_objects_band(ctx, sample, size, &byte_low, &byte_high), RD_OK);
        sum->inside += miss >= low - 1e-9 && miss <= high + 1e-9;
        sum->byte_inside += byte_miss >= byte_low - 1e-9 && byte_miss <= byte_high + 1e-9;
        sum->all++;
        sum->width += high - low;
        sum->byte_width += byte_high - byte_low;
        sum->error += fabs(guess - miss);
        sum->byte_error += fabs(byte_guess - byte_miss);
    }
}

/* The comparison of samples with exact analyses: `traces` traces of each kind, each with `objects` objects, and
 * `samples` samples of each trace at the sampling rate `rate`. `first` is the seed of the first trace. */
typedef struct plan {
    unsigned traces, samples;
    double rate;
    uint64_t objects, first;
} plan;

static tally measure(rd_ctx *ctx, int kind, const plan *of) {
    tally sum = {0};
    for (uint64_t seed = of->first; seed < of->first + of->traces; seed++) {
        trace t = make_trace(kind, seed, of->objects);
        rd_profile *exact = analyze(ctx, &t, (rd_objects_config){0});
        for (uint64_t i = 0; i < of->samples; i++) {
            rd_objects_config config = {.sample_rate = of->rate,
                                        .sample_seed = seed * of->samples + i};
            rd_profile *sample = analyze(ctx, &t, config);
            compare(ctx, exact, sample, &sum);
            rd_profile_free(sample);
        }
        rd_profile_free(exact);
        free_trace(&t);
    }
    return sum;
}

/* Prints a line of JSON per kind of trace, for scripts/bench-object-samples. */
static void print_coverage(rd_ctx *ctx, const plan *of) {
    for (int kind = 0; kind < KINDS; kind++) {
        tally t = measure(ctx, kind, of);
        printf("{\"trace\": \"%s\", \"objects\": %" PRIu64 ", \"requests\": %" PRIu64
               ", \"rate\": %g, \"first_seed\": %" PRIu64 ", \"samples\": %u, \"sizes\": %u"
               ", \"inside\": %u, \"byte_inside\": %u, \"width\": %.5f, \"byte_width\": %.5f"
               ", \"error\": %.5f, \"byte_error\": %.5f}\n",
               names[kind], of->objects, 3 * of->objects, of->rate, of->first,
               of->traces * of->samples, t.all, t.inside, t.byte_inside, t.width / t.all,
               t.byte_width / t.all, t.error / t.all, t.byte_error / t.all);
        fflush(stdout);
    }
}

/* Tests that at least 90 % of the bands contain the exact ratio. The bands promise 95 %, but the
 * number of samples is small; bench/results/README.md has the measured coverage of many samples. */
static void bands_contain_the_exact_ratios(void **state) {
    static const plan few = {4, 3, 0.1, OBJECTS, 1000};
    for (int kind = 0; kind < KINDS; kind++) {
        tally t = measure(*state, kind, &few);
        print_message("%s: %u and %u of %u inside\n", names[kind], t.inside, t.byte_inside, t.all);
        assert_true(t.all > 0);
        assert_true(t.inside >= 0.9 * t.all);
        assert_true(t.byte_inside >= 0.9 * t.all);
    }
}

static void a_sample_of_everything_is_exact(void **state) {
    for (int kind = 0; kind < KINDS; kind++) {
        trace t = make_trace(kind, 1, OBJECTS);
        for (uint64_t warmup = 0; warmup < 2000; warmup += 1501) {
            rd_objects_config config = {.warmup = warmup, .count = RD_COUNT_ALL};
            rd_profile *exact = analyze(*state, &t, config);
            config.sample_rate = 1;
            rd_profile *sample = analyze(*state, &t, config);
            const rd_objects_facts *a = rd_profile_objects(exact), *b = rd_profile_objects(sample);
            assert_int_equal(a->counted.requests, b->counted.requests);
            assert_int_equal(a->cold.requests, b->cold.requests);
            assert_int_equal(a->deleted.requests, b->deleted.requests);
            assert_int_equal(a->expired.requests, b->expired.requests);
            assert_int_equal(a->counted.bytes.low, b->counted.bytes.low);
            assert_int_equal(a->objects, b->objects);
            const rd_bin *x, *y;
            size_t n = rd_profile_bins(exact, &x);
            assert_int_equal(rd_profile_bins(sample, &y), n);
            for (size_t i = 0; i < n; i++)
                assert_true(x[i].low == y[i].low && x[i].high == y[i].high &&
                            x[i].count == y[i].count);
            assert_int_equal(a->n_bins, b->n_bins);
            for (size_t i = 0; i < a->n_bins; i++)
                assert_int_equal(a->bins[i].bytes.low, b->bins[i].bytes.low);
            rd_profile_free(exact);
            rd_profile_free(sample);
        }
        free_trace(&t);
    }
}

static void a_file_keeps_the_bands(void **state) {
    trace t = make_trace(PARETO, 1, OBJECTS);
    char *text = NULL, *second = NULL;
    size_t n = 0, n_second = 0;
    rd_profile *again = NULL, *sum = NULL;
    rd_profile *p = analyze(*state, &t, (rd_objects_config){.sample_rate = 0.1});
    assert_int_equal(rd_profile_json(p, &text, &n), RD_OK);
    assert_int_equal(rd_profile_parse(*state, "file", text, n, &again), RD_OK);
    assert_int_equal(rd_profile_json(again, &second, &n_second), RD_OK);
    assert_string_equal(text, second);
    assert_int_equal(rd_mrc_resolution(p), rd_mrc_resolution(again));
    assert_true(rd_mrc_resolution(p) > 1000);
    rd_profile *both[] = {p, again};
    assert_int_equal(rd_profile_merge(*state, both, 2, &sum), RD_EINVAL);
    rd_text_free(*state, text);
    rd_text_free(*state, second);
    rd_profile_free(p);
    rd_profile_free(again);
    free_trace(&t);
}

static void an_empty_sample_knows_nothing(void **state) {
    trace t = make_trace(UNIFORM, 1, OBJECTS);
    rd_profile *p = analyze(*state, &t, (rd_objects_config){.sample_rate = 1e-12});
    double low, high;
    assert_int_equal(rd_mrc_band(*state, p, 1 << 20, &low, &high), RD_OK);
    assert_true(low == 0 && high == 1);
    rd_profile_free(p);
    free_trace(&t);
}

/* usage: test_object_sample [TRACES SAMPLES RATE OBJECTS SEED]; with arguments, it prints coverage. */
int main(int argc, char **argv) {
    if (argc == 6) {
        plan wanted = {(unsigned)strtoul(argv[1], NULL, 10), (unsigned)strtoul(argv[2], NULL, 10),
                       strtod(argv[3], NULL), strtoull(argv[4], NULL, 10),
                       strtoull(argv[5], NULL, 10)};
        void *ctx = NULL;
        context_new(&ctx);
        print_coverage(ctx, &wanted);
        return context_free(&ctx);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_contain_the_exact_ratios),
        cmocka_unit_test(a_sample_of_everything_is_exact),
        cmocka_unit_test(a_file_keeps_the_bands),
        cmocka_unit_test(an_empty_sample_knows_nothing),
    };
    return cmocka_run_group_tests(tests, context_new, context_free);
}
