/* Implements the suite `sampling` of paper-bench: measures the error of samplers with many seeds,
 * by comparing each result with the exact curve. */
#include "papers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SEEDS      100
#define ENOUGH     1000 /* expected number of samples; with fewer, a sampler guarantees nothing */
#define EVEN_SIZES 100
#define POWERS_MAX 64
#define FULL_BLOCKS                                                                                \
    (128                                                                                           \
     << 10) /* up to this number of blocks, every distance has its own bin: all sizes are exact */

/* Cache sizes with their exact miss ratios: evenly spaced sizes up to the number of blocks, then
 * powers of two. */
typedef struct truth {
    rd_binning binning;
    uint64_t blocks;
    size_t n_even, n;
    uint64_t size[EVEN_SIZES + POWERS_MAX];
    double miss[EVEN_SIZES + POWERS_MAX];
} truth;

/* The errors of one sampler on one trace, over all seeds. */
typedef struct quality {
    /* Sums of the absolute differences, and the largest difference at evenly spaced sizes. */
    double even_error, power_error, largest;
    double even_width; /* sum of the widths of the band at evenly spaced sizes */
    uint64_t even_points, power_points;
    uint64_t even_inside, power_inside; /* number of points within the band */
    double rate;                        /* sum of the sampling rates */
} quality;

/* The errors of all samplers with enough samples, on all traces. */
typedef struct summary {
    uint64_t runs, points, inside; /* number of pairs of trace and engine, of points, and of points
                                      within the band */
    double worst;                  /* the largest mean error */
    char where[160];               /* trace and engine with the largest mean error */
} summary;

static rd_status profile_of(bench *b, const bench_trace *t, const char *engine, rd_binning binning,
                            rd_profile **out) {
    rd_engine *e = NULL;
    rd_engine_config config = {.size = sizeof config, .binning = binning};
    rd_status status = rd_engine_open(b->ctx, engine, &config, &e);
    if (status == RD_OK)
        status = rd_engine_feed(e, t->blocks, t->n, NULL);
    if (status == RD_OK)
        status = rd_engine_finish(e);
    if (status == RD_OK)
        status = rd_engine_profile(e, out);
    rd_engine_close(e);
    return status;
}

/* Chooses the cache sizes. They are ends of bins: log-linear bins begin at multiples of 2048 and at
 * powers of two. */
static void choose_sizes(truth *t, uint64_t blocks) {
    uint64_t unit = blocks > FULL_BLOCKS ? 2048 : 1;
    t->binning.kind = unit == 1 ? RD_BINS_FULL : RD_BINS_LOGLINEAR;
    t->blocks = blocks;
    t->n = 0;
    for (uint64_t i = 1; i <= EVEN_SIZES; i++) {
        uint64_t size = blocks * i / EVEN_SIZES / unit * unit;
        if (size > 0 && (t->n == 0 || size > t->size[t->n - 1]))
            t->size[t->n++] = size;
    }
    t->n_even = t->n;
    for (uint64_t size = 1; size < 2 * blocks; size *= 2)
        t->size[t->n++] = size;
}

static rd_status find_truth(bench *b, const bench_trace *trace, truth *t) {
    rd_profile *p = NULL;
    rd_status status = profile_of(b, trace, "footprint", (rd_binning){RD_BINS_LOG, 0}, &p);
    if (status == RD_OK)
        choose_sizes(t, rd_profile_facts_of(p)->blocks);
    rd_profile_free(p);
    p = NULL;
    if (status == RD_OK)
        status = profile_of(b, trace, "auto", t->binning, &p);
    for (size_t i = 0; i < t->n && status == RD_OK; i++)
        status = rd_mrc_at(b->ctx, p, t->size[i], &t->miss[i], NULL);
    rd_profile_free(p);
    return status;
}

/* Adds the errors of one profile to *q. */
static rd_status judge(bench *b, const truth *t, const rd_profile *p, quality *q) {
    q->rate += rd_profile_facts_of(p)->sample_rate;
    for (size_t i = 0; i < t->n; i++) {
        double miss = 0, low = 0, high = 0;
        rd_status status = rd_mrc_at(b->ctx, p, t->size[i], &miss, NULL);
        if (status == RD_OK)
            status = rd_mrc_band(b->ctx, p, t->size[i], &low, &high);
        if (status != RD_OK)
            return status;
        bool even = i < t->n_even;
        double error = fabs(miss - t->miss[i]);
        bool inside = low <= t->miss[i] && t->miss[i] <= high;
        *(even ? &q->even_error : &q->power_error) += error;
        *(even ? &q->even_points : &q->power_points) += 1;
        *(even ? &q->even_inside : &q->power_inside) += inside;
        if (even) {
            q->even_width += high - low;
            q->largest = error > q->largest ? error : q->largest;
        }
    }
    return RD_OK;
}

static void print_quality(bench *b, const bench_trace *trace, const char *engine, const truth *t,
                          const quality *q) {
    double even = (double)q->even_points, powers = (double)q->power_points;
    double expected = q->rate / SEEDS * (double)t->blocks;
    double inside = (double)(q->even_inside + q->power_inside) / (even + powers);
    if (!b->options->json)
        printf("%-26.26s %-22s %9.0f %9.4f %9.4f %9.4f %9.2f %9.4f\n", trace->name, engine,
               expected, q->even_error / even, q->largest, q->power_error / powers, 100 * inside,
               q->even_width / even / 2);
    rd_json_writer *w = bench_begin_line(b);
    rd_json_put_string(w, "trace", trace->name);
    rd_json_put_string(w, "engine", engine);
    rd_json_put_u64(w, "seeds", SEEDS);
    rd_json_put_u64(w, "references", trace->n);
    rd_json_put_u64(w, "blocks", t->blocks);
    rd_json_put_fixed(w, "expected_samples", expected, 1);
    rd_json_put_fixed(w, "mean_error", q->even_error / even, 6);
    rd_json_put_fixed(w, "largest_error", q->largest, 6);
    rd_json_put_fixed(w, "mean_error_powers", q->power_error / powers, 6);
    rd_json_put_fixed(w, "inside_share", inside, 5);
    rd_json_put_fixed(w, "inside_share_powers", (double)q->power_inside / powers, 5);
    rd_json_put_fixed(w, "mean_half_width", q->even_width / even / 2, 6);
    bench_end_line(b);
}

static void sum_up(summary *s, const bench_trace *trace, const char *engine, const truth *t,
                   const quality *q) {
    double error = q->even_error / (double)q->even_points;
    if (q->rate / SEEDS * (double)t->blocks < ENOUGH)
        return;
    s->points += q->even_points + q->power_points;
    s->inside += q->even_inside + q->power_inside;
    if (s->runs++ == 0 || error > s->worst) {
        s->worst = error;
        snprintf(s->where, sizeof s->where, "%s on %s", engine, trace->name);
    }
}

static void print_summary(const bench *b, const summary *s) {
    if (b->options->json || s->runs == 0)
        return;
    printf("with %d samples or more: the largest mean error is %.4f (%s); the band holds the exact "
           "curve at %.2f %% of %" PRIu64 " points\n",
           ENOUGH, s->worst, s->where, 100 * (double)s->inside / (double)s->points, s->points);
}

static rd_status try_seeds(bench *b, const bench_trace *trace, const char *engine, const truth *t) {
    quality q = {0};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        char spec[128];
        rd_profile *p = NULL;
        snprintf(spec, sizeof spec, "%s%cseed=%u", engine, strchr(engine, ':') ? ',' : ':', seed);
        rd_status status = profile_of(b, trace, spec, t->binning, &p);
        if (status == RD_OK)
            status = judge(b, t, p, &q);
        rd_profile_free(p);
        if (status != RD_OK)
            return status;
    }
    print_quality(b, trace, engine, t, &q);
    sum_up(b->summary, trace, engine, t, &q);
    return RD_OK;
}

static bool sample_trace(bench *b, const bench_trace *trace) {
    static const char *const usual[] = {"shards:rate=0.001", "shards:samples=8192"};
    const rd_strings *asked = &b->options->engines;
    const char *const *engines = asked->n ? asked->value : usual;
    size_t n = asked->n ? asked->n : sizeof usual / sizeof *usual;
    truth t = {0};
    rd_status status = find_truth(b, trace, &t);
    for (size_t i = 0; i < n && status == RD_OK; i++)
        status = try_seeds(b, trace, engines[i], &t);
    if (status != RD_OK)
        b->status = fail_status(b->ctx, status);
    return status == RD_OK;
}

static bool run_sampling(bench *b, int n, char **traces) {
    if (!b->options->json)
        printf("%-26s %-22s %9s %9s %9s %9s %9s %9s\n", "trace", "engine", "samples", "error",
               "largest", "powers", "inside %", "half");
    summary all = {0};
    b->summary = &all;
    bool ok = bench_each_trace(b, n, traces, sample_trace);
    b->summary = NULL;
    print_summary(b, &all);
    return ok;
}

const bench_suite paper_sampling = {
    "sampling", "how far off are samples, and how often does their band hold?", run_sampling};
